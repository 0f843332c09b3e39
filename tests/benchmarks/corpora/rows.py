"""The rows of a made corpus: a pool of sound and of faulty ones for each shape, from which shards are drawn.

Owns: `Pool`, `Pooled`. Must not know: files.

A corpus of gigabytes draws its rows again and again from pools; each pool is larger than anything that a reader would
keep, and every row drawn has a `row_id` of its own in front.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any, Final

from benchmarks.corpora.conversations import conversation
from benchmarks.corpora.faults import faults_of
from benchmarks.corpora.shapes import Shape
from benchmarks.corpora.value_formats import as_json

#: How many faulty rows there are of each kind of fault.
VARIANTS: Final = 6


@dataclass(frozen=True)
class Expected:
    """A diagnostic that a row must have: at which message, at which call of it, of which tool and rule.

    At a result, call and tool are None: no shape's results name a tool.
    """

    turn: int
    call: int | None
    tool: str | None
    rule: str
    fault: str


@dataclass(frozen=True)
class Pooled:
    """A row, as data and as the text of a line without its first brace, and what is to be found in it."""

    row: dict[str, Any]
    text: bytes
    expected: tuple[Expected, ...] = ()

    def line(self, number: int) -> bytes:
        """Return the line of the row with a number in front."""
        return b'{"row_id": "%08d", %s\n' % (number, self.text)


def row_id(number: int) -> str:
    """Return what a row says of itself."""
    return f"{number:08d}"


def _pooled(row: dict[str, Any], expected: tuple[Expected, ...] = ()) -> Pooled:
    return Pooled(row, as_json(row).encode()[1:], expected)


@dataclass(frozen=True)
class Pool:
    """Sound and faulty rows of a shape."""

    shape: Shape
    sound: tuple[Pooled, ...]
    faulty: tuple[Pooled, ...]

    @classmethod
    def of(cls, shape: Shape, count: int, seed: int) -> Pool:
        """Make a pool of `count` sound rows, and some faulty ones of each kind that the shape can have."""
        random = Random(f"{seed} {shape.name}")  # noqa: S311 - chooses texts, keeps no secret
        sound = tuple(_pooled(shape.row(conversation(random, shape.prefix))) for _ in range(count))
        faulty: list[Pooled] = []
        for fault in faults_of(shape):
            made = 0
            while made < VARIANTS:
                talk = conversation(random, shape.prefix, fewest=1)
                planted = fault.plant(talk, shape, random)
                if not planted:
                    continue
                made += 1
                expected = []
                for each in planted:
                    at_call = each.at == "call"
                    turn = (shape.turn if at_call else shape.result_turn)(each.exchange)
                    call, tool = (0, talk.exchanges[each.exchange].call.tool) if at_call else (None, None)
                    expected += [Expected(turn, call, tool, rule, fault.name) for rule in each.rules]
                faulty.append(_pooled(shape.row(talk), tuple(expected)))
        return cls(shape, sound, tuple(faulty))
