"""The `server` command: the language server on the standard streams.

Owns: nothing but its start. Must not know: the protocol.
"""


def run(*, stdio: bool = False) -> int:
    """Start the language server; an editor talks to it over standard input and output.

    Parameters
    ----------
    stdio
        Use the standard streams. There is no other way; editors say it all the same.
    """
    del stdio
    from callwright.lsp.process import run as serve

    return serve()
