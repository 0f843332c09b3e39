"""The dialects that hold a call of any tool, for tests that write the same calls in each.

Owns: `general_names`, `general_dialects`. Must not know: any single dialect.
"""

from __future__ import annotations

from callwright.dialects.base import Dialect
from callwright.dialects.catalogue import all_dialects


def general_dialects() -> tuple[Dialect, ...]:
    """Return every dialect but those whose calls are one text for a few tools."""
    return tuple(dialect for dialect in all_dialects() if not dialect.only_tools)


def general_names() -> tuple[str, ...]:
    """Return the names of these dialects, sorted."""
    return tuple(dialect.name for dialect in general_dialects())
