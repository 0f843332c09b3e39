"""Marks of calls that stand in a text and belong to no call that was read.

Owns: closing marks that stand twice behind a call, and calls that nobody reads for one slip in their marks. Must not
know: rules, messages, any single dialect.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from callwright.syntax.problem import Problem
from callwright.text.span import Span, delete

if TYPE_CHECKING:
    from callwright.analysis.reader import FoundCall
    from callwright.analysis.settings import Settings
    from callwright.tools.registry import ToolRegistry

#: How far from its end a call is looked through for its last closing marks.
_TAIL: Final = 200
_CLOSERS: Final = re.compile(
    r"(?:(?:</[^<>\s]{1,80}\s*>|<\|[^<>|\s]{1,80}\|>|<｜[^<>\s]{1,80}>|<[a-z_]{1,40}\|>|\[/[A-Z_]{1,40}\])\s*+)+\Z"
)
_CLOSER: Final = re.compile(
    r"\s*+(</[^<>\s]{1,80}+\s*+>|<\|[^<>|\s]{1,80}+\|>|<｜[^<>\s]{1,80}+>|<[a-z_]{1,40}+\|>|\[/[A-Z_]{1,40}+\])"
)
_PLAIN: Final = re.compile(r"</[A-Za-z_][\w.\-]*>")
#: Closing marks of calls, which stand in no other text.
_STRONG: Final = re.compile(r"</(?:[\w.\-]*:)?(?:｜DSML｜|ifm\|)?([A-Za-z_][\w.\-]*+)\s*+>")
_NAMES: Final = frozenset(
    {"invoke", "function_calls", "tool_calls", "tool_call", "function", "parameter", "param", "arg_value", "arguments"}
)


def doubled_closers(text: str, calls: Sequence[FoundCall]) -> Iterator[Problem]:
    """Yield the problem of each closing mark that stands again right behind the call that it closed."""
    for found in calls:
        call = found.call
        if not call.complete:
            continue
        span = call.frame if call.frame is not None else call.span
        start, end = min(call.span.start, span.start), max(call.span.end, span.end)
        if text.startswith(">", end) and text.startswith(">", end - 1) and "<" in text[start : start + 1]:
            yield _stray(end, end + 1, ">")
            continue
        behind = _CLOSER.match(text, end)
        if behind is None:
            continue
        tail = _CLOSERS.search(text, max(start, end - _TAIL), end)
        if tail is not None and behind[1] in tail[0] and "begin" not in behind[1]:
            yield _stray(behind.start(1), behind.end(), behind[1])


def _stray(start: int, end: int, mark: str) -> Problem:
    data = {"name": mark.strip("</>")}
    if _PLAIN.fullmatch(mark) is None:
        data["marker"] = mark
    return Problem("stray-closing-tag", Span(start, end), data, (delete(start, end),), certain=True)


def unread_calls(
    text: str, calls: Sequence[FoundCall], registry: ToolRegistry, settings: Settings
) -> Iterator[Problem]:
    """Yield the problem of a call that nobody reads, where one slip in its marks is the only reason.

    There is one where a call's closing mark stands outside of every call, a tool is named, and one change makes the
    text a faultless call.
    """
    if not registry or not any(_outside(match.start(), calls) for match in _closers(text, registry)):
        return
    # Loaded where something looks like the rest of a call.
    from callwright.analysis.marker_repairs import MarkerRepair, dialects_with

    names = [settings.dialect] if settings.dialect is not None else dialects_with(text, registry)
    repair = MarkerRepair(text, [name for name in names if name], (), registry, settings, more_than=len(calls))
    sole = repair.sole
    if sole is None:
        return
    first, last = sole.edits[0].span, sole.edits[-1].span
    data = {"reason": "one of its marks is not as it must be", "remedy": sole.title}
    yield Problem("skipped-call", Span(first.start, max(last.end, first.start)), data, sole.edits, certain=True)


def _closers(text: str, registry: ToolRegistry) -> Iterator[re.Match[str]]:
    for match in _STRONG.finditer(text):
        if match[1] in _NAMES or registry.has(match[1]):
            yield match


def _outside(at: int, calls: Sequence[FoundCall]) -> bool:
    for found in calls:
        span = found.call.frame if found.call.frame is not None else found.call.span
        if span.start <= at < span.end:
            return False
    return True
