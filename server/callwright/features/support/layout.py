"""The layout of calls: how bodies that take several lines are indented. Never a value, a name or a word of prose.

Owns: `Indent`, `formatted`, `layout_edits`. Must not know: which request asks, positions.

Two things are laid out, and only where they take several lines already: JSON, in which all white space between marks is
free, and elements that hold nothing but elements. What is on one line stays there. A call that the reader has a
problem with is left alone, and nothing is changed where any call would be another one afterwards.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from callwright.calls.model import JsonValue, MarkupValue
from callwright.features.support.outline import MAX_LENGTH, outline_between, placed_call
from callwright.syntax.json import JsonNode, JsonRead
from callwright.syntax.value_format import JSON
from callwright.syntax.xml import XmlElement
from callwright.text.projection import encode_all
from callwright.text.span import Edit, Span, with_newlines

if TYPE_CHECKING:
    from callwright.document.blocks import PlacedCall
    from callwright.document.snapshot import Snapshot
    from callwright.features.base import Request

#: What a line begins with, quote marks included, and the marker of a list after it.
_LEAD: Final = re.compile(r"(?P<lead>[ \t>]*+)(?P<marker>(?:[-*+]|\d{1,9}[.)])[ \t]++)?")
_COMMA: Final = re.compile(r"\s*+,\s*+")
_COLON: Final = re.compile(r"\s*+:\s*+")
#: Deeper values stay as they are.
_MAX_DEPTH: Final = 64


@dataclass(frozen=True, slots=True)
class Indent:
    """What one step of indentation is."""

    unit: str = "  "

    @classmethod
    def of(cls, options: Any) -> Indent:
        """Return the indentation that an editor asks for; what makes no sense is two spaces."""
        if not getattr(options, "insert_spaces", True):
            return cls("\t")
        size = getattr(options, "tab_size", 2)
        return cls(" " * size) if isinstance(size, int) and 0 < size <= 16 else cls()


def formatted(snapshot: Snapshot, request: Request, within: Sequence[Span] | None = None) -> list[Edit] | None:
    """Return the edits that a request asks for; None where the document is too long to be laid out at once."""
    if len(snapshot.document) > MAX_LENGTH:
        return None
    return layout_edits(snapshot, Indent.of(getattr(request.params, "options", None)), within)


def layout_edits(snapshot: Snapshot, indent: Indent, within: Sequence[Span] | None = None) -> list[Edit]:
    """Return the edits that lay out the calls of a document, those alone that one of the spans touches where given."""
    if snapshot.host.holds != "calls" or snapshot.template is not None:
        # In a template, white space may be what an expression is in.
        return []
    found: list[Edit] = []
    seen: dict[int, JsonRead] = {}
    spans = sorted(within or ())
    if within is not None and not spans:
        return []
    around = Span(spans[0].start, max(span.end for span in spans)) if spans else None
    for call in outline_between(snapshot, around).calls:
        if around is None or _touches(call.frame, spans):
            found += _of_call(placed_call(call, snapshot), indent, seen)
    edits = [edit for edit in with_newlines(found, snapshot.document.newline) if not _is_same(snapshot, edit)]
    return edits if edits and _is_kept(snapshot, edits) else []


def _touches(frame: Span, spans: Sequence[Span]) -> bool:
    """Return whether one of the spans, which are sorted, touches a call."""
    before = bisect_right(spans, frame.end, key=lambda span: span.start)
    return any(span.touches(frame) for span in spans[:before])


def _is_same(snapshot: Snapshot, edit: Edit) -> bool:
    return snapshot.document.slice(*edit.span) == edit.text


def _is_kept(snapshot: Snapshot, edits: list[Edit]) -> bool:
    """Return whether the calls are the same after the edits."""
    after = snapshot.edit(sorted(edits, key=lambda edit: edit.span, reverse=True))
    return _plain(snapshot) == _plain(after)


def _plain(snapshot: Snapshot) -> list[tuple[str, str | None, str]]:
    return [(placed.call.dialect, placed.call.tool, repr(placed.binding.value)) for placed in snapshot.placed_calls()]


def _of_call(placed: PlacedCall, indent: Indent, seen: dict[int, JsonRead]) -> tuple[Edit, ...]:
    call, text = placed.call, placed.binding.text
    if call.problems or not call.complete or call.sketch or "native" in call.details:
        return ()
    edits: list[Edit] = []
    value = call.arguments
    if isinstance(value, JsonValue):
        read = value.read
        # One text may hold several calls. A block's passage ends with the block, and what was read may continue after
        # it.
        other = bool(read.text) and read.span.of(read.text) != read.span.of(text)
        if id(read) in seen or not read.clean or read.value_format is not JSON or other:
            return ()
        seen[id(read)] = read
        edits = list(_json(read.root, text, _base(text, read.span.start), indent.unit, 0))
    elif isinstance(value, MarkupValue) and type(value.element) is XmlElement and value.style is None:
        edits = list(_markup(value.element, text, _base(text, value.element.start), indent.unit, 0))
    return encode_all(placed.passage.projection, edits) or ()


def _line_start(text: str, at: int) -> int:
    return max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1


def _base(text: str, at: int) -> str:
    """Return what a line below the one at an offset begins with, to be where that one's text begins."""
    lead = _LEAD.match(text, _line_start(text, at), at)
    if lead is None:
        return ""
    return lead["lead"] + " " * len(lead["marker"] or "")


def _is_long(text: str, span: Span) -> bool:
    return text.find("\n", *span) >= 0 or text.find("\r", *span) >= 0


def _json(node: JsonNode, text: str, base: str, unit: str, depth: int) -> Iterator[Edit]:
    """Yield the edits that put each member of what takes several lines on a line of its own."""
    if node.kind not in ("object", "array") or depth > _MAX_DEPTH or not _is_long(text, node.span):
        return
    start, end = node.span
    inner, outer = f"\n{base}{unit}", f"\n{base}"
    parts = [member.span for member in node.members] if node.kind == "object" else [item.span for item in node.items]
    if not parts:
        if not text[start + 1 : end - 1].strip():
            yield Edit(Span(start + 1, end - 1), "")
        return
    yield from _gap(text, Span(start + 1, parts[0].start), inner, "")
    for one, other in pairwise(parts):
        gap = Span(one.end, other.start)
        if _COMMA.fullmatch(text, *gap):
            yield Edit(gap, f",{inner}")
    yield from _gap(text, Span(parts[-1].end, end - 1), outer, "")
    for member in node.members:
        colon = Span(member.key_span.end, member.value.span.start)
        if _COLON.fullmatch(text, *colon):
            yield Edit(colon, ": ")
    for child in node.children:
        yield from _json(child, text, base + unit, unit, depth + 1)


def _gap(text: str, gap: Span, wanted: str, marker: str) -> Iterator[Edit]:
    if text[gap.start : gap.end].strip() == marker:
        yield Edit(gap, wanted)


def _markup(element: XmlElement, text: str, base: str, unit: str, depth: int) -> Iterator[Edit]:
    """Yield the edits that indent the children of an element that holds nothing else, where they begin a line."""
    if element.opaque or not element.has_elements or element.loose_text() or depth > _MAX_DEPTH:
        return
    for child in element.elements:
        if type(child) is not XmlElement:
            return
        inner = base
        lead = _own_lead(text, child.start, element.open_end)
        if lead is not None:
            inner = base + unit
            yield Edit(lead, inner)
        yield from _markup(child, text, inner if lead is not None else _base(text, child.start), unit, depth + 1)
    lead = _own_lead(text, element.close_start, element.open_end) if element.close_start >= 0 else None
    if lead is not None:
        yield Edit(lead, base)


def _own_lead(text: str, at: int, begin: int) -> Span | None:
    """Return the white space that a tag's line begins with, None where the tag does not begin one."""
    start = _line_start(text, at)
    return Span(start, at) if start >= begin and not text[start:at].strip(" \t>") else None
