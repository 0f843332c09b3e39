"""The rule `no-format-shown`."""

from __future__ import annotations

from collections.abc import Iterator

from callwright.chat_templates.probes import TOOLS
from callwright.chat_templates.proof import Proof
from callwright.rules.base import ChatTemplateRule, Diagnostic, Severity


class NoFormatShown(ChatTemplateRule):
    r"""A chat template lists the tools, and neither says how to call them nor writes calls.

    Why is this bad: a model that was not trained on this very template does not know the format, and the calls of the
    conversation cannot show it.

    Example path=chat_template.jinja
        {% if tools %}<|system|>{{ tools | tojson }}{% endif %}
                                ^^^^^^^^^^^^^^^^^^^^ TC844 "The tools are listed, and how to call them is neither said nor shown. Describe a call."
        {% for message in messages %}
        <|{{ message.role }}|>{{ message.content or '' }}
        ^^ TC841 "Calls are left out: the template does not read `tool_calls`. Write the calls of a message."
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

    code = "TC844"
    severity = Severity.INFO

    def check(self, subject: Proof) -> Iterator[Diagnostic]:
        """Yield a diagnostic at the list of the tools."""
        tried, one = subject.get("tools-only"), subject.get("one-call")
        if tried is None or tried.rendered is None or subject.dialects or one is None or one.rendered is None:
            return
        name = TOOLS[0]["function"]["name"]
        at = tried.rendered.text.find(name)
        if at >= 0 and name not in one.reply_text:
            message = "The tools are listed, and how to call them is neither said nor shown. Describe a call."
            yield self.diagnostic(subject.span_of(tried, at), message)
