"""What a reply is rejected for, as plain facts.

Owns: `Rejection`, `FailedCall`. Must not know: how a reply is read, what a model is told.
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
    """The call that a reply was rejected for: the how manieth it is, counted from 1, its tool as written, its place.

    `span` is in code points of the reply. `dialect` is the dialect that the call was read as. `json` is the JSON that
    the call is written in, superfluous closers included; None where it is not written in JSON.
    """

    number: int
    tool: str | None
    dialect: str
    span: Span
    json: Span | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    """Why a reply is rejected, and how it was read: the facts of a `ParseError`, which says what they mean.

    `dialects` are all that were taken, the one that was asked for first. `settings` are None where the reply was read
    as a strict parser of these dialects reads it by default.
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
