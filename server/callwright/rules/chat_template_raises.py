"""The rule `chat-template-raises`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from callwright.chat_templates.probes import FORMS
from callwright.chat_templates.proof import Proof
from callwright.rules.base import ChatTemplateRule, Diagnostic, Severity
from callwright.rules.support.rendered import by_place, failed_at, fails_alone, probed, raising

#: What every client sends to a template for calls.
_ORDINARY: Final = frozenset({"tools-only", "one-call", "content-null", "result", "follow-up", "value: plain"})


class ChatTemplateRaises(ChatTemplateRule):
    """A chat template fails on a conversation that clients send.

    Why is this bad: the server answers with an error, for reasons that its client cannot see. A template that does not support something says so with `raise_exception`.
    """

    code = "TC834"

    def check(self, subject: Proof) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each place that fails, with what was tried."""
        failed = [
            each
            for form in FORMS
            for each in raising(subject, form)
            if not fails_alone(subject, each) and each.failed is not None and each.failed.kind != "refused"
        ]
        for span, tried in by_place((each, failed_at(subject, each)) for each in failed):
            severity = Severity.ERROR if any(each.probe.name in _ORDINARY for each in tried) else Severity.WARNING
            yield self.diagnostic(span, f"Fails {probed(tried)}: {tried[0].message}", severity=severity)
