"""`concise`: findings for people, one line each."""

from typing import TextIO

from callwright.cli.formats.base import Finding, Lines, OutputFormat, Writer
from callwright.cli.support.report import concise_diagnostic
from callwright.cli.support.terminal import Style


class _Concise(OutputFormat):
    name = "concise"
    summary = "one line each"
    people = True

    def lay_out(self, finding: Finding, style: Style) -> str:
        return concise_diagnostic(finding.path, finding.document, finding.diagnostic, style)

    def writer(self, out: TextIO) -> Writer:
        return Lines(out, summed=True)


FORMAT = _Concise()
