"""`text`: findings for people, with the source line and the fix."""

from typing import TextIO

from callwright.cli.formats.base import Finding, Lines, OutputFormat, Writer
from callwright.cli.support.report import text_diagnostic
from callwright.cli.support.terminal import Style


class _Text(OutputFormat):
    name = "text"
    summary = "for people, with the source line and what mends it"
    people = True

    def lay_out(self, finding: Finding, style: Style) -> str:
        return text_diagnostic(finding.path, finding.document, finding.diagnostic, style)

    def writer(self, out: TextIO) -> Writer:
        return Lines(out, end="\n\n", summed=True)


FORMAT = _Text()
