"""Why a reply is rejected, as plain facts.

Owns: `Rejection`, `FailedCall`. Must not know: how a reply is read, the message to the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from callwright.calls.protocol import Disagreement
    from callwright.document.settings import Settings
    from callwright.rules.base import Diagnostic, ErrorType
    from callwright.text.span import Span
    from callwright.tools.model import ToolSchema
    from callwright.tools.registry import ToolRegistry


@dataclass(frozen=True, slots=True)
class FailedCall:
    """The call that a reply was rejected for: its number, from 1, its tool as written, its span.

    `span` is in code points of the reply. `dialect` is the dialect that the call was read as. `json` is the span of the
    call's JSON, with superfluous closers; None where the call is not in JSON.
    """

    number: int
    tool: str | None
    dialect: str
    span: Span
    json: Span | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    """Why a reply is rejected, and how it was read: the facts of a `ParseError`, which documents them.

    `dialects` are all accepted ones, the demanded one first. `settings` is None where the reply was read with a strict
    parser's defaults for these dialects.
    """

    type: ErrorType
    message: str
    text: str
    dialects: Sequence[str]
    registry: ToolRegistry
    settings: Settings | None = None
    diagnostics: Sequence[Diagnostic] = ()
    call: FailedCall | None = None
    tool: ToolSchema | None = None
    calls: Sequence[FailedCall] = ()
    dispute: Disagreement | None = None
