"""The options of commands that report diagnostics in a format of the user's choice.

Owns: `ReportOptions`. Must not know: any single format, single commands.
"""

from typing import TYPE_CHECKING, Literal, TypeAlias

from callwright.cli.support.formats import format_names
from callwright.cli.support.options import Options, option

if TYPE_CHECKING:
    OutputFormat: TypeAlias = str
else:
    # The formats are what their folder contains.
    OutputFormat = Literal[format_names()]


class ReportOptions(Options, group=True, section="Output"):
    """The format of the report, and where it is written."""

    output_format: OutputFormat = option("The format of the report.", default="text", value="FORMAT")
    output_file: str | None = option(
        "Write the report to this file instead of standard output.", default=None, short="-o", value="PATH"
    )
