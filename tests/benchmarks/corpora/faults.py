"""What can be wrong in a made conversation: one `Fault` a kind, with the rules that name it.

Owns: the kinds of faults of the corpus, where each can occur, which rules each must be found by. Must not know: how
calls are read, what any rule really says of a text; shapes beyond how they keep a call; files.

The rules are in a kind's definition, from what each rule's page says it finds. They are all that is to be found for
that call: more would be invented, fewer would be missed.
"""

# ruff: noqa: ARG002  # every kind is asked in the same way

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any, Final, Literal

from benchmarks.corpora.conversations import SCHEMAS, Conversation, Exchange
from benchmarks.corpora.shapes import Atif, Shape, ShareGPT
from benchmarks.corpora.value_formats import as_json


@dataclass(frozen=True)
class Planted:
    """What was done: `rules` must be found at an exchange, in the message that calls or in the one with the result."""

    exchange: int
    rules: tuple[str, ...]
    at: Literal["call", "result"] = "call"


class Fault(ABC):
    """One kind of fault; `name` is unique in the corpus."""

    def __init__(self, name: str, *rules: str) -> None:
        self.name = name
        self.rules = rules

    @abstractmethod
    def fits(self, shape: Shape) -> bool:
        """Return whether conversations of a shape can have the fault at all."""

    @abstractmethod
    def plant(self, conversation: Conversation, shape: Shape, random: Random) -> list[Planted]:
        """Put the fault into a sound conversation; nothing, where no call of it can have the fault."""


class TextFault(Fault):
    """A fault in the text of a call's arguments: `damage` gives the broken text, None where it finds no place."""

    def __init__(
        self, name: str, *rules: str, kind: Literal["json", "elements"], damage: Callable[[str, Random], str | None]
    ) -> None:
        super().__init__(name, *rules)
        self._kind = kind
        self._damage = damage

    def fits(self, shape: Shape) -> bool:
        """Return whether the arguments are kept as such a text."""
        if isinstance(shape, ShareGPT):
            return shape.value_format.kind == self._kind
        return shape.kept == "string" and self._kind == "json"

    def plant(self, conversation: Conversation, shape: Shape, random: Random) -> list[Planted]:
        """Break the text of the first call that can have it."""
        for index, each in enumerate(conversation.exchanges):
            call = each.call
            body = shape.value_format.body(call.arguments) if isinstance(shape, ShareGPT) else as_json(call.arguments)
            broken = self._damage(body, random)
            if broken is None:
                continue
            call.written = shape.value_format.frame(call.tool, broken) if isinstance(shape, ShareGPT) else broken
            return [Planted(index, self.rules)]
        return []


class SchemaFault(Fault):
    """A fault against the tool's schema, in every dialect: `change` gives other arguments, None where it cannot."""

    def __init__(
        self,
        name: str,
        *rules: str,
        change: Callable[[str, dict[str, Any]], dict[str, Any] | None],
        typed: bool = False,
    ) -> None:
        super().__init__(name, *rules)
        self._change = change
        self._typed = typed

    def fits(self, shape: Shape) -> bool:
        """Return whether the dialect says of what type a value is, where that is what matters."""
        return not (self._typed and isinstance(shape, ShareGPT) and shape.value_format.kind == "elements")

    def plant(self, conversation: Conversation, shape: Shape, random: Random) -> list[Planted]:
        """Change the arguments of the first call that can have it."""
        for index, each in enumerate(conversation.exchanges):
            changed = self._change(each.call.tool, each.call.arguments)
            if changed is not None:
                each.call.arguments = changed
                return [Planted(index, self.rules)]
        return []


class ToolFault(Fault):
    """A call of a tool that there is not: a near miss, as fields and framed dialects show it."""

    def fits(self, shape: Shape) -> bool:
        """Return whether a call can be known for one without its tool: an element of an unknown name is just markup."""
        return not isinstance(shape, ShareGPT) or shape.value_format.name == "hermes"

    def plant(self, conversation: Conversation, shape: Shape, random: Random) -> list[Planted]:
        """Misspell the name of the last call's tool."""
        call = conversation.exchanges[-1].call
        call.tool = call.tool.replace("_", "_the_", 1)
        return [Planted(len(conversation.exchanges) - 1, self.rules)]


class PairingFault(Fault):
    """A fault between calls and results, where a provider demands that they meet: `change` says what it touched."""

    def __init__(self, name: str, change: Callable[[list[Exchange]], list[Planted]]) -> None:
        super().__init__(name)
        self._change = change

    def fits(self, shape: Shape) -> bool:
        """Return whether calls and results have ids, and a provider rejects those that do not match: a trajectory is
        sent to none."""
        return shape.kept != "text" and not isinstance(shape, Atif)

    def plant(self, conversation: Conversation, shape: Shape, random: Random) -> list[Planted]:
        """Change how the exchanges answer each other."""
        return self._change(conversation.exchanges)


def _at(body: str, pattern: str, random: Random) -> re.Match[str] | None:
    found = list(re.finditer(pattern, body))
    return random.choice(found) if found else None


def _replaced(pattern: str, by: Callable[[re.Match[str]], str]) -> Callable[[str, Random], str | None]:
    def damage(body: str, random: Random) -> str | None:
        match = _at(body, pattern, random)
        return None if match is None else body[: match.start()] + by(match) + body[match.end() :]

    return damage


def _twice(body: str, _: Random) -> str | None:
    members = json.loads(body)
    name, value = next(iter(members.items()))
    return f'{body[:-1]}, "{name}": {as_json(value)}}}'


def _closing(which: int) -> Callable[[str, Random], str | None]:
    def damage(body: str, _: Random) -> str | None:
        match = list(re.finditer(r"</(\w+)>", body))[which]
        return f"{body[: match.start()]}</{match[1]}s>{body[match.end() :]}"

    return damage


def _raw_break(body: str, random: Random) -> str | None:
    match = _at(body, r"(?<=[a-z]) (?=[a-z])", random)
    return None if match is None else f"{body[: match.start()]}\n{body[match.end() :]}"


def _bad_escape(body: str, random: Random) -> str | None:
    match = _at(body, r"(?<=[a-z]) (?=[a-z])", random)
    return None if match is None else f"{body[: match.start()]}\\ {body[match.end() :]}"


def _raw_sign(body: str, random: Random) -> str | None:
    match = _at(body, r"&(?:lt|amp);(?= )", random)
    return None if match is None else f"{body[: match.start()]}{'<' if 'lt' in match[0] else '&'}{body[match.end() :]}"


def _without(tool: str, arguments: dict[str, Any]) -> dict[str, Any] | None:
    name = SCHEMAS[tool]["required"][-1]
    return {key: value for key, value in arguments.items() if key != name}


def _with_another(_: str, arguments: dict[str, Any]) -> dict[str, Any] | None:
    return {**arguments, "dry_run_only": True}


def _of_type(name: str, value: Any) -> Callable[[str, dict[str, Any]], dict[str, Any] | None]:
    def change(_: str, arguments: dict[str, Any]) -> dict[str, Any] | None:
        return {**arguments, name: value} if name in arguments else None

    return change


def _unanswered(exchanges: list[Exchange]) -> list[Planted]:
    exchanges[0].result_id = None
    return [Planted(0, ("TC701",))]


def _misdirected(exchanges: list[Exchange]) -> list[Planted]:
    exchanges[0].result_id = exchanges[0].call.id[:-6] + "zzzzzz"
    return [Planted(0, ("TC701",)), Planted(0, ("TC702",), "result")]


def _same_id(exchanges: list[Exchange]) -> list[Planted]:
    if len(exchanges) < 2:
        return []
    exchanges[1].call.id = exchanges[1].result_id = exchanges[0].call.id
    return [Planted(1, ("TC703",))]


FAULTS: Final[tuple[Fault, ...]] = (
    TextFault("comma-too-many", "TC207", kind="json", damage=lambda body, _: body[:-1] + ",}"),
    TextFault("brace-too-many", "TC201", kind="json", damage=lambda body, _: body + "}"),
    TextFault("brace-too-few", "TC202", kind="json", damage=lambda body, _: body[:-1]),
    TextFault("comma-too-few", "TC208", kind="json", damage=_replaced(r', (?="\w+": )', lambda _: " ")),
    TextFault("colon-too-few", "TC208", kind="json", damage=_replaced(r'(?<="): (?=[\dtf])', lambda _: " ")),
    TextFault("line-break-in-string", "TC206", kind="json", damage=_raw_break),
    TextFault("invalid-escape", "TC214", kind="json", damage=_bad_escape),
    TextFault("bare-key", "TC212", kind="json", damage=_replaced(r'"(\w+)"(?=: )', lambda found: found[1])),
    TextFault("python-truth", "TC211", kind="json", damage=_replaced(r"(?<=: )(?:true|false)", lambda m: m[0].title())),
    TextFault(
        "single-quotes", "TC209", kind="json", damage=_replaced(r'(?<=: )"(\w+)"', lambda found: f"'{found[1]}'")
    ),
    TextFault("smart-quotes", "TC210", kind="json", damage=_replaced(r'(?<=: )"(\w+)"', lambda m: f"“{m[1]}”")),
    TextFault("comment", "TC213", kind="json", damage=_replaced(r', (?="\w+": )', lambda _: ", /* as asked */ ")),
    # What is not a number is not a whole number either.
    TextFault("not-a-number", "TC216", "TC304", kind="json", damage=_replaced(r"(?<=: )\d+", lambda _: "NaN")),
    TextFault("leading-zero", "TC217", kind="json", damage=_replaced(r"(?<=: )\d+", lambda found: f"0{found[0]}")),
    TextFault("value-too-few", "TC219", kind="json", damage=_replaced(r"(?<=: )\d+", lambda _: "")),
    TextFault("key-twice", "TC215", kind="json", damage=_twice),
    TextFault("last-closing-tag", "TC102", kind="elements", damage=_closing(-1)),
    # What follows goes into the value.
    TextFault("first-closing-tag", "TC106", kind="elements", damage=_closing(0)),
    TextFault("raw-markup", "TC104", kind="elements", damage=_raw_sign),
    SchemaFault("argument-too-few", "TC302", change=_without),
    SchemaFault("argument-too-many", "TC303", change=_with_another),
    SchemaFault("text-for-number", "TC304", change=_of_type("limit", "many")),
    SchemaFault("text-for-truth", "TC304", change=_of_type("verbose", "perhaps")),
    SchemaFault("list-for-text", "TC304", change=_of_type("path", ["src", "app"]), typed=True),
    SchemaFault("other-choice", "TC305", change=_of_type("unit", "kelvin")),
    SchemaFault("out-of-range", "TC306", change=_of_type("days", 99)),
    ToolFault("tool-unknown", "TC301"),
    PairingFault("call-unanswered", _unanswered),
    PairingFault("answer-misdirected", _misdirected),
    PairingFault("id-twice", _same_id),
)


def faults_of(shape: Shape) -> list[Fault]:
    """Return the kinds that conversations of a shape can have."""
    return [each for each in FAULTS if each.fits(shape)]
