"""The rule `result-not-rendered`."""

from __future__ import annotations

from collections.abc import Iterator

from callwright.chat_templates.proof import Proof
from callwright.rules.base import ChatTemplateRule, Diagnostic
from callwright.rules.support.rendered import mention_of_text


class ResultNotRendered(ChatTemplateRule):
    r"""A chat template leaves the result of a call out.

    Why is this bad: the model calls a tool and never sees the result, so it calls again or makes one up.

    Example path=chat_template.jinja
        {% if tools %}<|system|>{{ tools | tojson }}{% endif %}
        {% for message in messages if message.role != 'tool' %}
                                                      ^^^^^^ TC845 "The result of a call is left out. Write the content of messages with the role `tool`."
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

    code = "TC845"

    def check(self, subject: Proof) -> Iterator[Diagnostic]:
        """Yield a diagnostic where the text of a result is not in the rendering."""
        if subject.capabilities.calls is not True:
            return
        for name in ("result", "two-results"):
            both = (subject.get(name), subject.get(name, "string"))
            tried = next((each for each in both if each is not None and each.rendered is not None), None)
            if tried is not None and tried.rendered is not None:
                text = tried.rendered.text
                if not all(word in text for word in tried.probe.words):
                    message = "The result of a call is left out. Write the content of messages with the role `tool`."
                    yield self.diagnostic(mention_of_text(subject, "tool"), message)
                    return
