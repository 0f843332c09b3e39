"""The rule `rendered-text-changed`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from callwright.chat_templates.differences import unread_parts
from callwright.chat_templates.probes import ASK, FORMS, Kind
from callwright.chat_templates.proof import ProbeOutcome, Proof, Tried
from callwright.rules.base import ChatTemplateRule, Diagnostic, Severity
from callwright.rules.support.rendered import by_place, mention_of_variable, probed, text_place, with_content
from callwright.text.span import Span

#: How Jinja writes null.
_NONE: Final = "None"
#: What is said of content that is no text, by the probe that has it.
_OF_CONTENT: Final = {
    "content-null": f"`{_NONE}` is written where `content` is null. Write nothing, as in `content or ''`.",
    "content-parts": (
        "A list of parts is written as the list, and that of another message by its texts. Write the text of each part."
    ),
}


class RenderedTextChanged(ChatTemplateRule):
    r"""A chat template writes another text than a message has.

    Why is this bad: the model sees another text than was written. Tokenizers can treat special tokens in a text as
    text; a template that removes or splits them loses them.

    Content that is null comes with calls of the OpenAI API. It is nothing, not `None`.

    Servers such as vLLM join the texts of a list of parts if the template does not read parts. A template that reads
    them has to do so in every message.

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
        texts = [each.rendered.text for each in subject.tried if each.rendered is not None]
        if texts and not any(ASK in text for text in texts):
            message = "The text of a user's message is left out. Write `content`."
            yield self.diagnostic(mention_of_variable(subject, "messages"), message, severity=Severity.WARNING)
            return
        of_tokens = [
            each
            for each in subject.of_kind(Kind.CONTENT)
            if each.rendered is not None and not all(word in each.rendered.text for word in each.probe.words)
        ]
        changes = [(each, text_place(subject, each)) for each in of_tokens]
        for span, tried in by_place([*changes, *_nulls(subject), *_lists(subject)]):
            names = {each.probe.name for each in tried}
            tokens = [each for each in tried if each.probe.kind is Kind.CONTENT]
            sentences = [f"The text of a message changes {probed(tokens)}. Write it as it is."] if tokens else []
            sentences += [text for name, text in _OF_CONTENT.items() if name in names]
            fixes = partial(with_content, subject.source, span) if "content-null" in names else ()
            severity = Severity.INFO if len(tokens) == len(tried) else Severity.WARNING
            yield self.diagnostic(span, " ".join(sentences), fixes, severity=severity)


def _nulls(proof: Proof) -> Iterator[tuple[Tried, Span]]:
    """Yield the probes in which content that is null is written as `None`, and where."""
    for form in FORMS:
        null, text = proof.get("content-null", form), proof.get("one-call", form)
        if null is None or text is None or text.rendered is None or null.outcome is ProbeOutcome.SKIPPED:
            continue
        at = null.reply_text.find(_NONE)
        if at >= 0 and _NONE not in text.reply_text:
            yield null, proof.span_of(null, null.reply.start + at)


def _lists(proof: Proof) -> Iterator[tuple[Tried, Span]]:
    """Yield the probes in which one list of parts is written as it is and another by its texts, and where."""
    for form in FORMS:
        tried = proof.get("content-parts", form)
        if tried is None or tried.rendered is None:
            continue
        lists = [each["content"] for each in tried.probe.messages if isinstance(each["content"], list)]
        places = unread_parts(tried)
        if len(places) < len(lists) and all(part["text"] in tried.rendered.text for parts in lists for part in parts):
            yield from ((tried, proof.span_of(tried, at)) for at in places)
