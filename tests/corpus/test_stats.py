"""Statistics: what is counted in rows adds up to the same figures, however the rows are divided."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given as with_any
from hypothesis import strategies as st

from callwright.corpus.histograms import bounds_of, quantile, size_of
from callwright.corpus.lines import Row
from callwright.corpus.measuring import Measures, RowMeasurer
from corpus.making import LOST, SOUND, chat, done, lines_of, run_options

HERMES = '<tool_call>{"name": "read_file", "arguments": {"path": "a.py"}}</tool_call>'


def measured(row: Any, **given: Any) -> Measures:
    data = row if isinstance(row, bytes) else json.dumps(row).encode() + b"\n"
    return RowMeasurer(run_options(Path("out"), task="stats", **given)).measured(Row(0, data))


@with_any(st.integers(min_value=0, max_value=1 << 70))
def test_a_value_lies_within_the_bounds_of_its_size(value: int) -> None:
    first, last = bounds_of(size_of(value))
    assert first <= value <= last
    assert (last - first) * 8 <= first
    assert size_of(last + 1) == size_of(value) + 1


@with_any(st.lists(st.integers(min_value=0, max_value=100_000), min_size=1), st.sampled_from([0.5, 0.9, 0.99]))
def test_a_quantile_is_too_large_by_less_than_an_eighth(values: list[int], share: float) -> None:
    sizes = sorted(map(size_of, values))
    found = quantile([(size, sizes.count(size)) for size in sorted(set(sizes))], share)
    exact = next(value for number, value in enumerate(sorted(values), 1) if number >= share * len(values))
    assert found is not None
    assert exact <= found
    assert (found - exact) * 8 <= exact
    assert quantile([], share) is None


def test_calls_are_measured_by_tool_and_dialect() -> None:
    row = chat(f"{SOUND}\n\n{HERMES}\n\n{LOST}")
    found = measured(row)
    assert (found.shape, found.messages, found.faulty) == ("openai-chat", [2], True)
    assert found.length == len(json.dumps(row))
    assert found.all.lengths == [len(SOUND), len(HERMES), len(LOST)]
    assert found.tools["read_file"].lengths == found.all.lengths
    assert {name: calls.lengths for name, calls in found.dialects.items()} == {
        "hermes": [len(HERMES)],
        "xml-children": [len(SOUND), len(LOST)],
    }
    assert (found.all.faulty, found.dialects["xml-children"].faulty, found.dialects["hermes"].faulty) == (1, 1, 0)
    assert found.all.diagnostics["TC302"] == found.all.struck["TC302"] == 1


def test_several_diagnostics_in_one_call_make_one_faulty_call() -> None:
    found = measured(chat("<read_file><file>a.py</file><size>2</size></read_file>"))
    assert found.all.diagnostics.total() == 3
    assert found.all.faulty == 1
    assert sorted(found.all.struck.values()) == [1, 1]


def test_strikes_are_the_longest_run_of_failures() -> None:
    stated = [LOST, SOUND, LOST, LOST, f"{HERMES}", LOST]
    turns: list[dict[str, str]] = []
    for each in stated:
        turns += [{"role": "assistant", "content": each}, {"role": "user", "content": "Go on."}]
    found = measured({"messages": turns})
    assert found.all.strikes == [2]
    # Of the calls in one dialect, a success in another one ends no run.
    assert found.dialects["xml-children"].strikes == [3]
    assert found.dialects["hermes"].strikes == [0]


def test_texts_at_a_path_have_calls_and_no_conversation() -> None:
    found = measured({"turns": [{"text": SOUND}, {"text": LOST}], "note": SOUND}, text="turns[*].text")
    assert (found.shape, found.messages, found.all.strikes) == ("(text)", [], [])
    assert (len(found.all.lengths), found.all.faulty) == (2, 1)


@pytest.mark.parametrize("data", [b"id,text\n", b'{"messages": "\xff<a_b>"}\n'])
def test_a_row_that_cannot_be_read_is_counted_with_its_diagnostic(data: bytes) -> None:
    found = measured(data)
    assert (found.faulty, found.length, found.all.diagnostics) == (True, len(data) - 1, {"TC717": 1})
    assert not found.all.lengths


def corpus(folder: Path) -> Path:
    folder.mkdir()
    stated = (SOUND, LOST, HERMES, "Nothing.")
    rows = [chat("\n\n".join([stated[number % 4]] * (1 + number % 3)), id=number) for number in range(60)]
    (folder / "a.jsonl").write_bytes(lines_of(rows))
    pq.write_table(pa.Table.from_pylist(rows), folder / "b.parquet", row_group_size=7)
    (folder / "c.parquet").write_bytes(b"PAR1 and nothing behind")
    return folder


def test_the_division_changes_nothing(tmp_path: Path) -> None:
    data = corpus(tmp_path / "data")
    results = []
    for unit in (500, 4_000, 64 << 20):
        out = tmp_path / f"out{unit}"
        done([data], run_options(out, task="stats", unit=unit))
        results.append({path.name: path.read_bytes() for path in out.iterdir()})
    assert set(results[0]) == {"stats.json", "stats.parquet", "histograms.parquet"}
    assert results[0] == results[1] == results[2]


def test_the_tables_hold_what_was_counted(tmp_path: Path) -> None:
    data = corpus(tmp_path / "data")
    out = tmp_path / "out"
    summary = done([data], run_options(out, task="stats"))
    reported = {(each["group"], each["name"]): each for each in summary["statistics"]}
    whole, tool = reported["all", ""], reported["tool", "read_file"]
    assert (summary["rows"], whole["rows"], whole["conversations"]) == (120, 120, 120)
    assert whole["calls"] == tool["calls"] == summary["calls"] == 2 * 3 * 30
    assert whole["faulty_calls"] == summary["faulty_calls"] == whole["calls"] // 3
    assert whole["error_rate"] == pytest.approx(1 / 3)
    assert whole["messages"] == {
        "count": 120, "total": 240, "least": 2, "p50": 2, "p90": 2, "p99": 2, "greatest": 2,
    }  # fmt: skip
    assert (tool["rows"], tool["strikes"]["greatest"]) == (90, 3)
    assert reported["rule", "TC302"]["diagnostics"] == whole["faulty_calls"]
    assert reported["rule", "TC302"]["calls"] == whole["faulty_calls"]
    # Where a shard breaks off, there is a diagnostic and no row.
    assert (reported["rule", "TC717"]["diagnostics"], reported["rule", "TC717"]["rows"]) == (1, 0)
    # The second and the third failure in a row repeat the first, and the third is one too many.
    assert (reported["rule", "TC713"]["diagnostics"], reported["rule", "TC714"]["diagnostics"]) == (30, 10)
    assert whole["diagnostics"] == summary["diagnostics"] == whole["faulty_calls"] + 30 + 10 + 1
    assert pq.read_table(out / "stats.parquet").to_pylist() == summary["statistics"]
    sizes = [
        each
        for each in pq.read_table(out / "histograms.parquet").to_pylist()
        if (each["group"], each["measure"]) == ("all", "call_characters")
    ]
    assert sum(each["count"] for each in sizes) == whole["calls"]
    assert all(each["from"] <= each["to"] for each in sizes)


def test_a_corpus_without_a_call_has_no_rate(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"{}\n")
    [whole, shape] = done([tmp_path / "a.jsonl"], run_options(tmp_path / "out", task="stats"))["statistics"]
    assert (whole["calls"], whole["error_rate"], whole["call_characters"], shape["name"]) == (0, None, None, "(none)")
