"""The task `stats`: how many calls there are of each tool, in each dialect, in each shape, how long they are, how many
are faulty.

Owns: what is counted in a unit, the tables that all counts add up to. Must not know: how a row is measured, files.

A unit's counts are one table: for each group, name and measure how many values have a size, their sum, the least and
the greatest. All of these add up in whatever order, and a plan of the engine's adds them up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from callwright.corpus.gathering import UNFINISHED
from callwright.corpus.histograms import bounds_of, quantile, size_of
from callwright.corpus.measuring import Calls, Measures, RowMeasurer
from callwright.corpus.parts import part_of
from callwright.corpus.tasks.base import Held, Outcome, Tally, Task
from callwright.text.records import NamedTuple

if TYPE_CHECKING:
    import pyarrow as pa

    from callwright.corpus.lines import Row
    from callwright.corpus.units import RunOptions, Unit

STATS: Final = "stats.parquet"
HISTOGRAMS: Final = "histograms.parquet"
#: What is counted apart, in the order of the tables.
GROUPS: Final = ("all", "shape", "dialect", "tool", "rule")
#: What is only counted: its values have no size.
COUNTS: Final = ("rows", "faulty_rows", "conversations", "calls", "faulty_calls", "diagnostics")
#: What has a size: bytes of rows, messages of a conversation, calls of a row, characters of a call, and the longest run
#: of failed calls in a conversation.
LENGTHS: Final = ("row_bytes", "messages", "row_calls", "call_characters", "strikes")
_QUANTILES: Final = (("p50", 0.5), ("p90", 0.9), ("p99", 0.99))
#: What is in place of a size for what is only counted.
_NO_SIZE: Final = -1


class _Key(NamedTuple):
    """What values are counted under."""

    group: str
    name: str
    measure: str
    size: int


@dataclass(slots=True)
class _Count:
    """How many values were counted, their sum, the least and the greatest."""

    group: str
    name: str
    measure: str
    size: int
    count: int
    total: int
    least: int
    greatest: int


class StatsTally(Tally):
    """What is counted of measures; the summary of a shard has the totals alone."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = self.faulty_calls = self.diagnostics = self.faulty_rows = 0
        self._counts: dict[_Key, _Count] = {}

    def count(self, outcome: Outcome) -> None:
        """Count the measures of one row."""
        super().count(outcome)
        measures: Measures = outcome.note
        self.calls += len(measures.all.lengths)
        self.faulty_calls += measures.all.faulty
        self.diagnostics += measures.all.diagnostics.total()
        self.faulty_rows += measures.faulty and measures.is_row
        for group, name in (("all", ""), ("shape", measures.shape)) if measures.is_row else (("all", ""),):
            if measures.is_row:
                self._row(group, name, measures)
            self._calls(group, name, measures.all)
        for tool, calls in measures.tools.items():
            self._calls("tool", tool, calls)
            self._plain("tool", tool, "rows", 1)
        for dialect, calls in measures.dialects.items():
            self._calls("dialect", dialect, calls)
            self._plain("dialect", dialect, "rows", 1)
        for rule, number in measures.all.diagnostics.items():
            self._plain("rule", rule, "rows", int(measures.is_row))
            self._plain("rule", rule, "diagnostics", number)
            self._plain("rule", rule, "calls", measures.all.struck[rule])

    def _row(self, group: str, name: str, measures: Measures) -> None:
        self._plain(group, name, "rows", 1)
        self._plain(group, name, "faulty_rows", int(measures.faulty))
        if measures.length is not None:
            self._sized(group, name, "row_bytes", measures.length)
        self._plain(group, name, "conversations", len(measures.messages))
        for number in measures.messages:
            self._sized(group, name, "messages", number)
        self._sized(group, name, "row_calls", len(measures.all.lengths))

    def _calls(self, group: str, name: str, calls: Calls) -> None:
        self._plain(group, name, "calls", len(calls.lengths))
        self._plain(group, name, "faulty_calls", calls.faulty)
        self._plain(group, name, "diagnostics", calls.diagnostics.total())
        for length in calls.lengths:
            self._sized(group, name, "call_characters", length)
        for run in calls.strikes:
            self._sized(group, name, "strikes", run)
        for rule, number in calls.diagnostics.items():
            self._plain(group, name, f"diagnostics {rule}", number)
            self._plain(group, name, f"calls {rule}", calls.struck[rule])

    def _plain(self, group: str, name: str, measure: str, number: int) -> None:
        if number:
            self._add(_Key(group, name, measure, _NO_SIZE), number, number)

    def _sized(self, group: str, name: str, measure: str, value: int) -> None:
        self._add(_Key(group, name, measure, size_of(value)), 1, value)

    def _add(self, key: _Key, count: int, value: int) -> None:
        known = self._counts.get(key)
        if known is None:
            self._counts[key] = _Count(*key, count, value, value, value)
            return
        known.count += count
        known.total += value
        known.least = min(known.least, value)
        known.greatest = max(known.greatest, value)

    def records(self) -> Sequence[_Count]:
        """Return the counts."""
        return [self._counts[key] for key in sorted(self._counts)]


class Stats(Task):
    """Measures rows."""

    table = "counts.parquet"
    summary = "stats.json"
    plans = True
    tally = StatsTally
    judge = RowMeasurer

    def columns(self) -> pa.Schema:
        """Return the columns of the counts of a unit."""
        import pyarrow as pa

        texts = [pa.field(name, pa.string()) for name in ("group", "name", "measure")]
        numbers = ("size", "count", "total", "least", "greatest")
        return pa.schema([*texts, *(pa.field(name, pa.int64()) for name in numbers)])

    def outcome(self, row: Row, judge: RowMeasurer, _: RunOptions) -> Outcome:
        """Return the measures of a row."""
        measures = judge.measured(row)
        held = Held(len(measures.messages), measures.texts, len(measures.all.lengths)) if measures.was_read else None
        return Outcome(note=measures, held=held)

    def gather(self, parts: Sequence[tuple[Unit, int]], run_options: RunOptions, out: Path) -> dict[str, Any]:
        """Add up the counts, write both tables, and return the statistics."""
        counts = _added_up([part_of(unit, run_options) / self.table for unit, _ in parts])
        reported = [_reported(group, name, list(own)) for (group, name), own in groupby(counts, _named)]
        reported.sort(
            key=lambda each: (GROUPS.index(each["group"]), -each["calls"], -each["diagnostics"], each["name"])
        )
        _write(out / STATS, reported, _stats_columns())
        _write(out / HISTOGRAMS, list(_sizes(counts)), _sizes_columns())
        return {"statistics": reported}


def _named(count: _Count) -> tuple[str, str]:
    return count.group, count.name


def _added_up(paths: Sequence[Path]) -> list[_Count]:
    """Have the engine add up the counts of units; in the order of their keys."""
    import glob

    import daft
    from daft import col

    keys = list(_Key._fields)
    # A path is read as a pattern.
    frame = daft.read_parquet([glob.escape(str(path)) for path in paths])
    sums = frame.groupby(*keys).agg(col("count").sum(), col("total").sum(), col("least").min(), col("greatest").max())
    columns = sums.to_pydict()
    rows = zip(*(columns[name] for name in _Count.__slots__), strict=True)
    return sorted((_Count(*row) for row in rows), key=lambda each: (each.group, each.name, each.measure, each.size))


def _reported(group: str, name: str, counts: Sequence[_Count]) -> dict[str, Any]:
    """Return the figures of one tool, dialect, shape or rule."""
    plain = {each.measure: each.count for each in counts if each.size == _NO_SIZE}
    numbers = {measure: plain.get(measure, 0) for measure in COUNTS}
    calls = numbers["calls"]
    rules = [
        {
            "rule": measure.removeprefix("diagnostics "),
            "diagnostics": number,
            "calls": plain.get(f"calls {measure.removeprefix('diagnostics ')}", 0),
            "rate": _share(plain.get(f"calls {measure.removeprefix('diagnostics ')}", 0), calls),
        }
        for measure, number in plain.items()
        if measure.startswith("diagnostics ")
    ]
    lengths = {
        measure: _length([each for each in counts if each.measure == measure and each.size != _NO_SIZE])
        for measure in LENGTHS
    }
    rate = None if group == "rule" else _share(numbers["faulty_calls"], calls)
    return {"group": group, "name": name, **numbers, "error_rate": rate, **lengths, "rules": rules}


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _length(counts: Sequence[_Count]) -> dict[str, int] | None:
    """Return how values are spread; None where there are none."""
    if not counts:
        return None
    least, greatest = min(each.least for each in counts), max(each.greatest for each in counts)
    sizes = [(each.size, each.count) for each in counts]
    found = {name: quantile(sizes, share) for name, share in _QUANTILES}
    return {
        "count": sum(each.count for each in counts),
        "total": sum(each.total for each in counts),
        "least": least,
        **{name: min(max(value or 0, least), greatest) for name, value in found.items()},
        "greatest": greatest,
    }


def _sizes(counts: Sequence[_Count]) -> Iterator[dict[str, Any]]:
    for each in counts:
        if each.size != _NO_SIZE:
            first, last = bounds_of(each.size)
            yield {
                "group": each.group,
                "name": each.name,
                "measure": each.measure,
                "from": first,
                "to": last,
                "count": each.count,
            }


def _stats_columns() -> pa.Schema:
    import pyarrow as pa

    whole = pa.int64()
    length = pa.struct([(name, whole) for name in ("count", "total", "least", "p50", "p90", "p99", "greatest")])
    rule = pa.struct([("rule", pa.string()), ("diagnostics", whole), ("calls", whole), ("rate", pa.float64())])
    return pa.schema(
        [
            ("group", pa.string()),
            ("name", pa.string()),
            *((name, whole) for name in COUNTS),
            ("error_rate", pa.float64()),
            *((name, length) for name in LENGTHS),
            ("rules", pa.list_(rule)),
        ]
    )


def _sizes_columns() -> pa.Schema:
    import pyarrow as pa

    texts = [(name, pa.string()) for name in ("group", "name", "measure")]
    return pa.schema([*texts, *((name, pa.int64()) for name in ("from", "to", "count"))])


def _write(path: Path, rows: Sequence[dict[str, Any]], columns: pa.Schema) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    unfinished = path.with_name(path.name + UNFINISHED)
    pq.write_table(pa.Table.from_pylist(list(rows), columns), unfinished, compression="zstd")
    unfinished.replace(path)


TASK = Stats()
