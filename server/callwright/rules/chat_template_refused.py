"""The rule `chat-template-refused`."""

from __future__ import annotations

from collections.abc import Iterator

from callwright.chat_templates.proof import Proof
from callwright.rules.base import ChatTemplateRule, Diagnostic
from callwright.rules.support.rendered import by_place, failed_at, first_line


class ChatTemplateRefused(ChatTemplateRule):
    """A chat template asks for what it cannot have: another template, or what the sandbox refuses.

    Why is this bad: a model's chat template is one text, rendered in a sandbox without files. Libraries refuse `include`, `extends` and `import`, methods that change a list or a dictionary, and attributes that begin with `__`.
    """

    code = "TC831"

    def check(self, subject: Proof) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each place that is refused."""
        if subject.failed is not None and subject.failed.kind == "refused":
            span = subject.failed.span if subject.failed.span is not None else first_line(subject)
            yield self.diagnostic(span, f"This is refused in a chat template: {subject.failed.message}")
        refused = [each for each in subject.tried if each.failed is not None and each.failed.kind == "refused"]
        for span, tried in by_place((each, failed_at(subject, each)) for each in refused):
            yield self.diagnostic(span, f"The sandbox refuses this: {tried[0].message}")
