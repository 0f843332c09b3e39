"""What preparing a rename and renaming share: what may be renamed at all.

Owns: `target_of`. Must not know: how an editor asks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from callwright.features.base import RefusedError

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot
    from callwright.prompt.named import Occurrence, Target


def target_of(snapshot: Snapshot, offset: int) -> tuple[Target, Occurrence] | None:
    """Return what is named at an offset, and the place; None where nothing is.

    Raises RefusedError where it cannot be renamed.
    """
    from callwright.prompt.renaming import stalled
    from callwright.prompt.targets import target_at

    found = target_at(snapshot, offset)
    if found is not None:
        reason = stalled(found[0], shipped_folder())
        if reason is not None:
            raise RefusedError(reason)
    return found


def shipped_folder() -> str:
    """Return the folder of the tool sets that travel with Callwright, empty where there is none."""
    from callwright.tools.shipped import schemas_folder

    try:
        return str(schemas_folder())
    except FileNotFoundError:
        return ""
