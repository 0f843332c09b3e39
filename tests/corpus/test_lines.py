"""Lines: every line once, wherever a shard is divided; what is too long or broken is reported, and the others are
there."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import pytest
import zstandard

from callwright.corpus.lines import Row, lines
from callwright.corpus.shards import find_shards
from callwright.corpus.units import divide

MAX_LENGTH = 1 << 20
TEXTS = [
    b"",
    b"{}\n",
    b"{}",
    b"a\n\nbb\n",
    b"a\r\nb\r\n",
    b"\n" * 5,
    b"x" * 40 + b"\ny\n",
    bytes(range(14, 200)) + b"\n",
]


def read(path: Path, size: int, longest: int = MAX_LENGTH) -> list[Row]:
    return [row for unit in divide(find_shards([str(path)]), size) for row in lines(unit, longest)]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64, 1 << 20])
@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_each_line_belongs_to_one_unit(text: bytes, size: int, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(text)
    assert [row.data for row in read(path, size)] == [*io.BytesIO(text)]


def test_rows_are_counted_in_their_unit(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"1\n2\n3\n4\n")
    assert [row.number for row in read(path, 4)] == [0, 1, 0, 1]


def test_a_marker_at_the_beginning_is_no_part_of_the_first_row(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"\xef\xbb\xbf{}\n1\n")
    assert [row.data for row in read(path, 64)] == [b"{}\n", b"1\n"]
    packed = tmp_path / "b.jsonl.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert [row.data for row in read(packed, 64)] == [b"{}\n", b"1\n"]


def test_a_line_that_is_too_long_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    long = b"x" * (3 << 20)
    path.write_bytes(b"1\n" + long + b"\n2\n")
    assert read(path, 64 << 20) == [
        Row(0, b"1\n"),
        Row(1, b"", ("row-too-long", {"length": len(long) + 1})),
        Row(2, b"2\n"),
    ]
    assert [row.data for row in read(path, 1 << 20)] == [b"1\n", b"", b"2\n"]


@pytest.mark.parametrize("ending", ["gz", "zst"])
def test_compressed_lines_are_those_of_the_text(ending: str, tmp_path: Path) -> None:
    text = b"".join(b"%d\n" % number for number in range(200_000))
    path = tmp_path / f"a.jsonl.{ending}"
    halves = [text[: len(text) // 2], text[len(text) // 2 :]]
    pack = gzip.compress if ending == "gz" else zstandard.ZstdCompressor().compress
    # Two members one after the other are one file.
    path.write_bytes(b"".join(map(pack, halves)))
    assert b"".join(row.data for row in read(path, 1 << 20)) == text


@pytest.mark.parametrize("ending", ["gz", "zst"])
def test_what_is_before_the_break_of_a_shard_counts(ending: str, tmp_path: Path) -> None:
    text = b"".join(b"%07d\n" % (number * 7919 % 9_999_991) for number in range(100_000))
    path = tmp_path / f"a.jsonl.{ending}"
    packed = gzip.compress(text) if ending == "gz" else zstandard.ZstdCompressor().compress(text)
    path.write_bytes(packed[: len(packed) // 2])
    *rows, last = read(path, 1 << 20)
    assert last.fault is not None
    assert last.fault[0] == "shard-broken"
    assert last.number == len(rows) > 10_000
    assert text.startswith(b"".join(row.data for row in rows))


def test_noise_in_the_midst_of_a_shard_ends_it(tmp_path: Path) -> None:
    text = b"".join(b"%07d\n" % number for number in range(100_000))
    packed = bytearray(gzip.compress(text))
    packed[len(packed) // 2 : len(packed) // 2 + 64] = bytes(64)
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(packed)
    rows = read(path, 1 << 20)
    assert rows[-1].fault is not None
    assert rows[-1].fault[0] == "shard-broken"
