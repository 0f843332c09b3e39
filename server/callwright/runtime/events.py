"""What a streaming parser tells while a text arrives: text, calls, their arguments, diagnostics.

Owns: the events and the order in which they may come. Must not know: how they are found out.

A call's events come in this order: `CallOpened`; for each argument `ArgumentOpened`, any number of `ArgumentText`,
`ArgumentClosed`; then `CallClosed`, or `CallDropped` where what looked like a call is none. `index` is the place of the
call among the parser's calls; after `CallDropped` the next call has the same one. Calls in one frame may close
together, when the frame does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from callwright.api import Call
    from callwright.rules.base import Diagnostic


@dataclass(frozen=True, slots=True)
class Text:
    """Text that belongs to no call: all of them together are the text without its calls and their frames."""

    text: str


@dataclass(frozen=True, slots=True)
class CallOpened:
    """A call of `tool` has begun at `offset`, where its dialect's first marker is.

    `tool` is None where the call has no name. `dialect` is the one that it looks like so far. `offset` is in code
    points of the whole text.
    """

    tool: str | None
    dialect: str
    index: int
    offset: int


@dataclass(frozen=True, slots=True)
class ArgumentOpened:
    """An argument of the call begins."""

    index: int
    name: str


@dataclass(frozen=True, slots=True)
class ArgumentText:
    """The next piece of an argument's text.

    Of a sound call, the pieces of a string in JSON or Python are the decoded string; of any other value in them, its
    source text; of a value between tags or markers, its source text without the line breaks that belong to the
    dialect. Of a broken call they are what could be told while it arrived.
    """

    index: int
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class ArgumentClosed:
    """The argument is complete."""

    index: int
    name: str


@dataclass(frozen=True, slots=True)
class CallClosed:
    """The call is complete, or the text is; `call` is what `parse` gives for it, whatever was announced before."""

    index: int
    call: Call


@dataclass(frozen=True, slots=True)
class CallDropped:
    """What was announced under this index is no call, or another one than was announced."""

    index: int


@dataclass(frozen=True, slots=True)
class ProblemFound:
    """A diagnostic, as `parse` gives it; its fixes are laid out by what had arrived when it was found."""

    diagnostic: Diagnostic


Event: TypeAlias = (
    Text | CallOpened | ArgumentOpened | ArgumentText | ArgumentClosed | CallClosed | CallDropped | ProblemFound
)
