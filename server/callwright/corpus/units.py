"""Units: what one worker does at once, and its options.

Owns: `Unit`, `RunOptions`, the division of shards into units, and the name by which a unit that is done is recognised.
Must not know: how rows are read and checked, engines.

A plain file of lines is divided into ranges of bytes; a unit owns the lines that begin in its range. A compressed file
can only be read from its beginning, so it is one unit. Tables are divided as they were written: by row groups, by
record batches.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final

from callwright import __version__
from callwright.corpus.shards import Shard
from callwright.rules.catalogue import rule_names

if TYPE_CHECKING:
    from callwright.document.settings import Settings
    from callwright.tools.registry import ToolRegistry

#: How many bytes a unit aims to have at least and at most, where its format lets it be divided.
LEAST: Final = 1 << 20
UNIT: Final = 64 << 20
#: How many units there are where they need not be shorter than `LEAST` for it, in all and for each worker: a run that
#: is stopped loses those that were begun, and in the end some workers wait for those that are at their last.
_UNITS: Final = 64
_EACH: Final = 4
#: How many units a corpus is divided into at most, as far as its shards allow: each costs the sender of the plan some
#: milliseconds.
MAX_COUNT: Final = 1 << 14


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What is to be done to each unit; travels with the plan, so that a worker need read no file but its shards.

    `task` names what is done, `to` the dialect that calls are to be written in where that is a conversion. `messages`
    and `text` are path expressions that say where a row's conversation or its texts lie; without either, the row itself
    is searched for a transcript. `clean`, `fixed`, `repaired` and `rejected` say which rows are written out. `seconds`
    is the time of the processor that one row may take, `longest` how many bytes it may have. `unit` is how many bytes a
    unit aims to have, 0 for what suits the corpus and its workers. `out` is the folder of results.
    """

    registry: ToolRegistry
    settings: Settings
    out: str
    messages: str | None = None
    text: str | None = None
    clean: bool = False
    fixed: bool = False
    repaired: bool = False
    rejected: bool = False
    seconds: float = 10.0
    longest: int = 64 << 20
    unit: int = 0
    task: str = "check"
    to: str | None = None
    #: What distinguishes these options from others, as far as they change the result of a unit.
    fingerprint: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Work out what is asked for with every unit."""
        stated = (
            __version__,
            sorted(rule_names()),
            self.registry.tools,
            self.registry.closed,
            self.settings,
            self.messages,
            self.text,
            self.clean,
            self.fixed,
            self.repaired,
            self.rejected,
            self.seconds,
            self.longest,
            self.task,
            self.to,
        )
        marker = hashlib.sha256(repr(stated).encode("utf-8", "backslashreplace")).hexdigest()
        object.__setattr__(self, "fingerprint", marker)


@dataclass(frozen=True, slots=True)
class Unit:
    """A part of a shard: the bytes, row groups or record batches from `start` up to `end`.

    `index` counts the units of a shard; `last` marks the last one. `weight` is about how many bytes it has.
    """

    shard: Shard
    index: int
    start: int
    end: int
    weight: int
    last: bool

    @property
    def source(self) -> str:
        """What diagnostics call the shard."""
        return self.shard.name

    def key(self, fingerprint: str) -> str:
        """Return the name of this unit's part under options with that fingerprint."""
        stated = (fingerprint, asdict(self.shard), self.index, self.start, self.end)
        return hashlib.sha256(repr(stated).encode("utf-8", "backslashreplace")).hexdigest()[:32]

    def as_mapping(self) -> dict[str, Any]:
        """Return plain data from which `unit_of` restores this unit."""
        return asdict(self)


def unit_of(stated: dict[str, Any]) -> Unit:
    """Return the unit that plain data describes."""
    return Unit(**{**stated, "shard": Shard(**stated["shard"])})


def suitable(shards: Sequence[Shard], workers: int) -> int:
    """Return how many bytes units of shards had best have; `workers` is how many there are, 0 for a usual number."""
    most = sum(shard.size for shard in shards) // max(_UNITS, _EACH * workers)
    size = LEAST
    # Doubled, so that shards that are added in the meantime mostly leave the others' units as they were.
    while size < UNIT and 2 * size <= most:
        size *= 2
    return size


def divide(shards: Sequence[Shard], size: int = UNIT) -> Iterator[Unit]:
    """Yield the units of shards, in the order of their rows.

    Of a corpus so large that there were more than `MAX_COUNT`, a unit is twice as long as asked for, or four times, and
    so on: shards that are added in the meantime mostly leave the others' units as they were.
    """
    total = sum(shard.size for shard in shards)
    while total > MAX_COUNT * size:
        size *= 2
    for shard in shards:
        pieces = list(_pieces(shard, size))
        for index, (start, end, weight) in enumerate(pieces):
            yield Unit(shard, index, start, end, weight, index == len(pieces) - 1)


def _pieces(shard: Shard, size: int) -> Iterator[tuple[int, int, int]]:
    if shard.format == "jsonl":
        count = max(-(-shard.size // size), 1)
        for number in range(count):
            start, end = shard.size * number // count, shard.size * (number + 1) // count
            yield start, end, end - start
    elif shard.format in ("parquet", "arrow"):
        from callwright.corpus.tables import groups_of

        yield from _grouped(groups_of(shard), size)
    else:
        yield 0, shard.size, shard.size


def _grouped(weights: list[int], size: int) -> Iterator[tuple[int, int, int]]:
    """Yield ranges of groups that together have about `size` bytes; one empty range where there is no group."""
    start = weight = 0
    for number, own in enumerate(weights):
        if weight and weight + own > size:
            yield start, number, weight
            start, weight = number, 0
        weight += own
    yield start, len(weights), weight
