"""`json-lines`: one object a line for each diagnostic, as it is found."""

from callwright.cli.formats.base import Lines, OutputFormat
from callwright.cli.support.output import to_json_line
from callwright.cli.support.report import json_diagnostic

FORMAT = OutputFormat(
    name="json-lines",
    summary="one object a line, as they are found",
    lay_out=lambda diagnostic, _: to_json_line(
        json_diagnostic(diagnostic.path, diagnostic.document, diagnostic.diagnostic)
    ),
    writer=Lines,
    offsets=True,
)
