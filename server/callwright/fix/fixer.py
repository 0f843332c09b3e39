"""The fixer: applies fixes until no more can be applied.

Owns: which fixes can be combined and when to stop: `fix_all`, and `rounds` with each step. Must not know: rules, files,
protocols.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from callwright.fix.disputes import disputes
from callwright.lint.linter import diagnostics
from callwright.rules.base import Applicability, Severity
from callwright.text.records import NamedTuple
from callwright.text.span import AfterEdits, Edit, Span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from callwright.calls.protocol import Disagreement
    from callwright.document.blocks import PlacedCall
    from callwright.document.snapshot import Snapshot
    from callwright.rules.base import Diagnostic, Fix

#: How often a document is checked again after fixes; no chain of faults needs more rounds.
ROUNDS = 50
#: How many fixes of an unsuccessful round are tried one by one.
ALONE = 100
#: The rules `missing-closer` and `unmatched-quote`.
_OPEN = frozenset({"TC202", "TC204"})
_LINE_END = re.compile(r"[\r\n]")


def why_not_applied(diagnostic: Diagnostic, dispute: Disagreement) -> str:
    """Return the reason why a fix is not applied, because lxml reads the fixed call differently; a clause."""
    return f"a fix for {diagnostic.code} ({diagnostic.name}) is not applied, because with it {dispute}"


class Round(NamedTuple):
    """One step of fixing: the document before it, the fixes that were applied together, and the document after it."""

    before: Snapshot
    chosen: Sequence[tuple[Diagnostic, Fix]]
    after: Snapshot


def fix_all(
    snapshot: Snapshot,
    *,
    unsafe: bool = False,
    refused: Callable[[Diagnostic, Disagreement], None] | None = None,
) -> tuple[str, list[Diagnostic]]:
    """Return the document's text with its fixes applied, and the diagnostics that they fixed.

    Only safe fixes are applied, with `unsafe` guesses too. A fix after which lxml reads a call in XML differently is
    not applied, and `refused` is called with it.
    """
    fixed: list[Diagnostic] = []
    current = snapshot
    for each in rounds(snapshot, unsafe=unsafe, refused=refused):
        fixed += [diagnostic for diagnostic, _ in each.chosen]
        current = each.after
    return current.document.text(), fixed


def rounds(
    snapshot: Snapshot,
    *,
    unsafe: bool = False,
    refused: Callable[[Diagnostic, Disagreement], None] | None = None,
) -> Iterator[Round]:
    """Yield the rounds in which a document is fixed; the parameters are those of `fix_all`.

    Fixes that touch the same text wait for the next round. Fixes that do not leave fewer errors, or as many errors and
    fewer diagnostics, are not applied, so the rounds come to an end; nor are fixes that change a call that no edit
    touches.
    """
    current = snapshot
    found_diagnostics = diagnostics(current)
    disputed: dict[tuple[str, Span], Disagreement] = {}
    for _ in range(ROUNDS):
        chosen = _choose(current, found_diagnostics if unsafe else _trusted(current, found_diagnostics), unsafe=unsafe)
        chosen, attempt = _undisputed(current, chosen, disputed, refused)
        taken = _taken(current, found_diagnostics, chosen, attempt)
        if taken is None:
            chosen = [each for each in chosen[:ALONE] if _taken(current, found_diagnostics, [each]) is not None]
            taken = _taken(current, found_diagnostics, chosen)
            if taken is None:
                # Each fix helps alone but not all together: apply one of them in this round.
                chosen = chosen[:1]
            chosen, attempt = _undisputed(current, chosen, disputed, refused)
            taken = _taken(current, found_diagnostics, chosen, attempt)
        if taken is None:
            break
        attempt, after = taken
        disputed = _moved(disputed, _edits(chosen))
        yield Round(current, chosen, attempt)
        current, found_diagnostics = attempt, after


def _trusted(snapshot: Snapshot, found_diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    """Return the diagnostics that do not depend on a guess about an earlier one.

    Where JSON is not closed and its end is uncertain, the rest of the line may be text in one of its strings.
    """
    text = ""
    trusted: list[Diagnostic] = []
    uncertain = Span(0, 0)
    for each in found_diagnostics:
        if uncertain.start < each.span.start <= uncertain.end:
            continue
        trusted.append(each)
        if each.code in _OPEN and not any(fix.is_safe for fix in each.fixes):
            text = text or snapshot.document.text()
            line = _LINE_END.search(text, each.span.end)
            uncertain = Span(each.span.end, line.start() if line is not None else len(text))
    return trusted


def _taken(
    snapshot: Snapshot,
    found_diagnostics: list[Diagnostic],
    chosen: Sequence[tuple[Diagnostic, Fix]],
    attempt: Snapshot | None = None,
) -> tuple[Snapshot, list[Diagnostic]] | None:
    """Return the document after fixes and its diagnostics, None where the fixes do not help or change another call.

    `attempt` is that document, if it is known already.
    """
    if not chosen:
        return None
    edits = _edits(chosen)
    attempt = _apply(snapshot, edits) if attempt is None else attempt
    after = diagnostics(attempt)
    return (
        (attempt, after)
        if _weight(after) < _weight(found_diagnostics) and _keeps_calls(snapshot, edits, attempt)
        else None
    )


def _keeps_calls(before: Snapshot, edits: Sequence[Edit], after: Snapshot) -> bool:
    """Return whether each call that no edit touches, nor a call around it, is still read at its place.

    `edits` are in the order of the text. A call is identified by its tool's name, since an edit may write the markers
    around it.
    """
    ends = [edit.span.end for edit in edits]
    moved = AfterEdits(edits)
    # Calls are in order, outer ones first: calls inside the last touched one are part of it.
    touched = Span(0, 0)
    kept: list[tuple[Span, str | None]] = []
    for placed in sorted(before.placed_calls(), key=lambda placed: (placed.span.start, -placed.span.end)):
        span = placed.span
        first = bisect_left(ends, span.start)
        if first < len(edits) and edits[first].span.touches(span):
            touched = span if span.end > touched.end else touched
        elif not touched.covers(span):
            name = _name_of(placed)
            kept.append((name.shift(moved.place(name.start) - name.start), placed.call.tool))
    if not kept:
        return True
    there = {(_name_of(placed), placed.call.tool) for placed in after.placed_calls()}
    return there.issuperset(kept)


def _name_of(placed: PlacedCall) -> Span:
    """Return the span of the name of a call's tool in its document."""
    return placed.raw_span(placed.call.tool_span)


def _weight(found_diagnostics: list[Diagnostic]) -> tuple[int, int]:
    """Return the weight of diagnostics: the number of errors, and of all diagnostics."""
    return sum(1 for diagnostic in found_diagnostics if diagnostic.severity is Severity.ERROR), len(found_diagnostics)


def _choose(snapshot: Snapshot, found_diagnostics: list[Diagnostic], *, unsafe: bool) -> list[tuple[Diagnostic, Fix]]:
    """Return fixes that do not touch each other, the first diagnostic's first.

    Of several fixes that give one name to different parts of a call none is chosen, even if they do not touch: the text
    does not show which is meant.
    """
    allowed = _allowed_ones(found_diagnostics, unsafe=unsafe)
    clashing = _clashing(snapshot, [fix for _, fix in allowed])
    return _apart([pair for pair in allowed if id(pair[1]) not in clashing])


def _clashing(snapshot: Snapshot, fixes: list[Fix]) -> set[int]:
    """Return the identities of fixes that write the same new name into one call in place of different names."""
    renaming = [fix for fix in fixes if fix.renamed is not None]
    if len(renaming) < 2:
        return set()
    places = [placed.span for placed in snapshot.placed_calls()]
    starts = [place.start for place in places]
    document = snapshot.document
    targets: dict[tuple[int, str], dict[str, list[int]]] = {}
    for fix in renaming:
        span = fix.edits[0].span
        number = bisect_right(starts, span.start) - 1
        if number >= 0 and places[number].covers(span):
            olds = targets.setdefault((number, str(fix.renamed)), {})
            olds.setdefault(document.slice(*span), []).append(id(fix))
    return {one for olds in targets.values() if len(olds) > 1 for same in olds.values() for one in same}


def _allowed_ones(found_diagnostics: list[Diagnostic], *, unsafe: bool) -> list[tuple[Diagnostic, Fix]]:
    """Return the first fix of each diagnostic that may be applied."""
    found = (
        (each, next((fix for fix in each.fixes if _allowed(fix, unsafe=unsafe)), None)) for each in found_diagnostics
    )
    return [(each, fix) for each, fix in found if fix is not None and fix.edits]


def _apart(allowed: list[tuple[Diagnostic, Fix]]) -> list[tuple[Diagnostic, Fix]]:
    """Return the fixes that touch no earlier one."""
    chosen: list[tuple[Diagnostic, Fix]] = []
    taken: list[Span] = []  # in order, without touching each other
    for diagnostic, fix in allowed:
        hull = Span(min(edit.span.start for edit in fix.edits), max(edit.span.end for edit in fix.edits))
        place = bisect_left(taken, hull)
        if any(hull.touches(other) for other in taken[max(place - 1, 0) : place + 1]):
            continue
        taken.insert(place, hull)
        chosen.append((diagnostic, fix))
    return chosen


def _allowed(fix: Fix, *, unsafe: bool) -> bool:
    return fix.is_safe or (unsafe and fix.applicability is Applicability.UNSAFE)


def _undisputed(
    snapshot: Snapshot,
    chosen: list[tuple[Diagnostic, Fix]],
    disputed: dict[tuple[str, Span], Disagreement],
    refused: Callable[[Diagnostic, Disagreement], None] | None,
) -> tuple[list[tuple[Diagnostic, Fix]], Snapshot]:
    """Return the fixes without those that lead to a call that lxml reads differently, and the text with them
    applied.
    """
    while chosen:
        edits = _edits(chosen)
        attempt = _apply(snapshot, edits)
        places = AfterEdits(edits).written()
        against = dict(disputes(attempt, places))
        if not against:
            return chosen, attempt
        after = dict(zip(edits, places, strict=True))
        kept: list[tuple[Diagnostic, Fix]] = []
        for diagnostic, fix in chosen:
            spans = [after[edit] for edit in fix.edits]
            reason = next((why for call, why in against.items() if any(call.touches(span) for span in spans)), None)
            if reason is None:
                kept.append((diagnostic, fix))
            elif refused is not None and (diagnostic.code, diagnostic.span) not in disputed:
                disputed[diagnostic.code, diagnostic.span] = reason
                refused(diagnostic, reason)
        chosen = kept
    return [], snapshot


def _moved(
    disputed: dict[tuple[str, Span], Disagreement], edits: Sequence[Edit]
) -> dict[tuple[str, Span], Disagreement]:
    """Return disputed spans at their places after edits, which are in the order of the text."""
    moved = AfterEdits(edits)
    return {
        (code, span.shift(moved.place(span.start, pushed=True) - span.start)): dispute
        for (code, span), dispute in disputed.items()
    }


def _edits(chosen: Sequence[tuple[Diagnostic, Fix]]) -> list[Edit]:
    return sorted((edit for _, fix in chosen for edit in fix.edits), key=lambda edit: edit.span)


def _apply(snapshot: Snapshot, edits: Sequence[Edit]) -> Snapshot:
    # From the end of the text to its beginning, so that no edit moves a later one.
    return snapshot.edit(sorted(edits, key=lambda edit: edit.span, reverse=True))
