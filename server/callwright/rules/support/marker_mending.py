"""Fixes of calls whose tags or markers are damaged: the one slip that explains the text, in place of guesses.

Owns: for which findings the search for the slip is made, and what becomes of the readers' own repairs. Must not know:
which slips are tried, any single rule.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from callwright.analysis.marker_repairs import MarkerRepair
from callwright.analysis.stray_marks import has_marks_outside
from callwright.rules.base import Applicability, Diagnostic, Fix, Severity
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.analysis.settings import Settings
    from callwright.analysis.snapshot import ReadPassage
    from callwright.calls.model import ToolCall
    from callwright.tools.registry import ToolRegistry

#: Codes of findings about tags, markers, sections and fences.
_MARKUP = "TC1"
#: Codes of findings about sound calls that are written in another way than they should be.
_REWRITES = ("TC401", "TC402")


def mended(
    found: list[Diagnostic], read: ReadPassage, registry: ToolRegistry, settings: Settings, *, unread: bool = False
) -> list[Diagnostic]:
    """Return a passage's findings with fixes that know of damaged marks; nothing is tried before one is asked for.

    `unread` says that something looks like a call that nobody reads: what it was meant to be changes what others are.
    """
    found = [_with_doubt(each, found, read) for each in found]
    if not unread and not any(is_about_marks(each) for each in found):
        return found
    names = [settings.dialect] if settings.dialect is not None else [each.call.dialect for each in read.calls]
    tools = [each.call.tool for each in read.calls if each.call.tool is not None]
    more_than = len(read.calls) if unread else None
    text = read.passage.text
    repair = MarkerRepair(text, [name for name in names if name], tools, registry, settings, more_than=more_than)
    return [_with_repair(each, repair, unread=unread) for each in found]


def _with_doubt(diagnostic: Diagnostic, found: list[Diagnostic], read: ReadPassage) -> Diagnostic:
    """Return a finding that would write a sound call in another way: not for certain where the call is at fault."""
    if diagnostic.code not in _REWRITES:
        return diagnostic
    places = [_place(each.call) for each in read.calls]
    own = next((place for place in places if place.touches(diagnostic.span)), diagnostic.span)
    if has_marks_outside(read.passage.text, read.calls):
        return _unsure(diagnostic)
    others = (each for each in found if each.severity is Severity.ERROR and each.code not in _REWRITES)
    return _unsure(diagnostic) if any(each.span.touches(own) for each in others) else diagnostic


def _place(call: ToolCall) -> Span:
    span, frame = call.span, call.frame
    return span if frame is None else Span(min(span.start, frame.start), max(span.end, frame.end))


def _unsure(diagnostic: Diagnostic) -> Diagnostic:
    def fixes() -> Iterator[Fix]:
        for fix in diagnostic.fixes:
            yield replace(fix, applicability=Applicability.UNSAFE) if fix.is_safe else fix

    return replace(diagnostic, _fixes=fixes)


def is_about_marks(diagnostic: Diagnostic) -> bool:
    """Tell whether a finding says that a tag, marker, section or fence is at fault."""
    return diagnostic.code.startswith(_MARKUP) and diagnostic.severity in (Severity.ERROR, Severity.WARNING)


def _with_repair(diagnostic: Diagnostic, repair: MarkerRepair, *, unread: bool) -> Diagnostic:
    def fixes() -> Iterator[Fix]:
        own = diagnostic.fixes
        sole = repair.sole
        if sole is None and not unread and not repair.doubtful:
            yield from own
            return
        if sole is not None and is_about_marks(diagnostic):
            yield Fix(sole.title, sole.edits)
        for fix in own:
            if sole is None or fix.edits != sole.edits:
                yield replace(fix, applicability=Applicability.UNSAFE) if fix.is_safe else fix

    return replace(diagnostic, _fixes=fixes)
