"""The rule `rendered-encoded-twice`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from callwright.chat_templates.differences import Difference, difference_of, is_encoded_twice
from callwright.chat_templates.proof import Proof
from callwright.rules.base import ChatTemplateRule, Diagnostic
from callwright.rules.support.rendered import arguments_place, by_place, in_both_forms


class RenderedEncodedTwice(ChatTemplateRule):
    """A chat template writes arguments that are a JSON string as a string in JSON.

    Why is this bad: the arguments of the API are JSON already. Encoded once more, the model sees, and learns to write, a string with escaped quotes where an object belongs.
    """

    code = "TC836"

    def check(self, subject: Proof) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each place that encodes a string once more."""
        found = [
            each
            for each in subject.tried
            if is_encoded_twice(subject, each) or difference_of(subject, each) is Difference.ENCODED_TWICE
        ]
        for span, _ in by_place((each, arguments_place(subject, each)) for each in found):
            message = "Arguments that are a JSON string are encoded once more. Write the string as it is."
            yield self.diagnostic(span, message, partial(in_both_forms, subject.source, span))
