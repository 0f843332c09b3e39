"""Loading tool files: bytes to a registry part that remembers where everything stood.

Owns: `load_tools` (a file), `read_tools` (a text that is open in an editor). Must not know: configuration, which files
to load, calls.
"""

from __future__ import annotations

from pathlib import Path

from callwright.syntax.problem import Problem
from callwright.text.span import Span
from callwright.tools.documents import read_tool_document
from callwright.tools.registry import EMPTY, ToolProblem, ToolRegistry

UNREADABLE = "tools-unreadable"

#: A tool file beyond this size in bytes is refused: it is not one.
LARGEST = 16 * 1024 * 1024


def load_tools(path: str | Path, *, name: str | None = None) -> ToolRegistry:
    """Return the tools of one file; whatever is wrong with it is in `problems`, with spans of the file's text.

    `name` is the file's name in origins and problems, the path as given where absent. Never raises for a bad file.
    """
    file = Path(path)
    shown = name if name is not None else str(path)
    try:
        if not file.is_file():
            reason = "this is a folder" if file.is_dir() else "there is no such file"
            return _unreadable(shown, reason, "correct the path")
        if file.stat().st_size > LARGEST:
            return _unreadable(
                shown, f"the file is larger than {LARGEST // 1024 // 1024} MB", "give a file that holds only tools"
            )
        data = file.read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "the path is not usable"
        return _unreadable(shown, reason, "correct the path, or the rights to it")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        return _unreadable(shown, f"byte {error.start} is not UTF-8", "save the file as UTF-8")
    return read_tools(text, shown)


def read_tools(text: str, file: str) -> ToolRegistry:
    """Return the tools that the text of a file defines, in the language that the file's name says."""
    return read_tool_document(text, file).registry


def _unreadable(file: str, reason: str, remedy: str) -> ToolRegistry:
    return EMPTY.merge(ToolRegistry(problems=[ToolProblem(file, _problem(UNREADABLE, Span(0, 0), reason, remedy))]))


def _problem(kind: str, span: Span, reason: str, remedy: str) -> Problem:
    return Problem(kind, span, {"pointer": "", "reason": reason, "remedy": remedy})
