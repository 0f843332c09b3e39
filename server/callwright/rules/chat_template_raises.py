"""The rule `chat-template-raises`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from callwright.chat_templates.probes import FORMS
from callwright.chat_templates.proof import Proof, Tried
from callwright.rules.base import ChatTemplateRule, Diagnostic, Severity
from callwright.rules.support.rendered import (
    by_place,
    clause_of,
    failed_at,
    fails_alone,
    first_line,
    probed,
    raising,
    unknown_filter,
    with_content,
)

#: Probes of what every client sends: a template that fails on one of them fails in use.
_ORDINARY: Final = frozenset(
    {"no-tools", "tools-only", "one-call", "content-null", "content-absent", "result", "follow-up", "value: plain"}
)
#: Probes by which `content` is what a template did not expect, and what to do about it.
_CONTENT: Final = {
    "content-null": "Handle content that is null, as in `content or ''`",
    "content-absent": "Handle content that is null, as in `content or ''`",
    "content-parts": "Write the text of each part, or reject a list with `raise_exception`",
}


class ChatTemplateRaises(ChatTemplateRule):
    r"""A chat template fails on a conversation that clients send.

    Why is this bad: the server answers with an error whose reason the client cannot see. A template that does not
    support something says so with `raise_exception`.

    Example path=chat_template.jinja
        {% if tools %}<|system|>{{ tools | tojson }}{% endif %}
        {% for message in messages %}
        <|{{ message.role }}|>
        {% if '</think>' in message.content %}
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ TC834 "Fails when `content` is null beside calls: TypeError: argument of type 'NoneType' is not iterable. Handle content that is null, as in `content or ''`."
        {{ message.content.split('</think>')[1] }}
        {% else %}
        {{ message.content or '' }}
        {% endif %}
        {% for call in message.tool_calls or [] %}
        {% set args = call.function.arguments %}
        <tool_call>{"name": "{{ call.function.name }}", "arguments": {{ args if args is string else args | tojson }}}</tool_call>
        {% endfor %}
        {% endfor %}
        {% if add_generation_prompt %}<|assistant|>{% endif %}

    Use instead
        {% if tools %}<|system|>{{ tools | tojson }}{% endif %}
        {% for message in messages %}
        <|{{ message.role }}|>
        {% if '</think>' in (message.content or '') %}
        {{ message.content.split('</think>')[1] }}
        {% else %}
        {{ message.content or '' }}
        {% endif %}
        {% for call in message.tool_calls or [] %}
        {% set args = call.function.arguments %}
        <tool_call>{"name": "{{ call.function.name }}", "arguments": {{ args if args is string else args | tojson }}}</tool_call>
        {% endfor %}
        {% endfor %}
        {% if add_generation_prompt %}<|assistant|>{% endif %}
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC834"

    def check(self, subject: Proof) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each place that fails, with what was tried."""
        whole = subject.failed
        if whole is not None and whole.kind not in ("syntax", "refused"):
            span = whole.span if whole.span is not None else first_line(subject)
            yield self.diagnostic(span, f"The template cannot be rendered: {whole.message.rstrip('.')}. Simplify it.")
        failed = [
            each
            for form in FORMS
            for each in raising(subject, form)
            if not fails_alone(subject, each) and each.failed is not None and each.failed.kind != "refused"
        ]
        for span, tried in by_place((each, failed_at(subject, each)) for each in failed):
            names = {each.probe.name for each in tried}
            severity = Severity.ERROR if names & _ORDINARY else Severity.WARNING
            message = f"Fails {probed(tried)}: {clause_of(tried[0])}. {_remedy(subject, tried)}."
            nulls = names & {"content-null", "content-absent"} and "content-parts" not in names
            fixes = partial(with_content, subject.source, span) if nulls else ()
            yield self.diagnostic(span, message, fixes, severity=severity)


def _remedy(proof: Proof, tried: list[Tried]) -> str:
    """Return what to do, a sentence without a full stop."""
    missing = next((name for name in proof.variables.names if f"'{name}' is undefined" in tried[0].message), None)
    if missing is not None:
        return f"Test `{missing} is defined` first, since servers do not pass it"
    missing = unknown_filter(tried[0].message)
    if missing is not None:
        return f"transformers has no filter `{missing}`; use one of Jinja's, or `tojson`"
    return _CONTENT.get(tried[0].probe.name, "Handle it, or reject it with `raise_exception`")
