"""Answers in pieces: the part of a feature's answer for each block, kept with the block in the form in which it is
sent.

Owns: `Piece`, `Pieces`, `Writing`, and the joining of pieces to one answer. Must not know: any single feature, what a
block contains.

A piece is written with lines that count from where its block begins. Where an edit only adds or removes lines before
it, it is sent again with other line numbers, and the block is not read again. So after a keystroke, an answer about a
whole document costs one block.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from operator import add
from typing import TYPE_CHECKING, Any, Final

from callwright.text.facts import FactFor, Owner
from callwright.text.records import NamedTuple

if TYPE_CHECKING:
    from callwright.features.base import Edge, Lines
    from callwright.text.span import Span


@dataclass(slots=True)
class Writing:
    """JSON that grows, with places for line numbers; `lines` are the numbers, counted from the block's first line."""

    parts: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)

    def text(self, words: str) -> None:
        """Write JSON as it is."""
        self.parts.append(words.replace("%", "%%") if "%" in words else words)

    def range(self, lines: Lines, span: Span) -> None:
        """Write a range."""
        first, start = lines.position(span.start)
        if span.end == span.start:
            last, end = first, start
        else:
            last, end = lines.position(span.end)
        self.parts.append(
            f'{{"start":{{"line":%d,"character":{start}}},"end":{{"line":%d,"character":{end}}}}}',
        )
        self.lines += (first, last)

    def position(self, lines: Lines, offset: int) -> None:
        """Write a position."""
        line, character = lines.position(offset)
        self.parts.append(f'{{"line":%d,"character":{character}}}')
        self.lines.append(line)

    def template(self) -> Template:
        """Return what was written."""
        return Template("".join(self.parts), tuple(self.lines))


class Template(NamedTuple):
    """JSON in which each `%d` is one of the lines, and a per cent sign is two."""

    text: str
    lines: tuple[int, ...]

    def at(self, line: int) -> str:
        """Return the JSON of a block that begins in a line."""
        if not self.lines:
            return self.text.replace("%%", "%") if "%" in self.text else self.text
        return self.text % (tuple(map(add, self.lines, repeat(line))) if line else self.lines)


@dataclass(slots=True)
class Piece:
    """The answer for one block: `span` is where it is, `owner` lives as long as the block.

    `found` computes the answer, with places that count from the block's start.
    """

    span: Span
    owner: Owner
    found: Callable[[], Any]


@dataclass(slots=True)
class Pieces:
    """The answer for a whole document, block by block."""

    pieces: Sequence[Piece]


#: The texts of a piece, with what they depend on beside the block: as templates, and in the line where they were last.
_TEXTS: Final[FactFor[Hashable, tuple[Any, Sequence[Template], int, Sequence[str]]]] = FactFor()


def joined(key: Hashable, result: Pieces, edge: Edge, write: Callable[[Any, Lines], Template]) -> str:
    """Return the pieces as one list of JSON; a template is a list's members with commas between them.

    `key` names the answer and whatever it depends on besides the block.
    """
    texts = [text_of(key, piece, edge, write) for piece in result.pieces]
    return f"[{','.join(filter(None, texts))}]"


def text_of(key: Hashable, piece: Piece, edge: Edge, write: Callable[[Any, Lines], Template]) -> str:
    """Return one piece as JSON, made once for each key and kept with its block."""
    return texts_of(key, None, piece, edge, lambda found, lines: [write(found, lines)])[0]


def texts_of(
    key: Hashable, besides: Any, piece: Piece, edge: Edge, write: Callable[[Any, Lines], Sequence[Template]]
) -> Sequence[str]:
    """Return one piece as several texts; they are made again where what they depend on `besides` is not equal."""
    lines = edge.lines(piece.span)
    depends, first = (lines.key, besides), lines.first
    known = _TEXTS.get(piece.owner, key)
    if known is None or known[0] != depends:
        known = (depends, write(piece.found(), lines), -1, ())
    if known[2] != first:
        texts = [template.at(first) for template in known[1]]
        known = _TEXTS.keep(piece.owner, key, (depends, known[1], first, texts))
    return known[3]
