"""Faults of arguments and names that are written soundly and that no tool takes: in every dialect.

Owns: the kinds of the group `schema`. Must not know: how calls are read, what is reported of a fault.

A call is written again with other arguments; what is not a fault by the tool's schema, as `jsonschema` reads it, is
left out. Values are damaged only where the dialect says of what type they are.
"""
# ruff: noqa: ARG002  # every kind is asked in the same way

from __future__ import annotations

import json
import re
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Final

from rapidfuzz.distance import OSA

from benchmarks.faults.base import Injected, Kind, Sample
from benchmarks.faults.markup import JSON_IN_TAGS
from benchmarks.faults.xml_kinds import syntax_error
from callwright.calls.protocol import Refusal, RenderStyle
from callwright.dialects.catalogue import find_dialect
from callwright.text.span import Span

if TYPE_CHECKING:
    from random import Random

    from callwright.tools.model import ToolSchema

#: Dialects in which every value is text, so that its type is the schema's, or whose markers yield to the schema.
_UNTYPED: Final = frozenset(
    {
        "xml-children",
        "tool-call-xml",
        "invoke",
        "minicpm",
        "qwen-coder",
        "glm",
        "hunyuan-v3",
        "k2-horizon",
        "minimax-m3",
        "dsml",
        "kimi-k3",
    }
)
_STYLES: Final = (RenderStyle(compact=True), RenderStyle())


@dataclass(frozen=True)
class Refused(Injected):
    """A text whose call has these arguments and this tool's name."""

    tool: str = ""
    arguments: Mapping[str, Any] | None = None


def _tool(sample: Sample) -> ToolSchema | None:
    tools = sample.registry.get(sample.tool)
    return tools[0] if len(tools) == 1 and tools[0].checked else None


def _written(sample: Sample, tool: str, arguments: Mapping[str, Any], number: int) -> str | None:
    """Return the call in one of the styles, None where the dialect cannot hold it."""
    dialect = find_dialect(sample.dialect)
    if dialect is None:
        return None
    text = dialect.render(tool, arguments, _tool(sample), _STYLES[number])
    return None if isinstance(text, Refusal) else text


@lru_cache(maxsize=16_384)
def _base(text: str, body: Span, dialect: str, tool: str, made: tuple[str | None, ...]) -> tuple[int, int, int] | None:
    for number, written in enumerate(made):
        if written is not None and text.count(written) == 1:
            at = text.index(written)
            return number, at, at + len(written)
    return None


def rewritten(sample: Sample, tool: str, arguments: Mapping[str, Any], *, keeps: bool) -> Refused | None:
    """Return the sample's text with its call written again, with another name or other arguments."""
    made = tuple(_written(sample, sample.tool, sample.arguments, number) for number in range(len(_STYLES)))
    base = _base(sample.text, sample.body, sample.dialect, sample.tool, made)
    if base is not None:
        number, start, end = base
        new = _written(sample, tool, arguments, number)
        before = sample.text
    else:
        start, end = sample.body
        written = sample.body.of(sample.text)
        if tool != sample.tool or not _holds(written, sample.arguments):
            return None
        indent = 2 if "\n" in written else None
        plain = json.dumps(sample.arguments, ensure_ascii=False, indent=indent)
        new = json.dumps(arguments, ensure_ascii=False, indent=indent)
        before = sample.text[:start] + plain + sample.text[end:]
        end = start + len(plain)
    if new is None:
        return None
    text = before[:start] + new + before[end:]
    if text == before:
        return None
    first = next(at for at, (a, b) in enumerate(zip(before + "\0", text + "\1", strict=False)) if a != b)
    most = min(len(before), len(text)) - first
    after = 0
    while after < most and before[-1 - after] == text[-1 - after]:
        after += 1
    return Refused(text, Span(first, len(text) - after), keeps, tool, arguments)


def _holds(written: str, arguments: Mapping[str, Any]) -> bool:
    try:
        return bool(json.loads(written) == arguments)
    except ValueError:
        return False


def _is_valid(tool: ToolSchema, arguments: Any) -> bool:
    from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

    return bool(Draft202012Validator(tool.input_schema).is_valid(arguments))


class _SchemaKind(Kind):
    """A kind of fault that the tool's schema refuses."""

    group: ClassVar = "schema"
    #: Whether only dialects that say of what type a value is know the fault.
    typed: ClassVar[bool] = False

    def inject(self, sample: Sample, random: Random) -> Injected | None:
        """Write the call with a fault in its arguments."""
        tool = _tool(sample)
        if tool is None or (self.typed and sample.dialect in _UNTYPED):
            return None
        return self.damage(sample, tool, random)

    @abstractmethod
    def damage(self, sample: Sample, tool: ToolSchema, random: Random) -> Injected | None:
        """Return the sample's text with the fault."""

    def is_fault(self, sample: Sample, injected: Injected) -> bool:
        """Return whether the schema refuses what was written."""
        if not isinstance(injected, Refused) or injected.text == sample.text:
            return False
        if injected.tool != sample.tool:
            return not sample.registry.has(injected.tool)
        tool = _tool(sample)
        return tool is not None and not _is_valid(tool, injected.arguments)


# Names of parameters


def _renamed(arguments: Mapping[str, Any], old: str, new: str) -> dict[str, Any]:
    return {new if name == old else name: value for name, value in arguments.items()}


def _only_near(name: str, right: str, others: list[str]) -> bool:
    """Return whether a misspelt name is nearest to the right one alone."""
    distance = OSA.distance(name.lower(), right.lower())
    if len(right) <= 3 and distance > 1:
        return False
    return all(OSA.distance(name.lower(), other.lower()) > distance for other in others if other != right)


class _KeyKind(_SchemaKind):
    """A kind of misspelling in the name of a parameter."""

    def damage(self, sample: Sample, tool: ToolSchema, random: Random) -> Injected | None:
        """Write a parameter in another name."""
        names = [name for name in sample.arguments if name in tool.parameters]
        if not names:
            return None
        old = random.choice(names)
        new = self.other(old, random)
        if new is None or new == old or new in tool.parameters or not new:
            return None
        free = [name for name in tool.parameters if name not in sample.arguments or name == old]
        keeps = _only_near(new, old, free)
        return rewritten(sample, sample.tool, _renamed(sample.arguments, old, new), keeps=keeps)

    @abstractmethod
    def other(self, name: str, random: Random) -> str | None:
        """Return the misspelt name."""


class KeyMisspelt(_KeyKind):
    """The name of a parameter is misspelt by one letter."""

    name = "key misspelt"

    def other(self, name: str, random: Random) -> str | None:
        """Misspell it."""
        return syntax_error(name, random)


class KeyMisspeltTwice(_KeyKind):
    """The name of a parameter is misspelt by two letters."""

    name = "key misspelt by two"

    def other(self, name: str, random: Random) -> str | None:
        """Misspell it twice."""
        return syntax_error(syntax_error(name, random), random) if len(name) > 5 else None


class KeyInOtherCase(_KeyKind):
    """The name of a parameter is written in another case."""

    name = "key in other case"

    def other(self, name: str, random: Random) -> str | None:
        """Write it in capitals, or with one."""
        return name.upper() if random.random() < 0.5 else name[:1].upper() + name[1:]


def other_convention(name: str) -> str:
    """Return `fileName` for `file_name`, and the other way around."""
    if "_" in name or "-" in name:
        first, *rest = re.split(r"[_\-]", name)
        return first + "".join(word[:1].upper() + word[1:] for word in rest)
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda match: "_" + match[1].lower(), name)


class KeyInOtherConvention(_KeyKind):
    """The name of a parameter is written as other tools write names."""

    name = "key in other convention"

    def other(self, name: str, random: Random) -> str | None:
        """Change between snake case and camel case, or to hyphens."""
        return name.replace("_", "-") if "_" in name and random.random() < 0.3 else other_convention(name)


class KeyAdded(_SchemaKind):
    """A parameter is given that the tool does not have."""

    name = "key added"

    def damage(self, sample: Sample, tool: ToolSchema, random: Random) -> Injected | None:
        """Give one that is not a misspelling; what it was meant to be is a guess."""
        more = {**sample.arguments, "zebra_crossing": "x"}
        return rewritten(sample, sample.tool, more, keeps=False)


class KeyDropped(_SchemaKind):
    """A parameter is left out that the tool requires."""

    name = "required key dropped"

    def damage(self, sample: Sample, tool: ToolSchema, random: Random) -> Injected | None:
        """Leave it out."""
        names = [name for name in sample.arguments if name in tool.parameters and tool.parameters[name].required]
        if not names:
            return None
        name = random.choice(names)
        rest = {each: value for each, value in sample.arguments.items() if each != name}
        made = rewritten(sample, sample.tool, rest, keeps=False)
        # Its place is unknown: it is missing from the call as a whole.
        return None if made is None else replace(made, place=_changed(sample, made))


def _changed(sample: Sample, made: Refused) -> Span:
    """Return where the call is in a text in which it was written again."""
    start = min(sample.span.start, made.place.start)
    return Span(start, max(made.place.end, sample.span.end + len(made.text) - len(sample.text)))


# Values


def _places(
    value: Any, schema: Mapping[str, Any] | None, path: tuple[Any, ...] = ()
) -> Iterator[tuple[tuple[Any, ...], Any, Mapping[str, Any]]]:
    """Yield each value of the arguments with its path and its plain schema."""
    if not isinstance(schema, Mapping):
        return
    if path:
        yield path, value, schema
    if isinstance(value, dict):
        properties = schema.get("properties")
        for name, item in value.items():
            if isinstance(properties, Mapping):
                yield from _places(item, properties.get(name), (*path, name))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _places(item, schema.get("items"), (*path, index))


class _ValueKind(_SchemaKind):
    """A kind of fault in one value."""

    typed = True

    def damage(self, sample: Sample, tool: ToolSchema, random: Random) -> Injected | None:
        """Write another value."""
        found = []
        for path, value, schema in _places(sample.arguments, tool.input_schema):
            other = self.other(value, schema, random)
            if other is not None:
                found.append((path, *other))
        if not found:
            return None
        path, new, keeps = random.choice(found)
        arguments: Any = deepcopy(sample.arguments)
        place = arguments
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = new
        return rewritten(sample, sample.tool, arguments, keeps=keeps)

    @abstractmethod
    def other(self, value: Any, schema: Mapping[str, Any], random: Random) -> tuple[Any, bool] | None:
        """Return a value that the schema refuses, and whether the right one follows from it; None where there is
        none."""


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


class NumberAsString(_ValueKind):
    """A number is written as a string."""

    name = "number as string"

    def other(self, value: Any, schema: Mapping[str, Any], random: Random) -> tuple[Any, bool] | None:
        """Put it into quotes."""
        return (json.dumps(value), True) if _is_number(value) else None


class StringAsNumber(_ValueKind):
    """A string that looks like a number is written as one."""

    name = "string as number"

    def other(self, value: Any, schema: Mapping[str, Any], random: Random) -> tuple[Any, bool] | None:
        """Take its quotes away."""
        if not isinstance(value, str) or not re.fullmatch(r"-?(?:0|[1-9]\d{0,14})", value):
            return None
        return int(value), True


class BooleanAsString(_ValueKind):
    """A boolean is written as a string."""

    name = "boolean as string"

    def other(self, value: Any, schema: Mapping[str, Any], random: Random) -> tuple[Any, bool] | None:
        """Put it into quotes, as JSON or Python writes it."""
        if not isinstance(value, bool):
            return None
        return random.choice((str(value), str(value).lower(), str(value).upper())), True


class BooleanAsNumber(_ValueKind):
    """A boolean is written as 0 or 1."""

    name = "boolean as number"

    def other(self, value: Any, schema: Mapping[str, Any], random: Random) -> tuple[Any, bool] | None:
        """Write the number."""
        return (int(value), True) if isinstance(value, bool) else None


class BooleanAsWord(_ValueKind):
    """A boolean is written as a word for it."""

    name = "boolean as word"

    def other(self, value: Any, schema: Mapping[str, Any], random: Random) -> tuple[Any, bool] | None:
        """Write a word whose meaning is not defined."""
        return (
            (random.choice(("yes", "on")) if value else random.choice(("no", "off")), False)
            if isinstance(value, bool)
            else None
        )


class ArrayAsString(_ValueKind):
    """An array is written as a string that holds its JSON."""

    name = "array as string"

    def other(self, value: Any, schema: Mapping[str, Any], random: Random) -> tuple[Any, bool] | None:
        """Encode it."""
        return (json.dumps(value, ensure_ascii=False), True) if isinstance(value, list) else None


class ObjectAsString(_ValueKind):
    """An object is written as a string that holds its JSON."""

    name = "object as string"

    def other(self, value: Any, schema: Mapping[str, Any], random: Random) -> tuple[Any, bool] | None:
        """Encode it."""
        return (json.dumps(value, ensure_ascii=False), True) if isinstance(value, dict) else None


class ArrayOfOneAsItem(_ValueKind):
    """An array with one entry is written as that entry."""

    name = "array of one as its item"

    def other(self, value: Any, schema: Mapping[str, Any], random: Random) -> tuple[Any, bool] | None:
        """Take the entry out; one with separators in it may be meant as several."""
        if not isinstance(value, list) or len(value) != 1 or isinstance(value[0], list):
            return None
        return value[0], not (isinstance(value[0], str) and re.search(r"[\s,;|]|^[\[{]", value[0]))


class ArrayJoined(_ValueKind):
    """An array is written as a string with commas."""

    name = "array joined by commas"

    def other(self, value: Any, schema: Mapping[str, Any], random: Random) -> tuple[Any, bool] | None:
        """Join it: whether the commas part entries is a guess."""
        if not isinstance(value, list) or len(value) < 2 or not all(isinstance(each, str) for each in value):
            return None
        return ", ".join(value), False


class ValueInArray(_ValueKind):
    """A value is in an array of one."""

    name = "value in an array of one"

    def other(self, value: Any, schema: Mapping[str, Any], random: Random) -> tuple[Any, bool] | None:
        """Put it into one."""
        return None if isinstance(value, list) else ([value], True)


class NullForValue(_ValueKind):
    """`null` is where a value is wanted."""

    name = "null for a value"

    def other(self, value: Any, schema: Mapping[str, Any], random: Random) -> tuple[Any, bool] | None:
        """Write it."""
        return None if value is None else (None, False)


class _EnumKind(_ValueKind):
    """A kind of misspelling in one of the listed values."""

    typed = False

    def other(self, value: Any, schema: Mapping[str, Any], random: Random) -> tuple[Any, bool] | None:
        """Misspell it."""
        options = schema.get("enum")
        if not isinstance(value, str) or not isinstance(options, list) or len(value) < 2:
            return None
        new = self.misspelt(value, random)
        if new in options:
            return None
        others = [each for each in options if isinstance(each, str)]
        return new, _only_near(new, value, others)

    @abstractmethod
    def misspelt(self, value: str, random: Random) -> str:
        """Return the misspelt value."""


class EnumInOtherCase(_EnumKind):
    """One of the listed values is written in another case."""

    name = "enum in other case"

    def misspelt(self, value: str, random: Random) -> str:
        """Write it in capitals, with one, or without."""
        return random.choice((value.upper(), value[:1].upper() + value[1:], value.lower()))


class EnumMisspelt(_EnumKind):
    """One of the listed values is misspelt by one letter."""

    name = "enum misspelt"

    def misspelt(self, value: str, random: Random) -> str:
        """Misspell it."""
        return syntax_error(value, random)


# Names of tools


class _ToolKind(_SchemaKind):
    """A kind of misspelling in the name of the tool."""

    def inject(self, sample: Sample, random: Random) -> Injected | None:
        """Write the call with another name."""
        if not sample.registry.has(sample.tool) or not sample.registry.closed:
            return None
        new = self.other(sample.tool, random)
        if new == sample.tool or not new or sample.registry.has(new):
            return None
        others = [name for name in sample.registry.names if name != sample.tool]
        keeps = _only_near(new, sample.tool, others)
        made = rewritten(sample, new, sample.arguments, keeps=keeps)
        return made if made is not None else self._in_place(sample, new, keeps=keeps)

    @staticmethod
    def _in_place(sample: Sample, new: str, *, keeps: bool) -> Injected | None:
        """Write the name where it is once."""
        at = sample.text.find(sample.tool)
        if at < 0 or sample.text.count(sample.tool) != 1:
            return None
        text = sample.text[:at] + new + sample.text[at + len(sample.tool) :]
        return Refused(text, Span(at, at + len(new)), keeps, new, None)

    def damage(self, sample: Sample, tool: ToolSchema, random: Random) -> Injected | None:
        """Not used: the name is not part of the arguments."""
        raise NotImplementedError

    @abstractmethod
    def other(self, name: str, random: Random) -> str:
        """Return the misspelt name."""


class ToolMisspelt(_ToolKind):
    """The name of the tool is misspelt by one letter."""

    name = "tool misspelt"

    def other(self, name: str, random: Random) -> str:
        """Misspell it."""
        return syntax_error(name, random)


class ToolInOtherCase(_ToolKind):
    """The name of the tool is written in another case."""

    name = "tool in other case"

    def other(self, name: str, random: Random) -> str:
        """Write it in capitals, or with one."""
        return name.upper() if random.random() < 0.5 else name[:1].upper() + name[1:]


class ToolInOtherConvention(_ToolKind):
    """The name of the tool is written as other tools are named."""

    name = "tool in other convention"

    def other(self, name: str, random: Random) -> str:
        """Change between snake case and camel case, or to hyphens."""
        return name.replace("_", "-") if "_" in name and random.random() < 0.3 else other_convention(name)


# Where arguments are


class _PlaceKind(Kind):
    """A kind of fault in the JSON object around the arguments."""

    group: ClassVar = "schema"

    def inject(self, sample: Sample, random: Random) -> Injected | None:
        """Damage the member that holds the arguments."""
        match = re.search(r'"(arguments|parameters|args|input)"\s*:\s*\Z', sample.text[: sample.body.start])
        if match is None or not _holds(sample.body.of(sample.text), sample.arguments) or not sample.arguments:
            return None
        if sample.dialect in JSON_IN_TAGS:
            return None
        return self.damage(sample, match, random)

    @abstractmethod
    def damage(self, sample: Sample, member: re.Match[str], random: Random) -> Injected | None:
        """Return the sample's text with the fault; `member` is the key of the arguments and its colon."""

    def is_fault(self, sample: Sample, injected: Injected) -> bool:
        """Return True: no dialect has its arguments there."""
        return injected.text != sample.text


class ArgumentsEncodedTwice(_PlaceKind):
    """The arguments are a string that holds their JSON."""

    name = "arguments encoded twice"

    def damage(self, sample: Sample, member: re.Match[str], random: Random) -> Injected | None:
        """Encode them again."""
        start, end = sample.body
        new = json.dumps(sample.body.of(sample.text), ensure_ascii=False)
        return Injected(sample.text[:start] + new + sample.text[end:], Span(start, start + len(new)))


class ArgumentsMisnamed(_PlaceKind):
    """The arguments are under a name that the dialect does not know."""

    name = "arguments misnamed"

    def damage(self, sample: Sample, member: re.Match[str], random: Random) -> Injected | None:
        """Write another name."""
        old = member[1]
        new = random.choice(
            [name for name in ("params", "argument", "kwargs", syntax_error(old, random)) if name != old]
        )
        start, end = member.span(1)
        return Injected(sample.text[:start] + new + sample.text[end:], Span(start, start + len(new)))


class ArgumentsBeside(_PlaceKind):
    """The arguments are beside the tool's name, and not in an object of their own."""

    name = "arguments beside the name"

    def damage(self, sample: Sample, member: re.Match[str], random: Random) -> Injected | None:
        """Take the braces and the key away."""
        end = sample.body.end
        inner = sample.body.of(sample.text).strip()[1:-1].strip()
        if {"name", "tool", "id", "tool_name", "arguments", "parameters"} & sample.arguments.keys():
            return None
        new = sample.text[: member.start()] + inner + sample.text[end:]
        return Injected(new, Span(member.start(), member.start() + len(inner)), keeps_information=False)


class ArgumentsInArray(_PlaceKind):
    """The arguments are in an array of one."""

    name = "arguments in an array"

    def damage(self, sample: Sample, member: re.Match[str], random: Random) -> Injected | None:
        """Put brackets around them."""
        start, end = sample.body
        new = f"[{sample.body.of(sample.text)}]"
        return Injected(sample.text[:start] + new + sample.text[end:], Span(start, start + len(new)))


KINDS: Final = tuple(
    kind()
    for kind in (
        KeyMisspelt,
        KeyMisspeltTwice,
        KeyInOtherCase,
        KeyInOtherConvention,
        KeyAdded,
        KeyDropped,
        NumberAsString,
        StringAsNumber,
        BooleanAsString,
        BooleanAsNumber,
        BooleanAsWord,
        ArrayAsString,
        ObjectAsString,
        ArrayOfOneAsItem,
        ArrayJoined,
        ValueInArray,
        NullForValue,
        EnumInOtherCase,
        EnumMisspelt,
        ToolMisspelt,
        ToolInOtherCase,
        ToolInOtherConvention,
        ArgumentsEncodedTwice,
        ArgumentsMisnamed,
        ArgumentsBeside,
        ArgumentsInArray,
    )
)
