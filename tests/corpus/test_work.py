"""Units: what comes of a corpus does not depend on how it is divided, in which order, or how often it was stopped."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

from callwright.corpus import work
from callwright.corpus.judging import RowJudge
from callwright.corpus.lines import Row
from callwright.corpus.parts import FOLDER, is_done, sweep
from callwright.corpus.shards import find_shards
from callwright.corpus.tasks.base import Held
from callwright.corpus.units import RunOptions, divide
from corpus.making import FIXABLE, LOST, SOUND, chat, diagnostics, done, lines_of, run_options

ROWS = [chat((SOUND, FIXABLE, LOST, "Nothing.")[number % 4], id=number, note="ü") for number in range(48)]
CLEAN = [row for row in ROWS if row["id"] % 4 in (0, 3)]
FIXED = [{**row, **chat(SOUND)} if row["id"] % 4 == 1 else row for row in ROWS if row["id"] % 4 != 2]


def corpus(folder: Path) -> Path:
    """Write the rows in every format."""
    folder.mkdir()
    text = lines_of(ROWS)
    (folder / "a.jsonl").write_bytes(text)
    (folder / "b.jsonl.gz").write_bytes(gzip.compress(text))
    (folder / "c.jsonl.zst").write_bytes(zstandard.ZstdCompressor().compress(text))
    columns = pa.Table.from_pylist(ROWS).replace_schema_metadata({"about": "rows"})
    columns = columns.append_column("raw", pa.array([bytes([number % 256]) for number in range(len(ROWS))]))
    pq.write_table(columns, folder / "d.parquet", row_group_size=8, compression="gzip")
    with pa.ipc.new_file(str(folder / "e.arrow"), columns.schema) as writer:
        writer.write_table(columns, max_chunksize=10)
    with pa.ipc.new_stream(str(folder / "f.arrows"), columns.schema) as writer:
        writer.write_table(columns, max_chunksize=10)
    return folder


def contents(given: RunOptions) -> dict[str, bytes]:
    """Return the files of a folder of results."""
    out = Path(given.out)
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}


def test_the_division_changes_nothing(tmp_path: Path) -> None:
    data = corpus(tmp_path / "data")
    stated = []
    for size in (800, 4_999, 64 << 20):
        given = run_options(tmp_path / f"out{size}", unit=size, clean=True, fixed=True)
        done([data], given)
        stated.append(contents(given))
        assert not Path(given.out, FOLDER).exists()
    # A row group may be divided in another way, so tables are compared by what they hold.
    one, *others = stated
    for other in others:
        assert other.keys() == one.keys()
        assert other["diagnostics.parquet"] == one["diagnostics.parquet"]
        assert other["summary.json"] == one["summary.json"]
        lines = [name for name in one if ".jsonl" in name and not name.endswith((".gz", ".zst"))]
        assert lines
        assert all(other[name] == one[name] for name in lines)


def test_diagnostics_are_in_the_order_of_rows(tmp_path: Path) -> None:
    data = corpus(tmp_path / "data")
    given = run_options(tmp_path / "out", unit=2_000)
    summary = done([data], given)
    found = diagnostics(given)
    assert [(each["source"], each["row"]) for each in found] == [
        (shard.name, number) for shard in find_shards([str(data)]) for number in range(48) if number % 4 in (1, 2)
    ]
    assert summary["rows"] == 288
    assert summary["faulty"] == summary["diagnostics"] == 144
    assert summary["shards"][0]["source"].endswith("/a.jsonl")


def read_rows(path: Path) -> list[dict[str, Any]]:
    if path.suffix in (".arrow", ".arrows"):
        with pa.memory_map(str(path)) as file:
            rows: list[dict[str, Any]] = pa.ipc.open_file(file).read_all().to_pylist()
        return rows
    if path.suffix == ".parquet":
        return list(pq.read_table(path).to_pylist())
    data = path.read_bytes()
    if path.suffix == ".gz":
        data = gzip.decompress(data)
    if path.suffix == ".zst":
        data = zstandard.ZstdDecompressor().decompressobj(read_across_frames=True).decompress(data)
    return [json.loads(line) for line in data.splitlines()]


@pytest.mark.parametrize("kind", ["clean", "fixed"])
def test_rows_are_written_in_the_format_of_their_shard(kind: str, tmp_path: Path) -> None:
    data = corpus(tmp_path / "data")
    given = run_options(tmp_path / "out", unit=2_000, clean=True, fixed=True)
    done([data], given)
    folder = next(Path(given.out, kind).rglob("data"))
    for path in sorted(folder.iterdir()):
        rows = read_rows(path)
        if "jsonl" not in path.name:
            assert [row.pop("raw") for row in rows] == [bytes([row["id"] % 256]) for row in rows]
        assert rows == (CLEAN if kind == "clean" else FIXED), path.name
    assert len(list(folder.iterdir())) == 6


def test_every_row_is_clean_or_repaired_or_rejected(tmp_path: Path) -> None:
    data = corpus(tmp_path / "data")
    unread = {"id": 1, "system": "You have a tool.", "chat": "USER: Oslo?"}
    (data / "g.jsonl").write_bytes(lines_of([unread]) + b"\n" + lines_of(ROWS[:4]) + b" \t\n" + b'{"messages": [\n')
    given = run_options(tmp_path / "out", unit=2_000, clean=True, fixed=True, repaired=True, rejected=True)
    summary = done([data], given)
    wanted = {
        "clean": CLEAN,
        "fixed": FIXED,
        "repaired": [row for row in FIXED if row["id"] % 4 == 1],
        "rejected": [row for row in ROWS if row["id"] % 4 == 2],
    }
    for kind, rows in wanted.items():
        folder = next(Path(given.out, kind).rglob("data"))
        for path in sorted(each for each in folder.iterdir() if each.name != "g.jsonl"):
            own = read_rows(path)
            assert [{name: row[name] for name in row if name != "raw"} for row in own] == rows, path
        lines = (folder / "g.jsonl").read_bytes()
        few = lines_of([row for row in rows if row["id"] < 4])
        assert lines == (lines_of([unread]) + few + b'{"messages": [\n' if kind == "rejected" else few)
    assert (summary["rows"], summary["empty"], summary["silent"]) == (6 * 48 + 8, 2, 1)


def test_without_fixes_every_row_with_an_error_is_rejected(tmp_path: Path) -> None:
    data = corpus(tmp_path / "data")
    given = run_options(tmp_path / "out", rejected=True)
    done([data], given)
    rows = read_rows(next(Path(given.out, "rejected").rglob("a.jsonl")))
    assert rows == [row for row in ROWS if row["id"] % 4 in (1, 2)]


def test_a_row_is_rejected_where_a_column_has_no_room_for_its_fix(tmp_path: Path) -> None:
    # A struct has no member that only the fix would write.
    call = {"function": {"name": "read_file", "arguments": {"pth": "a.py"}}, "id": "c1", "type": "function"}
    rows = [{"messages": [{"role": "assistant", "content": None, "tool_calls": [call]}]}]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "a.parquet")
    given = run_options(tmp_path / "out", fixed=True, repaired=True, rejected=True)
    summary = done([tmp_path / "a.parquet"], given)
    found = {kind: read_rows(next(Path(given.out, kind).rglob("a.parquet"))) for kind in ("fixed", "repaired")}
    assert found == {"fixed": [], "repaired": []}
    assert read_rows(next(Path(given.out, "rejected").rglob("a.parquet"))) == rows
    assert (summary["faulty"], summary["fixed"]) == (1, 0)


def test_other_columns_and_what_a_table_states_of_itself_stay(tmp_path: Path) -> None:
    data = corpus(tmp_path / "data")
    given = run_options(tmp_path / "out", unit=2_000, clean=True, fixed=True)
    done([data], given)
    for kind in ("clean", "fixed"):
        folder = next(Path(given.out, kind).rglob("data"))
        assert pq.read_schema(folder / "d.parquet").equals(pq.read_schema(data / "d.parquet"), check_metadata=True)
        assert pq.read_metadata(folder / "d.parquet").row_group(0).column(0).compression == "GZIP"
        with pa.memory_map(str(folder / "e.arrow")) as now, pa.memory_map(str(data / "e.arrow")) as before:
            assert pa.ipc.open_file(now).schema.equals(pa.ipc.open_file(before).schema, check_metadata=True)
    clean = next(Path(given.out, "clean").rglob("a.jsonl")).read_bytes()
    assert clean == lines_of(CLEAN)


def test_what_was_stopped_goes_on_without_a_row_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = corpus(tmp_path / "data")
    whole = run_options(tmp_path / "whole", unit=2_000, fixed=True)
    done([data], whole)
    given = run_options(tmp_path / "out", unit=2_000, fixed=True)
    judge = RowJudge(given)
    units = list(divide(find_shards([str(data)]), given.unit))
    judged = 0

    def stopped(_: Row) -> tuple[list[Any], Held | None]:
        nonlocal judged
        judged += 1
        if judged > 120:
            raise KeyboardInterrupt
        return RowJudge.judged(judge, _)

    with monkeypatch.context() as patched:
        patched.setattr(judge, "judged", stopped)
        with pytest.raises(KeyboardInterrupt):
            _ = [work.do_unit(unit, given, judge) for unit in units]
    ready = [unit for unit in units if is_done(unit, given)]
    assert 0 < len(ready) < len(units)
    assert sorted(path.name for path in Path(given.out, FOLDER).iterdir()) == sorted(
        unit.key(given.fingerprint) for unit in ready
    )
    monkeypatch.setattr("corpus.making.RowJudge", lambda _: judge)
    before = judged
    again = 0

    def counted(row: Row) -> tuple[list[Any], Held | None]:
        nonlocal again
        again += 1
        return RowJudge.judged(judge, row)

    monkeypatch.setattr(judge, "judged", counted)
    done([data], given)
    assert 0 < again < 288 - before // 2
    assert contents(given) == contents(whole)


def test_a_shard_that_was_written_again_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(lines_of([chat(LOST)]))
    given = run_options(tmp_path / "out")
    [unit] = divide(find_shards([str(path)]))
    work.do_unit(unit, given, RowJudge(given))
    path.write_bytes(lines_of([chat(LOST), chat(LOST)]))
    [fresh] = divide(find_shards([str(path)]))
    assert is_done(unit, given)
    assert not is_done(fresh, given)
    sweep(given, [fresh])
    assert not is_done(unit, given)


@pytest.mark.parametrize(
    "change", [{"seconds": 1.0}, {"clean": True}, {"repaired": True}, {"rejected": True}, {"text": "a"}, {"longest": 7}]
)
def test_other_options_need_other_parts(change: dict[str, Any], tmp_path: Path) -> None:
    assert run_options(tmp_path).fingerprint != run_options(tmp_path, **change).fingerprint
    assert run_options(tmp_path).fingerprint == run_options(tmp_path / "elsewhere", unit=5).fingerprint


def test_fixes_that_lxml_disputes_are_counted_by_their_reason(tmp_path: Path) -> None:
    stated = [FIXABLE.replace("</read_file>", f"<{name}:b:c>1</{name}:b:c></read_file>") for name in "ax"]
    (tmp_path / "a.jsonl").write_bytes(lines_of([chat(stated[0]), chat(FIXABLE), chat(stated[1])]))
    summary = done([tmp_path / "a.jsonl"], run_options(tmp_path / "out", unit=100, fixed=True))
    reason = "TC101 (unclosed-tag): lxml rejects the XML of `…`: Failed to parse QName `…`"
    assert (summary["fixed"], summary["disputed"]) == (1, {reason: 2})


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow", "a.jsonl.gz", "a.jsonl.zst"])
@pytest.mark.parametrize("data", [b"", b"PAR1 and nothing behind", b"ARROW1"])
def test_a_broken_shard_is_a_diagnostic_and_the_others_are_read(name: str, data: bytes, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(data)
    (tmp_path / "b.jsonl").write_bytes(lines_of([chat(LOST)]))
    given = run_options(tmp_path / "out", clean=True, fixed=True)
    done([tmp_path / name, tmp_path / "b.jsonl"], given)
    rules = [(each["source"].rpartition("/")[2], each["row"], each["rule"]) for each in diagnostics(given)]
    assert rules[-1] == ("b.jsonl", 0, "TC302")
    # Of nothing, lines are none; a table cannot be nothing.
    assert rules[:-1] == ([] if not data and "jsonl" in name else [(name, 0, "TC717")])


def test_a_long_row_is_reported_and_the_others_are_judged(tmp_path: Path) -> None:
    long = chat("x" * 300_000)
    (tmp_path / "a.jsonl").write_bytes(lines_of([chat(LOST), long, chat(LOST)]))
    pq.write_table(pa.Table.from_pylist([chat(LOST), long, chat(LOST)]), tmp_path / "b.parquet")
    given = run_options(tmp_path / "out", longest=100_000)
    done([tmp_path / "a.jsonl", tmp_path / "b.parquet"], given)
    assert [(each["row"], each["rule"]) for each in diagnostics(given)] == [
        (0, "TC302"),
        (1, "TC717"),
        (2, "TC302"),
    ] * 2
