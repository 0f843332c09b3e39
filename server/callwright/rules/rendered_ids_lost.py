"""The rule `rendered-ids-lost`."""

from __future__ import annotations

from collections.abc import Iterator

from callwright.chat_templates.proof import Proof
from callwright.rules.base import ChatTemplateRule, Diagnostic, Severity


class RenderedIdsLost(ChatTemplateRule):
    r"""A chat template writes the ids of calls and not those of results, or the other way round.

    Why is this bad: a result names its call by an id that the model never saw, or an id is never used, so that of two
    results the model has to guess which is whose.

    Example path=chat_template.jinja
        {% if tools %}<|system|>{{ tools | tojson }}{% endif %}
        {% for message in messages %}
        <|{{ message.role }}|>{{ message.tool_call_id }} {{ message.content or '' }}
                              ^^^^^^^^^^^^^^^^^^^^^^^^^^ TC842 "The ids of results are written, and those of calls are not. Write `id` with a call."
        {% for call in message.tool_calls or [] %}
        {% set args = call.function.arguments %}
        <tool_call>{"name": "{{ call.function.name }}", "arguments": {{ args if args is string else args | tojson }}}</tool_call>
        {% endfor %}
        {% endfor %}
        {% if add_generation_prompt %}<|assistant|>{% endif %}

    Use instead
        {% if tools %}<|system|>{{ tools | tojson }}{% endif %}
        {% for message in messages %}
        <|{{ message.role }}|>{{ message.tool_call_id }} {{ message.content or '' }}
        {% for call in message.tool_calls or [] %}
        {% set args = call.function.arguments %}
        <tool_call>{"name": "{{ call.function.name }}", "id": "{{ call.id }}", "arguments": {{ args if args is string else args | tojson }}}</tool_call>
        {% endfor %}
        {% endfor %}
        {% if add_generation_prompt %}<|assistant|>{% endif %}
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC842"
    severity = Severity.WARNING

    def check(self, subject: Proof) -> Iterator[Diagnostic]:
        """Yield a diagnostic where only one of the two is written."""
        both = (subject.get("two-results"), subject.get("two-results", "string"))
        tried = next((each for each in both if each is not None and each.rendered is not None), None)
        if tried is None or tried.rendered is None:
            return
        if not all(call.name in tried.reply_text for call in tried.probe.calls):
            return
        ids = [call.id for call in tried.probe.calls if call.id is not None]
        after = tried.rendered.text[tried.reply.end :]
        of_calls, of_results = (all(each in part for each in ids) for part in (tried.reply_text, after))
        if of_calls != of_results:
            at = tried.reply.start + tried.reply_text.find(ids[0]) if of_calls else tried.reply.end + after.find(ids[0])
            message = (
                "The ids of calls are written, and those of results are not. Write `tool_call_id` with a result."
                if of_calls
                else "The ids of results are written, and those of calls are not. Write `id` with a call."
            )
            yield self.diagnostic(subject.span_of(tried, at), message)
