"""Editing: the edits that add, remove, rename or replace one argument, in whatever encoding the call has.

Owns: edits of a call's arguments, laid out as their neighbours are. Must not know: rules, why an edit is wanted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from callwright.calls.attribute_write import AttributeElement, AttributeFormat
from callwright.calls.model import JsonValue, MarkupValue, ParameterFormat, Path
from callwright.calls.protocol import Refusal, RenderStyle
from callwright.calls.render import element as render_element
from callwright.calls.tagged.grammar import TaggedFormat
from callwright.calls.tool_blocks import BlockFormat
from callwright.syntax.prose import line_start
from callwright.syntax.yaml_format import YamlFormat, spaced
from callwright.text.span import Edit, Span, delete, insert

if TYPE_CHECKING:
    from callwright.schema.binding import Binding
    from callwright.syntax.json import JsonMember, JsonNode
    from callwright.syntax.xml import XmlElement

_BREAK = re.compile(r"\r\n|\n|\r")


def rename_argument(binding: Binding, path: Path, name: str) -> tuple[Edit, ...]:
    """Return the edits that give the argument at `path` another name; none where its name is not written."""
    place = binding.coerced.places.get(path)
    if place is not None:
        if place.element.name_span.start == place.element.name_span.end:
            return ()
        format_ = _format(binding)
        named = name if format_ is None else format_.named(name)
        if named is None:
            return ()
        edits = []
        for element in _group(binding, path, place.element):
            edits.append(Edit(element.name_span, named))
            if element.close_name_span is not None:
                edits.append(Edit(element.close_name_span, named))
        return tuple(edits)
    key = binding.key_span_of(path)
    arguments = binding.call.arguments
    if key is None or not isinstance(arguments, JsonValue):
        return ()
    written = arguments.read.value_format.key(name, path[:-1])
    return () if written is None else (Edit(key, written),)


def _format(binding: Binding) -> ParameterFormat | None:
    """Return how the call's dialect writes parameters, None where it writes them as XML does."""
    arguments = binding.call.arguments
    if not isinstance(arguments, MarkupValue) or arguments.style is None:
        return None
    return arguments.style.value_format


def _group(binding: Binding, path: Path, element: XmlElement) -> Sequence[XmlElement]:
    """Return the elements that have one name: one, or all that were repeated into an array."""
    parent = _parent(binding, path)
    if parent is None:
        return [element]
    same = [child for child in parent.elements if child.name == element.name]
    return same if element in same else [element]


def _parent(binding: Binding, path: Path) -> XmlElement | None:
    if len(path) == 1:
        arguments = binding.call.arguments
        return arguments.element if isinstance(arguments, MarkupValue) else None
    place = binding.coerced.places.get(path[:-1])
    return place.element if place is not None else None


def remove_element(text: str, element: XmlElement) -> Edit:
    """Return the edit that takes an element out, and its line with it where it is alone on one."""
    if isinstance(element, AttributeElement):
        return element.removal()
    start, end = element.span
    before = line_start(text, start)
    following = _BREAK.match(text, end)
    if not text[before:start].strip() and before > 0 and following is not None:
        return delete(before, following.end())
    return delete(start, end)


def remove_argument(binding: Binding, path: Path) -> tuple[Edit, ...]:
    """Return the edits that take the argument at `path` out of its object."""
    place = binding.coerced.places.get(path)
    if place is not None:
        return tuple(remove_element(binding.text, element) for element in _group(binding, path, place.element))
    node = binding.node_at(path[:-1])
    if node is None or node.kind != "object":
        return ()
    members = node.members
    index = next((i for i, member in enumerate(members) if member.key == path[-1]), None)
    if index is None:
        return ()
    if len(members) == 1:
        return (delete(members[0].span.start, members[0].span.end),)
    if index + 1 < len(members):
        return (delete(members[index].span.start, members[index + 1].span.start),)
    return (delete(members[index - 1].span.end, members[index].span.end),)


def replace_value(binding: Binding, path: Path, value: Any) -> tuple[Edit, ...]:
    """Return the edits that write `value` at `path`; none where the encoding cannot hold it."""
    place = binding.coerced.places.get(path)
    if place is not None:
        element = place.element
        format_ = _format(binding)
        if format_ is not None:
            content = format_.content(value, path)
            return () if content is None else (Edit(element.content, content),)
        markup = binding.tool.markup if binding.tool is not None else "xml"
        style = RenderStyle(
            compact=not _BREAK.search(element.content.of(binding.text)),
            margin=_margin(binding.text, element.span.start),
        )
        written = render_element(element.name, value, style, path, markup=markup, depth=0)
        if isinstance(written, Refusal):
            return ()
        content = written[written.index(">") + 1 : written.rindex("</")]
        return (Edit(element.content, content),)
    node = binding.node_at(path)
    arguments = binding.call.arguments
    if node is None or not isinstance(arguments, JsonValue):
        return ()
    typed = arguments.read.value_format
    text = typed.value(value, path)
    if text is None and isinstance(typed, TaggedFormat):
        return typed.retyped(value, path, node.span)
    if text is not None and isinstance(typed, YamlFormat):
        text = spaced(text, node.span.start, binding.text)
    return () if text is None else (Edit(node.span, text),)


def insert_arguments(binding: Binding, path: Path, values: dict[str, Any]) -> tuple[Edit, ...]:
    """Return the edit that adds members to the object at `path`, after those it has and laid out as they are."""
    if not values:
        return ()
    arguments = binding.call.arguments
    if isinstance(arguments, JsonValue):
        node = binding.node_at(path)
        if node is None or node.kind != "object":
            return ()
        format_ = arguments.read.value_format
        written = [format_.member(name, value, path) for name, value in values.items()]
        members = [each for each in written if each is not None]
        if isinstance(format_, TaggedFormat | BlockFormat) and not path:
            if len(members) < len(written):
                return ()
            return _insert_parameters(binding.text, node.span, node.members[-1:], members, format_.between)
        if isinstance(format_, YamlFormat) and len(members) == len(written):
            separator = format_.separator(node)
            if separator is not None:
                return (insert(node.span.end, "".join(separator + entry for entry in members)),)
        return _insert_members(binding.text, node, members) if len(members) == len(written) else ()
    if isinstance(arguments, MarkupValue):
        parent = arguments.element if not path else None
        if path:
            place = binding.coerced.places.get(path)
            parent = place.element if place is not None else None
        if parent is None:
            return ()
        tagged = _format(binding)
        if isinstance(tagged, AttributeFormat):
            return tagged.insert(binding.text, parent, values) if not path else ()
        if tagged is not None:
            parts = [tagged.parameter(name, value) for name, value in values.items()]
            elements = [each for each in parts if each is not None]
            if len(elements) < len(parts) or (parent.self_closing and not path):
                return ()
            return _insert_parameters(binding.text, parent.content, parent.elements[-1:], elements, tagged.between)
        markup = binding.tool.markup if binding.tool is not None else "xml"
        return _insert_children(binding.text, parent, values, markup)
    return ()


def _insert_members(text: str, node: JsonNode, written: list[str]) -> tuple[Edit, ...]:
    members = node.members
    if not members:
        closed = node.span.end - node.span.start > 1 and text[node.span.end - 1] in "})"
        inner = Span(node.span.start + 1, node.span.end - closed)
        if inner.of(text).strip():
            return (insert(inner.start, ", ".join(written) + ", "),)
        return (Edit(inner, ", ".join(written)),)
    last = members[-1]
    before = text[node.span.start + 1 : members[0].span.start]
    separator = ", "
    if len(members) > 1:
        between = text[members[-2].span.end : last.span.start]
        separator = between if between.strip() == "," else ", "
    elif _BREAK.search(before):
        separator = "," + before
    return (insert(last.span.end, "".join(separator + entry for entry in written)),)


def _insert_parameters(
    text: str, body: Span, last: Sequence[JsonMember | XmlElement], written: list[str], between: str
) -> tuple[Edit, ...]:
    """Return the edit that adds parameters with markers of their own, after the last one or at the body's start."""
    at = last[0].span.end if last else body.start
    lead = between
    if last:
        before = text[: last[0].span.start]
        gap = before[len(before.rstrip()) :]
        lead = gap if between else ""
    return (insert(at, "".join(lead + entry for entry in written)),)


def _insert_children(text: str, parent: XmlElement, values: dict[str, Any], markup: str | None) -> tuple[Edit, ...]:
    children = parent.elements
    content = parent.content.of(text)
    multiline = _BREAK.search(content) is not None
    margin = _margin(text, children[-1].span.start) if children else _margin(text, parent.span.start)
    style = RenderStyle(compact=not multiline, margin=margin)
    written = []
    for name, value in values.items():
        entry = render_element(name, value, style, (name,), markup=markup, depth=0)
        if isinstance(entry, Refusal):
            return ()
        written.append(entry)
    if parent.self_closing:
        opening = parent.open_span
        head = opening.of(text).rstrip(">").rstrip("/").rstrip()
        return (Edit(opening, f"{head}>{''.join(written)}</{parent.name}>"),)
    if children:
        lead = "\n" + margin if multiline else ""
        return (insert(children[-1].span.end, "".join(lead + entry for entry in written)),)
    if multiline:
        inner = margin + style.indent
        body = "".join("\n" + inner + entry for entry in written)
        return (
            Edit(parent.content, f"{body}\n{margin}") if not content.strip() else insert(parent.content.start, body),
        )
    return (insert(parent.content.start, "".join(written)),)


def _margin(text: str, at: int) -> str:
    """Return the white space that the line of offset `at` begins with."""
    start = line_start(text, at)
    end = start
    while end < at and text[end] in " \t":
        end += 1
    return text[start:end]
