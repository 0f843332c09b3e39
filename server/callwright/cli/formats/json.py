"""`json`: one object with all findings and the counts."""

from typing import TextIO

from callwright.cli.formats.base import Finding, Framed, OutputFormat, Writer
from callwright.cli.support.output import to_json
from callwright.cli.support.report import Tally, json_diagnostic
from callwright.cli.support.terminal import Style


class _Object(Framed):
    def frame(self, tally: Tally) -> tuple[str, str]:
        whole = to_json({"files": tally.files, "diagnostics": [], "summary": tally.as_json()})
        before, _, after = whole.partition("[]")
        return before + "[", "]" + after


class _Json(OutputFormat):
    name = "json"
    summary = "one object for programs"
    offsets = True

    def lay_out(self, finding: Finding, style: Style) -> str:  # noqa: ARG002 - a program reads no colours
        return to_json(json_diagnostic(finding.path, finding.document, finding.diagnostic))

    def writer(self, out: TextIO) -> Writer:
        return _Object(out)


FORMAT = _Json()
