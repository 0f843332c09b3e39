"""The rule `rendered-text-changed`."""

from __future__ import annotations

from collections.abc import Iterator

from callwright.chat_templates.probes import Kind
from callwright.chat_templates.proof import Proof
from callwright.rules.base import ChatTemplateRule, Diagnostic, Severity
from callwright.rules.support.rendered import by_place, probed, text_place


class RenderedTextChanged(ChatTemplateRule):
    """A chat template changes the text of a user's message that holds one of its markers or special tokens.

    Why is this bad: the model sees another text than the user wrote. Tokenizers can keep special tokens in a text from being special; a template that removes or splits them loses the text.
    """

    code = "TC848"
    severity = Severity.INFO

    def check(self, subject: Proof) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each place that writes another text."""
        found = [
            each
            for each in subject.of_kind(Kind.CONTENT)
            if each.rendered is not None and not all(word in each.rendered.text for word in each.probe.words)
        ]
        for span, tried in by_place((each, text_place(subject, each)) for each in found):
            yield self.diagnostic(span, f"The text of the message changes {probed(tried)}.")
