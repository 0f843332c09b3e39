"""The rule `rendered-html-escaped`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from callwright.chat_templates.proof import Difference, Proof
from callwright.rules.base import ChatTemplateRule, Diagnostic
from callwright.rules.support.rendered import by_place, essential, place_of, when, without_escape


class RenderedHtmlEscaped(ChatTemplateRule):
    r"""A chat template writes `<`, `&` or quotes of an argument as HTML entities.

    Why is this bad: the model sees `&lt;` where the argument has `<`, and learns to write entities. JSON with `&#34;`
    for quotes cannot be parsed.

    `escape` and `e` do this, and so does Jinja's own `tojson`. The `tojson` of transformers does not.

    Example path=chat_template.jinja
        {% if tools %}<|system|>{{ tools | tojson }}{% endif %}
        {% for message in messages %}
        <|{{ message.role }}|>{{ message.content or '' }}
        {% for call in message.tool_calls or [] %}
        {% set args = call.function.arguments %}
        <tool_call>{"name": "{{ call.function.name }}", "arguments": {{ (args if args is string else args | tojson) | e }}}</tool_call>
                                                                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ TC837 "Characters of an argument are written as HTML entities. Do not escape them."
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

    code = "TC837"

    def check(self, subject: Proof) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each place that does this."""
        found = [each for each in subject.tried if each.difference is Difference.HTML]
        for span, tried in by_place((each, place_of(subject, each)) for each in essential(subject, found)):
            message = f"Characters of an argument are written as HTML entities{when(tried)}. Do not escape them."
            yield self.diagnostic(span, message, partial(without_escape, subject.source, span))
