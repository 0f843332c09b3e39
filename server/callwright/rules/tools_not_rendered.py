"""The rule `tools-not-rendered`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from callwright.chat_templates.probes import TOOLS
from callwright.chat_templates.proof import Proof, Tried
from callwright.rules.base import ChatTemplateRule, Diagnostic, Severity
from callwright.rules.support.rendered import mention_of_variable, not_as_python


class ToolsNotRendered(ChatTemplateRule):
    r"""A chat template reads `tools` and leaves their names or parameters out, or writes them as Python prints them.

    Why is this bad: the model is not shown what it may call, or with which arguments. Most models are trained on tools
    as JSON, and a dictionary in single quotes is none; a model that was trained on it needs it as it is.

    Example path=chat_template.jinja
        {% if tools %}<|system|>{{ tools | map(attribute='function.name') | join(', ') }}{% endif %}
              ^^^^^ TC843 "The parameters of the tools are not written. Write each tool with `tojson`."
        {% for message in messages %}
        <|{{ message.role }}|>{{ message.content or '' }}
        {% for call in message.tool_calls or [] %}
        {% set args = call.function.arguments %}
        <tool_call>{"name": "{{ call.function.name }}", "arguments": {{ args if args is string else args | tojson }}}</tool_call>
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

    code = "TC843"
    severity = Severity.WARNING

    def check(self, subject: Proof) -> Iterator[Diagnostic]:
        """Yield a diagnostic where a name or a parameter is missing."""
        tried = subject.get("tools-only")
        if tried is None or tried.rendered is None or "tools" not in subject.variables.names:
            return
        text = tried.rendered.text
        words = (
            ("names", [tool["function"]["name"] for tool in TOOLS]),
            ("parameters", [each for tool in TOOLS for each in tool["function"]["parameters"]["properties"]]),
        )
        lacking = next((what for what, names in words if not all(name in text for name in names)), None)
        if lacking is None:
            yield from self._as_python(subject, tried, text)
        else:
            system = subject.get("system-with-tools")
            known = system.rendered.text if system is not None and system.rendered is not None else ""
            if all(name in known for _, names in words for name in names):
                message = "The tools are written only after a system message. Write them without one, too."
            else:
                message = f"The {lacking} of the tools are not written. Write each tool with `tojson`."
            yield self.diagnostic(mention_of_variable(subject, "tools"), message)

    def _as_python(self, subject: Proof, tried: Tried, text: str) -> Iterator[Diagnostic]:
        """Yield a diagnostic where a tool, or a schema of one, is written as a dictionary of Python's."""
        function = TOOLS[0]["function"]
        for value in (TOOLS[0], function, function["parameters"], function["parameters"]["properties"]):
            at = text.find(str(value))
            if at >= 0:
                span = subject.span_of(tried, at)
                message = "The tools are written as Python prints them, not as JSON. Write each tool with `tojson`."
                yield self.diagnostic(span, message, partial(not_as_python, subject.source, span))
                return
