"""Members: what can be written in the JSON of a call, its keys, its values and the name of its tool.

Owns: the commas and ends that belong to them. Must not know: other dialects, positions.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from callwright.calls.protocol import Refusal
from callwright.calls.render import json_text
from callwright.features.support.call_drafts import Draft, kind_of
from callwright.features.support.snippets import Slots, arguments_of, value_of
from callwright.text.span import Edit, Span

if TYPE_CHECKING:
    from callwright.features.support.completing.site import Site
    from callwright.tools.model import ToolSchema


def keys(site: Site) -> Iterator[Draft]:
    """Yield the arguments that are not there yet, as members of a JSON object."""
    place = site.place
    if place.tool is None:
        return
    for name, schemas, required in site.members(place.tool, place.path):
        if name in place.present:
            continue
        slots = Slots()
        value = value_of(schemas[0][0], schemas[0][1].input_schema, slots, markup=False) if schemas else slots.text()
        draft = _member(site, name, value, slots)
        if draft is not None:
            yield site.argument(draft, schemas, required=required)


def _member(site: Site, name: str, value: Any, slots: Slots) -> Draft | None:
    """Return a member of a JSON object with the commas that its place needs."""
    place = site.place
    key, written = json_text(name), json_text(value)
    if isinstance(key, Refusal) or isinstance(written, Refusal):
        return None
    if place.json.colon:
        return Draft(name, "parameter", key)
    text = f"{key}: {written}" + _comma_after(site)
    return Draft(name, "parameter", text, slots, final=False, further=_comma_before(site))


def _comma_after(site: Site) -> str:
    """Return the comma that must follow what is written here, with a space where none follows."""
    if not site.place.json.value_follows:
        return ""
    return "," if site.spot.text[site.place.span.end : site.place.span.end + 1].isspace() else ", "


def _comma_before(site: Site) -> tuple[Edit, ...]:
    """Return the edit that puts the missing comma after the value before the cursor."""
    after = site.place.json.after
    return () if after is None else (Edit(Span(after, after), ","),)


def frame_keys(site: Site) -> Iterator[Draft]:
    """Yield the keys of the object that holds a call."""
    place = site.place
    name_key, arguments_key = place.writing.frame_keys if place.writing is not None else ("tool", "arguments")
    if name_key and not place.present & {"tool", "tool_name", "tool_calls", "name"}:
        slots = Slots()
        draft = _member(site, name_key, slots.text(), slots)
        if draft is not None:
            yield draft
    if arguments_key not in place.present:
        slots = Slots()
        candidates = site.registry.get(place.tool) if place.tool is not None else ()
        arguments = arguments_of(candidates[0], slots, markup=False) if candidates else {}
        draft = _member(site, arguments_key, arguments or slots.members(), slots)
        if draft is not None:
            yield draft


def values(site: Site) -> Iterator[Draft]:
    """Yield the values that a JSON member can have."""
    place = site.place
    if place.tool is None:
        return
    tail = _comma_after(site)
    for value, detail in site.listed(place.tool, place.path):
        text = json_text(value)
        if not isinstance(text, Refusal):
            label, further = value if isinstance(value, str) else text, _comma_before(site)
            commit = "" if tail else ",}]"
            yield Draft(label, kind_of(detail), text + tail, further=further, detail=detail, commit=commit)
    types = site.schemas.types(place.tool, place.path) or frozenset()
    schemas = site.schemas.at(place.tool, place.path)
    if place.name or not schemas or not types & {"object", "array"} or "string" in types:
        return
    slots = Slots()
    if not place.path and schemas:
        new: Any = arguments_of(schemas[0][1], slots, markup=False) or slots.members()
    else:
        new = value_of(schemas[0][0], schemas[0][1].input_schema, slots, markup=False)
    text = json_text(new)
    if not isinstance(text, Refusal):
        label = "[…]" if isinstance(new, list) else "{…}"
        yield Draft(label, "snippet", text + tail, slots, filter=label[:1], final=False, further=_comma_before(site))


def tool_names(site: Site) -> Iterator[Draft]:
    """Yield the tools by name: in an element, or as a JSON string, with the rest of the call if it ends there."""
    place = site.place
    in_json = bool(place.path)
    for tool in site.tools():
        text, slots = json.dumps(tool.name) if in_json else tool.name, None
        if place.writing is not None:
            slots = Slots()
            rest = _rest_of_call(site, tool, slots)
            text += rest
        draft = Draft(tool.name, "tool", text + _comma_after(site), slots)
        yield site.about(draft, tool)


def _rest_of_call(site: Site, tool: ToolSchema, slots: Slots) -> str:
    """Return what belongs after a tool's name in a JSON text that ends there: the arguments, and the ends."""
    writing = site.place.writing
    assert writing is not None
    written = json_text(arguments_of(tool, slots, markup=False) or slots.members())
    if isinstance(written, Refusal):
        return ""
    key = writing.frame_keys[1]
    lead = f', "{key}": ' if key else ": "
    return f"{lead}{written}{writing.closer}"
