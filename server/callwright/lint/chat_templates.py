"""The pass over a chat template that is rendered: its probes, and what the rules say of them.

Owns: `chat_template_diagnostics`. Must not know: how templates are rendered, files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from callwright.lint.placing import diagnostic_order, source_of
from callwright.lint.reporting import apply_severity
from callwright.rules.base import Diagnostic, Scope
from callwright.rules.catalogue import rules_of

if TYPE_CHECKING:
    from callwright.chat_templates.proof import Proof
    from callwright.document.settings import Settings


def chat_template_diagnostics(proof: Proof, settings: Settings) -> list[Diagnostic]:
    """Return the diagnostics of a chat template, in offsets of its source."""
    source = source_of(proof.source)
    found = [
        each
        for rule in rules_of(Scope.CHAT_TEMPLATE)
        for diagnostic in rule.check(proof)
        for each in apply_severity(diagnostic, rule, settings, source)
    ]
    return sorted(found, key=diagnostic_order)
