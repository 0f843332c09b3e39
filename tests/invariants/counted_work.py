"""What the test of counted work does: the scenarios, and how their work is counted.

Owns: the scenarios, the counter, the table of what was recorded. Must not know: how much is too much.

Each scenario is made ready and done twice before it is counted, so that what is imported, compiled or kept on first use
is not part of it. What is counted is the same on every machine; it is the work of Python's own steps. A search in C
counts as one call, however long the text.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

import callwright
from benchmarks.editing import TOOLS, Made, jsonl, markdown
from callwright.document.settings import Settings
from callwright.document.snapshot import Snapshot
from callwright.features import text_document_completion, text_document_hover
from callwright.features.base import Request
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.runtime import StrictParser
from callwright.text.span import Edit, Span
from callwright.tools.registry import ToolRegistry

PACKAGE = str(Path(callwright.__file__).parent)
RECORDED = Path(__file__).with_name("counted-work.md")
_ROW = re.compile(
    r"^\| (?P<name>[^|]+?) \| (?P<calls>[\d,]+) \| (?P<lines>[\d,]+) \| (?P<builtins>[\d,]+) \|$", re.MULTILINE
)
_VERSION = re.compile(r"Recorded with Python (\d+)\.(\d+)")
REGISTRY = ToolRegistry.of(TOOLS["tools"])

Work = Callable[[], object]


class Counted(NamedTuple):
    """How often a function of the package is called, a line of it is begun, and a function of C is called by it."""

    calls: int
    lines: int
    builtins: int


def counted(work: Work) -> Counted:
    """Return what is done in a scenario's third round."""
    work()
    work()
    calls = lines = builtins = 0

    @cache
    def ours(code: CodeType) -> bool:
        return code.co_filename.startswith(PACKAGE)

    def inside(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal lines
        lines += event == "line"
        return inside

    def tracing(frame: FrameType, event: str, argument: Any) -> Any:
        return inside if ours(frame.f_code) else None

    def profiling(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal calls, builtins
        if ours(frame.f_code):
            calls += event == "call"
            builtins += event == "c_call"

    before = sys.gettrace(), sys.getprofile()
    sys.settrace(tracing)
    sys.setprofile(profiling)
    try:
        work()
    finally:
        sys.setprofile(before[1])
        sys.settrace(before[0])
    return Counted(calls, lines, builtins)


def recorded() -> Mapping[str, Counted]:
    """Return what was recorded, by the scenarios' names."""
    text = RECORDED.read_text(encoding="utf-8")
    return {
        row["name"]: Counted(*(int(row[each].replace(",", "")) for each in Counted._fields))
        for row in _ROW.finditer(text)
    }


def recorded_with() -> tuple[int, int]:
    """Return the version of Python with which that was."""
    found = _VERSION.search(RECORDED.read_text(encoding="utf-8"))
    assert found is not None, f"{RECORDED.name} does not say with which Python it was recorded"
    return int(found[1]), int(found[2])


def record(name: str, found: Counted) -> None:
    """Put a scenario's figures into the table, after the others where it is new."""
    text = RECORDED.read_text(encoding="utf-8")
    line = f"| {name} | {' | '.join(f'{each:,}' for each in found)} |"
    known = next((row for row in _ROW.finditer(text) if row["name"] == name), None)
    text = text.rstrip("\n") + f"\n{line}\n" if known is None else text[: known.start()] + line + text[known.end() :]
    version = "Recorded with Python {}.{}".format(*sys.version_info)
    RECORDED.write_text(_VERSION.sub(version, text), encoding="utf-8")


# Scenarios


def opened(made: Made) -> Snapshot:
    snapshot = open_snapshot(made.text, path=made.name, registry=REGISTRY, settings=Settings())
    diagnostics(snapshot)
    return snapshot


def keystroke(made: Made) -> Work:
    """Someone types on in the middle of a document."""
    snapshot = opened(made)

    def work() -> None:
        nonlocal snapshot
        snapshot = snapshot.edit([Edit(Span(made.at, made.at), "x")])
        diagnostics(snapshot)

    return work


def asking(feature: Any, made: Made) -> Work:
    """An editor asks about the name of a call, right after a keystroke."""
    snapshot = opened(made)
    at = made.named

    def work() -> None:
        nonlocal snapshot
        snapshot = snapshot.edit([Edit(Span(made.at, made.at), "x")])
        assert feature.handle(snapshot, Request(span=Span(at, at), offsets=(at,)))

    return work


def opening(made: Made) -> Work:
    return lambda: opened(made)


def _reply(arguments: str) -> str:
    return f'I look at the program first.\n\n```json\n{{"tool": "debug_launch", "arguments": {arguments}}}\n```\n'


def replying(reply: str, *, sound: bool) -> Work:
    """A strict parser reads a reply of a model, and words what it has against it."""
    parser = StrictParser(tools=REGISTRY, dialect="fenced-json")

    def work() -> None:
        result = parser.parse(reply)
        assert (result.error is None) == sound
        assert result.error is None or result.error.feedback()

    return work


def line_of_jsonl() -> Work:
    """A line of a file of conversations is read and judged."""
    made = jsonl(1_000)
    line = made.text.splitlines(keepends=True)[0].replace(",}", "}")

    def work() -> None:
        assert not callwright.check(line, tools=REGISTRY, path="a.jsonl")

    return work


SCENARIOS: Mapping[str, Callable[[], Work]] = {
    "a keystroke in a prompt of 1 MB": lambda: keystroke(markdown(1_000_000)),
    "a keystroke in JSONL of 1 MB": lambda: keystroke(jsonl(1_000_000)),
    "a keystroke and completion in a prompt of 1 MB": lambda: asking(text_document_completion, markdown(1_000_000)),
    "a keystroke and hover in a prompt of 1 MB": lambda: asking(text_document_hover, markdown(1_000_000)),
    "a prompt of 100 KB is opened": lambda: opening(markdown(100_000)),
    "a reply with a sound call": lambda: replying(_reply('{"program": "src/app/main.py"}'), sound=True),
    "a reply with an unknown argument": lambda: replying(_reply('{"program": "a.py", "arg": []}'), sound=False),
    "a reply with a brace too many": lambda: replying(_reply('{"program": "a.py"}}'), sound=False),
    "a line of JSONL": line_of_jsonl,
}
