"""TypeScript as a sequence of tokens, as far as declarations of tools need it.

Owns: `Token`, `tokens`, how far a token is read, where one plainly begins something else than the rest of a type. Must
not know: what types mean, tools.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from callwright.text.holes import HOLE
from callwright.text.records import NamedTuple

#: A name that a tool, a type or a member can have. Outside of TypeScript proper, names hold hyphens and dots.
NAME: Final = r"-{0,2}(?:[^\W\d]|\$)[\w$]{0,100}+(?:[-.][\w$]{1,100}+){0,8}+"
#: No comment in a block is longer than that.
_COMMENT: Final = 8_000
_TOKEN: Final = re.compile(
    rf"""(?P<comment>//[^\n]*+|/\*(?:[^*]|\*(?!/)){{0,{_COMMENT}}}+\*/)
    |(?P<string>"(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+'|“[^”\n]*+”)
    |(?P<template>`[^`\n]*+`)
    |(?P<name>{NAME})
    |(?P<number>-?\d++(?:\.\d++)?)
    |(?P<open>[(\[{{])
    |(?P<close>[)\]}}])
    |(?P<arrow>=>)
    |(?P<dots>\.\.\.|…)
    |(?P<hole>{HOLE}++)
    |(?P<symbol>.)""",
    re.VERBOSE | re.DOTALL,
)
_SPACE: Final = re.compile(r"[ \t\n]*+")
#: At most this much of a line is read to see whether it continues with a type.
_BEGINNING: Final = 200
#: How a line begins that continues with no type, whatever is open.
_ELSEWHERE: Final = re.compile(
    r"(?:(?:export|declare)[ \t]++){0,2}(?:type|interface|namespace)[ \t]++[\w$.-]++[ \t]*+[={<]"
    r"|#{1,6}[ \t]|`{3}|~{3}|</?[A-Za-z]|<\||\}[ \t]*+//[ \t]*+namespace\b|-{3}|[-*+•][ \t]|\d++[.)][ \t]"
)
#: How a line after an empty one begins where it continues with a type.
_INSIDE: Final = re.compile(
    rf"//|/\*|[\"']?{NAME}[\"']?[ \t]*+(?:\?[ \t]*+)?(?::|[,;]?[ \t]*+(?:\n|\Z))|\"|'|[()\[\]{{}}|,;>&]|\.\.\.|{HOLE}"
    r"|readonly\b"
)


class Token(NamedTuple):
    """One token: `breaks` counts the line ends before it."""

    kind: str
    start: int
    end: int
    breaks: int


def tokens(text: str, start: int, end: int) -> Iterator[Token]:
    """Yield the tokens of `[start, end)`, comments among them."""
    at = start
    while True:
        space = _SPACE.match(text, at, end)
        assert space is not None
        found = _TOKEN.match(text, space.end(), end)
        if found is None:
            return
        breaks = text.count("\n", at, space.end()) if space.end() > at else 0
        yield Token(str(found.lastgroup), found.start(), found.end(), breaks)
        at = found.end()


def is_elsewhere(text: str, token: Token) -> bool:
    """Return whether a token begins a line that is not part of an open type."""
    if not token.breaks:
        return False
    end = token.start + _BEGINNING
    if _ELSEWHERE.match(text, token.start, end) is not None:
        return True
    return token.breaks > 1 and _INSIDE.match(text, token.start, end) is None


def reach_of(text: str, token: Token) -> int:
    """Return how far a text was read to classify a token."""
    reach = token.start + _BEGINNING if token.breaks else token.end + 1
    if token.kind == "symbol":
        if text.startswith("/*", token.start):
            reach = max(reach, token.start + _COMMENT + 4)
        elif text[token.start] in "\"'`“":
            line_end = text.find("\n", token.start)
            reach = max(reach, len(text) if line_end < 0 else line_end + 1)
    return reach
