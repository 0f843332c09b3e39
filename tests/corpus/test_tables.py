"""Tables: rows as their writers had them, and columns in which only what changes is changed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from callwright.corpus.shards import find_shards
from callwright.corpus.tables import Batch, RowWriter, batches, changed, groups_of, written_columns
from callwright.corpus.units import divide


def rows_of(table: pa.Table, written: set[str] | None = None) -> list[Any]:
    [rows] = table.combine_chunks().to_batches()
    writer = RowWriter(table.schema, None, written or ())
    return [json.loads(row.data) for row in writer.rows(Batch(0, rows), 1 << 20)]


def test_a_null_in_a_struct_is_no_member_and_an_item_of_a_list_is_one() -> None:
    table = pa.table({"a": [{"x": "1", "y": None, "z": [None, "2"]}, None], "b": ["t", None], "n": [1, 2]})
    assert rows_of(table) == [{"a": {"x": "1", "z": [None, "2"]}, "b": "t"}, {}]


def test_a_message_that_only_calls_states_so() -> None:
    table = pa.table({"messages": [[{"role": "assistant", "content": None, "name": None}]]})
    assert rows_of(table) == [{"messages": [{"role": "assistant", "content": None}]}]


def test_a_column_of_json_is_what_it_states() -> None:
    table = pa.table({"steps": ['[{"a": "b"}]', "[1,\n2]", "no JSON"], "id": ["a", "b", "c"]})
    assert [row["steps"] for row in rows_of(table, {"steps"})] == [[{"a": "b"}], [1, 2], "no JSON"]


@pytest.mark.parametrize("form", ["parquet", "arrow", "arrows"])
def test_every_row_is_in_one_batch_however_the_table_is_divided(form: str, tmp_path: Path) -> None:
    table = pa.table({"text": [f"row {number}" for number in range(5_000)], "tools": ["[]"] * 5_000})
    path = tmp_path / f"a.{form}"
    if form == "parquet":
        pq.write_table(table, path, row_group_size=700)
    else:
        new = pa.ipc.new_file if form == "arrow" else pa.ipc.new_stream
        with new(str(path), table.schema) as writer:
            writer.write_table(table, max_chunksize=700)
    for size in (1, 20_000, 1 << 30):
        shards = find_shards([str(path)])
        found = []
        for unit in divide(shards, size):
            expected = 0
            for batch in batches(unit):
                assert batch.rows is not None
                assert batch.first == expected
                expected += batch.rows.num_rows
                found += batch.rows.column(0).to_pylist()
        assert found == table.column(0).to_pylist()
    assert len(groups_of(shards[0])) == (1 if form == "arrows" else 8)
    assert written_columns(shards[0]) == {"tools"}


def test_only_what_changes_is_changed() -> None:
    column = pa.array([{"a": "1", "b": None}, None, {"a": "3", "b": [4]}])
    fresh = changed(column, {2: {"a": "9", "b": [4, 5]}})
    assert fresh.to_pylist() == [{"a": "1", "b": None}, None, {"a": "9", "b": [4, 5]}]
    assert fresh.type == column.type


@pytest.mark.parametrize("value", [{"a": 1}, {"a": "1", "c": "2"}, "text"])
def test_what_a_type_cannot_hold_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match=r"."):
        changed(pa.array([{"a": "1"}]), {0: value})
