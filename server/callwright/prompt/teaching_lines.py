"""The lines of a text put together: which of them belong to which tool, and which make claims.

Owns: `Fold`. Must not know: documents, what is wrong with any of it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

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
    row_claim,
)
from callwright.prompt.defined_in_text import definitions_in
from callwright.prompt.taught import PassagePlace, Section, TaughtParameter, TaughtTool
from callwright.text.holes import HOLE
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.tools.registry import ToolRegistry

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
#: A JSON value outside a fence is followed for so many lines.
_MAX_JSON_LENGTH: Final = 2_000


@dataclass(slots=True)
class _Listing:
    """A list of parameters that is open: where it was announced, how far its entries are indented, what it says of all.

    `columns` are those of a table, `depth` that of an object type whose members are being read.
    """

    indent: int
    required: bool | None = None
    entries: int | None = None
    columns: dict[str, int] | None = None
    depth: int = 0
    gap: bool = False


class Fold:
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
        self.data: list[tuple[PassagePlace, Line]] | None = None
        self.closer = ("", 0)
        self.table: dict[str, int] | None = None
        self.blank = False

    def finish(self) -> None:
        """Take what is still open."""
        self._end_data()

    def take(self, line: Line, place: PassagePlace) -> None:
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
            self.fence = (line.marker, line.info)
            self.data = None
            if line.info in _DATA:
                self.data, self.closer = [], ("```", 0)
            return True
        if line.marker[0] == self.fence[0][0] and len(line.marker) >= len(self.fence[0]) and not line.info:
            self.fence = None
            self._end_data()
            return True
        return False

    def _data(self, line: Line, place: PassagePlace, text: str) -> bool:
        """Gather a line of JSON; False where none is there."""
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
        elif len(self.data) > _MAX_JSON_LENGTH:
            self.data = None
        return True

    def _end_data(self) -> None:
        if self.data:
            self._define(self.data)
        self.data = None

    def _define(self, lines: Sequence[tuple[PassagePlace, Line]]) -> None:
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

        def placed(span: Span) -> tuple[PassagePlace, Span]:
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
                stated = replace(claim, span=moved, type_span=type_span, again=())
                tool.parameters.append(TaughtParameter(stated, own, None, tuple(map(placed, claim.again))))
            self._add(tool)
        self.tool = None

    def _line(self, line: Line, place: PassagePlace, text: str) -> None:
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

    def _heading(self, line: Line, place: PassagePlace, text: str) -> None:
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
        """Whether what is below belongs to no tool, but perhaps to a heading that only looks like one."""
        return self.tool is None or (self.tool.level > 0 and not self.registry.has(self.tool.name))

    def _heading_number(self) -> int:
        return self.headings[-1][1] if self.headings else 0

    def _is_head(self, line: Line, head: Head, text: str) -> bool:
        """Return whether a line that is not a heading documents a tool, or may be one of several that do."""
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

    def _head(self, line: Line, head: Head, place: PassagePlace, text: str) -> None:
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

    def _label(self, line: Line, label: Label, place: PassagePlace) -> None:
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
                stated = claim if claim.required is not None else replace(claim, required=label.required)
                tool.parameters.append(TaughtParameter(stated, place))

    def _entry(self, line: Line, place: PassagePlace) -> bool:
        """Take a parameter; False where the line is none."""
        tool, listing, claim = self.tool, self.listing, line.claim
        if tool is None or line.kind not in ("entry", "text"):
            return False
        if listing is not None and listing.columns is None and not listing.depth:
            if listing.entries is not None and line.indent > listing.entries:
                tool.last = (place, line.end)
                return True
            if claim is None or not may_be_parameter(claim):
                return False
            known = self._has(claim)
            evident = claim.certain or known
            if line.head is not None and not known and self.registry.has(line.head.name):
                return False
            if line.kind == "text" and not evident:
                return False
            if listing.entries is None:
                deep = line.indent > listing.indent or (line.kind == "entry" and line.indent >= listing.indent)
                if not (deep or claim.certain):
                    return False
                listing.entries = line.indent
            elif line.indent != listing.entries or (self.blank and not evident):
                return False
            self._parameter(line, claim, place)
            return True
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

    def _parameter(self, line: Line, claim: Claim, place: PassagePlace) -> None:
        tool, listing = self.tool, self.listing
        assert tool is not None
        if claim.required is None and listing is not None and listing.required is not None:
            claim = replace(claim, required=listing.required)
        tool.parameters.append(TaughtParameter(claim, place, line))
        tool.last = (place, line.end)

    def _member(self, line: Line, place: PassagePlace, text: str) -> bool:
        """Take a line of an object type that continues."""
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

    def _row(self, line: Line, place: PassagePlace, text: str) -> None:
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

    def _json(self, line: Line, place: PassagePlace, text: str) -> bool:
        """Take JSON that is in no fence: a definition on one line, or the beginning of a longer value."""
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
        """Return whether a line calls a tool old; the question never arises for one that is not."""
        tools = self.registry.get(name)
        if tools and all(tool.deprecated is None for tool in tools):
            return False
        stated = text[line.start : min(line.end, line.start + 1_000)]
        if stated.isascii():
            # Faster by far than a pattern that begins with any of many letters.
            small = stated.lower()
            for word in _OLD_WORDS:
                if word in small:
                    break
            else:
                return False
        return _OLD.search(stated) is not None

    def _has(self, claim: Claim | None) -> bool:
        return claim is not None and self._is_parameter(claim.name)

    def _is_parameter(self, name: str) -> bool:
        if self.tool is None:
            return False
        return any(name in tool.parameters for tool in self.registry.get(self.tool.name))


def line_text(place: PassagePlace, line: Line) -> str:
    """Return a line without its terminator."""
    return place.passage.text[line.start : line.end]


def without_claims(line: Line) -> Line:
    """Return a line as one that claims nothing of parameters."""
    claim = line.claim
    if claim is not None:
        claim = replace(claim, types=None, type_span=None, required=None, required_span=None)
    head = replace(line.head, signature=None) if line.head is not None else None
    return replace(line, claim=claim, head=head)
