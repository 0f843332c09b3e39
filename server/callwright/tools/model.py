"""A tool: its name, its schemas, and where they came from.

Owns: `ToolSchema`, `Origin`. Must not know: how a definition was written, calls, documents.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from callwright.text.span import Span
from callwright.tools.parameters import Parameter, mentions_deprecation, parameters_of


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a tool was defined: the tool set's name, the file (None for a definition given by a program), the place.

    `span` covers the definition in the file; `pointer` is its JSON Pointer there.
    """

    tool_set: str = ""
    file: str | None = None
    pointer: str = ""
    span: Span | None = None


@dataclass(frozen=True)
class ToolSchema:
    """One tool as the registry knows it.

    `input_schema` is the JSON Schema of the arguments object, always an object schema. `deprecated` holds the remedy
    ("use `launch`") or an empty string where the tool is merely deprecated, None where it is not. `aliases` are other
    names of the same tool. `dialect` is the one its own system uses, `markup` how text in its elements is written,
    `"xml"` or `"raw"`; each is None where none is stated. `checked` is False where the author's schema is not valid:
    `input_schema` is then what it still says about types, and judges nothing. `whole` is False where its author lists
    parameters and does not say that these are all: an argument of another name is then no fault. `annotations` are
    hints of its behaviour that no one vouches for, in MCP's words (`readOnlyHint`, …).
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
        """Whether the tool itself or anything that its arguments may hold is deprecated."""
        return self.deprecated is not None or mentions_deprecation(self.input_schema)
