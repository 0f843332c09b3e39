"""`json-lines`: one object a line for each finding, as it is found."""

from typing import TextIO

from callwright.cli.formats.base import Finding, Lines, OutputFormat, Writer
from callwright.cli.support.output import to_json_line
from callwright.cli.support.report import json_diagnostic
from callwright.cli.support.terminal import Style


class _JsonLines(OutputFormat):
    name = "json-lines"
    summary = "one object a line, as they are found"
    offsets = True

    def lay_out(self, finding: Finding, style: Style) -> str:  # noqa: ARG002 - a program reads no colours
        return to_json_line(json_diagnostic(finding.path, finding.document, finding.diagnostic))

    def writer(self, out: TextIO) -> Writer:
        return Lines(out)


FORMAT = _JsonLines()
