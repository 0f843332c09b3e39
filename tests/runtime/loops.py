"""What tests of loops share: tools whose runs are noted, models that follow a script, and replies for them.

Owns: the doubles. Must not know: what is asserted.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from callwright.runtime.tools.manager import StrictToolManager
from invariants.streams import chunks

Message = dict[str, Any]

FENCED: Final = "fenced-json"


class RunCode:
    """Prints what a program of one `print` of a text prints; fails on any other."""

    name = "run_code"
    schema: Mapping[str, Any] = {
        "type": "object",
        "properties": {"code": {"type": "string"}},
        "required": ["code"],
        "additionalProperties": False,
    }

    def __init__(self) -> None:
        self.ran: list[dict[str, Any]] = []

    def validate(self, params: Mapping[str, Any]) -> None:
        """Take whatever the schema takes."""

    def execute(self, params: Mapping[str, Any]) -> Any:
        self.ran.append(dict(params))
        printed = re.fullmatch(r"print\('([^']*)'\)", params["code"])
        if printed is None:
            raise SyntaxError("invalid syntax")
        return printed[1]


class Deploy(RunCode):
    """Must be confirmed by a person."""

    name = "deploy"
    dangerous = True

    def execute(self, params: Mapping[str, Any]) -> Any:
        self.ran.append(dict(params))
        return "deployed"


def manager_of(*tools: Any, **options: Any) -> StrictToolManager:
    return StrictToolManager(tools, **options)


class Script:
    """A model that gives one reply after another, and a last word whenever it has none left.

    `prompts` are the conversations that it was asked with. It spoils what it is given, which must not be noticed.
    """

    LAST = "That is all."

    def __init__(self, *replies: str) -> None:
        self.replies = list(replies)
        self.prompts: list[list[Message]] = []

    def next(self, messages: list[Message]) -> str:
        self.prompts.append([dict(message) for message in messages])
        for message in messages:
            message["content"] = "spoilt"
        messages.clear()
        number = len(self.prompts) - 1
        return self.replies[number] if number < len(self.replies) else self.LAST

    def __call__(self, messages: list[Message]) -> str:
        return self.next(messages)


def in_pieces(script: Script, sizes: Sequence[int]) -> Callable[[list[Message]], Iterator[str]]:
    """Return the script as a model that gives pieces."""

    def model(messages: list[Message]) -> Iterator[str]:
        yield from chunks(script.next(messages), sizes)

    return model


def awaited(script: Script) -> Callable[[list[Message]], Any]:
    """Return the script as a coroutine function."""

    async def model(messages: list[Message]) -> str:
        return script.next(messages)

    return model


def awaited_in_pieces(
    script: Script, sizes: Sequence[int], *, pause: bool = False
) -> Callable[[list[Message]], AsyncIterator[str]]:
    """Return the script as an asynchronous generator function, which with `pause` lets others continue before a
    piece."""

    async def model(messages: list[Message]) -> AsyncIterator[str]:
        for piece in chunks(script.next(messages), sizes):
            if pause:
                await asyncio.sleep(0)
            yield piece

    return model


def fenced(body: str) -> str:
    """Return a JSON body in a fence."""
    return f"```json\n{body}\n```"


def run_code(code: str) -> str:
    """Return a sound call of `run_code` with a program in which nothing must be escaped."""
    return fenced(f'{{"tool": "run_code", "arguments": {{"code": "{code}"}}}}')
