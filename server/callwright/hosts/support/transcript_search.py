"""Where in a JSON value transcripts are: the value is one, or wraps some under names of any kind, at any depth.

Owns: the search for conversations and for calls that are alone, and what a text must have for there to be any. Must
not know: the shape of any transcript, passages, dialects, kinds of files.

Two kinds of places differ. Under names that logs and data sets are known to wrap messages with, whatever has a shape is
read as what it looks like, and single messages are entries of a log. Under all other names (*far* places) what is found
needs more evidence: what might be of any provider is not checked against one, and a single message is not a log.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from callwright.syntax.json import read_json
from callwright.syntax.json_views import JsonView
from callwright.text.budget import yield_point
from callwright.text.projection import Composed, Identity, JsonString, Projection
from callwright.text.records import dataclass
from callwright.transcripts.catalogue import detect, known_keys

if TYPE_CHECKING:
    from callwright.text.span import Span
    from callwright.transcripts.base import Shape

#: Members in which logs, data sets and batch files keep a request, an answer, or many of both.
REQUESTS: Final = frozenset(
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
        "gen_ai.input.messages",
    }
)
ANSWERS: Final = frozenset(
    {"response", "response_body", "responseBody", "raw_response", "responseJson", "outputBodyJson", "output", "result"}
    | {"completion", "answer", "chosen", "rejected", "preferred_output", "non_preferred_output"}
    | {"gen_ai.output.messages"}
)
#: Members that hold messages, and members beside them that hold the answer.
_ASKED: Final = ("messages", "contents")
BESIDE: Final = ANSWERS - {"output", "result"} | {"reply"}
_AROUND: Final = frozenset(
    {"body", "message", "messages", "payload", "data", "json", "raw", "content", "text", "postData", "log", "logs"}
    | {"entries", "entry", "rows", "row", "items", "records", "samples", "examples", "history", "chat", "chats"}
    | {"conversation", "conversations", "transcript", "transcripts", "trajectory", "trajectories", "trace", "traces"}
    | {"session", "sessions", "events", "event", "requests", "responses", "results", "runs", "run", "kwargs"}
)
#: The names that are known to wrap messages.
ENVELOPES: Final = REQUESTS | ANSWERS | _AROUND
#: How deep in such members a transcript may lie, and how deep in others.
_DEPTH: Final = 8
_WIDE_DEPTH: Final = 64
#: How many strings with JSON may lie in each other.
_STRINGS: Final = 8
#: Where a text is asked first for what transcripts have, in characters.
_HEAD: Final = 4_096
#: The members that hold definitions of tools, where they are beside a conversation.
TOOLS: Final = ("tools", "functions", "gen_ai.tool.definitions")
#: The same where it is a list; an object there is a call, or one definition.
_TOOL_LISTS: Final = ("function",)
#: What a text has one of if something may be found in far places: keys, and parts of keys and of other words.
_WORDS: Final = ("role", "function", "tool", "gpt", "human")
_PARTS: Final = (
    *("tool_call", "tool_use", "tool_name", "tool_input", "tool-call", "tools/call", "function_call"),
    *("toolCall", "toolUse", "toolName", "toolInvocation", "functionCall"),
)
#: Far members that are never searched: what a tool returned, pieces of a stream, and definitions.
_CLOSED: Final = frozenset(
    {"tool_result", "tool_results", "toolResult", "toolResults", "tool_output", "tool_outputs", "toolOutput", "stdout"}
    | {"tool_response", "toolResponse", "tool_use_result", "toolUseResult", "function_response", "functionResponse"}
    | {"mock_tool_output", "observation", "stderr", "delta", "content_block", "contentBlock"}
    | {"tools", "functions", "tool_definitions", "toolDefinitions", "function_declarations", "functionDeclarations"}
)
#: How the types of objects begin that are pieces of a stream, and how those end that a tool returned.
_STREAMED: Final = ("response.", "content_block")
_RETURNED: Final = ("tool_result", "tool-result", "toolResult", "_call_output", "_call_response")
#: At most this many values are searched before they are skipped.
_FEW: Final = 256


@dataclass(slots=True)
class FoundTranscript:
    """A transcript: its shape, the values that it is in, one after another, and the tools that go with it.

    `answers` is true if it is in a member for answers, and what it answers is another transcript or unknown; `near`
    that nothing but names that are known to wrap messages leads there.
    """

    shape: Shape
    roots: list[JsonView]
    tools: JsonView | None
    around: Projection
    near: bool
    answers: bool = False


@dataclass(frozen=True, slots=True)
class Searched:
    """A JSON text that is searched: the way from it to the record, whether far places are searched, too, and how many
    strings it lies in."""

    text: str
    around: Projection
    wide: bool
    strings: int = 0


def may_hold_transcript(text: str) -> bool:
    """Return whether a text has a key that transcripts have, also with its quotes escaped; asked before JSON is
    read."""
    head = text[:_HEAD]
    # Nearly every transcript has one there; only of what has none are all keys looked for to the end.
    return _has_key(head) or (len(text) > _HEAD and _has_key(text))


def may_hold_far(text: str) -> bool:
    """Return whether a text has one of the words without which nothing is found in far places."""
    head = text[:_HEAD]
    return _has_word(head) or (len(text) > _HEAD and _has_word(text))


def names_calls(text: str) -> bool:
    """Return whether a text has a word of those that calls in a provider's own fields have, quoted or not."""
    yield_point()
    return any(part in text for part in _PARTS) or "function:" in text or '"function"' in text


def is_closed(name: Any) -> bool:
    """Return whether a member of that name, or an object of that type, is a result, a piece or a definition."""
    return isinstance(name, str) and (name in _CLOSED or name.startswith(_STREAMED) or name.endswith(_RETURNED))


def _has_key(text: str) -> bool:
    return any(_is_key(key, text) for key in known_keys())


def _has_word(text: str) -> bool:
    yield_point()
    return any(_is_key(word, text) for word in _WORDS) or any(part in text for part in _PARTS)


def _is_key(key: str, text: str) -> bool:
    yield_point()
    if key not in text:
        return False
    return f'"{key}"' in text or f"'{key}'" in text or f'\\"{key}\\' in text


def find(
    view: JsonView, where: Searched, tools: JsonView | None = None, depth: int = 0, *, near: bool = True
) -> Iterator[FoundTranscript]:
    """Yield the transcripts in a value: it is one, or it is an envelope or a list of such.

    Takes time linear in the value; what lies deeper than transcripts are wrapped is not searched.
    """
    value = view.value
    if isinstance(value, str):
        yield from _find_in_string(view, where, tools, depth, near=near)
        return
    shape = detect(value)
    if shape is not None:
        roots = [
            FoundTranscript(shape, [root], _tools_of(shape, root) or tools, where.around, near)
            for root in shape.conversations(view)
        ]
        asks = isinstance(value, dict) and len(roots) == 1 and any(key in value for key in _ASKED)
        yield from _with_answers(view, roots[0], where, depth) if asks else roots
        if where.wide and isinstance(value, dict) and depth < _WIDE_DEPTH:
            own = roots[0].tools if len(roots) == 1 else tools
            skipped = BESIDE if asks else frozenset()
            yield from _find_others(view, [key for key in shape.others(value) if key not in skipped], where, own, depth)
    elif depth >= (_WIDE_DEPTH if where.wide else _DEPTH):
        return
    elif isinstance(value, list):
        for index, item in enumerate(value):
            if isinstance(item, dict | list) or _is_json(item):
                yield_point()
                yield from find(JsonView(view.read, item, view, index), where, tools, depth + 1, near=near)
    elif isinstance(value, dict):
        yield from _find_in_object(view, where, tools, depth, near=near)


def ways(value: dict[str, Any], *, wide: bool) -> list[str]:
    """Return the members of an object of no shape in which transcripts are sought."""
    kind = value.get("type")
    if "openapi" in value or "swagger" in value or (isinstance(kind, str) and kind.endswith(_RETURNED)):
        return []
    if isinstance(kind, str) and kind.startswith(_STREAMED):
        wide = False
    return [key for key, inner in value.items() if _leads_on(key, inner, wide=wide)]


def holds_nothing(value: Any) -> bool:
    """Return whether in a value of few parts there is certainly nothing to be found, however it is searched."""
    waiting = [value]
    seen = 0
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict | list):
            seen += len(each)
            if seen > _FEW or detect(each) is not None:
                return False
            waiting += each.values() if isinstance(each, dict) else each
        elif _is_json(each):
            return False
    return True


def _leads_on(key: str, inner: Any, *, wide: bool) -> bool:
    if not (isinstance(inner, dict | list) or _is_json(inner)):
        return False
    return key in ENVELOPES or (wide and key not in _CLOSED and not is_schema(inner))


def is_schema(value: Any) -> bool:
    """Return whether a value describes data, so that what looks like a transcript there is an example at most."""
    if not isinstance(value, dict):
        return False
    dialect = value.get("$schema")
    if isinstance(dialect, str) and "json-schema.org" in dialect:
        return True
    return value.get("type") in ("object", "OBJECT") and isinstance(value.get("properties"), dict)


def _find_in_object(
    view: JsonView, where: Searched, tools: JsonView | None, depth: int, *, near: bool
) -> Iterator[FoundTranscript]:
    value = view.value
    keys = ways(value, wide=where.wide)
    if not keys:
        return
    tools = _inline_tools(view) or tools
    asked: FoundTranscript | None = None
    waiting = False
    # A request is read first, wherever it is, for its answer continues with it; what is in far places, last.
    keys.sort(key=lambda key: 0 if _asks(key) else 1 if key in ENVELOPES or _answers(key) else 2)
    for key in keys:
        inner = JsonView(view.read, value[key], view, key)
        found = list(find(inner, where, tools, depth + 1, near=near and key in ENVELOPES))
        if _asks(key) and asked is None and len(found) == 1:
            asked, waiting = found[0], True
            continue
        if _answers(key) and found:
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


def _asks(key: str) -> bool:
    return key in REQUESTS or key.endswith(("_request", "Request"))


def _answers(key: str) -> bool:
    return key in ANSWERS or key.endswith(("_response", "Response"))


def _inline_tools(view: JsonView) -> JsonView | None:
    """Return the definitions of tools that an object has for what lies in it, None where it has none."""
    inline_tools = view.get(*TOOLS)
    if inline_tools is not None and inline_tools.value:
        return inline_tools
    listed = view.get(*_TOOL_LISTS)
    return listed if listed is not None and isinstance(listed.value, list) and listed.value else None


def _with_answers(view: JsonView, asked: FoundTranscript, where: Searched, depth: int) -> Iterator[FoundTranscript]:
    """Yield a request and what is beside its messages and answers them, as flat logs have it."""
    waiting = True
    for key in view.value:
        if key not in BESIDE or depth >= _DEPTH:
            continue
        inner = view.get(key)
        assert inner is not None, "the key is there"
        if not isinstance(inner.value, dict | list | str):
            continue
        found = list(find(inner, where, asked.tools, depth + 1, near=asked.near))
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


def _find_others(
    view: JsonView, keys: list[str], where: Searched, tools: JsonView | None, depth: int
) -> Iterator[FoundTranscript]:
    """Yield what is beside a conversation and is not part of it."""
    value = view.value
    for key in keys:
        if _leads_on(key, value[key], wide=True):
            for each in find(JsonView(view.read, value[key], view, key), where, tools, depth + 1, near=False):
                each.answers = each.answers or _answers(key)
                yield each


def _joined(asked: FoundTranscript, answer: FoundTranscript) -> bool:
    """Add an answer to its request, where both are of one shape; return whether they are."""
    root, other = asked.roots[0], answer.roots[0]
    if root.read is not other.read or len(asked.roots) > 1 or not asked.shape.is_whole(root.value):
        return False
    if asked.shape is not answer.shape:
        # What could be of several shapes is of the one that the other is certainly of.
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
    """Return whether a value, or the first object in it, has a key of a shape."""
    head = next((item for item in value[:8] if isinstance(item, dict)), {}) if isinstance(value, list) else value
    return any(key in head for key in shape.keys)


def _find_in_string(
    view: JsonView, where: Searched, tools: JsonView | None, depth: int, *, near: bool
) -> Iterator[FoundTranscript]:
    """Yield the transcripts in a string that holds JSON."""
    value = view.value
    limit = _WIDE_DEPTH if where.wide else _DEPTH
    if depth == 0 or depth >= limit or where.strings >= _STRINGS or not _is_json(value):
        return
    if not (may_hold_transcript(value) if near else may_hold_far(value)):
        return
    span = view.span
    if not is_string(where.text, span):
        return
    string = JsonString(where.text[span.start + 1 : span.end - 1], span.start + 1)
    read = read_json(string.text)
    wide = may_hold_far(string.text)
    inner = Searched(string.text, within(where.around, string), wide, where.strings + 1)
    yield from find(JsonView.of(read), inner, tools, depth + 1, near=near)


def within(around: Projection, inner: Projection) -> Projection:
    """Return a projection of the transcript's text as one of the record."""
    return inner if isinstance(around, Identity) and around.start == 0 else Composed(around, inner)


def is_string(text: str, span: Span) -> bool:
    """Return whether a JSON string in double quotes is there."""
    return span.end - span.start >= 2 and text[span.start] == '"' == text[span.end - 1]


def _is_json(value: Any) -> bool:
    return isinstance(value, str) and value[:1] in ("{", "[")


def _tools_of(shape: Shape, root: JsonView) -> JsonView | None:
    tools = _inline_tools(root) if shape.alone else shape.tools(root)
    return tools if tools is not None and tools.value else None
