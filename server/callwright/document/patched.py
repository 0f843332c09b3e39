"""Patched blocks: a long list in JSON of which only the entries that edits touched were read again.

Owns: `Patched`, `Before`, which entry an edit is in, and where the kept parts are now. Must not know: rules, hosts,
protocols.

A clean JSON document is one block. Where it is a list of transcripts, or one transcript whose messages are a list, what
is read in an entry depends on that entry alone. So an edit inside one entry keeps the block as it was read, its *base*,
and puts a *patch* in the place of that entry. What was read keeps the offsets that it had in the base, and the patch
has its own; they are moved when they are asked for.

Invariant: patched content is equal to what reading its text as a whole gives. Where that is not certain - the entry is
no longer clean, an edit touches its ends, or text around the list - there is no patch, and the whole is read.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from callwright.declarations.reading import may_declare_in_data
from callwright.document.blocks import IS_BASE, Block, ReadPassage, placed_passage, shifted
from callwright.document.contents import Read
from callwright.document.reader import START
from callwright.document.suppressions import WORD, suppressions_of
from callwright.text.budget import yield_point
from callwright.text.facts import derived
from callwright.text.records import NamedTuple, dataclass, replace
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.calls.turns import Turn
    from callwright.document.block_reading import BlockReading
    from callwright.hosts.base import TranscriptPart
    from callwright.hosts.support.transcript import Entries

#: A shorter document is read as a whole.
LEAST: Final = 16_384
#: How many entries may be patched: each has moved, and every offset is looked up among them.
MAX_COUNT: Final = 64
#: How many characters are checked for what transcripts begin with.
_HEAD: Final = 4_096
#: Where the offsets of the first patch begin, while turns of the base and of patches are read together: after all
#: offsets that a document can have.
APART: Final = 1 << 40


class Before(NamedTuple):
    """What was read before an edit, and where the edit changed its text: `[low, end)` is now `[low, high)`."""

    block: Block
    low: int
    end: int
    high: int

    def then(self, low: int, high: int, delta: int) -> Before:
        """Return what was read before this edit and another one, given as `Snapshot.edited` reports it."""
        end = max(self.high, high - delta)
        return Before(self.block, min(self.low, low), self.end + end - self.high, end + delta)


@dataclass(frozen=True, slots=True)
class _Plan:
    """A block with its list: where its entries are, and for each part of its transcripts the entry it is in."""

    base: Block
    entries: Entries
    starts: Sequence[int]
    ends: Sequence[int]
    homes: Sequence[int]
    turns: Sequence[int]

    @property
    def whole(self) -> TranscriptPart | None:
        """The transcript that the whole block is, None where it is a list of them."""
        return self.base.transcripts[0] if self.entries.shape is not None else None


@dataclass(frozen=True, slots=True)
class Patch:
    """An entry that was read again: its number, where it begins now, its length, its value and its block.

    Offsets of `block` begin `lead` characters before the entry.
    """

    index: int
    start: int
    length: int
    value: Any
    block: Block
    lead: int

    @property
    def shift(self) -> int:
        """What is added to an offset of the patch's block to get one of the document's block."""
        return self.start - self.lead


@dataclass(eq=False)
class Patched:
    """Content of which some entries were read again: the base, the patches in order, and the values of all entries.

    Its diagnostics are put together as well, so its passages need not be checked.
    """

    plan: _Plan
    patches: Sequence[Patch]
    values: list[Any]
    is_clean: Final = True

    @property
    def suspects(self) -> Sequence[tuple[int, Block]]:
        """The entries that were read again, each with the place of its block."""
        return [(patch.shift, patch.block) for patch in self.patches]

    @cached_property
    def transcripts(self) -> Sequence[TranscriptPart]:
        """The transcripts of the base, and in their places those of entries that were read again."""
        return self._transcripts()

    @cached_property
    def passages(self) -> list[ReadPassage]:
        """The passages of the base, and in their places those of entries that were read again."""
        return self._passages()

    # Where things are

    def keeps(self, at: int) -> bool:
        """Return whether what begins at an offset of the base is still there."""
        plan = self.plan
        index = bisect_right(plan.starts, at) - 1
        return all(patch.index != index or at >= plan.ends[index] for patch in self.patches)

    def moved(self, at: int) -> int:
        """Return where an offset of the base is now; an offset of a patch, after `APART`, is moved, too."""
        if at >= APART:
            number, own = divmod(at, APART)
            return self.patches[number - 1].start + own
        by = 0
        for patch in self.patches:
            if self.plan.ends[patch.index] > at:
                break
            by += self._grown(patch)
        return at + by

    def moved_span(self, span: Span) -> Span:
        """Return where a span of the base, or of a patch after `APART`, is now."""
        return Span(self.moved(span.start), self.moved(span.end))

    def _grown(self, patch: Patch) -> int:
        return patch.length - (self.plan.ends[patch.index] - self.plan.starts[patch.index])

    def entry_at(self, low: int, end: int) -> tuple[int, Span] | None:
        """Return the entry that contains `[low, end)` without touching its first or last character, and its place."""
        plan, by = self.plan, 0
        for patch in self.patches:
            if low < patch.start:
                break
            if low < patch.start + patch.length:
                return _inside(patch.index, Span(patch.start, patch.start + patch.length), low, end)
            by += self._grown(patch)
        index = bisect_right(plan.starts, low - by) - 1
        if index < 0:
            return None
        return _inside(index, Span(plan.starts[index], plan.ends[index]).shift(by), low, end)

    # What was read

    def holds_transcripts(self) -> bool:
        """Return whether there is any transcript: a document without one is reported differently."""
        plan = self.plan
        if plan.whole is not None or any(patch.block.transcripts for patch in self.patches):
            return True
        return len({patch.index for patch in self.patches}) < len({*plan.homes, *(each.index for each in self.patches)})

    def _pieces(self, homes: Sequence[int]) -> Iterator[tuple[int, int, int, Patch | None]]:
        """Yield the segments of what was read in the base, by number, how far each was moved, and the patch after it;
        `homes` gives the entry of each."""
        at = by = 0
        for patch in self.patches:
            first, after = numbers_in(homes, patch.index)
            yield at, first, by, patch
            by += self._grown(patch)
            at = after
        yield at, len(homes), by, None

    def _transcripts(self) -> list[TranscriptPart]:
        plan = self.plan
        parts = plan.base.transcripts
        found: list[TranscriptPart] = []
        if plan.whole is None:
            for first, after, by, patch in self._pieces(plan.homes):
                found += [_moved_part(part, by) for part in parts[first:after]] if by else parts[first:after]
                if patch is not None:
                    found += [_moved_part(part, patch.shift) for part in patch.block.transcripts]
            return found
        whole = plan.whole
        for first, after, by, patch in self._pieces(plan.turns):
            part = _moved_part(replace(whole, turns=whole.turns[first:after], joined=bool(found), tools=None), by)
            found.append(part)
            if patch is not None:
                found += [_moved_part(each, patch.shift) for each in patch.block.transcripts]
        if whole.tools is not None:
            # They are before the list, or after it.
            place = 0 if whole.tools.span.start < plan.starts[0] else -1
            found[place] = replace(found[place], tools=whole.tools)
        return found

    def _passages(self) -> list[ReadPassage]:
        passages = self.plan.base.passages
        found: list[ReadPassage] = []
        for first, after, by, patch in self._pieces(_homes_of_passages(self.plan.base, self.plan)):
            found += [_moved_read(read, by) for read in passages[first:after]] if by else passages[first:after]
            if patch is not None:
                found += [_moved_read(read, patch.shift) for read in patch.block.passages]
        return found


def _inside(index: int, place: Span, low: int, end: int) -> tuple[int, Span] | None:
    return (index, place) if place.start < low and end < place.end else None


def numbers_in(homes: Sequence[int], index: int) -> tuple[int, int]:
    """Return the numbers of what is in an entry."""
    return bisect_left(homes, index), bisect_right(homes, index)


def _entry_of(plan: _Plan, at: int) -> int:
    """Return the number of the entry that contains an offset of the base, else that of the entry before it."""
    return bisect_right(plan.starts, at) - 1


@derived
def _homes_of_passages(base: Block, plan: _Plan) -> Sequence[int]:
    """Return the number of the entry that each passage of a base is in."""
    return [_entry_of(plan, read.passage.projection.raw_span(_first_of(read)).start) for read in base.passages]


def _first_of(read: ReadPassage) -> Span:
    """Return where a passage begins, or the native call that it belongs to."""
    calls = read.passage.calls
    return calls[0].span if calls else Span(0, 0)


def _moved_part(part: TranscriptPart, by: int) -> TranscriptPart:
    return replace(part, projection=shifted(part.projection, by)) if by else part


def _moved_read(read: ReadPassage, by: int) -> ReadPassage:
    """Return a passage at another place; its bindings are shared by both."""
    return ReadPassage(placed_passage(read.passage, by), read.calls, read.problems, read.registry, read.bindings)


# From one text to the next


def _may_be_base(block: Block) -> bool:
    """Return whether a block that was read as a whole may be patched."""
    return (
        isinstance(block.content, Read)
        and block.value is not None
        and block.length >= LEAST
        and not block.problems
        and not block.embedded
        and block.inline is None
    )


def change_of(block: Block, low: int, high: int, delta: int) -> Before | None:
    """Return what edits, given as `Snapshot.edited` reports them, change of a block; None if it is not patched."""
    if _may_be_base(block):
        IS_BASE.keep(block, True)
    elif not isinstance(block.content, Patched):
        return None
    return Before(block, low, high - delta, high)


def patched(reading: BlockReading, before: Before) -> Block | None:
    """Return the block of a whole document of which one entry was changed; None where the whole is to be read."""
    from callwright.hosts.support.transcript import entry_record
    from callwright.hosts.support.transcript_search import may_hold_far, may_hold_transcript

    old = before.block.content
    if not isinstance(old, Patched):
        plan = _plan_of(before.block)
        if plan is None:
            return None
        old = Patched(plan, (), plan.entries.listed.value)
    found = old.entry_at(before.low, before.end)
    if found is None or reading.size - before.block.length != before.high - before.end:
        return None
    index, place = found
    plan = old.plan
    length = place.end - place.start + before.high - before.end
    text = reading.document.slice(place.start, place.start + length)
    if reading.snapshot.may_declare and may_declare_in_data(text.encode("utf-8", "surrogatepass")):
        # Tools that it declares may be those of the whole document.
        return None
    head = reading.document.slice(0, min(_HEAD, reading.size))
    if WORD in text or not may_hold_transcript(head):
        return None
    if not may_hold_far(head) if plan.entries.wide else may_hold_far(text):
        # Whether the search reads far ahead is decided for the whole document.
        return None
    yield_point()
    record = entry_record(text, plan.entries, plan.whole)
    if record is None or record.value is None:
        return None
    value = record.value.value
    values = [*old.values]
    values[index] = value
    if not _is_like(plan, values):
        return None
    own = reading.of_record(record, len(text), len(text))
    if not _fits(plan, own):
        return None
    lead = len(plan.entries.lead)
    grown = length - (place.end - place.start)
    patch = Patch(index, place.start, length, value, own, lead)
    others = [
        replace(each, start=each.start + grown) if each.index > index else each
        for each in old.patches
        if each.index != index
    ]
    patches = sorted([*others, patch], key=lambda each: each.index)
    after = Patched(plan, patches, values)
    if len(patches) > MAX_COUNT or not after.holds_transcripts():
        return None
    block = Block(reading.size, START, START, reading.size, after)
    # Neither the base nor a patch contains a comment for Callwright.
    suppressions_of.keep(block, ())
    return block


def release(before: Before, now: Block) -> None:
    """Release what was read before where the whole was read again and may be patched instead."""
    if not _may_be_base(now):
        return
    old = before.block.content
    block = old.plan.base if isinstance(old, Patched) else before.block
    if IS_BASE.drop(block):
        _plan_of.drop(block)
        block.release()


def _is_like(plan: _Plan, values: list[Any]) -> bool:
    """Return whether the list, with other values, is still read as the list of the base was."""
    from callwright.hosts.support.transcript import entries_of
    from callwright.syntax.json_views import JsonView

    entries, root = plan.entries, plan.base.value
    assert root is not None, "a plan is made of a value"
    whole = values if entries.key is None else {**root.value, entries.key: values}
    found = entries_of(JsonView(root.read, whole), wide=entries.wide)
    if found is None or found.shape is not entries.shape or found.key != entries.key:
        return False
    part = plan.whole
    return part is None or found.shape is None or found.shape.is_certain(whole) == part.certain


def _fits(plan: _Plan, block: Block) -> bool:
    """Return whether what was read in an entry fits the rest as it does in a whole that is read at once."""
    if plan.whole is None:
        return all(part.whole for part in block.transcripts)
    return all(_is_plain(turn) for part in block.transcripts for turn in part.turns)


def _is_plain(turn: Turn) -> bool:
    """Return whether a turn is of the only conversation."""
    return turn.conversation is None and not turn.begins and not turn.ends


@derived
def _plan_of(base: Block) -> _Plan | None:
    """Return the plan of a block; None where it cannot be patched."""
    from callwright.hosts.support.transcript import entries_of
    from callwright.hosts.support.transcript_search import may_hold_far, may_hold_transcript

    root = base.value
    assert root is not None, "what has no value is no base"
    text = root.read.text
    entries = entries_of(root)
    if entries is None or not entries.listed.value or WORD in text or not may_hold_transcript(text[:_HEAD]):
        return None
    if entries.wide and not may_hold_far(text[:_HEAD]):
        return None
    nodes = entries.listed.node.items
    starts, ends = [node.span.start for node in nodes], [node.span.end for node in nodes]
    if entries.shape is None:
        if not all(part.whole and part.turns for part in base.transcripts):
            return None
        homes = [_home_of(part, starts) for part in base.transcripts]
        return _Plan(base, entries, starts, ends, homes, ()) if homes == sorted(homes) else None
    if len(base.transcripts) != 1:
        return None
    part = base.transcripts[0]
    if part.shape != entries.shape.name or not (part.whole and part.turns and all(map(_is_plain, part.turns))):
        return None
    turns = [bisect_right(starts, turn.place.span.start) - 1 for turn in part.turns]
    return _Plan(base, entries, starts, ends, (), turns) if turns == sorted(turns) else None


def _home_of(part: TranscriptPart, starts: Sequence[int]) -> int:
    """Return the number of the entry that a transcript is in."""
    place = part.projection.raw_span(part.turns[0].place.span)
    return bisect_right(starts, place.start) - 1
