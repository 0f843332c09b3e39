"""Definitions in JSON: objects with a name and a JSON Schema, in a section, a fence or on lines of their own.

Owns: which keys show such a definition. Must not know: the shapes that definitions have (sources of tools know them),
headings.

The shapes are those of the APIs of OpenAI, Anthropic, Google and of MCP. Prompts have them as a list, one object
after another, or one a line (`<function>{…}</function>`).
"""

from __future__ import annotations

from callwright.declarations.styles.base import Body, Style, View
from callwright.declarations.styles.support.definition_shapes import is_definition
from callwright.declarations.styles.support.json_text import JSON, read_value
from callwright.declarations.styles.support.objects import locate_definition
from callwright.declarations.styles.support.parameter_maps import with_schemas
from callwright.text.span import Span


class JsonSchema:
    """A JSON object that defines a tool, or a list of such objects."""

    name = "json-schema"
    title = "a JSON definition"
    markers = (
        *('"parameters"', '"input_schema"', '"inputSchema"', '"parametersJsonSchema"', '"parameters_json_schema"'),
        *('"functionDeclarations"', '"function_declarations"'),
    )
    rank = 10

    def locate(self, view: View, at: int) -> Span | None:
        """Return the span of the JSON value around the key at `at`, where that value defines tools."""
        return locate_definition(view, at, JSON)

    def read(self, text: str) -> Body | None:
        """Return the definitions of a JSON text."""
        body = read_value(text)
        return with_schemas(body, text) if body is not None and is_definition(body.value) else None


STYLE: Style = JsonSchema()
