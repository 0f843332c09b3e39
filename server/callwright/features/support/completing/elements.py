"""Elements: what can be written after a `<`, after a `</`, and between tags.

Owns: calls, arguments and frames as elements, and their closers. Must not know: other dialects, positions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from callwright.calls.protocol import Refusal, RenderStyle
from callwright.calls.render import ITEM, element, value_text
from callwright.cursor.section_tree import closers_at
from callwright.features.support.call_drafts import Draft, kind_of
from callwright.features.support.snippets import Slots, value_of
from callwright.text.span import Edit, Span

if TYPE_CHECKING:
    from callwright.features.support.completing.site import Site

#: An attribute after a tag's name.
_ATTRIBUTE: Final = re.compile(r"[ \t]++[\w.:\-]++[ \t]*+=")
#: What may be directly after a call in prose; anything else after a tag's name belongs to the tag.
_AFTER_CALLS: Final = frozenset("<,.;!?)")


def call_tags(site: Site) -> Iterator[Draft]:
    """Yield the tools as calls, after a `<`."""
    place = site.place
    for tool in site.tools():
        if place.in_code:
            closed = site.spot.text[place.span.end : place.span.end + 1] == ">"
            opened = site.spot.text[place.span.start - 1 : place.span.start] == "<"
            text = f"{tool.name}>" if opened and not closed else tool.name
            yield site.about(Draft(tool.name, "tool", text), tool)
            continue
        dialect = site.dialect(tool)
        written = site.call(tool, dialect)
        if written is None:
            continue
        text, slots = written
        further: tuple[Edit, ...] = ()
        if text.startswith("<"):
            text = text[1:]
        else:
            if not site.is_alone(place.span.start - 1):
                continue
            further = (Edit(Span(place.span.start - 1, place.span.start), ""),)
        frames_itself = not text.startswith(tool.name)
        span, whole = _tag_span(site, frames_itself=frames_itself)
        draft = Draft(tool.name, "tool", text, slots, span, further=further)
        if not whole:
            draft = Draft(tool.name, "tool", tool.name, span=span)
        yield site.about(draft, tool)
    yield from closers(site)


def _tag_span(site: Site, *, frames_itself: bool = False) -> tuple[Span, bool]:
    """Return what an element replaces that is written at a tag's name, and whether it is written with its content.

    Around a name whose element has its content already, only the name is replaced. A `>` that the editor put after
    the cursor, and the closing tag of an empty element, are taken along.
    """
    text, span = site.spot.text, site.place.span
    at = span.end
    if text[at : at + 1] != ">":
        rest = text[at : at + 1]
        if _ATTRIBUTE.match(text, at) is not None:
            return span, frames_itself
        return span, not rest or rest.isspace() or rest in _AFTER_CALLS or frames_itself
    closer = f"</{text[span.start : span.end]}>"
    if text.startswith(closer, at + 1):
        return Span(span.start, at + 1 + len(closer)), True
    has_content = bool(span.end > span.start) and text.find(closer, at, at + 20_000) >= 0
    return (span, False) if has_content else (Span(span.start, at + 1), True)


def closers(site: Site) -> Iterator[Draft]:
    """Yield the closing tags of what is open, after a `<`."""
    span = _with_bracket(site, site.place.span)
    for name in _open_names(site, span.start - 1):
        yield Draft(f"/{name}", "tag", f"/{name}>", span=span, filter=f"/{name}")


def closing_tags(site: Site) -> Iterator[Draft]:
    """Yield what is open, after a `</`."""
    span = _with_bracket(site, site.place.span)
    for name in _open_names(site, span.start - 2):
        yield Draft(name, "tag", f"{name}>", span=span)


def _open_names(site: Site, at: int) -> list[str]:
    """Return what can be closed by a tag that begins at a place, the likeliest first.

    In a call that is the innermost element alone: no other can be closed while it is open. A section that is open
    for good may lie in another, so all that lack a closer are named.
    """
    return [*site.place.open_names[:1]] or closers_at(site.snapshot, site.spot, at)


def _with_bracket(site: Site, span: Span) -> Span:
    """Return the span with the `>` that follows it."""
    return Span(span.start, span.end + 1) if site.spot.text[span.end : span.end + 1] == ">" else span


def frame_tags(site: Site) -> Iterator[Draft]:
    """Yield what belongs into `<tool_call>` or `<tool_calls>`, after a `<`."""
    for name, text, slots in _frame_children(site):
        span, whole = _tag_span(site, frames_itself=True)
        yield Draft(name, "tag", text[1:] if whole else name, slots if whole else None, span)
    if site.place.path == ("tool_calls",):
        yield from _calls_of_list(site)
    if site.place.path != ("tool_call",) or {"tool_name", "arguments"} <= site.place.present:
        yield from closers(site)


def _calls_of_list(site: Site) -> Iterator[Draft]:
    for tool in site.tools():
        dialect = site.dialect(tool)
        written = site.call(tool, dialect if dialect.startswith("tool-call") else "tool-call-xml")
        if written is not None:
            yield site.about(Draft(tool.name, "tool", written[0][1:], written[1]), tool)


def _frame_children(site: Site) -> Iterator[tuple[str, str, Slots]]:
    """Yield the elements that are missing in the frame around the cursor: name, text, slots."""
    place = site.place
    if place.path != ("tool_call",):
        slots = Slots()
        name, arguments = slots.text(), slots.text()
        frame = f"<tool_call>\n  <tool_name>{name}</tool_name>\n  <arguments>{arguments}</arguments>\n</tool_call>"
        yield "tool_call", frame, slots
        return
    if "tool_name" not in place.present:
        slots = Slots()
        yield "tool_name", f"<tool_name>{slots.text()}</tool_name>", slots
    if "arguments" not in place.present:
        yield _arguments_element(site)


def _arguments_element(site: Site) -> tuple[str, str, Slots]:
    """Return `<arguments>` with what the call's tool requires, as the dialect in force has it."""
    candidates = site.registry.get(site.place.tool) if site.place.tool is not None else ()
    if candidates:
        dialect = site.dialect(candidates[0])
        written = site.call(candidates[0], dialect if dialect.startswith("tool-call") else "tool-call-xml")
        if written is not None:
            start, end = written[0].find("<arguments>"), written[0].find("</arguments>")
            if 0 <= start < end:
                lines = written[0][start : end + len("</arguments>")].split("\n  ")
                return "arguments", "\n".join(lines), written[1]
    slots = Slots()
    return "arguments", f"<arguments>{slots.text()}</arguments>", slots


def child_tags(site: Site) -> Iterator[Draft]:
    """Yield the arguments that are not there yet, as elements after a `<`."""
    for draft in _children(site):
        span, whole = _tag_span(site)
        text = draft.text[1:] if whole else draft.label
        yield replace(draft, text=text, slots=draft.slots if whole else None, span=span)
    if not any(draft.required for draft in _children(site)):
        # What still lacks a required element is not at its end.
        yield from closers(site)


def _children(site: Site) -> Iterator[Draft]:
    """Yield the arguments that are not there yet, as elements."""
    place = site.place
    if place.tool is None:
        return
    if site.schemas.is_array(place.tool, place.path):
        members = [(ITEM, site.schemas.at(place.tool, (*place.path, 0)), False)]
    else:
        members = [one for one in site.members(place.tool, place.path) if one[0] not in place.present]
    for name, schemas, required in members:
        slots = Slots()
        value = value_of(schemas[0][0], schemas[0][1].input_schema, slots, markup=True) if schemas else slots.text()
        text = element(
            name, value, RenderStyle(compact=True), (name,), markup=site.registry.markup(place.tool), depth=0
        )
        if not isinstance(text, Refusal):
            yield site.argument(Draft(name, "parameter", text, slots), schemas, required=required)


def body(site: Site) -> Iterator[Draft]:
    """Yield what can begin the content of a call: its arguments as JSON or as elements, as the dialect has it."""
    place = site.place
    if place.path in (("tool_call",), ("tool_calls",)):
        for name, text, slots in _frame_children(site):
            yield Draft(name, "tag", text, slots, filter=name)
        return
    if place.tool is None or not site.registry.has(place.tool):
        return
    tool = site.registry.get(place.tool)[0]
    dialect = site.dialect(tool)
    stated = site.snapshot.settings.dialect or tool.dialect
    json_wanted = dialect in ("xml-json", "tool-call-json") or stated is None
    if json_wanted and not place.present and not place.typed:
        written = site.call(tool, "xml-json")
        if written is not None:
            text, slots = written
            inner = text[len(tool.name) + 2 : -len(tool.name) - 3].strip("\n")
            empty = Span(site.spot.offset, site.spot.offset)
            yield replace(
                site.about(Draft("{…}", "snippet", inner, slots, empty, filter="{"), tool),
                detail="JSON arguments",
            )
    if place.present or dialect not in ("xml-json", "tool-call-json"):
        yield from _children(site)


def text_values(site: Site) -> Iterator[Draft]:
    """Yield the values that an element's text can have, or the elements that belong into it."""
    place = site.place
    if place.tool is None:
        return
    path = (*place.path, 0) if site.schemas.is_array(place.tool, place.path) else place.path
    for value, detail in site.listed(place.tool, path):
        text = value_text(value, (), markup=site.registry.markup(place.tool))
        if not isinstance(text, Refusal):
            label = value if isinstance(value, str) else text
            yield Draft(label, kind_of(detail), text, filter=text, detail=detail, commit="<")
    if not place.typed.strip() and not site.schemas.is_text(place.tool, place.path):
        for draft in _children(site):
            yield replace(draft, span=Span(site.spot.offset, site.spot.offset))
