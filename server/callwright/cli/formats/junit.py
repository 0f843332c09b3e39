"""`junit`: a report of tests, in which each diagnostic is a test that failed.

What readers of such reports take is written down in `junit-10.xsd` of https://github.com/jenkinsci/xunit-plugin.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TextIO

from callwright.cli.formats.base import DiagnosticToPrint, OutputFormat, RenderedDiagnostic, Spool, Writer
from callwright.cli.support.report import Tally, concise_diagnostic, place, plural, text_diagnostic
from callwright.cli.support.terminal import Style, visible
from callwright.rules.base import Severity

_PLAIN = Style(on=False)
#: What XML has no way to write, and `visible` leaves.
_NO_CHARACTER: Final = str.maketrans({0xFFFE: "\ufffd", 0xFFFF: "\ufffd"})


class _Suites(Writer):
    """A suite for each file with diagnostics; errors and warnings fail, other diagnostics are in a test that passes.
    What could not be done is an error in a suite of its own."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._all = Spool()
        self._suite = Spool()
        self._path: str | None = None
        self._tests = self._failures = 0
        self._all_tests = self._all_failures = 0

    def put(self, reported: RenderedDiagnostic) -> None:
        if reported.path != self._path:
            self._end_suite()
            self._path = reported.path
        self._tests += 1
        self._failures += reported.severity in (Severity.ERROR, Severity.WARNING)
        self._suite.add(reported.text + "\n")

    def _end_suite(self) -> None:
        if self._path is None:
            return
        self._all.add(f"  {_opener('testsuite', self._path, self._tests, self._failures)}\n")
        for part in self._suite.parts():
            self._all.add(part)
        self._all.add("  </testsuite>\n")
        self._all_tests += self._tests
        self._all_failures += self._failures
        self._tests = self._failures = 0

    def close(self, tally: Tally, *, quiet: bool) -> None:  # noqa: ARG002 - the shape depends on no option
        self._end_suite()
        errors = len(tally.failures)
        if errors:
            self._all.add(f"  {_opener('testsuite', 'callwright', errors, 0, errors)}\n")
            for number, message in enumerate(tally.failures, 1):
                test = _element("testcase", {"name": f"failure {number}", "classname": "callwright"})
                _element("error", {"type": "failure", "message": message}, parent=test)
                self._all.add(f"    {_written(test)}\n")
            self._all.add("  </testsuite>\n")
            self._all_tests += errors
        if self._all.empty:
            # Readers of reports take one without a test for a run that did not happen.
            self._all_tests = 1
            name = f"no diagnostics in {plural(tally.files, 'file', 'files')}"
            test = _written(_element("testcase", {"name": name, "classname": "callwright"}))
            self._all.add(f"  {_opener('testsuite', 'callwright', 1, 0)}\n    {test}\n  </testsuite>\n")
        self._out.write('<?xml version="1.0" encoding="UTF-8"?>\n')
        self._out.write(_opener("testsuites", "callwright", self._all_tests, self._all_failures, errors) + "\n")
        for part in self._all.parts():
            self._out.write(part)
        self._out.write("</testsuites>\n")


def _opener(tag: str, name: str, tests: int, failures: int, errors: int = 0) -> str:
    """Return the opening tag of an element whose content is written by itself: its numbers are known at its end."""
    counts = {"tests": str(tests), "failures": str(failures), "errors": str(errors)}
    return _written(_element(tag, {"name": name, **counts})).removesuffix("/>") + ">"


def _element(tag: str, attributes: Mapping[str, str], text: str | None = None, parent: Any = None) -> Any:
    """Return an element, made in `parent` where that is given; what XML cannot hold is shown by signs."""
    # Loaded where a report is written: listing the formats does not wait for it.
    from lxml import etree  # type: ignore[import-untyped]  # lxml ships no types

    shown = {name: _shown(value) for name, value in attributes.items()}
    made = etree.Element(tag, shown) if parent is None else etree.SubElement(parent, tag, shown)
    made.text = None if text is None else "\n".join(map(_shown, text.split("\n")))
    return made


def _shown(text: str) -> str:
    return visible(text).translate(_NO_CHARACTER)


def _written(element: Any) -> str:
    from lxml import etree

    return str(etree.tostring(element, encoding="unicode"))


def _laid_out(diagnostic: DiagnosticToPrint, _: Style) -> str:
    one = diagnostic.diagnostic
    line, column = place(diagnostic.document, one.span.start)
    named = {"name": f"{one.code} {one.name} ({line}:{column})", "classname": diagnostic.path}
    test = _element("testcase", named)
    test.text, after = "\n      ", "\n    "
    if one.severity in (Severity.ERROR, Severity.WARNING):
        stated = {"type": one.severity.value, "message": " ".join(one.message.split("\n"))}
        body = text_diagnostic(diagnostic.path, diagnostic.document, one, _PLAIN)
        _element("failure", stated, body, test).tail = after
    else:
        body = concise_diagnostic(diagnostic.path, diagnostic.document, one, _PLAIN)
        _element("system-out", {}, body, test).tail = after
    return f"    {_written(test)}"


FORMAT = OutputFormat(
    name="junit",
    summary="a JUnit report",
    lay_out=_laid_out,
    writer=_Suites,
)
