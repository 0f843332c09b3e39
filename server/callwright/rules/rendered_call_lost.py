"""The rule `rendered-call-lost`."""

from __future__ import annotations

from collections.abc import Iterator

from callwright.chat_templates.differences import Difference, difference_of
from callwright.chat_templates.proof import Proof
from callwright.rules.base import ChatTemplateRule, Diagnostic
from callwright.rules.support.rendered import by_place, mentions_calls, place_of, probed


class RenderedCallLost(ChatTemplateRule):
    """A chat template leaves calls out.

    Why is this bad: the conversation that the model sees has no call, or fewer than were made, while results may follow.
    """

    code = "TC841"

    def check(self, subject: Proof) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each place that does this."""
        if not mentions_calls(subject):
            return
        found = [each for each in subject.tried if difference_of(subject, each) is Difference.LOST]
        for span, tried in by_place((each, place_of(subject, each)) for each in found):
            yield self.diagnostic(span, f"Calls are left out {probed(tried)}")
