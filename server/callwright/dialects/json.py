"""The `json` dialect: one JSON object whose `tool_calls` lists the calls.

Owns: this dialect. Must not know: other dialects, the registry's class.
"""

from collections.abc import Sequence
from typing import Any

from callwright.calls.json_objects import ARGUMENTS_KEY, LIST_KEY, read_list
from callwright.calls.protocol import ReadContext, Reading, Refusal, Rendering, RenderStyle
from callwright.calls.render import json_body
from callwright.dialects.base import JSON_RULE, Dialect


class Json(Dialect):
    """A JSON object at the start of a line lists the calls under `tool_calls`, each with `tool_name` and `arguments`.

    A list of such calls without the object is read as well.
    """

    name = "json"
    title = "JSON output"
    summary = '`{"tool_calls": [{"tool_name": …, "arguments": …}]}`, the whole answer or an object on lines of its own.'
    used_by: Sequence[str] = ("RagForge (its JSON output)", "llama.cpp (models without a dialect of their own)")
    openers: Sequence[str] = ("{", "[")
    #: What the streaming parser needs to know of the dialect: where the calls and their parts are.
    list_key = LIST_KEY
    arguments_key = ARGUMENTS_KEY
    placement = "line"
    gathers = True
    typed = True
    typing = "Values have the types of JSON."
    escaping = "JSON escapes. A string cannot end a call."
    ambiguity = """
        The object must be the first text on a line, with `tool_calls` as its first key. The first object of a list must
        begin with `tool_name`. In a json fence the same object is `fenced-json`, unless this dialect is named. A list
        whose entries have neither a name nor arguments is data.
    """
    peers = """
        RagForge parses the whole answer as one JSON text, drops a call without `tool_name` or `arguments`, and reads
        other keys next to `tool_calls` as the answer's own. llama.cpp writes `name` instead of `tool_name`; Callwright
        reads both. OpenAI's `{"function": {"name": …}}` is `openai-json`.
    """
    alone = True
    asks = (
        (
            'Answer with one JSON object. Under its key "tool_calls", list the calls: each an object with the keys'
            ' "tool_name" and "arguments".'
        ),
        JSON_RULE,
    )

    def read(self, text: str, start: int, context: ReadContext) -> Reading | None:
        """Read the list of calls that begins at `start`."""
        return read_list(text, start, context, self.name)

    def render_all(self, calls: Sequence[Rendering], style: RenderStyle) -> str | Refusal:
        """Return the calls as one object."""
        entries: list[dict[str, Any]] = []
        for call in calls:
            entry: dict[str, Any] = {} if call.call_id is None else {"id": call.call_id}
            entries.append({"tool_name": call.tool, **entry, "arguments": call.arguments})
        return json_body({LIST_KEY: entries}, style, 0)


DIALECT: Dialect = Json()
