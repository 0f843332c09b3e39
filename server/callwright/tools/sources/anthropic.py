"""Tools in the format of Anthropic's messages API.

Owns: `{"name", "description", "input_schema", "input_examples"}`, and the tools that Anthropic defines itself. Must not
know: other sources, files. The shapes: https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview.
"""

from __future__ import annotations

from typing import Final

from callwright.text.patterns import compile_later
from callwright.tools.sources.base import Definition, Draft, FoundDefinitions, ToolSource, drafted, members

#: The version of a tool that Anthropic defines, as in `bash_20250124`.
_OWN: Final = compile_later(r"([a-z][a-z_]*+)(?<=_)20[0-9]{6}")


class AnthropicSource(ToolSource):
    """A definition whose schema is under `input_schema`, as also in some agents' own files.

    A tool that Anthropic defines has a type with a date, and a name; its schema is not in the definition.
    """

    name = "anthropic"
    order = 25

    def unwrap(self, document: Definition) -> list[FoundDefinitions] | None:
        """Return the tools of a complete request to the messages API; a set of a server's tools has none."""
        if document.get("type") == "mcp_toolset":
            return []
        return members(document, "tools") if "messages" in document else None

    def matches(self, definition: Definition) -> bool:
        """Return whether the definition has its schema where Anthropic's format has it, or is of a type with its own
        schema.
        """
        return "input_schema" in definition or (_own_type(definition) is not None and "name" in definition)

    def read(self, definition: Definition) -> Draft:
        """Return the draft of the definition."""
        own = _own_type(definition)
        if own is not None and "input_schema" not in definition:
            return Draft(name=definition.get("name"), description=f"A tool that Anthropic defines, `{own}`.")
        title = definition.get("title")
        return drafted(definition, "input_schema", output="output_schema", examples=("input_examples",), title=title)


def _own_type(definition: Definition) -> str | None:
    """Return the type of a tool that Anthropic defines, None for any other."""
    named = definition.get("type")
    return named if isinstance(named, str) and _OWN.fullmatch(named) else None


SOURCE = AnthropicSource()
