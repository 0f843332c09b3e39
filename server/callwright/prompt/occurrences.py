"""Occurrences: where a tool or a parameter is named in a document, and how another name is written there.

Owns: `Target`, `Occurrence`, `target_at`, `occurrences`; `Definitions`, `definitions_in`, `declared_names`: what a
document defines itself. Must not know: other documents, files, protocols.

A tool is named where it is called, where a result says whose it is, where it is defined, where front matter lists it,
and where prose speaks of it.
Spans are offsets of the document. How a name is written is the business of whatever holds it: an edit goes through the
notation of the call and through the projection of the passage, and comes out as None where one of them cannot hold it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, Final

from callwright.calls.model import NATIVE, JsonValue
from callwright.calls.turns import Spot, TurnText
from callwright.declarations.documents import differ
from callwright.document.blocks import PlacedCall, shifted
from callwright.hosts.base import FlowHost
from callwright.prompt.editing import rename_argument
from callwright.prompt.listed_tools import ListedTool, listed_tools
from callwright.text.line_ends import LINE_END, LINE_START, last_line
from callwright.text.projection import Composed, Identity, JsonString, Projection, encode_all
from callwright.text.span import Edit, Span
from callwright.tools.property_places import Names, all_properties, keys_in, mentions, names_of, property_places
from callwright.transcripts.support.places import text_of_place
from callwright.transcripts.support.text_results import text_results

if TYPE_CHECKING:
    from callwright.calls.model import Path
    from callwright.calls.turns import TurnResult
    from callwright.document.blocks import Block, ReadPassage
    from callwright.document.snapshot import Snapshot
    from callwright.prompt.teachings import Place
    from callwright.schema.binding import Binding
    from callwright.syntax.json_views import JsonView
    from callwright.tools.definitions import Definition, Places
    from callwright.tools.documents import ToolDocument
    from callwright.tools.model import ToolSchema

Write = Callable[[str], tuple[Edit, ...] | None]


class Kind(Enum):
    """What names the tool or the parameter."""

    DEFINITION = "definition"
    SCHEMA = "schema"
    CALL = "call"
    RESULT = "result"
    EXAMPLE = "example"
    LISTED = "listed"
    MENTION = "mention"


class Doubt(Enum):
    """Why it is for a person to say whether an occurrence is to be renamed with the others."""

    NONE = ""
    PROSE = "prose"
    TRANSCRIPT = "transcript"
    OTHER_SET = "other set"


@dataclass(frozen=True, slots=True)
class Target:
    """What is looked for: a tool by the name that is written (its own or an alias), or a parameter by the names that
    lead to it. `tool` is its definition, None where no registry has one."""

    name: str
    path: Names = ()
    tool: ToolSchema | None = None

    @property
    def word(self) -> str:
        """The word that is written wherever the target is named."""
        return self.path[-1] if self.path else self.name

    @property
    def file(self) -> str | None:
        """The file that defines the tool, None where none does."""
        return self.tool.origin.file if self.tool is not None else None

    @property
    def tool_names(self) -> frozenset[str]:
        """Every name of the tool."""
        if self.tool is None:
            return frozenset({self.name})
        return frozenset({self.name, self.tool.name, *self.tool.aliases})

    def is_tool(self, tool: ToolSchema | None) -> bool:
        """Return whether a definition is this target's own; nothing is known of a tool without one.

        What one file says of a name in several places it says of one tool, and so do several files that agree on its
        parameters.
        """
        if self.tool is None or tool is None:
            return self.tool is None and tool is None
        if self.tool is tool:
            return True
        here, there = self.tool.origin, tool.origin
        if here.file is not None and here.file == there.file:
            return here.pointer == there.pointer or self.tool.name == tool.name
        return self.tool.name == tool.name and not differ(self.tool, tool)

    def __str__(self) -> str:
        return ".".join((self.name, *self.path))


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One place that names the target.

    `spans` are the writings of the name, the one that is pointed at first: an element has two. `frame` is what they
    belong to: a whole call, a definition. `name` is the word that stands there, which for a tool may be another one of
    its names. `reason` says why it cannot be written otherwise, empty where it can. `path` is that of the argument
    which a call gives.
    """

    kind: Kind
    doubt: Doubt
    spans: tuple[Span, ...]
    frame: Span
    name: str
    notation: str
    reason: str = ""
    write: Write = field(default=lambda _name: None, repr=False)
    path: Path = ()

    @property
    def span(self) -> Span:
        """The writing that is pointed at."""
        return self.spans[0]


def document_of(snapshot: Snapshot) -> ToolDocument:
    """Return what a tool file's snapshot defines; read once."""
    from callwright.declarations.documents import read_tools_of

    block = snapshot.blocks[0]
    known: ToolDocument | None = block.cache.get("tool document")
    if known is None:
        path = snapshot.path or snapshot.uri
        known = block.cache["tool document"] = read_tools_of(snapshot.document.text(), path)
    return known


def occurrences(snapshot: Snapshot, target: Target) -> list[Occurrence]:
    """Return where a document names the target, in the order of the text.

    A place in several versions of a template is told once.
    """
    if snapshot.host.holds == "configuration":
        return []
    if snapshot.host.holds == "tools":
        found = [each for source in definitions_in(snapshot) for each in _in_definitions(source, target)]
    else:
        found = list(_in_text(snapshot, target))
    once: dict[Span, Occurrence] = {}
    for each in sorted(found, key=lambda each: (each.span, each.kind is Kind.MENTION)):
        once.setdefault(each.span, each)
    return list(once.values())


def _in_text(snapshot: Snapshot, target: Target) -> Iterator[Occurrence]:
    taken: list[Span] = []
    for placed in snapshot.placed_calls():
        yield from of_call(placed, target)
        taken.append(placed.span)
    for source in definitions_in(snapshot):
        for each in _in_definitions(source, target):
            taken.append(each.span)
            yield each
    if not target.path:
        for each in _listed(snapshot, target.tool_names):
            taken.append(each.span)
            yield each
    # What a declaration names is that, whatever the prose before it speaks of.
    taken += [span for _, each in declared_names(snapshot) for span in each.spans]
    calls = _Covered(taken)
    for block, start in zip(snapshot.blocks, snapshot.starts, strict=True):
        if not target.path:
            for each in _results(block, start, target, calls):
                taken.append(each.frame if each.notation == "text" else each.span)
                yield each
        for each in _brought(block, start, target):
            taken.append(each.frame)
            yield each
    yield from _mentions(snapshot, target, taken)


# --- front matter -------------------------------------------------------------------------------------------------


def _listed(snapshot: Snapshot, names: frozenset[str]) -> Iterator[Occurrence]:
    """Yield where front matter lists a tool of one of these names."""
    for each in listed_tools(snapshot):
        if each.name in names:
            # What qualifies a name is no part of it.
            yield _of_listed(each)
        elif each.whole in names:
            yield _of_listed(each.as_whole())


def _of_listed(each: ListedTool) -> Occurrence:
    return Occurrence(Kind.LISTED, Doubt.NONE, (each.span,), each.span, each.name, "yaml", "", each.renamed)


def listed_at(snapshot: Snapshot, offset: int) -> tuple[Target, Occurrence] | None:
    """Return the tool that front matter lists at an offset; None where no registry has it."""
    for listed in listed_tools(snapshot):
        for each in (listed, listed.as_whole()):
            tool = _own(snapshot, each.name, None) if each.span.start <= offset <= each.span.end else None
            if tool is not None:
                return Target(each.name, (), tool), _of_listed(each)
    return None


# --- calls --------------------------------------------------------------------------------------------------------


def of_call(placed: PlacedCall, target: Target) -> Iterator[Occurrence]:
    """Yield where one call names the target."""
    call = placed.call
    if call.tool is None or call.tool not in target.tool_names or call.details.get("hosted"):
        return
    doubt = _doubt_of(placed, target)
    if not target.path:
        yield _named(placed, doubt)
        return
    binding = placed.binding
    for path in _paths(binding.value, target.word):
        names = names_of(path)
        if names == target.path or (binding.tool is not None and _same_property(binding.tool, names, target)):
            yield _argument(placed, binding, path, doubt)


def _doubt_of(placed: PlacedCall, target: Target) -> Doubt:
    if placed.read.passage.turn is not None:
        return Doubt.TRANSCRIPT
    if target.tool is not None and len(placed.binding.candidates) > 1 and not target.is_tool(placed.binding.tool):
        return Doubt.OTHER_SET
    return Doubt.NONE


def _named(placed: PlacedCall, doubt: Doubt) -> Occurrence:
    """Return the occurrence of a tool's name in a call of it."""
    call = placed.call
    passage = placed.passage
    spans = call.name_spans or (call.tool_span,)

    def write(name: str) -> tuple[Edit, ...] | None:
        return encode_all(passage.projection, [Edit(span, name) for span in spans])

    reason = "" if call.name_spans else "the name is not written by itself there"
    raw = tuple(placed.raw_span(span) for span in spans)
    return Occurrence(Kind.CALL, doubt, raw, placed.span, call.tool or "", call.dialect, reason, write)


def _argument(placed: PlacedCall, binding: Binding, path: Path, doubt: Doubt) -> Occurrence:
    """Return the occurrence of a parameter's name in the call that gives it."""
    passage, word = placed.passage, str(path[-1])
    text = passage.text

    def written(name: str) -> tuple[Edit, ...]:
        if binding.decoded:
            return _decoded_key(binding, path, name)
        return rename_argument(binding, path, name) or _key_in_text(binding, path, name)

    def write(name: str) -> tuple[Edit, ...] | None:
        edits = written(name)
        return encode_all(passage.projection, edits) if edits else None

    spans = tuple(_bare(span, text) for span, _ in written(word))
    reason = "" if spans else "the name is not written by itself there"
    raw = tuple(placed.raw_span(span) for span in spans or (binding.span_of(path),))
    return Occurrence(Kind.CALL, doubt, raw, placed.span, word, placed.call.dialect, reason, write, path)


def _decoded_key(binding: Binding, path: Path, name: str) -> tuple[Edit, ...]:
    """Return the edit that renames a member of the object that a string in the arguments' place holds."""
    from callwright.syntax.json import read_json

    arguments = binding.call.arguments
    if not isinstance(arguments, JsonValue):
        return ()
    start, end = arguments.span
    if not binding.text[start:end].startswith('"') or not binding.text[:end].endswith('"') or end - start < 2:
        return ()
    string = JsonString(binding.text[start + 1 : end - 1], start + 1)
    read = read_json(string.text)
    key = read.locate_key(path)
    text = read.notation.key(name, path[:-1])
    edit = string.encode(Edit(key, text)) if key is not None and text is not None else None
    return (edit,) if edit is not None else ()


def _key_in_text(binding: Binding, path: Path, name: str) -> tuple[Edit, ...]:
    """Return the edit that renames a member of the object that the text of an element holds as JSON."""
    from callwright.syntax.json import read_json

    for length in range(len(path) - 1, 0, -1):
        place = binding.coerced.places.get(path[:length])
        if place is None:
            continue
        start, end = place.element.content
        section = _SECTION.fullmatch(binding.text, start, end)
        if section is not None:
            start, end = section.span("text")
        read = read_json(binding.text, start, end)
        key = read.locate_key(path[length:])
        text = read.notation.key(name, path[length:-1])
        return (Edit(key, text),) if key is not None and text is not None else ()
    return ()


#: A text that is one CDATA section.
_SECTION: Final = re.compile(r"\s*+<!\[CDATA\[(?P<text>(?:[^\]]++|\](?!\]>))*+)\]\]>\s*+")


def _bare(span: Span, text: str) -> Span:
    """Return the span of a name without the quotes around it, escaped or not."""
    start, end = span
    while start < end and text[start] in "\"'\\":
        start += 1
    while end > start and text[end - 1] in "\"'\\":
        end -= 1
    return Span(start, end)


def _paths(value: Any, word: str) -> Iterator[Path]:
    """Yield the paths of all members of this name in a plain value."""
    pending: list[tuple[Path, Any]] = [((), value)]
    while pending:
        path, node = pending.pop()
        if isinstance(node, dict):
            if word in node:
                yield (*path, word)
            pending.extend(((*path, key), item) for key, item in node.items() if isinstance(item, dict | list))
        elif isinstance(node, list):
            pending.extend(((*path, index), item) for index, item in enumerate(node) if isinstance(item, dict | list))


def _same_property(tool: ToolSchema, names: Names, target: Target) -> bool:
    """Tell whether two ways lead to one property, as they do where a schema refers to another one twice."""
    if target.tool is None or not target.is_tool(tool):
        return False
    return not property_places(tool.input_schema, names).isdisjoint(
        property_places(target.tool.input_schema, target.path)
    )


# --- results ------------------------------------------------------------------------------------------------------


def _results(block: Block, start: int, target: Target, calls: _Covered) -> Iterator[Occurrence]:
    for part in block.transcripts:
        projection: Projection = shifted(part.projection, start)
        for turn in part.turns:
            for result in turn.results:
                yield from _of_result(result, projection, target, Doubt.TRANSCRIPT, "transcript")
    for read in block.passages:
        passage = read.passage
        if passage.turn is not None or passage.calls is not None or passage.version is not None:
            continue
        around: Projection = shifted(passage.projection, start)
        for result in text_results(TurnText(Spot(Span(0, len(passage.text))), passage.text)):
            for each in _of_result(result, around, target, Doubt.NONE, "text"):
                if not calls.holds(each.span):
                    yield each


def _of_result(
    result: TurnResult, projection: Projection, target: Target, doubt: Doubt, notation: str
) -> Iterator[Occurrence]:
    if result.tool is None or result.tool not in target.tool_names or result.tool_place is None or result.hosted:
        return
    place = result.tool_place
    located = text_of_place(place, decode=True)
    if located is None:
        # What stands without quotes: the end of a string, a text as it is.
        size = place.span.end - place.span.start
        located = (result.tool, Identity(place.span.start, size), Span(0, size))
    text, inner, span = located
    if span.of(text) != result.tool:
        return
    whole = Composed(projection, inner)

    def write(name: str) -> tuple[Edit, ...] | None:
        edit = whole.encode(Edit(span, name))
        return None if edit is None else (edit,)

    frame = projection.raw_span(result.place.span)
    yield Occurrence(Kind.RESULT, doubt, (whole.raw_span(span),), frame, result.tool, notation, "", write)


# --- definitions --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Definitions:
    """Definitions in a text: of a tool file, of a prompt that declares tools, or of a transcript that brings its tools
    along.

    `projection` leads from the text to the document, None where they are the same. `value` is what the text holds.
    """

    definitions: Iterable[Definition]
    places: Places
    text: str
    value: Any
    file: str | None
    notation: str
    projection: Projection | None = None
    doubt: Doubt = Doubt.NONE

    @classmethod
    def of_file(cls, snapshot: Snapshot) -> Definitions:
        """Return the definitions of a tool file."""
        document = document_of(snapshot)
        return cls(document.definitions, document.places, document.text, document.value, document.file, document.format)

    def raw(self, span: Span) -> Span:
        """Return a span of the text as one of the document."""
        return span if self.projection is None else self.projection.raw_span(span)

    def around(self, definition: Definition) -> Span:
        """Return the span of a whole definition in the document."""
        whole = self.raw(self.places.value(definition.path))
        if not definition.name_is_key:
            return whole
        named = self.named(definition)
        return Span(min(whole.start, named.start), max(whole.end, named.end))

    def named(self, definition: Definition) -> Span:
        """Return the span of a tool's name in the document, with quotes where it has any."""
        path, places = definition.name_path, self.places
        return self.raw(places.key(path) if definition.name_is_key else places.value(path))


def definitions_in(snapshot: Snapshot) -> Iterator[Definitions]:
    """Yield what a tool file defines, or each declaration of a document with calls."""
    from callwright.prompt.declared import sources_in

    if snapshot.host.holds == "tools":
        yield Definitions.of_file(snapshot)
        return
    doubt = Doubt.TRANSCRIPT if snapshot.has_transcripts else Doubt.NONE
    for each, definitions, projection in sources_in(snapshot):
        document = each.read.document
        yield Definitions(definitions, document.places, document.text, document.value, None, "text", projection, doubt)


class _ViewPlaces:
    """Where the parts of a value of a transcript stand."""

    def __init__(self, view: JsonView) -> None:
        self._read = view.read
        self._top = view.path

    def value(self, path: Path) -> Span:
        """Return the span of the value at `path`, or of the nearest value around it."""
        for length in range(len(path), -1, -1):
            node = self._read.locate((*self._top, *path[:length]))
            if node is not None:
                return node.span
        return self._read.span

    def key(self, path: Path) -> Span:
        """Return the span of the key at the end of `path`, or of the value where there is no such key."""
        return self._read.locate_key((*self._top, *path)) or self.value(path)


def _brought(block: Block, start: int, target: Target) -> Iterator[Occurrence]:
    """Yield what is said in definitions that transcripts bring along."""
    for part in block.transcripts:
        if part.tools is None or target.name not in part.tools.read.text:
            continue
        yield from _in_definitions(_of_transcript(part.tools, shifted(part.projection, start)), target)


def _of_transcript(view: JsonView, projection: Projection) -> Definitions:
    from callwright.tools.definitions import locate_definitions

    places = _ViewPlaces(view)
    found, _ = locate_definitions(view.value, places=places)
    return Definitions(found, places, view.read.text, view.value, None, "transcript", projection, Doubt.TRANSCRIPT)


def _in_definitions(source: Definitions, target: Target) -> Iterator[Occurrence]:
    for definition in source.definitions:
        own = target.is_tool(definition.tool)
        same = target.name in (definition.tool.name, *definition.tool.aliases)
        if not own and not same:
            continue
        doubt = source.doubt if own or source.doubt is not Doubt.NONE or target.tool is None else Doubt.OTHER_SET
        around = source.places.value(definition.path)
        if target.path:
            yield from _parameter_words(source, definition, target, doubt)
            yield from _described(source, around, target.word)
        else:
            yield from _tool_words(source, definition, doubt)
            if source.projection is not None:
                yield from _described(source, around, target.word)
    if not target.path and source.projection is None:
        # Any tool may speak of any other.
        yield from _described(source, Span(0, len(source.text)), target.word)


def _tool_words(source: Definitions, definition: Definition, doubt: Doubt) -> Iterator[Occurrence]:
    """Yield the names that a definition gives its tool."""
    name = definition.tool.name
    yield _word(source, definition, definition.name_path, definition.name_is_key, name, Kind.DEFINITION, doubt)
    aliases = definition.value.get("aliases") if not definition.name_is_key else None
    for index, alias in enumerate(aliases if isinstance(aliases, list) else ()):
        if alias in definition.tool.aliases:
            path = (*definition.path, "aliases", index)
            yield _word(source, definition, path, False, alias, Kind.DEFINITION, doubt)


#: Keywords of a schema that hold values and no schemas.
_DATA: Final = frozenset({"default", "const", "examples", "enum"})


def _parameter_words(source: Definitions, definition: Definition, target: Target, doubt: Doubt) -> Iterator[Occurrence]:
    """Yield where a definition names a parameter: its schema, and its examples."""
    schema = definition.tool.input_schema
    for path, is_key in mentions(schema, target.path):
        whole = _in_document(source, definition, path)
        if whole is None:
            continue
        is_property = is_key and len(path) > 1 and path[-2] == "properties"
        if not is_key and _is_implied(source, source.places.value(whole), target.word):
            continue
        of_example = any(step in _DATA for step in path) and is_key
        kind = Kind.DEFINITION if is_property else Kind.EXAMPLE if of_example else Kind.SCHEMA
        reason = ""
        if definition.schema_path is not None and whole[: len(definition.schema_path)] != definition.schema_path:
            reason = "it stands in definitions that several tools share"
        yield _word(source, definition, whole, is_key, target.word, kind, doubt, reason)
    if definition.examples_path is not None and isinstance(definition.examples, list):
        for inner in keys_in(definition.examples, target.path):
            path = (*definition.examples_path, *inner)
            yield _word(source, definition, path, True, target.word, Kind.EXAMPLE, doubt)


def _is_implied(source: Definitions, span: Span, word: str) -> bool:
    """Return whether a declaration says something of a parameter without its name, as `(required)` does."""
    written = span.of(source.text)
    if source.projection is None or written.lstrip()[:1] in ('"', "'"):
        return False
    return written.strip("` \t\r\n") != word


def _in_document(source: Definitions, definition: Definition, path: Path) -> Path | None:
    """Return the place of a part of a tool's schema in its document; None where the schema is not written there."""
    if definition.schema_path is not None and _leads(definition.input_schema, path):
        return (*definition.schema_path, *path)
    return path if path[:1] == ("$defs",) and _leads(source.value, path) else None


def _leads(value: Any, path: Path) -> bool:
    for step in path:
        inside: Any = value if isinstance(value, dict) else dict(enumerate(value)) if isinstance(value, list) else {}
        if step not in inside:
            return False
        value = inside[step]
    return True


#: How far into the tag of a sample an attribute is sought.
_LONGEST_TAG: Final = 4_000
#: Formats in which a bare name is an identifier.
_PROGRAMS: Final = frozenset({"python"})


def _word(
    source: Definitions,
    definition: Definition,
    path: Path,
    is_key: bool,
    word: str,
    kind: Kind,
    doubt: Doubt,
    reason: str = "",
) -> Occurrence:
    """Return the occurrence of a word that is a key or a value of a definition."""
    around = source.places.key(path) if is_key else source.places.value(path)
    written = around.of(source.text)
    at = written.find(word) if written.strip("\"'` \t\r\n") == word else -1
    span = Span(around.start + at, around.start + at + len(word)) if at >= 0 else around
    if at < 0 and not reason:
        reason = "it is written with escapes, or not by itself"
    elif source.notation in _PROGRAMS and written == word and not reason:
        reason = "it is a name of the program itself, which other code may use; rename it there, and then the calls"

    spans = (span, *(_in_sample(source, definition, span, word) if kind is Kind.DEFINITION and not reason else ()))

    def write(name: str) -> tuple[Edit, ...] | None:
        edits = tuple(Edit(each, name) for each in spans)
        return encode_all(source.projection, edits) if source.projection is not None else edits

    frame = source.raw(source.places.value(definition.path))
    raw = tuple(source.raw(each) for each in spans)
    return Occurrence(kind, doubt, raw, frame, word, source.notation, reason, write)


def _in_sample(source: Definitions, definition: Definition, span: Span, word: str) -> list[Span]:
    """Return where else a sample tag that declares a tool names what it defines at `span`: its closing tag, and the
    attribute that a bullet describes."""
    tool = source.places.value(definition.name_path)
    if source.projection is None or definition.name_is_key or source.text[tool.start - 1 : tool.start] != "<":
        return []
    if span == tool:
        at = source.text.find(f"</{word}>", tool.end)
        return [Span(at + 2, at + 2 + len(word))] if at >= 0 else []
    named = re.compile(rf"(?<=\s){re.escape(word)}(?==[\"'])").search(source.text, tool.end, tool.end + _LONGEST_TAG)
    closed = source.text.find(">", tool.end)
    return [Span(*named.span())] if named is not None and named.start() < closed and named.start() != span.start else []


def _described(source: Definitions, within: Span, word: str) -> Iterator[Occurrence]:
    """Yield where descriptions in a stretch of definitions name a tool or a parameter in back-ticks."""
    quoted = f"`{word}`"
    at = source.text.find(quoted, within.start, within.end)
    while at >= 0:
        yield _mention(Span(at + 1, at + 1 + len(word)), word, source.projection, source.notation)
        at = source.text.find(quoted, at + 1, within.end)


def _mention(span: Span, name: str, projection: Projection | None, notation: str) -> Occurrence:
    raw = span if projection is None else projection.raw_span(span)

    def write(new: str) -> tuple[Edit, ...] | None:
        edit = Edit(span, new)
        return (edit,) if projection is None else encode_all(projection, (edit,))

    return Occurrence(Kind.MENTION, Doubt.PROSE, (raw,), raw, name, notation, "", write)


# --- prose --------------------------------------------------------------------------------------------------------

#: The start of a line up to a name that heads what follows: a heading, an entry of a list, a label, bold type.
_HEAD: Final = re.compile(
    r"^[ \t]{0,12}+(?:#{1,6}[ \t]++(?:\d{1,3}[.)][ \t]*+)?|(?:[-*+]|\d{1,3}[.)])[ \t]++)?"
    r"(?:(?:Tool|Function|Name)[ \t]*+:[ \t]*+)?[*_`\"]{0,3}$",
    re.IGNORECASE,
)
#: What follows such a name.
_TAIL: Final = re.compile(rf"[*_`\"]{{0,3}}[ \t]*+(?:[:(–—-]|{LINE_END})")
_HEADING: Final = re.compile(rf"{LINE_START}[ \t]{{0,3}}#{{1,6}}[ \t]", re.MULTILINE)
#: Longer beginnings of lines are not looked at: no name heads them.
_LINE: Final = 48


def _mentions(snapshot: Snapshot, target: Target, taken: Iterable[Span]) -> Iterator[Occurrence]:
    """Yield where prose names the target, for a person to confirm: in back-ticks, in quotes, as a heading or an entry.

    A parameter is looked for where its tool was named last.
    """
    covered = _Covered([*taken, *_front_of(snapshot)])
    for place, span in _documented(snapshot, target):
        if not covered.holds(place.raw(span)):
            name = span.of(place.passage.text)
            yield _mention(span, name, shifted(place.passage.projection, place.base), "text")
    pattern = _pattern(sorted(target.tool_names))
    word = _pattern([target.word])
    others = _pattern(sorted(snapshot.registry.names)[:2_000]) if target.path and snapshot.registry else None
    current: str | None = None
    for block, start in zip(snapshot.blocks, snapshot.starts, strict=True):
        for read in block.passages:
            passage = read.passage
            if passage.calls is not None:
                continue
            if not target.path:
                found = _prose(pattern, read, start, covered)
            elif target.word in passage.text or others is not None:
                found, current = _parameters(word, others or pattern, read, start, covered, target, current)
            else:
                continue
            yield from found


def _documented(snapshot: Snapshot, target: Target) -> Iterator[tuple[Place, Span]]:
    """Yield where a prompt documents the tool, or the parameter in the documentation of its tool."""
    from callwright.prompt.teachings import teaching_of

    for tool in teaching_of(snapshot, strangers=True).tools:
        if tool.name not in target.tool_names:
            continue
        places = [(tool.place, tool.span)]
        if target.path:
            same = [each for each in tool.parameters if (each.claim.name,) == target.path]
            places = [(each.place, each.claim.span) for each in same]
        for place, span in places:
            if span.of(place.passage.text) in (target.word, tool.name):
                yield place, span


def _front_of(snapshot: Snapshot) -> Iterator[Span]:
    """Yield the front matter of a text, which is no prose."""
    host = snapshot.host
    if isinstance(host, FlowHost) and snapshot.blocks:
        end = host.front(snapshot.document.slice(0, min(len(snapshot.document), 1 << 17)))
        if end:
            yield Span(0, end)


def _pattern(names: Iterable[str]) -> re.Pattern[str]:
    ordered = sorted(names, key=len, reverse=True)
    return re.compile(rf"(?<![\w.-])(?:{'|'.join(map(re.escape, ordered))})(?![\w-])")


def _prose(pattern: re.Pattern[str], read: ReadPassage, start: int, covered: _Covered) -> list[Occurrence]:
    text = read.passage.text
    projection: Projection = shifted(read.passage.projection, start)
    found = []
    for match in pattern.finditer(text):
        span = Span(*match.span())
        if _is_named(text, span) and not covered.holds(projection.raw_span(span)):
            found.append(_mention(span, match[0], projection, "text"))
    return found


def _parameters(
    word: re.Pattern[str],
    tools: re.Pattern[str],
    read: ReadPassage,
    start: int,
    covered: _Covered,
    target: Target,
    current: str | None,
) -> tuple[list[Occurrence], str | None]:
    """Return where a passage names a parameter below its tool's name, and the tool that is spoken of at its end."""
    text = read.passage.text
    projection: Projection = shifted(read.passage.projection, start)
    events = [(match.start(), True, match) for match in tools.finditer(text)]
    events += [(match.start(), False, match) for match in word.finditer(text)]
    found: list[Occurrence] = []
    for _, is_tool, match in sorted(events, key=lambda event: event[:2]):
        span = Span(*match.span())
        if not _is_named(text, span) or covered.holds(projection.raw_span(span)):
            continue
        if is_tool:
            current = match[0]
        if match[0] == target.word and current in target.tool_names and match[0] != current:
            found.append(_mention(span, match[0], projection, "text"))
    return found, current


def _is_named(text: str, span: Span) -> bool:
    """Tell whether a word of prose is surely a name: in back-ticks or quotes, as a tag, or as the head of a line."""
    before, after = text[span.start - 1 : span.start], text[span.end : span.end + 1]
    if before == after and before in ("`", '"', "'"):
        return True
    if (before == "<" or text[max(span.start - 2, 0) : span.start] == "</") and after in (">", "/", " "):
        return True
    line = last_line(text, max(0, span.start - _LINE), span.start)
    if line and text[line - 1] not in "\r\n":
        return False
    if _HEAD.match(text[line : span.start]) is None or _TAIL.match(text, span.end) is None:
        return False
    # A lone word at the start of a line heads nothing, unless something marks it.
    return line < span.start and bool(text[line : span.start].strip())


class _Covered:
    """Spans of a document, asked whether one of them holds a place."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        end = -1
        for span in sorted(spans):
            end = max(end, span.end)
            self._starts.append(span.start)
            self._ends.append(end)

    def holds(self, span: Span) -> bool:
        """Tell whether a span overlaps one of them."""
        from bisect import bisect_left

        index = bisect_left(self._starts, span.end) - 1
        return index >= 0 and self._ends[index] > span.start


# --- what is pointed at -------------------------------------------------------------------------------------------


def target_at(snapshot: Snapshot, offset: int) -> tuple[Target, Occurrence] | None:
    """Return what is named at an offset of the document, with the very place; None where no tool or parameter is."""
    if snapshot.host.holds == "configuration" or not snapshot.blocks:
        return None
    is_file = snapshot.host.holds == "tools"
    for placed in () if is_file else _calls_near(snapshot, offset):
        found = _called_at(placed, offset)
        if found is not None:
            return found
    return _named_at(snapshot, offset) or (
        None if is_file else listed_at(snapshot, offset) or _said_at(snapshot, offset)
    )


def declared_at(snapshot: Snapshot, offset: int) -> tuple[Target, Occurrence] | None:
    """Return what a declaration of a document with calls defines at an offset; None where it is no such name."""
    found = _named_at(snapshot, offset) if snapshot.host.holds == "calls" and snapshot.blocks else None
    return found if found is not None and found[1].kind is Kind.DEFINITION else None


def _named_at(snapshot: Snapshot, offset: int) -> tuple[Target, Occurrence] | None:
    return next(filter(None, (_defined_at(source, offset) for source in definitions_in(snapshot))), None)


def _calls_near(snapshot: Snapshot, offset: int) -> Iterator[PlacedCall]:
    """Yield the calls of the block around an offset whose name or arguments may stand there."""
    place = snapshot.block_at(offset)
    if place is None:
        return
    block, start = place
    for read in block.passages:
        for found in read.calls:
            placed = PlacedCall(found, read, start, snapshot)
            call = found.call
            native = call.dialect == NATIVE
            parts = (*call.name_spans, call.body) if native else (call.span,)
            spans = (placed.raw_span(span) for span in parts)
            if any(span.start <= offset <= span.end for span in spans):
                yield placed


def _called_at(placed: PlacedCall, offset: int) -> tuple[Target, Occurrence] | None:
    call = placed.call
    if call.tool is None or call.details.get("hosted"):
        return None
    binding = placed.binding
    tool = _own(placed.snapshot, call.tool, binding.tool)
    named = _named(placed, Doubt.NONE)
    if _is_at(named, offset) and not named.reason:
        return Target(call.tool, (), tool), named
    for path in _all_paths(binding.value):
        argument = _argument(placed, binding, path, Doubt.NONE)
        if not argument.reason and _is_at(argument, offset):
            return Target(call.tool, names_of(path), tool), argument
    return None


def _all_paths(value: Any) -> Iterator[Path]:
    pending: list[tuple[Path, Any]] = [((), value)]
    while pending:
        path, node = pending.pop()
        items: Iterable[tuple[str | int, Any]] = ()
        if isinstance(node, dict):
            yield from ((*path, key) for key in node)
            items = node.items()
        elif isinstance(node, list):
            items = enumerate(node)
        pending.extend(((*path, step), item) for step, item in items if isinstance(item, dict | list))


def _is_at(occurrence: Occurrence, offset: int) -> bool:
    return any(span.start <= offset <= span.end for span in occurrence.spans)


def _defined_at(source: Definitions, offset: int) -> tuple[Target, Occurrence] | None:
    """Return what definitions name at an offset: a tool, or a property of one."""
    for definition in source.definitions:
        around = source.around(definition)
        if around.start <= offset <= around.end:
            for target, each in _names_of(source, definition):
                if _is_at(each, offset) and not each.reason:
                    return target, each
    return None


def _names_of(source: Definitions, definition: Definition) -> Iterator[tuple[Target, Occurrence]]:
    """Yield what a definition names: its tool, then the properties of the tool's parameters."""
    tool = definition.tool
    for each in _tool_words(source, definition, Doubt.NONE):
        yield Target(each.name, (), tool), each
    for names in all_properties(tool.input_schema):
        target = Target(tool.name, names, tool)
        for each in _parameter_words(source, definition, target, Doubt.NONE):
            yield target, each


def declared_names(snapshot: Snapshot) -> Iterator[tuple[Target, Occurrence]]:
    """Yield the names of tools and parameters where the declarations of a document with calls define them."""
    if snapshot.host.holds == "calls":
        for source in definitions_in(snapshot):
            for definition in source.definitions:
                for target, each in _names_of(source, definition):
                    if each.kind is Kind.DEFINITION:
                        yield target, each


def _said_at(snapshot: Snapshot, offset: int) -> tuple[Target, Occurrence] | None:
    """Return the tool that a result, a definition in a transcript, or prose names at an offset."""
    place = snapshot.block_at(offset)
    if place is None:
        return None
    block, start = place
    for part in block.transcripts:
        if part.tools is not None:
            found = _defined_at(_of_transcript(part.tools, shifted(part.projection, start)), offset)
            if found is not None:
                return _known(snapshot, *found)
    word = _word_at(snapshot, offset)
    if word is None:
        return None
    tool = _own(snapshot, word, None)
    if tool is None:
        results = [
            result.tool for part in block.transcripts for turn in part.turns for result in turn.results if result.tool
        ]
        if word not in results:
            return None
    target = Target(word, (), tool)
    at = next((each for each in occurrences(snapshot, target) if _is_at(each, offset)), None)
    return (target, at) if at is not None else None


def _known(snapshot: Snapshot, target: Target, occurrence: Occurrence) -> tuple[Target, Occurrence]:
    """Return a target that a transcript defines as the project's own, where it has one of that name."""
    return Target(target.name, target.path, _own(snapshot, target.name, None)), occurrence


def _own(snapshot: Snapshot, name: str, tool: ToolSchema | None) -> ToolSchema | None:
    """Return a tool that a file defines: of one that a transcript brings along, the project's tool of that name."""
    if tool is not None and tool.origin.file is not None:
        return tool
    return next(iter(snapshot.registry.get(name)), None)


def _word_at(snapshot: Snapshot, offset: int) -> str | None:
    """Return the word around an offset, as it stands in the document."""
    low = max(0, offset - 200)
    text = snapshot.document.slice(low, min(len(snapshot.document), offset + 200))
    for match in re.finditer(r"[\w.:/-]++", text):
        if match.start() <= offset - low <= match.end():
            return match[0].strip(".:/-")
    return None
