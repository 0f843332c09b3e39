"""What a dialect is: the contract of one notation's file.

Owns: `Dialect`. Must not know: any single dialect, the registry's class, hosts.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from callwright.calls.protocol import (
    ReadContext,
    Reading,
    Refusal,
    RenderStyle,
    ToolLike,
    ToolNames,
)

__all__ = ["Dialect", "ReadContext", "Reading", "Refusal", "RenderStyle", "ToolLike", "ToolNames"]


class Dialect(Protocol):
    """One notation of a call. A module in this room has exactly one, bound to the name `DIALECT`.

    `openers` are the literal strings with which a call in this notation can begin; the reader looks for nothing else.
    Reading never raises (but for an exhausted budget): any text gives a reading, or None where no call of this notation
    begins at `start`. `typed` says whether values carry their type in the notation itself.
    """

    name: str
    title: str
    summary: str
    used_by: Sequence[str]
    openers: Sequence[str]
    typed: bool
    cdata: bool

    def read(self, text: str, start: int, context: ReadContext) -> Reading | None:
        """Read the call or calls that begin at `start`, where one of the openers stands."""

    def render(
        self, tool: str, arguments: Mapping[str, Any], schema: ToolLike | None, style: RenderStyle
    ) -> str | Refusal:
        """Return the call as text in this notation, or why a value cannot be written in it."""

    def teach(self, tools: Sequence[ToolLike]) -> str:
        """Return the paragraph of a prompt that tells a model to write calls in this notation, with an example."""
