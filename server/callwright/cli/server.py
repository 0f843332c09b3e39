"""The `server` command: the language server on the standard streams.

Owns: nothing but its start. Must not know: the protocol.
"""

from callwright.cli.support.options import Options, option


class ServerOptions(Options):
    """What `callwright server` takes."""

    stdio: bool = option("Use the standard streams. There is no other way; editors say it all the same.", default=False)


def run(options: ServerOptions) -> int:
    """Start the language server; an editor talks to it over standard input and output."""
    del options
    from callwright.lsp.process import run as serve

    return serve()
