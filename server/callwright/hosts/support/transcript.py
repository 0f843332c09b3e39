"""Transcripts in JSON: from a text to its conversation, its passages, and the calls in the provider's own fields.

Owns: the passages of messages, native calls as passages of their own, and reading one entry of a list again. Must not
know: where transcripts are, the shape of any, dialects, kinds of files.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from callwright.calls.json_places import inside_quotes
from callwright.calls.model import NATIVE, JsonValue, ToolCall
from callwright.calls.sketch import is_placeholder_name
from callwright.calls.turns import NativeCall, Spot, Turn, TurnText
from callwright.hosts.base import Passage, Record, TranscriptPart
from callwright.hosts.support.transcript_search import (
    ANSWERS,
    BESIDE,
    ENVELOPES,
    REQUESTS,
    TOOLS,
    FoundTranscript,
    Searched,
    find,
    holds_nothing,
    is_string,
    may_hold_far,
    may_hold_transcript,
    ways,
    within,
)
from callwright.syntax.json import JsonRead, read_json
from callwright.syntax.json_views import JsonView
from callwright.text.budget import yield_point
from callwright.text.joined import Joined
from callwright.text.projection import Identity, JsonString, Projection
from callwright.text.records import dataclass, replace
from callwright.text.span import Span
from callwright.transcripts.catalogue import detect
from callwright.transcripts.support.call_forms import LIST, are_of_dialect
from callwright.transcripts.support.profiles import NONE, find_profile
from callwright.transcripts.support.text_results import only_results

if TYPE_CHECKING:
    from callwright.transcripts.base import Shape

#: What every opener of a dialect has one of.
_MARKERS = "<{[(:=`~"
#: The fault of an escape that is half of a character.
_HALF: Final = "lone-surrogate"
#: The names under which models call a tool that the provider runs, and that a request names by its type alone.
_HOSTED: Final = {"code_interpreter": ("python", "code_interpreter")}
#: Who speaks first in a conversation that is whole.
_FIRST: Final = frozenset({None, "system", "user"})


def transcript_record(text: str, outer: Projection | None = None) -> Record:
    """Take a JSON text apart as a transcript; another shape gives nothing.

    A transcript is the whole value, or lies somewhere in it, or in a string with JSON there. A request and the answer
    beside it are one conversation. Each string that a speaker says is a passage, and so is each call in the
    provider's own fields, also one that is in no conversation. Faults of the JSON itself are problems, for no
    reader of the file gets past them. Where the text itself is the decoded text of something in the document, `outer`
    is the way there, and problems are left to its caller.
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
    root = JsonView.of(read)
    for found in find(root, Searched(text, around, may_hold_far(text))):
        if found.shape.verbatim:
            problems = [problem for problem in problems if problem.kind != _HALF]
        inner = _take(found, read, inner, passages, parts)
    return Record(passages, problems if parts else (), parts, value=root if parts else None)


def transcript_in_string(text: str, outer: Projection) -> Record:
    """Return what `transcript_record` returns for a string's text; nothing where it holds calls alone, and its JSON has
    faults or they are a list of no provider.

    Those are left to the dialects, which report the errors.
    """
    record = transcript_record(text, outer)
    if not all(part.alone for part in record.transcripts):
        return record
    value = record.value.value if record.value is not None else None
    listed = value.get(LIST) if isinstance(value, dict) else None
    of_dialect = isinstance(listed, list) and are_of_dialect(listed)
    return Record() if record.problems or of_dialect else record


def _take(
    found: FoundTranscript, read: JsonRead, inner: JsonRead | None, passages: list[Passage], parts: list[TranscriptPart]
) -> JsonRead | None:
    """Add what was found in a text that was `read`; take and return the string of which the faults were reported
    last."""
    part = _part(found)
    parts.append(part)
    own = found.roots[0].read
    if own is not read and own is not inner and own.problems:
        inner = own
        passages += _faults(own, found.around)
    for turn in part.turns:
        yield_point()
        passages += turn_passages(turn, own.text, own, found.around)
    return inner


@dataclass(frozen=True, slots=True)
class Entries:
    """The list that a clean value consists of, as far as it is a transcript, entry by entry.

    `key` is the member of the whole that it is under, None where it is the whole. `shape` says how the whole is
    written, and each entry gives turns of it; where it is None, each entry is searched for transcripts by itself.
    `wide` is true if something may be in far places of the whole.
    """

    listed: JsonView
    key: str | None
    shape: Shape | None
    wide: bool

    @property
    def lead(self) -> str:
        """What is around an entry, in front of it."""
        return "[" if self.key is None else f'{{"{self.key}":['

    @property
    def tail(self) -> str:
        """What is around an entry, after it."""
        return "]" if self.key is None else "]}"


def entries_of(whole: JsonView, *, wide: bool | None = None) -> Entries | None:
    """Return the list that a clean value consists of; None where what is read in one of its entries may depend on
    the others, or nothing is read in them. Where the caller does not say whether it is `wide`, the text is asked."""
    value = whole.value
    shape = detect(value)
    wide = may_hold_far(whole.read.text) if wide is None else wide
    if shape is None:
        if isinstance(value, list):
            return Entries(whole, None, None, wide)
        return _collected(whole, wide=wide) if isinstance(value, dict) else None
    if isinstance(value, dict):
        beside = shape.others(value) if wide else ()
        if any(key in value for key in BESIDE) or not all(holds_nothing(value[key]) for key in beside):
            return None
    listed = shape.entries(whole)
    if listed is None or not shape.is_whole(value):
        return None
    return Entries(listed, None if listed is whole else str(listed.step), shape, wide)


def _collected(whole: JsonView, *, wide: bool) -> Entries | None:
    """Return the list of transcripts that an object of no shape holds, beside nothing that belongs to them."""
    value = whole.value
    if any(key in REQUESTS or key in ANSWERS or key in TOOLS for key in value):
        return None
    keys = [key for key in ways(value, wide=wide) if not holds_nothing(value[key])]
    listed = whole.get(*keys) if len(keys) == 1 else None
    if listed is None or not isinstance(listed.value, list) or detect(listed.value) is not None:
        return None
    return Entries(listed, keys[0], None, wide)


def entry_record(entry: str, entries: Entries, of: TranscriptPart | None) -> Record | None:
    """Take one entry of such a list apart: of what is read in the whole, what is read in that entry.

    Offsets are those of the entry between `lead` and `tail`. Where the whole is one transcript, `of` is that. None
    where the entry is not a clean object or list.
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
        turns = _with_hosted([*entries.shape.turns(whole)], of.definitions)
        parts.append(replace(of, turns=turns, projection=around, tools=None, joined=True))
        for turn in turns:
            passages += turn_passages(turn, text, read, around)
        return Record(passages, (), parts, value=item)
    near = entries.key is None or entries.key in ENVELOPES
    for found in find(item, Searched(text, around, entries.wide), None, 1 if entries.key is None else 2, near=near):
        inner = _take(found, read, inner, passages, parts)
    return Record(passages, (), parts, value=item)


def _faults(read: JsonRead, around: Projection) -> Iterator[Passage]:
    """Yield the faults of JSON in a string as a passage; of one that ends too early none, for logs cut long bodies."""
    if not any(problem.data.get("truncated") for problem in read.problems):
        yield Passage(read.text, around, markdown=False, calls=(), problems=tuple(read.problems))


def _part(found: FoundTranscript) -> TranscriptPart:
    shape, root = found.shape, found.roots[0]
    definitions = _definitions(found.tools)
    turns = _with_hosted([turn for each in found.roots for turn in shape.turns(each)], definitions)
    joined = len(found.roots) > 1
    if joined:
        for turn in turns:
            # What an answer continues with is here.
            turn.continues = turn.conversation is not None
    elif turns and (found.answers or (not found.near and turns[0].role not in _FIRST)):
        turns[0].continues = True
    whole = joined or shape.is_whole(root.value)
    certain = joined or shape.is_certain(root.value)
    provider, alone = shape.provider, shape.alone
    if not found.near:
        alone = alone or not (whole or isinstance(root.value, list))
        whole = True
        if alone or not certain or _is_never_sent(turns, provider):
            provider = NONE.name
    own = found.tools is not None and found.tools.read is root.read and isinstance(found.tools.value, list)
    return TranscriptPart(
        turns,
        shape.name,
        provider,
        found.around,
        whole,
        definitions,
        certain=certain,
        tools=found.tools if own else None,
        alone=alone,
    )


def _with_hosted(turns: list[Turn], definitions: Any) -> list[Turn]:
    """Return turns with their calls of the provider's own tools marked: these get text, and are not defined."""
    listed = [each for each in definitions if isinstance(each, dict)] if isinstance(definitions, list) else []
    names = {name for each in listed for name in _HOSTED.get(str(each.get("type")), ())}
    for call in (call for turn in turns if names for call in turn.calls):
        if call.tool in names:
            call.hosted = call.unparsed = True
    return turns


def _is_never_sent(turns: Sequence[Turn], provider: str) -> bool:
    """Return whether turns have a role, or arguments of a form, that the provider does not know: these messages were
    written for something else, so that what the provider demands does not matter."""
    profile = find_profile(provider)
    words = (getattr(turn.role_place, "value", None) for turn in turns) if profile.roles else ()
    if any(isinstance(word, str) and word not in profile.roles for word in words):
        return True
    other = {"string": dict, "object": str}.get(profile.arguments or "")
    given = (call.arguments for turn in turns for call in turn.calls if not call.unparsed)
    return other is not None and any(value is not None and isinstance(value.value, other) for value in given)


def _definitions(tools: JsonView | None) -> Any:
    """Return definitions of tools; data sets whose columns have one type write them as a string."""
    value = tools.value if tools is not None else None
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value) if value[:1] in ("{", "[") else None
    except (ValueError, RecursionError):
        return None


def turn_passages(turn: Turn, text: str, read: JsonRead, around: Projection) -> Iterator[Passage]:
    """Yield the passages of one turn: its text, and its native calls."""
    for stated in turn.texts:
        if turn.role == "user" and only_results(stated, turn.results):
            # What a tool returned is not text with calls, whatever it looks like.
            continue
        passage = _text_passage(stated, turn, text, around)
        if passage is not None:
            yield passage
    for native in turn.calls:
        yield _native_passage(native, turn, text, read, around)


def _text_passage(stated: TurnText, turn: Turn, text: str, around: Projection) -> Passage | None:
    if not any(marker in stated.value for marker in _MARKERS):
        return None
    span = stated.place.span
    inner: Projection
    if isinstance(stated.place, Spot):
        own = span.of(text)
        inner = Identity(span.start, len(own))
    else:
        if not is_string(text, span):
            return None
        string = JsonString(text[span.start + 1 : span.end - 1], span.start + 1)
        own, inner = string.text, string
    return Passage(own, within(around, inner), turn.role, stated.markdown, turn)


def _native_passage(native: NativeCall, turn: Turn, text: str, read: JsonRead, around: Projection) -> Passage:
    if native.arguments is not None and isinstance(native.arguments.value, str) and not native.unparsed:
        span = native.arguments.span
        if is_string(text, span):
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
        # An object is wanted: after the name's closing quote.
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
        return Passage(own, within(around, projection), turn.role, markdown=False, turn=turn, calls=(call,))
    read = read_json(own, start, start + inner.length)
    call = _call(native, Span(0, len(own)), tool_span, JsonValue(read), name is not None)
    call.problems = list(read.problems)
    call.complete = not any(problem.data.get("truncated") for problem in read.problems)
    return Passage(own, within(around, projection), turn.role, markdown=False, turn=turn, calls=(call,))


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
