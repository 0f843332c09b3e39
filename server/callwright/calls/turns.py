"""Turns: the messages of a transcript, the calls in a provider's own fields, and their results.

Owns: `Turn`, `TurnText`, `NativeCall`, `TurnResult`. Must not know: the shape of any transcript, rules, documents.

All places are offsets of the transcript's text. A place is computed when its `span` is read, so a transcript without
diagnostics costs no search for places.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, Protocol

from callwright.text.records import dataclass, field

if TYPE_CHECKING:
    from callwright.syntax.json_views import JsonView
    from callwright.text.span import Span


class Located(Protocol):
    """Something with a place in the text; a `JsonView` is one."""

    @property
    def span(self) -> Span:
        """The characters that it covers."""


def written_id(value: Any) -> str | None:
    """Return an id as text: a string as it is, a whole number as its digits; None for anything else."""
    if isinstance(value, str):
        return value
    # Python raises ValueError for the digits of very long numbers.
    return str(value) if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**30 else None


@dataclass(frozen=True, slots=True)
class Spot:
    """A known place."""

    span: Span


@dataclass(slots=True, eq=False)
class TurnText:
    """A text of a message, which may contain calls in a dialect.

    `place` is a JSON string (a `JsonView`), or a segment of text as it is (a `Spot`). `value` is the decoded text.
    """

    place: Located
    value: str
    markdown: bool = True


@dataclass(slots=True, eq=False)
class NativeCall:
    """A call in a provider's own fields: its name and its arguments are values of the transcript.

    `arguments` is the value as it is written: an object, or a string that should contain one. `name`, `arguments` and
    `call_id` are None if the field is absent. `place` is the whole entry. `unparsed` says that the provider's runtime
    reads the arguments as text and never as JSON (free-form tools), or that later messages have the rest of them.
    `hosted` says that the provider itself runs the call, so the tool need not be in a registry. `kept` says that the
    transcript keeps the arguments as text against its provider's rules, because they could not be parsed. `key` is the
    format's name for the arguments, `optional` says that they may be left out.
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
        """The tool's name, None if it is not a string."""
        return self.name.value if self.name is not None and isinstance(self.name.value, str) else None

    @property
    def id(self) -> str | None:
        """The call's id, None if there is none; a number, as in JSON-RPC, as its digits."""
        return written_id(self.call_id.value) if self.call_id is not None else None


@dataclass(slots=True, eq=False)
class TurnResult:
    """What a tool returned. `call_id` names the call it answers, `tool` its tool; both may be missing.

    `content` is what was returned, as a JSON value or as text, with its place; `value` is the same as plain data: JSON
    in a string is *not* decoded. `failed` says whether the call failed, None if the transcript does not say. `hosted`
    marks results of the provider's own tools. `tentative` marks a value that is a result only if a call has its id;
    otherwise it answers something else.
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
    """One message. `role` is `"system"`, `"user"`, `"assistant"` or `"tool"` if the transcript's own word means one of
    these, and else that word as it is written (None if there is none).

    `texts`, `calls` and `results` are in the order of the text. `finish` is why a model stopped, in the provider's
    word. `conversation` distinguishes conversations that are interleaved in one document; `begins` marks a turn that
    starts a new one. `ends` marks a turn after which the conversation is over according to the transcript. `continues`
    marks a turn after others that are not in this text, so it may answer their calls.
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
        """The text under `content`, even if it is not searched for calls; empty if there is none."""
        written = getattr(self.place, "value", None)
        content = written.get("content") if isinstance(written, dict) else None
        return content if isinstance(content, str) else ""
