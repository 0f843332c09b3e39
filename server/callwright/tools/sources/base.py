"""What a source of tools is: the contract between one way to write tool definitions and the reader that drives them.

Owns: `Source`, `Found`, `Draft`, and the discovery of the sources in this folder. Must not know: any single source,
files, the registry.
"""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, ClassVar, TypeAlias

from callwright.index import module_names

Definition: TypeAlias = Mapping[str, Any]
Path: TypeAlias = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class ToolSet:
    """What a whole file says of all its tools: the set's name, and the dialect and markup of its own system.

    `definitions` are schemas that every schema of the set may refer to under `$defs`.
    """

    name: str = ""
    title: str = ""
    description: str = ""
    dialect: str | None = None
    markup: str | None = None
    definitions: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FoundDefinitions:
    """A value inside a document that holds one or more definitions: where it is and the set it belongs to.

    `name` is the tool's name where the document writes it as a key, outside the definition; `bare` says that the value
    is then the input schema itself. A wrapper that puts a definition together itself gives it as a `draft`, and in
    `source` the name of its way of writing; `moved` then says where the parts of that are: from paths inside the
    definition to paths inside the wrapper, which is at `base`; `moved_keys` the same for what names them.
    """

    path: Path
    value: Any
    tool_set: ToolSet | None = None
    name: str | None = None
    bare: bool = False
    draft: Draft | None = None
    source: str = ""
    moved: Mapping[Path, Path] = field(default_factory=dict)
    moved_keys: Mapping[Path, Path] = field(default_factory=dict)
    base: Path = ()


@dataclass(frozen=True, slots=True)
class Draft:
    """A definition as its source read it, unchecked: every field may still be of the wrong type.

    `schema_path` leads from the definition to the input schema, so that a fault in it can be shown; `output_path` and
    `examples_path` lead to the output schema and to the list of examples, empty where this source has no such thing.
    """

    name: Any
    description: Any = ""
    input_schema: Any = None
    schema_path: Path = ()
    output_schema: Any = None
    output_path: Path = ()
    title: Any = None
    examples: Any = ()
    examples_path: Path = ()
    deprecated: Any = None
    aliases: Any = ()
    markup: Any = None
    dialect: Any = None
    annotations: Any = None
    name_path: Path = field(default=("name",))


class ToolSource(ABC):
    """One way to write tool definitions. A module in this room has exactly one, bound to the name `SOURCE`.

    `order` says who is asked first: the more particular shape has the lower number. A source whose wrappers put all
    definitions together themselves matches none. No method raises on any JSON value.
    """

    name: ClassVar[str]
    order: ClassVar[int]

    @abstractmethod
    def unwrap(self, document: Definition) -> Iterable[FoundDefinitions] | None:
        """Return the definitions that an object holds, or None where it is no wrapper of this source.

        An object that belongs to the source and holds none, and need not, gives an empty list.
        """

    def matches(self, definition: Definition) -> bool:
        """Return whether the object is one definition of this source."""
        del definition
        return False

    def read(self, definition: Definition) -> Draft:
        """Return what the definition says; asked only where it matches."""
        del definition
        return Draft(None)


def allow_null(schema: dict[str, Any]) -> bool:
    """Say in JSON Schema's words that a value may be null, as OpenAPI's `nullable` does of a type; return whether the
    schema names one type."""
    if not isinstance(schema.get("type"), str):
        return False
    schema["type"] = [schema["type"], "null"]
    if isinstance(schema.get("enum"), list) and None not in schema["enum"]:
        schema["enum"] = [*schema["enum"], None]
    return True


def drafted(
    definition: Definition,
    schema: str | None,
    *,
    inside: Path = (),
    output: str | None = None,
    examples: Path = (),
    **stated: Any,
) -> Draft:
    """Return what a definition says under the names that most ways to write one share.

    `schema` and `output` are the members that hold its schemas, `examples` leads to its examples, `inside` to the
    definition in what is written; `said` is what this way of writing says otherwise, or beside these.
    """
    listed: Any = definition if examples else ()
    for step in examples:
        listed = listed.get(step, ()) if isinstance(listed, Mapping) else ()
    usual: dict[str, Any] = {
        "name": definition.get("name"),
        "description": definition.get("description", ""),
        "input_schema": definition.get(schema) if schema is not None else None,
        "schema_path": (*inside, schema) if schema is not None else (),
        "output_schema": definition.get(output) if output is not None else None,
        "output_path": (*inside, output) if output is not None else (),
        "examples": listed,
        "examples_path": (*inside, *examples) if examples else (),
        "deprecated": deprecation(definition),
        "name_path": (*inside, "name"),
    }
    return Draft(**{**usual, **stated})


@cache
def sources() -> tuple[ToolSource, ...]:
    """Return every source in this folder, the most particular first."""
    found = [importlib.import_module(name).SOURCE for name in module_names("tools/sources")]
    return tuple(sorted(found, key=lambda source: (source.order, source.name)))


def members(document: Definition, key: str) -> list[FoundDefinitions] | None:
    """Return the items of the list at `key` as values to look into, or None where there is no list."""
    items = document.get(key)
    if not isinstance(items, list):
        return None
    return [FoundDefinitions((key, index), item) for index, item in enumerate(items)]


def deprecation(definition: Definition) -> Any:
    """Return what a definition says of its deprecation, in the places where such a remark is usual."""
    annotations = definition.get("annotations")
    if "deprecated" in definition:
        return definition["deprecated"]
    return annotations.get("deprecated") if isinstance(annotations, Mapping) else None


def first_key(definition: Definition, *keys: str) -> str | None:
    """Return the first of the keys that the definition has."""
    return next((key for key in keys if key in definition), None)


def hints(definition: Definition) -> Mapping[str, Any]:
    """Return what a definition says of the tool's behaviour: MCP's annotations, and whether it may run as a task."""
    annotations, execution = definition.get("annotations"), definition.get("execution")
    stated = dict(annotations) if isinstance(annotations, Mapping) else {}
    stated.pop("title", None)
    stated.pop("deprecated", None)
    if isinstance(execution, Mapping) and isinstance(execution.get("taskSupport"), str):
        stated["taskSupport"] = execution["taskSupport"]
    return stated
