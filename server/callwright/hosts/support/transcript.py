"""Transcripts in JSON: from a text to its conversation, its passages, and the calls in the provider's own fields.

Owns: finding the shape, the passages of what is said, native calls as passages of their own. Must not know: the shape
of any transcript, dialects, kinds of files.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from callwright.calls.model import NATIVE, JsonValue, ToolCall
from callwright.calls.sketch import is_placeholder_name
from callwright.calls.tags import inside_quotes
from callwright.calls.turns import NativeCall, Spot, Turn, TurnText
from callwright.hosts.base import Passage, Record, TranscriptPart
from callwright.syntax.json import JsonRead, read_json
from callwright.syntax.json_views import JsonView
from callwright.text.budget import breathe
from callwright.text.joined import Joined
from callwright.text.projection import Composed, Identity, JsonString, Projection
from callwright.text.span import Span
from callwright.transcripts.base import Shape
from callwright.transcripts.catalogue import detect, known_keys
from callwright.transcripts.support.text_results import only_results

#: What every opener of a dialect has one of.
_MARKS = "<{[(:=`~"
#: The fault of an escape that is half of a character.
_HALF: Final = "lone-surrogate"


#: Members in which logs, data sets and batch files keep a request, an answer, or many of both.
_REQUESTS: Final = frozenset(
    {
        "request",
        "request_body",
        "requestBody",
        "raw_request",
        "requestJson",
        "inputBodyJson",
        "input",
        "prompt",
        "params",
    }
)
_ANSWERS: Final = frozenset(
    {"response", "response_body", "responseBody", "raw_response", "responseJson", "outputBodyJson", "output", "result"}
    | {"completion", "answer", "chosen", "rejected", "preferred_output", "non_preferred_output"}
)
#: Members that hold messages, and members beside them that hold the answer.
_ASKED: Final = ("messages", "contents")
_BESIDE: Final = _ANSWERS - {"output", "result"} | {"reply"}
_AROUND: Final = frozenset(
    {"body", "message", "messages", "payload", "data", "json", "raw", "content", "text", "postData", "log", "logs"}
    | {"entries", "entry", "rows", "row", "items", "records", "samples", "examples", "history", "chat", "chats"}
    | {"conversation", "conversations", "transcript", "transcripts", "trajectory", "trajectories", "trace", "traces"}
    | {"session", "sessions", "events", "event", "requests", "responses", "results", "runs", "run", "kwargs"}
)
_ENVELOPES: Final = _REQUESTS | _ANSWERS | _AROUND
#: How deep in such members a transcript may lie.
_DEPTH: Final = 8
#: Where a text is asked first for what transcripts have, in characters.
_HEAD: Final = 4_096
#: The members that hold definitions of tools, where they stand beside a conversation.
_TOOLS: Final = ("tools", "functions")


@dataclass(slots=True)
class _Found:
    """A transcript: its shape, the values that it stands in, one after another, and the tools that go with it.

    `answers` tells that it stands in a member for answers, and what it answers is another transcript or unknown.
    """

    shape: Shape
    roots: list[JsonView]
    tools: JsonView | None
    around: Projection
    answers: bool = False


def transcript_record(text: str, outer: Projection | None = None) -> Record:
    """Take a JSON text apart as a transcript; what has another shape is no concern of ours and gives nothing.

    A transcript is the whole value, or lies in members that logs and data sets use to wrap one, or in a string with
    JSON there. A request and the answer beside it are one conversation. Each string in which somebody speaks is a
    passage, and so is each call in the provider's own fields. Faults of the JSON itself are problems, for no reader of
    the file gets past them. Where the text itself is the decoded text of something in the document, `outer` is the way
    there, and problems are left to whoever knows it.
    """
    if not may_hold_transcript(text):
        return Record()
    lead = 1 if text.startswith("\ufeff") else 0
    read = read_json(text, lead)
    around: Projection = Identity(0, len(text)) if outer is None else outer
    passages: list[Passage] = []
    parts: list[TranscriptPart] = []
    inner: JsonRead | None = None
    problems = read.problems
    for found in _find(JsonView.of(read), None, around, text, 0):
        part = _part(found)
        parts.append(part)
        if found.shape.verbatim:
            problems = [problem for problem in problems if problem.kind != _HALF]
        own = found.roots[0].read
        if own is not read and own is not inner and own.problems:
            inner = own
            passages += _faults(own, found.around)
        for turn in part.turns:
            breathe()
            passages += turn_passages(turn, own.text, own, found.around)
    return Record(passages, problems if parts else (), parts, value=JsonView.of(read) if parts else None)


@dataclass(frozen=True, slots=True)
class Entries:
    """The list that a faultless value consists of, as far as it is a transcript, entry by entry.

    `key` is the member of the whole that it stands under, None where it is the whole. `shape` says how the whole is
    written, and each entry gives turns of it; where it is None, each entry is looked at for transcripts by itself.
    """

    listed: JsonView
    key: str | None
    shape: Shape | None

    @property
    def lead(self) -> str:
        """What stands around an entry, in front of it."""
        return "[" if self.key is None else f'{{"{self.key}":['

    @property
    def tail(self) -> str:
        """What stands around an entry, behind it."""
        return "]" if self.key is None else "]}"


def entries_of(whole: JsonView) -> Entries | None:
    """Return the list that a faultless value consists of; None where what is read in one of its entries may depend on
    the others, or nothing is read in them."""
    value = whole.value
    shape = detect(value)
    if shape is None:
        if isinstance(value, list):
            return Entries(whole, None, None)
        return _collected(whole) if isinstance(value, dict) else None
    if isinstance(value, dict) and any(key in value for key in _BESIDE):
        return None
    listed = shape.entries(whole)
    if listed is None or not shape.is_whole(value):
        return None
    return Entries(listed, None if listed is whole else str(listed.step), shape)


def _collected(whole: JsonView) -> Entries | None:
    """Return the list of transcripts that an object of no shape holds, beside nothing that belongs to them."""
    value = whole.value
    if any(key in _REQUESTS or key in _ANSWERS or key in _TOOLS for key in value):
        return None
    keys = [key for key in value if key in _AROUND]
    listed = whole.get(*keys) if len(keys) == 1 else None
    if listed is None or not isinstance(listed.value, list) or detect(listed.value) is not None:
        return None
    return Entries(listed, keys[0], None)


def entry_record(entry: str, entries: Entries, of: TranscriptPart | None) -> Record | None:
    """Take one entry of such a list apart: of what is read in the whole, what is read in that entry.

    Offsets are those of the entry between `lead` and `tail`. Where the whole is one transcript, `of` is that. None
    where the entry is no faultless object or list.
    """
    text = f"{entries.lead}{entry}{entries.tail}"
    read = read_json(text)
    whole = JsonView.of(read)
    listed = whole if entries.key is None else whole.get(entries.key)
    if read.problems or listed is None or not isinstance(listed.value, list) or len(listed.value) != 1:
        return None
    item = next(listed.items())
    if not isinstance(item.value, dict | list):
        return None
    around = Identity(0, len(text))
    passages: list[Passage] = []
    parts: list[TranscriptPart] = []
    inner: JsonRead | None = None
    if entries.shape is not None:
        if of is None:
            return None
        turns = [*entries.shape.turns(whole)]
        parts.append(replace(of, turns=turns, projection=around, tools=None, joined=True))
        for turn in turns:
            passages += turn_passages(turn, text, read, around)
        return Record(passages, (), parts, value=item)
    for found in _find(item, None, around, text, 1 if entries.key is None else 2):
        part = _part(found)
        parts.append(part)
        own = found.roots[0].read
        if own is not read and own is not inner and own.problems:
            inner = own
            passages += _faults(own, found.around)
        for turn in part.turns:
            breathe()
            passages += turn_passages(turn, own.text, own, found.around)
    return Record(passages, (), parts, value=item)


def _faults(read: JsonRead, around: Projection) -> Iterator[Passage]:
    """Yield the faults of JSON in a string as a passage; of one that ends too early none, for logs cut long bodies."""
    if not any(problem.data.get("truncated") for problem in read.problems):
        yield Passage(read.text, around, markdown=False, calls=(), problems=tuple(read.problems))


def may_hold_transcript(text: str) -> bool:
    """Tell whether a text has a key that transcripts have, also with its quotes escaped; asked before JSON is read."""
    head = text[:_HEAD]
    # Nearly every transcript has one there; only of what has none are all keys looked for to the end.
    return _has_key(head) or (len(text) > _HEAD and _has_key(text))


def _has_key(text: str) -> bool:
    return any(_stands_as_key(key, text) for key in known_keys())


def _stands_as_key(key: str, text: str) -> bool:
    breathe()
    if key not in text:
        return False
    return f'"{key}"' in text or f"'{key}'" in text or f'\\"{key}\\' in text


def _find(view: JsonView, tools: JsonView | None, around: Projection, text: str, depth: int) -> Iterator[_Found]:
    """Yield the transcripts in a value: it is one, or it is an envelope or a list of such."""
    value = view.value
    if isinstance(value, str):
        yield from _find_in_string(view, tools, around, text, depth)
        return
    shape = detect(value)
    if shape is not None:
        roots = [_Found(shape, [root], _tools_of(shape, root) or tools, around) for root in shape.conversations(view)]
        if isinstance(value, dict) and len(roots) == 1 and any(key in value for key in _ASKED):
            yield from _with_answers(view, roots[0], text, depth)
        else:
            yield from roots
    elif depth >= _DEPTH:
        return
    elif isinstance(value, list):
        for item in view.items():
            breathe()
            if isinstance(item.value, dict | list) or _is_json(item.value):
                yield from _find(item, tools, around, text, depth + 1)
    elif isinstance(value, dict):
        yield from _find_in_object(view, tools, around, text, depth)


def _find_in_object(
    view: JsonView, tools: JsonView | None, around: Projection, text: str, depth: int
) -> Iterator[_Found]:
    brought = view.get(*_TOOLS)
    if brought is not None and brought.value:
        tools = brought
    asked: _Found | None = None
    waiting = False
    keys = [key for key in view.value if key in _ENVELOPES]
    # A request is read first, wherever it stands, for its answer goes on with it.
    keys.sort(key=lambda key: key not in _REQUESTS)
    for key in keys:
        inner = view.get(key)
        assert inner is not None, "the key is there"
        if not isinstance(inner.value, dict | list | str):
            continue
        found = list(_find(inner, tools, around, text, depth + 1))
        if key in _REQUESTS and asked is None and len(found) == 1:
            asked, waiting = found[0], True
            continue
        if key in _ANSWERS and found:
            if asked is not None and waiting and len(found) == 1 and _joined(asked, found[0]):
                yield asked
                waiting = False
                continue
            for each in found:
                each.answers = True
                each.tools = each.tools or (asked.tools if asked is not None else None)
        if asked is not None and waiting:
            yield asked
            waiting = False
        yield from found
    if asked is not None and waiting:
        yield asked


def _with_answers(view: JsonView, asked: _Found, text: str, depth: int) -> Iterator[_Found]:
    """Yield a request and what stands beside its messages and answers them, as flat logs have it."""
    waiting = True
    for key in view.value:
        if key not in _BESIDE or depth >= _DEPTH:
            continue
        inner = view.get(key)
        assert inner is not None, "the key is there"
        if not isinstance(inner.value, dict | list | str):
            continue
        found = list(_find(inner, asked.tools, asked.around, text, depth + 1))
        if waiting and len(found) == 1 and _joined(asked, found[0]):
            continue
        if waiting and found:
            yield asked
            waiting = False
        for each in found:
            each.answers = True
            yield each
    if waiting:
        yield asked


def _joined(asked: _Found, answer: _Found) -> bool:
    """Add an answer to its request, where both are of one shape; tell whether they are."""
    root, other = asked.roots[0], answer.roots[0]
    if root.read is not other.read or len(asked.roots) > 1 or not asked.shape.is_whole(root.value):
        return False
    if asked.shape is not answer.shape:
        # What could be of several shapes is of the one that the other is surely of.
        certain = answer.shape.is_certain(other.value)
        if asked.shape.is_certain(root.value):
            if certain or not _knows(asked.shape, other.value):
                return False
        elif not certain or not _knows(answer.shape, root.value):
            return False
        else:
            asked.shape = answer.shape
    asked.roots += answer.roots
    return True


def _knows(shape: Shape, value: Any) -> bool:
    """Tell whether a value, or the first object in it, has a key of a shape."""
    head = next((item for item in value[:8] if isinstance(item, dict)), {}) if isinstance(value, list) else value
    return any(key in head for key in shape.keys)


def _find_in_string(
    view: JsonView, tools: JsonView | None, around: Projection, text: str, depth: int
) -> Iterator[_Found]:
    """Yield the transcripts in a string that holds JSON."""
    value = view.value
    if depth == 0 or depth >= _DEPTH or not _is_json(value) or not may_hold_transcript(value):
        return
    span = view.span
    if not _is_string(text, span):
        return
    string = JsonString(text[span.start + 1 : span.end - 1], span.start + 1)
    read = read_json(string.text)
    yield from _find(JsonView.of(read), tools, _within(around, string), string.text, depth + 1)


def _is_json(value: Any) -> bool:
    return isinstance(value, str) and value[:1] in ("{", "[")


def _tools_of(shape: Shape, root: JsonView) -> JsonView | None:
    tools = shape.tools(root)
    return tools if tools is not None and tools.value else None


def _part(found: _Found) -> TranscriptPart:
    shape = found.shape
    turns = [turn for root in found.roots for turn in shape.turns(root)]
    if len(found.roots) > 1:
        for turn in turns:
            # What an answer goes on with is here.
            turn.continues = turn.conversation is not None
    elif found.answers and turns:
        turns[0].continues = True
    whole = len(found.roots) > 1 or shape.is_whole(found.roots[0].value)
    certain = shape.is_certain(found.roots[0].value) or len(found.roots) > 1
    own = found.tools is not None and found.tools.read is found.roots[0].read and isinstance(found.tools.value, list)
    return TranscriptPart(
        turns,
        shape.name,
        shape.provider,
        found.around,
        whole,
        _definitions(found.tools),
        certain=certain,
        tools=found.tools if own else None,
    )


def _definitions(tools: JsonView | None) -> Any:
    """Return definitions of tools; data sets whose columns have one type write them as a string."""
    value = tools.value if tools is not None else None
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value) if _is_json(value) else None
    except (ValueError, RecursionError):
        return None


def turn_passages(turn: Turn, text: str, read: JsonRead, around: Projection) -> Iterator[Passage]:
    """Yield the passages of one turn: what is said in it, and its native calls."""
    for said in turn.texts:
        if turn.role == "user" and only_results(said, turn.results):
            # What a tool returned is no text in which anybody calls, whatever it looks like.
            continue
        passage = _text_passage(said, turn, text, around)
        if passage is not None:
            yield passage
    for native in turn.calls:
        yield _native_passage(native, turn, text, read, around)


def _within(around: Projection, inner: Projection) -> Projection:
    """Return a projection of the transcript's text as one of the record."""
    return inner if isinstance(around, Identity) and around.start == 0 else Composed(around, inner)


def _text_passage(said: TurnText, turn: Turn, text: str, around: Projection) -> Passage | None:
    if not any(mark in said.value for mark in _MARKS):
        return None
    span = said.place.span
    inner: Projection
    if isinstance(said.place, Spot):
        own = span.of(text)
        inner = Identity(span.start, len(own))
    else:
        if not _is_string(text, span):
            return None
        string = JsonString(text[span.start + 1 : span.end - 1], span.start + 1)
        own, inner = string.text, string
    return Passage(own, _within(around, inner), turn.role, said.markdown, turn)


def _is_string(text: str, span: Span) -> bool:
    return span.end - span.start >= 2 and text[span.start] == '"' == text[span.end - 1]


def _native_passage(native: NativeCall, turn: Turn, text: str, read: JsonRead, around: Projection) -> Passage:
    if native.arguments is not None and isinstance(native.arguments.value, str) and not native.unparsed:
        span = native.arguments.span
        if _is_string(text, span):
            return _string_passage(native, span, turn, text, around)
    arguments = native.arguments
    if arguments is not None and (native.unparsed or isinstance(arguments.value, str)):
        # Nothing that is to be read as JSON.
        arguments = None
    name_span = _name_span(native, text)
    value = JsonValue(read, arguments.path) if arguments is not None else None
    place = native.place.span
    call = _call(native, place, name_span or Span(place.start, place.start + 1), value, name_span is not None)
    closed = name_span is not None and text.startswith('"', name_span.end)
    if native.arguments is None and name_span is not None and closed and native.key == "input" and not native.unparsed:
        # An object is wanted: behind the name's closing quote.
        call.details["insert_arguments"] = (name_span.end + 1, f', "{native.key}": ')
    return Passage(text, around, turn.role, markdown=False, turn=turn, calls=(call,))


def _name_span(native: NativeCall, text: str) -> Span | None:
    if native.name is None:
        return None
    span = native.name.span
    return inside_quotes(text, span, str(native.name.value)) if isinstance(native.name.value, str) else span


def _string_passage(native: NativeCall, span: Span, turn: Turn, text: str, around: Projection) -> Passage:
    """Return the passage of a call whose arguments are a string: its name and that string, in the order of the text."""
    inner = JsonString(text[span.start + 1 : span.end - 1], span.start + 1)
    own = inner.text
    name_span = _name_span(native, text)
    name: JsonString | None = None
    if name_span is not None and native.tool is not None and not span.overlaps(name_span):
        name = JsonString(name_span.of(text), name_span.start)
    projection: Projection = inner
    start, tool_span = 0, Span(0, 0)
    if name is not None:
        if name.start < inner.start:
            projection, own = Joined([name, inner]), f"{name.text}\n{own}"
            start, tool_span = name.length + 1, Span(0, name.length)
        else:
            tool_span = Span(inner.length + 1, inner.length + 1 + name.length)
            projection, own = Joined([inner, name]), f"{own}\n{name.text}"
    if not inner.text.strip():
        call = _call(native, Span(0, len(own)), tool_span, None, name is not None)
        call.details.update(empty=True, insert_arguments=(start, ""))
        return Passage(own, _within(around, projection), turn.role, markdown=False, turn=turn, calls=(call,))
    read = read_json(own, start, start + inner.length)
    call = _call(native, Span(0, len(own)), tool_span, JsonValue(read), name is not None)
    call.problems = list(read.problems)
    call.complete = not any(problem.data.get("truncated") for problem in read.problems)
    return Passage(own, _within(around, projection), turn.role, markdown=False, turn=turn, calls=(call,))


def _call(native: NativeCall, span: Span, tool_span: Span, value: JsonValue | None, named: bool) -> ToolCall:
    # A call that may leave its arguments out is bound as if there were none.
    family = None if value is None and native.optional else NATIVE
    tool = native.tool if native.tool is not None and native.tool.strip() else None
    return ToolCall(
        dialect=NATIVE,
        span=span,
        tool=tool,
        tool_span=tool_span,
        arguments=value,
        body=value.span if value is not None else span,
        name_spans=(tool_span,) if named else (),
        call_id=native.id,
        sketch=tool is not None and is_placeholder_name(tool),
        details={
            "family": family,
            "name_key": "name",
            "arguments_key": native.key,
            "unparsed": native.unparsed,
            "named": native.name is not None,
            "native": native,
            "hosted": native.hosted,
        },
    )
