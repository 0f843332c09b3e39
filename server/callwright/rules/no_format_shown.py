"""The rule `no-format-shown`."""

from __future__ import annotations

from collections.abc import Iterator

from callwright.chat_templates.probes import TOOLS
from callwright.chat_templates.proof import Proof
from callwright.rules.base import ChatTemplateRule, Diagnostic, Severity


class NoFormatShown(ChatTemplateRule):
    """A chat template lists the tools, and neither shows how a call is written nor writes calls.

    Why is this bad: a model that was not trained on this very template does not know the format, and the calls of a conversation cannot show it.
    """

    code = "TC844"
    severity = Severity.INFO

    def check(self, subject: Proof) -> Iterator[Diagnostic]:
        """Yield a diagnostic at the list of the tools."""
        tried, one = subject.get("tools-only"), subject.get("one-call")
        if tried is None or tried.rendered is None or subject.dialects or one is None or one.rendered is None:
            return
        at = tried.rendered.text.find(TOOLS[0]["function"]["name"])
        if at >= 0 and TOOLS[0]["function"]["name"] not in one.reply_text:
            yield self.diagnostic(
                subject.span_of(tried, at), "The tools are listed, and how to call them is neither shown nor written."
            )
