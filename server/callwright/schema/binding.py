"""Binding: a call meets its tool, its text becomes typed arguments, and every schema error gets a place.

Owns: `Binding`, the choice among tools of one name, and which errors of a sketch are dropped. Must not know: rules,
documents.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from callwright.calls.model import JsonValue, MarkupValue, Path, ToolCall
from callwright.calls.sketch import is_placeholder_text
from callwright.schema.coercion import Coerced, coerce, coerce_element
from callwright.schema.validation import validate
from callwright.syntax.json import read_json
from callwright.syntax.problem import Problem
from callwright.text.holes import has_hole
from callwright.text.records import dataclass, field, replace
from callwright.text.span import Edit, Span, apply_edits, delete
from callwright.tools.names import Names
from callwright.tools.parameters import subschema

if TYPE_CHECKING:
    from callwright.document.settings import Settings
    from callwright.schema.errors import SchemaError
    from callwright.syntax.json import JsonNode
    from callwright.syntax.prose import FenceState
    from callwright.syntax.xml import XmlElement
    from callwright.tools.model import ToolSchema
    from callwright.tools.registry import ToolRegistry

#: Keywords whose errors are about a whole value, so that one free part of it may be the reason.
_WHOLE = frozenset(
    {"anyOf", "oneOf", "allOf", "not", "if", "then", "else", "contains", "uniqueItems", "dependentRequired"}
    | {"dependentSchemas", "minContains", "maxContains", "const", "enum"}
)
_COUNTS = frozenset({"required", "minItems", "minProperties", "dependentRequired", "contains", "minContains"})


#: Keywords whose errors may be about the type of a value.
_OF_TYPES = frozenset({"type", "anyOf", "oneOf"})
#: Problems of text that is no JSON but words, or a literal of Python.
_NO_JSON = frozenset({"not-json", "unquoted-string", "single-quotes", "python-literal"})


@dataclass(slots=True)
class _Attempt:
    """A call's arguments read as those of one tool."""

    tool: ToolSchema | None
    coerced: Coerced
    errors: list[SchemaError]
    unknown: list[Path]

    @property
    def faults(self) -> int:
        coerced = self.coerced
        return len(self.errors) + len(self.unknown) + len(coerced.repeated) + len(coerced.texts) + len(coerced.beside)


@dataclass
class Binding:
    """A call with its tool and its typed arguments.

    `tool` is None where the registry has none of that name. `value` is the arguments as read; `arguments` the same
    where it is an object, else empty. `errors` are those of the schema, without those that placeholders or template
    expressions may cause. `fence` is the fenced block around the call; `peers` are all calls of the passage, this one
    among them. `unknown` lists arguments that no schema names. `decoded` is True where the arguments were a string that
    contains their JSON. `broken` lists the arguments that are JSON with syntax errors, which are among the problems.
    """

    call: ToolCall
    text: str
    registry: ToolRegistry
    settings: Settings
    tool: ToolSchema | None
    candidates: tuple[ToolSchema, ...]
    coerced: Coerced
    errors: list[SchemaError]
    unknown: list[Path]
    decoded: bool = False
    fence: FenceState | None = None
    peers: Sequence[ToolCall] = ()
    problems: list[Problem] = field(default_factory=list)
    broken: set[Path] = field(default_factory=set)

    @property
    def value(self) -> Any:
        """The arguments as they were read, of whatever type."""
        return self.coerced.value

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments by name; empty where they are not an object."""
        return self.value if isinstance(self.value, dict) else {}

    @cached_property
    def schema(self) -> Mapping[str, Any] | None:
        """The schema of the arguments object, None where the tool is not known."""
        return self.tool.input_schema if self.tool is not None else None

    @property
    def fits(self) -> bool:
        """Whether the schema accepts the arguments, contains all their names, and each is written once."""
        return not (self.errors or self.unknown or self.coerced.repeated)

    def schema_at(self, path: Path) -> Mapping[str, Any] | None:
        """Return the schema of the value at `path`, None where it has none."""
        return None if self.schema is None else subschema(self.schema, self.schema, path)

    def value_at(self, path: Path) -> Any:
        """Return the value at `path`. Raises KeyError, IndexError or TypeError where there is none."""
        value = self.value
        for step in path:
            value = value[step]
        return value

    def span_of(self, path: Path) -> Span:
        """Return the span of the value at `path`, or of the nearest value around it that has a place."""
        arguments = self.call.arguments
        if isinstance(arguments, JsonValue) and not self.decoded:
            node = self.node_at(path)
            while node is None and path:
                path = path[:-1]
                node = self.node_at(path)
            return node.span if node is not None else arguments.span
        while path:
            place = self.coerced.places.get(path)
            if place is not None:
                return place.span
            path = path[:-1]
        if isinstance(arguments, JsonValue):
            return arguments.span
        return self.call.tool_span

    def node_at(self, path: Path) -> JsonNode | None:
        """Return the JSON node of the value at `path`, None where it was not written as JSON of its own."""
        arguments = self.call.arguments
        if not isinstance(arguments, JsonValue) or self.decoded:
            return None
        return arguments.read.locate((*arguments.path, *path))

    def key_span_of(self, path: Path) -> Span | None:
        """Return where the name of the argument at `path` is written, None for entries of arrays."""
        arguments = self.call.arguments
        if isinstance(arguments, JsonValue):
            return None if self.decoded else arguments.read.locate_key((*arguments.path, *path))
        place = self.coerced.places.get(path)
        return place.key if place is not None else None

    def free_names(self, owner: Path) -> list[str]:
        """Return the members that the object at `owner` could have and does not have, in the order of its schema."""
        if owner not in self._free:
            names = self._unwritten(owner)
            self._free[owner] = names, Names(names)
        return self._free[owner][0]

    def _unwritten(self, owner: Path) -> list[str]:
        if not owner and self.tool is not None:
            names = list(self.tool.parameters)
        else:
            names = list((self.schema_at(owner) or {}).get("properties") or {})
        given = self.value_at(owner)
        return [name for name in names if name not in given]

    def meant_by(self, path: Path) -> str | None:
        """Return the one free name that the unknown argument at `path` was meant to have, or None.

        It misspells that name, or it is the only unknown one where that name alone is required and missing.
        """
        return self._misspelt_by(path) or self._replaced.get(path)

    def lacks_any(self, owner: Path) -> bool:
        """Return whether the object at `owner` lacks required members."""
        return bool(self._missing.get(owner))

    def has_unplaced(self, owner: Path) -> bool:
        """Return whether the object at `owner` has an unknown member that was not meant to be any known one."""
        return owner in self._unplaced

    @cached_property
    def _unplaced(self) -> frozenset[Path]:
        return frozenset(path[:-1] for path in self._unknown if self.meant_by(path) is None)

    def fits_at(self, path: Path, value: Any) -> bool:
        """Return whether the schema of the value at `path` accepts another value."""
        schema = self.schema_at(path)
        if schema is None:
            return True
        # Alone it needs the definitions that its references lead to.
        root = self.schema or {}
        definitions = {key: root[key] for key in ("$defs", "definitions") if key in root and key not in schema}
        return not validate({**schema, **definitions}, value)

    def _misspelt_by(self, path: Path) -> str | None:
        if path not in self._near:
            self.free_names(path[:-1])
            self._near[path] = self._free[path[:-1]][1].nearest(str(path[-1]))
        return self._near[path]

    @cached_property
    def _free(self) -> dict[Path, tuple[list[str], Names]]:
        """The free names of each object asked about so far; a call may have thousands of unknown arguments."""
        return {}

    @cached_property
    def _near(self) -> dict[Path, str | None]:
        """The answers so far."""
        return {}

    def misspelt(self, owner: Path) -> frozenset[str]:
        """Return the names that unknown members of the object at `owner` were meant to be."""
        return frozenset(self._meant[owner])

    @property
    def misspellings(self) -> list[Span]:
        """The spans of argument names that misspell names of the tool."""
        spans = (self.key_span_of(path) for path in self._unknown if self._misspelt_by(path) is not None)
        return [span for span in spans if span is not None]

    def is_sole(self, path: Path) -> bool:
        """Return whether the unknown argument at `path` is the only one that misspells its name."""
        meant = self.meant_by(path)
        return meant is None or (path not in self._replaced and self._meant[path[:-1]][meant] <= 1)

    @cached_property
    def _unknown(self) -> set[Path]:
        """The paths of all unknown arguments."""
        return {(*error.path, str(name)) for error in self.errors for name in error.data.get("unexpected", ())}.union(
            self.unknown
        )

    @cached_property
    def _missing(self) -> Mapping[Path, list[str]]:
        """The required members that objects lack."""
        found: defaultdict[Path, list[str]] = defaultdict(list)
        for error in self.errors:
            if error.keyword == "required":
                found[tuple(error.path)].append(str(error.data["missing"]))
        return found

    @cached_property
    def _replaced(self) -> Mapping[Path, str]:
        """The unknown arguments that are in the place of a missing one, under names that are not like its name."""
        found: dict[Path, str] = {}
        if not self._missing:
            return found
        others: defaultdict[Path, list[Path]] = defaultdict(list)
        meant: defaultdict[Path, set[str]] = defaultdict(set)
        for path in self._unknown:
            near = self._misspelt_by(path)
            if near is None:
                others[path[:-1]].append(path)
            else:
                meant[path[:-1]].add(near)
        for owner, paths in others.items():
            missing = [name for name in self._missing.get(owner, ()) if name not in meant[owner]]
            if len(paths) == 1 and len(missing) == 1 and self._value_fits(paths[0], missing[0]):
                found[paths[0]] = missing[0]
        return found

    def _value_fits(self, path: Path, name: str) -> bool:
        """Return whether the value at `path` could be that of its sibling `name`."""
        target = (*path[:-1], name)
        arguments = self.call.arguments
        if not isinstance(arguments, MarkupValue):
            return path in self.coerced.wild or self.fits_at(target, self.value_at(path))
        place = self.coerced.places.get(path)
        if place is None or place.span != place.element.content:
            return False  # it is written several times
        read = coerce_element(place.element, arguments.style, self.schema, self.schema_at(target))
        return bool(read.wild) or self.fits_at(target, read.value)

    @cached_property
    def _meant(self) -> Mapping[Path, Counter[str]]:
        """How many unknown members of each object misspell which name."""
        found: defaultdict[Path, Counter[str]] = defaultdict(Counter)
        for path in self._unknown:
            meant = self.meant_by(path)
            if meant is not None:
                found[path[:-1]][meant] += 1
        return found


def bind(
    call: ToolCall,
    text: str,
    registry: ToolRegistry,
    settings: Settings,
    *,
    fence: FenceState | None = None,
    peers: Sequence[ToolCall] = (),
) -> Binding:
    """Return the call bound to the tool of its name that accepts it, or to the one it comes nearest to.

    `text` is the text that the call's spans refer to. Never raises.
    """
    candidates = registry.get(call.tool) if call.tool is not None else ()
    arguments = call.arguments
    decoded = _decoded(arguments.python) if isinstance(arguments, JsonValue) else None
    best: _Attempt | None = None
    for tool in candidates:
        attempt = _attempt(call, tool, decoded, placeholders=settings.placeholders)
        if best is None or attempt.faults < best.faults:
            best = attempt
        if not attempt.faults:
            break
    if best is None:
        best = _attempt(call, None, decoded, placeholders=settings.placeholders)
    binding = Binding(
        call,
        text,
        registry,
        settings,
        best.tool,
        candidates,
        best.coerced,
        best.errors,
        best.unknown,
        decoded=decoded is not None,
        fence=fence,
        peers=peers or (call,),
    )
    binding.problems = [_markup_problem(path, element) for path, element in best.coerced.texts]
    binding.problems += [problem for element in best.coerced.beside for problem in _text_between(element)]
    if binding.errors and isinstance(arguments, MarkupValue):
        for error in binding.errors:
            found = _json_problems(binding, error)
            if found:
                binding.broken.add(tuple(error.path))
                binding.problems += found
    return binding


def _decoded(value: Any) -> dict[str, Any] | None:
    """Return the object that a string in place of the arguments contains, None where there is no such string."""
    if not isinstance(value, str) or not value.lstrip().startswith("{"):
        return None
    try:
        inner = json.loads(value)
    except (ValueError, RecursionError):
        return None
    return inner if isinstance(inner, dict) else None


def _attempt(
    call: ToolCall, tool: ToolSchema | None, decoded: dict[str, Any] | None, *, placeholders: bool
) -> _Attempt:
    schema = tool.input_schema if tool is not None else None
    coerced = Coerced(value=decoded) if decoded is not None else coerce(call.arguments, schema)
    if coerced.value is None and call.arguments is None:
        coerced.value = {}
    optional = call.details.get("optional")
    if optional and coerced.repeated:
        # One of them may be left out where the other one is.
        coerced.repeated = [entry for entry in coerced.repeated if not _in_any(entry[2].span, optional)]
    if tool is None or schema is None or not tool.checked or not isinstance(coerced.value, dict):
        return _Attempt(tool, coerced, [], [])
    found = validate(schema, coerced.value)
    if placeholders:
        errors = [error for error in found if not _excused(error, coerced, call)]
    else:
        # Where a placeholder replaces the whole arguments there are none to check: a rule of its own reports it.
        errors = [error for error in found if not _is_hidden(error, coerced)]
    reported = {(*error.path, str(name)) for error in errors for name in error.data.get("unexpected", ())}
    unknown = [] if placeholders and () in coerced.wild else _unknown(tool, schema, coerced.value, reported)
    return _Attempt(tool, coerced, errors, unknown)


def _unknown(tool: ToolSchema, schema: Mapping[str, Any], value: dict[str, Any], reported: set[Path]) -> list[Path]:
    """Return the arguments that a schema does not name, where it names some and does not allow others."""
    if "properties" not in schema and not tool.parameters:
        return []
    for keyword in ("additionalProperties", "patternProperties", "unevaluatedProperties"):
        if schema.get(keyword) not in (None, False):
            return []
    if schema.get("additionalProperties") is False:
        return []
    return [(name,) for name in value if name not in tool.parameters and (name,) not in reported and not has_hole(name)]


def _json_problems(binding: Binding, error: SchemaError) -> list[Problem]:
    """Return what is wrong with the JSON of an element whose schema wants an array or an object; none for other text.

    Its fixes are certain where the tool accepts what they make of it.
    """
    from callwright.schema.schema_facts import facts_of

    value, place = _value_at(error.path, binding.coerced), binding.coerced.places.get(tuple(error.path))
    written = value.strip() if isinstance(value, str) else ""
    wanted = {"[": "array", "{": "object"}.get(written[:1])
    schema = binding.schema_at(tuple(error.path)) if wanted is not None and error.keyword in _OF_TYPES else None
    types = facts_of(binding.schema or {}).types(schema) if schema is not None else None
    if place is None or types is None or "string" in types or wanted not in types:
        return []
    text = place.element.source
    start = text.find(written, *place.span)
    read = read_json(text, start, start + len(written)) if start >= 0 else None
    # Another language is no broken JSON, and a text with escapes of XML has other places.
    if read is None or any(problem.kind in _NO_JSON for problem in read.problems):
        return []
    edits = [edit for problem in read.problems for edit in problem.repair]
    certain = all(problem.certain and problem.repair for problem in read.problems)
    if certain:
        fixed = read_json(apply_edits(written, (Edit(span.shift(-start), new) for span, new in edits)))
        certain = not fixed.problems and binding.fits_at(tuple(error.path), fixed.value)
    # The element's closer ends the JSON, and not the text.
    return [
        replace(problem, certain=certain, data={**problem.data, "truncated": False})
        if "truncated" in problem.data
        else replace(problem, certain=certain)
        for problem in read.problems
    ]


def _in_any(span: Span, spans: Sequence[Span]) -> bool:
    return any(other.start <= span.start and span.end <= other.end for other in spans)


def _excused(error: SchemaError, coerced: Coerced, call: ToolCall) -> bool:
    """Return whether placeholders, template expressions or elisions make a schema error uncertain."""
    path = tuple(error.path)
    if error.keyword in _COUNTS and (path in coerced.elided or (call.sketch and not path) or "loose" in call.details):
        return True
    unexpected = error.data.get("unexpected", ())
    if unexpected and all(has_hole(str(name)) for name in unexpected):
        return True
    for wild in coerced.wild:
        if path[: len(wild)] == wild:
            return True
        if wild[: len(path)] == path and error.keyword in _WHOLE:
            return True
    if any(elided[: len(path)] == path for elided in coerced.elided) and error.keyword in _WHOLE:
        return True
    value = _value_at(path, coerced)
    return isinstance(value, str) and is_placeholder_text(value)


def _is_hidden(error: SchemaError, coerced: Coerced) -> bool:
    """Return whether an error is about a value that is not there, because a placeholder replaces it or a part of it."""
    path = tuple(error.path)
    if path in coerced.wild and not _is_text_at(path, coerced):
        return True
    return error.keyword in _WHOLE and any(
        hidden[: len(path)] == path and not _is_text_at(hidden, coerced) for hidden in (*coerced.wild, *coerced.elided)
    )


def _is_text_at(path: Sequence[str | int], coerced: Coerced) -> bool:
    return isinstance(_value_at(path, coerced), str)


def _value_at(path: Sequence[str | int], coerced: Coerced) -> Any:
    """Return the value at a path, None where there is none."""
    value = coerced.value
    try:
        for step in path:
            value = value[step]
    except (KeyError, IndexError, TypeError):
        return None
    return value


def _text_between(element: XmlElement) -> Iterator[Problem]:
    """Yield the problem of each text between the entries of an array that is not one of them."""
    for span in element.loose_text():
        text = span.of(element.source)
        data = {"name": element.name, "text": text, "entry": element.elements[0].name}
        # A comma or semicolon alone separates entries in another format, and is ignored here.
        yield Problem("text-between-parameters", span, data, (delete(*span),), certain=text in (",", ";"))


def _markup_problem(path: Path, element: XmlElement) -> Problem:
    """Return the problem of an element that contains elements where its schema wants text."""
    first = element.elements[0].open_span
    return Problem(
        "unescaped-markup",
        first,
        {
            "parameter": str(path[-1]),
            "value": element.content,
            "text": element.content.of(element.source),
            "chars": "<",
            "spans": tuple(child.open_span for child in element.elements),
            "beside": (),
            # A reader of literal values ends the value where the inner element ends.
            "ends": any(child.name == element.name for child in element.elements),
        },
        certain=True,
    )
