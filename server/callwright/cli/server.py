"""The `server` command: the language server on the standard streams.

Owns: nothing but its start. Must not know: the protocol.
"""

from callwright.cli.support.options import Options, option


class ServerOptions(Options, examples=("callwright server",)):
    """What `callwright server` takes."""

    stdio: bool = option(
        "Use standard input and output, which is always the case; some editors pass it.", default=False
    )


def run(options: ServerOptions) -> int:
    """Start the language server on standard input and output."""
    del options
    from callwright.lsp.process import run as serve

    return serve()
