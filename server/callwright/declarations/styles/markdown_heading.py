"""Tools in prose: a heading, bold line or list entry with a name, a description, and a list of parameters.

Owns: where the documentation of one tool begins and ends, and which of its lines say what. Must not know: how single
lines and lists are read, what shows that a name is that of a tool.

The forms are those of public prompts and of servers of the Model Context Protocol: Cline and Roo
(https://github.com/cline/cline), OpenHands (https://github.com/All-Hands-AI/OpenHands), the reference servers
(https://github.com/modelcontextprotocol/servers).
"""

from __future__ import annotations

import re
from typing import Final

from callwright.declarations.documented_lines import Line
from callwright.declarations.styles.base import MAX_BEFORE, Body, Style, View
from callwright.declarations.styles.support.built_tools import Parameter, body_of, schema_part, text_part, tool_part
from callwright.declarations.styles.support.parameter_entries import entry_of, states_at_end
from callwright.declarations.styles.support.parameter_lists import nest_members, read_inline, read_list
from callwright.declarations.styles.support.parameter_tables import is_table_head
from callwright.declarations.styles.support.prose_page import (
    Announced,
    Page,
    description_label,
    group_label,
    is_other_label,
    parameter_label,
)
from callwright.declarations.styles.support.tool_heads import Head, head_of
from callwright.declarations.styles.support.tool_segments import (
    MARKERS,
    Row,
    ToolHead,
    announcing_row,
    fence_around,
    find_end,
    find_head,
)
from callwright.declarations.styles.support.tool_signs import is_called_otherwise, signs_above, signs_in
from callwright.text.patterns import compile_later
from callwright.text.span import Span
from callwright.tools.parts import LocatedValue, sequence

#: What must speak for a tool, in points; with so much, what is above it is not asked.
_ENOUGH: Final = 3
_PLENTY: Final = 5
#: Parameters that are in a schema or in a type, which say more.
_SCHEMA: Final = compile_later(r"\"properties\"[ \t]*:|^namespace \w+ \{|^type \w+ = \(", re.MULTILINE)
#: Languages of fences that hold prompts.
_PROSE_FENCES: Final = frozenset({"", "md", "markdown", "text", "txt", "prompt", "plaintext", "xml", "plain"})


class MarkdownHeading:
    """A tool below a heading, a bold line or an entry with its name."""

    name = "markdown-heading"
    title = "a tool in prose"
    markers = MARKERS
    rank = 40

    def locate(self, view: View, at: int) -> Span | None:
        """Return the segment that documents the tool whose parameters are announced or described at the marker."""
        row = announcing_row(view, at)
        found = find_head(view, row) if row is not None else None
        if row is None or found is None:
            return None
        language = fence_around(view, found.begin)
        if language is not None and language not in _PROSE_FENCES:
            return None
        span = Span(found.begin, find_end(view, found, row, fenced=language is not None))
        follows = view.floor > max(at - MAX_BEFORE, 0)
        return span if span.end > at and _is_tool(view, found, row, span, follows=follows) else None

    def read(self, text: str) -> Body | None:
        """Return the tool that a segment of prose documents."""
        return _Reader(text).body()


def _is_tool(view: View, found: ToolHead, label: Row, span: Span, *, follows: bool) -> bool:
    """Return whether a segment documents a tool: whether there is enough evidence.

    `follows` is true if another declaration ends where the view begins.
    """
    text = view.text
    head = found.head
    if _has_schema(text, span) or is_called_otherwise(text, span, head.name):
        return False
    if head.form == "begin":
        return True
    points = signs_in(text, span, label.start, head)
    if points < _PLENTY:
        level = head.level if head.form == "heading" else 7
        points += signs_above(view, found.begin, level, follows=follows)
    # A word in capitals is a title more often than a name.
    return points >= _ENOUGH + (1 if not head.coded and head.name[:1].isupper() and not head.reported else 0)


def _has_schema(text: str, span: Span) -> bool:
    """Return whether the parameters are in a schema or in a type, which say more."""
    for word in ('"properties"', "namespace ", "type "):
        if text.find(word, *span) >= 0:
            return _SCHEMA.search(text, *span) is not None
    return False


class _Reader:
    """The reading of one tool's documentation."""

    def __init__(self, text: str) -> None:
        self.page = Page(text)
        self.parameters: list[Parameter] = []
        self.nothing = self.remark = False
        self.whole = False
        #: The number of the first line of the parameters, that of the first line after them.
        self.label = self.after = len(self.page.lines)

    def body(self) -> Body | None:
        """Return the tool as it is documented, None where none is named."""
        text = self.page.text
        number = next((number for number, line in enumerate(self.page.lines) if line.kind != "blank"), 0)
        self._list(number + 1)
        found = self._head(number)
        if found is None:
            return None
        number, head = found
        if head.signature is not None:
            self._sign(head)
        if not self.parameters and not self.nothing:
            return None
        around = Span(0, len(text))
        schema = schema_part(nest_members(self.parameters), around)
        tool = tool_part(LocatedValue(head.name, head.span), self._description(number, head), schema, around)
        return body_of([tool], around, whole=self.nothing or self.whole)

    def _head(self, first: int) -> tuple[int, Head] | None:
        """Return the line that names the tool: one above the parameters that does nothing else, or the first."""
        page = self.page
        for number in range(first, min(self.label, len(page.lines))):
            if not page.is_fenced(number):
                head = head_of(page.flat, page.lines[number])
                if head is not None and head.form == "named":
                    return number, head
        head = head_of(page.flat, page.lines[first])
        return (first, head) if head is not None else None

    def _list(self, start: int) -> None:
        """Find the parameters: below a label, or without one."""
        page = self.page
        for number in range(start, len(page.lines)):
            line = page.lines[number]
            if page.is_fenced(number) or line.kind == "blank":
                continue
            label = parameter_label(page.flat, line)
            if label is not None and self._take(number, label):
                self._more()
                return
        for number in range(start, len(page.lines)):
            if page.is_fenced(number) or not self._begins_list(number):
                continue
            listing = read_list(page, number)
            if listing.parameters:
                self.label, self.parameters, self.after = number, listing.parameters, listing.after
                return

    def _begins_list(self, number: int) -> bool:
        """Return whether a list of parameters begins on a line without being announced."""
        page = self.page
        line = page.lines[number]
        if line.kind == "row":
            return is_table_head(page.flat, line)
        if line.kind not in ("entry", "text"):
            return False
        entry = entry_of(page.flat, line)
        if entry is None:
            return False
        if states_at_end(page.flat, line, entry):
            return True
        if line.kind != "entry" or not (entry.certain or entry.quoted):
            return False
        listing = page.lines[number + 1 : number + 60]
        for below in listing:
            if below.kind == "blank":
                continue
            if below.kind != "entry" or below.indent < line.indent:
                return False
            own = entry_of(page.flat, below) if below.indent == line.indent else None
            if own is not None and states_at_end(page.flat, below, own):
                return True
        return False

    def _take(self, number: int, label: Announced) -> bool:
        """Take the parameters that a label announces; False where none follow."""
        page = self.page
        if label.nothing:
            self.label, self.after, self.nothing = number, number + 1, label.required is None
            self.remark = label.remark
            return label.required is None
        if label.rest.start < label.rest.end:
            inline = read_inline(page, label.rest, number)
            if inline is None:
                return False
            if label.required:
                for each in inline:
                    each.required = each.required or each.span
            self.label, self.after, self.parameters = number, number + 1, inline
            return True
        listing = read_list(page, number + 1, indent=page.lines[number].indent, required=label.required)
        if not listing.parameters:
            return False
        self.label, self.after, self.parameters = number, listing.after, listing.parameters
        return True

    def _more(self) -> None:
        """Take further lists: those of parameters that are required, or are not."""
        page = self.page
        number = self.after
        while number < len(page.lines):
            line = page.lines[number]
            if line.kind == "blank":
                number += 1
                continue
            label = parameter_label(page.flat, line)
            required = label.required if label is not None else group_label(page.flat, line)
            if page.is_fenced(number) or required is None:
                break
            listing = read_list(page, number + 1, indent=line.indent, required=required)
            if not listing.parameters:
                break
            self.parameters.extend(listing.parameters)
            number = self.after = listing.after

    def _sign(self, head: Head) -> None:
        """Take the parameters of the name's brackets; what a list says of them comes first."""
        listed = {each.name: each for each in self.parameters}
        assert head.signature is not None
        signed: list[Parameter] = []
        for claim in head.signature:
            own = listed.pop(claim.name, None) or Parameter(claim.name, claim.span)
            if claim.types is not None and "type" not in own.schema:
                where = claim.type_span or claim.span
                names = [LocatedValue(name, where) for name in sorted(claim.types)]
                own.schema["type"] = names[0] if len(names) == 1 else sequence(where, names)
            if claim.required and own.required is None and claim.types is not None:
                own.required = claim.span
            signed.append(own)
        self.whole = head.whole and not listed
        self.parameters = [*signed, *listed.values()]
        self.label = min(self.label, len(self.page.lines))

    def _description(self, number: int, head: Head) -> LocatedValue | None:
        """Return the tool's description: after a label, or in the lines before its parameters."""
        page = self.page
        for at, line in enumerate(page.lines):
            if at == number or page.is_fenced(at) or (self.label <= at < self.after and not self.remark):
                continue
            start = description_label(page.flat, line)
            if start is not None:
                return self._words(at, start)
        return self._words(number, head.rest) or (self._words(0, page.lines[0].end) if head.form == "named" else None)

    def _words(self, number: int, start: int) -> LocatedValue | None:
        """Return the words from an offset of a line on, up to what is announced next."""
        page = self.page
        begin = start
        end = page.lines[number].end
        for at in range(number + 1, len(page.lines)):
            line = page.lines[at]
            if line.kind == "blank":
                continue
            ends = self.label <= at < self.after or (not page.is_fenced(at) and self._announces(line))
            if ends and not (at == self.label and self.remark):
                break
            if begin >= end:
                begin = line.at
            end = line.end
        part = text_part(page.text, Span(min(begin, end), end))
        return part if part.value else None

    def _announces(self, line: Line) -> bool:
        flat = self.page.flat
        head = head_of(flat, line)
        return (
            line.kind == "heading"
            or (head is not None and head.form == "named")
            or is_other_label(flat, line)
            or parameter_label(flat, line) is not None
            or description_label(flat, line) is not None
        )


STYLE: Style = MarkdownHeading()
