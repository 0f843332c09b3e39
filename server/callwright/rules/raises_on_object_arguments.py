"""The rule `raises-on-object-arguments`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from callwright.chat_templates.proof import Proof
from callwright.rules.base import ChatTemplateRule, Diagnostic
from callwright.rules.support.rendered import by_place, clause_of, failed_at, fails_alone, in_both_forms, raising


class RaisesOnObjectArguments(ChatTemplateRule):
    r"""A chat template fails when the arguments of a call are an object.

    Why is this bad: transformers and most training code pass the arguments as an object, and servers such as vLLM parse
    the string of the API before they render the template.

    Example path=chat_template.jinja
        {% if tools %}<|system|>{{ tools | tojson }}{% endif %}
        {% for message in messages %}
        <|{{ message.role }}|>{{ message.content or '' }}
        {% for call in message.tool_calls or [] %}
        {% set args = call.function.arguments %}
        <tool_call>{"name": "{{ call.function.name }}", {{ '"arguments": ' + args }}}</tool_call>
                                                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ TC833 "Fails on arguments that are an object: TypeError: can only concatenate str (not "dict") to str. Write an object with `tojson`."
        {% endfor %}
        {% endfor %}
        {% if add_generation_prompt %}<|assistant|>{% endif %}

    Use instead
        {% if tools %}<|system|>{{ tools | tojson }}{% endif %}
        {% for message in messages %}
        <|{{ message.role }}|>{{ message.content or '' }}
        {% for call in message.tool_calls or [] %}
        {% set args = call.function.arguments %}
        <tool_call>{"name": "{{ call.function.name }}", {{ '"arguments": ' + (args if args is string else args | tojson) }}}</tool_call>
        {% endfor %}
        {% endfor %}
        {% if add_generation_prompt %}<|assistant|>{% endif %}
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC833"

    def check(self, subject: Proof) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each place that fails on an object and not on a string."""
        failed = [each for each in raising(subject, "object") if fails_alone(subject, each)]
        for span, tried in by_place((each, failed_at(subject, each)) for each in failed):
            message = f"Fails on arguments that are an object: {clause_of(tried[0])}. Write an object with `tojson`."
            yield self.diagnostic(span, message, partial(in_both_forms, subject.source, span))
