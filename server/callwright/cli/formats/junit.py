"""`junit`: a report of tests, in which each finding is a test that failed.

What readers of such reports take is written down in `junit-10.xsd` of https://github.com/jenkinsci/xunit-plugin.
"""

from typing import TextIO

from callwright.cli.formats.base import Finding, OutputFormat, Spool, Told, Writer
from callwright.cli.support.report import Tally, concise_diagnostic, place, plural, text_diagnostic
from callwright.cli.support.terminal import Style, visible
from callwright.rules.base import Severity

_PLAIN = Style(on=False)


class _Suites(Writer):
    """A suite for each file with findings; errors and warnings fail, other findings are told in a test that passes."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._all = Spool()
        self._suite = Spool()
        self._path: str | None = None
        self._tests = self._failures = 0
        self._all_tests = self._all_failures = 0

    def put(self, told: Told) -> None:
        if told.path != self._path:
            self._end_suite()
            self._path = told.path
        self._tests += 1
        self._failures += told.severity in (Severity.ERROR, Severity.WARNING)
        self._suite.add(told.text + "\n")

    def _end_suite(self) -> None:
        if self._path is None:
            return
        self._all.add(f'  <testsuite name="{_escaped(self._path)}" {_counts(self._tests, self._failures)}>\n')
        for part in self._suite.parts():
            self._all.add(part)
        self._all.add("  </testsuite>\n")
        self._all_tests += self._tests
        self._all_failures += self._failures
        self._tests = self._failures = 0

    def close(self, tally: Tally, *, quiet: bool) -> None:  # noqa: ARG002 - the shape depends on no option
        self._end_suite()
        if self._all.empty:
            # Readers of reports take one without a test for a run that did not happen.
            self._all_tests = 1
            name = f"no findings in {plural(tally.files, 'file', 'files')}"
            self._all.add(f'  <testsuite name="callwright" {_counts(1, 0)}>\n')
            self._all.add(f'    <testcase name="{name}" classname="callwright"/>\n  </testsuite>\n')
        self._out.write('<?xml version="1.0" encoding="UTF-8"?>\n')
        self._out.write(f'<testsuites name="callwright" {_counts(self._all_tests, self._all_failures)}>\n')
        for part in self._all.parts():
            self._out.write(part)
        self._out.write("</testsuites>\n")


def _counts(tests: int, failures: int) -> str:
    return f'tests="{tests}" failures="{failures}" errors="0"'


class _JUnit(OutputFormat):
    name = "junit"
    summary = "a JUnit report"

    def lay_out(self, finding: Finding, style: Style) -> str:  # noqa: ARG002 - a program reads no colours
        one = finding.diagnostic
        line, column = place(finding.document, one.span.start)
        name = _escaped(f"{one.code} {one.name} ({line}:{column})")
        test = f'<testcase name="{name}" classname="{_escaped(finding.path)}">'
        if one.severity in (Severity.ERROR, Severity.WARNING):
            message = _escaped(" ".join(one.message.split("\n")))
            body = _escaped_lines(text_diagnostic(finding.path, finding.document, one, _PLAIN))
            inner = f'<failure type="{one.severity.value}" message="{message}">{body}</failure>'
        else:
            said = _escaped(concise_diagnostic(finding.path, finding.document, one, _PLAIN))
            inner = f"<system-out>{said}</system-out>"
        return f"    {test}\n      {inner}\n    </testcase>"

    def writer(self, out: TextIO) -> Writer:
        return _Suites(out)


def _escaped(text: str) -> str:
    """Return text that may stand anywhere in XML: what XML has no way to write is shown as a sign."""
    safe = "".join("\ufffd" if one in "\ufffe\uffff" else one for one in visible(text))
    return safe.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def _escaped_lines(text: str) -> str:
    return "\n".join(map(_escaped, text.split("\n")))


FORMAT = _JUnit()
