"""The rule `rendered-call-unread`."""

from __future__ import annotations

from collections.abc import Iterator

from callwright.chat_templates.differences import Difference, difference_of
from callwright.chat_templates.proof import Proof
from callwright.rules.base import ChatTemplateRule, Diagnostic
from callwright.rules.support.rendered import by_place, place_of, probed


class RenderedCallUnread(ChatTemplateRule):
    """A chat template writes a call that no dialect reads.

    Why is this bad: the parsers of servers read known dialects. A call in none of them, or in one with an error, reaches no tool.
    """

    code = "TC840"

    def check(self, subject: Proof) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each place that does this."""
        found = [each for each in subject.tried if difference_of(subject, each) is Difference.UNREAD]
        for span, tried in by_place((each, place_of(subject, each)) for each in found):
            yield self.diagnostic(span, f"The call is not read back {probed(tried)}: {tried[0].message}")
