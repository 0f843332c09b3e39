"""What a prompt teaches: the tools that it documents, with what it says of their parameters.

Owns: `Teaching`, `teaching_of`: which lines of a text belong to which tool, and which of them make claims. Must not
know: rules, what is wrong with any of it.

A tool is documented by a heading, an entry of a list, a signature, a definition in JSON and some more; below it stand
its parameters. What is found does not depend on how a document is cut into blocks: each line is judged by itself and
kept with its block, and the lines of a text are put together anew.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, NamedTuple
from weakref import ref

from callwright.declarations.documented_lines import (
    Claim,
    Head,
    Label,
    Line,
    cell_name,
    cells,
    is_separator,
    may_be_parameter,
    member_claim,
    read_lines,
    row_claim,
)
from callwright.hosts.base import FlowHost
from callwright.hosts.support.managed import WORD
from callwright.prompt.listed_tools import listed_tools
from callwright.prompt.mentions import Mentions, mentions_in
from callwright.text.budget import breathe
from callwright.text.holes import HOLE
from callwright.text.keeping import Kept
from callwright.text.projection import encode_all
from callwright.text.span import Edit, Span, with_newlines

if TYPE_CHECKING:
    from callwright.document.blocks import Block, ReadPassage
    from callwright.document.snapshot import Snapshot
    from callwright.hosts.base import Passage
    from callwright.tools.model import ToolSchema
    from callwright.tools.registry import ToolRegistry

#: What opens and closes a stretch that is kept equal to the tools, whatever comments are like there.
_MANAGED: Final = re.compile(rf"(/?+){WORD}\b")
#: Languages of fences whose text is read as prose, and those whose code may declare tools.
_PROSE: Final = frozenset({"md", "markdown", "text", "txt", "prompt", "plaintext"})
_DATA: Final = frozenset({"", "json", "jsonc", "json5"})
_OLD: Final = re.compile(
    r"deprecat|obsolete|legacy|superseded|no longer|(?:do not|don't|never) (?:use|call)|\bremoved\b|instead",
    re.IGNORECASE,
)
#: One of these is in whatever that finds, in small letters.
_OLD_WORDS: Final = (
    *("deprecat", "obsolete", "legacy", "superseded", "no longer", "removed", "instead"),
    *("do not ", "don't ", "never "),
)
_SCHEMA_KEY: Final = re.compile(r'"(?:parameters|input_schema|inputSchema)"')
_HOLE_NAME: Final = re.compile(rf"[ \t>]*+(?:[-*+#]++|\d{{1,3}}[.)])?[ \t*`]*+{HOLE}++")
#: What heads the columns of a table of parameters, and of one of tools.
_COLUMNS: Final = {
    "name": "name", "parameter": "name", "param": "name", "argument": "name", "arg": "name", "field": "name",
    "type": "type", "required": "required", "required?": "required", "req": "required", "mandatory": "required",
}  # fmt: skip
_TOOL_COLUMNS: Final = frozenset({"tool", "tools", "tool name", "function", "functions"})
#: What announces something else than parameters.
_ENDS: Final = re.compile(
    r"[*_`]{0,3}+(?:returns?|outputs?|responses?|results?|yields|examples?|usage|errors?|notes?)\b", re.IGNORECASE
)
#: What no common word has.
_WORDS: Final = re.compile(r"[_\-.\d]|[a-z][A-Z]")
#: A JSON value outside a fence is followed for so many lines.
_LONGEST_JSON: Final = 2_000


class Place(NamedTuple):
    """A passage, and where its block begins in the document."""

    passage: Passage
    base: int
    newline: str = "\n"

    def raw(self, span: Span) -> Span:
        """Return a span of the passage as one of the document."""
        return self.passage.projection.raw_span(span).shift(self.base)

    def edits(self, edits: Iterable[Edit]) -> tuple[Edit, ...] | None:
        """Return edits of the passage as those of the document, None where its notation cannot hold them."""
        raw = encode_all(self.passage.projection, edits)
        if raw is None:
            return None
        placed = tuple(Edit(span.shift(self.base), text) for span, text in raw)
        return placed if self.newline == "\n" else with_newlines(placed, self.newline)


class TaughtParameter(NamedTuple):
    """One parameter as it is documented, the place of it, and the line it stands on (None where it has none).

    `again` says where else it is named, as a schema names it among those that are required.
    """

    claim: Claim
    place: Place
    line: Line | None = None
    again: tuple[tuple[Place, Span], ...] = ()

    def renamed(self, name: str) -> tuple[Edit, ...] | None:
        """Return the edits that give it another name wherever it is named, None where one of them cannot be made."""
        edits: list[Edit] = []
        for place, span in ((self.place, self.claim.span), *self.again):
            own = place.edits([Edit(span, name)])
            if own is None:
                return None
            edits += own
        return tuple(sorted(edits))


@dataclass(slots=True)
class TaughtTool:
    """One tool as a text documents it.

    `form` says how, `group` is the same for tools that are documented side by side. `whole` tells that its parameters
    are listed and that nothing says there are others; `nothing` that it is said to have none. `listing` is set where a
    label announces parameters. `last` is the place and the end of the last line of that list. `dated` tells that the
    text itself calls the tool old. `child` is how far the first entry below it is indented: what is indented more
    belongs to that, and is none of its parameters. `ended` tells that what it returns, or an example, comes next.
    """

    name: str
    place: Place
    span: Span
    form: str
    group: tuple[object, ...]
    quoted: str = ""
    parameters: list[TaughtParameter] = field(default_factory=list)
    whole: bool = False
    nothing: bool = False
    listing: bool = False
    dated: bool = False
    last: tuple[Place, int] | None = None
    level: int = 0
    indent: int = 0
    child: int | None = None
    ended: bool = False

    @property
    def raw(self) -> Span:
        """The span of the name in the document."""
        return self.place.raw(self.span)


@dataclass(frozen=True, slots=True)
class Section:
    """The heading over a group of tools, and where it stands."""

    place: Place
    span: Span


@dataclass(frozen=True, slots=True)
class Teaching:
    """What a document teaches.

    `tools` are all that look like documented tools, whether the registry has them or not; `sections` are the headings
    over their groups. `named` are the tools whose names occur anywhere. `generated` tells that a template or a managed
    block writes some of the documentation. `managed` are the stretches of managed blocks.
    """

    tools: tuple[TaughtTool, ...] = ()
    sections: Mapping[tuple[object, ...], Section] = field(default_factory=dict)
    named: frozenset[str] = frozenset()
    generated: bool = False
    managed: tuple[Span, ...] = ()

    def is_managed(self, offset: int) -> bool:
        """Tell whether an offset of the document lies in a managed block."""
        index = bisect_right(self.managed, offset, key=lambda span: span.start) - 1
        return index >= 0 and self.managed[index].start <= offset < self.managed[index].end

    def is_near(self, span: Span) -> bool:
        """Tell whether some of a stretch of the document lies in a managed block."""
        index = bisect_left(self.managed, span.end, key=lambda each: each.start) - 1
        return index >= 0 and self.managed[index].end > span.start

    def known(self, registry: ToolRegistry) -> list[TaughtTool]:
        """Return the documented tools that the registry has.

        A tool that is named by a common word counts where it stands beside another one, is said to be a tool, or has
        its parameters listed: a heading `Status` is about anything. Code counts beside other code of the kind, for a
        single function may be one that carries the tool out.
        """
        known = [tool for tool in self.tools if registry.has(tool.name)]
        names: dict[tuple[object, ...], set[str]] = {}
        for tool in known:
            names.setdefault(tool.group, set()).add(tool.name)
        return [tool for tool in known if len(names[tool.group]) > 1 or _speaks_for_itself(tool, registry)]


NOTHING: Final = Teaching()


def teaching_of(snapshot: Snapshot, *, strangers: bool = False) -> Teaching:
    """Return what a document teaches about the tools of its registry; made once for a snapshot.

    Where no tool of the registry is documented, what looks like documentation of others is left out, unless these
    `strangers` are asked for.
    """
    registry = snapshot.registry
    if not registry.closed or not snapshot.blocks or _is_tool_file(snapshot):
        # A document that the tools come from is what others are compared with.
        return NOTHING
    mentions = mentions_in(snapshot)
    if not mentions.names:
        return NOTHING
    lines = mentions.outside and (strangers or mentions.documented)
    key = "teaching" if lines else "no teaching"
    cache = snapshot.blocks[0].cache
    kept: tuple[ref[Snapshot], Teaching] | None = cache.get(key)
    if kept is None or kept[0]() is not snapshot:
        cache[key] = kept = (ref(snapshot), _read(snapshot, mentions, lines=lines))
    return kept[1]


def _is_tool_file(snapshot: Snapshot) -> bool:
    return snapshot.is_own or (
        snapshot.path is not None and any(tool.origin.file == snapshot.path for tool in snapshot.registry)
    )


def _speaks_for_itself(tool: TaughtTool, registry: ToolRegistry) -> bool:
    """Tell whether one documented tool is certainly that, without others beside it."""
    if tool.form == "code":
        return False
    if tool.form not in ("title", "line", "row") or _WORDS.search(tool.name) is not None:
        return True
    parameters = [parameter for known in registry.get(tool.name) for parameter in known.parameters]
    return tool.listing and any(each.claim.name in parameters for each in tool.parameters)


def tools_named(registry: ToolRegistry, name: str) -> tuple[ToolSchema, ...]:
    """Return the tools of a name whose schemas can be relied on, none where one of them cannot be."""
    breathe()
    tools = registry.get(name)
    return tools if all(tool.checked for tool in tools) else ()


def _managed(snapshot: Snapshot) -> tuple[Span, ...]:
    """Return the stretches between the marks of managed blocks; one that nothing closes goes on to the end."""
    spans: list[Span] = []
    opened: int | None = None
    for start, block in zip(snapshot.starts, snapshot.blocks, strict=True):
        marks: list[tuple[int, bool]] | None = block.cache.get("managed")
        if marks is None:
            text = snapshot.document.slice(start, start + block.length)
            marks = [(match.start(), not match[1]) for match in _MANAGED.finditer(text)] if WORD in text else []
            block.cache["managed"] = marks
        for at, opens in marks:
            if opens and opened is None:
                opened = start + at
            elif not opens and opened is not None:
                spans.append(Span(opened, start + at))
                opened = None
    if opened is not None:
        spans.append(Span(opened, len(snapshot.document)))
    return tuple(spans)


def _read(snapshot: Snapshot, mentions: Mentions, *, lines: bool) -> Teaching:
    managed = _managed(snapshot) if mentions.managed else ()
    if not lines:
        # Tools that are called and not spoken of are not documented.
        return Teaching(named=mentions.names, generated=bool(managed), managed=managed)
    outside = Teaching(managed=managed)
    newline = snapshot.document.newline
    tools: list[TaughtTool] = []
    sections: dict[tuple[object, ...], Section] = {}
    generated = bool(managed)
    document = snapshot.document
    # What front matter lists is no documentation.
    listed = {document.line_at(each.span.start) for each in listed_tools(snapshot)}
    for number, text in enumerate(_texts(snapshot)):
        fold = _Fold(snapshot.registry, number)
        for base, block_lines in text:
            for passage, own in block_lines:
                place = Place(passage, base, newline)
                near = bool(managed) and outside.is_near(place.raw(Span(0, len(passage.text))))
                for line in own:
                    breathe()
                    if near and outside.is_managed(place.raw(Span(line.start, line.end)).start):
                        continue
                    if listed and document.line_at(place.raw(Span(line.start, line.end)).start) in listed:
                        continue
                    fold.take(line, place)
        fold.finish()
        tools += fold.tools
        sections |= fold.sections
        generated = generated or fold.generated
    return Teaching(tuple(tools), sections, mentions.names, generated, managed)


#: The lines of one block, run by run with the passage that they stand in.
_Runs = Sequence[tuple["Passage", Sequence[Line]]]


def _texts(snapshot: Snapshot) -> Iterator[list[tuple[int, _Runs]]]:
    """Yield the texts of a document: all blocks of a flow document are one, each passage of a record is its own."""
    flow = isinstance(snapshot.host, FlowHost)
    whole: list[tuple[int, _Runs]] = []
    for start, block in zip(snapshot.starts, snapshot.blocks, strict=True):
        runs: list[_Runs] | None = block.cache.get("lines")
        if runs is None:
            block.cache["lines"] = runs = _lines_of(block)
        if not runs:
            continue
        if flow:
            whole.append((start, runs[0]))
            runs = runs[1:]
        for each in runs:
            yield [(start, each)]
    if whole:
        yield whole


def _lines_of(block: Block) -> list[_Runs]:
    """Return the lines of each text of a block; the versions of a template are one text."""
    texts: list[list[ReadPassage]] = []
    for read in block.passages:
        passage = read.passage
        if passage.calls is not None or passage.turn is not None:
            continue
        if passage.version is not None and passage.version.fresh is not None and texts:
            texts[-1].append(read)
        else:
            texts.append([read])
    return [_runs(versions) for versions in texts]


def _prose_lines(read: ReadPassage) -> Iterator[Line]:
    """Yield the lines of a passage; one that lies in a call says nothing but its text."""
    spans = sorted(found.call.span for found in read.calls)
    number = end = 0
    for line in read_lines(read.passage.text):
        breathe()
        while number < len(spans) and spans[number].start <= line.at:
            end = max(end, spans[number].end)
            number += 1
        if line.at < end and line.kind not in ("blank", "fence"):
            line = Line(line.start, line.end, "text", line.indent, line.at)  # noqa: PLW2901 # the same line, bare
        yield line


def _runs(versions: Sequence[ReadPassage]) -> _Runs:
    """Return the lines of a text, each once, in the order of the document.

    Lines of two versions that begin at the same place are one that depends on a choice: it claims nothing.
    """
    first = versions[0]
    if len(versions) == 1:
        return [(first.passage, list(_prose_lines(first)))]
    found: dict[int, tuple[Passage, Line, Span]] = {}
    for read in versions:
        passage = read.passage
        for line in _prose_lines(read):
            if line.kind == "blank":
                continue
            raw = passage.projection.raw_span(Span(line.start, line.end))
            known = found.get(raw.start)
            if known is None:
                found[raw.start] = (passage, line, raw)
            elif known[2] != raw:
                found[raw.start] = (known[0], _without_claims(known[1]), known[2])
    return [(passage, [line]) for _, (passage, line, _) in sorted(found.items())]


def _without_claims(line: Line) -> Line:
    claim = line.claim
    if claim is not None:
        claim = replace(claim, types=None, type_span=None, required=None, required_span=None)
    head = replace(line.head, signature=None) if line.head is not None else None
    return replace(line, claim=claim, head=head)


@dataclass(slots=True)
class _Listing:
    """A list of parameters that is open: where it was announced, how far its entries are indented, what it says of all.

    `columns` are those of a table, `member` the depth of an object type whose members are being read.
    """

    indent: int
    required: bool | None = None
    entries: int | None = None
    columns: dict[str, int] | None = None
    depth: int = 0
    gap: bool = False


class _Fold:
    """The reading of one text, line by line."""

    def __init__(self, registry: ToolRegistry, number: int) -> None:
        self.registry = registry
        self.number = number
        self.tools: list[TaughtTool] = []
        self.sections: dict[tuple[object, ...], Section] = {}
        self.generated = False
        self.headings: list[tuple[int, int, Section]] = []
        self.count = 0
        self.run = 0
        self.tool: TaughtTool | None = None
        self.listing: _Listing | None = None
        self.fence: tuple[str, str] | None = None
        self.data: list[tuple[Place, Line]] | None = None
        self.closer = ("", 0)
        self.table: dict[str, int] | None = None
        self.blank = False

    def finish(self) -> None:
        """Take what is still open."""
        self._end_data()

    def take(self, line: Line, place: Place) -> None:
        """Take the next line."""
        if line.kind == "blank":
            self.blank = True
            self.table = None
            return
        text = place.passage.text
        if line.kind == "fence" and self._fence(line):
            return
        if self.data is not None and self._data(line, place, text):
            return
        before = self.tool
        self._line(line, place, text)
        if before is not None and before is self.tool and not before.dated:
            before.dated = self._is_old(before.name, text, line)
        self.blank = False

    def _fence(self, line: Line) -> bool:
        if self.fence is None:
            self.fence = (line.mark, line.info)
            self.data = None
            if line.info in _DATA:
                self.data, self.closer = [], ("```", 0)
            return True
        if line.mark[0] == self.fence[0][0] and len(line.mark) >= len(self.fence[0]) and not line.info:
            self.fence = None
            self._end_data()
            return True
        return False

    def _data(self, line: Line, place: Place, text: str) -> bool:
        """Gather a line of JSON; False where none stands there."""
        assert self.data is not None
        first = text[line.start : line.end].lstrip(" \t>")[0]
        if self.closer[0] == "```":
            if not self.data and first not in "{[":
                self.data = None
                return False
            self.data.append((place, line))
            return True
        self.data.append((place, line))
        if first == self.closer[0] and line.indent == self.closer[1]:
            self._end_data()
        elif line.indent <= self.closer[1] and first not in '{}[]"':
            self.data = None
            return False
        elif len(self.data) > _LONGEST_JSON:
            self.data = None
        return True

    def _end_data(self) -> None:
        if self.data:
            self._define(self.data)
        self.data = None

    def _define(self, lines: Sequence[tuple[Place, Line]]) -> None:
        """Take the definitions in lines of JSON."""
        pieces = [line_text(place, line) for place, line in lines]
        whole = "\n".join(pieces)
        if '"name"' not in whole or _SCHEMA_KEY.search(whole) is None:
            return
        begins: list[int] = []
        at = 0
        for piece in pieces:
            begins.append(at)
            at += len(piece) + 1

        def placed(span: Span) -> tuple[Place, Span]:
            index = max(bisect_right(begins, span.start) - 1, 0)
            place, line = lines[index]
            return place, span.shift(line.start - begins[index])

        self._close()
        group = (self.number, "definition", self._heading_number())
        for defined in definitions_in(whole):
            place, span = placed(defined.span)
            tool = TaughtTool(defined.name, place, span, "definition", group, whole=True)
            for claim in defined.claims:
                own, moved = placed(claim.span)
                type_span = placed(claim.type_span)[1] if claim.type_span is not None else None
                said = replace(claim, span=moved, type_span=type_span, again=())
                tool.parameters.append(TaughtParameter(said, own, None, tuple(map(placed, claim.again))))
            self._add(tool)
        self.tool = None

    def _line(self, line: Line, place: Place, text: str) -> None:
        if _HOLE_NAME.match(text, line.start, line.end) is not None:
            self.generated = True
            return
        prose = self.fence is None or self.fence[1] in _PROSE
        if self.listing is not None and self.listing.depth and self._member(line, place, text):
            return
        if not prose:
            if line.head is not None and line.head.form in ("code", "type"):
                self._head(line, line.head, place, text)
            return
        if line.kind == "heading":
            self._heading(line, place, text)
            return
        if line.kind == "row":
            self._row(line, place, text)
            return
        in_list = self.listing is not None and (
            self.listing.entries == line.indent or (self.listing.entries is None and line.kind == "entry")
        )
        if line.label is not None and self.tool is not None and not (in_list and self._has(line.claim)):
            self._label(line, line.label, place)
            return
        if self._entry(line, place):
            return
        if self.tool is not None and line.kind == "entry" and self.tool.child is None:
            self.tool.child = line.indent
        if line.head is not None and self._is_head(line, line.head, text):
            self._head(line, line.head, place, text)
            return
        if self._json(line, place, text):
            return
        self._text(line, text)

    def _heading(self, line: Line, place: Place, text: str) -> None:
        self.listing = None
        if line.label is not None and self.tool is not None and self.tool.level < line.level:
            self._label(line, line.label, place)
            return
        if self.tool is not None and (
            self.tool.form != "title" or line.level <= self.tool.level or not self.tool.level
        ):
            self._close()
        while self.headings and self.headings[-1][0] >= line.level:
            self.headings.pop()
        known = line.head is not None and self.registry.has(line.head.name)
        if line.head is not None and (known or self._is_open):
            self._head(line, line.head, place, text)
            if known:
                return
        title = text[line.at : line.end].rstrip(" \t#")
        if self.tool is not None and _ENDS.match(title) is not None:
            self.tool.ended = True
        self.count += 1
        self.run += 1
        self.headings.append((line.level, self.count, Section(place, Span(line.at, line.at + len(title)))))

    @property
    def _is_open(self) -> bool:
        """Whether what stands below belongs to no tool, but perhaps to a heading that only looks like one."""
        return self.tool is None or (self.tool.level > 0 and not self.registry.has(self.tool.name))

    def _heading_number(self) -> int:
        return self.headings[-1][1] if self.headings else 0

    def _is_head(self, line: Line, head: Head, text: str) -> bool:
        """Tell whether a line that is no heading documents a tool, or may be one of several that do."""
        if head.form in ("line", "code", "type") and not self.registry.has(head.name):
            return False
        if self.registry.has(head.name):
            return not (self.listing is not None and self._is_parameter(head.name))
        if self.tool is None or self._is_open:
            return True
        # Below a tool, an entry may be about anything.
        same = line.kind == "entry" and self.tool.form == "title" and not self.tool.level
        return (
            head.form in ("word", "begin", "element")
            or (same and line.indent <= self.tool.indent)
            or (
                line.kind == "text"
                and head.form == "title"
                and self.tool.form == "title"
                and text.startswith("**", line.at)
            )
        )

    def _head(self, line: Line, head: Head, place: Place, text: str) -> None:
        self._close()
        kind = line.kind if head.form == "title" else head.form
        where = self.run if line.kind == "entry" else self._heading_number()
        group = (self.number, kind, line.level, line.indent if line.kind == "entry" else 0, head.quoted, where)
        tool = TaughtTool(
            head.name, place, head.span, head.form, group, head.quoted, level=line.level, indent=line.indent
        )
        tool.dated = self._is_old(head.name, text, line)
        if head.signature is not None:
            tool.parameters = [TaughtParameter(claim, place) for claim in head.signature]
            tool.whole = head.whole
        self._add(tool)
        self.tool = tool
        if head.form == "type" and head.signature is None:
            tool.whole = True
            self.listing = _Listing(line.indent, depth=1)

    def _add(self, tool: TaughtTool) -> None:
        self.tools.append(tool)
        if self.headings and tool.group not in self.sections:
            self.sections[tool.group] = self.headings[-1][2]

    def _close(self) -> None:
        self.tool = None
        self.listing = None
        self.table = None

    def _label(self, line: Line, label: Label, place: Place) -> None:
        tool = self.tool
        assert tool is not None
        tool.ended = False
        self.listing = _Listing(line.indent, label.required) if label.open and not label.nothing else None
        if label.nothing:
            tool.nothing = label.required is None
        elif label.open:
            tool.listing = True
            tool.whole = label.required is not False or bool(tool.parameters)
        elif any(self._has(claim) for claim in label.claims):
            tool.listing = True
            tool.whole = label.whole and label.required is None
            for claim in label.claims:
                said = claim if claim.required is not None else replace(claim, required=label.required)
                tool.parameters.append(TaughtParameter(said, place))

    def _entry(self, line: Line, place: Place) -> bool:
        """Take a parameter; False where the line is none."""
        tool, listing, claim = self.tool, self.listing, line.claim
        if tool is None or line.kind not in ("entry", "text"):
            return False
        if listing is not None and listing.columns is None and not listing.depth:
            if listing.entries is None:
                deep = line.indent > listing.indent or (line.kind == "entry" and line.indent >= listing.indent)
                known = line.head is not None and self.registry.has(line.head.name) and not self._has(claim)
                if claim is None or known or not (deep or claim.certain) or not may_be_parameter(claim):
                    return False
                if line.kind == "text" and not (claim.certain or self._has(claim)):
                    return False
                listing.entries = line.indent
                self._parameter(line, claim, place)
                return True
            if line.indent > listing.entries:
                tool.last = (place, line.end)
                return True
            if line.indent == listing.entries and claim is not None and may_be_parameter(claim):
                named = line.head is not None and self.registry.has(line.head.name)
                if (named and not self._has(claim)) or (self.blank and not (claim.certain or self._has(claim))):
                    return False
                if line.kind == "text" and not (claim.certain or self._has(claim)):
                    return False
                self._parameter(line, claim, place)
                return True
            return False
        if claim is None or not claim.certain or listing is not None or tool.listing or tool.ended:
            return False
        if tool.whole and tool.form in ("type", "definition"):
            return False
        below = line.indent > tool.indent or tool.level or tool.form in ("word", "begin", "element")
        if tool.child is not None and line.indent != tool.child:
            return False
        if not below and not (line.kind == "text" and line.at == line.start):
            return False
        if claim.types is None and claim.required is None:
            return False
        if line.kind == "text" and claim.required is None and not claim.quoted:
            return False
        tool.child = line.indent
        self.listing = _Listing(tool.indent, entries=line.indent)
        self._parameter(line, claim, place)
        return True

    def _parameter(self, line: Line, claim: Claim, place: Place) -> None:
        tool, listing = self.tool, self.listing
        assert tool is not None
        if claim.required is None and listing is not None and listing.required is not None:
            claim = replace(claim, required=listing.required)
        tool.parameters.append(TaughtParameter(claim, place, line))
        tool.last = (place, line.end)

    def _member(self, line: Line, place: Place, text: str) -> bool:
        """Take a line of an object type that goes on."""
        tool, listing = self.tool, self.listing
        assert tool is not None
        assert listing is not None
        content = text[line.at : line.end]
        if listing.depth == 1 and not content.startswith(("//", "/*", "*", "}")):
            claim = member_claim(text, line.at, line.end)
            if claim is None:
                self._close()
                return False
            tool.parameters.append(TaughtParameter(claim, place))
        if not content.startswith(("//", "/*", "*")):
            listing.depth += content.count("{") - content.count("}")
        if listing.depth <= 0:
            self._close()
        return True

    def _row(self, line: Line, place: Place, text: str) -> None:
        """Take a row of a table: its head, a parameter, or a tool."""
        if self.table is not None and not self.table:
            # The table is about something else.
            return
        row = cells(text, line)
        if is_separator(text, line):
            return
        if self.table is None:
            self.listing = None
            titles = [cell.of(text).strip(" \t*`").lower() for cell in row]
            columns: dict[str, int] = {}
            for index, title in enumerate(titles):
                known = _COLUMNS.get(title)
                if known is not None:
                    columns.setdefault(known, index)
            if titles and titles[0] in _TOOL_COLUMNS:
                self._close()
                self.run += 1
                columns = {"tool": 0}
            elif self.tool is None or self.tool.ended or "name" not in columns or len(columns) < 2:
                columns = {}
            self.table = columns
            if self.tool is not None and columns:
                self.tool.listing = self.tool.whole = True
            return
        if "tool" in self.table:
            span = cell_name(text, row, self.table["tool"])
            if span is not None:
                quoted = text[max(span.start - 1, 0) : span.start].strip(" \t|")
                group = (self.number, "row", self.run, quoted)
                name = span.of(text)
                dated = self._is_old(name, text, line)
                self._add(TaughtTool(name, place, span, "row", group, quoted, dated=dated))
        elif "name" in self.table and self.tool is not None:
            claim = row_claim(text, row, self.table)
            if claim is not None:
                self.tool.parameters.append(TaughtParameter(claim, place, line))
                self.tool.last = (place, line.end)

    def _json(self, line: Line, place: Place, text: str) -> bool:
        """Take JSON that stands in no fence: a definition on one line, or the beginning of a longer value."""
        first = text[line.at]
        if first not in "{[" or line.kind != "text":
            return False
        content = text[line.at : line.end].rstrip(" \t,")
        if content in ("{", "[", "[{"):
            self.data = [(place, line)]
            self.closer = ("}" if first == "{" else "]", line.indent)
            return True
        if content[-1] in "}]" and '"name"' in content and _SCHEMA_KEY.search(content) is not None:
            self._define([(place, line)])
            return True
        return False

    def _text(self, line: Line, text: str) -> None:
        """Take a line that says nothing about tools: it may end what is open."""
        listing = self.listing
        ends = _ENDS.match(text, line.at, line.end) is not None and ":" in text[line.at : line.at + 40]
        if ends and self.tool is not None and (self.tool.child is None or line.indent <= self.tool.child):
            self.tool.ended = True
        if listing is not None and not listing.depth:
            closes = text[line.start : line.end].rstrip(" \t*_").endswith(":") or ends
            after = listing.entries is not None
            if line.indent <= (listing.entries if listing.entries is not None else listing.indent) and (
                closes or (after and (self.blank or line.kind == "entry"))
            ):
                self.listing = None
        tool = self.tool
        if tool is not None and not tool.level and tool.form == "title" and self.blank and line.kind == "text":
            if line.indent <= tool.indent and self.listing is None:
                self._close()
                self.run += 1
        elif tool is None and line.kind == "text" and not line.indent:
            self.run += 1

    def _is_old(self, name: str, text: str, line: Line) -> bool:
        """Tell whether a line calls a tool old; nobody asks that of a tool that is not."""
        tools = self.registry.get(name)
        if tools and all(tool.deprecated is None for tool in tools):
            return False
        said = text[line.start : min(line.end, line.start + 1_000)]
        if said.isascii():
            # Faster by far than a pattern that begins with any of many letters.
            small = said.lower()
            for word in _OLD_WORDS:
                if word in small:
                    break
            else:
                return False
        return _OLD.search(said) is not None

    def _has(self, claim: Claim | None) -> bool:
        return claim is not None and self._is_parameter(claim.name)

    def _is_parameter(self, name: str) -> bool:
        if self.tool is None:
            return False
        return any(name in tool.parameters for tool in self.registry.get(self.tool.name))


def line_text(place: Place, line: Line) -> str:
    """Return a line without its terminator."""
    return place.passage.text[line.start : line.end]


class Defined(NamedTuple):
    """A definition in JSON: the tool, its name's span, and its parameters."""

    name: str
    span: Span
    claims: tuple[Claim, ...]


#: By the JSON text that they stand in.
_defined: Final[Kept[str, tuple[Defined, ...]]] = Kept(64, 1_000_000)


def definitions_in(text: str) -> tuple[Defined, ...]:
    """Return the definitions of tools in a JSON text; those whose parameters are no schema are calls, and no others."""
    known = _defined.get(text)
    return _defined.keep(text, _definitions_in(text), len(text)) if known is None else known


def _definitions_in(text: str) -> tuple[Defined, ...]:
    # Only a prompt with definitions in it pays for what reads them.
    from callwright.tools.documents import read_tool_document
    from callwright.tools.parameters import types_of

    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return ()
    document = read_tool_document(text, "tools.json")
    found: list[Defined] = []
    for definition in document.definitions:
        schema = definition.input_schema
        if not isinstance(schema, Mapping) or not isinstance(schema.get("properties"), Mapping):
            continue
        if definition.schema_path is None or not definition.tool.checked:
            continue
        claims: list[Claim] = []
        required = schema.get("required")
        for name, parameter in definition.tool.parameters.items():
            path = (*definition.schema_path, "properties", name)
            if name not in schema["properties"]:
                continue
            types = types_of(parameter.schema, definition.tool.input_schema)
            own = schema["properties"][name]
            single = isinstance(own, Mapping) and isinstance(own.get("type"), str)
            claims.append(
                Claim(
                    name,
                    _unquoted(document.places.key(path), text),
                    types,
                    _unquoted(document.places.value((*path, "type")), text) if single else None,
                    parameter.required if isinstance(required, list) or required is None else None,
                    certain=True,
                    quoted=True,
                    again=tuple(
                        _unquoted(document.places.value((*definition.schema_path, "required", index)), text)
                        for index, each in enumerate(required if isinstance(required, list) else ())
                        if each == name
                    ),
                )
            )
        span = (
            document.places.key(definition.name_path)
            if definition.name_is_key
            else document.places.value(definition.name_path)
        )
        found.append(Defined(definition.tool.name, _unquoted(span, text), tuple(claims)))
    return tuple(found)


def _unquoted(span: Span, text: str) -> Span:
    if span.end - span.start >= 2 and text[span.start] == '"' and text[span.end - 1] == '"':
        return Span(span.start + 1, span.end - 1)
    return span
