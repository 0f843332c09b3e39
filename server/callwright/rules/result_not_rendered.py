"""The rule `result-not-rendered`."""

from __future__ import annotations

from collections.abc import Iterator

from callwright.chat_templates.proof import Proof
from callwright.rules.base import ChatTemplateRule, Diagnostic
from callwright.rules.support.rendered import mention_of


class ResultNotRendered(ChatTemplateRule):
    """A chat template leaves the result of a call out.

    Why is this bad: the model calls a tool and never sees what came of it.
    """

    code = "TC845"

    def check(self, subject: Proof) -> Iterator[Diagnostic]:
        """Yield a diagnostic where the text of a result is not in the rendering."""
        if subject.capabilities.calls is not True:
            return
        for name in ("result", "two-results"):
            tried = subject.get(name) or subject.get(name, "string")
            if tried is None or tried.rendered is None:
                continue
            missing = [word for word in tried.probe.words if word not in tried.rendered.text]
            if missing:
                place = mention_of(subject, r"['\"]tool(?:_response)?['\"]")
                yield self.diagnostic(place, f"The result of a call is left out {tried.probe.about}.")
                return
