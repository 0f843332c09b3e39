"""`json`: one object with all diagnostics and the counts."""

from callwright.cli.formats.base import Framed, OutputFormat
from callwright.cli.support.output import to_json
from callwright.cli.support.report import Tally, json_diagnostic


class _Object(Framed):
    def frame(self, tally: Tally) -> tuple[str, str]:
        failures = {"failures": tally.failures} if tally.failures else {}
        whole = to_json({"files": tally.files, "diagnostics": [], "summary": tally.as_json(), **failures})
        before, _, after = whole.partition("[]")
        return before + "[", "]" + after


FORMAT = OutputFormat(
    name="json",
    summary="one object for programs",
    lay_out=lambda diagnostic, _: to_json(json_diagnostic(diagnostic.path, diagnostic.document, diagnostic.diagnostic)),
    writer=_Object,
    offsets=True,
)
