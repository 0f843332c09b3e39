"""What a source of tools is: the contract between one format of tool definitions and their reader.

Owns: `ToolSource`, `FoundDefinitions`, `Draft`, and the discovery of the sources in this folder. Must not know: any
single source, files, the registry.
"""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, ClassVar, TypeAlias

from callwright.index import module_names
from callwright.text.records import dataclass, field

Definition: TypeAlias = Mapping[str, Any]
Path: TypeAlias = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class ToolSet:
    """What a file states for all of its tools: the set's name, and the dialect and markup of its own system.

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
    """A value inside a document with one or more definitions: its place and the set that it belongs to.

    `name` is the tool's name where the document writes it as a key, outside the definition; `bare` says that the value
    is then the input schema itself. A wrapper that assembles a definition itself passes it as a `draft`, with the name
    of its format as `source`; `moved` then maps paths inside the definition to paths inside the wrapper, which is at
    `base`; `moved_keys` does the same for keys.
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

    `schema_path` leads from the definition to the input schema, so that faults in it have a place; `output_path` and
    `examples_path` lead to the output schema and to the list of examples, empty where the source has none.
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
    """One format of tool definitions. A module in this room has exactly one, bound to the name `SOURCE`.

    `order` is the order of matching: a more specific shape has a lower number. A source whose wrappers assemble all
    definitions themselves matches none. No method raises on any JSON value.
    """

    name: ClassVar[str]
    order: ClassVar[int]

    @abstractmethod
    def unwrap(self, document: Definition) -> Iterable[FoundDefinitions] | None:
        """Return the definitions in an object, or None where it is not a wrapper of this source.

        The list is empty for an object of the source that may be without definitions and is.
        """

    def matches(self, definition: Definition) -> bool:
        """Return whether the object is one definition of this source."""
        del definition
        return False

    def read(self, definition: Definition) -> Draft:
        """Return the draft of the definition; called only if it matches."""
        del definition
        return Draft(None)


def allow_null(schema: dict[str, Any]) -> bool:
    """Translate OpenAPI's `nullable` to JSON Schema in place; return whether the schema names one type."""
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
    """Return the draft of a definition with the keys that most formats share.

    `schema` and `output` are the keys of its schemas, `examples` leads to its examples, `inside` to the definition in
    the written value; `said` has the fields that this format states differently or additionally.
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
    """Return every source in this folder, the most specific first."""
    found = [importlib.import_module(name).SOURCE for name in module_names("tools/sources")]
    return tuple(sorted(found, key=lambda source: (source.order, source.name)))


def members(document: Definition, key: str) -> list[FoundDefinitions] | None:
    """Return the items of the list at `key` as values to read, or None where there is no list."""
    items = document.get(key)
    if not isinstance(items, list):
        return None
    return [FoundDefinitions((key, index), item) for index, item in enumerate(items)]


def deprecation(definition: Definition) -> Any:
    """Return the deprecation that a definition states in one of the usual places."""
    annotations = definition.get("annotations")
    if "deprecated" in definition:
        return definition["deprecated"]
    return annotations.get("deprecated") if isinstance(annotations, Mapping) else None


def first_key(definition: Definition, *keys: str) -> str | None:
    """Return the first of the keys that the definition has."""
    return next((key for key in keys if key in definition), None)


def hints(definition: Definition) -> Mapping[str, Any]:
    """Return the hints of the tool's behaviour in a definition: MCP's annotations, and whether it may run as a task."""
    annotations, execution = definition.get("annotations"), definition.get("execution")
    stated = dict(annotations) if isinstance(annotations, Mapping) else {}
    stated.pop("title", None)
    stated.pop("deprecated", None)
    if isinstance(execution, Mapping) and isinstance(execution.get("taskSupport"), str):
        stated["taskSupport"] = execution["taskSupport"]
    return stated
