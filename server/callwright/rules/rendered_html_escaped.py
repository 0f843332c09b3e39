"""The rule `rendered-html-escaped`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from callwright.chat_templates.differences import Difference, difference_of
from callwright.chat_templates.proof import Proof
from callwright.rules.base import ChatTemplateRule, Diagnostic
from callwright.rules.support.rendered import by_place, place_of, probed, without_escape


class RenderedHtmlEscaped(ChatTemplateRule):
    """A chat template writes `<`, `&` or quotes of an argument as entities of HTML.

    Why is this bad: the model sees `&lt;` where the argument has `<`, and writes entities itself. Jinja's own `tojson` and `escape` do this; the libraries of models replace `tojson` by one that does not.
    """

    code = "TC837"

    def check(self, subject: Proof) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each place that does this."""
        found = [each for each in subject.tried if difference_of(subject, each) is Difference.HTML]
        for span, tried in by_place((each, place_of(subject, each)) for each in found):
            yield self.diagnostic(
                span,
                f"Writes characters of an argument as HTML entities {probed(tried)}: {tried[0].message}",
                partial(without_escape, subject.source, span),
            )
