"""The rule `raises-on-string-arguments`."""

from __future__ import annotations

from collections.abc import Iterator

from callwright.chat_templates.proof import Proof, ProbeOutcome
from callwright.rules.base import ChatTemplateRule, Diagnostic
from callwright.rules.support.rendered import by_place, failed_at


class RaisesOnStringArguments(ChatTemplateRule):
    """A chat template fails when the arguments of a call are the JSON string that clients of the OpenAI API send.

    Why is this bad: the OpenAI API has the arguments of a call as a string of JSON. A server that does not parse this
    string before it renders the template answers every conversation with a call with an error. The template works in
    tests, where arguments are usually an object.

    Jinja cannot parse JSON, so a template that writes each argument apart cannot accept the string. State this with
    `raise_exception`, so that the server's log says what to change: a template that states what it does not support
    has no diagnostic.

    Example path=chat_template.jinja
        {%- for message in messages %}
        {{- '<|' + message.role + '|>' + (message.content or '') }}
        {%- for call in message.tool_calls or [] %}
        {{- '<tool_call>\\n<function=' + call.function.name + '>\\n' }}
        {%- for name, value in call.function.arguments.items() %}
        ^ TC832 "Fails on arguments that are a JSON string"
        {{- '<parameter=' + name + '>\\n' }}{{ value if value is string else value | tojson }}{{ '\\n</parameter>\\n' }}
        {%- endfor %}
        {{- '</function>\\n</tool_call>\\n' }}
        {%- endfor %}
        {%- endfor %}
    """

    code = "TC832"

    def check(self, subject: Proof) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each place that fails on a string and not on an object."""
        failed = []
        for tried in subject.tried:
            other = subject.other_form(tried)
            if tried.form == "string" and tried.outcome is ProbeOutcome.RAISES:
                if other is not None and other.outcome is not ProbeOutcome.RAISES:
                    failed.append((tried, failed_at(subject, tried)))
        for span, each in by_place(failed):
            message = (
                f"Fails on arguments that are a JSON string, as clients of the OpenAI API send them: {each[0].message}."
                " Accept a string, or state with `raise_exception` that arguments must be an object."
            )
            yield self.diagnostic(span, message)
