"""Commands: whatever `commands/` holds, by its name.

Owns: `workspace/executeCommand`. Must not know: any single command, positions.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any, Final

from callwright.features.base import Edge, Feature, RefusedError, Request
from callwright.features.support.commanding import PREFIX, Command, Done, command_names


def handle(_snapshot: None, request: Request) -> Done:
    """Run the command; raise RefusedError where there is no such one, and where it cannot be done."""
    name = str(request.params.command)
    if name not in command_names():
        from callwright.tools.names import nearest

        near = nearest(name, command_names())
        remedy = f"did you mean `{near}`?" if near is not None else f"the commands are {', '.join(command_names())}."
        raise RefusedError(f"There is no command `{name}`; {remedy}")
    command: Command = importlib.import_module(f"callwright.features.commands.{name.removeprefix(PREFIX)}").COMMAND
    done = command.run(list(request.params.arguments or ()), request)
    if done.edits and not request.client.promises("workspace.applyEdit"):
        raise RefusedError("The editor does not allow a server to change documents.")
    return done


def to_lsp(result: Done, _edge: Edge) -> Any:
    """Return the command's value."""
    return result.value


def to_apply(result: Done, edge: Edge) -> Iterator[dict[str, Any]]:
    """Yield what the client is asked to change."""
    if result.edits and result.snapshot is not None:
        yield {"label": result.label, "edit": edge.of(result.snapshot).to_lsp_workspace_edit(result.edits)}


FEATURE: Final = Feature(
    method="workspace/executeCommand",
    capability="executeCommandProvider",
    options={"commands": command_names()},
    handle=handle,
    to_lsp=to_lsp,
    to_apply=to_apply,
    of_workspace=True,
)
