"""Turns: who says what in a transcript, which calls a provider's own fields hold, and what came back.

Owns: `Turn`, `TurnText`, `NativeCall`, `TurnResult`. Must not know: the shape of any transcript, rules, documents.

All places are offsets of the text that the transcript stands in. A place is computed when its `span` is asked for, so
that a transcript in which nothing is to be said costs no search for places.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any, Protocol

from callwright.syntax.json_views import JsonView
from callwright.text.span import Span


class Located(Protocol):
    """Something that stands in the text; a `JsonView` is one."""

    @property
    def span(self) -> Span:
        """The characters that it covers."""


def written_id(value: Any) -> str | None:
    """Return an id as text: a string as it is, a whole number as its digits; None for anything else."""
    if isinstance(value, str):
        return value
    # Python refuses to write out very long numbers.
    return str(value) if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**30 else None


@dataclass(frozen=True, slots=True)
class Spot:
    """A place that is known already."""

    span: Span


@dataclass(slots=True, eq=False)
class TurnText:
    """A stretch in which somebody speaks, so that calls in a dialect may stand there.

    `place` is a JSON string (a `JsonView`), or a stretch of text as it is (a `Spot`). `value` is the decoded text.
    """

    place: Located
    value: str
    markdown: bool = True


@dataclass(slots=True, eq=False)
class NativeCall:
    """A call in a provider's own fields: its name and its arguments are values of the transcript.

    `arguments` is the value as it is written: an object, or a string that should hold one. `name`, `arguments` and
    `call_id` are None where the field is absent. `place` is the whole entry. `unparsed` says that the provider's
    runtime takes the arguments as text and never as JSON (free-form tools), `hosted` that the provider itself carries
    the call out, so that no registry need know the tool. `kept` says that the transcript keeps the arguments as the
    text that they came in, whatever its provider demands, since nobody could read them. `key` is the format's name for
    the arguments, `optional` says that they may be left out.
    """

    place: JsonView
    name: JsonView | None
    arguments: JsonView | None
    call_id: JsonView | None = None
    unparsed: bool = False
    hosted: bool = False
    kept: bool = False
    key: str = "arguments"
    optional: bool = False

    @property
    def tool(self) -> str | None:
        """The tool's name, None where no string stands there."""
        return self.name.value if self.name is not None and isinstance(self.name.value, str) else None

    @property
    def id(self) -> str | None:
        """The call's id, None where none stands there; a number, as JSON-RPC has it, as its digits."""
        return written_id(self.call_id.value) if self.call_id is not None else None


@dataclass(slots=True, eq=False)
class TurnResult:
    """What a tool returned. `call_id` names the call it answers, `tool` its tool; both may be unsaid.

    `content` is what was returned, as a JSON value or as text, with its place; `value` is the same as plain data:
    JSON in a string is *not* decoded. `failed` is what the transcript says of its success, None where it says nothing.
    `hosted` marks what the provider's own tools returned. `tentative` marks an answer of which only a call with its id
    says that it answers a call at all: without one, it answers something else.
    """

    place: Located
    call_id: Located | None = None
    id: str | None = None
    tool: str | None = None
    tool_place: Located | None = None
    content: Located | None = None
    value: Any = None
    failed: bool | None = None
    hosted: bool = False
    tentative: bool = False


@dataclass(slots=True, eq=False)
class Turn:
    """One message. `role` is `"system"`, `"user"`, `"assistant"` or `"tool"` where the shape's own word means one of
    these, and else that word as it is written (None where none is).

    `texts`, `calls` and `results` are in the order of the text. `finish` is why a model stopped, in the provider's
    word. `conversation` tells apart conversations that are interleaved in one document; `begins` marks a turn that
    starts a new one. `ends` marks a turn after which the transcript says that its conversation is over. `continues`
    marks a turn before which others stand that are not in this text, so that it may answer their calls.
    """

    place: Located
    role: str | None
    role_place: Located | None = None
    texts: list[TurnText] = field(default_factory=list)
    calls: list[NativeCall] = field(default_factory=list)
    results: list[TurnResult] = field(default_factory=list)
    finish: str | None = None
    finish_place: Located | None = None
    conversation: Hashable = None
    begins: bool = False
    ends: bool = False
    continues: bool = False

    @property
    def content(self) -> str:
        """What stands under `content` as text, also where no calls are looked for in it; empty where none does."""
        written = getattr(self.place, "value", None)
        content = written.get("content") if isinstance(written, dict) else None
        return content if isinstance(content, str) else ""
