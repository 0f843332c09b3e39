"""Dialogues: what the assistant says in a transcript, reply by reply, or a text that is one reply itself.

Owns: diagnostic the conversations of a document, the decoded text of each of the assistant's turns, its native calls, the
dialect and the tools that a reply is held against, and what comes of it. Must not know: strikes, commands, editors.
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

#: The dialect that an error is told in where nothing says which one is meant and no call is written.
_UNSTATED: Final = "fenced-json"
#: What a session says of itself is in so many characters at its beginning.
_HEAD: Final = 4096


@dataclass(frozen=True, slots=True)
class NativeReply:
    """A call in a provider's own fields: its tool, its arguments, and what is wrong with it, None where nothing is.

    The error's text is the tool's name and the string of arguments, or the call's entry as it is written.
    """

    tool: str | None
    arguments: Any
    id: str | None
    error: ParseError | None


@dataclass(frozen=True)
class Reply:
    """One of the assistant's turns.

    `number` counts the assistant's turns of the conversation from 1, `turn` all of its turns from 1; both are 1 for a
    text that is one reply. `text` is what is said, decoded, `span` the turn's place in the source. `registry` are the
    tools that it may call: those that the transcript brings along, else the project's. `settings` are the project's,
    with what the transcript itself says of how its replies were read.
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
        """The dialects that the reply may be written in, the one that is asked for first.

        Those that an option, the configuration or the transcript demands; else the one that the tools' own system
        uses; else those that the reply's own calls are in, or the conversation's where it has none.
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
            # What is wrong with a definition is told where it is; calls are judged by what could be read.
            tools=self.registry.without_problems(),
            dialect=self.dialects,
            # A native call is a call: the text beside it need not have one.
            require_call=require_call and not self.native,
            markup=self.settings.markup,
            reasoning=self.settings.reasoning,
            answer_tags=self.settings.answer_tags,
            strikes=strikes,
            limits=DEFAULT if bounds is None else Limits(**asdict(bounds)),
        )


@dataclass(frozen=True, slots=True)
class Dialogue:
    """One conversation of a source: itself, how it is written, its place, its replies.

    `turns` counts everyone's turns, `maximum` is how many mistakes in a row report themselves, `requires_call` whether
    each reply must hold a call, as the transcript itself says; None and False where it says nothing.
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
    """What comes of a reply: its calls as plain data, none where it is rejected, and the error."""

    calls: list[dict[str, Any]]
    error: ParseError | None


def dialogues(snapshot: Snapshot) -> list[Dialogue]:
    """Return the conversations in a document, none where it is no transcript of a shape that is known.

    The document is read as `as_replies` says.
    """
    from callwright.conversation.conversation import conversations
    from callwright.transcripts.support.session_head import declared

    if not any(block.transcripts for block in snapshot.blocks):
        return []
    stated = declared(snapshot.document.slice(0, min(_HEAD, len(snapshot.document)))) or {}
    return [_dialogue(each, snapshot, stated) for each in conversations(snapshot)]


def as_replies(settings: Settings) -> Settings:
    """Return the settings that a transcript is read with here.

    What an assistant has said is a value like any other: nothing in it is a placeholder.
    """
    return replace(settings, strict=True, placeholders=False)


def whole_reply(text: str, registry: ToolRegistry, settings: Settings) -> Reply:
    """Return a text that is one reply itself."""
    from callwright.document.reader import read_context, read_segment

    segment = read_segment(text, read_context(registry, settings))
    written = tuple(found.call.dialect for found in segment.calls)
    return Reply(text, registry, settings, Span(0, len(text)), written=written)


def judged(reply: Reply, *, require_call: bool = False) -> ReplyOutcome:
    """Hold a reply against its dialect and its tools: what is said in it first, then its native calls.

    Where no one said which tools there are, or not all of them, a tool that no one told of is no fault.
    """
    reply = _known(reply)
    calls, error = reply.parser(require_call=require_call).parse(reply.text)
    if error is None:
        error = _native_errors(reply.native)
    if error is not None:
        return ReplyOutcome([], error)
    return ReplyOutcome([*map(_plain_call, calls), *map(_plain_native, reply.native)], None)


def _known(reply: Reply) -> Reply:
    """Return a reply with the tools that it may call, among them all that it does call where the set is open."""
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
    """Return what is wrong with native calls as one error, whose text are the texts of those at fault in a column."""
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
        _registry(placed, snapshot),
        snapshot.settings,
        span,
        number,
        index,
        native,
        _written(placed),
        turn_texts,
    )


def _registry(placed: PlacedTurn, snapshot: Snapshot) -> ToolRegistry:
    """Return the tools of a turn, as the calls in it are given them."""
    from callwright.document.log_tools import registry_of

    if not placed.part.whole:
        return snapshot.log_tools.registry or snapshot.registry
    definitions = placed.part.definitions
    return (registry_of(definitions, snapshot.settings) if definitions else None) or snapshot.registry


def _native(placed: PlacedCall, snapshot: Snapshot) -> NativeReply:
    call = placed.call
    return NativeReply(call.tool, placed.binding.arguments, call.call_id, _native_error(placed, snapshot))


def _native_error(placed: PlacedCall, snapshot: Snapshot) -> ParseError | None:
    """Return what is wrong with a native call, as a strict parser would say it; None where nothing is."""
    from callwright.lint.passages import check_passage
    from callwright.rules.base import Severity
    from callwright.runtime.errors import ParseError
    from callwright.runtime.rejection import FailedCall, Rejection

    read, call = placed.read, placed.call
    registry = snapshot.registry if read.registry is None else read.registry
    # Of a reply that ran out of room it is said elsewhere; here the call that it ended in is judged.
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
            registry=registry,
            diagnostics=list(_within(own, found)),
            call=FailedCall(1, call.tool, NATIVE, Span(0, own.end - own.start), _json(call, own)),
            tool=tool,
        )
    )


def _json(call: ToolCall, own: Span) -> Span | None:
    """Return where the JSON of a native call's arguments is in a segment of its passage, whatever is after it."""
    if call.arguments is None:
        return None
    if not _is_string(call):
        return call.arguments.span.shift(-own.start)
    # The name is on a line of its own, above the string of arguments or below it.
    start, end = call.tool_span
    above = start < end and start == own.start
    return Span(end + 1, own.end) if above else Span(own.start, start - 1 if start < end else own.end)


def _is_string(call: ToolCall) -> bool:
    """Return whether the passage of a native call is its name and its string of arguments, and not the whole file."""
    native = call.details["native"]
    return native.arguments is not None and isinstance(native.arguments.value, str) and not native.unparsed


def _within(own: Span, found: Sequence[Diagnostic]) -> Iterator[Diagnostic]:
    """Yield diagnostics in offsets of a segment of their text; what is outside of it is moved to its edge."""
    length = own.end - own.start
    for each in found:
        start = min(max(each.span.start - own.start, 0), length)
        end = min(max(each.span.end - own.start, start), length)
        yield replace(each, span=Span(start, end), related=(), _fixes=(), source=None)
