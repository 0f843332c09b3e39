"""The call tree: tool name, arguments and values, as they stand in the text.

Owns: `ToolCall`, `Argument` and the two kinds of value. A value knows where it stands and how it was written; it is
untyped where the notation is (text in elements) and becomes typed only in a binding.
Must not know: tool schemas, dialect modules, documents.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, Literal, Protocol, TypeAlias

from callwright.syntax.json import JsonNode, JsonRead
from callwright.syntax.problem import Problem
from callwright.syntax.xml import XmlElement
from callwright.syntax.xml_plain import NamedText
from callwright.text.span import Span

#: What stands in the place of a dialect's name where a provider's own fields hold the call, and no text was read.
NATIVE: Final = "native"

#: Keys of objects and indexes of arrays, from the arguments object down.
Path: TypeAlias = tuple[str | int, ...]


def dotted(path: Path) -> str:
    """Return how a message names the value at `path`: its steps with dots between them, or `arguments` for all."""
    return ".".join(map(str, path)) or "arguments"


class ParameterFormat(Protocol):
    """How a fix writes in a notation with markers of its own around each parameter.

    Every method returns None where the notation cannot hold what is asked for; whoever wanted an edit then has none.
    """

    @property
    def between(self) -> str:
        """What stands between two parameters where each has its own lines; nothing where they stand side by side."""

    def named(self, name: str) -> str | None:
        """Return a parameter's name as it stands in its opening marker."""

    def content(self, value: Any, path: Path) -> str | None:
        """Return what stands between the markers of the parameter (or the element in it) at `path`."""

    def parameter(self, name: str, value: Any) -> str | None:
        """Return a whole parameter, markers included."""


@dataclass(frozen=True, slots=True)
class TextStyle:
    """How a notation turns untyped text between its markers into values, where XML's own way is not meant.

    `newlines` is what belongs to the notation at both ends of a value: `"one"` newline, `"none"`, or all white space
    (`"space"`); with `"led"` one newline behind the opening marker, and one before the closing marker where it is.
    `untold` is what happens without a schema: `"scalar"` infers booleans and numbers that print back to the same text,
    `"json"` also takes whole JSON objects, arrays and `null`, `"string"` keeps text. `python` says that engines also
    take `True`, `False` and `None` and Python's literals where the schema wants no string; `loose` that they take
    `true` and `false` in any case. `notation` says how fixes write parameters, None where as XML.
    """

    newlines: Literal["one", "none", "space", "led"] = "one"
    untyped: Literal["scalar", "json", "string"] = "scalar"
    python: bool = False
    loose: bool = False
    value_format: ParameterFormat | None = None


class MarkupValue:
    """A value written as the content of an element: text, or child elements, or (by mistake) both.

    `span` is the content between the tags. Whether it is a string, a number, an array or an object is not written in
    the text; a schema says so, or an inference where there is none. `style` says how, None where it is XML. Notations
    with other markers than tags build the same elements: opaque ones, whose names and contents have their spans.

    `texts` are the members where each is text, named once, with nothing beside them that is not white space; None says
    nothing. Such a value may be given what makes its element, which is then made once somebody asks.
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
        """The element that the value is the content of."""
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

    A member whose key is there several times is told by its `node`: the path leads to the last of them.
    Invariant: `read` may hold more than the value (a whole fenced object); spans are those of the text it was read
    from.
    """

    __slots__ = ("__dict__", "path", "read")

    def __init__(self, read: JsonRead, path: Path = (), node: JsonNode | None = None) -> None:
        self.read = read
        self.path = path
        if node is not None:
            self.__dict__.update(node=node, python=node.value)

    @property
    def span(self) -> Span:
        """The characters of the value itself, without surrounding white space."""
        return self.node.span

    @cached_property
    def node(self) -> JsonNode:
        """The node with its spans; computed on first use."""
        node = self.read.locate(self.path)
        assert node is not None, "a value's path leads to it"
        return node

    @property
    def known_node(self) -> JsonNode | None:
        """The node if somebody has asked for it."""
        return self.__dict__.get("node")

    @cached_property
    def python(self) -> Any:
        """The value as `json.loads` would give it; faults mended as the reader reports them."""
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
    """Return the argument that an element stands for: its tag is the name, its content the value."""
    return Argument(element.name, element.name_span, element.span, MarkupValue(element))


@dataclass(slots=True)
class ToolCall:
    """One call as it stands in a passage; all spans are offsets of that passage's text.

    `tool` is None where the notation has a place for the name and there is nothing there (`tool_span` is then that
    place). `name_spans` lists every writing of the name (an element has two). `arguments` is the arguments object as
    a value, or None where the call has no body. `body` is the region between the call's own markers. `frame` covers
    the call and what only exists to hold it (a fence, a wrapper with this one call), and equals `span` where there is
    none. `call_id` is the id that the notation writes with a call; of one that merely counts the calls
    (`functions.f:0`), `details["counted"]` is True and `details["counts_from"]` the first number, 0 where it is not
    said. `sketch` is True where placeholders stand for the tool or for arguments that are left out.
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
        """Where the call stands, with what only exists to hold it."""
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
