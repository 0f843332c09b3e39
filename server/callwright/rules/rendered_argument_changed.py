"""The rule `rendered-argument-changed`."""

from __future__ import annotations

from collections.abc import Iterator

from callwright.chat_templates.differences import Difference, difference_of
from callwright.chat_templates.proof import Proof
from callwright.rules.base import ChatTemplateRule, Diagnostic
from callwright.rules.support.rendered import by_place, place_of, probed


class RenderedArgumentChanged(ChatTemplateRule):
    """A chat template writes a call with other arguments than it was given.

    Why is this bad: the model sees, and learns, a call that was not made.
    """

    code = "TC835"

    def check(self, subject: Proof) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each place that does this."""
        found = [each for each in subject.tried if difference_of(subject, each) is Difference.CHANGED]
        for span, tried in by_place((each, place_of(subject, each)) for each in found):
            yield self.diagnostic(span, f"Arguments change {probed(tried)}: {tried[0].message}")
