"""Writing calls whose arguments are the attributes of a tag: attributes, the text between the tags, whole calls.

Owns: how a value is written as an attribute or as that text, which values cannot be, and which parameter the text is.
Must not know: reading, dialect modules, the registry's class.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, Final

from callwright.calls.protocol import Refusal, RenderStyle, ToolLike, collected
from callwright.calls.render import json_text, string_content
from callwright.calls.tag_bodies import body_of_tool
from callwright.calls.tagged.reader import TaggedElement
from callwright.syntax.xml import XmlElement, escape_text
from callwright.text.span import Edit, Span, delete, insert
from callwright.text.xml_text import NOT_XML

#: Names of attributes that all parsers read as they are written.
_NAME = re.compile(r"[A-Za-z_][\w.:\-]*+")
_SPACE: Final = " \t\r\n"
#: Characters that an XML parser replaces by a space.
_BREAKS: Final = {"\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}


class AttributeElement(TaggedElement):
    """An argument that is an attribute of the call's tag: the name is written once, at `place`."""

    __slots__ = ()

    def __init__(self, source: str, name: str, place: Span, value: Span, end: int) -> None:
        super().__init__(source, name, place.start, value.start, place)
        self.content_end = value.end
        self.end = end
        self.opaque = True

    def removal(self) -> Edit:
        """Return the edit that removes the attribute, with the whitespace before it."""
        start = self.start
        while self.source[start - 1] in _SPACE:
            start -= 1
        return delete(start, self.end)


class BodyElement(AttributeElement):
    """The argument that is the text between the tags: its name is not written, so it has no place."""

    __slots__ = ()

    def __init__(self, source: str, name: str, content: Span) -> None:
        super().__init__(source, name, Span(content.start, content.start), content, content.end)

    def removal(self) -> Edit:
        """Return the edit that empties the text between the tags."""
        return delete(*self.content)


class AttributeFormat:
    """How fixes write the arguments of one call: `body` is the parameter that is the text between its tags, if any,
    `elements` are those that are written as child elements, and `raw` says that nothing is escaped."""

    between: Final = " "

    def __init__(self, body: str | None, elements: frozenset[str] = frozenset(), *, raw: bool = False) -> None:
        self.body = body
        self.elements = elements
        self.markup = "raw" if raw else "xml"

    def named(self, name: str) -> str | None:
        """Return a name as it is written in a tag."""
        return name if _NAME.fullmatch(name) is not None else None

    def content(self, value: Any, path: tuple[str | int, ...]) -> str | None:
        """Return what is between the quotes of an attribute, or between the tags."""
        if len(path) != 1:
            return None
        if path[0] == self.body or path[0] in self.elements:
            text = body_text(value, path, self.markup)
            return None if isinstance(text, Refusal) else text
        text = _attribute_text(value, path, self.markup)
        if isinstance(text, Refusal) or (self.markup == "raw" and ("'" in text or '"' in text)):
            return None
        # It is unknown here which of the two quotes are around it.
        return text if self.markup == "raw" else text.replace("'", "&apos;").replace('"', "&quot;")

    def parameter(self, name: str, value: Any) -> str | None:
        """Return a whole attribute; None for the text between the tags."""
        if name == self.body:
            return None
        text = attribute_of(name, value, self.markup)
        return None if isinstance(text, Refusal) else text

    def insert(self, text: str, call: XmlElement, values: Mapping[str, Any]) -> tuple[Edit, ...]:
        """Return the edits that add arguments to a call: attributes after those of its tag, and the text between its
        tags if there is none yet."""
        written = [self.parameter(name, value) for name, value in values.items() if name != self.body]
        if None in written:
            return ()
        stop = call.open_end - (2 if call.self_closing else 1)
        if text[stop : call.open_end] not in (">", "/>"):
            return ()
        at = stop
        while text[at - 1] in _SPACE:
            at -= 1
        added = "".join(f" {each}" for each in written)
        if self.body is None or self.body not in values:
            return (insert(at, added),)
        body = body_text(values[self.body], (self.body,), self.markup)
        if isinstance(body, Refusal) or text[call.content.start : call.content.end].strip():
            return ()
        if call.self_closing:
            return (Edit(Span(at, call.open_end), f"{added}>{body}</{call.name}>"),)
        return (*((insert(at, added),) if added else ()), Edit(call.content, body))


def body_text(value: Any, path: tuple[str | int, ...], markup: str | None) -> str | Refusal:
    """Return a value as the text between two tags."""
    if isinstance(value, str):
        return string_content(value, path, markup=markup)
    written = json_text(value)
    if isinstance(written, Refusal) or markup == "raw":
        return written
    return escape_text(written)


def attribute_of(name: str, value: Any, markup: str | None) -> str | Refusal:
    """Return a whole attribute, or the reason why it cannot be written."""
    if _NAME.fullmatch(name) is None:
        return Refusal(f"`{name}` is not a valid attribute name", (name,))
    text = _attribute_text(value, (name,), markup)
    if isinstance(text, Refusal):
        return text
    if markup == "raw" and '"' in text and "'" in text:
        return Refusal("it contains both kinds of quotes, and literal attributes have no escapes", (name,))
    # JSON stays legible in the other kind of quotes.
    quote = "'" if '"' in text else '"'
    inner = text.replace("'", "&apos;") if quote == "'" else text
    return f"{name}={quote}{inner}{quote}"


def _attribute_text(value: Any, path: tuple[str | int, ...], markup: str | None) -> str | Refusal:
    """Return what is between the quotes of an attribute, with quotes as they are."""
    if isinstance(value, str):
        text = value
    elif isinstance(value, float) and not math.isfinite(value):
        return Refusal("attributes cannot represent NaN or infinity", path)
    else:
        written = json_text(value)
        if isinstance(written, Refusal):
            return Refusal(written.reason, (*path, *written.path))
        text = written
    if markup == "raw":
        return text
    bad = NOT_XML.search(text)
    if bad is not None:
        return Refusal(f"XML cannot represent the character U+{ord(bad[0]):04X}", path)
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.translate({ord(char): reference for char, reference in _BREAKS.items()})


def render_attributes(
    tool: str, arguments: Mapping[str, Any], schema: ToolLike | None, style: RenderStyle
) -> str | Refusal:
    """Return a call as one tag, with its text and a closing tag if it has a body.

    The form does not depend on the style: some parsers read a line end in the tag or around the text as part of a
    value.
    """
    del style
    markup = schema.markup if schema is not None else "xml"
    body = body_of_tool(schema)
    parts = collected(attribute_of(name, value, markup) for name, value in arguments.items() if name != body)
    if isinstance(parts, Refusal):
        return parts
    opening = " ".join([tool, *parts])
    if body is None or body not in arguments:
        return f"<{opening}/>"
    text = body_text(arguments[body], (body,), markup)
    return text if isinstance(text, Refusal) else f"<{opening}>{text}</{tool}>"
