"""The rule `rendered-argument-changed`."""

from __future__ import annotations

from collections.abc import Iterator

from callwright.chat_templates.proof import Difference, Proof
from callwright.rules.base import ChatTemplateRule, Diagnostic, Severity
from callwright.rules.support.rendered import arguments_place, by_place, clause_of, essential, place_of, when


class RenderedArgumentChanged(ChatTemplateRule):
    r"""A chat template writes a call with other arguments than it was given.

    Why is this bad: the model sees, and learns to write, a call that was not made.

    In some formats a parser removes one line break before and after a value. A template that writes none loses those of
    the value itself. This is a warning.

    Example path=chat_template.jinja
        {% if tools %}<|system|>{{ tools | tojson }}{% endif %}
        {% for message in messages %}
        <|{{ message.role }}|>{{ message.content or '' }}
        {% for call in message.tool_calls or [] %}
        {% set args = call.function.arguments %}
                      ^^^^^^^^^^^^^^^^^^^^^^^ TC835 "Arguments that are a JSON string, as the OpenAI API has them, are written in another format than an object: `find_harbour` is read with {}. Write it as it is, or reject it with `raise_exception`."
        {% if args is not mapping %}{% set args = {} %}{% endif %}
        <tool_call>{"name": "{{ call.function.name }}", "arguments": {{ args | tojson }}}</tool_call>
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

    code = "TC835"

    def check(self, subject: Proof) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each place that does this."""
        strings = [each for each in subject.tried if each.difference is Difference.STRING]
        # One place says it for all.
        strings = [each for each in strings if each.probe.name == "one-call"] or strings[:1]
        for span, tried in by_place((each, arguments_place(subject, each)) for each in strings):
            yield self.diagnostic(
                span,
                "Arguments that are a JSON string, as the OpenAI API has them, are written in another format than an"
                f" object: {clause_of(tried[0])}. Write it as it is, or reject it with"
                " `raise_exception`.",
            )
        changed = [each for each in subject.tried if each.difference is Difference.CHANGED]
        for span, tried in by_place((each, place_of(subject, each)) for each in essential(subject, changed)):
            yield self.diagnostic(span, f"Arguments change{when(tried)}: {clause_of(tried[0])}.")
        spaced = [each for each in subject.tried if each.difference is Difference.SPACE]
        for span, tried in by_place((each, place_of(subject, each)) for each in essential(subject, spaced)):
            yield self.diagnostic(
                span,
                f"White space at the ends of a value changes{when(tried)}: {clause_of(tried[0])}. Write a line"
                " break both before and after the value.",
                severity=Severity.WARNING,
            )
