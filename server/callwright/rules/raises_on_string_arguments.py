"""The rule `raises-on-string-arguments`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from callwright.chat_templates.proof import Proof
from callwright.rules.base import ChatTemplateRule, Diagnostic
from callwright.rules.support.rendered import by_place, clause_of, failed_at, fails_alone, raising, unknown_filter
from callwright.text.span import Span

#: A loop over the members of an object, and the object.
_LOOP: Final = re.compile(
    r"\{%[-+]?+\s*+for\b[^%]*?\bin\s++([A-Za-z_]\w*+(?:\.(?!items\b)\w++)*+)(?:\.items\(\)|\s*+\|\s*+(?:items|dictsort)\b)"
)


class RaisesOnStringArguments(ChatTemplateRule):
    r"""A chat template fails when the arguments of a call are a JSON string, as the OpenAI API has them.

    Why is this bad: every client of the OpenAI API sends the arguments of a call as a string. A server that does not
    parse this string before it renders the template answers a conversation with a call with an error.

    Neither Jinja nor transformers has a filter that parses JSON. A template that writes JSON can write the string as it
    is, in a branch of its own where it loops over an object. A template that writes each argument by itself in another
    format cannot: it says so with `raise_exception`, and servers and training code learn to parse first.

    Example path=chat_template.jinja
        {% if tools %}<|system|>{{ tools | tojson }}{% endif %}
        {% for message in messages %}
        <|{{ message.role }}|>{{ message.content or '' }}
        {% for call in message.tool_calls or [] %}
        {% set args = call.function.arguments %}
        <tool_call>{"name": "{{ call.function.name }}", "arguments": {
        {%- for name, value in args.items() %}
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ TC832 "Fails on arguments that are a JSON string, as the OpenAI API has them: UndefinedError: 'str object' has no attribute 'items'. Where arguments are JSON, write `{% if args is string %}{{ args }}{% else %}` first; elsewhere reject a string with `raise_exception`."
        "{{ name }}": {{ value | tojson }}{{ ", " if not loop.last }}
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
        <tool_call>{"name": "{{ call.function.name }}", "arguments": {{ args if args is string else args | tojson }}}</tool_call>
        {% endfor %}
        {% endfor %}
        {% if add_generation_prompt %}<|assistant|>{% endif %}
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC832"

    def check(self, subject: Proof) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each place that fails on a string and not on an object."""
        failed = [each for each in raising(subject, "string") if fails_alone(subject, each)]
        for span, tried in by_place((each, failed_at(subject, each)) for each in failed):
            failure = f"Fails on arguments that are a JSON string, as the OpenAI API has them: {clause_of(tried[0])}."
            yield self.diagnostic(span, f"{failure} {_remedy(subject.source, span, tried[0].message)}")


def _remedy(source: str, span: Span, message: str) -> str:
    """Return what to do: where parts of an object are read, a string needs a branch of its own."""
    missing = unknown_filter(message)
    if missing is not None:
        named = re.compile(rf"([A-Za-z_][\w.]*+)\s*+\|\s*+{missing}\b").search(source, span.start, span.end)
        known = f"transformers has no filter `{missing}`, and none that parses JSON. "
    else:
        named, known = _LOOP.search(source, span.start, span.end), ""
    if named is None:
        return f"{known}Write the string as it is, or reject it with `raise_exception`."
    branch = f"{{% if {named[1]} is string %}}{{{{ {named[1]} }}}}{{% else %}}"
    return f"{known}Where arguments are JSON, write `{branch}` first; elsewhere reject a string with `raise_exception`."
