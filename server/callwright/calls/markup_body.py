"""Calls whose arguments are child elements of a tag with the tool's name.

Owns: whether a body is elements, the reading of it, the hints about a tool for the fragment reader. Must not know:
dialect modules, the registry's class, documents.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from callwright.calls.json_body import begins_json
from callwright.calls.marker_problems import text_between
from callwright.calls.model import MarkupValue, ToolCall, Value
from callwright.calls.protocol import ReadContext, Reading, ToolNames
from callwright.calls.scanning import end_of_line, has_closer, line_ends
from callwright.calls.sketch import is_placeholder_name
from callwright.calls.strange_tags import is_strange, is_strange_call
from callwright.calls.tags import (
    ATTRIBUTES,
    BARE_TAG_DIALECTS,
    MAX_UNMATCHED,
    NAME,
    BareTag,
    bare_tag,
    is_empty,
    shows_tool,
)
from callwright.calls.vocabularies import HTML_NAMES
from callwright.syntax.xml import XmlElement, XmlHints, XmlRead, read_element, tag_at
from callwright.syntax.xml_plain import read_plain
from callwright.text.facts import FactFor
from callwright.text.patterns import compile_later
from callwright.text.records import replace
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.syntax.problem import Problem

#: Four words in a row, or a few characters of a script that has no spaces between words.
_SENTENCE: Final = compile_later(r"(?<![^\W_])(?:[^\W\d_]++[,’']?+\s++){4}|[\u3040-\u9fff]{4}")


def read_markup_call(
    text: str, start: int, context: ReadContext, dialect: str, *, only_empty: bool = False
) -> Reading | None:
    """Read a call whose arguments are child elements of the tag at `start`, or None where it is prose or JSON.

    An empty body, or one that is neither JSON nor elements, is in the preferred dialect where that has bare tags too:
    with `only_empty` only empty bodies are read, and without it both are left to that dialect.
    """
    opening = bare_tag(text, start, context)
    if opening is None or begins_json(text, opening, context):
        return None
    asked = context.preferred
    if asked is None and context.tools.dialect(opening.name) == ATTRIBUTES:
        asked = ATTRIBUTES
    elsewhere = asked in BARE_TAG_DIALECTS and asked != dialect
    empty = is_empty(text, opening)
    if only_empty and not empty:
        return None
    strange = is_strange(opening, context)
    text_leads = not empty and not text.startswith("<", opening.visible)
    if elsewhere and not only_empty and (empty or (text_leads and (not strange or opening.reason == "near"))):
        return None
    name = opening.name
    if opening.tag.self_closing:
        named = opening.reason == "tool" or (opening.reason == "near" and opening.own_line)
        called = strange and (opening.tag.attributes or context.offered(name)) and opening.reason != "drawing"
        if not (named or called):
            return None
        read = read_element(text, start, hints=hints_for(name, context), budget=context.budget)
        if read is None:
            return None
        context.look(read.reach)
        call = _call(dialect, read.element, MarkupValue(read.element), read.problems)
        return Reading([call], read.end, read.reach)
    plain = _plain_call(text, start, opening, context, dialect)
    if plain is not None:
        return plain
    if not _worth_reading(text, opening, context):
        return None
    read = read_element(text, start, hints=hints_for(name, context), budget=context.budget)
    if read is None:
        return None
    context.look(read.reach)
    if not _is_markup_call(text, opening, read.element, context):
        return None
    if _is_about_tool(text, read.element, context):
        return Reading([], read.end, max(read.reach, read.end))
    following = _document_part(text, read.element, context)
    if following is not None:
        read = read_element(text, start, end=following, hints=hints_for(name, context), budget=context.budget) or read
    call = _call(dialect, read.element, MarkupValue(read.element), [*read.problems, *_only_text(read)])
    # With an unknown name, all text after it is part of the truncated call.
    end = len(text) if strange and not call.complete else read.end
    return Reading([call], end, max(read.reach, end))


def _plain_call(text: str, start: int, opening: BareTag, context: ReadContext, dialect: str) -> Reading | None:
    """Read a call whose parameters are only text; None if it needs the full reading."""
    name, tag = opening.name, opening.tag
    if opening.reason != "tool" or tag.end != start + len(name) + 2 or context.tools.markup(name) == "raw":
        return None
    plain = read_plain(text, name, tag.end, context.scan.searches)
    if plain is None:
        return None
    first = plain.texts[0].name
    if first in context.siblings and not opening.own_line and first not in (context.tools.parameters(name) or ()):
        return None
    context.budget.check()
    end, closer = plain.end, plain.content_end + 2
    context.look(end)
    call = ToolCall(
        dialect=dialect,
        span=Span(start, end),
        tool=name,
        tool_span=tag.name_span,
        arguments=MarkupValue(element_maker(text, start, name, context), texts=plain.texts),
        body=Span(tag.end, plain.content_end),
        name_spans=(tag.name_span, Span(closer, closer + len(name))),
        sketch=is_placeholder_name(name),
    )
    return Reading([call], end, end)


def element_maker(
    text: str, start: int, tool: str, context: ReadContext, enclosing: frozenset[str] = frozenset()
) -> Callable[[], XmlElement]:
    """Return a function that builds the plain element at `start`, and keeps no reference to the rest of the text."""
    tools, siblings = context.tools, context.siblings

    def make() -> XmlElement:
        hints = replace(_hints_for(tool, tools, siblings), enclosing=enclosing)
        read = read_element(text, start, hints=hints)
        assert read is not None, "an element was read there before"
        return read.element

    return make


def _only_text(read: XmlRead) -> list[Problem]:
    """Return the problem of a body that is only text: it is ignored, like text beside parameters."""
    element = read.element
    if element.elements or read.problems:
        return []
    found = text_between(element.source, *element.content, element.name)
    return [] if found is None else [found]


def _document_part(text: str, element: XmlElement, context: ReadContext) -> int | None:
    """Return where the document continues after a call without a closer: at an element of HTML that begins a line."""
    if element.close_start >= 0:
        return None
    parameters = context.tools.parameters(element.name)
    if not parameters:
        return None
    for child in element.elements:
        if child.name not in parameters and child.name.lower() in HTML_NAMES:
            before = text[element.content.start : child.span.start].rstrip(" \t")
            return child.span.start if before.endswith(("\n", "\r")) else None
    return None


#: What the fragment reader should know, by the tool's name.
_HINTS: Final[FactFor[str, XmlHints]] = FactFor()


def hints_for(name: str, context: ReadContext) -> XmlHints:
    """Return what the fragment reader should know of the tool `name`."""
    known = _HINTS.get(context.scan, name)
    if known is not None:
        return known
    return _HINTS.keep(context.scan, name, _hints_for(name, context.tools, context.siblings))


def _hints_for(name: str, tools: ToolNames, siblings: frozenset[str]) -> XmlHints:
    parameters = tools.parameters(name)
    texts = (
        frozenset(key for key, schema in parameters.items() if schema.get("type") == "string") if parameters else None
    )
    return XmlHints(
        parameters=parameters,
        text_parameters=texts or frozenset(),
        raw=tools.markup(name) == "raw",
        siblings=siblings,
    )


def _worth_reading(text: str, opening: BareTag, context: ReadContext) -> bool:
    """Return False for prose that names a tag, before the fragment reader scans all the text after it for a closer."""
    if is_strange(opening, context):
        if is_strange_call(text, opening, context):
            return True
        if opening.reason != "near":
            return False
    if is_empty(text, opening):
        return True
    first = NAME.match(text, opening.visible)
    parameters = context.tools.parameters(opening.name) or {}
    leads = first is not None and (first[1] in parameters or first[1] not in context.siblings)
    comment = text.startswith("<!", opening.visible)
    closed = has_closer(text, opening.tag.end, opening.name, context)
    if opening.reason == "tool":
        if leads and not closed:
            # An incomplete tag in the middle of the text is text, and a call does not begin with text that does not
            # end.
            tag = tag_at(text, opening.visible)
            return tag is None or not tag.truncated or tag.end >= len(text)
        strict = context.strict and context.fence is None
        return leads or (closed and (comment or opening.own_line or strict))
    return closed and (leads or context.strict)


def _is_markup_call(text: str, opening: BareTag, element: XmlElement, context: ReadContext) -> bool:
    children = element.elements
    closed = element.close_span is not None
    blank = not text[element.content.start : element.content.end].strip()
    first = children[0] if children else None
    leads = first is not None and first.span.start == opening.visible
    comment_leads = text.startswith("<!", opening.visible)
    if opening.reason == "tool":
        if not closed:
            parameters = context.tools.parameters(opening.name)
            known = first is not None and (not parameters or first.name in parameters)
            begun = leads and first is not None and (known or first.close_span is not None)
            return begun or is_empty(text, opening)
        if children:
            return leads or comment_leads or opening.own_line
        if blank:
            return opening.own_line or not _requires_arguments(opening.name, context)
        if context.strict and context.fence is None:
            return True
        context.look(end_of_line(text, element.span.end, context) + 1)
        return opening.own_line and line_ends(text, element.span.end)
    if is_strange(opening, context) and (opening.reason != "near" or is_strange_call(text, opening, context)):
        return True
    if not closed or (not children and not context.strict):
        return False
    if opening.reason == "near":
        return context.strict or leads
    unmatched = element.loose_text()
    if opening.reason == "word":
        # Beside text only a parameter at the beginning is evidence.
        if unmatched:
            return leads and first is not None and first.name in (context.tools.parameters(opening.name) or ())
        return leads and shows_tool(opening.name, [each.name for each in children], context)
    if opening.reason == "documented":
        # Beside text, a name that is a plain word frames a text, such as an example.
        allowed = 0 if opening.name.isalpha() and opening.name[1:].islower() else MAX_UNMATCHED
        return leads and sum(span.end - span.start for span in unmatched) <= allowed
    return leads and not unmatched


def _is_about_tool(text: str, element: XmlElement, context: ReadContext) -> bool:
    """Return whether a body of text alone names the tool in a sentence: it is a section of a prompt that says when to
    call it.

    A plain word may be in any text, and a path or a line of code may have the tool's name in it.
    """
    name, (start, end) = element.name, element.content
    if context.strict or element.close_span is None or element.elements or (name.isalpha() and name.islower()):
        return False
    named = re.compile(rf"(?<![\w./\\-]){re.escape(name)}(?![\w/\\(=-]|\.\w)").search(text, start, end)
    return named is not None and _SENTENCE.search(text, start, end) is not None


def _requires_arguments(name: str, context: ReadContext) -> bool:
    # Without the schema's `required` at hand, a tool with parameters is assumed to require one.
    return bool(context.tools.parameters(name))


def _call(dialect: str, element: XmlElement, value: Value | None, problems: list[Problem]) -> ToolCall:
    name_span, close_name_span = element.name_span, element.close_name_span
    names = (name_span,) if close_name_span is None else (name_span, close_name_span)
    return ToolCall(
        dialect=dialect,
        span=element.span,
        tool=element.name,
        tool_span=name_span,
        arguments=value,
        body=element.content,
        name_spans=names,
        problems=list(problems),
        sketch=is_placeholder_name(element.name),
        complete=element.self_closing or element.close_span is not None,
    )
