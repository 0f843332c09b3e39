"""Runs rules and applies the configured severities to their diagnostics.

Owns: `report`, for a problem of a reader, and `check_call`. Must not know: kinds of documents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from callwright.lint.placing import source_of
from callwright.rules.base import Diagnostic, Rule, Scope, Severity, SyntaxSubject
from callwright.rules.catalogue import rules_for, rules_of, rules_of_sound_calls

if TYPE_CHECKING:
    from callwright.calls.model import ToolCall
    from callwright.document.settings import Settings
    from callwright.schema.binding import Binding
    from callwright.syntax.problem import Problem
    from callwright.text.span import Span
    from callwright.tools.registry import ToolRegistry

#: Problems after which the author's intention is unknown: schema errors there would only follow from them.
_LOSSY = frozenset(
    {"unmatched-quote", "not-json", "unexpected-text", "too-deep", "markup-too-deep", "truncated-tag"}
    | {"unterminated-cdata"}
)


def check_call(binding: Binding, settings: Settings, source: Callable[[Span], str]) -> Iterator[Diagnostic]:
    """Yield the diagnostics of the rules for a bound call."""
    lossy = any(
        problem.kind in _LOSSY or problem.data.get("by_truncation") or problem.data.get("truncated")
        for problem in binding.call.problems
    )
    for rule in rules_of_sound_calls() if binding.fits else rules_of(Scope.CALL):
        if lossy and rule.needs_whole_call:
            continue
        for diagnostic in rule.check(binding):
            yield from apply_severity(diagnostic, rule, settings, source)


def report(
    problem: Problem,
    call: ToolCall | None,
    text: str,
    registry: ToolRegistry,
    settings: Settings,
    source: Callable[[Span], str] | None = None,
    *,
    is_recorded: bool = False,
) -> Iterator[Diagnostic]:
    """Yield the diagnostics of the rules for a problem's kind; pass `source` where `text` is empty.

    `is_recorded` says that `text` is what a model wrote in a transcript.
    """
    source = source or (source_of(text) if text else None)
    for rule in rules_for(problem.kind):
        for diagnostic in rule.check(SyntaxSubject(problem, text, call, registry, settings, is_recorded)):
            yield from apply_severity(diagnostic, rule, settings, source)


def apply_severity(
    diagnostic: Diagnostic, rule: Rule, settings: Settings, source: Callable[[Span], str] | None
) -> Iterator[Diagnostic]:
    """Yield a diagnostic with the configured severity, or nothing if its rule is off.

    `source` returns the characters of a span of the checked text; None where the text is not available.
    """
    if settings.is_off(rule.code, rule.name):
        return
    diagnostic.source = source
    wanted = settings.severity_of(rule.code, rule.name) if settings.severity else None
    if wanted is not None:
        diagnostic.severity = Severity(wanted)
    elif settings.strict and diagnostic.severity is Severity.WARNING:
        diagnostic.severity = Severity.ERROR
    yield diagnostic
