"""What a command is: something that a client can have done by its name.

Owns: the form of a command, and which there are. Must not know: any single command, protocols. It is cheap to import,
since a client waits.

A module `commands/feedback.py` is the command `callwright.feedback`, and exports it as `COMMAND`.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot
    from callwright.features.base import Request
    from callwright.text.span import Edit

PREFIX: Final = "callwright."


@dataclass(frozen=True, slots=True)
class Done:
    """The result of a command: a value for the client, and the changes of a document, announced by `label`."""

    value: Any = None
    snapshot: Snapshot | None = None
    edits: Sequence[Edit] = ()
    label: str = ""


@dataclass(frozen=True, slots=True)
class Command:
    """A command; `run` is given the arguments as they came and the request."""

    run: Callable[[Sequence[Any], Request], Done]


def command_names() -> list[str]:
    """Return the commands, by listing their folder."""
    folder = str(Path(__file__).parents[1] / "commands")
    return [f"{PREFIX}{name}" for name in sorted(info.name for info in pkgutil.iter_modules([folder]))]


def place_of(arguments: Sequence[Any], request: Request) -> tuple[Snapshot, int]:
    """Return the document and the offset that the first two arguments name: its URI and, if given, a position.

    Raises RefusedError where there is no such document.
    """
    from callwright.features.base import RefusedError

    uri = arguments[0] if arguments else None
    position = arguments[1] if len(arguments) > 1 else None
    if not isinstance(uri, str) or not (position is None or _is_position(position)):
        raise RefusedError("The command requires the URI of a document and a position in it.")
    found = request.workspace.place(uri, position) if request.workspace is not None else None
    if found is None:
        raise RefusedError(f"`{uri}` is not open, or is not a document that Callwright checks.")
    return found


def _is_position(value: Any) -> bool:
    return isinstance(value, dict) and all(type(value.get(key)) is int for key in ("line", "character"))
