"""Tools as OpenAI's interfaces take them: nested for chat completions, flat for responses.

Owns: both shapes, and the list of functions that came before them. Must not know: other sources, files.
"""

from __future__ import annotations

from collections.abc import Mapping

from callwright.tools.sources.base import Definition, Draft, Found, deprecation, members


class OpenAiSource:
    """`{"type": "function", "function": {…}}` and `{"type": "function", "name": …, "parameters": …}`."""

    name = "openai"
    order = 30

    def unwrap(self, document: Definition) -> list[Found] | None:
        """Return the functions of a request in the older form; `tools` of a request are unwrapped elsewhere."""
        return members(document, "functions")

    def matches(self, definition: Definition) -> bool:
        """Tell whether the definition calls itself a function, or nests one."""
        return definition.get("type") == "function" or isinstance(definition.get("function"), Mapping)

    def read(self, definition: Definition) -> Draft:
        """Return what the function says, wherever it stands."""
        nested = definition.get("function")
        function = nested if isinstance(nested, Mapping) else definition
        prefix = ("function",) if isinstance(nested, Mapping) else ()
        schema = function.get("parameters")
        return Draft(
            name=function.get("name"),
            description=function.get("description", ""),
            input_schema=schema,
            schema_path=(*prefix, "parameters"),
            examples=schema.get("examples", ()) if isinstance(schema, Mapping) else (),
            deprecated=deprecation(function),
            name_path=(*prefix, "name"),
        )


SOURCE = OpenAiSource()
