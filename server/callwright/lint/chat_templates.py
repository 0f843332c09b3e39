"""The pass over a chat template that is rendered: its probes, and what the rules say of them.

Owns: `chat_template_diagnostics`, `diagnostics_in_file`, `fixed_template`. Must not know: how templates are rendered,
the disk.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING

from callwright.lint.placing import diagnostic_order, projected, source_of
from callwright.lint.reporting import apply_severity
from callwright.rules.base import Applicability, Diagnostic, Fix, Scope, Severity
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


def diagnostics_in_file(template: NamedTemplate, proof: Proof, settings: Settings) -> list[Diagnostic]:
    """Return the diagnostics of a template in offsets of the file that contains it."""
    return [projected(each, template.projection) for each in chat_template_diagnostics(proof, settings)]


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
        before_count, after_count = Counter(each.code for each in found), Counter(each.code for each in after)
        new = after_count - before_count
        if after_count[diagnostic.code] < before_count[diagnostic.code] and not any(
            each.code in new for each in after if each.severity in (Severity.ERROR, Severity.WARNING)
        ):
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
