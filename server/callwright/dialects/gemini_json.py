"""The `gemini-json` dialect: the `functionCall` parts of a content, as Gemini's API has them.

Owns: this dialect. Must not know: other dialects, the registry's class.
"""

from collections.abc import Sequence
from typing import Any

from callwright.calls.protocol import Refusal, Rendering
from callwright.calls.provider_json import GEMINI
from callwright.dialects.base import JSON_RULE
from callwright.dialects.support.provider import SENDS, ProviderDialect


class GeminiJson(ProviderDialect):
    """Each call is a part with `functionCall`, which contains `name` and `args`. Several calls are in a list.

    `function_call` as the Python library writes it, the list `parts`, the whole content and the `functionCalls` of a
    live connection are read as well.
    """

    name = GEMINI
    title = "Gemini function calls"
    summary = '`{"functionCall": {"name": …, "args": {…}}}`, or a list of such parts.'
    used_by: Sequence[str] = (
        "Gemini's API and Vertex AI",
        "Google's Agent Development Kit",
        "documentation, and prompts with examples of its messages",
    )
    openers: Sequence[str] = ("{", "[", '{"functionCall"', '{"function_call"', '{"role"')
    peers = (
        SENDS
        + """ `args` is optional (`googleapis/python-genai`, `google/genai/types.py`). `function_call` with
        `arguments` instead of `args` is `openai-json`.
    """
    )
    alone = True
    asks = (
        (
            'Write each call as a JSON object with the key "functionCall", which holds an object with the keys "name"'
            ' and "args"; write several in one JSON list, and nothing else.'
        ),
        JSON_RULE,
    )

    def entry(self, call: Rendering) -> dict[str, Any] | Refusal:
        """Return the part that means a call."""
        head: dict[str, Any] = {} if call.call_id is None else {"id": call.call_id}
        return {"functionCall": {**head, "name": call.tool, "args": call.arguments}}


DIALECT = GeminiJson()
