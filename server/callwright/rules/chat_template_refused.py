"""The rule `chat-template-refused`."""

from __future__ import annotations

from collections.abc import Iterator

from callwright.chat_templates.proof import Proof
from callwright.rules.base import ChatTemplateRule, Diagnostic
from callwright.rules.support.rendered import by_place, failed_at, first_line


class ChatTemplateRefused(ChatTemplateRule):
    r"""A chat template does what the sandbox forbids.

    Why is this bad: a chat template is one text, and libraries render it in a sandbox without files. They reject
    `include`, `extends` and `import`, methods that change a list or a dictionary, and attributes that begin with `__`.

    Instead of `append`, add lists: `{% set ns.ids = ns.ids + [id] %}`.

    Example path=chat_template.jinja
        {% for message in messages %}
        {% include "message.jinja" %}
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ TC831 "A chat template cannot use `{% include %}`. Write the template without it."
        {% endfor %}

    Use instead
        {% for message in messages %}
        <|{{ message.role }}|>{{ message.content or '' }}
        {% endfor %}
    """  # a diagnostic is quoted on one line

    code = "TC831"

    def check(self, subject: Proof) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each place that is rejected."""
        if subject.failed is not None and subject.failed.kind == "refused":
            span = subject.failed.span if subject.failed.span is not None else first_line(subject)
            yield self.diagnostic(span, f"{_sentence(subject.failed.message)} Write the template without it.")
        refused = [each for each in subject.tried if each.failed is not None and each.failed.kind == "refused"]
        for span, tried in by_place((each, failed_at(subject, each)) for each in refused):
            message = f"The sandbox rejects this: {tried[0].message.rstrip('.')}. Write it without changing a value."
            yield self.diagnostic(span, message)


def _sentence(reason: str) -> str:
    return f"{reason[:1].upper()}{reason[1:].rstrip('.')}."
