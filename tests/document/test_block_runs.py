"""Blocks in runs are the same sequence as a plain list of them, however they were cut apart and put together."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from callwright.document.block_runs import Blocks, Growing, ReusableTail
from callwright.document.blocks import Block
from callwright.document.contents import Read
from callwright.document.reader import START
from invariants.corpus import seeded
from support.sampling import sampled

#: How many blocks a document has: none, one, fewer and more than a run holds.
SIZES = (0, 1, 2, 31, 64, 97, 500)


def made(count: int, chance: Random) -> list[Block]:
    """Return blocks of which some look far ahead."""
    return [_block(chance.randrange(1, 40), chance.choice((0, 0, 5, 100, 2_000))) for _ in range(count)]


def _block(length: int, ahead: int) -> Block:
    return Block(length, START, START, length + ahead, Read([]))


def starts_of(blocks: list[Block]) -> Iterator[int]:
    at = 0
    for block in blocks:
        yield at
        at += block.length


def assert_same(blocks: Blocks, plain: list[Block]) -> None:
    """Hold everything that may be asked of blocks against what a list says."""
    starts = [*starts_of(plain)]
    length = sum(block.length for block in plain)
    assert [*blocks] == plain
    assert len(blocks) == len(plain)
    assert blocks.length == length
    assert blocks.starts() == starts
    assert [*blocks.placed()] == [*zip(starts, plain, strict=True)]
    assert [blocks[number] for number in range(len(plain))] == plain
    assert [blocks.start(number) for number in range(len(plain) + 1)] == [*starts, length]
    assert all(run.blocks for run in blocks.runs)
    for offset in {-1, 0, length, length + 1, *range(0, length, 7), *starts[::3]}:
        before = [number for number, start in enumerate(starts) if start <= offset]
        assert blocks.index_at(offset) == (before[-1] if before else 0)
        after = [number for number, start in enumerate(starts) if start >= offset]
        assert blocks.index_from(offset) == (after[0] if after else len(plain))
        ends = [start + max(block.length, block.reach) for start, block in zip(starts, plain, strict=True)]
        reaching = [number for number, end in enumerate(ends) if end >= offset]
        assert blocks.index_reaching(offset) == (reaching[0] if reaching else len(plain))


@pytest.mark.parametrize("count", SIZES)
def test_blocks_in_runs_are_those_of_a_list(count: int) -> None:
    plain = made(count, seeded(f"blocks {count}"))
    assert_same(Blocks.of(plain), plain)
    assert Blocks.of(plain)[-3:] == plain[-3:]
    with pytest.raises(IndexError):
        Blocks.of(plain)[count]


@pytest.mark.parametrize("round_", sampled(range(6)))
def test_what_is_cut_apart_and_put_together_is_the_same(round_: int) -> None:
    chance = seeded(f"cuts {round_}")
    plain = made(300, chance)
    blocks = Blocks.of(plain)
    for _ in range(30):
        low = chance.randrange(len(plain))
        high = min(len(plain), low + chance.choice((0, 1, 2, 50)))
        new = made(chance.choice((0, 1, 2, 3, 40)), chance)
        blocks = Blocks.joined((blocks.until(low), new, blocks.since(high)))
        plain[low:high] = new
        assert_same(blocks, plain)


def test_an_edit_rebuilds_few_runs_and_none_that_are_small() -> None:
    blocks = Blocks.of(made(2_000, seeded("many")))
    for number in range(500):
        before = {id(run) for run in blocks.runs}
        at = 900 + number % 7
        blocks = Blocks.joined((blocks.until(at), (_block(9, 0),), blocks.since(at + number % 2)))
        assert len([run for run in blocks.runs if id(run) not in before]) <= 3
    assert len(blocks.runs) <= len(blocks) // 32
    assert max(len(run.blocks) for run in blocks.runs) <= 96


@pytest.mark.parametrize("count", SIZES[1:])
def test_blocks_that_come_one_after_another_are_kept_in_their_order(count: int) -> None:
    chance = seeded(f"growing {count}")
    plain = made(count, chance)
    growing = Growing(Blocks.of(plain[:10]))
    at = min(count, 10)
    while at < count:
        if chance.random() < 0.1:
            more = min(count, at + chance.randrange(1, 90))
            growing.extend(Blocks.of(plain[at:more]))
            at = more
        else:
            growing.append(plain[at])
            at += 1
        assert growing.last is plain[at - 1]
        assert growing.at == sum(block.length for block in plain[:at])
    assert_same(growing.blocks(), plain)


@pytest.mark.parametrize("round_", range(6))
def test_waiting_blocks_are_found_by_their_place_and_parted_by_how_far_they_reach(round_: int) -> None:
    chance = seeded(f"shelf {round_}")
    plain = made(200, chance)
    begin = chance.choice((0, 1, 1_000))
    tail = ReusableTail(begin, Blocks.of(plain))
    places = [begin + start for start in starts_of(plain)]
    for place in range(begin - 2, tail.end + 2):
        assert tail.number_at(place) == (places.index(place) if place in places else None)
        following = [each for each in places if each > place]
        assert tail.following(place) == (following[0] if following else None)
    low = chance.randrange(begin, tail.end)
    clear, others = tail.parted(lambda start, end: start == 0 or end >= low)
    found = [(one.place + start, block) for one in clear for start, block in one.blocks.placed()]
    fits = [
        (place, block)
        for place, block in zip(places, plain, strict=True)
        if place and place + max(block.length, block.reach) < low
    ]
    assert found == fits
    kept = {id(block) for _, block in fits}
    assert others == [block for block in plain if id(block) not in kept]
