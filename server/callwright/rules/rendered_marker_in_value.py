"""The rule `rendered-marker-in-value`."""

from __future__ import annotations

from collections.abc import Iterator

from callwright.chat_templates.differences import Difference, difference_of
from callwright.chat_templates.proof import Proof
from callwright.rules.base import ChatTemplateRule, Diagnostic, Severity
from callwright.rules.support.rendered import by_place, place_of, probed


class RenderedMarkerInValue(ChatTemplateRule):
    """A marker of the dialect inside an argument ends the argument or the call.

    Why is this bad: a value that holds the marker, such as a file about the model itself, cannot be written. The dialect has no escape for it: parse calls with care, or write such values in another way.
    """

    code = "TC839"
    severity = Severity.INFO

    def check(self, subject: Proof) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each place that does this."""
        found = [each for each in subject.tried if difference_of(subject, each) is Difference.MARKER]
        for span, tried in by_place((each, place_of(subject, each)) for each in found):
            yield self.diagnostic(span, f"A marker in a value ends it {probed(tried)}: {tried[0].message}")
