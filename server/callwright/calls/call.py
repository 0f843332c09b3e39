"""A call for programs that use it: plain values, and only the span of the text.

Owns: `Call`. Must not know: how calls are read, tool schemas.
"""

from __future__ import annotations

from typing import Any

from callwright.text.records import dataclass
from callwright.text.span import Span


@dataclass(frozen=True, slots=True)
class Call:
    """One call as it was read: its tool (None where no name is written), its typed arguments, dialect and span.

    `span` is in code points of the text that was parsed.
    """

    tool: str | None
    arguments: dict[str, Any]
    dialect: str
    span: Span
    id: str | None = None
