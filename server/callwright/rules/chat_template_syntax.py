"""The rule `chat-template-syntax`."""

from __future__ import annotations

from collections.abc import Iterator

from callwright.chat_templates.proof import Proof
from callwright.rules.base import ChatTemplateRule, Diagnostic
from callwright.rules.support.rendered import first_line, unknown_filter


class ChatTemplateSyntax(ChatTemplateRule):
    r"""A chat template is not valid Jinja.

    Why is this bad: the template cannot be rendered, so the server rejects every request.

    Example path=chat_template.jinja
        {% for message in messages %}
        <|{{ message.role }}|>{{ message.content }
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ TC830 "The template is not valid Jinja: unexpected '}'."
        {% endfor %}

    Use instead
        {% for message in messages %}
        <|{{ message.role }}|>{{ message.content or '' }}
        {% endfor %}
    """  # a diagnostic is quoted on one line

    code = "TC830"

    def check(self, subject: Proof) -> Iterator[Diagnostic]:
        """Yield the error that Jinja reports."""
        failed = subject.failed
        if failed is not None and failed.kind == "syntax":
            span = failed.span if failed.span is not None else first_line(subject)
            more = " Use a filter of Jinja's, or `tojson`." if unknown_filter(failed.message) is not None else ""
            yield self.diagnostic(span, f"The template is not valid Jinja: {failed.message.rstrip('.')}.{more}")
