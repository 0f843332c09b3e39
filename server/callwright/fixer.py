"""The fixer: fixes applied until none is left that applies.

Owns: which fixes go together and when to stop. Must not know: rules, files, protocols.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from callwright.linter import diagnostics
from callwright.rules.base import Applicability, Severity
from callwright.text.span import Edit, Span

if TYPE_CHECKING:
    from callwright.analysis.snapshot import Snapshot
    from callwright.rules.base import Diagnostic, Fix

#: How often a document is checked again after fixes; more rounds than this no chain of faults needs.
ROUNDS = 50
#: How many fixes of a round that does not help are tried alone.
ALONE = 100
#: The rules `missing-closer` and `unmatched-quote`.
_OPEN = frozenset({"TC202", "TC204"})
_LINE_END = re.compile(r"[\r\n]")


def fix_all(snapshot: Snapshot, *, unsafe: bool = False) -> tuple[str, list[Diagnostic]]:
    """Return the document's text with its fixes applied, and the findings they mended.

    Only safe fixes are applied, with `unsafe` guesses too. Fixes that touch the same text wait for the next round. What
    does not leave fewer errors, or as many and fewer findings, is not taken, so that the rounds come to an end.
    """
    fixed: list[Diagnostic] = []
    current = snapshot
    findings = diagnostics(current)
    for _ in range(ROUNDS):
        chosen = _choose(current, findings if unsafe else _trusted(current, findings), unsafe=unsafe)
        if not chosen:
            break
        attempt = _apply(current, chosen)
        after = diagnostics(attempt)
        if not _weight(after) < _weight(findings):
            chosen = [each for each in chosen[:ALONE] if _weight(_after(current, [each])) < _weight(findings)]
            after = _after(current, chosen)
            if not _weight(after) < _weight(findings):
                # Each helps alone and not all together: one of them in this round.
                chosen = chosen[:1]
            if not chosen:
                break
            attempt = _apply(current, chosen)
            after = diagnostics(attempt)
        fixed += [diagnostic for diagnostic, _ in chosen]
        current, findings = attempt, after
    return current.document.text(), fixed


def _trusted(snapshot: Snapshot, findings: list[Diagnostic]) -> list[Diagnostic]:
    """Return the findings that do not rest on a guess about one in front of them.

    Where JSON does not end and nobody can say where it should, the rest of the line may be text in one of its strings.
    """
    text = ""
    trusted: list[Diagnostic] = []
    doubtful = Span(0, 0)
    for each in findings:
        if doubtful.start < each.span.start <= doubtful.end:
            continue
        trusted.append(each)
        if each.code in _OPEN and not any(fix.is_safe for fix in each.fixes):
            text = text or snapshot.document.text()
            line = _LINE_END.search(text, each.span.end)
            doubtful = Span(each.span.end, line.start() if line is not None else len(text))
    return trusted


def _after(snapshot: Snapshot, chosen: list[tuple[Diagnostic, Fix]]) -> list[Diagnostic]:
    return diagnostics(_apply(snapshot, chosen))


def _weight(findings: list[Diagnostic]) -> tuple[int, int]:
    """Return how bad findings are: how many errors, and how many findings at all."""
    return sum(1 for diagnostic in findings if diagnostic.severity is Severity.ERROR), len(findings)


def _choose(snapshot: Snapshot, findings: list[Diagnostic], *, unsafe: bool) -> list[tuple[Diagnostic, Fix]]:
    """Return fixes that do not touch each other, the first finding's first.

    Of several that give one name to different parts of a call none is chosen: nobody knows which of them is meant.
    """
    candidates = _candidates(findings, unsafe=unsafe)
    clashing = _clashing(snapshot, [fix for _, fix in candidates])
    return [pair for pair in candidates if id(pair[1]) not in clashing]


def _clashing(snapshot: Snapshot, fixes: list[Fix]) -> set[int]:
    """Return which fixes, by their identity, write the same new name into one call in place of different names."""
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


def _candidates(findings: list[Diagnostic], *, unsafe: bool) -> list[tuple[Diagnostic, Fix]]:
    chosen: list[tuple[Diagnostic, Fix]] = []
    taken: list[Span] = []  # in order, none of which touches another
    for diagnostic in findings:
        fix = next((fix for fix in diagnostic.fixes if _allowed(fix, unsafe=unsafe)), None)
        if fix is None or not fix.edits:
            continue
        hull = Span(min(edit.span.start for edit in fix.edits), max(edit.span.end for edit in fix.edits))
        place = bisect_left(taken, hull)
        if any(hull.touches(other) for other in taken[max(place - 1, 0) : place + 1]):
            continue
        taken.insert(place, hull)
        chosen.append((diagnostic, fix))
    return chosen


def _allowed(fix: Fix, *, unsafe: bool) -> bool:
    return fix.is_safe or (unsafe and fix.applicability is Applicability.UNSAFE)


def _apply(snapshot: Snapshot, chosen: list[tuple[Diagnostic, Fix]]) -> Snapshot:
    # From the end of the text to its beginning, so that no edit moves the place of one that follows.
    edits = sorted((edit for _, fix in chosen for edit in fix.edits), key=lambda edit: edit.span, reverse=True)
    return snapshot.edit([Edit(span, text) for span, text in edits])
