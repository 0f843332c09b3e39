"""Faults of JSON: what models, hands and cut-off replies do to a JSON body.

Owns: the kinds of group `json`. Must not know: how calls are read, which dialect the JSON stands in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import pairwise
from random import Random
from typing import Final, NamedTuple

from benchmarks.faults.base import Injected, Kind, Sample
from callwright.text.span import Span

_TOKENS: Final = re.compile(r'"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|true|false|null|[{}\[\]:,]')


class Token(NamedTuple):
    """One token of a sound JSON text: its text, its place in the sample's text, and what it is."""

    text: str
    start: int
    end: int
    what: str  # "{", "}", "[", "]", ":", ",", "key", "string", "number" or "word"
    depth: int  # how many brackets are open in front of it


def tokens(sample: Sample) -> list[Token]:
    """Return the tokens of a body in JSON; none where it is not JSON."""
    body = sample.body.of(sample.text)
    try:
        if not isinstance(json.loads(body), dict):
            return []
    except ValueError:
        return []
    found: list[Token] = []
    open_brackets: list[str] = []
    base = sample.body.start
    matches = list(_TOKENS.finditer(body))
    for index, match in enumerate(matches):
        text = match[0]
        what = text
        if text[0] == '"':
            follower = matches[index + 1][0] if index + 1 < len(matches) else ""
            what = "key" if follower == ":" and open_brackets[-1] == "{" else "string"
        elif text[0] in "-0123456789":
            what = "number"
        elif text[0] in "tfn":
            what = "word"
        if text in "}]":
            open_brackets.pop()
        found.append(Token(text, base + match.start(), base + match.end(), what, len(open_brackets)))
        if text in "{[":
            open_brackets.append(text)
    return found


class JsonKind(Kind):
    """A kind that replaces one stretch of a body by another text."""

    group = "json"

    def __init__(self, name: str, damage: Callable[[list[Token], Random, str], Damage | None]) -> None:
        self.name = name
        self._damage = damage

    def inject(self, sample: Sample, random: Random) -> Injected | None:
        """Return the text with the stretch replaced."""
        found = tokens(sample)
        damage = self._damage(found, random, sample.text) if found else None
        if damage is None:
            return None
        start, end, text, keeps = damage
        whole = sample.text[:start] + text + sample.text[end:]
        return Injected(whole, Span(start, start + len(text)), keeps)


class Damage(NamedTuple):
    """What stands in `[start, end)` of the sample's text is replaced; whether it can still be told what was there."""

    start: int
    end: int
    text: str = ""
    keeps: bool = True


def _pick(found: list[Token], random: Random, *whats: str) -> Token | None:
    fitting = [token for token in found if token.what in whats]
    return random.choice(fitting) if fitting else None


def _trailing_comma(found: list[Token], random: Random, text: str) -> Damage | None:
    del text
    closers = [
        token for before, token in pairwise(found)
        if token.what in "}]" and before.what not in "{["
    ]  # fmt: skip
    if not closers:
        return None
    at = random.choice(closers).start
    return Damage(at, at, ",")


def _missing_comma(found: list[Token], random: Random, text: str) -> Damage | None:
    del text
    token = _pick(found, random, ",")
    return Damage(token.start, token.end) if token is not None else None


def _doubled_closer(found: list[Token], random: Random, text: str) -> Damage | None:
    del random, text
    token = found[-1]
    return Damage(token.end, token.end, token.text)


KINDS: list[Kind] = [
    JsonKind("json trailing comma", _trailing_comma),
    JsonKind("json missing comma", _missing_comma),
    JsonKind("json doubled last closer", _doubled_closer),
]
