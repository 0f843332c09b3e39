"""The content of a message about a rejected reply, at one level of detail, as plain values.

Owns: `Level`, `View` and its parts, the variables of templates. Must not know: how the facts are found, layout.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    from callwright.runtime.errors import ParseError
    from callwright.runtime.excerpt import Excerpt

#: How many invalid calls are reported.
MAX_CALLS: Final = 5


@dataclass(frozen=True, slots=True)
class Level:
    """The level of detail: how many calls, how many errors of each, how wide excerpts are, and which parts.

    `others` says whether valid calls are shown beside the corrected ones.
    """

    others: bool = True
    calls: int = MAX_CALLS
    diagnostics: int = 3
    schema: Literal["full", "required", "none"] = "full"
    room: int = 100
    sample: Literal["corrected", "example", "none"] = "corrected"
    request: Literal["full", "short", "plain"] = "full"


@dataclass(frozen=True, slots=True)
class DiagnosticView:
    """One error: the rule's sentence, its place, the model's text there and the diagnosis."""

    code: str
    name: str
    message: str
    line: int
    column: int
    position: int | None
    label: str
    excerpt: Excerpt | None
    diagnosis: tuple[str, ...]
    alike: int = 0

    def variables(self) -> dict[str, Any]:
        """Return the diagnostic as template variables."""
        return {
            "code": self.code,
            "name": self.name,
            "message": self.message,
            "line": self.line,
            "column": self.column,
            "position": self.position,
            "excerpt": None if self.excerpt is None else self.excerpt.code,
            "carets": None if self.excerpt is None else self.excerpt.carets(0),
            "diagnosis": [one.strip().removeprefix("→").strip() for one in self.diagnosis],
        }


@dataclass(frozen=True, slots=True)
class CallView:
    """One invalid call; `tool` is in back-ticks. `bare` is the kind of its error, `what` adds the place."""

    number: int | None
    tool: str | None
    bare: str
    what: str
    diagnostics: tuple[DiagnosticView, ...]
    more: int
    takes: str | None
    schema: str | None

    def variables(self) -> dict[str, Any]:
        """Return the call as template variables."""
        diagnostics = [one.variables() for one in self.diagnostics]
        return {
            "number": self.number,
            "tool": self.tool,
            "what": self.what,
            "diagnostics": diagnostics,
            "schema": self.schema,
        }


@dataclass(frozen=True, slots=True)
class View:
    """The content of one message."""

    error: ParseError
    heading: str
    calls: tuple[CallView, ...]
    more_calls: int
    stated: tuple[str, ...]
    tools: tuple[str, ...]
    names: str | None
    corrected: str | None
    example: str | None
    label: str
    asks: tuple[str, ...]
    request: str
    plain: str
    final: bool
    cut_off: bool

    @property
    def sample(self) -> str | None:
        """The calls that the message shows."""
        return self.corrected if self.corrected is not None else self.example

    def variables(self) -> dict[str, Any]:
        """Return the template variables."""
        calls = [call.variables() for call in self.calls]
        return {
            "error": self.error.to_dict(),
            "heading": self.heading,
            "calls": calls,
            "diagnostics": [diagnostic for call in calls for diagnostic in call["diagnostics"]],
            "tools": [*self.tools],
            "corrected": self.corrected,
            "example": self.example,
            "asks": [*self.asks],
            "request": self.request,
            "final": self.final,
            "cut_off": self.cut_off,
        }
