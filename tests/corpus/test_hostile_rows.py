"""Rows and tables that are made to do harm: each is read and reported, and nothing of it reaches a terminal."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from corpus.making import LOST, chat, diagnostics, done, run_options
from corpus.running import LONG, Run, ray_environment

#: What a terminal, a spreadsheet, a shell or a path would obey.
NASTY = (
    "\x1b[31m\x1b]0;title\x07\x1b]8;;http://a\x1b\\",
    "\x00\x01\x7f\x9b31m",
    "\ud800",
    "\u202e\u2066\u2028\u0085\ufeff",
    "=cmd|' /C calc'!A0",
    "@SUM(1+1)*cmd",
    "../../../../etc/passwd",
    "C:\\Windows\\..\\con",
    "${jndi:ldap://a}",
    "`rm -rf ~`$(id)",
    "%s%n{0.__class__}",
    "a" * 300_000,
)


def deep(depth: int) -> str:
    return "[" * depth + "]" * depth


def call(name: str, argument: str) -> str:
    body = json.dumps({"name": name, "arguments": {argument: argument}, "more": 1})
    return f"<tool_call>\n{body}\n</tool_call> <tool_call>{{</tool_call>"


#: Rows of values that are of other types than any reader expects.
VALUES: list[Any] = [None, 1, "text", {}, [], [None], [[]], [1, "a"], [{"role": 1, "content": {}}]]
CALLS: list[Any] = [None, 1, "a", {}, [1], [{"function": 1}], [{"function": {"name": [], "arguments": 5}}]]
ODD: list[Any] = [
    *({"messages": value} for value in VALUES),
    *({"messages": [{"role": "assistant", "content": [{"type": ["a"]}, 1], "tool_calls": value}]} for value in CALLS),
]


def hostile() -> list[bytes]:
    """Return lines that are hostile, each with what is wrong in it or nothing."""
    rows: list[Any] = [chat(text) for text in NASTY]
    rows += [chat(call(text[:2_000], text[:2_000])) for text in NASTY]
    rows += [{text[:2_000]: text, **chat(LOST)} for text in NASTY]
    rows += ODD
    lines = [json.dumps(row).encode() for row in rows]
    for depth in (300, 5_000, 100_000):
        lines += [deep(depth).encode(), b'{"messages": ' + deep(depth).encode() + b"}"]
        lines.append(
            json.dumps(chat('<tool_call>{"name": "a", "arguments": ' + deep(depth) + "}</tool_call>")).encode()
        )
    lines += [
        b"\xff\xfe{\x00",
        b'{"messages": "\xc3\x28"}',
        b'{"a": 1e999, "b": NaN, "c": ' + b"9" * 5_000 + b"}",
        b"\x00" * 999,
    ]
    return lines


SENTINEL = chat(LOST)


def shard(folder: Path) -> Path:
    """Write hostile lines, each between two of which one thing is known."""
    known = json.dumps(SENTINEL).encode()
    path = folder / "data" / "a.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"".join(known + b"\n" + line + b"\n" for line in hostile()) + known + b"\n")
    return path


def known(found: list[dict[str, Any]], count: int) -> None:
    """Hold that each row of which one thing is known has just that diagnostic."""
    own = [each for each in found if not each["row"] % 2]
    assert [each["row"] for each in own] == [2 * number for number in range(count)]
    assert {each["rule"] for each in own} == {"TC302"}
    for each in found:
        for value in each.values():
            # It goes into tables and pages as text.
            assert not isinstance(value, str) or value.encode().decode() == value


@pytest.mark.parametrize("given", [{}, {"messages": "messages"}, {"text": "messages[*].content"}])
@pytest.mark.parametrize("task", ["check", "convert", "stats"])
def test_hostile_lines_stop_nothing_and_change_nothing_beside_them(
    task: str, given: dict[str, str], tmp_path: Path
) -> None:
    path = shard(tmp_path)
    own: dict[str, Any] = {"clean": True, "fixed": True} if task == "check" else {}
    own["to"] = "hermes" if task == "convert" else None
    order = run_options(tmp_path / "out", task=task, **own, **given)
    summary = done([path], order)
    count = len(hostile())
    assert summary["rows"] == 2 * count + 1
    if task == "check":
        known(diagnostics(order), count + 1)
        whole = (tmp_path / "out" / "clean" / path.relative_to("/")).read_bytes()
        assert set(whole.splitlines()) <= set(path.read_bytes().splitlines())


@pytest.mark.whole(reason="it starts the engine three times, and other tests read its results")
@pytest.mark.parametrize("words", [["check"], ["stats"], ["convert", "--to", "hermes"]])
def test_nothing_of_a_row_reaches_a_terminal(words: list[str], tmp_path: Path) -> None:
    shard(tmp_path)
    task, *more = words
    stated = command(tmp_path, task, "data", "--out", "out", "--jobs", "1", "--isolated", "--color", "never", *more)
    if task == "check":
        stated += command(tmp_path, "dedupe-diagnostics", "out")
        stated += "".join(command(tmp_path, "row", "data/a.jsonl", str(number)) for number in (1, 3, 5, 7))
    assert not [each for each in stated if (each < " " and each != "\n") or each in "\x7f\x9b\u202e\u2066\u2028\u0085"]


def command(folder: Path, *words: str) -> str:
    """Return what a command on a corpus prints."""
    given = [sys.executable, "-P", "-m", "callwright", "corpus", *words]
    done = subprocess.run(given, cwd=folder, check=False, capture_output=True, timeout=LONG)
    assert done.returncode in (0, 1), done.stderr
    return (done.stdout + done.stderr).decode()


def table(values: list[Any]) -> pa.Table:
    return pa.table({"messages": [json.dumps(each["messages"]) for each in values], "n": list(range(len(values)))})


def parquet(folder: Path) -> bytes:
    path = folder / "made.parquet"
    pq.write_table(table([SENTINEL] * 200), path, row_group_size=50)
    data = path.read_bytes()
    path.unlink()
    return data


def arrow(folder: Path) -> bytes:
    sink = pa.BufferOutputStream()
    rows = table([SENTINEL] * 200)
    with pa.ipc.new_file(sink, rows.schema) as writer:
        for batch in rows.to_batches(max_chunksize=50):
            writer.write_batch(batch)
    made: bytes = sink.getvalue().to_pybytes()
    return made


def cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def without_an_end(data: bytes) -> bytes:
    return data[:-8]


def of_zeros(data: bytes) -> bytes:
    return data[: len(data) // 3] + bytes(len(data) // 3) + data[2 * len(data) // 3 :]


def with_a_long_footer(data: bytes) -> bytes:
    """Say that what describes the table is longer than any file."""
    return data[:-8] + struct.pack("<I", 0x7FFFFFF0) + data[-4:]


def lying(data: bytes) -> bytes:
    """Change every seventh byte of what describes the table."""
    length = min(int.from_bytes(data[-8:-4], "little"), len(data) - 8)
    foot = bytearray(data[-8 - length : -8])
    foot[::7] = bytes(byte ^ 0x55 for byte in foot[::7])
    return data[: -8 - length] + bytes(foot) + data[-8:]


@pytest.mark.parametrize("harm", [cut, without_an_end, of_zeros, with_a_long_footer, lying])
@pytest.mark.parametrize("made", [parquet, arrow])
@pytest.mark.parametrize("task", ["check", "convert", "stats"])
def test_a_table_that_is_broken_or_lies_is_reported_and_holds_up_no_other(
    task: str, made: Callable[[Path], bytes], harm: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / f"a.{made.__name__}").write_bytes(harm(made(tmp_path)))
    pq.write_table(table([SENTINEL] * 5), data / "b.parquet")
    own: dict[str, Any] = {"clean": True, "fixed": True} if task == "check" else {}
    order = run_options(tmp_path / "out", task=task, to="hermes" if task == "convert" else None, **own)
    summary = done([data], order)
    broken, sound = summary["shards"]
    assert sound["rows"] == 5
    if task == "check":
        found = diagnostics(order)
        assert {each["rule"] for each in found if each["source"] == broken["source"]} >= {"TC717"}
        assert [each["rule"] for each in found if each["source"] == sound["source"]] == ["TC302"] * 5


@pytest.mark.whole(reason="it starts workers, and on Ray a cluster")
@pytest.mark.parametrize("engine", ["local", "ray"])
def test_workers_take_hostile_rows_and_tables_too(engine: str, tmp_path: Path) -> None:
    path = shard(tmp_path)
    for made in (parquet, arrow):
        for harm in (cut, without_an_end, of_zeros, with_a_long_footer, lying):
            (path.parent / f"{harm.__name__}.{made.__name__}").write_bytes(harm(made(tmp_path)))
    words = ("--clean", "--fixed", "--unit-size", "1MB")
    alone = Run(tmp_path, tmp_path / "alone", *words, "--jobs", "1")
    assert alone.end() == (1, "")
    with ray_environment() as environment:
        run = Run(tmp_path, tmp_path / "out", *words, "--jobs", "2", "--engine", engine, environment=environment)
        assert run.end() == (1, "")
    assert run.results() == alone.results()
