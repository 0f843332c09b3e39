"""From definitions as written to checked tools.

Owns: `Definition`, `read_definitions`: locating the definitions in a document, checking each, and reporting the invalid
ones. Must not know: files; a `Places` supplies spans.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from callwright.syntax.problem import Problem
from callwright.text.records import dataclass, replace
from callwright.text.span import Span
from callwright.tools.model import Origin, ToolSchema
from callwright.tools.older_drafts import modernised
from callwright.tools.schema_check import INVALID, SchemaFault, check_schema, object_schema
from callwright.tools.sources.base import Draft, FoundDefinitions, Path, ToolSet, ToolSource, sources
from callwright.tools.typed_part import typed_part

NOT_UNDERSTOOD = "tools-not-understood"
NO_NAME = "tool-without-name"
DUPLICATE = "tool-duplicate"

#: How many wrappers may be around a definition; real ones have three.
_WRAPPERS = 6


class Places(Protocol):
    """The spans of a document's parts in its text; a path without a part gives the nearest part around it."""

    def value(self, path: Path) -> Span:
        """Return the span of the value at `path`."""

    def key(self, path: Path) -> Span:
        """Return the span of the key at the end of `path`, or of the value where there is no such key."""


class Nowhere:
    """The places of definitions that a program passed, which have no text."""

    def value(self, path: Path) -> Span:  # noqa: ARG002 - the contract's signature
        """Return the empty span at the beginning."""
        return Span(0, 0)

    key = value


class MovedPlaces:
    """The places of a document whose definitions were assembled from parts at other places in it."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._values: dict[Path, Path] = {}
        self._keys: dict[Path, Path] = {}

    @property
    def used(self) -> bool:
        """Whether any part is at another place."""
        return bool(self._values)

    def add(self, found: FoundDefinitions) -> None:
        """Record where the parts of a definition are."""
        for path, target in found.moved.items():
            self._values[found.path + path] = found.base + target
        for path, target in found.moved_keys.items():
            self._keys[found.path + path] = found.base + target

    def value(self, path: Path) -> Span:
        """Return the span of the value at `path`, or of the nearest value around it."""
        return self._places.value(self._target(path))

    def key(self, path: Path) -> Span:
        """Return the span of the key at the end of `path`, or of the value where there is no such key."""
        named = self._keys.get(path)
        return self._places.value(named) if named is not None else self._places.key(self._target(path))

    def _target(self, path: Path) -> Path:
        if self._values:
            for length in range(len(path), 0, -1):
                target = self._values.get(path[:length])
                if target is not None:
                    return target + path[length:]
        return path


@dataclass(frozen=True, slots=True)
class Definition:
    """A tool with the places of all parts of its definition.

    `source` names its format, empty where a document writes the name as a key and the schema below it. The paths lead
    from the top of the document to the definition, its name (`name_is_key` says that the name is the key at the end of
    that path), its description, its schemas and its examples, even where these are missing; None where the format has
    no place for them. `input_schema` and `output_schema` are unchanged.
    """

    tool: ToolSchema
    source: str
    value: Mapping[str, Any]
    path: Path
    name_path: Path
    name_is_key: bool
    description_path: Path
    schema_path: Path | None
    input_schema: Any
    output_path: Path | None
    output_schema: Any
    examples_path: Path | None
    examples: Any

    @property
    def schemas(self) -> Iterator[tuple[Path, Mapping[str, Any]]]:
        """The schemas that are objects, the input's first, each with its place."""
        for path, schema in ((self.schema_path, self.input_schema), (self.output_path, self.output_schema)):
            if path is not None and isinstance(schema, Mapping):
                yield path, schema


def read_definitions(
    document: Any, *, file: str | None = None, tool_set: str = "", trusted: bool = False
) -> tuple[list[ToolSchema], list[Problem]]:
    """Return the tools that a document defines, in its order, and the problems of the definitions that are left out.

    `trusted` skips the check of the schemas, for documents that were checked earlier. Never raises on JSON values.
    """
    found, problems = locate_definitions(document, file=file, tool_set=tool_set, trusted=trusted)
    return [definition.tool for definition in found], problems


def locate_definitions(
    document: Any,
    *,
    places: Places | None = None,
    file: str | None = None,
    tool_set: str = "",
    trusted: bool = False,
    only: Sequence[int] | None = None,
) -> tuple[list[Definition], list[Problem]]:
    """Return the same tools as `read_definitions`, each with the places of its parts; with `only`, those with these
    indexes in the document's one list.
    """
    reader = _Reader(places or Nowhere(), file, tool_set, trusted)
    reader.read(document, only)
    return reader.found, reader.problems


def pointer_of(path: Path) -> str:
    """Return a path as a JSON Pointer."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


class _Reader:
    def __init__(self, places: Places, file: str | None, tool_set: str, trusted: bool) -> None:
        self.found: list[Definition] = []
        self.problems: list[Problem] = []
        self._places = places if isinstance(places, MovedPlaces) else MovedPlaces(places)
        self._file = file
        self._tool_set = tool_set
        self._trusted = trusted
        self._seen: dict[tuple[str, str], FoundDefinitions] = {}
        self._stated: set[tuple[str, Span, str]] = set()
        self._passed = False
        self._sound: dict[int, Mapping[str, Any]] = {}

    def read(self, document: Any, only: Sequence[int] | None = None) -> None:
        top: Iterable[FoundDefinitions]
        if only is not None:
            prefix, items = ((), document) if isinstance(document, list) else (("tools",), document["tools"])
            top = (FoundDefinitions((*prefix, index), items[index]) for index in only)
        elif isinstance(document, list | tuple):
            top = (FoundDefinitions((index,), item) for index, item in enumerate(document))
        else:
            top = (
                FoundDefinitions((), document, name=self._name_of(document), bare=self._name_of(document) is not None),
            )
        for found in top:
            for one, source in self._definitions(found):
                self._define(one, source)
        if not self.found and not self.problems and not self._passed:
            self._problem(NOT_UNDERSTOOD, (), "the file defines no tools", "add a definition")

    def _name_of(self, document: Any) -> str | None:
        """Return the file's name where the whole file is the schema of one tool; None for any other file."""
        if (
            self._file is None
            or not isinstance(document, Mapping)
            or not isinstance(document.get("properties"), Mapping)
        ):
            return None
        if document.get("type") != "object" or "name" in document or isinstance(document.get("title"), str):
            return None
        return self._tool_set.partition(".")[0] or None

    def _definitions(self, found: FoundDefinitions) -> Iterator[tuple[FoundDefinitions, ToolSource | None]]:
        """Yield the single definitions in a value, each with its source; report a value without any."""
        pending: list[tuple[FoundDefinitions, int]] = [(found, _WRAPPERS)]
        while pending:
            current, depth = pending.pop()
            inner: Iterable[FoundDefinitions] | None = None
            if current.bare or current.draft is not None:
                self._places.add(current)
                yield current, None
                continue
            if isinstance(current.value, list) and depth > 0:
                inner = [FoundDefinitions((index,), item) for index, item in enumerate(current.value)]
            elif isinstance(current.value, Mapping):
                source, inner = _recognised(current.value) if depth > 0 else (None, None)
                if source is not None and inner is None:
                    yield current, source
                    continue
                # Tools that a provider runs itself and captured messages are not the author's tools, and not faults.
                self._passed = self._passed or (source is not None and inner == [] and source.name != "mcp")
            if inner is None:
                self._problem(
                    NOT_UNDERSTOOD,
                    current.path,
                    "this is not a tool definition in any known format",
                    "write an object with a `name` and an `inputSchema`, as in MCP's `tools/list`",
                )
                continue
            around = current
            pending.extend(
                (
                    replace(
                        one,
                        path=around.path + one.path,
                        tool_set=one.tool_set or around.tool_set,
                        base=around.path + one.base,
                    ),
                    depth - 1,
                )
                for one in reversed(list(inner))
            )

    def _define(self, found: FoundDefinitions, source: ToolSource | None) -> None:
        value: Mapping[str, Any] = found.value
        draft = found.draft
        if draft is None:
            draft = source.read(value) if source else Draft(None, value.get("description", ""), value, output_path=())
        tool_set = found.tool_set or ToolSet(name=self._tool_set)
        name = found.name if found.name is not None else draft.name
        if not isinstance(name, str) or not name.strip():
            where = found.path + draft.name_path if draft.name is not None else found.path
            self._problem(NO_NAME, where, "the definition has no usable name", "add a `name`")
            return
        name_path = found.path if found.name is not None else found.path + draft.name_path
        first = self._seen.setdefault((tool_set.name, name), found)
        if first is not found:
            if first.value == found.value and first.path[:-1] != found.path[:-1]:
                # The same list was requested twice, or in pages that overlap.
                return
            self._problem(
                DUPLICATE,
                name_path,
                f"`{name}` is defined twice in this set; the first definition is used",
                "rename or remove one of them",
                tool=name,
                first=self._places.value(first.path),
            )
            return
        input_schema, checked = self._input_schema(draft, found.path, name, tool_set)
        tool = ToolSchema(
            name=name,
            description=_text(draft.description),
            input_schema=input_schema,
            checked=checked,
            output_schema=self._output_schema(draft, found.path, name, tool_set),
            title=draft.title if isinstance(draft.title, str) else None,
            examples=tuple(one for one in draft.examples if isinstance(one, Mapping))
            if isinstance(draft.examples, list | tuple)
            else (),
            deprecated=_deprecated(draft.deprecated),
            aliases=_aliases(draft.aliases, name),
            markup=draft.markup if draft.markup in ("xml", "raw") else tool_set.markup,
            dialect=draft.dialect if isinstance(draft.dialect, str) else tool_set.dialect,
            annotations=draft.annotations if isinstance(draft.annotations, Mapping) else {},
            origin=Origin(
                tool_set=tool_set.name,
                file=self._file,
                pointer=pointer_of(found.path),
                span=None if self._trusted or self._file is None else self._places.value(found.path),
            ),
        )
        written = bool(draft.schema_path) or draft.input_schema is value
        self.found.append(
            Definition(
                tool=tool,
                source=source.name if source else found.source,
                value=value,
                path=found.path,
                name_path=name_path,
                name_is_key=found.name is not None,
                description_path=found.path + draft.name_path[:-1] + ("description",),
                schema_path=found.path + draft.schema_path if written else None,
                input_schema=draft.input_schema,
                output_path=found.path + draft.output_path if draft.output_path else None,
                output_schema=draft.output_schema,
                examples_path=found.path + draft.examples_path if draft.examples_path else None,
                examples=draft.examples,
            )
        )

    def _input_schema(self, draft: Draft, path: Path, name: str, tool_set: ToolSet) -> tuple[Mapping[str, Any], bool]:
        """Return the input schema and whether arguments can be validated with it.

        For an invalid schema, the result is its valid part about types; for one that is missing or not for objects, a
        schema that allows any object.
        """
        schema = _completed(draft.input_schema, tool_set)
        if schema is None and not draft.schema_path:
            return {"type": "object"}, True
        if schema is None:
            # A function without parameters may have no schema or `null`; MCP forbids the latter.
            if draft.schema_path == ("inputSchema",):
                self._schema_problem(
                    SchemaFault(INVALID, (), "`inputSchema` must be an object, not `null`", _EMPTY),
                    draft.schema_path,
                    path,
                    name,
                )
            return {"type": "object"}, True
        if not self._trusted:
            schema, faults = self._checked(schema)
            for fault in faults:
                self._schema_problem(fault, draft.schema_path, path, name)
            if faults:
                described = object_schema(typed_part(schema) or {}) if isinstance(schema, Mapping) else None
                return described or {"type": "object"}, False
        described = object_schema(schema)
        if described is None:
            fault = SchemaFault(
                INVALID,
                ("type",),
                "the arguments of a call are an object, but this schema describes something else",
                _EMPTY,
            )
            self._schema_problem(fault, draft.schema_path, path, name)
            return {"type": "object"}, True
        return described, True

    def _checked(self, schema: Any) -> tuple[Any, list[SchemaFault]]:
        """Return a schema and its faults; one that is valid only in an older draft is translated to the newest.

        Definitions that many schemas share are checked once.
        """
        shared = schema.get("$defs") if isinstance(schema, Mapping) else None
        scanned_into = schema
        if isinstance(shared, Mapping) and any(id(one) in self._sound for one in shared.values()):
            stubs = {name: True if id(one) in self._sound else one for name, one in shared.items()}
            scanned_into = {**schema, "$defs": stubs}
        faults = check_schema(scanned_into)
        if faults and scanned_into is not schema:
            faults = check_schema(schema)
        if not faults:
            for one in shared.values() if isinstance(shared, Mapping) else ():
                if isinstance(one, Mapping):
                    # The object is kept with its `id`, which another object could get once it is freed.
                    self._sound[id(one)] = one
            return schema, []
        modern = modernised(schema)
        if modern is not None and not check_schema(modern):
            return modern, []
        return schema, faults

    def _output_schema(self, draft: Draft, path: Path, name: str, tool_set: ToolSet) -> Mapping[str, Any] | None:
        schema = _completed(draft.output_schema, tool_set)
        if schema is None or self._trusted:
            return schema if isinstance(schema, Mapping) else None
        schema, faults = self._checked(schema)
        for fault in faults:
            self._schema_problem(fault, draft.output_path, path, name)
        return None if faults else schema

    def _schema_problem(self, fault: SchemaFault, schema_path: Path, path: Path, name: str) -> None:
        self._problem(
            fault.kind,
            path + schema_path + fault.path,
            fault.reason,
            fault.remedy,
            tool=name,
            convention=fault.convention,
        )

    def _problem(self, kind: str, path: Path, reason: str, remedy: str, **data: Any) -> None:
        span = self._places.value(path)
        if self._places.used:
            # A fault that several tools refer to is reported once.
            key = (kind, span, reason)
            if key in self._stated:
                return
            self._stated.add(key)
        self.problems.append(
            Problem(kind, span, {"pointer": pointer_of(path), "reason": reason, "remedy": remedy, **data})
        )


_EMPTY = 'write `{"type": "object"}` for a tool without arguments'


def _recognised(value: Mapping[str, Any]) -> tuple[ToolSource | None, Iterable[FoundDefinitions] | None]:
    """Return the source that an object belongs to, with the values in it where it is a wrapper; or neither."""
    for source in sources():
        inner = source.unwrap(value)
        if inner is not None:
            return source, inner
        if source.matches(value):
            return source, None
    return None, None


def _completed(schema: Any, tool_set: ToolSet) -> Any:
    """Return a schema with the definitions that its set shares; its own take precedence."""
    if not tool_set.definitions or not isinstance(schema, Mapping):
        return schema
    own = schema.get("$defs")
    return {**schema, "$defs": {**tool_set.definitions, **(own if isinstance(own, Mapping) else {})}}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _deprecated(value: Any) -> str | None:
    """Return the remedy, an empty string for a bare `true`, None where the tool is not deprecated."""
    if isinstance(value, str):
        return value
    return "" if value is True else None


def _aliases(value: Any, name: str) -> tuple[str, ...]:
    if not isinstance(value, list | tuple):
        return ()
    return tuple(dict.fromkeys(alias for alias in value if isinstance(alias, str) and alias and alias != name))
