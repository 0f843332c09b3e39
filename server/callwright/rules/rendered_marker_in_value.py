"""The rule `rendered-marker-in-value`."""

from __future__ import annotations

from collections.abc import Iterator

from callwright.chat_templates.differences import is_cut_by_some
from callwright.chat_templates.proof import Difference, Proof
from callwright.rules.base import ChatTemplateRule, Diagnostic, Severity
from callwright.rules.support.rendered import by_place, place_of


class RenderedMarkerInValue(ChatTemplateRule):
    r"""A marker of the dialect inside an argument ends the argument or the call, at least for some parsers.

    Why is this bad: a value with the marker, such as a file about the model itself, is cut off by parsers that end it
    at the first closer, and what follows is read as something else.

    Many dialects have no escape for their markers. The diagnostic then says what a parser of their calls has to expect.

    Example path=chat_template.jinja
        {% if tools %}<|system|>{{ tools | tojson }}{% endif %}
        {% for message in messages %}
        <|{{ message.role }}|>{{ message.content or '' }}
        {% for call in message.tool_calls or [] %}
        {% set args = call.function.arguments %}
        {% if args is string %}{{ raise_exception('Parse the arguments.') }}{% endif %}
        <tool_call>
        <function={{ call.function.name }}>
        {% for name, value in args.items() %}
        <parameter={{ name }}>
        {{ value if value is string else value | tojson }}
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ TC839 "`</parameter>` in a value ends it for some parsers. Escape it where the dialect can."
        </parameter>
        {% endfor %}
        </function>
        </tool_call>
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

    code = "TC839"
    severity = Severity.INFO

    def check(self, subject: Proof) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each place that does this."""
        found = [
            each for each in subject.tried if is_cut_by_some(subject, each) or each.difference is Difference.MARKER
        ]
        for span, tried in by_place((each, place_of(subject, each)) for each in found):
            markers = dict.fromkeys(f"`{each.probe.name.rpartition(' ')[2]}`" for each in tried)
            message = f"{', '.join(markers)} in a value ends it for some parsers. Escape it where the dialect can."
            yield self.diagnostic(span, message)
