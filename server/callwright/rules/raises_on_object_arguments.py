"""The rule `raises-on-object-arguments`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from callwright.chat_templates.proof import Proof
from callwright.rules.base import ChatTemplateRule, Diagnostic
from callwright.rules.support.rendered import by_place, failed_at, fails_alone, in_both_forms, raising


class RaisesOnObjectArguments(ChatTemplateRule):
    """A chat template fails when the arguments of a call are an object.

    Why is this bad: libraries such as transformers and most training code give the arguments as an object, and some servers parse the string of the API before they render the template.
    """

    code = "TC833"

    def check(self, subject: Proof) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each place that fails on an object and not on a string."""
        failed = [each for each in raising(subject, "object") if fails_alone(subject, each)]
        for span, tried in by_place((each, failed_at(subject, each)) for each in failed):
            message = f"Fails on arguments that are an object: {tried[0].message}"
            yield self.diagnostic(span, message, partial(in_both_forms, subject.source, span))
