"""The command `callwright.dialects`: the dialects that a call can be converted to.

Owns: what is returned of a dialect. Must not know: any single dialect, protocols.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from callwright.features.base import Request
from callwright.features.support.commanding import Command, Done


def run(_arguments: Sequence[Any], _request: Request) -> Done:
    """Return the name and the summary of every dialect, in the order of their names."""
    from callwright.dialects.catalogue import all_dialects

    return Done([{"name": dialect.name, "summary": dialect.summary} for dialect in all_dialects()])


COMMAND: Final = Command(run)
