"""The rule `rendered-text-changed`."""

from __future__ import annotations

from collections.abc import Iterator

from callwright.chat_templates.probes import Kind
from callwright.chat_templates.proof import Proof
from callwright.rules.base import ChatTemplateRule, Diagnostic, Severity
from callwright.rules.support.rendered import by_place, probed, text_place


class RenderedTextChanged(ChatTemplateRule):
    r"""A chat template changes the text of a message that contains a special token.

    Why is this bad: the model sees another text than the user wrote. Tokenizers can treat special tokens in a text as
    text; a template that removes or splits them loses them.

    Example path=chat_template.jinja
        {% if tools %}<|system|>{{ tools | tojson }}{% endif %}
        {% for message in messages %}
        <|{{ message.role }}|>{{ (message.content or '') | replace('</s>', '') }}
                              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ TC848 "The text of a message changes with `</s>` in a user's message. Write it as it is."
        {% for call in message.tool_calls or [] %}
        {% set args = call.function.arguments %}
        <tool_call>{"name": "{{ call.function.name }}", "arguments": {{ args if args is string else args | tojson }}}</tool_call>
        {% endfor %}
        {% endfor %}
        {% if add_generation_prompt %}<|assistant|>{% endif %}

    Use instead
        {% if tools %}<|system|>{{ tools | tojson }}{% endif %}
        {% for message in messages %}
        <|{{ message.role }}|>{{ (message.content or '') }}
        {% for call in message.tool_calls or [] %}
        {% set args = call.function.arguments %}
        <tool_call>{"name": "{{ call.function.name }}", "arguments": {{ args if args is string else args | tojson }}}</tool_call>
        {% endfor %}
        {% endfor %}
        {% if add_generation_prompt %}<|assistant|>{% endif %}
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC848"
    severity = Severity.INFO

    def check(self, subject: Proof) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each place that writes another text."""
        found = [
            each
            for each in subject.of_kind(Kind.CONTENT)
            if each.rendered is not None and not all(word in each.rendered.text for word in each.probe.words)
        ]
        for span, tried in by_place((each, text_place(subject, each)) for each in found):
            yield self.diagnostic(span, f"The text of a message changes {probed(tried)}. Write it as it is.")
