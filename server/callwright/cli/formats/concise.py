"""`concise`: diagnostics for people, one line each."""

from functools import partial

from callwright.cli.formats.base import Lines, OutputFormat
from callwright.cli.support.report import concise_diagnostic

FORMAT = OutputFormat(
    name="concise",
    summary="one line each",
    lay_out=lambda diagnostic, style: concise_diagnostic(
        diagnostic.path, diagnostic.document, diagnostic.diagnostic, style
    ),
    writer=partial(Lines, summed=True),
    people=True,
)
