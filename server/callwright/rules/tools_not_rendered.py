"""The rule `tools-not-rendered`."""

from __future__ import annotations

from collections.abc import Iterator

from callwright.chat_templates.probes import TOOLS
from callwright.chat_templates.proof import Proof
from callwright.rules.base import ChatTemplateRule, Diagnostic, Severity
from callwright.rules.support.rendered import mention_of


class ToolsNotRendered(ChatTemplateRule):
    """A chat template reads `tools` and does not write them, or leaves their parameters out.

    Why is this bad: the model is not shown what it may call, or with which arguments.
    """

    code = "TC843"
    severity = Severity.WARNING

    def check(self, subject: Proof) -> Iterator[Diagnostic]:
        """Yield a diagnostic where a name, a description or a parameter is missing."""
        tried = subject.get("tools-only")
        if tried is None or tried.rendered is None or "tools" not in subject.variables.names:
            return
        text = tried.rendered.text
        lacking = [
            what
            for what, words in (
                ("names", [tool["function"]["name"] for tool in TOOLS]),
                ("parameters", [each for tool in TOOLS for each in tool["function"]["parameters"]["properties"]]),
            )
            if not all(word in text for word in words)
        ]
        if lacking:
            yield self.diagnostic(mention_of(subject, r"\btools\b"), f"The {lacking[0]} of the tools are not written.")
