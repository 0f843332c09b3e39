"""Blocks in runs: the blocks of a document as an immutable sequence, of which an edit makes a new one that shares the
rest.

Owns: `Run`, `Blocks`, `ReusableTail`, `Waiting`, `Growing`. Must not know: what a block contains besides its length,
its reach and its state, who reads blocks, what is cached of a run.

A run contains some dozens of consecutive blocks, does not know its own place, and keeps the facts that are derived of
all of them. So a question about all blocks is put to each run, which has the answer already, and only the one run that
an edit has made is examined.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice, pairwise
from typing import TYPE_CHECKING, Final, overload

from callwright.text.records import NamedTuple

if TYPE_CHECKING:
    from callwright.document.blocks import Block
    from callwright.document.reader import ReaderState
    from callwright.text.facts import Facts

#: The aimed number of blocks in a run, the most, and the fewest unless its neighbours are full.
_TARGET: Final = 64
_MAX_COUNT: Final = 96
_FEW: Final = 32


class Run:
    """Some blocks that follow each other; offsets count from where the first begins.

    `far` is the farthest offset that one of them reaches. `facts` are about exactly these blocks and hold wherever they
    are.
    """

    __slots__ = ("blocks", "facts", "far", "length", "starts")

    def __init__(self, blocks: tuple[Block, ...]) -> None:
        self.blocks = blocks
        self.facts: Facts = {}
        self.starts: list[int] = []
        at = far = 0
        for block in blocks:
            self.starts.append(at)
            reach = at + block.reach
            if reach > far:
                far = reach
            at += block.length
        self.length = at
        self.far = max(far, at)

    def placed(self) -> Iterator[tuple[int, Block]]:
        """Yield where each block begins, and the block."""
        return zip(self.starts, self.blocks, strict=True)


class Blocks(Sequence["Block"]):
    """The blocks of a document or of a segment of it, one after another; offsets count from where the first begins.

    Invariant: no run is empty.
    """

    __slots__ = ("_counts", "_places", "runs")

    def __init__(self, runs: tuple[Run, ...] = ()) -> None:
        self.runs = runs
        self._counts = [0]
        self._places = [0]
        for run in runs:
            self._counts.append(self._counts[-1] + len(run.blocks))
            self._places.append(self._places[-1] + run.length)

    @classmethod
    def of(cls, blocks: Iterable[Block]) -> Blocks:
        """Return blocks in runs; blocks that are in runs already are returned as they are."""
        if isinstance(blocks, Blocks):
            return blocks
        every = tuple(blocks)
        if len(every) <= _MAX_COUNT:
            return cls((Run(every),)) if every else NONE
        return cls(tuple(_runs_of(every)))

    @classmethod
    def joined(cls, parts: Iterable[Blocks | Sequence[Block]]) -> Blocks:
        """Return the blocks of all parts; their runs are shared, except for small ones, which are merged."""
        runs: list[Run] = []
        loose: list[Block] = []
        for part in parts:
            if not isinstance(part, Blocks):
                loose += part
                continue
            for run in part.runs:
                if len(run.blocks) < _FEW:
                    loose += run.blocks
                    continue
                if loose:
                    _settle(runs, loose)
                    loose = []
                runs.append(run)
        if loose:
            _settle(runs, loose)
        return cls(tuple(runs))

    @property
    def length(self) -> int:
        """How many code points the blocks cover."""
        return self._places[-1]

    def __len__(self) -> int:
        return self._counts[-1]

    def __iter__(self) -> Iterator[Block]:
        return chain.from_iterable([run.blocks for run in self.runs])

    @overload
    def __getitem__(self, index: int) -> Block: ...

    @overload
    def __getitem__(self, index: slice) -> list[Block]: ...

    def __getitem__(self, index: int | slice) -> Block | list[Block]:
        if isinstance(index, slice):
            return [*self][index]
        number, own = self._find(index)
        return self.runs[number].blocks[own]

    def start(self, index: int) -> int:
        """Return where a block begins; after the last one, where that ends."""
        if index == len(self):
            return self.length
        number, own = self._find(index)
        return self._places[number] + self.runs[number].starts[own]

    def starts(self) -> list[int]:
        """Return where each block begins."""
        return [place + start for place, run in self.placed_runs() for start in run.starts]

    def placed(self) -> Iterator[tuple[int, Block]]:
        """Yield where each block begins, and the block."""
        for place, run in self.placed_runs():
            for start, block in zip(run.starts, run.blocks, strict=True):
                yield place + start, block

    def placed_runs(self) -> Iterator[tuple[int, Run]]:
        """Yield where each run begins, and the run."""
        return zip(self._places, self.runs, strict=False)

    def index_at(self, offset: int) -> int:
        """Return the last block that begins at an offset or before it, the first where none does."""
        number = bisect_right(self._places, offset, hi=len(self.runs)) - 1
        if number < 0:
            return 0
        own = bisect_right(self.runs[number].starts, offset - self._places[number]) - 1
        return self._counts[number] + max(own, 0)

    def index_from(self, offset: int) -> int:
        """Return the first block that begins at an offset or after it, the number of blocks where none does."""
        number = bisect_left(self._places, offset, hi=len(self.runs))
        if not number:
            return 0
        return self._counts[number - 1] + bisect_left(self.runs[number - 1].starts, offset - self._places[number - 1])

    def index_reaching(self, offset: int) -> int:
        """Return the first block whose end or reach is at an offset or after it, the number of blocks where none is."""
        for number, (place, run) in enumerate(self.placed_runs()):
            if place + run.far >= offset:
                for own, (start, block) in enumerate(run.placed()):
                    if place + start + max(block.length, block.reach) >= offset:
                        return self._counts[number] + own
        return len(self)

    def until(self, index: int) -> Blocks:
        """Return the blocks before one."""
        if index >= len(self):
            return self
        number, own = self._find(index)
        runs = self.runs[:number]
        return Blocks((*runs, Run(self.runs[number].blocks[:own])) if own else runs)

    def since(self, index: int) -> Blocks:
        """Return the blocks from one on."""
        if index >= len(self):
            return NONE
        number, own = self._find(index)
        if not own:
            return Blocks(self.runs[number:])
        return Blocks((Run(self.runs[number].blocks[own:]), *self.runs[number + 1 :]))

    def _find(self, index: int) -> tuple[int, int]:
        """Return the run that contains a block, and the block's number in it."""
        if index < 0:
            index += len(self)
        if not 0 <= index < len(self):
            raise IndexError(f"there is no block {index} of {len(self)}")
        number = bisect_right(self._counts, index) - 1
        return number, index - self._counts[number]


#: No blocks.
NONE: Final = Blocks()


def _runs_of(blocks: Sequence[Block]) -> Iterator[Run]:
    """Yield runs of nearly equal size."""
    if not blocks:
        return
    count = max(1, round(len(blocks) / _TARGET))
    cuts = [number * len(blocks) // count for number in range(count + 1)]
    for low, high in pairwise(cuts):
        yield Run(tuple(blocks[low:high]))


def _settle(runs: list[Run], loose: Sequence[Block]) -> None:
    """Put blocks after runs: into the last run where they are few and it has room."""
    if runs and len(loose) < _FEW and len(runs[-1].blocks) + len(loose) <= _MAX_COUNT:
        loose = [*runs.pop().blocks, *loose]
    runs.extend(_runs_of(loose))


class ReusableTail(NamedTuple):
    """Blocks that follow each other in text and state, and wait at an offset of a document."""

    place: int
    blocks: Blocks

    @property
    def end(self) -> int:
        """Where the last block ends."""
        return self.place + self.blocks.length

    def number_at(self, place: int) -> int | None:
        """Return the block that begins at a place, None where none does."""
        if not self.place <= place < self.end:
            return None
        found = self.blocks.index_from(place - self.place)
        return found if self.blocks.start(found) == place - self.place else None

    def following(self, place: int) -> int | None:
        """Return the first place after one at which a block begins, None where none does."""
        found = self.blocks.index_from(place + 1 - self.place)
        return self.place + self.blocks.start(found) if found < len(self.blocks) else None

    def parted(
        self, reaches: Callable[[int, int], bool], is_other: Callable[[Block], bool] | None = None
    ) -> tuple[list[ReusableTail], list[Block]]:
        """Return the blocks that can be reused, and the others: those for which `reaches` is true, from where they
        begin to the farthest offset that they cover or reach, and those for which `is_other` is true."""
        kept: list[ReusableTail] = []
        others: list[Block] = []
        parts: list[Blocks | Sequence[Block]] = []
        begin = at = self.place

        def keep_tail(following: int) -> None:
            nonlocal begin
            if parts:
                kept.append(ReusableTail(begin, Blocks.joined(parts)))
                parts.clear()
            begin = following

        for run in self.blocks.runs:
            if is_other is None and not reaches(at, at + run.far):
                parts.append(Blocks((run,)))
                at += run.length
                continue
            for block in run.blocks:
                if reaches(at, at + max(block.length, block.reach)) or (is_other is not None and is_other(block)):
                    keep_tail(at + block.length)
                    others.append(block)
                else:
                    parts.append((block,))
                at += block.length
        keep_tail(at)
        return kept, others


class Waiting:
    """Blocks of earlier readings, each waiting at the offset where it would begin. The reading only moves forward: no
    offset that it asks about is before the last one."""

    def __init__(self, tails: Iterable[ReusableTail] = ()) -> None:
        self.tails = sorted((tail for tail in tails if tail.blocks), key=lambda tail: tail.place)
        #: How many of them end before the reading: an edit at the beginning of a document can leave very many.
        self._passed = 0

    def take(self, at: int, state: ReaderState) -> Blocks | None:
        """Take the blocks that wait at a place in a state, with all that follow them; None where none do."""
        tails = self.tails
        while self._passed < len(tails) and tails[self._passed].end <= at:
            self._passed += 1
        for number in range(self._passed, len(tails)):
            tail = tails[number]
            if tail.place > at:
                return None
            index = tail.number_at(at)
            if index is not None and tail.blocks[index].state == state:
                if index:
                    tails[number] = tail._replace(blocks=tail.blocks.until(index))
                else:
                    del tails[number]
                return tail.blocks.since(index)
        return None

    def following(self, at: int) -> int | None:
        """Return the first place after one at which a block waits, None where none does."""
        first: int | None = None
        for tail in islice(self.tails, self._passed, None):
            if first is not None and tail.place >= first:
                break
            place = tail.following(at)
            if place is not None and (first is None or place < first):
                first = place
        return first


class Growing:
    """Blocks that are read one after another."""

    def __init__(self, blocks: Blocks = NONE) -> None:
        """Begin with blocks that are read already."""
        self._runs = [*blocks.runs]
        self._latest: list[Block] = []
        self.at = blocks.length
        self.last: Block | None = blocks.runs[-1].blocks[-1] if blocks.runs else None

    def append(self, block: Block) -> None:
        """Take a block."""
        self._latest.append(block)
        if len(self._latest) == _TARGET:
            self._runs.append(Run(tuple(self._latest)))
            self._latest.clear()
        self.at += block.length
        self.last = block

    def extend(self, blocks: Blocks) -> None:
        """Take all blocks of a segment, at least one."""
        if self._latest:
            self._runs.append(Run(tuple(self._latest)))
            self._latest.clear()
        self._runs += blocks.runs
        self.at += blocks.length
        self.last = blocks.runs[-1].blocks[-1]

    def blocks(self) -> Blocks:
        """Return all blocks."""
        return Blocks.joined((Blocks(tuple(self._runs)), self._latest))
