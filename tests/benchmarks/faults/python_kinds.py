"""Faults of calls in Python's dialect.

Owns: the kinds of group `python`. Must not know: how calls are read, what markers are around them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random
from typing import Final, NamedTuple

from benchmarks.faults.base import Injected, Kind, Sample
from benchmarks.faults.catalogue import is_python
from callwright.text.span import Span

_TOKENS: Final = re.compile(r"""'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|[()\[\]{},:=]|[^\s()\[\]{},:='"]+""")
_PLAIN: Final = re.compile(r"[\w./@~-]+(?: [\w./@~-]+)*")


class Token(NamedTuple):
    """One token of a sound body: its text, its place in the sample's text, and what it is."""

    text: str
    start: int
    end: int
    what: str  # a symbol, "string" or "word"


class Damage(NamedTuple):
    """What is in `[start, end)` of the sample's text is replaced; whether what was there can still be known."""

    start: int
    end: int
    text: str = ""
    keeps: bool = True


Damaging = Callable[[list[Token], Random], Damage | None]


def tokens(sample: Sample) -> list[Token]:
    """Return the tokens of a body in Python's dialect; none where it is not that."""
    body = sample.body.of(sample.text)
    if not is_python(body) or "'''" in body or '"""' in body:
        return []
    base = sample.body.start
    found: list[Token] = []
    for match in _TOKENS.finditer(body):
        text = match[0]
        what = "string" if text[0] in "'\"" else text if text in "()[]{},:=" else "word"
        found.append(Token(text, base + match.start(), base + match.end(), what))
    return found


class PythonKind(Kind):
    """A kind that replaces one segment of a body by another text.

    Where no tool is known and no dialect is asked for, a bracket with names and parentheses is program text or prose as
    well: only what is Python is read as a call there, and damaged text is not a fault.
    """

    group = "python"

    def is_sound(self, sample: Sample, injected: Injected, mode: str) -> bool:
        """Return whether nothing says that a call was meant."""
        del injected
        return mode == "plain" and not sample.registry

    def __init__(self, name: str, damage: Damaging) -> None:
        self.name = name
        self._damage = damage

    def inject(self, sample: Sample, random: Random) -> Injected | None:
        """Return the text with the segment replaced."""
        found = tokens(sample)
        damage = self._damage(found, random) if found else None
        if damage is None:
            return None
        start, end, text, keeps = damage
        return Injected(sample.text[:start] + text + sample.text[end:], Span(start, start + len(text)), keeps)


def _pick(found: list[Token], random: Random, *whats: str) -> Token | None:
    fitting = [token for token in found if token.what in whats]
    return random.choice(fitting) if fitting else None


def replaced(*whats: str, by: str, keeps: bool = True) -> Damaging:
    """Return what replaces one token of these by a text."""

    def damage(found: list[Token], random: Random) -> Damage | None:
        token = _pick(found, random, *whats)
        return Damage(token.start, token.end, by, keeps) if token is not None else None

    return damage


def doubled(*whats: str, keeps: bool = True) -> Damaging:
    """Return what doubles one token of these."""

    def damage(found: list[Token], random: Random) -> Damage | None:
        token = _pick(found, random, *whats)
        return Damage(token.end, token.end, token.text, keeps) if token is not None else None

    return damage


def _dropped_quote(*, opening: bool) -> Damaging:
    def damage(found: list[Token], random: Random) -> Damage | None:
        token = _pick(found, random, "string")
        if token is None:
            return None
        at = token.start if opening else token.end - 1
        return Damage(at, at + 1, "", _PLAIN.fullmatch(token.text[1:-1]) is not None)

    return damage


def _smart(found: list[Token], random: Random) -> Damage | None:
    token = _pick(found, random, "string")
    if token is None or "\\" in token.text or any(marker in token.text for marker in "“”"):
        return None
    return Damage(token.start, token.end, f"“{token.text[1:-1]}”")


def _raw_newline(found: list[Token], random: Random) -> Damage | None:
    holding = [token for token in found if token.what == "string" and re.search(r"(?<!\\)\\n", token.text)]
    if not holding:
        return None
    token = random.choice(holding)
    return Damage(token.start, token.end, re.sub(r"(?<!\\)\\n", "\n", token.text))


def _foreign_word(found: list[Token], random: Random) -> Damage | None:
    words = {"True": "TRUE", "False": "FALSE", "None": "nil"}
    fitting = [token for token in found if token.text in words]
    if not fitting:
        return None
    token = random.choice(fitting)
    return Damage(token.start, token.end, words[token.text])


def _cut(found: list[Token], random: Random) -> Damage:
    return Damage(random.randint(found[0].start + 1, found[-1].end - 1), 1 << 60, "", keeps=False)


KINDS: Final[list[Kind]] = [
    PythonKind(f"python {name}", damage)
    for name, damage in (
        ("missing comma", replaced(",", by="")),
        ("doubled comma", doubled(",")),
        ("semicolon for comma", replaced(",", by=";")),
        ("colon for equals", replaced("=", by=":")),
        ("missing equals", replaced("=", by="")),
        ("doubled equals", doubled("=")),
        ("dropped parenthesis", replaced(")", by="")),
        ("doubled parenthesis", doubled(")")),
        ("brace for parenthesis", replaced(")", by="}")),
        ("dropped bracket", replaced("]", by="", keeps=False)),
        ("doubled bracket", doubled("]", keeps=False)),
        ("dropped brace", replaced("}", by="", keeps=False)),
        ("dropped quote in front", _dropped_quote(opening=True)),
        ("dropped quote behind", _dropped_quote(opening=False)),
        ("smart quotes", _smart),
        ("raw newline", _raw_newline),
        ("foreign word", _foreign_word),
        ("cut", _cut),
    )
]
