"""The events of a streaming parser while a text arrives: text, calls, their arguments, diagnostics.

Owns: the events and the order in which they may come. Must not know: how they are derived.

A call's events come in this order: `CallOpened`; for each argument `ArgumentOpened`, any number of `ArgumentText`,
`ArgumentClosed`; then `CallClosed`, or `CallDropped` where it turns out not to be a call. `index` is the place of the
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
    """A call of `tool` begins at `offset`, where its dialect's first marker is.

    `tool` is None where the call has no name. `dialect` is the most likely one so far. `offset` is in code points of
    the whole text.
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

    In a valid call, the pieces of a string in JSON or Python join to the decoded string, those of any other value to
    its source text; for a value between tags or markers, without the line breaks that belong to the dialect. In an
    invalid call they are what could be read while it arrived.
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
    """The call or the text is complete; `call` is what `parse` returns for it, whatever was announced before."""

    index: int
    call: Call


@dataclass(frozen=True, slots=True)
class CallDropped:
    """What was announced under this index is not a call, or is a different one."""

    index: int


@dataclass(frozen=True, slots=True)
class ProblemFound:
    """A diagnostic, as `parse` returns it; its fixes are based on the text that had arrived when it was found."""

    diagnostic: Diagnostic


Event: TypeAlias = (
    Text | CallOpened | ArgumentOpened | ArgumentText | ArgumentClosed | CallClosed | CallDropped | ProblemFound
)
