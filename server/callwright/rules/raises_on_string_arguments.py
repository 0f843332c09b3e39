"""The rule `raises-on-string-arguments`."""

from __future__ import annotations

from collections.abc import Iterator

from callwright.chat_templates.proof import Proof
from callwright.rules.base import ChatTemplateRule, Diagnostic
from callwright.rules.support.rendered import by_place, failed_at, fails_alone, raising


class RaisesOnStringArguments(ChatTemplateRule):
    """A chat template fails when the arguments of a call are the JSON string that clients of the OpenAI API send.

    Why is this bad: the OpenAI API has the arguments of a call as a string of JSON. A server that does not parse this string before it renders the template answers every conversation with a call with an error.
    """

    code = "TC832"

    def check(self, subject: Proof) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each place that fails on a string and not on an object."""
        failed = [each for each in raising(subject, "string") if fails_alone(subject, each)]
        for span, tried in by_place((each, failed_at(subject, each)) for each in failed):
            message = f"Fails on arguments that are a JSON string, as the OpenAI API has them: {tried[0].message}"
            yield self.diagnostic(span, message)
