"""Applying suppressions: the diagnostics that comments suppress, and diagnostics about the comments.

Owns: `apply_suppressions`. Must not know: where a document comes from.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from callwright.document.suppressions import suppressions_in
from callwright.lint.placing import diagnostic_order, source_without
from callwright.lint.reporting import report
from callwright.rules.catalogue import rule_codes
from callwright.text.records import replace

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot
    from callwright.document.unchanged import Rereading
    from callwright.rules.base import Diagnostic, Fix
    from callwright.text.span import Span


def apply_suppressions(
    snapshot: Snapshot, found: list[Diagnostic], subjects: Sequence[Span] | None = None
) -> list[Diagnostic]:
    """Return diagnostics without the suppressed ones, and with those about the comments themselves.

    `subjects` are what comments apply to where that is not a call.
    """
    suppressions = suppressions_in(snapshot)
    if not suppressions:
        return found
    from callwright.document.suppressing import Codes, settle

    settings = snapshot.settings
    codes = rule_codes()
    names: dict[str, list[str]] = {}
    for name, code in codes.items():
        names.setdefault(code, []).append(name)

    def is_off(code: str) -> bool:
        return settings.is_off(code, names[code][-1])

    kept, problems = settle(snapshot, found, suppressions, Codes(codes, is_off), subjects)
    # Words in comments for Callwright do not count as words of the author's text.
    source = source_without(
        snapshot, lambda: [each.projection.raw_span(each.removal).shift(at) for at, each in suppressions]
    )
    more = [each for problem in problems for each in report(problem, None, "", snapshot.registry, settings, source)]
    if snapshot.host.holds == "calls":
        _only_guess_where_more_changes(snapshot, more)
    return sorted(kept + more, key=diagnostic_order) if more else kept


def _only_guess_where_more_changes(snapshot: Snapshot, stated: Sequence[Diagnostic]) -> None:
    """Turn fixes of comments into guesses where other text would be read differently without the comment."""
    as_stated = [replace(each) for each in stated]

    @cache
    def rereading() -> Rereading:
        from callwright.document.unchanged import Rereading

        fixes = (fix for each in as_stated for fix in each.fixes if fix.is_safe)
        return Rereading(snapshot, lambda: [edit for fix in fixes for edit in fix.edits])

    def is_same(fix: Fix) -> bool:
        return rereading().is_same_after(fix.edits)

    for each in stated:
        each.downgrade_unless(is_same)
