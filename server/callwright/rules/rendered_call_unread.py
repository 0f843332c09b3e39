"""The rule `rendered-call-unread`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from callwright.chat_templates.proof import Difference, ProbeOutcome, Proof, Tried
from callwright.rules.base import ChatTemplateRule, Diagnostic, Severity
from callwright.rules.support.rendered import (
    by_place,
    clause_of,
    essential,
    in_both_forms,
    invalid_place,
    place_of,
    when,
)


class RenderedCallUnread(ChatTemplateRule):
    r"""A chat template writes a call that no dialect reads, or one that is not valid in its dialect.

    Why is this bad: the parsers of servers read known dialects. A call in none of them, or with an error, reaches no
    tool. Where no call of a template is read, it may be in a dialect that is not known here: this is a warning.

    `callwright dialect` lists the dialects.

    Example path=chat_template.jinja
        {% if tools %}<|system|>{{ tools | tojson }}{% endif %}
        {% for message in messages %}
        <|{{ message.role }}|>{{ message.content or '' }}
        {% for call in message.tool_calls or [] %}
        {% set args = call.function.arguments %}
        @{{ call.function.name }}{{ args if args is string else args | tojson }}
                                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ TC840 "The call is in a dialect that Callwright does not know. Check that your server parses it."
        {% endfor %}
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

    code = "TC840"

    def check(self, subject: Proof) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each place that does this."""
        invalid = [each for each in subject.tried if each.difference is Difference.INVALID]
        invalid_places = dict(by_place((each, invalid_place(subject, each)) for each in invalid))
        unread = [each for each in subject.tried if each.difference is Difference.UNREAD]
        for span, tried in by_place((each, place_of(subject, each)) for each in essential(subject, unread)):
            if span in invalid_places:
                continue
            message, severity = _unread(subject, tried)
            yield self.diagnostic(span, message, severity=severity)
        for span, tried in invalid_places.items():
            what = " and ".join(dict.fromkeys(each for one in tried for each in one.invalid))
            message = f"The call is not valid{when(tried)}: it has {what}. Write the value as the dialect has it."
            yield self.diagnostic(span, message, partial(in_both_forms, subject.source, span))


def _unread(proof: Proof, tried: list[Tried]) -> tuple[str, Severity]:
    """Return what to say of calls that no dialect reads, and how severe it is."""
    if not proof.dialects:
        message = "The call is in a dialect that Callwright does not know. Check that your server parses it."
        return message, Severity.WARNING
    plain = proof.get("one-call", tried[0].form)
    if not tried[0].calls and plain is not None and plain.outcome is ProbeOutcome.SAME:
        # vLLM finds an object of Llama's anywhere in a whole reply, and only at the start of a streamed one.
        message = f"Some parsers do not find the call{when(tried)}: it follows text on its line."
        return f"{message} Write it on a line of its own.", Severity.WARNING
    read = f": {clause_of(tried[0])}" if tried[0].calls else ""
    return f"No dialect reads the call{when(tried)}{read}. Write it in a dialect that servers parse.", Severity.ERROR
