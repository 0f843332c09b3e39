"""The call tree: tool name, arguments and values, as they are in the text.

Owns: `ToolCall`, `Argument` and the two kinds of value. A value knows where it is and how it was written; it is
untyped where the dialect is (text in elements) and becomes typed only in a binding.
Must not know: tool schemas, dialect modules, documents.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, TypeAlias

from callwright.syntax.xml import XmlElement
from callwright.text.records import dataclass, field
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.syntax.json import JsonNode, JsonRead
    from callwright.syntax.problem import Problem
    from callwright.syntax.xml_plain import NamedText

#: Replaces a dialect's name if a provider's own fields contain the call.
NATIVE: Final = "native"
#: The family of bare objects, which are calls by their keys alone.
BARE_OBJECT: Final = "json-object"

#: Keys of objects and indexes of arrays, from the arguments object down.
Path: TypeAlias = tuple[str | int, ...]


def dotted(path: Path) -> str:
    """Return the name of the value at `path` in messages: its steps joined by dots, or `arguments` for all."""
    return ".".join(map(str, path)) or "arguments"


class ParameterFormat(Protocol):
    """How a fix writes in a dialect with markers of its own around each parameter.

    Every method returns None if the dialect cannot contain the value; then there is no edit.
    """

    @property
    def between(self) -> str:
        """The text between two parameters if each has its own lines; empty if they are side by side."""

    def named(self, name: str) -> str | None:
        """Return a parameter's name as it is in its opening marker."""

    def content(self, value: Any, path: Path) -> str | None:
        """Return what is between the markers of the parameter (or the element in it) at `path`."""

    def parameter(self, name: str, value: Any) -> str | None:
        """Return a whole parameter, markers included."""


@dataclass(frozen=True, slots=True)
class TextStyle:
    """How a dialect turns untyped text between its markers into values, if it does not follow XML.

    `newlines` is what belongs to the dialect at both ends of a value: `"one"` newline, `"none"`, or all whitespace
    (`"space"`); with `"led"` one newline after the opening marker, and if it is there, one before the closing marker.
    `untyped` is the behaviour without a schema: `"scalar"` infers booleans and numbers that print back to the same
    text, `"json"` also reads whole JSON objects, arrays and `null`, `"string"` keeps text. `python` says that engines
    also accept `True`, `False` and `None` and Python's literals if the schema requires no string; `loose` that they
    accept `true` and `false` in any case. `value_format` says how fixes write parameters, None for XML.
    """

    newlines: Literal["one", "none", "space", "led"] = "one"
    untyped: Literal["scalar", "json", "string"] = "scalar"
    python: bool = False
    loose: bool = False
    value_format: ParameterFormat | None = None


class MarkupValue:
    """A value written as the content of an element: text, or child elements, or (by mistake) both.

    `span` is the content between the tags. The text does not say whether it is a string, a number, an array or an
    object; a schema does, or an inference if there is none. `style` says how, None for XML. Dialects with other markers
    than tags build the same elements: opaque ones, whose names and contents have their spans.

    `texts` are the members if each is text, named once, with only whitespace beside them; None means unknown. Such a
    value may be given a function that builds its element, which is called on first use.
    """

    __slots__ = ("_element", "style", "texts")

    def __init__(
        self,
        element: XmlElement | Callable[[], XmlElement],
        style: TextStyle | None = None,
        texts: Sequence[NamedText] | None = None,
    ) -> None:
        self._element = element
        self.style = style
        self.texts = texts

    @property
    def element(self) -> XmlElement:
        """The element whose content the value is."""
        element = self._element
        if not isinstance(element, XmlElement):
            element = self._element = element()
        return element

    @property
    def span(self) -> Span:
        """The content between the opening and the closing tag."""
        return self.element.content

    @property
    def members(self) -> Sequence[Argument]:
        """The child elements in order, as named values."""
        return [argument_of(child) for child in self.element.elements]


class JsonValue:
    """A value written as JSON: `path` leads to it inside `read`, the JSON text it is part of.

    A member with a duplicate key is identified by its `node`: the path leads to the last one. Invariant: `read` may
    contain more than the value (a whole fenced object); spans are those of the text it was read from.
    """

    __slots__ = ("__dict__", "path", "read")

    def __init__(self, read: JsonRead, path: Path = (), node: JsonNode | None = None) -> None:
        self.read = read
        self.path = path
        if node is not None:
            self.__dict__.update(node=node, python=node.value)

    @property
    def span(self) -> Span:
        """The characters of the value itself, without surrounding whitespace."""
        return self.node.span

    @cached_property
    def node(self) -> JsonNode:
        """The node with its spans; computed on first use."""
        node = self.read.locate(self.path)
        assert node is not None, "a value's path leads to it"
        return node

    @property
    def known_node(self) -> JsonNode | None:
        """The node if it was computed."""
        return self.__dict__.get("node")

    @cached_property
    def python(self) -> Any:
        """The value as `json.loads` would return it, with errors corrected as the reader reports them."""
        value: Any = self.read.value
        for step in self.path:
            value = value[step]
        return value


Value: TypeAlias = MarkupValue | JsonValue


@dataclass(slots=True)
class Argument:
    """One named value: `name_span` is where the name is written first, `span` covers name, markers and value."""

    name: str
    name_span: Span
    span: Span
    value: Value


def argument_of(element: XmlElement) -> Argument:
    """Return the argument of an element: its tag is the name, its content the value."""
    return Argument(element.name, element.name_span, element.span, MarkupValue(element))


@dataclass(slots=True)
class ToolCall:
    """One call as it is in a passage; all spans are offsets of that passage's text.

    `tool` is None if the dialect has a place for the name and it is empty (`tool_span` is then that place).
    `name_spans` lists every writing of the name (an element has two). `arguments` is the arguments object as a value,
    or None where the call has no body. `body` is the region between the call's own markers. `frame` covers the call and
    what exists only to contain it (a fence, a wrapper with this one call), and equals `span` otherwise. `call_id` is
    the id that the dialect writes with a call; of one that only counts the calls (`functions.f:0`),
    `details["counted"]` is True and `details["counts_from"]` the first number, 0 by default. `sketch` is True if
    placeholders replace the tool's name or omitted arguments.
    """

    dialect: str
    span: Span
    tool: str | None
    tool_span: Span
    arguments: Value | None
    body: Span
    name_spans: tuple[Span, ...] = ()
    frame: Span | None = None
    problems: list[Problem] = field(default_factory=list)
    call_id: str | None = None
    sketch: bool = False
    complete: bool = True
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def place(self) -> Span:
        """The span of the call, with what exists only to contain it."""
        span, frame = self.span, self.frame
        if frame is None:
            return span
        if frame.start <= span.start and span.end <= frame.end:
            return frame
        return Span(min(span.start, frame.start), max(span.end, frame.end))


def arguments_of(value: Value | None) -> list[Argument]:
    """Return the named values directly inside an arguments value, in the order of the text."""
    if value is None:
        return []
    if isinstance(value, MarkupValue):
        return list(value.members)
    node = value.node
    if node.kind != "object":
        return []
    return [
        Argument(
            member.key, member.key_span, member.span, JsonValue(value.read, (*value.path, member.key), member.value)
        )
        for member in node.members
    ]
