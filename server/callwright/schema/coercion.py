"""Coercion: the meaning of untyped element text, by the tool's schema or, without one, by inference.

Owns: the step from a call's value to plain Python values, with the place of each. Must not know: rules, documents.

The inference without a schema is that of RagForge's parser, with one restriction: a scalar is inferred only where it
prints back to the same text, so that `007`, `TRUE` and `1e400` stay text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from callwright.calls.model import JsonValue, MarkupValue, Path, TextStyle, Value
from callwright.calls.render import ITEM
from callwright.calls.sketch import is_placeholder_text
from callwright.schema.schema_facts import facts_of
from callwright.syntax.json import read_json
from callwright.syntax.xml import XmlCData, XmlElement, XmlReference, XmlText
from callwright.text.holes import HOLE
from callwright.text.patterns import compile_later
from callwright.text.records import NamedTuple, dataclass, field
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.syntax.xml_plain import NamedText

Schema = Mapping[str, Any]

_NUMBER = compile_later(r"-?(?:0|[1-9]\d*+)(?P<fraction>(?:\.\d++)?(?:[eE][+-]?\d++)?)")
_INTEGER = re.compile(r"-?\d{1,4000}")
_DECIMAL = re.compile(r"-?\d{1,400}\.\d{1,400}")
_NOTHING: Final[Schema] = {}
#: Entries after this many have one schema, even if the schema has more.
_MAX_TUPLE_LENGTH: Final = 64
_LITERALS: Final = {"true": True, "false": False}
#: What differs between a Python literal and JSON.
PYTHON_KINDS: Final = frozenset({"single-quotes", "python-literal", "trailing-comma"})


class ValuePlace(NamedTuple):
    """Where one value is: its own span, its name's span where it has a name, and its element."""

    span: Span
    key: Span | None
    element: XmlElement


@dataclass(slots=True)
class Coerced:
    """The arguments as plain values, and what a binding must know of how they are written.

    `wild` lists paths that fit any schema, `elided` those that may lack members. `texts` lists elements that contain
    markup where the schema wants text, `beside` arrays with text between their entries. `repeated` lists repeated names
    where one value is wanted: the path, the first element, the later one. `placed` are the places once they are
    computed; use `places`.
    """

    value: Any = None
    wild: set[Path] = field(default_factory=set)
    elided: set[Path] = field(default_factory=set)
    texts: list[tuple[Path, XmlElement]] = field(default_factory=list)
    beside: list[XmlElement] = field(default_factory=list)
    repeated: list[tuple[Path, XmlElement, XmlElement]] = field(default_factory=list)
    #: The element whose members are the arguments, until places are asked for.
    late: MarkupValue | None = None
    placed: dict[Path, ValuePlace] = field(default_factory=dict)

    @property
    def places(self) -> dict[Path, ValuePlace]:
        """The place of every value that was written as an element."""
        if self.late is not None:
            children = self.late.element.elements
            self.placed = {(each.name,): ValuePlace(each.content, each.name_span, each) for each in children}
            self.late = None
        return self.placed


def coerce(value: Value | None, schema: Schema | None) -> Coerced:
    """Return the arguments that `value` means under `schema`, or by inference where it is None."""
    out = Coerced()
    if isinstance(value, JsonValue):
        out.value = value.python
        read = value.read
        if read.wild or read.elided:
            base = len(value.path)
            out.wild = {path[base:] for path in read.wild if path[:base] == value.path}
            out.elided = {path[base:] for path in read.elided if path[:base] == value.path}
    elif isinstance(value, MarkupValue):
        coercer = _Coercer(schema, out, value.style)
        if value.texts is not None and schema is not None:
            out.value = coercer.texts(value.texts)
            out.late = value
        else:
            coercer.arguments(value.element)
    return out


def coerce_element(element: XmlElement, style: TextStyle | None, root: Schema | None, schema: Schema | None) -> Coerced:
    """Return the value that one element means under `schema`, whose references lead into `root`."""
    out = Coerced()
    out.value = _Coercer(root, out, style).value(element, schema, ())
    return out


def element_text(element: XmlElement) -> str:
    """Return the text of an element as a value: without the newline directly after the opening tag and the one directly
    before the closing tag, which belong to the dialect. Line ends are LF, as in XML."""
    text = element.text()
    if "\r" in text:
        text = _unix(element)
    children = element.children
    if not children or not text:
        return text
    return _trimmed(text, first=isinstance(children[0], XmlText), last=isinstance(children[-1], XmlText))


def _trimmed(text: str, *, first: bool, last: bool) -> str:
    if first and text.startswith("\n"):
        text = text[1:]
    if last and text.endswith("\n"):
        text = text[:-1]
    return text


def styled_text(element: XmlElement, style: TextStyle) -> str:
    """Return the text of a value under a dialect's own style; the file's line ends are LF in it."""
    children = element.children
    if style.newlines == "one" and children and not element.literal():
        # A newline that a reference represents is part of the value.
        text = element.text().replace("\r\n", "\n")
        return _trimmed(text, first=isinstance(children[0], XmlText), last=isinstance(children[-1], XmlText))
    return _styled(element.text(), style, literal=element.literal())


def _styled(text: str, style: TextStyle, *, literal: bool) -> str:
    text = text.replace("\r\n", "\n")
    if not text or style.newlines == "none" or literal:
        return text
    if style.newlines == "space":
        return text.strip()
    if style.newlines == "led" and not text.startswith("\n"):
        return text
    return text.removeprefix("\n").removesuffix("\n")


def _unix(element: XmlElement) -> str:
    # A carriage return written as a character reference is kept; only those of the file are line ends.
    parts = []
    for child in element.children:
        if isinstance(child, XmlText | XmlCData):
            parts.append(child.value.replace("\r\n", "\n").replace("\r", "\n"))
        elif isinstance(child, XmlReference):
            parts.append(child.value)
    return "".join(parts)


def infer_scalar(text: str) -> Any:
    """Return the boolean or number that `text` prints as, or the text itself."""
    if text in _LITERALS:
        return _LITERALS[text]
    if _INTEGER.fullmatch(text):
        number = int(text)
        return number if str(number) == text else text
    if _DECIMAL.fullmatch(text):
        decimal = float(text)
        return decimal if repr(decimal) == text else text
    return text


def number_of(text: str) -> int | float | None:
    """Return the number that `text` is in JSON, or None; too large a number counts as none."""
    match = _NUMBER.fullmatch(text)
    if match is None or len(text) > 4000:
        return None
    if not match["fraction"]:
        return int(text)
    value = float(text)
    return value if value not in (float("inf"), float("-inf")) else None


class _Coercer:
    """One pass over the elements of one call."""

    def __init__(self, root: Schema | None, out: Coerced, style: TextStyle | None = None) -> None:
        self.style = style
        self.facts = facts_of(root or _NOTHING)
        self.root = self.facts.root
        self.known = root is not None
        self.out = out

    def arguments(self, element: XmlElement) -> None:
        """Read the element whose children are the arguments."""
        self.out.value = self.members(element, self.root if self.known else None, (), top=True)

    def texts(self, texts: Sequence[NamedText]) -> dict[str, Any]:
        """Read members that are all text, each named once."""
        style, root, facts = self.style, self.root, self.facts
        plain = facts.plain_texts
        result: dict[str, Any] = {}
        for name, written, literal in texts:
            if style is not None:
                text = _styled(written, style, literal=literal)
            else:
                text = written.replace("\r\n", "\n").replace("\r", "\n") if "\r" in written else written
                text = text if literal else _trimmed(text, first=True, last=True)
            if name in plain and HOLE not in text:
                result[name] = text
                continue
            schema = facts.child(root, name)
            types = None if schema is None else facts.types(schema)
            result[name] = self.text(text, literal, schema, types, (name,))
        return result

    def members(self, element: XmlElement, schema: Schema | None, path: Path, *, top: bool = False) -> dict[str, Any]:
        """Read child elements as the members of an object."""
        groups: dict[str, list[XmlElement]] = {}
        for child in element.elements:
            groups.setdefault(child.name, []).append(child)
        result: dict[str, Any] = {}
        for name, children in groups.items():
            if HOLE in name:
                self.out.elided.add(path)
                continue
            inner = None if schema is None else self.facts.child(schema, name)
            result[name] = self.group(children, inner, (*path, name), top=top)
        if _is_elision(element):
            self.out.elided.add(path)
        return result

    def group(self, children: list[XmlElement], schema: Schema | None, path: Path, *, top: bool) -> Any:
        """Read the elements that have one name: one value, or an array where they are several."""
        if len(children) == 1:
            return self.value(children[0], schema, path)
        types = None if schema is None else self.facts.types(schema)
        free = types is None and (not self.known or (self.style is not None and not top))
        if (types is not None and "array" in types) or free:
            if top and not self.known:
                self.out.repeated.append((path, children[0], children[1]))
            self.out.placed[path] = ValuePlace(
                Span(children[0].span.start, children[-1].span.end), children[0].name_span, children[0]
            )
            return self.entries(children, schema, path)
        self.out.repeated += [(path, children[0], child) for child in children[1:]]
        return self.value(children[-1], schema, path)

    def value(self, element: XmlElement, schema: Schema | None, path: Path) -> Any:
        """Read one element as the value that its schema asks for."""
        self.out.placed[path] = ValuePlace(element.content, element.name_span, element)
        types = None if schema is None else self.facts.types(schema)
        if element.opaque or not element.has_elements:
            text = element_text(element) if self.style is None else styled_text(element, self.style)
            return self.text(text, element.literal(), schema, types, path)
        if self.style is not None:
            return self.styled_elements(element, schema, types, path)
        if types is not None and "string" in types and not types & {"object", "array"}:
            self.out.texts.append((path, element))
            return inner_source(element)
        if types is not None and "array" in types and self._is_list(element, schema, types):
            entries = self.entries(element.elements, schema, path)
            if _is_elision(element):
                self.out.elided.add(path)
            elif element.loose_text():
                self.out.beside.append(element)
            return entries
        unmatched = element.loose_text()
        if unmatched and not _is_elision(element):
            self.out.texts.append((path, element))
            return inner_source(element)
        if types is None:
            names = {child.name for child in element.elements}
            if len(names) == 1 and len(element.elements) > 1:
                return [self.value(child, None, (*path, i)) for i, child in enumerate(element.elements)]
        return self.members(element, schema, path)

    def styled_elements(
        self, element: XmlElement, schema: Schema | None, types: frozenset[str] | None, path: Path
    ) -> Any:
        """Read elements in a dialect that has a style of its own: as text where a string may be or text is beside."""
        if (types is not None and "string" in types) or (element.loose_text() and not _is_elision(element)):
            return element.content.of(element.source).replace("\r\n", "\n")
        if _is_elision(element):
            self.out.elided.add(path)
        names = {child.name for child in element.elements}
        listed = len(names) == 1 and (names == {ITEM} or len(element.elements) > 1)
        if (types is None and listed) or (types is not None and "array" in types and ("object" not in types or listed)):
            return self.entries(element.elements, schema, path)
        return self.members(element, schema, path)

    def entries(self, elements: Sequence[XmlElement], schema: Schema | None, path: Path) -> list[Any]:
        """Read elements as the entries of an array; the first ones can have schemas of their own."""
        return [
            self.value(
                element,
                None if schema is None else self.facts.child(schema, min(index, _MAX_TUPLE_LENGTH)),
                (*path, index),
            )
            for index, element in enumerate(elements)
        ]

    def _is_list(self, element: XmlElement, schema: Schema | None, types: frozenset[str]) -> bool:
        """Return whether child elements are the entries of an array: of one name, and not the members of its entry."""
        names = {child.name for child in element.elements}
        if len(names) != 1:
            return False
        if "object" not in types or names == {ITEM}:
            item = None if schema is None else self.facts.child(schema, 0)
            only = next(iter(names))
            own = isinstance(item, Mapping) and only in (item.get("properties") or {})
            return only == ITEM or not own or len(element.elements) > 1
        return len(element.elements) > 1

    def text(self, text: str, literal: bool, schema: Schema | None, types: frozenset[str] | None, path: Path) -> Any:
        """Read the text of an element without child elements; with `literal`, CDATA is part of it."""
        if HOLE in text:
            self.out.wild.add(path)
            if text.strip().strip(HOLE) == "":
                return text
        if self.style is not None:
            return self.styled(text, literal, schema, types, path)
        if schema is None:
            return text if literal else infer_scalar(text)
        trimmed = text.strip()
        options = self.facts.enum(schema)
        if options is not None:
            return _choice(text, trimmed, options)
        if types is None:
            return text if literal else infer_scalar(text)
        if "null" in types and trimmed == "null":
            return None
        if trimmed in _LITERALS and "boolean" in types:
            return _LITERALS[trimmed]
        if types & {"integer", "number"}:
            number = number_of(trimmed)
            plain = "string" not in types or infer_scalar(trimmed) == number
            if number is not None and plain and (isinstance(number, int) or "number" in types or number.is_integer()):
                return number
        if types & {"object", "array"} and "string" not in types:
            return self.container(text, trimmed, types, path)
        return text

    def styled(self, text: str, literal: bool, schema: Schema | None, types: frozenset[str] | None, path: Path) -> Any:
        """Read text of a dialect that has a style of its own: by the schema's types, else by the style's inference."""
        style = self.style
        assert style is not None, "only asked where there is one"
        trimmed = text.strip()
        options = self.facts.enum(schema) if schema is not None else None
        if options is not None and (text in options or trimmed in options):
            return _choice(text, trimmed, options)
        if types is None:
            return text if literal else self.untyped(text, trimmed, style, path)
        if "string" in types and literal:
            return text
        value, found = self.typed(trimmed, types, style, path)
        return value if found else text

    def untyped(self, text: str, trimmed: str, style: TextStyle, path: Path) -> Any:
        """Read text that has no schema."""
        if style.untyped == "string":
            return text
        if style.untyped == "json":
            if trimmed == "null":
                return None
            if trimmed[:1] in ("{", "["):
                value, found = self.json_text(trimmed, frozenset({"object", "array"}), path)
                if found:
                    return value
        inferred = infer_scalar(trimmed)
        return text if isinstance(inferred, str) else inferred

    def typed(self, trimmed: str, types: frozenset[str], style: TextStyle, path: Path) -> tuple[Any, bool]:
        """Return the value that `trimmed` is under types other than string, and whether it is one."""
        if "null" in types and (trimmed == "null" or (style.python and trimmed == "None")):
            return None, True
        if "boolean" in types:
            word = trimmed.lower() if style.loose or (style.python and trimmed in ("True", "False")) else trimmed
            if word in _LITERALS:
                return _LITERALS[word], True
        if types & {"integer", "number"}:
            number = number_of(trimmed)
            if number is not None and (
                isinstance(number, int) or "number" in types or (number.is_integer() and "string" not in types)
            ):
                return number, True
        if types & {"object", "array"}:
            if not trimmed and "string" not in types:
                return ([] if "array" in types else {}), True
            if trimmed[:1] in ("{", "["):
                value, found = self.json_text(trimmed, types, path, python=style.python)
                if found:
                    return value, True
            if "string" not in types and is_placeholder_text(trimmed):
                self.out.wild.add(path)
                return trimmed, True
        return None, False

    def json_text(self, trimmed: str, types: frozenset[str], path: Path, *, python: bool = False) -> tuple[Any, bool]:
        """Return the object or array that text is as JSON (or as a Python literal), and whether it is one."""
        read = read_json(trimmed)
        if read.problems and not (python and all(problem.kind in PYTHON_KINDS for problem in read.problems)):
            return None, False
        if ("array" if isinstance(read.value, list) else "object") not in types:
            return None, False
        self.out.wild |= {(*path, *inner) for inner in read.wild}
        self.out.elided |= {(*path, *inner) for inner in read.elided}
        return read.value, True

    def container(self, text: str, trimmed: str, types: frozenset[str], path: Path) -> Any:
        """Read text where an object or an array is wanted: an empty text is an empty one, JSON is read as JSON."""
        if not trimmed:
            return [] if "array" in types else {}
        if is_placeholder_text(trimmed):
            self.out.wild.add(path)
            return text
        if trimmed[0] in "{[":
            read = read_json(text)
            if not read.problems:
                wanted = "array" if isinstance(read.value, list) else "object"
                if wanted in types:
                    self.out.wild |= {(*path, *inner) for inner in read.wild}
                    self.out.elided |= {(*path, *inner) for inner in read.elided}
                    return read.value
        return text


def inner_source(element: XmlElement) -> str:
    """Return an element's content as it is written, with the dialect's own newlines left out."""
    text = element.content.of(element.source)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.removeprefix("\n").removesuffix("\n")


def _choice(text: str, trimmed: str, options: tuple[Any, ...]) -> Any:
    """Return the enum value that `text` names, or the text."""
    for option in options:
        if isinstance(option, str) and option in (text, trimmed):
            return option
    for option in options:
        if not isinstance(option, str) and json.dumps(option) == trimmed:
            return option
    return trimmed


def _is_elision(element: XmlElement) -> bool:
    """Return whether an ellipsis or a template expression is where more members could."""
    if element.opaque:
        return False
    texts = [child.value.strip() for child in element.children if isinstance(child, XmlText)]
    return any(text in ("...", "…") or (text and not text.strip(HOLE)) for text in texts if text)
