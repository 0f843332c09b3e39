"""The `openai-json` dialect: the `tool_calls` of an assistant's message, as OpenAI's API has them.

Owns: this dialect. Must not know: other dialects, the registry's class.
"""

from collections.abc import Sequence
from typing import Any

from callwright.calls.protocol import Refusal, Rendering
from callwright.calls.provider_json import OPENAI
from callwright.calls.render import json_text
from callwright.dialects.support.provider import SENDS, ProviderDialect


class OpenAIJson(ProviderDialect):
    """An object lists the calls under `tool_calls`, each with its name and its arguments under `function`.

    The arguments are a string that contains their JSON. The whole message, the list alone, a single entry, the older
    `function_call` and the `function_call` items of the Responses API are read as well.
    """

    name = OPENAI
    title = "OpenAI tool calls"
    summary = '`{"tool_calls": [{"type": "function", "function": {"name": …, "arguments": "{…}"}}]}`.'
    used_by: Sequence[str] = (
        "OpenAI's API",
        "servers that speak its protocol: vLLM, SGLang, llama.cpp, Ollama",
        "documentation, and prompts with examples of its messages",
    )
    openers: Sequence[str] = ("{", "[", '{"tool_calls"', '{"function_call"', '{"type"', '{"id"', '{"role"')
    #: What the streaming parser needs to know of the dialect: where the calls and their parts are.
    list_key = "tool_calls"
    escaping = """
        The arguments are JSON in a JSON string, so their quotes and backslashes are escaped twice. Diagnostics refer to
        the exact characters, and fixes write both levels of escapes.
    """
    peers = (
        SENDS
        + """ In OpenAI's client (`openai/openai-python`, `chat_completion_message_function_tool_call.py`) the arguments
        are a string, which the program parses. Ollama's own API writes an object; Callwright reads both.

        In a message, entries with `name` and `arguments` (or `args`) but without `function` are read as well, because
        some frameworks write them. An object with only such a list is `fenced-json` or `json`.
    """
    )
    alone = True
    asks = (
        (
            'Write all calls in one JSON object. Its key "tool_calls" lists them: each has the "type" "function", and'
            ' under "function" an object with the keys "name" and "arguments".'
        ),
        'Under "arguments", write a JSON object with the arguments as one string, with its quotes escaped.',
    )

    def entry(self, call: Rendering) -> dict[str, Any] | Refusal:
        """Return the entry of the list that means a call."""
        written = json_text(call.arguments)
        if isinstance(written, Refusal):
            return written
        head: dict[str, Any] = {} if call.call_id is None else {"id": call.call_id}
        return {**head, "type": "function", "function": {"name": call.tool, "arguments": written}}

    def around(self, entries: list[dict[str, Any]]) -> Any:
        """Return the object that lists the entries."""
        return {"tool_calls": entries}


DIALECT = OpenAIJson()
