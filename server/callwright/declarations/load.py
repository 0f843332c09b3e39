"""Loading tool files, and prompts that document tools: bytes to a registry that remembers the places of everything.

Owns: `load_tools` (a file), `read_tools` (a text that is open in an editor), `content_of` (the bytes of a file).
Must not know: configuration, which files to load, calls.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from callwright.declarations.documents import read_tools_of
from callwright.syntax.problem import Problem
from callwright.text.span import Span
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
            return _unreadable(shown, _what_else(file), "correct the path")
        if file.stat().st_size > LARGEST:
            return _unreadable(
                shown, f"the file is larger than {LARGEST // 1024 // 1024} MB", "use a file that contains only tools"
            )
        data = content_of(file)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "the path is not usable"
        return _unreadable(shown, reason, "correct the path or its permissions")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        return _unreadable(shown, f"byte {error.start} is not UTF-8", "save the file as UTF-8")
    return read_tools(text, shown)


def content_of(file: str | Path) -> bytes:
    """Return the bytes of a file as long as it can be one of tools or settings.

    Raises OSError where it is too large or no regular file: a pipe would be waited for, and a device has no end.
    """
    with open(os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as opened:  # noqa: PTH123 - it is open
        if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
            raise OSError(f"`{file}` is not a regular file")
        data = opened.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise OSError(f"`{file}` is too large")
    return data


def _what_else(file: Path) -> str:
    """Return what is at a path where there is no regular file."""
    if file.is_dir():
        return "this is a folder"
    return "this is not a regular file" if file.exists() else "there is no such file"


def read_tools(text: str, file: str) -> ToolRegistry:
    """Return the tools that the text of a file defines, in the language that the file's name says."""
    return read_tools_of(text, file).registry


def _unreadable(file: str, reason: str, remedy: str) -> ToolRegistry:
    return EMPTY.merge(ToolRegistry(problems=[ToolProblem(file, _problem(UNREADABLE, Span(0, 0), reason, remedy))]))


def _problem(kind: str, span: Span, reason: str, remedy: str) -> Problem:
    return Problem(kind, span, {"pointer": "", "reason": reason, "remedy": remedy})
