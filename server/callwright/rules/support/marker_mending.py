"""Fixes of calls whose tags or markers are damaged: the one slip that explains the text, in place of guesses.

Owns: for which findings the search for the slip is made, and what becomes of the readers' own repairs. Must not know:
which slips are tried, any single rule.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from callwright.analysis.marker_repairs import MarkerRepair
from callwright.analysis.stray_marks import has_marks_outside
from callwright.rules.base import Diagnostic, Fix, Severity
from callwright.syntax.prose import line_start
from callwright.text.span import Edit, Span

if TYPE_CHECKING:
    from callwright.analysis.settings import Settings
    from callwright.analysis.snapshot import ReadPassage
    from callwright.tools.registry import ToolRegistry

#: Codes of findings about tags, markers, sections and fences.
_MARKUP = "TC1"
#: Codes of findings about sound calls that are written in another way than they should be.
_REWRITES = ("TC401", "TC402")


def mended(
    found: list[Diagnostic], read: ReadPassage, registry: ToolRegistry, settings: Settings, *, unread: bool = False
) -> list[Diagnostic]:
    """Return the findings of a whole reply with fixes that know of damaged marks; nothing is tried before one is asked
    for.

    `unread` says that something looks like a call that nobody reads: what it was meant to be changes what others are.
    """
    calls = _Calls(read, whole=True)
    stray = has_marks_outside(read.passage.text, read.calls)
    found = list(calls.doubted(found, stray=stray))
    if not unread and not any(is_about_marks(each) for each in found):
        return found
    names = [settings.dialect] if settings.dialect is not None else [each.call.dialect for each in read.calls]
    tools = [each.call.tool for each in read.calls if each.call.tool is not None]
    more_than = len(read.calls) if unread else None
    text = read.passage.text
    repair = MarkerRepair(text, [name for name in names if name], tools, registry, settings, more_than=more_than)
    return [_with_repair(each, repair, unread=unread) for each in found]


def mended_by_call(
    found: list[Diagnostic], read: ReadPassage, registry: ToolRegistry, settings: Settings
) -> list[Diagnostic]:
    """Return the findings of a part of a text with fixes that know of damaged marks, each call taken by itself.

    What comes of a call depends on its own characters, and on what leads to it on its line: a document that is read
    again in part, and a stream, must come to what the whole comes to.
    """
    calls = _Calls(read)
    repairs: dict[int, MarkerRepair] = {}
    known: list[Diagnostic] = []
    for diagnostic in calls.doubted(found, stray=False):
        owner = calls.owner(diagnostic.span) if is_about_marks(diagnostic) else None
        if owner is None:
            known.append(diagnostic)
            continue
        start, end = calls.region(owner)
        call = calls.calls[owner]
        if owner not in repairs:
            dialect = settings.dialect if settings.dialect is not None else call.dialect
            tools = [call.tool] if call.tool is not None else []
            repairs[owner] = MarkerRepair(read.passage.text[start:end], [dialect], tools, registry, settings)
        known.append(_with_repair(diagnostic, repairs[owner], unread=False, by=start))
    return known


class _Calls:
    """The calls of a passage by their places."""

    def __init__(self, read: ReadPassage, *, whole: bool = False) -> None:
        self._text = read.passage.text
        self._whole = whole
        self.calls = sorted((each.call for each in read.calls), key=lambda call: call.span)
        self._places = [call.place for call in self.calls]
        self._starts = [place.start for place in self._places]

    def owner(self, span: Span) -> int | None:
        """Return the number of the call that a place lies in, None where it lies in none."""
        index = bisect_right(self._starts, span.start) - 1
        return index if index >= 0 and self._places[index].covers(span) else None

    def region(self, number: int) -> Span:
        """Return where the text of a call stands, with the characters before it that say whether it leads its line."""
        start, end = self._places[number]
        line = line_start(self._text, start)
        before = self._text[line:start].rstrip(" \t>")
        return Span(line if not before else line + len(before) - 1, end)

    def doubted(self, found: list[Diagnostic], *, stray: bool) -> Iterator[Diagnostic]:
        """Yield findings; one that would write a call in another way is a guess where the call itself is at fault.

        `stray` says that there are marks outside of all calls, which may belong to one.
        """
        at_fault: set[int | None] = set()
        if any(each.code in _REWRITES for each in found):
            others = (each for each in found if each.severity is Severity.ERROR and each.code not in _REWRITES)
            at_fault = {self.owner(each.span) for each in others} - {None}
        for each in found:
            # Where engines differ about a reply, a mark that nobody knows for one may be the reason.
            doubtful = each.code in _REWRITES and (stray or self.owner(each.span) in at_fault)
            doubtful = doubtful or (each.code == "TC402" and self._whole)
            yield _unsure(each) if doubtful else each


def _unsure(diagnostic: Diagnostic) -> Diagnostic:
    def fixes() -> Iterator[Fix]:
        for fix in diagnostic.fixes:
            yield fix.as_guess()

    return replace(diagnostic, _fixes=fixes)


def is_about_marks(diagnostic: Diagnostic) -> bool:
    """Tell whether a finding says that a tag, marker, section or fence is at fault."""
    return diagnostic.code.startswith(_MARKUP) and diagnostic.severity in (Severity.ERROR, Severity.WARNING)


def _with_repair(diagnostic: Diagnostic, repair: MarkerRepair, *, unread: bool, by: int = 0) -> Diagnostic:
    """Return a finding with the fix that the search came to; the searched text begins at `by`."""

    def fixes() -> Iterator[Fix]:
        own = diagnostic.fixes
        sole = repair.sole
        if sole is None and not unread and not repair.doubtful:
            yield from own
            return
        edits = tuple(Edit(span.shift(by), text) for span, text in sole.edits) if sole is not None else ()
        if sole is not None and is_about_marks(diagnostic):
            yield Fix(sole.title, edits)
        for fix in own:
            if sole is None or fix.edits != edits:
                yield fix.as_guess()

    return replace(diagnostic, _fixes=fixes)
