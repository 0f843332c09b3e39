"""Calls whose arguments are the attributes of a bare tag: which tags are such calls, and how one is read.

Owns: the decision between attributes and the other bodies that a bare tag may have, and the tree of such a call. Must
not know: dialect modules, the registry's class, documents.

The text between the tags is the argument that the tool names for it. If it names none, child elements are further
arguments, and text is reported, so that no conversion loses it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from callwright.calls.attribute_write import AttributeElement, AttributeFormat, BodyElement
from callwright.calls.json_body import begins_json
from callwright.calls.marker_problems import differ, half_written, text_between
from callwright.calls.markup_body import hints_for
from callwright.calls.model import MarkupValue, TextStyle, ToolCall
from callwright.calls.protocol import ReadContext, Reading
from callwright.calls.scanning import end_of_line, has_closer, line_ends, next_closer, skip_space
from callwright.calls.sketch import is_placeholder_name
from callwright.calls.strange_tags import is_strange
from callwright.calls.tag_bodies import body_name
from callwright.calls.tags import BARE_TAG_DIALECTS, BareTag, bare_tag, is_empty
from callwright.syntax.problem import Problem
from callwright.syntax.xml import (
    XmlAttribute,
    XmlElement,
    XmlHints,
    XmlNode,
    XmlRead,
    XmlReference,
    XmlText,
    read_element,
)
from callwright.syntax.xml_tags import REFERENCE, character_of
from callwright.text.holes import HOLE
from callwright.text.records import replace
from callwright.text.span import Span, insert

_FIRST: Final = re.compile(rf"<([A-Za-z_{HOLE}][\w.:\-{HOLE}]*+)")
_BREAK: Final = re.compile(r"[\t\r\n]")
#: What follows a tag that is only mentioned: `<shell id="…">: runs a command`.
_MENTIONED: Final = re.compile(r"[ \t]*+[:,.;)\]–—`\-]")
#: Problems that are allowed where nothing is escaped.
_ESCAPES: Final = frozenset({"ampersand", "less-than"})


def read_attribute_call(text: str, start: int, context: ReadContext, dialect: str) -> Reading | None:
    """Read the call whose arguments are attributes of the tag at `start`, or None if it is not one."""
    opening = bare_tag(text, start, context)
    if opening is None:
        return None
    name = _tool_of(opening, context)
    if not _is_ours(text, opening, name, context, dialect):
        return None
    parameters = context.tools.parameters(name) if name is not None else None
    body = body_name(parameters)
    raw = name is not None and context.tools.markup(name) == "raw"
    if opening.tag.truncated:
        return _cut_off(text, opening, context, dialect, body, raw=raw)
    if not _is_call(text, opening, name, body, context):
        return None
    read = _element(text, opening, name, body, context, raw=raw)
    if read is None:
        return None
    context.look(read.reach)
    element = read.element
    children = [child.name for child in element.elements]
    problems = [each for each in read.problems if not (raw and each.data.get("reason") in _ESCAPES)]
    if body is not None:
        problems = [_of_body(each, element.name, body) for each in problems]
    if body is not None and not raw and element.opaque and not problems:
        problems = [*_elements_in(text, element, body)]
    attributes = opening.tag.attributes
    if not raw:
        problems += _line_ends_in(text, attributes)
    if body is None and not children:
        problems += _unnamed(text, element)
    root = _root(text, element, attributes, body if not children else None, raw=raw)
    call = _call(dialect, root, _style(body, frozenset(children), raw), problems)
    return Reading([call], read.end, read.reach)


def _tool_of(opening: BareTag, context: ReadContext) -> str | None:
    """Return the name of the tool that a tag calls or was meant to call, None if it is not a known tool's."""
    if opening.reason in ("tool", "word"):
        return opening.name
    return context.tools.near(opening.name) if opening.reason == "near" else None


def _is_ours(text: str, opening: BareTag, name: str | None, context: ReadContext, dialect: str) -> bool:
    """Return whether a tag has its arguments as attributes, or has to have them."""
    named = [each.name for each in opening.tag.attributes]
    if is_strange(opening, context) and (name is None or context.preferred == dialect):
        return context.preferred == dialect and _is_strange_call(text, opening, context)
    if name is None:
        shaped = opening.reason in ("shape", "placeholder") and bool(named) and not opening.tag.broken
        return shaped and context.preferred == dialect
    parameters = context.tools.parameters(name) or {}
    given = any(each in parameters for each in named)
    own = context.tools.dialect(name)
    if opening.reason in ("word", "near") and not given:
        return False
    first = _FIRST.match(text, opening.visible)
    body = body_name(parameters)
    elsewhere = own in BARE_TAG_DIALECTS or context.preferred in BARE_TAG_DIALECTS
    if own != dialect and context.preferred != dialect and (elsewhere or body is None):
        # Attributes are not required: the tool's own parameters decide, unless another form is required.
        if elsewhere or not given:
            return False
        within = first is not None or begins_json(text, opening, context)
        return is_empty(text, opening) or opening.tag.truncated or not within
    if named:
        return True
    if context.preferred in BARE_TAG_DIALECTS and context.preferred != dialect:
        return False
    if is_empty(text, opening):
        return True
    if first is not None and (first[1] in parameters or body is None):
        return False
    return (body is not None and len(parameters) == 1) or not begins_json(text, opening, context)


def _is_strange_call(text: str, opening: BareTag, context: ReadContext) -> bool:
    """Return whether a tag with an unknown name is a call of this dialect in strict reading: it has attributes and no
    body, or the name of another tool, or nearly a tool's name."""
    if opening.tag.truncated or opening.reason == "drawing":
        return False
    if is_empty(text, opening):
        return bool(opening.tag.attributes) or opening.reason in ("near", "result") or context.offered(opening.name)
    return opening.reason == "near" and _FIRST.match(text, opening.visible) is None


def _is_call(text: str, opening: BareTag, name: str | None, body: str | None, context: ReadContext) -> bool:
    """Return whether a tag with attributes is a call, and not a mention of one."""
    tag = opening.tag
    strict = context.strict and context.fence is None
    if tag.self_closing:
        bare = not tag.attributes and name is not None and bool(context.tools.parameters(name))
        return strict or opening.own_line or (opening.reason != "near" and not bare)
    closed = has_closer(text, tag.end, opening.name, context)
    if name is None or opening.reason == "near":
        return strict or (closed and (name is None or opening.own_line))
    if closed and (tag.attributes or strict):
        return True
    if closed:
        closer = next_closer(text, tag.end, opening.name, context)
        end = closer + len(opening.name) + len("</>")
        context.look(end_of_line(text, end, context) + 1)
        return opening.own_line and (is_empty(text, opening) or line_ends(text, end))
    if not tag.attributes or context.scan.window is not None:
        return False
    if strict:
        return True
    context.look(end_of_line(text, tag.end, context) + 1)
    mentioned = _MENTIONED.match(text, tag.end) is not None
    return opening.own_line and not mentioned and (body is not None or line_ends(text, tag.end))


def _element(
    text: str, opening: BareTag, name: str | None, body: str | None, context: ReadContext, *, raw: bool
) -> XmlRead | None:
    """Return what is between the tags: only child elements if these are arguments, else one text."""
    start = opening.tag.name_span.start - 1
    parameters = (context.tools.parameters(name) if name is not None else None) or {}
    first = None if opening.tag.self_closing else _FIRST.match(text, opening.visible)
    if first is not None and (body is None or (first[1] in parameters and first[1] != body)):
        read = read_element(
            text, start, hints=replace(hints_for(name or opening.name, context), call=False), budget=context.budget
        )
        if read is not None and read.element.has_elements and not read.element.loose_text():
            return read
        if read is not None:
            context.look(read.reach)
    hints = XmlHints(raw=raw, siblings=context.siblings, call=False, text=True)
    return read_element(text, start, hints=hints, budget=context.budget)


def _cut_off(
    text: str, opening: BareTag, context: ReadContext, dialect: str, body: str | None, *, raw: bool
) -> Reading | None:
    """Return the call whose tag is truncated, by the text's end or by what follows."""
    tag = opening.tag
    start = tag.name_span.start - 1
    at_end = skip_space(text, tag.end) >= len(text)
    if at_end:
        context.look(len(text))
    attributes: list[XmlAttribute] = []
    end = len(text) if at_end else tag.end
    for each in tag.attributes:
        if not each.quote and text[each.value_span.start - 1] in "\"'" and at_end:
            # The text ends between two quotes.
            span = Span(each.value_span.start, end)
            value = span.of(text)
            attributes.append(XmlAttribute(each.name, each.name_span, value, span, Span(each.span.start, end), ""))
            break
        if each.value_span.start > each.name_span.end:
            attributes.append(each)
    if not attributes or not (at_end or (context.strict and context.fence is None)):
        return None
    if at_end and not (opening.own_line or context.strict or context.preferred == dialect):
        return None
    element = XmlElement(text, tag.name, start, end)
    last = attributes[-1]
    quoted = "" if last.quote or not at_end else text[last.value_span.start - 1]
    repair = insert(end, f"{quoted}/>") if body is None else None
    problems = [half_written(Span(start, end), text[start:end], repair, cut=at_end, certain=False)]
    root = _root(text, element, attributes, None, raw=raw)
    call = _call(dialect, root, _style(body, frozenset(), raw), problems)
    call.complete = False
    return Reading([call], end, end)


def _root(
    text: str, element: XmlElement, attributes: Sequence[XmlAttribute], body: str | None, *, raw: bool
) -> XmlElement:
    """Return the element of the tag with all arguments as its children: attributes, then the text or the elements."""
    root = XmlElement(text, element.name, element.start, element.open_end, element.self_closing)
    root.content_end, root.close_start, root.end = element.content_end, element.close_start, element.end
    root.children = [_attribute(text, each, raw=raw) for each in attributes if HOLE not in each.name]
    if body is not None and not element.self_closing and _holds_text(text, element):
        own = BodyElement(text, body, element.content)
        own.children = list(element.children)
        if element.close_start >= 0:
            own.close_start = own.content_end
        root.children.append(own)
    else:
        root.children += element.children
    return root


def _holds_text(text: str, element: XmlElement) -> bool:
    """Return whether anything is between two tags; nothing and a single line end are not an argument."""
    return element.content.of(text) not in ("", "\n", "\r\n", "\r")


def _attribute(text: str, attribute: XmlAttribute, *, raw: bool) -> AttributeElement:
    span = attribute.value_span
    end = max(attribute.span.end, span.end)
    element = AttributeElement(text, attribute.name, attribute.name_span, span, end)
    if attribute.quote:
        element.close_start = span.end
    children: list[XmlNode] = []
    at = span.start
    reference = None if raw else REFERENCE.search(text, at, span.end)
    while reference is not None:
        value = character_of(reference)
        if value is not None:
            if reference.start() > at:
                children.append(XmlText(text, at, reference.start()))
            children.append(XmlReference(text, *reference.span(), value))
            at = reference.end()
        reference = REFERENCE.search(text, reference.end(), span.end)
    if at < span.end:
        children.append(XmlText(text, at, span.end))
    element.children = children
    return element


def _line_ends_in(text: str, attributes: Sequence[XmlAttribute]) -> list[Problem]:
    """Return the problem of each attribute with a line end or a tab in it, which XML replaces by a space."""
    problems = []
    for each in attributes:
        breaks = _BREAK.search(text, *each.value_span)
        if breaks is not None and each.quote:
            reading = f"The value of `{each.name}` is read with its line breaks and tabs"
            problems.append(differ(Span(*breaks.span()), reading, "XML parsers replace each with a space"))
    return problems


def _unnamed(text: str, element: XmlElement) -> list[Problem]:
    """Return the problem of text that the tool names no argument for: no conversion may lose it."""
    found = None if element.self_closing else text_between(text, *element.content, element.name)
    return [] if found is None else [replace(found, data={**found.data, "unnamed": True}, repair=())]


def _elements_in(text: str, element: XmlElement, body: str) -> Iterator[Problem]:
    """Yield the problem of elements where an argument is text: they are read as text."""
    read = read_element(text, element.start, hints=XmlHints(call=False))
    spans = () if read is None else tuple(child.open_span for child in read.element.elements)
    if spans:
        data = {
            "parameter": body,
            "value": element.content,
            "text": element.content.of(text),
            "chars": "<",
            "spans": spans,
            "beside": (),
        }
        yield Problem("unescaped-markup", spans[0], data, certain=True)


def _of_body(problem: Problem, tool: str, body: str) -> Problem:
    """Return a problem of the text between the tags as a problem of the argument."""
    if problem.data.get("parameter") != tool:
        return problem
    return replace(problem, data={**problem.data, "parameter": body})


@lru_cache(maxsize=256)
def _style(body: str | None, elements: frozenset[str], raw: bool) -> TextStyle:
    return TextStyle("one", value_format=AttributeFormat(body, elements, raw=raw))


def _call(dialect: str, root: XmlElement, style: TextStyle, problems: list[Problem]) -> ToolCall:
    names = [root.name_span]
    if root.close_name_span is not None:
        names.append(root.close_name_span)
    return ToolCall(
        dialect=dialect,
        span=root.span,
        tool=root.name,
        tool_span=root.name_span,
        arguments=MarkupValue(root, style),
        body=root.content,
        name_spans=tuple(names),
        problems=problems,
        sketch=is_placeholder_name(root.name),
        complete=root.self_closing or root.close_span is not None,
    )
