"""The rule `rendered-unescaped`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from callwright.chat_templates.proof import Difference, Proof
from callwright.rules.base import ChatTemplateRule, Diagnostic
from callwright.rules.support.rendered import as_json, by_place, clause_of, place_of, probed


class RenderedUnescaped(ChatTemplateRule):
    r"""A chat template writes a quote, a backslash or a line break of an argument as it is where it must be escaped.

    Why is this bad: the call cannot be parsed, and the model learns to write calls that cannot be parsed.

    Example path=chat_template.jinja
        {% if tools %}<|system|>{{ tools | tojson }}{% endif %}
        {% for message in messages %}
        <|{{ message.role }}|>{{ message.content or '' }}
        {% for call in message.tool_calls or [] %}
        {% set args = call.function.arguments %}
        {% if args is string %}{{ raise_exception('Parse the arguments.') }}{% endif %}
        <tool_call>{"name": "{{ call.function.name }}", "arguments": {
        {%- for name, value in args.items() %}
        "{{ name }}": {% if value is string %}"{{ value }}"{% else %}{{ value | tojson }}{% endif %}{{ ", " if not loop.last }}
                                               ^^^^^^^^^^^ TC838 "An argument is not escaped with the value "Brackwater said \"now\" and \"then\"", with the value "C:\\Brackwater\\new\\table \\\\ \\n", with the value "\nBrackwater\n\n  second line\n": the call is not valid, it has a quote that is not escaped. Write it with `tojson`."
        {%- endfor %}}}</tool_call>
        {% endfor %}
        {% endfor %}
        {% if add_generation_prompt %}<|assistant|>{% endif %}

    Use instead
        {% if tools %}<|system|>{{ tools | tojson }}{% endif %}
        {% for message in messages %}
        <|{{ message.role }}|>{{ message.content or '' }}
        {% for call in message.tool_calls or [] %}
        {% set args = call.function.arguments %}
        {% if args is string %}{{ raise_exception('Parse the arguments.') }}{% endif %}
        <tool_call>{"name": "{{ call.function.name }}", "arguments": {
        {%- for name, value in args.items() %}
        "{{ name }}": {% if value is string %}{{ value | tojson }}{% else %}{{ value | tojson }}{% endif %}{{ ", " if not loop.last }}
        {%- endfor %}}}</tool_call>
        {% endfor %}
        {% endfor %}
        {% if add_generation_prompt %}<|assistant|>{% endif %}
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC838"

    def check(self, subject: Proof) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each place that does this."""
        found = [each for each in subject.tried if each.difference is Difference.UNESCAPED]
        for span, tried in by_place((each, place_of(subject, each)) for each in found):
            message = f"An argument is not escaped {probed(tried)}: {clause_of(tried[0])}. Write it with `tojson`."
            yield self.diagnostic(span, message, partial(as_json, subject.source, span))
