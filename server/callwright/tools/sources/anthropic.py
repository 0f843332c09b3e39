"""Tools as Anthropic's messages interface takes them.

Owns: `{"name", "description", "input_schema", "input_examples"}`. Must not know: other sources, files.
"""

from __future__ import annotations

from callwright.tools.sources.base import Definition, Draft, Found, deprecation, members


class AnthropicSource:
    """A definition whose schema is called `input_schema`, as some agents' own files call it too."""

    name = "anthropic"
    order = 25

    def unwrap(self, document: Definition) -> list[Found] | None:
        """Return the tools of a request to the messages interface that is kept whole."""
        return members(document, "tools") if "messages" in document else None

    def matches(self, definition: Definition) -> bool:
        """Tell whether the definition has its schema where Anthropic puts it."""
        return "input_schema" in definition

    def read(self, definition: Definition) -> Draft:
        """Return what the definition says."""
        return Draft(
            name=definition.get("name"),
            description=definition.get("description", ""),
            input_schema=definition.get("input_schema"),
            schema_path=("input_schema",),
            output_schema=definition.get("output_schema"),
            output_path=("output_schema",),
            title=definition.get("title"),
            examples=definition.get("input_examples", ()),
            examples_path=("input_examples",),
            deprecated=deprecation(definition),
        )


SOURCE = AnthropicSource()
