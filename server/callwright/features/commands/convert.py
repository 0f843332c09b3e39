"""The command `callwright.convert`: a call, or all of them, in another dialect.

Owns: what the command takes, and its edits. Must not know: how a call is converted, protocols.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from callwright.features.base import RefusedError, Request
from callwright.features.support.commanding import Command, Done, place_of


def run(arguments: Sequence[Any], request: Request) -> Done:
    """Return the edits that convert the call at a position, or every call where that is null.

    The arguments are `[uri, position, dialect]`; without a dialect, the one that the settings name is meant.
    """
    from callwright.conversion import convert_document
    from callwright.dialects.catalogue import dialect_names
    from callwright.document.settings import unknown_dialect
    from callwright.features.support.differences import edits_between

    snapshot, offset = place_of(arguments, request)
    wanted = arguments[2] if len(arguments) > 2 else None
    dialect = snapshot.settings.dialect if wanted is None else wanted
    if dialect is None:
        raise RefusedError("No dialect is given, and the configuration does not set one.")
    if dialect not in dialect_names():
        stated = unknown_dialect(dialect)
        raise RefusedError(f"{stated[0].upper()}{stated[1:]}.")
    one = len(arguments) > 1 and arguments[1] is not None
    conversion = convert_document(snapshot, dialect, at=offset if one else None)
    if not conversion.converted:
        reasons = [refused.reason for refused in conversion.refused if not one or _at(refused.span, offset)]
        raise RefusedError(f"The text is unchanged: {reasons[0]}." if reasons else "There is nothing to convert.")
    edits = edits_between(snapshot.document.text(), conversion.text)
    return Done({"converted": conversion.converted}, snapshot, edits, f"Convert to {dialect}")


def _at(span: Any, offset: int) -> bool:
    return bool(span.start <= offset <= span.end)


COMMAND: Final = Command(run)
