"""The rule `rendered-call-lost`."""

from __future__ import annotations

from collections.abc import Iterator

from callwright.chat_templates.probes import Kind
from callwright.chat_templates.proof import Difference, Proof, Tried
from callwright.rules.base import ChatTemplateRule, Diagnostic, Severity
from callwright.rules.support.rendered import by_place, essential, mention_of, place_of, probed
from callwright.text.span import Span


class RenderedCallLost(ChatTemplateRule):
    r"""A chat template leaves calls out.

    Why is this bad: the model sees no call, or fewer than were made, and results of calls that it never saw.

    Some templates write a call by its `id` alone, and their servers give ids that have the name of the tool. Calls with
    other ids, as of another server, have no name there: this is a warning.

    Example path=chat_template.jinja
        {% if tools %}<|system|>{{ tools | tojson }}{% endif %}
        {% for message in messages %}
        <|{{ message.role }}|>{{ message.content or '' }}
        {% if message.tool_calls %}
        {% set call = message.tool_calls[0] %}
                              ^^^^^^^^^^^^^ TC841 "Only some of the calls in a message are written. Write each of `tool_calls`."
        {% set args = call.function.arguments %}
        <tool_call>{"name": "{{ call.function.name }}", "arguments": {{ args if args is string else args | tojson }}}</tool_call>
        {% endif %}
        {% endfor %}
        {% if add_generation_prompt %}<|assistant|>{% endif %}

    Use instead
        {% if tools %}<|system|>{{ tools | tojson }}{% endif %}
        {% for message in messages %}
        <|{{ message.role }}|>{{ message.content or '' }}
        {% for call in message.tool_calls or [] %}
        {% set args = call.function.arguments %}
        <tool_call>{"name": "{{ call.function.name }}", "arguments": {{ args if args is string else args | tojson }}}</tool_call>
        {% endfor %}
        {% endfor %}
        {% if add_generation_prompt %}<|assistant|>{% endif %}
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC841"

    def check(self, subject: Proof) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each place that does this."""
        found = [each for each in subject.tried if each.difference is Difference.LOST]
        if subject.named_ids:
            found = [each for each in found if each.probe.name != "call-without-id"]
            yield self._of_ids(subject)
        for span, tried in _by_line(subject, essential(subject, found) or found):
            switch = all(each.probe.kind is Kind.VARIABLE for each in tried)
            severity = Severity.INFO if switch else Severity.ERROR
            yield self.diagnostic(span, _message(subject, tried), severity=severity)

    def _of_ids(self, proof: Proof) -> Diagnostic:
        """Return the diagnostic of a template that writes a call by its id alone."""
        both = (proof.get("one-call"), proof.get("one-call", "string"))
        tried = next(each for each in both if each is not None and each.rendered is not None)
        id_ = tried.probe.calls[0].id
        message = f"A call is written by its `id`, without its name. Only ids such as `{id_}` have the name; write it."
        at = tried.reply.start + max(tried.reply_text.find(id_ or ""), 0)
        return self.diagnostic(proof.span_of(tried, at), message, severity=Severity.WARNING)


def _by_line(proof: Proof, found: list[Tried]) -> Iterator[tuple[Span, list[Tried]]]:
    """Yield the places where calls are left out, one on a line: that of a plain call if there is one."""
    places = sorted(by_place((each, _place(proof, each)) for each in found), key=lambda each: not _has_plain(each[1]))
    lines: set[int] = set()
    for span, tried in places:
        line = proof.source.count("\n", 0, span.start)
        if line not in lines:
            lines.add(line)
            yield span, tried


def _has_plain(tried: list[Tried]) -> bool:
    return any(each.probe.name == "one-call" for each in tried)


def _place(proof: Proof, tried: Tried) -> Span:
    """Return where the first call is chosen if it is the only one that is written, else where the reply is written."""
    first = any(call.name in tried.reply_text for call in tried.probe.calls)
    pattern = r"\btool_calls(?:\[0\]|\s*\|\s*first\b|\.0\b)|\[['\"]tool_calls['\"]\]\s*(?:\[0\]|\|\s*first\b)"
    span = mention_of(proof, pattern) if first else None
    return span if span is not None else place_of(proof, tried)


def _message(proof: Proof, tried: list[Tried]) -> str:
    if "tool_calls" not in proof.source:
        return "Calls are left out: the template does not read `tool_calls`. Write the calls of a message."
    if all(len(each.probe.calls) > 1 for each in tried):
        return "Only some of the calls in a message are written. Write each of `tool_calls`."
    null = (proof.get("content-null"), proof.get("content-null", "string"))
    if _has_plain(tried) and any(
        each is not None and each.rendered is not None and each.probe.calls[0].name in each.reply_text for each in null
    ):
        return "Calls are left out unless `content` is null. Test for `tool_calls` alone."
    return f"Calls are left out {probed(tried)}. Write each of `tool_calls`."
