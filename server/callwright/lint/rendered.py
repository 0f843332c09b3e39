"""The diagnostics of a chat template that was rendered, while its text is edited.

Owns: `settled`, `after_edit`, `after_rewrite`. Must not know: how templates are rendered, who edits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from callwright.lint.placing import moved
from callwright.rules.base import SETTLED, Diagnostic
from callwright.text.span import AfterEdits, Edit, Span, equal_ends


def settled(diagnostic: Diagnostic) -> Diagnostic:
    """Return a diagnostic with its fixes computed, which needs no proof any more."""
    missing = diagnostic.missing_fixes
    return replace(diagnostic, _fixes=diagnostic.fixes, source=SETTLED, missing=lambda: missing)


def after_edit(diagnostics: Sequence[Diagnostic], edit: Edit) -> tuple[Diagnostic, ...]:
    """Return settled diagnostics at their places after an edit.

    A diagnostic whose text the edit changes is left out, and so are fixes and related places that it touches.
    """
    where = partial(_after, AfterEdits([edit]))
    return tuple(moved(_kept(each, edit.span), where) for each in diagnostics if not _changes(edit.span, each.span))


def after_rewrite(diagnostics: Sequence[Diagnostic], before: str, after: str) -> tuple[Diagnostic, ...]:
    """Return settled diagnostics of one text at their places in another, to which one edit led."""
    start, end = equal_ends(before, after)
    edit = Edit(Span(start, len(before) - end), after[start : len(after) - end])
    return after_edit(diagnostics, edit) if before != after else tuple(diagnostics)


def _kept(diagnostic: Diagnostic, changed: Span) -> Diagnostic:
    fixes = tuple(fix for fix in diagnostic.fixes if not any(edit.span.touches(changed) for edit in fix.edits))
    related = tuple(each for each in diagnostic.related if not _changes(changed, each[0]))
    return replace(diagnostic, _fixes=fixes, related=related)


def _changes(changed: Span, span: Span) -> bool:
    """Return whether a change of one span changes the text of another, or where an empty one is."""
    return changed.overlaps(span) or (changed.touches(span) and span.start == span.end)


def _after(edits: AfterEdits, span: Span) -> Span:
    start = edits.place(span.start, pushed=True)
    return Span(start, max(start, edits.place(span.end)))
