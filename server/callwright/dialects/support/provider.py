"""The family of dialects that write calls as a provider's API gives them.

Owns: `ProviderDialect`, which lays out one object or a list of them. Must not know: any single dialect.
"""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from callwright.calls.protocol import ReadContext, Reading, Refusal, Rendering, RenderStyle, collected
from callwright.calls.provider_json import read_provider
from callwright.calls.render import json_body
from callwright.dialects.base import Dialect

PLACES = """
        Such objects are calls anywhere in a JSON value: a single object, a list, a message, a whole exchange. The value
        must begin a line, or a word of the dialect must follow its first bracket. In a fence of shell commands it must
        be valid; in a fence of a programming language it must also be the whole content.

        A value that is not JSON and whose first key has single quotes or none is a program's, or what a program prints:
        it is no call, except in a JSON fence or where the dialect is configured.

        A call inside other JSON is not converted alone, because only such an object is valid there.

        Definitions of tools, results, tool choices, and the pieces of a stream are not calls. A string in place of the
        arguments, such as `"..."`, makes a sketch.
    """
SENDS = "An API creates these objects from the output of a model. Callwright reads them as text."


class ProviderDialect(Dialect):
    """A dialect whose calls are objects of an API; a subclass defines the object of one call."""

    placement = "line"
    gathers = True
    typed = True
    typing = "Values have the types of JSON."
    escaping = "JSON escapes. A string cannot end a call."
    ambiguity = PLACES

    def read(self, text: str, start: int, context: ReadContext) -> Reading | None:
        """Read the calls in the JSON value that begins at `start`."""
        return read_provider(text, start, context, self.name)

    @abstractmethod
    def entry(self, call: Rendering) -> dict[str, Any] | Refusal:
        """Return the object that means a call."""

    def around(self, entries: list[dict[str, Any]]) -> Any:
        """Return the value that contains the objects of several calls, or of one."""
        return entries if len(entries) > 1 else entries[0]

    def render_all(self, calls: Sequence[Rendering], style: RenderStyle) -> str | Refusal:
        """Return the calls as one JSON value."""
        entries = collected(map(self.entry, calls))
        return entries if isinstance(entries, Refusal) else json_body(self.around(entries), style, 0)
