"""The rule `generation-prompt-differs`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from callwright.chat_templates.probes import shown
from callwright.chat_templates.proof import Proof
from callwright.rules.base import ChatTemplateRule, Diagnostic, Severity
from callwright.rules.support.rendered import mention_of_variable

#: What prompts of models have that reason.
_REASONING: Final = re.compile(r"think|thought|reason", re.IGNORECASE)


class GenerationPromptDiffers(ChatTemplateRule):
    r"""The generation prompt of a chat template opens a reply in a way in which no reply is written.

    Why is this bad: the model continues a text that is at the beginning of none of the replies that it sees in the
    conversation or was trained on.

    Templates of models that reason often open the reasoning in the prompt and leave old reasoning out. There it is an
    info.

    Example path=chat_template.jinja
        {% if tools %}<|system|>{{ tools | tojson }}{% endif %}
        {% for message in messages %}
        <|{{ message.role }}|>{{ message.content or '' }}
        {% for call in message.tool_calls or [] %}
        {% set args = call.function.arguments %}
        <tool_call>{"name": "{{ call.function.name }}", "arguments": {{ args if args is string else args | tojson }}}</tool_call>
        {% endfor %}
        {% endfor %}
        {% if add_generation_prompt %}<|bot|>{% endif %}
              ^^^^^^^^^^^^^^^^^^^^^ TC847 "The generation prompt is "<|bot|>", and no reply begins with it. Begin replies like it."

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

    code = "TC847"
    severity = Severity.WARNING

    def check(self, subject: Proof) -> Iterator[Diagnostic]:
        """Yield a diagnostic where no reply begins with the prompt."""
        replies = [each for each in subject.tried if each.probe.reply is not None and each.rendered is not None]
        prompts = {_added(each.prefix, each.prompted) for each in replies}
        prompt = prompts.pop() if len(prompts) == 1 else None
        if not prompt or not prompt.strip():
            return
        rendered = [each.rendered.text for each in subject.tried if each.rendered is not None]
        if not any(prompt in text for text in rendered):
            severity = Severity.INFO if _REASONING.search(prompt) else Severity.WARNING
            message = f"The generation prompt is {shown(prompt)}, and no reply begins with it. Begin replies like it."
            yield self.diagnostic(mention_of_variable(subject, "add_generation_prompt"), message, severity=severity)


def _added(prefix: str | None, prompted: str | None) -> str | None:
    """Return what the generation prompt adds; None where it changes what is before it, or is not known."""
    if prefix is None or prompted is None or not prompted.startswith(prefix):
        return None
    return prompted[len(prefix) :]
