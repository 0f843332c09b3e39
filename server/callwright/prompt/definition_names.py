"""Names in definitions of tools: those of the tools, of their parameters, and the words that mention them.

Owns: `Definitions`, `definitions_in`, `declared_names`: what a document defines itself. Must not know: calls, prose.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from callwright.document.blocks import shifted
from callwright.prompt.named import Kind, Occurrence, Target, Uncertainty, document_of
from callwright.text.projection import Projection, encode_all
from callwright.text.span import Edit, Span
from callwright.tools.json_places import TreePlaces
from callwright.tools.property_places import all_properties, keys_in, mentions

if TYPE_CHECKING:
    from callwright.calls.model import Path
    from callwright.document.blocks import Block
    from callwright.document.snapshot import Snapshot
    from callwright.syntax.json_views import JsonView
    from callwright.tools.definitions import Definition, Places

#: Keywords of a schema that hold values and no schemas.
_DATA: Final = frozenset({"default", "const", "examples", "enum"})
#: How far into the tag of a sample an attribute is sought.
_MAX_TAG_LENGTH: Final = 4_000
#: Formats in which a bare name is an identifier.
_PROGRAMS: Final = frozenset({"python"})


@dataclass(frozen=True, slots=True)
class Definitions:
    """Definitions in a text: of a tool file, of a prompt that declares tools, or of a transcript with inline tools.

    `projection` leads from the text to the document, None where they are the same. `value` is what the text holds.
    """

    definitions: Iterable[Definition]
    places: Places
    text: str
    value: Any
    file: str | None
    value_format: str
    projection: Projection | None = None
    uncertainty: Uncertainty = Uncertainty.NONE

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
    uncertainty = Uncertainty.TRANSCRIPT if snapshot.has_transcripts else Uncertainty.NONE
    for each, definitions, projection in sources_in(snapshot):
        document = each.read.document
        yield Definitions(
            definitions, document.places, document.text, document.value, None, "text", projection, uncertainty
        )


def inline_definitions(block: Block, start: int, target: Target) -> Iterator[Occurrence]:
    """Yield the definitions that are inline in transcripts."""
    for part in block.transcripts:
        if part.tools is None or target.name not in part.tools.read.text:
            continue
        yield from names_in_definitions(definitions_of_transcript(part.tools, shifted(part.projection, start)), target)


def definitions_of_transcript(view: JsonView, projection: Projection) -> Definitions:
    """Return the definitions that a value of a transcript holds."""
    from callwright.tools.definitions import locate_definitions

    places = TreePlaces(view.node)
    found, _ = locate_definitions(view.value, places=places)
    return Definitions(
        found, places, view.read.text, view.value, None, "transcript", projection, Uncertainty.TRANSCRIPT
    )


def names_in_definitions(source: Definitions, target: Target) -> Iterator[Occurrence]:
    """Yield where the definitions of a text name the target, and where their words mention it."""
    for definition in source.definitions:
        own = target.is_tool(definition.tool)
        same = target.name in (definition.tool.name, *definition.tool.aliases)
        if not own and not same:
            continue
        uncertainty = (
            source.uncertainty
            if own or source.uncertainty is not Uncertainty.NONE or target.tool is None
            else Uncertainty.OTHER_SET
        )
        around = source.places.value(definition.path)
        if target.path:
            yield from parameter_words(source, definition, target, uncertainty)
            yield from _described(source, around, target.word)
        else:
            yield from tool_words(source, definition, uncertainty)
            if source.projection is not None:
                yield from _described(source, around, target.word)
    if not target.path and source.projection is None:
        # Any tool may speak of any other.
        yield from _described(source, Span(0, len(source.text)), target.word)


def tool_words(source: Definitions, definition: Definition, uncertainty: Uncertainty) -> Iterator[Occurrence]:
    """Yield the names that a definition gives its tool."""
    name = definition.tool.name
    yield _word(source, definition, definition.name_path, definition.name_is_key, name, Kind.DEFINITION, uncertainty)
    aliases = definition.value.get("aliases") if not definition.name_is_key else None
    for index, alias in enumerate(aliases if isinstance(aliases, list) else ()):
        if alias in definition.tool.aliases:
            path = (*definition.path, "aliases", index)
            yield _word(source, definition, path, False, alias, Kind.DEFINITION, uncertainty)


def parameter_words(
    source: Definitions, definition: Definition, target: Target, uncertainty: Uncertainty
) -> Iterator[Occurrence]:
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
            reason = "it is in definitions that several tools share"
        yield _word(source, definition, whole, is_key, target.word, kind, uncertainty, reason)
    if definition.examples_path is not None and isinstance(definition.examples, list):
        for inner in keys_in(definition.examples, target.path):
            path = (*definition.examples_path, *inner)
            yield _word(source, definition, path, True, target.word, Kind.EXAMPLE, uncertainty)


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


def _word(
    source: Definitions,
    definition: Definition,
    path: Path,
    is_key: bool,
    word: str,
    kind: Kind,
    uncertainty: Uncertainty,
    reason: str = "",
) -> Occurrence:
    """Return the occurrence of a word that is a key or a value of a definition."""
    around = source.places.key(path) if is_key else source.places.value(path)
    written = around.of(source.text)
    at = written.find(word) if written.strip("\"'` \t\r\n") == word else -1
    span = Span(around.start + at, around.start + at + len(word)) if at >= 0 else around
    if at < 0 and not reason:
        reason = "it is written with escapes, or as part of a larger text"
    elif source.value_format in _PROGRAMS and written == word and not reason:
        reason = "it is a name in the program, which other code may use; rename it there first, then the calls"

    spans = (span, *(_in_sample(source, definition, span, word) if kind is Kind.DEFINITION and not reason else ()))

    def write(name: str) -> tuple[Edit, ...] | None:
        edits = tuple(Edit(each, name) for each in spans)
        return encode_all(source.projection, edits) if source.projection is not None else edits

    frame = source.raw(source.places.value(definition.path))
    raw = tuple(source.raw(each) for each in spans)
    return Occurrence(kind, uncertainty, raw, frame, word, source.value_format, reason, write)


def _in_sample(source: Definitions, definition: Definition, span: Span, word: str) -> list[Span]:
    """Return where else a sample tag that declares a tool names what it defines at `span`: its closing tag, and the
    attribute that a bullet describes."""
    tool = source.places.value(definition.name_path)
    if source.projection is None or definition.name_is_key or source.text[tool.start - 1 : tool.start] != "<":
        return []
    if span == tool:
        at = source.text.find(f"</{word}>", tool.end)
        return [Span(at + 2, at + 2 + len(word))] if at >= 0 else []
    named = re.compile(rf"(?<=\s){re.escape(word)}(?==[\"'])").search(source.text, tool.end, tool.end + _MAX_TAG_LENGTH)
    closed = source.text.find(">", tool.end)
    return [Span(*named.span())] if named is not None and named.start() < closed and named.start() != span.start else []


def _described(source: Definitions, within: Span, word: str) -> Iterator[Occurrence]:
    """Yield where descriptions in a segment of definitions name a tool or a parameter in back-ticks."""
    quoted = f"`{word}`"
    at = source.text.find(quoted, within.start, within.end)
    while at >= 0:
        yield mention(Span(at + 1, at + 1 + len(word)), word, source.projection, source.value_format)
        at = source.text.find(quoted, at + 1, within.end)


def mention(span: Span, name: str, projection: Projection | None, value_format: str) -> Occurrence:
    """Return the occurrence of a name in prose; `projection` leads to the document, None where the span is its own."""
    raw = span if projection is None else projection.raw_span(span)

    def write(new: str) -> tuple[Edit, ...] | None:
        edit = Edit(span, new)
        return (edit,) if projection is None else encode_all(projection, (edit,))

    return Occurrence(Kind.MENTION, Uncertainty.PROSE, (raw,), raw, name, value_format, "", write)


def named_in(source: Definitions, definition: Definition) -> Iterator[tuple[Target, Occurrence]]:
    """Yield what a definition names: its tool, then the properties of the tool's parameters."""
    tool = definition.tool
    for each in tool_words(source, definition, Uncertainty.NONE):
        yield Target(each.name, (), tool), each
    for names in all_properties(tool.input_schema):
        target = Target(tool.name, names, tool)
        for each in parameter_words(source, definition, target, Uncertainty.NONE):
            yield target, each


def declared_names(snapshot: Snapshot) -> Iterator[tuple[Target, Occurrence]]:
    """Yield the names of tools and parameters where the declarations of a document with calls define them."""
    if snapshot.host.holds == "calls":
        for source in definitions_in(snapshot):
            for definition in source.definitions:
                for target, each in named_in(source, definition):
                    if each.kind is Kind.DEFINITION:
                        yield target, each
