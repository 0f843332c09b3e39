"""A tool: its name, its schemas, and its origin.

Owns: `ToolSchema`, `Origin`. Must not know: how a definition was written, calls, documents.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from callwright.text.records import dataclass, field
from callwright.tools.parameters import Parameter, mentions_deprecation, parameters_of

if TYPE_CHECKING:
    from callwright.text.span import Span


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a tool was defined: the tool set's name, the file (None for a definition from a program), the place.

    `span` covers the definition in the file; `pointer` is its JSON Pointer there.
    """

    tool_set: str = ""
    file: str | None = None
    pointer: str = ""
    span: Span | None = None


@dataclass(frozen=True)
class ToolSchema:
    """One tool of a registry.

    `input_schema` is the JSON Schema of the arguments object, always an object schema. `deprecated` is the remedy ("use
    `launch`") or an empty string where the tool is deprecated without one, None where it is not deprecated. `aliases`
    are other names of the same tool. `dialect` is the one of its own system, `markup` how text in its elements is
    written, `"xml"` or `"raw"`; each is None where none is stated. `checked` is False where the author's schema is
    invalid: `input_schema` is then its valid part about types, and is not used for validation. `whole` is False where
    the list of parameters may be incomplete: an argument of another name is then not an error. `annotations` are
    unverified hints of its behaviour, with MCP's names (`readOnlyHint`, …).
    """

    name: str
    description: str = ""
    input_schema: Mapping[str, Any] = field(default_factory=lambda: {"type": "object"})
    output_schema: Mapping[str, Any] | None = None
    title: str | None = None
    examples: tuple[Mapping[str, Any], ...] = ()
    deprecated: str | None = None
    aliases: tuple[str, ...] = ()
    markup: str | None = None
    dialect: str | None = None
    origin: Origin = Origin()
    checked: bool = True
    whole: bool = True
    annotations: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def parameters(self) -> Mapping[str, Parameter]:
        """The parameters in the order of the schema; those reached through a local `$ref` or `allOf` included."""
        return parameters_of(self.input_schema)

    @cached_property
    def has_deprecations(self) -> bool:
        """Whether the tool itself or any part of its arguments is deprecated."""
        return self.deprecated is not None or mentions_deprecation(self.input_schema)
