"""The rule `rendered-encoded-twice`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from callwright.chat_templates.differences import is_encoded_twice
from callwright.chat_templates.proof import Difference, Proof
from callwright.rules.base import ChatTemplateRule, Diagnostic
from callwright.rules.support.rendered import arguments_place, by_place, in_both_forms


class RenderedEncodedTwice(ChatTemplateRule):
    r"""A chat template writes arguments that are a JSON string as a string in JSON.

    Why is this bad: the arguments of the OpenAI API are JSON already. Encoded once more, the model sees, and learns to
    write, a string with escaped quotes where an object belongs. Servers that parse the arguments before they render the
    template hide this.

    Example path=chat_template.jinja
        {% if tools %}<|system|>{{ tools | tojson }}{% endif %}
        {% for message in messages %}
        <|{{ message.role }}|>{{ message.content or '' }}
        {% for call in message.tool_calls or [] %}
        {% set args = call.function.arguments %}
        <tool_call>{"name": "{{ call.function.name }}", "arguments": {{ args | tojson }}}</tool_call>
                                                                     ^^^^^^^^^^^^^^^^^^^ TC836 "Arguments that are a JSON string are encoded once more. Write a string as it is."
        {% endfor %}
        {% endfor %}
        {% if add_generation_prompt %}<|assistant|>{% endif %}

    Use instead
        {% if tools %}<|system|>{{ tools | tojson }}{% endif %}
        {% for message in messages %}
        <|{{ message.role }}|>{{ message.content or '' }}
        {% for call in message.tool_calls or [] %}
        {% set args = call.function.arguments %}
        <tool_call>{"name": "{{ call.function.name }}", "arguments": {{ (args if args is string else args | tojson) }}}</tool_call>
        {% endfor %}
        {% endfor %}
        {% if add_generation_prompt %}<|assistant|>{% endif %}
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC836"

    def check(self, subject: Proof) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each place that encodes a string once more."""
        found = [
            each
            for each in subject.tried
            if is_encoded_twice(subject, each) or each.difference is Difference.ENCODED_TWICE
        ]
        for span, _ in by_place((each, arguments_place(subject, each)) for each in found):
            message = "Arguments that are a JSON string are encoded once more. Write a string as it is."
            yield self.diagnostic(span, message, partial(in_both_forms, subject.source, span))
