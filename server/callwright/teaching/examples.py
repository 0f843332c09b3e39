"""Example calls: arguments that a tool accepts, from its own examples or made from its schema.

Owns: the choice of arguments and of the values in them. Must not know: dialects, layout.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from callwright.calls.sketch import is_placeholder_text
from callwright.schema.validation import validate
from callwright.teaching.formats import BY_FORMAT
from callwright.tools.model import ToolSchema
from callwright.tools.parameters import Parameter, enum_of, facets, parameters_of, types_of
from callwright.tools.references import resolve

#: How deep objects and arrays are filled in; a schema that asks for more has no example of ours.
_DEPTH: Final = 8
#: How many values may be made and tried for one tool: a schema whose branches multiply ends there.
_MAX_VALUES: Final = 300
_MAX_ITEMS: Final = 20
_MAX_LENGTH: Final = 400
#: Texts by what a parameter is called, the first that fits; they are plain, so that every dialect can hold them.
_BY_NAME: Final = (
    (re.compile(r"regex|pattern|query|search|expression", re.IGNORECASE), "total"),
    (re.compile(r"ur[il]\b|url|link|endpoint|website", re.IGNORECASE), "https://example.com/"),
    (re.compile(r"dir(?:ectory)?\b|folder|cwd|root", re.IGNORECASE), "src"),
    (re.compile(r"path|file", re.IGNORECASE), "src/main.py"),
    (re.compile(r"command|shell|cmd", re.IGNORECASE), "ls -l"),
    (re.compile(r"email", re.IGNORECASE), "ada@example.com"),
    (re.compile(r"date", re.IGNORECASE), "2026-01-31"),
    (re.compile(r"city|place|location", re.IGNORECASE), "Lisbon"),
    (re.compile(r"question|prompt", re.IGNORECASE), "Which of the two files is meant?"),
    (re.compile(r"content|text|message|body|result|summary|description|reason", re.IGNORECASE), "All tests pass."),
    (re.compile(r"(?:\b|_)id\b|[a-z]Id\b", re.IGNORECASE), "a1"),
    (re.compile(r"function|branch", re.IGNORECASE), "main"),
)
#: Texts that common patterns accept, where the one chosen by name is not accepted.
_OTHER_TEXTS: Final = (
    "main", "Main", "MAIN", "1", "12", "123", "1234", "12345", "a", "A", "a1", "A1", "main-1", "1.0.0", "v1.0.0",
    "2026-01-31", "12:00", "12:00:00", "2026-01-31T12:00:00Z", "+15550100", "#336699", "#abc", "abcdef",
    "0123456789abcdef",
    "src/main.py", "/src/main.py", "https://example.com/", "ada@example.com", "en", "en-US", "EUR", "owner/name",
    "@main",
    "123e4567-e89b-42d3-a456-426614174000", "true", "$.items", "10s", "5m", "1h", "100%", "10px", "main()", " ",
)  # fmt: skip


def candidates(tool: ToolSchema, shown: Sequence[Sequence[str]] = ()) -> Iterator[Mapping[str, Any]]:
    """Yield arguments that the tool accepts, the best first: its author's examples, then those made from the schema.

    Nothing that is made holds a placeholder, and an author's example that does comes after those that do not. `shown`
    are paths of arguments: what holds all of them goes before the rest.
    """
    accepted = [given for given in tool.examples if not validate(tool.input_schema, dict(given))]
    accepted.sort(key=_holds_placeholder)
    base: Mapping[str, Any]
    # Not every dialect can hold a list or an object where the schema allows a text as well.
    makers = (_Maker(tool.input_schema), _Maker(tool.input_schema, texts_first=True))
    made: list[Mapping[str, Any]] = []
    if shown:
        yield from (given for given in accepted if _has(given, shown))
        wanted = {path[0] for path in shown}
        for base in (*accepted[:1], {}):
            names = [
                name for name, one in tool.parameters.items() if name in wanted or (one.required and name not in base)
            ]
            for first in (False, True):
                value = _Maker(tool.input_schema, texts_first=first, shown=shown).members(
                    tool.parameters, names, _DEPTH
                )
                whole = None if value is None else {**base, **value}
                if whole is not None and whole not in made and _is_example(tool, whole):
                    made.append(whole)
                    yield whole
    yield from accepted
    for names in _choices(tool):
        for maker in makers:
            value = maker.members(tool.parameters, names, _DEPTH)
            if value is not None and value not in made and _is_example(tool, value):
                made.append(value)
                yield value


def _has(value: Any, paths: Sequence[Sequence[str]]) -> bool:
    """Return whether an object has members at all of these paths."""
    for path in paths:
        part = value
        for step in path:
            if not isinstance(part, Mapping) or step not in part:
                return False
            part = part[step]
    return True


def _is_example(tool: ToolSchema, arguments: Mapping[str, Any]) -> bool:
    return not _holds_placeholder(arguments) and not validate(tool.input_schema, dict(arguments))


def _choices(tool: ToolSchema) -> Iterator[list[str]]:
    """Yield the sets of parameters that an example may give: the required ones, with as few others as are needed."""
    parameters = tool.parameters
    required = [name for name, parameter in parameters.items() if parameter.required]
    free = [name for name, one in parameters.items() if not (one.required or one.deprecated or one.alias_of)]
    if required or not free:
        yield required
    for facet in islice(facets(tool.input_schema, tool.input_schema), 50):
        names = facet.get("required")
        if isinstance(names, list):
            yield [name for name in parameters if name in required or name in names]
    for name in free[:20]:
        yield [each for each in parameters if each in required or each == name]
    yield required
    yield list(parameters)


def _holds_placeholder(value: Any) -> bool:
    pending = [value]
    while pending:
        one = pending.pop()
        if isinstance(one, str):
            if is_placeholder_text(one):
                return True
        elif isinstance(one, Mapping):
            pending += [*one.keys(), *one.values()]
        elif isinstance(one, list):
            pending += one
    return False


class _Maker:
    """Makes values for one schema; counts them, so that a hostile schema ends at the bound."""

    def __init__(
        self, root: Mapping[str, Any], *, texts_first: bool = False, shown: Sequence[Sequence[str]] = ()
    ) -> None:
        self._root = root
        #: What is shown wherever an object may have it: the members below the arguments' own.
        self._shown = {step for path in shown for step in path[1:]}
        self._texts_first = texts_first
        self._left = _MAX_VALUES
        # Kept with what they were made of: a schema is compiled once, however many values are tried.
        self._whole: dict[int, tuple[Any, Mapping[str, Any]]] = {}

    def members(self, parameters: Mapping[str, Parameter], names: list[str], depth: int) -> dict[str, Any] | None:
        """Return an object with these members, or None where there is no value for one of them."""
        made: dict[str, Any] = {}
        for name in names:
            found = self.value(name, parameters[name].schema, depth)
            if found is None:
                return None
            made[name] = found[0]
        return made

    def value(self, name: str, raw: Any, depth: int) -> tuple[Any] | None:
        """Return a value that `raw` accepts, in a tuple of one; None where none is known."""
        self._left -= 1
        if self._left < 0 or depth <= 0:
            return None
        for option in self._options(name, raw, depth):
            if raw is True or not isinstance(raw, Mapping) or not self._faulty(raw, option):
                return (option,)
        return None

    def _faulty(self, schema: Mapping[str, Any], value: Any) -> bool:
        """Return whether a value is not to be shown; everything is, once too much was tried."""
        self._left -= 1
        if self._left < 0 or _holds_placeholder(value):
            return True
        known = self._whole.get(id(schema))
        if known is None:
            known = self._whole[id(schema)] = (schema, self._rooted(schema))
        return bool(validate(known[1], value))

    def _rooted(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a part of the schema with what its references lead to."""
        around = {key: self._root[key] for key in ("$schema", "$id", "$defs", "definitions") if key in self._root}
        return {**around, **schema}

    def _options(self, name: str, raw: Any, depth: int) -> Iterator[Any]:
        """Yield values to be tried, the best first."""
        if not isinstance(raw, Mapping):
            yield "example"
            return
        schema = resolve(raw, self._root)
        for key in ("examples", "enum"):
            given = schema.get(key)
            if isinstance(given, list):
                yield from given[:_MAX_ITEMS]
        for key in ("example", "const", "default"):
            if key in schema and schema[key] is not None:
                yield schema[key]
        listed = enum_of(schema, self._root)
        if listed is not None:
            yield from listed[:_MAX_ITEMS]
            return
        types = types_of(schema, self._root)
        # Where a text is one choice of several, it mostly means what the others say in full.
        members = bool(parameters_of(self._rooted(schema)))
        structured = ("object", "array") if members else ("array", "object")
        first = ("string", *structured) if self._texts_first else (*structured, "string")
        for kind in (*first, "integer", "number", "boolean", "null"):
            if types is None and kind in structured and not (members and kind == "object"):
                continue
            if types is None or kind in types or (kind == "integer" and "number" in types):
                yield from self._of_type(kind, name, schema, depth)

    def _of_type(self, kind: str, name: str, schema: Mapping[str, Any], depth: int) -> Iterator[Any]:
        if kind == "string":
            yield from _texts(name, schema, self._root)
        elif kind in ("integer", "number"):
            yield from _numbers(schema, self._root)
        elif kind == "boolean":
            yield from (True, False)
        elif kind == "null":
            yield None
        elif kind == "array":
            yield from self._arrays(name, schema, depth)
        else:
            yield from self._objects(schema, depth)

    def _arrays(self, name: str, schema: Mapping[str, Any], depth: int) -> Iterator[Any]:
        least, items = 1, None
        prefix: list[Any] = []
        for facet in facets(schema, self._root):
            wanted = facet.get("minItems")
            least = max(least, wanted) if isinstance(wanted, int) and not isinstance(wanted, bool) else least
            items = facet.get("items") if items is None else items
            prefix = facet["prefixItems"] if isinstance(facet.get("prefixItems"), list) else prefix
        if isinstance(items, list):
            prefix, items = items, None
        if least > _MAX_ITEMS:
            return
        made: list[Any] = []
        for index in range(max(least, len(prefix[:_MAX_ITEMS]))):
            found = self.value(_one_of(name), prefix[index] if index < len(prefix) else items, depth - 1)
            if found is None:
                break
            made.append(_other(found[0], index))
        else:
            yield made
        yield []

    def _objects(self, schema: Mapping[str, Any], depth: int) -> Iterator[Any]:
        parameters = parameters_of(self._rooted(schema))
        required = [name for name, one in parameters.items() if one.required]
        optional = [name for name, one in parameters.items() if not (one.required or one.deprecated)]
        if not self._shown.isdisjoint(optional):
            wanted = [name for name in parameters if name in required or name in self._shown]
            made = self.members(parameters, wanted, depth - 1)
            if made is not None:
                yield made
        for names in [required, *([*required, name] for name in optional[:5])]:
            if names or not optional:
                made = self.members(parameters, names, depth - 1)
                if made is not None and (made or not isinstance(schema.get("additionalProperties"), Mapping)):
                    yield made
        free = schema.get("additionalProperties")
        if isinstance(free, Mapping):
            found = self.value("name", free, depth - 1)
            if found is not None:
                yield {"MODE": found[0]}
                yield {"main": found[0]}
        yield {}


def _one_of(name: str) -> str:
    """Return what one item of a list of this name is called."""
    return name[:-1] if name.endswith("s") and len(name) > 2 else name


def _other(value: Any, index: int) -> Any:
    """Return a value like this one that differs from those before it."""
    if index == 0 or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return f"{value}{index + 1}"
    return value + index if isinstance(value, int) else value


def _texts(name: str, schema: Mapping[str, Any], root: Mapping[str, Any]) -> Iterator[str]:
    least = 0
    for facet in facets(schema, root):
        if isinstance(facet.get("format"), str) and facet["format"] in BY_FORMAT:
            yield BY_FORMAT[facet["format"]]
        wanted = facet.get("minLength")
        if isinstance(wanted, int) and not isinstance(wanted, bool):
            least = max(least, wanted)
    chosen = next((text for pattern, text in _BY_NAME if pattern.search(name)), "example")
    yield chosen
    if len(chosen) < least <= _MAX_LENGTH:
        yield ("All tests pass. " * (least // 16 + 1))[:least].replace(" ", "_", least)
    yield from _OTHER_TEXTS


def _numbers(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Iterator[int | float]:
    yield from (1, 10)
    for facet in facets(schema, root):
        for key in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"):
            limit = facet.get(key)
            if isinstance(limit, int | float) and not isinstance(limit, bool) and abs(limit) < 10**15:
                yield limit
                yield int(limit)
                yield int(limit) + (1 if "M" not in key.lower()[:2] or "min" in key.lower() else -1)
                yield int(limit) - 1
    yield from (0, 0.5, -1, 100, 1000)
