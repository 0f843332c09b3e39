"""The fixer: fixes applied until none is left that applies.

Owns: which fixes go together and when to stop. Must not know: rules, files, protocols.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from callwright.linter import diagnostics
from callwright.rules.base import Applicability, Severity
from callwright.text.span import Edit, Span

if TYPE_CHECKING:
    from callwright.analysis.snapshot import Snapshot
    from callwright.rules.base import Diagnostic, Fix

#: How often a document is checked again after fixes; more rounds than this no chain of faults needs.
ROUNDS = 20


def fix_all(snapshot: Snapshot, *, unsafe: bool = False) -> tuple[str, list[Diagnostic]]:
    """Return the document's text with its fixes applied, and the findings they mended.

    Only safe fixes are applied, with `unsafe` guesses too. Fixes that touch the same text wait for the next round. A
    round that would leave more errors than it found is not taken.
    """
    fixed: list[Diagnostic] = []
    seen = {snapshot.document.text()}
    current = snapshot
    findings = diagnostics(current)
    for _ in range(ROUNDS):
        chosen = _choose(findings, unsafe=unsafe)
        if not chosen:
            break
        attempt = _apply(current, [fix for _, fix in chosen])
        after = diagnostics(attempt)
        if _errors(after) > _errors(findings) or attempt.document.text() in seen:
            chosen = chosen[:1]
            attempt = _apply(current, [fix for _, fix in chosen])
            after = diagnostics(attempt)
            if _errors(after) > _errors(findings) or attempt.document.text() in seen:
                break
        seen.add(attempt.document.text())
        fixed += [diagnostic for diagnostic, _ in chosen]
        current, findings = attempt, after
    return current.document.text(), fixed


def _errors(findings: list[Diagnostic]) -> int:
    return sum(1 for diagnostic in findings if diagnostic.severity is Severity.ERROR)


def _choose(findings: list[Diagnostic], *, unsafe: bool) -> list[tuple[Diagnostic, Fix]]:
    """Return fixes that do not touch each other, the first finding's first."""
    chosen: list[tuple[Diagnostic, Fix]] = []
    taken: list[Span] = []
    for diagnostic in findings:
        fix = next((fix for fix in diagnostic.fixes if _allowed(fix, unsafe=unsafe)), None)
        if fix is None or not fix.edits:
            continue
        hull = Span(min(edit.span.start for edit in fix.edits), max(edit.span.end for edit in fix.edits))
        if any(hull.touches(other) for other in taken):
            continue
        taken.append(hull)
        chosen.append((diagnostic, fix))
    return chosen


def _allowed(fix: Fix, *, unsafe: bool) -> bool:
    return fix.is_safe or (unsafe and fix.applicability is Applicability.UNSAFE)


def _apply(snapshot: Snapshot, fixes: list[Fix]) -> Snapshot:
    # From the end of the text to its beginning, so that no edit moves the place of one that follows.
    edits = sorted((edit for fix in fixes for edit in fix.edits), key=lambda edit: edit.span, reverse=True)
    return snapshot.edit([Edit(span, text) for span, text in edits])
