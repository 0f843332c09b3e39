"""`text`: diagnostics for people, with the source line and the fix."""

from functools import partial

from callwright.cli.formats.base import Lines, OutputFormat
from callwright.cli.support.report import text_diagnostic

FORMAT = OutputFormat(
    name="text",
    summary="for people, with the source line and the fix",
    lay_out=lambda diagnostic, style: text_diagnostic(
        diagnostic.path, diagnostic.document, diagnostic.diagnostic, style
    ),
    writer=partial(Lines, end="\n\n", summed=True),
    people=True,
)
