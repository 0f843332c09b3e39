"""Definitions of a heading and a schema: the heading names the tool, prose describes it, a fence holds its schema.

Owns: which heading a schema belongs to, and what shows that it is one of a tool. Must not know: the shapes of whole
definitions, other styles.

The forms are those of Claude Code's prompts and of MCP servers in the prompts of Cline
(https://github.com/cline/cline): Markdown headings, bold lines and entries of lists, with the schema in a fence or
after a label such as `Input Schema:`. Headings in a description are not names, so of the headings above a schema the
one is taken that is where the tools of the text have theirs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from callwright.declarations.styles.base import MAX_BEFORE, Body, Style, View
from callwright.declarations.styles.support.definition_shapes import is_schema
from callwright.declarations.styles.support.json_text import JSON, read_schema
from callwright.declarations.styles.support.objects import end_of_faulty
from callwright.declarations.styles.support.schema_titles import (
    BOLD,
    ENTRY,
    PROSE_LABEL,
    TOOL,
    Title,
    announces_other,
    is_entry,
    is_label,
    is_of_others,
    is_of_tools,
    is_other_part,
    label_before,
    level_of,
    read_title,
    states_tool,
    width,
)
from callwright.text.span import Span
from callwright.tools.definitions import Places
from callwright.tools.parts import LocatedValue, PartPlaces, record
from callwright.tools.sources.base import Path

#: How far before its first key of a marker a schema begins, and how long it is at most.
_HEAD: Final = 4_096
_MAX_LENGTH: Final = 131_072
#: At most this many braces before a marker are tried.
_BRACES: Final = 6
#: At most this many headings and bold lines above a schema are looked through, and so many lines after it for the next
#: heading.
_HEADINGS: Final = 40
_BOLD: Final = 3
_LINES: Final = 200
#: How far before a label an entry of a list may name the tool.
_ENTRY_BEFORE: Final = 4_096
#: At most this much of a description is searched for a word that calls it one of a tool.
_PROSE: Final = 2_000

#: The longest tag of an element around definitions, with the space after it.
_ELEMENT_LENGTH: Final = 80
#: An element around definitions of tools, right before a heading.
_ELEMENT: Final = re.compile(r"<[\w-]*(?:tool|function)[\w-]*+>\s*+\Z", re.IGNORECASE)
_FENCE: Final = re.compile(r"([ \t]*+)(`{3,}+|~{3,}+)[ \t]*+([\w+.-]*+)[^\n`]*+")
#: Lines that may be such an entry, or say `Tool: name`, and those that end the search for it.
_ENTRIES: Final = re.compile(
    rf"^[ \t]*+(?:[-*+•◦–][ \t]|\d{{1,3}}[.)][ \t]|#|`{{3}}|~{{3}}|[*_`]{{0,3}}{TOOL}[^\W\d]{{0,8}})",
    re.IGNORECASE | re.MULTILINE,
)
_OPENING: Final = re.compile(r"(?:\A|(?<=\n))[ \t]*+(?:`{3,}+|~{3,}+)[^\n`]*+\n\s*+(?=\{)")
_FIRST_KEYS: Final = re.compile(
    r"\{\s*+\"(?:\$schema|\$defs|\$id|\$comment|type|properties|required|additionalProperties|title|description"
    r"|definitions|strict|examples|anyOf|oneOf|allOf)\""
)
#: Fences of programs: what is in them is a part of one.
_LANGUAGES: Final = frozenset(
    [
        *("python", "py", "ts", "typescript", "js", "javascript", "jsx", "tsx", "go", "java", "bash", "sh", "shell"),
        *("rust", "c", "cpp"),
    ]
)
_RULE: Final = " \t\r\n-*_=#"
#: What may be between two declarations that follow each other.
_BETWEEN: Final = re.compile(r"(?:[\s*_=,\]}-]++|</[\w:.-]{1,80}+>|`{3,}+|~{3,}+)*+")


class HeadingSchema:
    """A heading that names a tool, and the JSON Schema of its parameters below it."""

    name = "heading-schema"
    title = "a heading with a JSON Schema"
    markers = ('"properties"', '"type": "object"', '"type":"object"')
    rank = 15

    def locate(self, view: View, at: int) -> Span | None:
        """Return the span from the heading to the end of the schema whose first key of a marker is at `at`."""
        block = _block(view, at)
        if block is None:
            return None
        title = _title(view, block)
        if title is None:
            return None
        end = _end(view, block, at)
        return Span(title.line.start, end) if end is not None else None

    def read(self, text: str) -> Body | None:
        """Return the one definition that a heading and a schema are."""
        found = _parts(text)
        if found is None:
            return None
        title, prose, segment = found
        schema = read_schema(text, *segment)
        if schema is None or not is_schema(schema.value):
            return None
        tool = record(Span(0, len(text)), {"name": LocatedValue(title.name.of(text), title.name)})
        if prose.start < prose.end:
            tool.put("description", LocatedValue(re.sub(r"[ \t]+\n", "\n", prose.of(text)), prose))
        value = [{**tool.value, "inputSchema": schema.value}]
        top = LocatedValue([], Span(0, len(text)))
        top.put(0, tool)
        places = _BothPlaces(PartPlaces(top), schema.places)
        return Body(value, places, whole=not schema.open, broken=schema.broken)


class _BothPlaces:
    """The places of a definition whose schema is apart."""

    def __init__(self, outer: Places, schema: Places) -> None:
        self._outer = outer
        self._schema = schema

    def value(self, path: Path) -> Span:
        """Return the span of the value at `path`, or of the nearest value around it."""
        return self._schema.value(path[2:]) if path[:2] == (0, "inputSchema") else self._outer.value(path)

    def key(self, path: Path) -> Span:
        """Return the span of the key at the end of `path`, or of the value where there is no such key."""
        return self._schema.key(path[2:]) if path[:2] == (0, "inputSchema") else self._outer.key(path)


@dataclass(frozen=True, slots=True)
class _Block:
    """A schema: where it begins, the line before it that has its fence or label, and the fence's characters.

    `at` is the key of a marker in it.
    """

    at: int
    start: int
    before: Span
    indent: str
    fence: str = ""
    labelled: bool = False


# -- the schema --------------------------------------------------------------------------------------------------------


def _block(view: View, at: int) -> _Block | None:
    """Return the schema in which the key at `at` is the first of a marker; None where it is none of that kind."""
    text = view.text
    low = max(view.floor, at - _HEAD)
    if _is_inside(view, at, low):
        return None
    line = view.line(at)
    start = text.find("{", line.start, at)
    inline = start >= 0 and bool(text[line.start : start].strip())
    if inline and label_before(text, line.start, start) is None:
        start, inline = -1, False
    if start < 0:
        start = _opening_line(view, at, low)
    if start < low or any(text.find(marker, start, at) >= 0 for marker in HeadingSchema.markers):
        return None
    if _FIRST_KEYS.match(text, start) is None:
        return None
    if inline:
        return _Block(at, start, line, line.of(text)[: width(text, line)], labelled=True)
    own = view.line(start)
    before = next((each for each in view.lines_before(own.start) if each.of(text).strip()), None)
    if before is None:
        return None
    fence = _FENCE.fullmatch(text, before.start, before.end)
    if fence is not None:
        if fence[3].lower() in _LANGUAGES:
            return None
        return _Block(at, start, before, fence[1], fence[2])
    if is_label(text, before):
        return _Block(at, start, before, before.of(text)[: width(text, before)], labelled=True)
    return None


def _is_inside(view: View, at: int, low: int) -> bool:
    """Return whether a key is plainly one of an inner schema, which most are."""
    text = view.text
    brace = text.rfind("{", low, at)
    view.saw(max(brace - 8, low), at)
    if brace < 0:
        return True
    before = text[max(brace - 8, low) : brace].rstrip()
    if not before.endswith(('":', "[", ",")) or text.find("}", brace, at) >= 0:
        return False
    # Definitions may come first.
    view.saw(low, at)
    return text.find('defs"', low, at) < 0 and text.find('definitions"', low, at) < 0


def _opening_line(view: View, at: int, low: int) -> int:
    """Return the offset of the brace before `at` that begins a line; -1 where none is near."""
    text = view.text
    place = at
    for _ in range(_BRACES):
        place = text.rfind("{", low, place)
        view.saw(max(place, low), at)
        if place < 0:
            return -1
        line = view.line(place)
        if not text[line.start : place].strip():
            return place
    return -1


def _end(view: View, block: _Block, at: int) -> int | None:
    """Return where the segment ends: after the fence that holds the schema, or with the schema."""
    text = view.text
    found, reach = JSON.sound(text, block.start, min(len(text), block.start + _MAX_LENGTH))
    view.saw(block.start, min(reach, len(text)))
    if found is not None:
        end = found.span.end
        if not is_schema(found.value) or not _is_whole_schema(found.value):
            return None
    else:
        end = end_of_faulty(view, block.start, at)
        schema = read_schema(text, block.start, end)
        view.saw(block.start, end)
        if schema is None or end <= at or not is_schema(schema.value) or not _is_whole_schema(schema.value):
            return None
    if block.fence:
        for line in view.lines_after(max(end - 1, at)):
            if not line.of(text).strip():
                continue
            closing = _FENCE.fullmatch(text, line.start, line.end)
            if closing is not None and closing[2].startswith(block.fence) and not closing[3]:
                return line.start + len(line.of(text).rstrip())
            # Something else is in the fence, or it is not closed yet.
            return end if found is None or not line.of(text).lstrip().startswith(("{", ",")) else None
    return end


def _is_whole_schema(value: Any) -> bool:
    """Return whether a schema is one of the parameters of a tool, and no definition with a name of its own."""
    if isinstance(value.get("name"), str) or "$id" in value or "input_schema" in value or "inputSchema" in value:
        return False
    properties = value.get("properties")
    typed = isinstance(properties, dict) and any("type" in one for one in properties.values() if isinstance(one, dict))
    return "type" in value or typed


# -- the name ----------------------------------------------------------------------------------------------------------


def _title(view: View, block: _Block) -> Title | None:
    """Return the line that names the tool of a schema."""
    text = view.text
    labelled = block.labelled
    nearest = next((each for each in view.lines_before(block.before.start) if each.of(text).strip()), None)
    if nearest is not None and not labelled:
        if label_before(text, nearest.start, nearest.end) is not None:
            labelled = True
        elif announces_other(text, nearest):
            return None
    if labelled:
        entry = _entry(view, block)
        if entry is not None:
            return entry
    bold = _bold(view, block)
    chosen = _chosen(view, block, labelled=labelled)
    if bold is None or (chosen is not None and (chosen.certain or chosen.strong)):
        return chosen
    return bold if bold.certain or bold.strong or labelled or _follows(view, block, bold.line) else chosen


def _headings(view: View, block: _Block) -> Iterator[tuple[int, Span]]:
    """Yield the headings above a schema with their levels, the nearest first; those in fences are none."""
    text = view.text
    low, end = view.floor, block.before.start
    wanted = f"\n{block.indent}#"
    place = after = end
    in_fence = 0
    for _ in range(_HEADINGS):
        found = text.rfind(wanted, low, place)
        view.saw(max(found, low), end)
        start = found + 1
        if found < 0:
            if not _begins_line(view, low) or not text.startswith(wanted[1:], low) or low >= end:
                return
            start = low
        line = view.line(start)
        in_fence ^= _fences(text, line.end, after, block.indent)
        level = level_of(text, line)
        if 0 < level < BOLD and not in_fence:
            yield level, line
        if found < 0:
            return
        place, after = found + 1, line.end


def _ancestors(view: View, block: _Block) -> Iterator[tuple[int, Span]]:
    """Yield the headings whose sections a schema is in with their levels, the nearest first."""
    text = view.text
    inner = next((each for each in _headings(view, block) if not is_label(text, each[1])), None)
    if inner is None:
        return
    yield inner
    level, line = inner
    place = line.start
    for _ in range(_HEADINGS):
        if level == 1:
            return
        found = max(text.rfind(f"\n{block.indent}{'#' * each} ", view.floor, place) for each in range(1, level))
        view.saw(max(found, view.floor), place)
        start = found + 1
        if found < 0:
            start = view.floor
            if not _begins_line(view, start) or not text.startswith(f"{block.indent}#", start) or start >= place:
                return
        above = view.line(start)
        own = level_of(text, above)
        if 0 < own < level and not _fences(text, above.end, line.start, block.indent):
            level, line = own, above
            yield level, line
        if found < 0:
            return
        place = found + 1


def _begins_line(view: View, at: int) -> bool:
    if at:
        view.saw(at - 1, at)
    return at == 0 or view.text[at - 1] == "\n"


def _fences(text: str, start: int, end: int, indent: str) -> int:
    """Return 1 where an odd number of fences opens and closes in a segment, else 0."""
    return (text.count(f"\n{indent}```", start, end) + text.count(f"\n{indent}~~~", start, end)) & 1


def _chosen(view: View, block: _Block, *, labelled: bool) -> Title | None:
    """Return the heading that names the tool, if anything shows that the schema is one of a tool."""
    text = view.text
    sections = [*_ancestors(view, block)]
    if not sections:
        return None
    nearest, lowest = sections[0][1], sections[-1][0]
    read = [(read_title(text, line, level), line.of(text).strip(" \t#")) for level, line in sections]
    chain = [title for title, _ in read if title is not None]
    section = any(title is None and is_of_tools(words) for title, words in read)
    others: list[Title] = []
    if not any(each.level > 1 or each.certain or each.strong for each in chain) and (
        labelled or section or _is_after(view, block)
    ):
        inner = {line for _, line in sections}
        titles = (read_title(text, line, level) for level, line in _headings(view, block) if line not in inner)
        others = [title for title in titles if title is not None]
    # The first heading of a text is its title, if anything else can be the name.
    chain = [each for each in chain if each.level > 1 or each.certain or each.strong] or ([] if others else chain)
    title = _best(view, block, chain) if chain else None
    contrary = any((own is None or own is not title) and is_of_others(words) for own, words in read)
    if title is None:
        title = _earlier(view, block, others, certain=not contrary and (section or labelled))
    if title is None:
        return None
    if nearest != title.line and not labelled and is_other_part(nearest.of(text).strip(" \t#*")):
        return None
    if title.certain or _follows(view, block, title.line):
        return title
    if title.level > 2 and lowest == title.level and view.floor and not title.strong:
        # What it is a part of is too far away.
        return None
    if section or labelled or _ELEMENT.search(view.read(title.line.start - _ELEMENT_LENGTH, title.line.start)):
        return title
    if contrary:
        return None
    name = title.name.of(text)
    if states_tool(text, name, title.line.end, min(block.before.start, title.line.end + _PROSE)):
        return title
    return title if "_" in name else None


def _earlier(view: View, block: _Block, titles: list[Title], *, certain: bool) -> Title | None:
    """Return the heading of a section before the one that a schema is in, if that is a part of its description."""
    following = next((each for each in titles if _follows(view, block, each.line)), None)
    if following is not None or not certain:
        return following
    return next((each for each in titles if each.certain), titles[0] if titles else None)


def _best(view: View, block: _Block, titles: list[Title]) -> Title | None:
    """Return the heading of several, the nearest first, of which each is in the section of the next."""
    if len(titles) < 2:
        return titles[0] if titles else None
    certain = next((each for each in titles if each.certain), None) or next(
        (each for each in titles if each.strong), None
    )
    if certain is not None:
        return certain
    following = _next_level(view, block)
    return next((each for each in titles if each.level == following), titles[-1])


def _next_level(view: View, block: _Block) -> int:
    """Return the level of the next heading that may be one of a tool; 0 where none is near."""
    text = view.text
    outside = not block.fence
    for number, line in enumerate(view.lines_after(block.start)):
        if number == _LINES:
            break
        if text.startswith(("```", "~~~"), line.start):
            outside = not outside
        elif outside and text.startswith("#", line.start):
            title = read_title(text, line, level_of(text, line))
            if title is not None:
                return title.level
    return 0


def _bold(view: View, block: _Block) -> Title | None:
    """Return the last bold line after the last heading that names a tool, and does nothing else."""
    text = view.text
    heading = next(_headings(view, block), None)
    low, end = (heading[1].end if heading is not None else view.floor), block.before.start
    wanted = f"\n{block.indent}**"
    place = end
    for _ in range(_BOLD):
        found = text.rfind(wanted, low, place)
        view.saw(max(found, low), end)
        start = found + 1
        if found < 0:
            if heading is not None or not _begins_line(view, low) or not text.startswith(wanted[1:], low) or low >= end:
                return None
            start = low
        line = view.line(start)
        title = read_title(text, line, BOLD)
        if title is not None and title.prose < 0 and not _fences(text, line.end, end, block.indent):
            return title
        if found < 0:
            return None
        place = found + 1
    return None


def _entry(view: View, block: _Block) -> Title | None:
    """Return the entry of a list, or the line of its own, that names the tool of a schema with a label."""
    text = view.text
    label = block.before
    if not block.labelled:
        label = next(each for each in view.lines_before(label.start) if each.of(text).strip())
    indent = width(text, label)
    if text.startswith("#", label.start + indent):
        return None
    low = max(view.floor, label.start - _ENTRY_BEFORE)
    if not _begins_line(view, low):
        following = text.find("\n", low, label.start)
        low = label.start if following < 0 else following + 1
    view.saw(low, label.end)
    for found in reversed([*_ENTRIES.finditer(text, low, label.end)]):
        line = view.line(found.start())
        start = line.start + width(text, line)
        if text.startswith(("#", "```", "~~~"), start):
            return None
        title = read_title(text, line, ENTRY)
        if not is_entry(text, line):
            if title is not None and title.certain:
                return title
        elif start - line.start < indent or not text[line.end : label.start].strip():
            return title
    return None


def _is_after(view: View, block: _Block) -> bool:
    """Return whether another declaration comes before a schema, not too far away."""
    view.saw(view.floor, block.at)
    return view.floor not in (0, block.at - MAX_BEFORE)


def _follows(view: View, block: _Block, line: Span) -> bool:
    """Return whether a line comes right after another declaration."""
    return _is_after(view, block) and _BETWEEN.fullmatch(view.text, view.floor, line.start) is not None


# -- reading -----------------------------------------------------------------------------------------------------------


def _parts(text: str) -> tuple[Title, Span, Span] | None:
    """Return the title of a segment, its prose, and its schema."""
    first = text.find("\n")
    line = Span(0, len(text) if first < 0 else first)
    schema, end = _schema(text)
    if schema is None:
        return None
    level = level_of(text, line) or ENTRY
    if level == ENTRY:
        # The label, and the schema with it, may be on the same line.
        line = Span(0, min(line.end, max(end, 0)))
    title = read_title(text, line, level)
    if title is None:
        return None
    start = title.prose if title.prose >= 0 else title.line.end
    return title, _stripped(text, start, max(end, start)), schema


def _schema(text: str) -> tuple[Span | None, int]:
    """Return where the schema is that a segment ends with, and where the prose before it ends."""
    openings = [*_OPENING.finditer(text)]
    if openings:
        opening = openings[-1]
        last = text.rfind("\n", opening.end()) + 1
        closing = _FENCE.fullmatch(text, last) if last else None
        return Span(opening.end(), last if closing is not None else len(text)), opening.start()
    for brace in _FIRST_KEYS.finditer(text):
        line = text.rfind("\n", 0, brace.start()) + 1
        end = brace.start()
        if not text[line:end].strip():
            end = len(text[:line].rstrip())
            line = text.rfind("\n", 0, end) + 1
        label = label_before(text, line, end)
        if label is not None:
            return Span(brace.start(), len(text)), label
    return None, 0


def _stripped(text: str, start: int, end: int) -> Span:
    """Return the description in a segment, without the labels of it and of what follows it."""
    while True:
        end = start + len(text[start:end].rstrip(_RULE))
        line = max(text.rfind("\n", start, end) + 1, start)
        label = label_before(text, line, end) if end > start else None
        if label is None:
            break
        end = label
    start = end - len(text[start:end].lstrip(" \t\n"))
    label_of_prose = PROSE_LABEL.match(text, start, end)
    return Span(label_of_prose.end() if label_of_prose is not None else start, end)


STYLE: Style = HeadingSchema()
