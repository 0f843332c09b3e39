"""The rule `rendered-ids-lost`."""

from __future__ import annotations

from collections.abc import Iterator

from callwright.chat_templates.proof import ProbeOutcome, Proof
from callwright.rules.base import ChatTemplateRule, Diagnostic, Severity


class RenderedIdsLost(ChatTemplateRule):
    """A chat template writes the ids of results and not those of calls, or the other way round.

    Why is this bad: a result names the call that it is for by an id that the model never saw.
    """

    code = "TC842"
    severity = Severity.WARNING

    def check(self, subject: Proof) -> Iterator[Diagnostic]:
        """Yield a diagnostic where only one of the two is written."""
        tried = subject.get("two-results") or subject.get("two-results", "string")
        if tried is None or tried.rendered is None or tried.outcome is not ProbeOutcome.SAME:
            return
        ids = [call.id for call in tried.probe.calls if call.id is not None]
        after = tried.rendered.text[tried.reply.end :]
        of_calls, of_results = (all(each in part for each in ids) for part in (tried.reply_text, after))
        if of_calls != of_results:
            missing, there = ("results", "calls") if of_calls else ("calls", "results")
            place = (
                tried.reply_text.find(ids[0]) + tried.reply.start if of_calls else tried.reply.end + after.find(ids[0])
            )
            yield self.diagnostic(
                subject.span_of(tried, place), f"The ids of {there} are written, and those of {missing} are not."
            )
