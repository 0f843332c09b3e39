"""Tools in the formats of OpenAI's APIs: nested for chat completions, flat for responses.

Owns: both shapes, custom tools, the list of functions that came before them, and the tools that OpenAI runs itself.
Must not know: other sources, files. The shapes: https://platform.openai.com/docs/api-reference/responses/create.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from callwright.text.patterns import compile_later
from callwright.tools.sources.base import Definition, Draft, FoundDefinitions, ToolSource, drafted, members

#: Tools that OpenAI runs: a request names their type, and no call in a text names them.
_OWN: Final = compile_later(
    r"(?:web_search|file_search|code_interpreter|computer|computer_use|image_generation|local_shell|shell|apply_patch|mcp"
    r"|tool_search|browser_search)(?:_preview)?+(?:_20[0-9]{2}_[0-9]{2}_[0-9]{2})?+"
)


class OpenAiSource(ToolSource):
    """`{"type": "function", "function": {…}}` and `{"type": "function", "name": …, "parameters": …}`.

    A custom tool (`"type": "custom"`) is written in the same two ways and has no schema, because it takes text.
    """

    name = "openai"
    order = 30

    def unwrap(self, document: Definition) -> list[FoundDefinitions] | None:
        """Return the functions of a request in the legacy form; `tools` of a request are unwrapped elsewhere.

        A tool that OpenAI runs itself has none.
        """
        named = document.get("type")
        if isinstance(named, str) and _OWN.fullmatch(named) and "name" not in document and "function" not in document:
            return []
        return members(document, "functions")

    def matches(self, definition: Definition) -> bool:
        """Return whether the definition is of type `function`, or nests one or a custom tool."""
        return definition.get("type") == "function" or _nested(definition) is not None

    def read(self, definition: Definition) -> Draft:
        """Return the draft of the function, nested or flat."""
        key = _nested(definition)
        function = definition[key] if key is not None else definition
        inside = (key,) if key is not None else ()
        return drafted(function, "parameters", inside=inside, examples=("parameters", "examples"))


def _nested(definition: Definition) -> str | None:
    """Return the key under which the tool itself is, None where its members are the definition's own."""
    if isinstance(definition.get("function"), Mapping):
        return "function"
    if definition.get("type") == "custom" and isinstance(definition.get("custom"), Mapping):
        return "custom"
    return None


SOURCE = OpenAiSource()
