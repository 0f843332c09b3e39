"""Fixes of calls whose tags or markers are damaged: the one correction that explains the text, in place of guesses.

Owns: for which diagnostics a correction is searched, and what becomes of the readers' own repairs. Must not know: which
corrections are tried, any single rule.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import TYPE_CHECKING

from callwright.recovery.marker_repairs import MarkerRepair
from callwright.recovery.unmatched_markers import has_markers_outside
from callwright.rules.base import Diagnostic, ErrorType, Fix, Severity
from callwright.syntax.prose import line_start
from callwright.text.line_ends import LINE_START
from callwright.text.records import replace
from callwright.text.span import Edit, Span
from callwright.text.words import quoted

if TYPE_CHECKING:
    from callwright.document.blocks import ReadPassage
    from callwright.document.settings import Settings
    from callwright.tools.registry import ToolRegistry

#: Codes of diagnostics about tags, markers, sections and fences.
_MARKUP = "TC1"
#: Codes of diagnostics about valid calls in a wrong dialect or form.
_REWRITES = ("TC401", "TC402")
#: Rules whose diagnostics are caused by markers at other places.
_OTHER_CLOSER = "TC102"
_UNMATCHED_CLOSER = "TC103"
_UNCLOSED_FENCE = "TC113"
_OTHER_DIALECT = "TC401"
#: How long a reply may be for its error to be located before a fix is requested.
_MAX_SEARCHED_LENGTH = 2000
#: The rest of a damaged marker right before a call, and the rest of any marker.
_TRUNCATED_MARKER = re.compile(
    rf"(?:<[^\s<{{\[]{{1,80}}|(?<!\S)[^\s<{{\[]{{1,80}}>|{LINE_START}[`~']{{1,2}}\w*)\s{{0,20}}\Z", re.MULTILINE
)
_BEFORE = re.compile(r"(?<!\S)[^\s{}\[\].,:;]{1,60}\s{0,20}\Z")
_LEAD = 100


def with_marker_fixes(
    found: list[Diagnostic], read: ReadPassage, registry: ToolRegistry, settings: Settings, *, unread: bool = False
) -> list[Diagnostic]:
    """Return the diagnostics of a whole reply with fixes for damaged markers; the search runs when a fix is requested.

    `unread` says that something looks like a call and is not read as one: its meaning may change that of the others.
    """
    calls = _Calls(read, whole=True)
    unmatched = has_markers_outside(read.passage.text, read.calls)
    found = list(calls.suspect_diagnostics(found, unmatched=unmatched))
    if not unread and not any(is_about_markers(each) for each in found):
        return found
    names = [settings.dialect] if settings.dialect is not None else [each.call.dialect for each in read.calls]
    tools = [each.call.tool for each in read.calls if each.call.tool is not None]
    more_than = len(read.calls) if unread else None
    text = read.passage.text
    repair = MarkerRepair(text, [name for name in names if name], tools, registry, settings, more_than=more_than)
    known = [_with_repair(each, repair, unread=unread) for each in found]
    return calls.at_lost_openers(_at_syntax_error(known, repair))


def with_marker_fixes_by_call(
    found: list[Diagnostic], read: ReadPassage, registry: ToolRegistry, settings: Settings
) -> list[Diagnostic]:
    """Return the diagnostics of a part of a text with fixes for damaged markers, each call by itself.

    The result for a call depends on its own characters and on those before it on its line: a document that is read
    again in part, and a stream, must give the same result as the whole.
    """
    calls = _Calls(read)
    repairs: dict[int, MarkerRepair] = {}
    known: list[Diagnostic] = []
    for diagnostic in calls.suspect_diagnostics(found, unmatched=False):
        owner = calls.owner(diagnostic.span) if is_about_markers(diagnostic) else None
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
        """Return the number of the call that contains a span, None where none does."""
        index = bisect_right(self._starts, span.start) - 1
        return index if index >= 0 and self._places[index].covers(span) else None

    def region(self, number: int) -> Span:
        """Return the span of a call's text, with the characters before it that show whether it is first on its line."""
        start, end = self._places[number]
        line = line_start(self._text, start)
        before = self._text[line:start].rstrip(" \t>")
        return Span(line if not before else line + len(before) - 1, end)

    def suspect_diagnostics(self, found: list[Diagnostic], *, unmatched: bool) -> Iterator[Diagnostic]:
        """Yield diagnostics; a fix that would rewrite a call in another form is a guess where the call itself is
        invalid.

        `unmatched` says that there are markers outside of all calls, which may belong to one.
        """
        at_fault: set[int | None] = set()
        lost = {self.owner(each.span) for each in found if each.code == _UNMATCHED_CLOSER} - {None}
        if any(each.code in _REWRITES for each in found):
            others = (each for each in found if each.severity is Severity.ERROR and each.code not in _REWRITES)
            at_fault = {self.owner(each.span) for each in others} - {None}
        for found_one in found:
            is_truncated = self._whole and found_one.code == _OTHER_DIALECT
            each = self._with_marker(found_one) if is_truncated else found_one
            # Where engines differ about a reply, an unrecognized marker may be the reason.
            uncertain = each.code in _REWRITES and (unmatched or self.owner(each.span) in at_fault)
            uncertain = uncertain or (each.code == "TC402" and self._whole)
            # Where a closer closes nothing, an opener may be missing: other closers may be right.
            uncertain = uncertain or (each.code == _OTHER_CLOSER and self.owner(each.span) in lost)
            yield _uncertain(each) if uncertain else each

    def _with_marker(self, diagnostic: Diagnostic) -> Diagnostic:
        """Return a diagnostic about a call's dialect, extended over the rest of a damaged marker before the call.

        Before a bare object is where a marker should be. The closer of the previous call does not count.
        """
        owner = self.owner(diagnostic.span)
        start = self._places[owner].start if owner is not None else diagnostic.span.start
        before = self._places[owner - 1].end if owner else 0
        marker = _TRUNCATED_MARKER.search(self._text, max(before, start - _LEAD), start)
        if marker is None and self._text[start : start + 1] not in ("{", "["):
            return diagnostic
        first = start if marker is None else marker.start()
        near = diagnostic.span.start - first <= _LEAD
        return replace(diagnostic, span=Span(first, diagnostic.span.end)) if near else diagnostic

    def at_lost_openers(self, found: list[Diagnostic]) -> list[Diagnostic]:
        """Return diagnostics in which an unmatched closer is reported where its opener should be.

        That is before the bare object of a call that the closer directly follows. A diagnostic about the dialect of
        such a call has the same cause and is dropped.
        """
        lost: dict[int, Diagnostic] = {}
        for each in found:
            owner = self._closed_by(each) if each.code == _UNMATCHED_CLOSER else None
            if owner is not None:
                lost.setdefault(owner, each)
        if not lost:
            return found
        known = [each for each in found if each.code != _OTHER_DIALECT or self.owner(each.span) not in lost]
        return [self._at_opener(each, lost) for each in known]

    def _closed_by(self, diagnostic: Diagnostic) -> int | None:
        index = bisect_right(self._starts, diagnostic.span.start) - 1
        if index < 0:
            return None
        place, text = self._places[index], self._text
        if diagnostic.span.start < place.end or text[place.start] not in "{[":
            return None
        return index if not text[place.end : diagnostic.span.start].strip() else None

    def _at_opener(self, diagnostic: Diagnostic, lost: dict[int, Diagnostic]) -> Diagnostic:
        owner = next((number for number, each in lost.items() if each is diagnostic), None)
        if owner is None:
            return diagnostic
        start = self._places[owner].start
        truncated = _BEFORE.search(self._text, max(0, start - _LEAD), start)
        span = Span(truncated.start() if truncated is not None else start, start + 1)
        closer = quoted(diagnostic.span.of(self._text), 60)
        message = f"Unmatched {closer} after this call. Write its opener before the call, or remove it."
        return replace(diagnostic, span=span, message=message, related=((diagnostic.span, "closes nothing"),))


def _at_syntax_error(found: list[Diagnostic], repair: MarkerRepair) -> list[Diagnostic]:
    """Return the diagnostics at the one error that explains them all, if it is known.

    Reports at other places are no faults of their own: once the error is fixed, nothing is wrong.
    """
    reported = [each for each in found if each.severity in (Severity.ERROR, Severity.WARNING)]
    first = min(reported, key=lambda each: each.span, default=None)
    if first is None or len(repair.text) > _MAX_SEARCHED_LENGTH or not _is_echo(first) or repair.sole is None:
        return found
    sole = repair.sole
    syntax_error = _seen(repair.text, Span(sole.edits[0].span.start, sole.edits[-1].span.end))
    if first.span.touches(syntax_error) or not any(map(is_about_markers, reported)):
        return found
    kept = [
        each
        for each in found
        if not _is_echo(each) or each.span.start >= syntax_error.start or each.span.touches(syntax_error)
    ]
    if any(is_about_markers(each) and each.span.touches(syntax_error) for each in kept):
        return kept
    marked = next(each for each in reported if is_about_markers(each))
    message = f"A marker of the call is damaged or missing here, so the rest cannot be parsed. {sole.title}."
    related = (*marked.related, (marked.span, marked.message))
    moved = replace(marked, span=syntax_error, message=message, related=related)
    return [moved, *(each for each in kept if each is not marked)]


def _is_echo(diagnostic: Diagnostic) -> bool:
    """Return whether a diagnostic may be caused only by a damaged marker elsewhere."""
    schema = diagnostic.error_type is ErrorType.SCHEMA_VALIDATION
    return schema or diagnostic.code in ("TC101", _UNMATCHED_CLOSER, _UNCLOSED_FENCE, _OTHER_DIALECT)


def _seen(text: str, syntax_error: Span) -> Span:
    """Return the span of a syntax error; an empty one is extended over the character after it, or else before it."""
    start, end = syntax_error
    if start < end:
        return syntax_error
    return Span(start, start + 1) if start < len(text) else Span(max(0, start - 1), start)


def _uncertain(diagnostic: Diagnostic) -> Diagnostic:
    def fixes() -> Iterator[Fix]:
        for fix in diagnostic.fixes:
            yield fix.as_guess()

    return replace(diagnostic, _fixes=fixes)


def is_about_markers(diagnostic: Diagnostic) -> bool:
    """Return whether a diagnostic says that a tag, marker, section or fence is invalid."""
    return diagnostic.code.startswith(_MARKUP) and diagnostic.severity in (Severity.ERROR, Severity.WARNING)


def _with_repair(diagnostic: Diagnostic, repair: MarkerRepair, *, unread: bool, by: int = 0) -> Diagnostic:
    """Return a diagnostic with the fix that the search found; the searched text begins at `by`."""

    def fixes() -> Iterator[Fix]:
        own = diagnostic.fixes
        sole = repair.sole
        if sole is None and not unread and not repair.uncertain:
            yield from own
            return
        edits = tuple(Edit(span.shift(by), text) for span, text in sole.edits) if sole is not None else ()
        if sole is not None and is_about_markers(diagnostic):
            yield Fix(sole.title, edits)
        for fix in own:
            if (
                sole is None
                and not unread
                and repair.is_sole(tuple(Edit(span.shift(-by), text) for span, text in fix.edits))
            ):
                yield fix
            elif sole is None or fix.edits != edits:
                yield fix.as_guess()

    return replace(diagnostic, _fixes=fixes)
