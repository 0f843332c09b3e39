"""The pass over a chat template that is rendered: its probes, and what the rules say of them.

Owns: `chat_template_diagnostics`, `proved_diagnostics`, `in_file`, `fixed_template`. Must not know: how templates are
rendered, the disk.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from callwright.lint.placing import diagnostic_order, projected, source_of
from callwright.lint.reporting import apply_severity
from callwright.rules.base import SETTLED, Applicability, Diagnostic, Fix, MissingFix, Scope, Severity
from callwright.rules.catalogue import rules_of
from callwright.text.budget import yield_point
from callwright.text.span import apply_edits

if TYPE_CHECKING:
    from callwright.chat_templates.files import NamedTemplate
    from callwright.chat_templates.proof import Proof
    from callwright.document.settings import Settings


def chat_template_diagnostics(proof: Proof, settings: Settings) -> list[Diagnostic]:
    """Return the diagnostics of a chat template, in offsets of its source."""
    source = source_of(proof.source)
    found: list[Diagnostic] = []
    for rule in rules_of(Scope.CHAT_TEMPLATE):
        yield_point()
        for diagnostic in rule.check(proof):
            found += apply_severity(diagnostic, rule, settings, source)
    return sorted(found, key=diagnostic_order)


def proved_diagnostics(proof: Proof, settings: Settings, prove: Callable[[str], Proof]) -> list[Diagnostic]:
    """Return the diagnostics of a chat template with those of their fixes that hold, as `fixed_template` has it.

    `prove` tries each of them alone. One that does not hold is a missing fix, with the reason.
    """
    found = chat_template_diagnostics(proof, settings)

    @cache
    def after(source: str) -> tuple[Proof, list[Diagnostic]]:
        attempt = prove(source)
        return attempt, chat_template_diagnostics(attempt, settings)

    def tried(diagnostic: Diagnostic) -> Diagnostic:
        held, missing = [], [*diagnostic.missing_fixes]
        for fix in diagnostic.fixes:
            if fix.applicability is Applicability.DISPLAY:
                held.append(fix)
                continue
            objection = _objection(diagnostic, found, *after(apply_edits(proof.source, fix.edits)))
            if objection:
                missing.append(MissingFix(fix.title, objection))
            else:
                held.append(fix)
        return replace(diagnostic, _fixes=tuple(held), source=SETTLED, missing=lambda: missing)

    return [tried(each) if each.fixes else each for each in found]


def diagnostics_in_file(template: NamedTemplate, proof: Proof, settings: Settings) -> list[Diagnostic]:
    """Return the diagnostics of a template in offsets of the file that contains it."""
    return in_file(template, chat_template_diagnostics(proof, settings))


def in_file(template: NamedTemplate, diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return diagnostics of a template in offsets of the file that contains it."""
    return [projected(each, template.projection) for each in diagnostics]


def _objection(diagnostic: Diagnostic, before: Sequence[Diagnostic], proof: Proof, after: Sequence[Diagnostic]) -> str:
    """Return why a fix of a diagnostic does not hold, as a clause; empty where it does.

    `proof` and `after` are those of the template with the fix.
    """
    failed = (proof.failed, *(each.failed for each in proof.tried))
    if any(each is not None and each.kind == "time" for each in failed):
        return "the template with it takes too long to be tried"
    before_count, after_count = Counter(each.code for each in before), Counter(each.code for each in after)
    if after_count[diagnostic.code] >= before_count[diagnostic.code]:
        return "the template with it still has this diagnostic"
    more = after_count - before_count
    new = (each for each in after if each.code in more and each.severity in (Severity.ERROR, Severity.WARNING))
    return next((f"the template with it has a new diagnostic, `{each.name}`" for each in new), "")


def fixed_template(
    proof: Proof, settings: Settings, prove: Callable[[str], Proof], *, unsafe: bool = False
) -> tuple[Proof, list[tuple[Diagnostic, Fix]]]:
    """Return the proof of a template with the fixes applied that hold, and these fixes with their diagnostics.

    A fix holds where the template with it has one diagnostic less of its rule, and no other error or warning more:
    `prove` tries each of them. With `unsafe`, unsafe fixes are tried, too.
    """
    applied: list[tuple[Diagnostic, Fix]] = []
    found = chat_template_diagnostics(proof, settings)
    refused: set[tuple[str, str, int]] = set()
    while (chosen := _next_fix(found, refused, unsafe=unsafe)) is not None:
        diagnostic, fix = chosen
        attempt = prove(apply_edits(proof.source, fix.edits))
        after = chat_template_diagnostics(attempt, settings)
        if not _objection(diagnostic, found, attempt, after):
            proof, found = attempt, after
            applied.append(chosen)
            # What failed hid others; each may hold now.
            refused.clear()
        else:
            refused.add((diagnostic.code, fix.title, diagnostic.span.start))
    return proof, applied


def _next_fix(
    found: Iterable[Diagnostic], refused: Collection[tuple[str, str, int]], *, unsafe: bool
) -> tuple[Diagnostic, Fix] | None:
    """Return the first fix that may be applied and was not refused."""
    for diagnostic in found:
        fix = diagnostic.fix
        if fix is None or (diagnostic.code, fix.title, diagnostic.span.start) in refused:
            continue
        if fix.is_safe or (unsafe and fix.applicability is Applicability.UNSAFE):
            return diagnostic, fix
    return None
