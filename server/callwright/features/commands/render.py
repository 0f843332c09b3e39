"""The command `callwright.render`: the chat templates in an open document are rendered and checked.

Owns: what the command takes. Must not know: how templates are rendered, the message that a client gets in the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from callwright.features.base import RefusedError, Request
from callwright.features.support.commanding import Command, Done


def run(arguments: Sequence[Any], request: Request) -> Done:
    """Begin to check the document at `[uri]`; its diagnostics follow, and a message with the result.

    Raises RefusedError where there is no chat template, no trust, or no Jinja.
    """
    uri = arguments[0] if arguments else None
    if not isinstance(uri, str):
        raise RefusedError("The command requires the URI of a document.")
    if request.workspace is None:
        raise RefusedError(f"`{uri}` is not open.")
    request.workspace.check_chat_template(uri)
    return Done()


COMMAND: Final = Command(run)
