"""The rule `not-prefix-preserving`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from callwright.chat_templates.probes import FORMS
from callwright.chat_templates.proof import Proof, Tried
from callwright.rules.base import ChatTemplateRule, Diagnostic, Severity
from callwright.text.span import equal_start

#: How many characters after a difference show that the rest is the same.
_ALIKE: Final = 20
#: One marker of any model.
_MARKER: Final = re.compile(r"<[^<>\s]++>|\[[^\[\]\s]++\]")


class NotPrefixPreserving(ChatTemplateRule):
    r"""A chat template writes earlier messages differently once the conversation continues.

    Why is this bad: what was rendered is not the beginning of what is rendered next. Caches of the prompt are lost, and
    training on the replies of a conversation marks the wrong tokens.

    Templates that leave out old reasoning, or write the tools before the last message, do this on purpose.

    Example path=chat_template.jinja
        {% if tools %}<|system|>{{ tools | tojson }}{% endif %}
        {% for message in messages %}
        <|{{ message.role }}|>{{ message.content or '' }}{{ '' if loop.last else '<|end|>' }}
                                                                                 ^^^^^^^^^ TC846 "What is written here changes when the conversation continues. Always write a message the same way."
        {% for call in message.tool_calls or [] %}
        {% set args = call.function.arguments %}
        <tool_call>{"name": "{{ call.function.name }}", "arguments": {{ args if args is string else args | tojson }}}</tool_call>
        {% endfor %}
        {% endfor %}
        {% if add_generation_prompt %}<|assistant|>{% endif %}

    Use instead
        {% if tools %}<|system|>{{ tools | tojson }}{% endif %}
        {% for message in messages %}
        <|{{ message.role }}|>{{ message.content or '' }}{{ '<|end|>' }}
        {% for call in message.tool_calls or [] %}
        {% set args = call.function.arguments %}
        <tool_call>{"name": "{{ call.function.name }}", "arguments": {{ args if args is string else args | tojson }}}</tool_call>
        {% endfor %}
        {% endfor %}
        {% if add_generation_prompt %}<|assistant|>{% endif %}
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC846"
    severity = Severity.INFO

    def check(self, subject: Proof) -> Iterator[Diagnostic]:
        """Yield a diagnostic at what changes, or at what is written in its place."""
        for form in FORMS:
            shorter, longer = subject.get("result", form), subject.get("follow-up", form)
            if shorter is None or longer is None or shorter.rendered is None or longer.rendered is None:
                continue
            before, after = shorter.rendered.text, longer.rendered.text
            if not after.startswith(before):
                at = equal_start(before, after)
                rest = before[at:]
                dropped = after[at : at + _ALIKE] in rest or (rest.strip() != "" and after.endswith(rest))
                written = shorter if dropped or at == len(after) else longer
                span = subject.span_of(written, at)
                marker = _closer(subject, shorter, before, at) if written is shorter else ""
                if marker:
                    message = (
                        f"`{marker}` is written here only where the conversation ends, so it is missing where another"
                        " turn follows; the turns before it end with it. Always close a turn."
                    )
                else:
                    message = (
                        "What is written here changes when the conversation continues. Always write a message the same"
                        " way."
                    )
                yield self.diagnostic(span, message)
                return


def _closer(subject: Proof, tried: Tried, text: str, at: int) -> str:
    """Return what ends a conversation of a probe at a place, and ends turns before, too; empty where nothing does."""
    run = subject.origin_of(tried, at)
    if run is None:
        return ""
    end, before = text[run.start :].strip(), text[: run.start]
    contents = [each["content"] for each in tried.probe.messages if isinstance(each.get("content"), str)]
    closed = any(each and before.partition(each)[2].lstrip().startswith(end) for each in contents)
    return end if closed and _MARKER.fullmatch(end) else ""
