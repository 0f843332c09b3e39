"""Definitions in markup: an element for a tool, with elements for its name, what it does, and each parameter.

Owns: which elements define a tool, and what their parts say. Must not know: how markup is read (`support.elements`
does), calls in markup, which look alike and give values.

The oldest form is Anthropic's, from before its API had tools:
`<tool_description><tool_name>…</tool_name><description>…</description><parameters><parameter><name>…</name><type>…`.
Others write `<tool name="…">`, `<function><name>…` (Qwen3-Coder's template), or name and type as attributes of
`<parameter>`. Inside of `<parameters>` may also be JSON, or bullets.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from callwright.declarations.named_types import type_parts
from callwright.declarations.styles.base import Body, Style, View
from callwright.declarations.styles.support.built_tools import (
    Parameter,
    add_choices,
    body_of,
    in_terms_of,
    json_part,
    schema_part,
    tool_part,
)
from callwright.declarations.styles.support.described_parameters import read_parameters
from callwright.declarations.styles.support.elements import Element, Kind, read_element, words_of
from callwright.declarations.styles.support.parameter_lists import read_list
from callwright.declarations.styles.support.prose_page import Page
from callwright.declarations.styles.support.stated_words import (
    DESCRIPTIONS,
    flag,
    is_sketch,
    stated_in_brackets,
    stated_in_remark,
    states_nothing,
)
from callwright.text.span import Span
from callwright.tools.formats.json import FORMAT as JSON
from callwright.tools.parts import LocatedValue, record, sequence

#: No definition is longer.
_MAX_LENGTH: Final = 32_768
#: How far after its start tag the first element of a definition may begin.
_NEAR: Final = 400
_TOOLS: Final = frozenset(
    [
        *("tool", "tool_description", "tool_definition", "tool_documentation", "tool_spec", "tool_specification"),
        *("function", "function_description", "function_definition"),
    ]
)
_NAMES: Final = ("tool_name", "name", "function_name", "toolname")
_TEXTS: Final = ("description", "desc", "summary", "purpose", *DESCRIPTIONS[1:])
_REMARKS: Final = ("usage", "details", "instructions", "when_to_use", "notes", "note")
_REQUIRED_GROUPS: Final = ("required_parameters", "required_params", "required_arguments")
_OPTIONAL_GROUPS: Final = ("optional_parameters", "optional_params", "optional_arguments")
_LISTS: Final = (
    *("parameters", "params", "arguments", "args", "input_schema", "inputschema", "schema", "inputs", "input"),
    *("properties", *_REQUIRED_GROUPS, *_OPTIONAL_GROUPS),
)
_PARAMETERS: Final = frozenset({"parameter", "param", "argument", "arg", "property", "field"})
#: What is stated about a parameter.
_LEAVES: Final = frozenset(
    {
        *("type", "default", "format", "minimum", "maximum", "optional", "parameter_name", "param_name", "allowed"),
        *("example", "examples", "additionalproperties", "values_description"),
        *_NAMES, *_TEXTS, *_REMARKS,
    }
)  # fmt: skip
#: What holds a list of words, or what is stated about the items of an array.
_CHOICES: Final = ("enum", "values", "options", "choices", "allowed_values")
_WORDS: Final = frozenset({"item", "value", "option", "choice", "enum_value", "string"})
#: Elements and attributes of other files that have tools or functions: Galaxy, JSP, references of interfaces.
_FOREIGN: Final = frozenset(
    [
        *("command", "outputs", "tests", "requirements", "macros", "function-class", "function-signature", "signature"),
        *("return-value", "endpoint", "method", "url", "tag-class", "doc", "edam_topics", "citations"),
    ]
)
_FOREIGN_ATTRIBUTES: Final = frozenset({"version", "profile", "xmlns", "href", "class", "src", "returntype", "symbol"})
_TOOL_NAME: Final = re.compile(r"[A-Za-z_][\w.:/-]{0,127}")
_PARAMETER_NAME: Final = re.compile(r"[A-Za-z_$][\w$.-]{0,99}(?:\[\])?")
#: What follows a type is a remark.
_AFTER_TYPE: Final = re.compile(r"[;(]|,(?![^\[\]<>]*[\]>])")
#: The first element of a definition, right after its start tag.
_FIRST_NAMES: Final = "|".join(sorted({*_NAMES, *_TEXTS, *_REMARKS, *_LISTS, *_PARAMETERS, "function"}))
_FIRST: Final = re.compile(rf"\s*+(?:<!--.{{0,300}}?-->\s*+)?<(?:{_FIRST_NAMES})[\s/>]", re.IGNORECASE)
_START: Final = re.compile(r"<([A-Za-z_]++)(?:\s[^<>]{0,2000}+)?>")


class ToolDescription:
    """An element that defines a tool."""

    name = "tool-description"
    title = "a definition in markup"
    markers = (
        *("<tool>", "<tool ", "<tool\n", "<tool_d", "<tool_spec", "<function>", "<function ", "<function_d"),
        *("<TOOL>", "<TOOL ", "<TOOL_D", "<FUNCTION>", "<FUNCTION "),
    )
    rank = 5

    def locate(self, view: View, at: int) -> Span | None:
        """Return the span of the element at `at`, where it defines a tool."""
        text = view.text
        start = _START.match(text, at, at + 2_100)
        if start is None or start[1].lower() not in _TOOLS or start[0].endswith("/>"):
            view.saw(at, at + 2_100)
            return None
        view.saw(at, start.end() + _NEAR)
        if _FIRST.match(text, start.end(), start.end() + _NEAR) is None:
            return None
        most = min(len(text), at + _MAX_LENGTH)
        element = read_element(text, at, most, _kind)
        if element is None:
            return None
        # Without an end tag, one could be anywhere after it.
        view.saw(at, min(len(text), element.end + _NEAR) if element.closed else most)
        return Span(at, element.end) if _definition(element, text) is not None else None

    def read(self, text: str) -> Body | None:
        """Return the tool that an element defines."""
        element = read_element(text, 0, len(text), _kind)
        found = _definition(element, text) if element is not None else None
        if found is None:
            return None
        around = Span(0, len(text))
        tool = tool_part(found.name, found.description, found.listing.part(around), around)
        return body_of([tool], around, whole=found.listing.whole, broken=found.listing.broken)


def _kind(name: str, parent: str) -> Kind:
    """Return what an element of a definition is."""
    if name == "required":
        return Kind.PART if parent in _LISTS else Kind.LEAF
    if name in _LISTS or name in _PARAMETERS or name in _CHOICES or name in ("items", "function"):
        return Kind.PART
    if name in _LEAVES or name in _FOREIGN or (name in _WORDS and (parent in _CHOICES or parent == "required")):
        return Kind.LEAF
    return Kind.PART if parent in _LISTS else Kind.TEXT


@dataclass(slots=True)
class _Listing:
    """The parameters that an element lists; `stated` is true if it lists them, be it none, `documented` if some are
    described. `schema` describes all of them where it is written out as JSON."""

    parameters: list[Parameter] = field(default_factory=list)
    schema: LocatedValue | None = None
    stated: bool = False
    documented: bool = False
    whole: bool = True
    broken: bool = False

    def part(self, around: Span) -> LocatedValue:
        """Return their schema."""
        return self.schema if self.schema is not None else schema_part(self.parameters, around)


@dataclass(frozen=True, slots=True)
class _Found:
    name: LocatedValue
    description: LocatedValue | None
    listing: _Listing


def _definition(element: Element, text: str) -> _Found | None:
    """Return the tool that an element defines, None where it is a call, or something else that has a name."""
    if any(name in _FOREIGN_ATTRIBUTES or ":" in name for name in element.attributes):
        return None
    if any(each.name in _FOREIGN for each in element.children):
        return None
    inner = element.child("function")
    if inner is not None and element.child(*_NAMES) is None and "name" not in element.attributes:
        element = inner
    name = _name_of(element, text, (*_NAMES, "id"))
    if name is None or _TOOL_NAME.fullmatch(name.value) is None or is_sketch(name.value):
        return None
    description = _stated(element, _TEXTS, text) or _stated(element, _REMARKS, text)
    listing = _listing(element, text)
    if not _defines(element, description, listing):
        return None
    listing.broken = listing.broken or not element.closed
    listing.whole = listing.whole and listing.stated and not listing.broken
    return _Found(name, description, listing)


def _defines(element: Element, description: LocatedValue | None, listing: _Listing) -> bool:
    """Return whether an element with a name says what a tool is, instead of giving values to one."""
    if not listing.stated:
        return description is not None and element.name != "function"
    if description is None:
        return listing.documented and listing.whole
    return listing.documented or not listing.parameters or element.child(*_LISTS) is not None


def _name_of(element: Element, text: str, names: tuple[str, ...]) -> LocatedValue | None:
    """Return the name of a tool or a parameter: an attribute, or what an element of its own says."""
    for name in names:
        if name in element.attributes:
            value, span = element.attributes[name]
            return LocatedValue(value, span)
    child = element.child(*names)
    return LocatedValue(*words_of(text, child.inner)) if child is not None else None


def _stated(element: Element, names: tuple[str, ...], text: str) -> LocatedValue | None:
    """Return the text of the first child or attribute of one of these names that has any."""
    own = {each.name for each in element.children} | element.attributes.keys()
    for name in names:
        if name not in own:
            continue
        child = element.child(name)
        if child is not None and text[child.inner.start : child.inner.end].strip():
            return LocatedValue(*words_of(text, child.inner))
        if element.attributes.get(name, ("",))[0].strip():
            return LocatedValue(*element.attributes[name])
    return None


def _listing(element: Element, text: str) -> _Listing:
    """Return the parameters that a tool's element lists: in elements that hold them, or right in it."""
    found = _Listing()
    for child in element.children:
        if child.name in _LISTS:
            _read_list(child, text, found)
        elif child.name in _PARAMETERS:
            found.stated = True
            _add(child, text, found)
        if not child.closed:
            found.broken = True
    return found


def _read_list(element: Element, text: str, found: _Listing) -> None:
    """Add the parameters that an element holds."""
    found.stated = True
    found.broken = found.broken or not element.closed
    required: bool | None = None
    if element.name in _REQUIRED_GROUPS:
        required = True
    elif element.name in _OPTIONAL_GROUPS:
        required = False
    if not element.children:
        _read_text(element, text, found, required=required)
        return
    names: list[LocatedValue] = []
    for child in element.children:
        if child.name in _LISTS:
            _read_list(child, text, found)
        elif child.name == "required" and child.child("type", *_TEXTS) is None:
            names.extend(_words(child, text))
        elif child.name in _PARAMETERS or _is_named_parameter(child):
            _add(child, text, found, required=required)
    for parameter in found.parameters:
        own = next((each for each in names if each.value == parameter.name), None)
        if own is not None and parameter.required is None:
            parameter.required = own.span


def _is_named_parameter(element: Element) -> bool:
    """Return whether an element is called as a parameter is, of which its children say something."""
    return element.name not in _LEAVES and element.child("type", *_TEXTS, "required", "enum") is not None


def _read_text(element: Element, text: str, found: _Listing, *, required: bool | None) -> None:
    """Add the parameters of an element that holds text: JSON, bullets, or a remark that there are none."""
    words, span = words_of(text, element.inner)
    if not words or states_nothing(words):
        return
    if words[0] in "{[":
        parsed = JSON.parse(text[span.start : span.end], 0)
        read = read_parameters(json_part(parsed.value, parsed.places, span.start), text)
        found.broken = found.broken or parsed.broken
        if read is not None:
            found.schema, found.documented = read.schema, read.described
            return
    start = _line_start(text, span.start, element.inner.start)
    found.whole = False
    for parameter in read_list(Page(text[: span.end], start), 0).parameters:
        if required and parameter.required is None:
            parameter.required = parameter.span
        found.parameters.append(parameter)
        found.documented = found.documented or bool(parameter.schema)


def _line_start(text: str, at: int, floor: int) -> int:
    return max(text.rfind("\n", floor, at) + 1, floor)


def _add(element: Element, text: str, found: _Listing, *, required: bool | None = None) -> None:
    """Add the parameter of one element."""
    parameter = _parameter(element, text)
    if parameter is None:
        found.whole = False
        return
    if required and parameter.required is None:
        parameter.required = parameter.span
    found.parameters.append(parameter)
    found.documented = found.documented or _documents(element)
    found.broken = found.broken or not element.closed


def _documents(element: Element) -> bool:
    """Return whether an element says anything of a parameter, and does not just give it a value."""
    stated = {"type", "required", "optional", "default", "enum", "description", *_TEXTS}
    return not stated.isdisjoint(element.attributes) or element.child(*stated, "items", *_CHOICES) is not None


def _parameter(element: Element, text: str) -> Parameter | None:
    """Return the parameter that an element describes."""
    if element.name in _PARAMETERS:
        name = _name_of(element, text, ("name", "parameter_name", "param_name"))
    else:
        start = element.start + 1
        span = Span(start, start + len(element.name))
        name = LocatedValue(span.of(text), span)
    if name is None or _PARAMETER_NAME.fullmatch(name.value) is None:
        return None
    parameter = Parameter(name.value, name.span)
    parameter.schema = _schema(element, text)
    _require(parameter, element, text)
    return parameter


def _schema(element: Element, text: str, depth: int = 6) -> dict[str, LocatedValue]:
    """Return the keywords of the schema that an element describes."""
    found: dict[str, LocatedValue] = {}
    kind = _stated(element, ("type",), text)
    if kind is not None:
        raw = kind.span.of(text)
        remark = _AFTER_TYPE.search(raw) if not raw.lower().startswith("one of") else None
        end = kind.span.end if remark is None else kind.span.start + remark.start()
        listed = raw.startswith("[") and _json_words(text, kind.span)
        if listed:
            found["type"] = sequence(kind.span, listed)
        else:
            found.update(type_parts(text, Span(kind.span.start, end)))
    description = _stated(element, _TEXTS, text)
    if description is None and not element.children:
        words, span = words_of(text, element.inner)
        description = LocatedValue(words, span) if words else None
    if description is not None:
        found["description"] = description
    default = _stated(element, ("default",), text)
    if default is not None:
        meant = in_terms_of(default, found.get("type"))
        if meant is not None:
            found["default"] = meant
    items = element.child("items")
    if items is not None and depth:
        own = _items(items, text, depth - 1)
        if own is not None:
            found["items"] = own
    choices = _choices(element, text)
    if choices is not None:
        add_choices(found, choices)
    inner = _Listing()
    for child in element.children if depth else ():
        if child.name in ("properties", "parameters", "fields"):
            _read_list(child, text, inner)
    if inner.parameters or inner.schema is not None:
        for key, part in inner.part(element.inner).parts.items():
            found.setdefault(str(key), part)
    return found


def _items(element: Element, text: str, depth: int) -> LocatedValue | None:
    """Return the schema of the items of an array: elements, JSON, or the name of a type."""
    words, span = words_of(text, element.inner)
    if element.children or not words:
        own = _schema(element, text, depth)
    elif words.startswith("{"):
        parsed = JSON.parse(text[span.start : span.end], 0)
        return json_part(parsed.value, parsed.places, span.start) if not parsed.broken else None
    else:
        own = type_parts(text, span)
    return record(element.inner, own) if own else None


def _choices(element: Element, text: str) -> LocatedValue | None:
    """Return the values that a parameter may have."""
    for name in _CHOICES:
        child = element.child(name)
        if child is not None:
            words = _words(child, text)
            return sequence(child.inner, words) if words else None
        if name in element.attributes:
            value, span = element.attributes[name]
            words = _split(value, span) if span.end - span.start == len(value) else []
            return sequence(span, words) if words else None
    return None


def _words(element: Element, text: str) -> list[LocatedValue]:
    """Return the words of a list: elements, JSON, or words with commas between them."""
    if element.children:
        return [LocatedValue(*words_of(text, each.inner)) for each in element.children if each.name in _WORDS]
    _, span = words_of(text, element.inner)
    raw = span.of(text)
    return _json_words(text, span) if raw.startswith("[") else _split(raw, span)


def _json_words(text: str, span: Span) -> list[LocatedValue]:
    parsed = JSON.parse(text[span.start : span.end], 0)
    if not isinstance(parsed.value, list) or len(parsed.value) > 200:
        return []
    places = [parsed.places.value((index,)).shift(span.start) for index in range(len(parsed.value))]
    return [
        LocatedValue(value, Span(place.start + 1, place.end - 1) if isinstance(value, str) else place)
        for value, place in zip(parsed.value, places, strict=True)
        if not isinstance(value, dict | list)
    ]


def _split(raw: str, span: Span) -> list[LocatedValue]:
    """Return the words between commas or bars."""
    found: list[LocatedValue] = []
    at = 0
    for piece in re.split(r"[,|\n]", raw):
        word = piece.strip(" \t\r\"'`-")
        if word:
            start = span.start + at + piece.index(word)
            found.append(LocatedValue(word, Span(start, start + len(word))))
        at += len(piece) + 1
    return found


def _require(parameter: Parameter, element: Element, text: str) -> None:
    """Note what an element says of being required."""
    for word, meaning in (("required", True), ("optional", False)):
        stated: bool | None = None
        span = parameter.span
        if word in element.attributes:
            value, span = element.attributes[word]
            stated = True if not value.strip() else flag(value)
        elif (child := element.child(word)) is not None and not child.children:
            value, span = words_of(text, child.inner)
            stated = flag(value) if child.inner.start < child.inner.end else True
        if stated is not None:
            parameter.required = span if stated is meaning else None
            return
    kind = _stated(element, ("type",), text)
    remark = parameter.schema.get("description")
    found = stated_in_brackets(text, kind.span) if kind is not None else None
    if found is None and remark is not None:
        found = stated_in_remark(text, remark.span)
    if found is not None and found[0]:
        parameter.required = found[1]


STYLE: Style = ToolDescription()
