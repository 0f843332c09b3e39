"""The rule `generation-prompt-differs`."""

from __future__ import annotations

from collections.abc import Iterator

from callwright.chat_templates.probes import shown
from callwright.chat_templates.proof import Proof
from callwright.rules.base import ChatTemplateRule, Diagnostic, Severity
from callwright.rules.support.rendered import mention_of


class GenerationPromptDiffers(ChatTemplateRule):
    """The generation prompt of a chat template opens a reply in a way in which none is written.

    Why is this bad: the model begins its reply with text that was at the beginning of no reply it was trained on or has seen in the conversation.
    """

    code = "TC847"
    severity = Severity.WARNING

    def check(self, subject: Proof) -> Iterator[Diagnostic]:
        """Yield a diagnostic where no reply begins with the prompt."""
        replies = [each for each in subject.tried if each.probe.reply == 1 and each.rendered is not None]
        plain = [each for each in replies if each.prefix is not None and each.prompted is not None]
        if not plain:
            return
        prompts = {_added(each.prefix or "", each.prompted or "") for each in plain}
        if len(prompts) != 1 or (prompt := prompts.pop()) is None or not prompt:
            return
        if not any(
            (each.rendered.text if each.rendered else "").startswith((each.prefix or "") + prompt) for each in plain
        ):
            yield self.diagnostic(
                mention_of(subject, r"\badd_generation_prompt\b"),
                f"The generation prompt is {shown(prompt)}, and no reply is written with this beginning.",
            )


def _added(prefix: str, prompted: str) -> str | None:
    """Return what the generation prompt adds; None where it changes what is before it."""
    return prompted[len(prefix) :] if prompted.startswith(prefix) else None
