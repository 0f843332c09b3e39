"""Dialogues: the assistant's replies in a transcript, one by one, or a text that is a single reply.

Owns: the search for a document's conversations, the decoded text of each assistant turn, its native calls, the dialect
and tools that a reply is checked with, and the outcome. Must not know: strikes, commands, editors.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from callwright.calls.model import NATIVE
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.api import Call
    from callwright.calls.model import ToolCall
    from callwright.conversation.conversation import Conversation, PlacedTurn
    from callwright.document.blocks import PlacedCall
    from callwright.document.settings import Settings
    from callwright.document.snapshot import Snapshot
    from callwright.rules.base import Diagnostic
    from callwright.runtime.errors import ParseError
    from callwright.runtime.strict import StrictParser
    from callwright.runtime.strikes import Strikes
    from callwright.tools.registry import ToolRegistry

#: The dialect of an error's feedback where none is stated and the reply has no call.
_UNSTATED: Final = "fenced-json"
#: How many characters at the beginning of a session contain its header.
_HEAD: Final = 4096


@dataclass(frozen=True, slots=True)
class NativeReply:
    """A call in a provider's own fields: its tool, its arguments, and its error or None.

    The error's text is the tool's name and the string of arguments, or the source text of the call's entry.
    """

    tool: str | None
    arguments: Any
    id: str | None
    error: ParseError | None


@dataclass(frozen=True)
class Reply:
    """One of the assistant's turns.

    `number` counts the assistant's turns of the conversation from 1, `turn` all of its turns from 1; both are 1 for a
    text that is one reply. `text` is the decoded text, `span` the turn's place in the source. `registry` has the tools
    that the reply may call: those of the transcript, else the project's. It has no problems: errors in a definition are
    reported at the definition, and calls are checked by the parts that could be read. `settings` are the project's,
    with the options that the transcript states for reading its replies.
    """

    text: str
    registry: ToolRegistry
    settings: Settings
    span: Span
    number: int = 1
    turn: int = 1
    native: Sequence[NativeReply] = ()
    written: Sequence[str] = ()
    turn_texts: Sequence[str] = ()

    @cached_property
    def dialects(self) -> tuple[str, ...]:
        """The dialects that the reply may be written in, the demanded one first.

        Those that an option, the configuration or the transcript demands; else the one of the tools' own system; else
        those of the reply's calls, or of the conversation's calls where the reply has none.
        """
        settings = self.settings
        if settings.dialect is not None or settings.accept:
            stated = (settings.dialect, *(settings.taken or settings.accept))
            return tuple(dict.fromkeys(name for name in stated if name is not None))
        own = {tool.dialect for tool in self.registry}
        if len(own) == 1 and None not in own:
            return tuple(str(name) for name in own)
        return _often_first(self.written) or _often_first(self.turn_texts)[:1] or (_UNSTATED,)

    def parser(self, *, require_call: bool = False, strikes: Strikes | None = None) -> StrictParser:
        """Return the strict parser that the reply is read with."""
        from callwright.runtime.limits import DEFAULT, Limits
        from callwright.runtime.strict import StrictParser

        bounds = self.settings.bounds
        return StrictParser(
            tools=self.registry,
            dialect=self.dialects,
            # A native call counts as a call: the text beside it need not contain one.
            require_call=require_call and not self.native,
            markup=self.settings.markup,
            reasoning=self.settings.reasoning,
            answer_tags=self.settings.answer_tags,
            strikes=strikes,
            limits=DEFAULT if bounds is None else Limits(**asdict(bounds)),
        )


@dataclass(frozen=True, slots=True)
class Dialogue:
    """One conversation of a source: the conversation, its shape, its span, its replies.

    `turns` counts the turns of all roles, `maximum` is how many mistakes in a row are reported under their own types,
    `requires_call` whether each reply must contain a call. The last two are read from the transcript; None and False
    where it does not state them.
    """

    conversation: Conversation
    shape: str
    span: Span
    turns: int
    replies: Sequence[Reply]
    maximum: int | None = None
    requires_call: bool = False


@dataclass(frozen=True, slots=True)
class ReplyOutcome:
    """The outcome of a reply: its calls as plain data, none where it is rejected, and the error."""

    calls: list[dict[str, Any]]
    error: ParseError | None


def dialogues(snapshot: Snapshot) -> list[Dialogue]:
    """Return the conversations in a document, none where it is not a transcript of a known shape.

    The document must have been read with the settings of `as_replies`.
    """
    from callwright.conversation.conversation import conversations
    from callwright.transcripts.support.session_head import declared

    if not any(block.transcripts for block in snapshot.blocks):
        return []
    stated = declared(snapshot.document.slice(0, min(_HEAD, len(snapshot.document)))) or {}
    return [_dialogue(each, snapshot, stated) for each in conversations(snapshot)]


def as_replies(settings: Settings) -> Settings:
    """Return the settings for reading a transcript's replies.

    Nothing in an assistant's reply is a placeholder: every text is a value.
    """
    return replace(settings, strict=True, placeholders=False)


def whole_reply(text: str, registry: ToolRegistry, settings: Settings) -> Reply:
    """Return a text that is one reply itself."""
    from callwright.document.reader import read_context, read_segment

    segment = read_segment(text, read_context(registry, settings))
    written = tuple(found.call.dialect for found in segment.calls)
    return Reply(text, registry.without_problems(), settings, Span(0, len(text)), written=written)


def judged(reply: Reply, *, require_call: bool = False) -> ReplyOutcome:
    """Check a reply against its dialect and its tools: its text first, then its native calls.

    Where the set of tools is unknown or incomplete, an unknown tool is not an error.
    """
    reply = _known(reply)
    calls, error = reply.parser(require_call=require_call).parse(reply.text)
    if error is None:
        error = _native_errors(reply.native)
    if error is not None:
        return ReplyOutcome([], error)
    return ReplyOutcome([*map(_plain_call, calls), *map(_plain_native, reply.native)], None)


def _known(reply: Reply) -> Reply:
    """Return a reply with the tools to check it with: of an open set those that it calls, none if it calls an unknown
    one.
    """
    if reply.registry.closed:
        return reply
    from callwright.api import parse
    from callwright.tools.registry import EMPTY, ToolRegistry

    called = {call.tool for call in parse(reply.text, tools=reply.registry).calls if call.tool is not None}
    known = called <= {*reply.registry.names}
    tools = [tool for tool in reply.registry if tool.name in called] if known else []
    settings = replace(reply.settings, dialect=reply.dialects[0], accept=reply.dialects[1:])
    return replace(reply, registry=ToolRegistry(tools) if tools else EMPTY, settings=settings)


def _native_errors(natives: Sequence[NativeReply]) -> ParseError | None:
    """Return the errors of native calls as one error; its text joins the texts of the failed calls, one below the
    other.
    """
    from callwright.runtime.errors import ParseError
    from callwright.runtime.rejection import FailedCall, Rejection

    errors: list[ParseError] = []
    calls: list[FailedCall] = []
    diagnostics: list[Diagnostic] = []
    at = 0
    for number, native in enumerate(natives, 1):
        error = native.error
        if error is None:
            continue
        errors.append(error)
        place = Span(at, at + len(error.text))
        json = error.call.json if error.call is not None else None
        calls.append(FailedCall(number, native.tool, error.dialect, place, None if json is None else json.shift(at)))
        diagnostics += [
            replace(each, span=each.span.shift(at), related=(), _fixes=(), source=None) for each in error.diagnostics
        ]
        at = place.end + 1
    if not errors:
        return None
    first = errors[0]
    return ParseError(
        Rejection(
            type=first.type,
            message=first.message,
            text="\n".join(error.text for error in errors),
            dialects=(first.dialect,),
            registry=first.registry,
            diagnostics=diagnostics,
            call=calls[0],
            tool=first.tool,
            calls=calls,
        )
    )


def _plain_call(call: Call) -> dict[str, Any]:
    return {
        "tool": call.tool,
        "arguments": call.arguments,
        "dialect": call.dialect,
        "id": call.id,
        "span": [*call.span],
    }


def _plain_native(native: NativeReply) -> dict[str, Any]:
    return {"tool": native.tool, "arguments": native.arguments, "dialect": NATIVE, "id": native.id, "span": None}


def _often_first(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(name for name, _ in Counter(names).most_common())


def _dialogue(conversation: Conversation, snapshot: Snapshot, stated_of_itself: Mapping[str, Any]) -> Dialogue:
    history = stated_of_itself.get("history")
    begun = history if type(history) is int else 0
    stated = [
        (index, placed)
        for index, placed in enumerate(conversation.turns, 1)
        if placed.turn.role == "assistant" and index > begun
    ]
    stated_names = [name for _, placed in stated for name in _written(placed)]
    spans = [placed.span(placed.turn.place).shift(conversation.start) for placed in conversation.turns]
    replies = [
        _reply(placed, snapshot, number, index, spans[index - 1], stated_names)
        for number, (index, placed) in enumerate(stated, 1)
    ]
    whole = Span(min(span.start for span in spans), max(span.end for span in spans)) if spans else Span(0, 0)
    maximum = stated_of_itself.get("max_mistakes")
    return Dialogue(
        conversation,
        conversation.shape,
        whole,
        len(conversation.turns),
        replies,
        maximum if type(maximum) is int and maximum > 0 else None,
        stated_of_itself.get("require_call") is True,
    )


def _written(placed: PlacedTurn) -> list[str]:
    return [each.call.dialect for each in placed.calls if each.call.dialect != NATIVE]


def _reply(
    placed: PlacedTurn, snapshot: Snapshot, number: int, index: int, span: Span, turn_texts: Sequence[str]
) -> Reply:
    native = tuple(_native(each, snapshot) for each in placed.calls if each.call.dialect == NATIVE)
    return Reply(
        "\n".join(text.value for text in placed.turn.texts),
        _registry(placed, snapshot).without_problems(),
        snapshot.settings,
        span,
        number,
        index,
        native,
        _written(placed),
        turn_texts,
    )


def _registry(placed: PlacedTurn, snapshot: Snapshot) -> ToolRegistry:
    """Return the tools that are in force for the calls of a turn."""
    from callwright.document.log_tools import registry_of

    if not placed.part.whole:
        return snapshot.log_tools.registry or snapshot.registry
    definitions = placed.part.definitions
    return (registry_of(definitions, snapshot.settings) if definitions else None) or snapshot.registry


def _native(placed: PlacedCall, snapshot: Snapshot) -> NativeReply:
    call = placed.call
    return NativeReply(call.tool, placed.binding.arguments, call.call_id, _native_error(placed, snapshot))


def _native_error(placed: PlacedCall, snapshot: Snapshot) -> ParseError | None:
    """Return the error of a native call as a strict parser reports it, None where there is none."""
    from callwright.lint.passages import check_passage
    from callwright.rules.base import Severity
    from callwright.runtime.errors import ParseError
    from callwright.runtime.rejection import FailedCall, Rejection

    read, call = placed.read, placed.call
    registry = snapshot.registry if read.registry is None else read.registry
    # A reply that was cut off is reported elsewhere; here the call at its end is checked.
    alone = replace(read, passage=replace(read.passage, turn=None), bindings={})
    found = [
        each
        for each in check_passage(alone, registry, snapshot.settings)
        if each.error_type is not None and each.severity in (Severity.ERROR, Severity.WARNING)
    ]
    if not found:
        return None
    own = Span(0, len(read.passage.text)) if _is_string(call) else call.span
    first, tool = found[0], placed.binding.tool
    assert first.error_type is not None, "others are passed over"
    return ParseError(
        Rejection(
            type=first.error_type,
            message=first.message,
            text=own.of(read.passage.text),
            dialects=(NATIVE,),
            registry=registry.without_problems(),
            diagnostics=list(_within(own, found)),
            call=FailedCall(1, call.tool, NATIVE, Span(0, own.end - own.start), _json(call, own)),
            tool=tool,
        )
    )


def _json(call: ToolCall, own: Span) -> Span | None:
    """Return the span of the JSON arguments of a native call in `own`, a segment of its passage, with any text after
    them.
    """
    if call.arguments is None:
        return None
    if not _is_string(call):
        return call.arguments.span.shift(-own.start)
    # The name is on a line of its own, above the string of arguments or below it.
    start, end = call.tool_span
    above = start < end and start == own.start
    return Span(end + 1, own.end) if above else Span(own.start, start - 1 if start < end else own.end)


def _is_string(call: ToolCall) -> bool:
    """Return whether the passage of a native call is its name and its string of arguments, not the whole file."""
    native = call.details["native"]
    return native.arguments is not None and isinstance(native.arguments.value, str) and not native.unparsed


def _within(own: Span, found: Sequence[Diagnostic]) -> Iterator[Diagnostic]:
    """Yield diagnostics in offsets of a segment of their text; a span outside of it is moved to its edge."""
    length = own.end - own.start
    for each in found:
        start = min(max(each.span.start - own.start, 0), length)
        end = min(max(each.span.end - own.start, start), length)
        yield replace(each, span=Span(start, end), related=(), _fixes=(), source=None)
