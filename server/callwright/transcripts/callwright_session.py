"""The shape `callwright-session`: what the runtime dumps of an agent's session.

Owns: recognising such files, reading the replies in them. Must not know: other shapes, hosts, dialects, how a session
is collected.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from callwright.calls.turns import Turn
from callwright.syntax.json_views import JsonView
from callwright.transcripts.base import Shape
from callwright.transcripts.support.openai_messages import message_turn
from callwright.transcripts.support.plain_turns import ANY, PlainTurns
from callwright.transcripts.support.session_head import KEY, NAME


class CallwrightSession(Shape):
    """A session written by `callwright.runtime.Session`; its replies are read as the runtime read them."""

    name = NAME
    title = "Callwright session"
    keys = (KEY,)
    provider = "none"
    tools_at = ("tools",)
    plain = PlainTurns(
        messages="messages",
        speaker="role",
        text="content",
        speakers={"system": "system", "user": "user", "assistant": "assistant"},
        beside=dict.fromkeys(("id", "versions", "stop", "strikes", "calls", "errors", "approvals"), ANY),
        head=KEY,
    )
    verbatim = True
    sources = ("https://platform.openai.com/docs/api-reference/chat/create",)
    about = """
    A session is an object written by `callwright.runtime.Session`. It begins with `callwright_session`, which states
    the requested dialect and how many messages precede the first reply (`history`). It also contains the `messages` and
    the `tools` that were offered.

    `callwright check` reads each reply as the strict parser of the session did: in its dialect and the others that it
    accepted, with its tools and limits, without placeholders, and with its maximum of mistakes, each of them a rejected
    reply. The configuration and the options of the command line decide the rest, such as ignored rules. So the
    diagnostics are those for which the runtime rejected replies, except for missing calls where each reply needed one.

    Messages of users, systems and tools, and messages before the first reply, are not read for calls. Messages have the
    form of OpenAI's; `schemas/session.schema.json` describes the rest.
    """

    def matches(self, value: Any) -> int:
        """Return how certainly this is a session; no other format has its key."""
        if not isinstance(value, Mapping) or not isinstance(value.get("messages"), list):
            return 0
        return 100 if isinstance(value.get(KEY), Mapping) else 0

    def turns(self, root: JsonView) -> Iterator[Turn]:
        """Yield one turn a message; only replies of the model contain text that the runtime has read."""
        history = root.value[KEY].get("history")
        begun = history if isinstance(history, int) else 0
        for index, message in enumerate(root.list_at("messages")):
            if not isinstance(message.value, dict):
                continue
            turn = message_turn(message)
            if turn.role != "assistant" or index < begun:
                turn.texts.clear()
                turn.calls.clear()
            turn.results.clear()
            yield turn


SHAPE = CallwrightSession()
