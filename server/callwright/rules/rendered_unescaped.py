"""The rule `rendered-unescaped`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from callwright.chat_templates.differences import Difference, difference_of
from callwright.chat_templates.proof import Proof
from callwright.rules.base import ChatTemplateRule, Diagnostic
from callwright.rules.support.rendered import as_json, by_place, place_of, probed


class RenderedUnescaped(ChatTemplateRule):
    """A chat template writes a quote, a backslash or a line break of an argument as it is, where it has to be escaped.

    Why is this bad: the call cannot be read back, and the model learns to write calls that cannot be read.
    """

    code = "TC838"

    def check(self, subject: Proof) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each place that does this."""
        found = [each for each in subject.tried if difference_of(subject, each) is Difference.UNESCAPED]
        for span, tried in by_place((each, place_of(subject, each)) for each in found):
            yield self.diagnostic(
                span,
                f"An argument is not escaped {probed(tried)}: {tried[0].message}",
                partial(as_json, subject.source, span),
            )
