"""Progress: the reading of a document; it may stop at any place, and continues after the next edit with what is read.

Owns: `Progress`. Must not know: who divides the reading, protocols, rules.

An edit loses nothing that was read: each block whose text and reach the edit does not touch waits at its new place, and
is reused where the reading reaches it in the state that the block began with. So typing never delays the end of a long
reading for good. Where very much is read again, as after a line that opens a fence, the earlier blocks are kept for
some edits: most such lines are removed again, or followed by one that closes what they open. What was read in a block
is released as soon as it is checked, so that there is never much of it at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from callwright.document.block_reading import BLOCK, BlockReading
from callwright.document.block_runs import Blocks, Growing, ReusableTail, Waiting
from callwright.document.blocks import DIAGNOSTICS, Block
from callwright.document.contents import Read
from callwright.document.evicting import make_evictable
from callwright.document.reader import BLANK_LINE, START
from callwright.document.snapshot import Snapshot
from callwright.document.suppressions import suppressions_of
from callwright.hosts.base import FlowHost, RecordHost
from callwright.text.records import NamedTuple
from callwright.text.span import Edit

#: Called with a block, its snapshot, and where in it the block begins.
Look = Callable[[Block, Snapshot, int], None]

#: A block that needs more text than this around an offset is not read for that offset.
_NEARBY = 1 << 15
#: The earlier blocks are kept if this many blocks must be read again, and for this many edits.
_MANY = 16
_EDITS = 64
#: How far before an offset the reading for it begins, where nothing before it is known.
_BEFORE = 2_048


class Kept(NamedTuple):
    """Blocks of earlier readings, each with the place where it would begin, and how many edits there were since."""

    waiting: Sequence[ReusableTail]
    edits: int


class Progress:
    """How far the reading of one document has come.

    `snapshot` is of the whole text; it has its blocks after `run` has returned. Offsets are code points.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        read: Blocks | None = None,
        waiting: Sequence[ReusableTail] = (),
        *,
        look: Look | None = None,
        edits: int | None = None,
    ) -> None:
        """Continue with a snapshot whose first blocks are `read`; each of those `waiting` is where it would begin.

        Every block that is read is passed to `look`, and then its content is evicted; without `look`, all content is
        kept. `edits` is how many edits there were since much was read again, None where the earlier blocks are not
        kept.
        """
        self.snapshot = snapshot
        self._edits = edits
        self._reload = 0
        self._look = look
        self._read = Growing(read or Blocks())
        self._waiting = Waiting(waiting)

    @classmethod
    def of(cls, snapshot: Snapshot, *, look: Look | None = None, kept: Kept | None = None) -> Progress:
        """Return the finished reading of a snapshot, with what was `kept` of the one before."""
        if kept is None:
            return cls(snapshot, snapshot.blocks, look=look)
        return cls(snapshot, snapshot.blocks, kept.waiting, look=look, edits=kept.edits)

    def run(self) -> Snapshot:
        """Read what is left, and return the snapshot. May be given up at any check of a budget."""
        snapshot, look = self.snapshot, self._look
        reading = BlockReading(snapshot)

        def shown(block: Block, at: int) -> None:
            self._reload += block.length
            if look is not None:
                look(block, snapshot, at)
                make_evictable(block, reading, at, snapshot.origin.memo)

        snapshot.take(reading.blocks(self._read, self._waiting, shown))
        return snapshot

    @property
    def spare(self) -> Iterator[Block]:
        """The blocks of earlier readings that were not reused."""
        return (block for tail in self._waiting.tails for block in tail.blocks)

    def kept(self) -> Kept | None:
        """Return what to keep of earlier readings, now that this one is finished; None for nothing.

        That is at most twice the blocks of the document itself.
        """
        edits = self._edits_since()
        if edits is None or edits >= _EDITS or not isinstance(self.snapshot.host, FlowHost):
            return None
        kept = sum(tail.blocks.length for tail in self._waiting.tails)
        return Kept(self._waiting.tails, edits + 1) if 0 < kept <= 2 * len(self.snapshot.document) else None

    def _edits_since(self) -> int | None:
        return 0 if self._reload >= _MANY * BLOCK else self._edits

    def edit(self, edits: Sequence[Edit], version: int | None = None) -> Progress:
        """Return the reading of the text after `edits`, applied one after another, as `Snapshot.edit` takes them.

        Raises ValueError where an edit lies outside the text.
        """
        left = self.snapshot.edited(edits, version, self._read.blocks(), self._waiting.tails)
        for block in left.gone:
            block.release()
        return Progress(left.after, left.known, left.waiting, look=self._look, edits=self._edits_since())

    def around(self, offset: int) -> Snapshot | None:
        """Return the document as far as it is known now, including what is at `offset`; None where that is not known.

        Text that is not read has no calls. Where nothing is known at `offset`, a little text around it is read, from
        the end of what is known before it; else from an empty line, as if nothing were open there. In a document that
        is one text nothing needs to be known: the text around an offset is enough.
        """
        parts: list[Blocks | Sequence[Block]] = [self._read.blocks()]
        at, size = self.at, len(self.snapshot.document)
        if offset >= at and at < size:
            near = self._near(offset)
            if near is not None:
                place, found = near
                if place > at:
                    parts.append((_unread(place - at),))
                parts.append(found)
                at = place + sum(block.length for block in found)
            elif not isinstance(self.snapshot.host, FlowHost):
                return None
        if at < size:
            parts.append((_unread(size - at),))
        return self.snapshot.with_blocks(Blocks.joined(parts))

    @property
    def at(self) -> int:
        """Up to where the reading has come."""
        return self._read.at

    def so_far(self) -> Snapshot:
        """Return the document as far as it is known now: as it was read, else as it was before the edits.

        Text that is not read has no calls.
        """
        parts: list[Blocks | Sequence[Block]] = [self._read.blocks()]
        at, size = self.at, len(self.snapshot.document)
        for tail in self._waiting.tails:
            first = tail.blocks.index_from(at - tail.place)
            place = tail.place + tail.blocks.start(first)
            if place < tail.end:
                if place > at:
                    parts.append((_unlooked(place - at),))
                parts.append(tail.blocks.since(first))
                at = tail.end
        if at < size:
            parts.append((_unlooked(size - at),))
        return self.snapshot.with_blocks(Blocks.joined(parts))

    def _near(self, offset: int) -> tuple[int, list[Block]] | None:
        """Return consecutive blocks, of which the last contains `offset`, and where the first begins."""
        last = self._read.last
        begin, state = self.at, last.after if last is not None else START
        if offset - begin > _NEARBY:
            if isinstance(self.snapshot.host, RecordHost):
                if type(self.snapshot.host).cut is RecordHost.cut:
                    return None
                begin = self._line_start(offset)
            else:
                begin = self._paragraph_start(max(begin, offset - _BEFORE), offset)
            state = START
        reading = BlockReading(self.snapshot)
        found: list[Block] = []
        at = begin
        while at <= offset:
            near = reading.short_block(at, state, offset - at + 1, _NEARBY)
            if near is None:
                return None
            found.append(near)
            at += near.length
            state = near.after
            if at >= len(self.snapshot.document):
                break
        return begin, found

    def _line_start(self, offset: int) -> int:
        document = self.snapshot.document
        return document.line_start(document.line_at(offset))

    def _paragraph_start(self, begin: int, offset: int) -> int:
        """Return where the first paragraph after `begin` begins, `begin` where none does before `offset`."""
        blank = BLANK_LINE.search(self.snapshot.document.slice(begin, offset))
        return begin if blank is None else begin + blank.end()


def _unread(length: int) -> Block:
    """Return a block of text that is not read."""
    return Block(length, START, START, length, Read([]))


def _unlooked(length: int) -> Block:
    """Return a block of text that is not checked now, not even for comments."""
    block = _unread(length)
    DIAGNOSTICS.keep(block, [])
    suppressions_of.keep(block, ())
    return block
