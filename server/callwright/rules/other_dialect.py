"""The rule `other-dialect`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from callwright.calls.model import NATIVE
from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import CallRule, Diagnostic, ErrorType, Severity
from callwright.rules.support.conversion_fixes import ConversionFix

if TYPE_CHECKING:
    from callwright.schema.binding import Binding

_TITLES = {
    ("xml-children", "xml-json"): "Convert XML children to JSON",
    ("xml-json", "xml-children"): "Convert JSON to XML children",
    ("tool-call-json", "tool-call-xml"): "Convert JSON arguments to XML elements",
    ("tool-call-xml", "tool-call-json"): "Convert XML elements to JSON arguments",
}


class OtherDialect(CallRule):
    """The call is in a dialect other than the one expected here.

    Why is this bad: the agent's parser reads one dialect; a call in another is prose to it. And models imitate what
    they see: one example in the old dialect undoes the instructions for the new one. During a migration, dialects in
    `accept` are accepted and only get a hint. Requests and responses of an API are written in the API's format, so a
    call inside such a JSON value is not reported.

    Settings
        dialect = "xml-json"

    Example
        <debug_launch><program>a.py</program></debug_launch>
         ^^^^^^^^^^^^ TC401 "This call is in `xml-children`, but `xml-json` is expected here."

    Use instead
        <debug_launch>{"program": "a.py"}</debug_launch>
    """

    code = "TC401"
    fast_path = FastPath.PLAIN  # no fast path reads calls in texts where a dialect is configured
    error_type = ErrorType.NO_CALLS

    def check(self, subject: Binding) -> Iterator[Diagnostic]:
        """Yield a diagnostic where a dialect is demanded and the call is in another."""
        wanted, used = subject.settings.dialect, subject.call.dialect
        if wanted is None or used in (wanted, NATIVE, *subject.settings.taken):
            return
        if "stays" in subject.call.details and not subject.settings.strict:
            return
        if any(problem.data.get("strange") for problem in subject.call.problems):
            # It is in no dialect, which another rule reports.
            return
        accepted = used in subject.settings.accept and not subject.settings.strict
        if accepted:
            message = f"This call is in `{used}`, which is accepted here; `{wanted}` is preferred."
        else:
            message = f"This call is in `{used}`, but `{wanted}` is expected here."
        fix = ConversionFix(subject, wanted, _TITLES.get((used, wanted), f"Convert to `{wanted}`"))
        yield self.diagnostic(
            subject.call.tool_span,
            message,
            fix.fixes,
            severity=Severity.HINT if accepted else self.severity,
            missing=fix.missing,
        )
