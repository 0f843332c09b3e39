"""`github`: workflow commands, which GitHub shows beside the lines that they are about.

The commands and what has to be escaped in them:
https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands and `command.ts` in
https://github.com/actions/toolkit.
"""

from typing import Final

from callwright.cli.formats.base import DiagnosticToPrint, Lines, OutputFormat
from callwright.cli.support.report import place
from callwright.cli.support.terminal import Style, visible
from callwright.rules.base import Severity

_COMMANDS: Final = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFO: "notice",
    Severity.HINT: "notice",
}


def _laid_out(diagnostic: DiagnosticToPrint, _: Style) -> str:
    one = diagnostic.diagnostic
    line, column = place(diagnostic.document, one.span.start)
    last, after = place(diagnostic.document, one.span.end)
    stated = " ".join(visible(part).strip() for part in one.message.split("\n"))
    path = visible(diagnostic.path)
    where = {"title": f"Callwright ({one.code})", "file": path.replace("\\", "/"), "line": line}
    # GitHub reads columns within one line only, and counts the last one in.
    where |= {"col": column, "endColumn": max(after - 1, column)} if line == last else {"endLine": last}
    properties = ",".join(f"{name}={_property(str(value))}" for name, value in where.items())
    text = f"{path}:{line}:{column}: {one.code} [{one.name}] {stated}"
    return f"::{_COMMANDS[one.severity]} {properties}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


FORMAT = OutputFormat(
    name="github",
    summary="annotations of a GitHub workflow",
    lay_out=_laid_out,
    writer=Lines,
)
