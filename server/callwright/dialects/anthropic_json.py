"""The `anthropic-json` dialect: the `tool_use` blocks of a message, as Anthropic's API has them.

Owns: this dialect. Must not know: other dialects, the registry's class.
"""

from collections.abc import Sequence
from typing import Any

from callwright.calls.protocol import Refusal, Rendering
from callwright.calls.provider_json import ANTHROPIC
from callwright.dialects.base import JSON_RULE
from callwright.dialects.support.provider import SENDS, ProviderDialect


class AnthropicJson(ProviderDialect):
    """Each call is an object of the type `tool_use` with `name` and `input`. Several calls are in a list.

    The list of a message's content and the whole message are read as well.
    """

    name = ANTHROPIC
    title = "Anthropic tool use"
    summary = '`{"type": "tool_use", "name": …, "input": {…}}`, or a list of such blocks.'
    used_by: Sequence[str] = ("Anthropic's API", "documentation, and prompts with examples of its messages")
    openers: Sequence[str] = ("{", "[", '{"type"', '{"role"')
    peers = (
        SENDS
        + """ In its client (`anthropics/anthropic-sdk-python`, `types/tool_use_block.py`) `input` is an object.
        `server_tool_use` is a call that Anthropic itself runs, and is not read.
    """
    )
    alone = True
    asks = (
        (
            'Write each call as a JSON object of the "type" "tool_use", with the tool\'s name under "name" and its'
            ' arguments under "input"; write several in one JSON list, and nothing else.'
        ),
        JSON_RULE,
    )

    def entry(self, call: Rendering) -> dict[str, Any] | Refusal:
        """Return the block that means a call."""
        head: dict[str, Any] = {} if call.call_id is None else {"id": call.call_id}
        return {"type": "tool_use", **head, "name": call.tool, "input": call.arguments}


DIALECT = AnthropicJson()
