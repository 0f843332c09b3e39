"""Occurrences: where a tool or a parameter is named in a document.

Owns: `occurrences`, `of_call`. Must not know: other documents, files, protocols.

A tool is named where it is called, where a result says whose it is, where it is defined, where front matter lists it,
and where prose speaks of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from callwright.calls.model import JsonValue
from callwright.calls.turns import Spot, TurnText
from callwright.document.blocks import PlacedCall, shifted
from callwright.prompt.definition_names import (
    declared_names,
    definitions_in,
    inline_definitions,
    mention,
    names_in_definitions,
)
from callwright.prompt.editing import rename_argument
from callwright.prompt.listed_tools import ListedTool, front_of, listed_tools
from callwright.prompt.named import Covered, Kind, Occurrence, Target, Uncertainty, member_paths, pattern_of
from callwright.text.line_ends import LINE_END, last_line
from callwright.text.projection import Composed, Identity, JsonString, Projection, encode_all
from callwright.text.span import Edit, Span
from callwright.tools.property_places import Names, names_of, property_places
from callwright.transcripts.support.places import text_of_place
from callwright.transcripts.support.text_results import text_results

if TYPE_CHECKING:
    from callwright.calls.model import Path
    from callwright.calls.turns import TurnResult
    from callwright.document.blocks import Block, ReadPassage
    from callwright.document.snapshot import Snapshot
    from callwright.prompt.taught import PassagePlace
    from callwright.schema.binding import Binding
    from callwright.tools.model import ToolSchema

#: A text that is one CDATA section.
_SECTION: Final = re.compile(r"\s*+<!\[CDATA\[(?P<text>(?:[^\]]++|\](?!\]>))*+)\]\]>\s*+")
#: The start of a line up to a name that heads what follows: a heading, an entry of a list, a label, bold type.
_HEAD: Final = re.compile(
    r"^[ \t]{0,12}+(?:#{1,6}[ \t]++(?:\d{1,3}[.)][ \t]*+)?|(?:[-*+]|\d{1,3}[.)])[ \t]++)?"
    r"(?:(?:Tool|Function|Name)[ \t]*+:[ \t]*+)?[*_`\"]{0,3}$",
    re.IGNORECASE,
)
#: What follows such a name.
_TAIL: Final = re.compile(rf"[*_`\"]{{0,3}}[ \t]*+(?:[:(–—-]|{LINE_END})")
#: Longer beginnings of lines are not read: no name heads them.
_LINE: Final = 48


def occurrences(snapshot: Snapshot, target: Target) -> list[Occurrence]:
    """Return where a document names the target, in the order of the text.

    A place in several versions of a template is returned once.
    """
    if snapshot.host.holds == "configuration":
        return []
    if snapshot.host.holds == "tools":
        found = [each for source in definitions_in(snapshot) for each in names_in_definitions(source, target)]
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
        for each in names_in_definitions(source, target):
            taken.append(each.span)
            yield each
    if not target.path:
        for each in _listed(snapshot, target.tool_names):
            taken.append(each.span)
            yield each
    # What a declaration names is that, whatever the prose before it speaks of.
    taken += [span for _, each in declared_names(snapshot) for span in each.spans]
    calls = Covered(taken)
    for block, start in zip(snapshot.blocks, snapshot.starts, strict=True):
        if not target.path:
            for each in _results(block, start, target, calls):
                taken.append(each.frame if each.value_format == "text" else each.span)
                yield each
        for each in inline_definitions(block, start, target):
            taken.append(each.frame)
            yield each
    yield from _mentions(snapshot, target, taken)


def _listed(snapshot: Snapshot, names: frozenset[str]) -> Iterator[Occurrence]:
    """Yield where front matter lists a tool of one of these names."""
    for each in listed_tools(snapshot):
        if each.name in names:
            # What qualifies a name is not part of it.
            yield listed_occurrence(each)
        elif each.whole in names:
            yield listed_occurrence(each.as_whole())


def listed_occurrence(each: ListedTool) -> Occurrence:
    """Return the occurrence of a tool that front matter lists."""
    return Occurrence(Kind.LISTED, Uncertainty.NONE, (each.span,), each.span, each.name, "yaml", "", each.renamed)


def of_call(placed: PlacedCall, target: Target) -> Iterator[Occurrence]:
    """Yield where one call names the target."""
    call = placed.call
    if call.tool is None or call.tool not in target.tool_names or call.details.get("hosted"):
        return
    uncertainty = _uncertainty_of(placed, target)
    if not target.path:
        yield call_occurrence(placed, uncertainty)
        return
    binding = placed.binding
    for path in member_paths(binding.value):
        if path[-1] != target.word:
            continue
        names = names_of(path)
        if names == target.path or (binding.tool is not None and _same_property(binding.tool, names, target)):
            yield argument_occurrence(placed, binding, path, uncertainty)


def _uncertainty_of(placed: PlacedCall, target: Target) -> Uncertainty:
    if placed.read.passage.turn is not None:
        return Uncertainty.TRANSCRIPT
    if target.tool is not None and len(placed.binding.candidates) > 1 and not target.is_tool(placed.binding.tool):
        return Uncertainty.OTHER_SET
    return Uncertainty.NONE


def call_occurrence(placed: PlacedCall, uncertainty: Uncertainty) -> Occurrence:
    """Return the occurrence of a tool's name in a call of it."""
    call = placed.call
    passage = placed.passage
    spans = call.name_spans or (call.tool_span,)

    def write(name: str) -> tuple[Edit, ...] | None:
        return encode_all(passage.projection, [Edit(span, name) for span in spans])

    reason = "" if call.name_spans else "the name is part of a larger text there"
    raw = tuple(placed.raw_span(span) for span in spans)
    return Occurrence(Kind.CALL, uncertainty, raw, placed.span, call.tool or "", call.dialect, reason, write)


def argument_occurrence(placed: PlacedCall, binding: Binding, path: Path, uncertainty: Uncertainty) -> Occurrence:
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
    reason = "" if spans else "the name is part of a larger text there"
    raw = tuple(placed.raw_span(span) for span in spans or (binding.span_of(path),))
    return Occurrence(Kind.CALL, uncertainty, raw, placed.span, word, placed.call.dialect, reason, write, path)


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
    text = read.value_format.key(name, path[:-1])
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
        text = read.value_format.key(name, path[length:-1])
        return (Edit(key, text),) if key is not None and text is not None else ()
    return ()


def _bare(span: Span, text: str) -> Span:
    """Return the span of a name without the quotes around it, escaped or not."""
    start, end = span
    while start < end and text[start] in "\"'\\":
        start += 1
    while end > start and text[end - 1] in "\"'\\":
        end -= 1
    return Span(start, end)


def _same_property(tool: ToolSchema, names: Names, target: Target) -> bool:
    """Return whether two ways lead to one property, as they do where a schema refers to another one twice."""
    if target.tool is None or not target.is_tool(tool):
        return False
    return not property_places(tool.input_schema, names).isdisjoint(
        property_places(target.tool.input_schema, target.path)
    )


def _results(block: Block, start: int, target: Target, calls: Covered) -> Iterator[Occurrence]:
    for part in block.transcripts:
        projection: Projection = shifted(part.projection, start)
        for turn in part.turns:
            for result in turn.results:
                yield from _of_result(result, projection, target, Uncertainty.TRANSCRIPT, "transcript")
    for read in block.passages:
        passage = read.passage
        if passage.turn is not None or passage.calls is not None or passage.version is not None:
            continue
        around: Projection = shifted(passage.projection, start)
        for result in text_results(TurnText(Spot(Span(0, len(passage.text))), passage.text)):
            for each in _of_result(result, around, target, Uncertainty.NONE, "text"):
                if not calls.holds(each.span):
                    yield each


def _of_result(
    result: TurnResult, projection: Projection, target: Target, uncertainty: Uncertainty, value_format: str
) -> Iterator[Occurrence]:
    if result.tool is None or result.tool not in target.tool_names or result.tool_place is None or result.hosted:
        return
    place = result.tool_place
    located = text_of_place(place, decode=True)
    if located is None:
        # What is without quotes: the end of a string, a text as it is.
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
    yield Occurrence(Kind.RESULT, uncertainty, (whole.raw_span(span),), frame, result.tool, value_format, "", write)


def _mentions(snapshot: Snapshot, target: Target, taken: Iterable[Span]) -> Iterator[Occurrence]:
    """Yield where prose names the target, for a person to confirm: in back-ticks, in quotes, as a heading or an entry.

    A parameter is looked for where its tool was named last.
    """
    # Front matter is not prose.
    covered = Covered([*taken, Span(0, len(front_of(snapshot)))])
    for place, span in _documented(snapshot, target):
        if not covered.holds(place.raw(span)):
            name = span.of(place.passage.text)
            yield mention(span, name, shifted(place.passage.projection, place.base), "text")
    pattern = pattern_of(sorted(target.tool_names))
    word = pattern_of([target.word])
    others = pattern_of(sorted(snapshot.registry.names)[:2_000]) if target.path and snapshot.registry else None
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


def _documented(snapshot: Snapshot, target: Target) -> Iterator[tuple[PassagePlace, Span]]:
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


def _prose(pattern: re.Pattern[str], read: ReadPassage, start: int, covered: Covered) -> list[Occurrence]:
    text = read.passage.text
    projection: Projection = shifted(read.passage.projection, start)
    found = []
    for match in pattern.finditer(text):
        span = Span(*match.span())
        if _is_named(text, span) and not covered.holds(projection.raw_span(span)):
            found.append(mention(span, match[0], projection, "text"))
    return found


def _parameters(
    word: re.Pattern[str],
    tools: re.Pattern[str],
    read: ReadPassage,
    start: int,
    covered: Covered,
    target: Target,
    current: str | None,
) -> tuple[list[Occurrence], str | None]:
    """Return where a passage names a parameter below its tool's name, and the tool that its end is about."""
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
            found.append(mention(span, match[0], projection, "text"))
    return found, current


def _is_named(text: str, span: Span) -> bool:
    """Return whether a word of prose is certainly a name: in back-ticks or quotes, as a tag, or as the head of a
    line."""
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
