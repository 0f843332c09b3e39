"""The rule `not-prefix-preserving`."""

from __future__ import annotations

from collections.abc import Iterator

from callwright.chat_templates.probes import FORMS
from callwright.chat_templates.proof import Proof
from callwright.rules.base import ChatTemplateRule, Diagnostic, Severity


class NotPrefixPreserving(ChatTemplateRule):
    """A chat template writes earlier messages in another way when the conversation continues.

    Why is this bad: what was rendered is not the beginning of what is rendered next: caches are lost, and training on the replies of a conversation marks the wrong tokens. Templates that leave old reasoning out do this on purpose.
    """

    code = "TC846"
    severity = Severity.INFO

    def check(self, subject: Proof) -> Iterator[Diagnostic]:
        """Yield a diagnostic at what is written otherwise."""
        for form in FORMS:
            shorter, longer = subject.get("result", form), subject.get("follow-up", form)
            if shorter is None or longer is None or shorter.rendered is None or longer.rendered is None:
                continue
            before, after = shorter.rendered.text, longer.rendered.text
            if not after.startswith(before):
                at = next((n for n, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), len(after) - 1)
                span = subject.span_of(longer, at)
                yield self.diagnostic(span, "What was written so far changes when the conversation continues.")
                return
