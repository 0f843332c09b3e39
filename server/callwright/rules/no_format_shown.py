"""The rule `no-format-shown`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from callwright.chat_templates.probes import TOOLS
from callwright.chat_templates.proof import Proof
from callwright.rules.base import ChatTemplateRule, Diagnostic, Severity

#: What a text that says how to call a tool names: a format, or a tag that is about calls.
_FORMAT: Final = re.compile(r"json|format|syntax|schema|xml|<[^\s<>]*call", re.IGNORECASE)


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
        if at >= 0 and name not in one.reply_text and not _says_how(subject.taught):
            message = "The tools are listed, and how to call them is neither said nor shown. Describe a call."
            yield self.diagnostic(subject.span_of(tried, at), message)


def _says_how(taught: str) -> bool:
    """Return whether the text around the list of the tools says how to write a call."""
    names = [tool["function"]["name"] for tool in TOOLS]
    last = TOOLS[-1]["function"]["parameters"]["properties"]
    start = min(taught.find(name) for name in names)
    end = max(taught.rfind(word) for word in (*names, *last))
    return start < 0 or _FORMAT.search(taught[:start]) is not None or _FORMAT.search(taught[end:]) is not None
