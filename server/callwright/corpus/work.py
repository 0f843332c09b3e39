"""Work: one unit read, done and written.

Owns: `do_unit`, the way of a unit's rows through the task. Must not know: any single task, engines, other units.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callwright.corpus.lines import Row, lines
from callwright.corpus.parts import UnitPart, is_done, tally_of
from callwright.corpus.paths import steps_of
from callwright.corpus.tables import Batch, RowWriter, batches, changed, schema_of, written_columns
from callwright.corpus.tasks.base import task_of

if TYPE_CHECKING:
    import pyarrow as pa

    from callwright.corpus.tasks.base import Task
    from callwright.corpus.units import RunOptions, Unit


def do_unit(unit: Unit, run_options: RunOptions, judge: Any) -> dict[str, Any]:
    """Do a unit unless its part is there, and return what was counted in it; `judge` is that of the task."""
    if is_done(unit, run_options):
        return tally_of(unit, run_options)
    task = task_of(run_options.task)
    part = UnitPart(unit, run_options, task)
    try:
        part.tally.bytes = unit.weight
        if unit.shard.format in ("parquet", "arrow"):
            _Table(unit, run_options, task, judge, part).run()
        else:
            _do_lines(unit, run_options, task, judge, part)
        return part.close()
    except BaseException:
        part.drop()
        raise


def _do_lines(unit: Unit, run_options: RunOptions, task: Task, judge: Any, part: UnitPart) -> None:
    for row in lines(unit, run_options.longest):
        if row.fault is None or row.fault[0] != "shard-broken":
            part.tally.rows += 1
        if row.data.isspace():
            part.tally.empty += 1
            continue
        outcome = task.outcome(row, judge, run_options)
        part.take(outcome)
        for name, data in outcome.rows.items():
            part.put_line(name, data)


class _Table:
    """A unit of a table on its way."""

    def __init__(self, unit: Unit, run_options: RunOptions, task: Task, judge: Any, part: UnitPart) -> None:
        self._unit = unit
        self._run_options = run_options
        self._judge = judge
        self._part = part
        self._writer: RowWriter | None = None
        self._task = task
        self._collections = self._task.collections(run_options)

    def run(self) -> None:
        """Do all rows."""
        for batch in batches(self._unit):
            if batch.rows is None:
                broken = Row(batch.first, b"", ("shard-broken", {"reason": batch.fault}))
                self._part.take(self._task.outcome(broken, self._judge, self._run_options))
                return
            if self._writer is None:
                columns = schema_of(self._unit.shard) or batch.rows.schema
                self._writer = RowWriter(columns, self._wanted(), written_columns(self._unit.shard))
            self._batch(batch, batch.rows, self._writer)

    def _wanted(self) -> tuple[str, ...] | None:
        """Return the columns that path expressions begin with, and those that hold tools; None for all."""
        paths = [each for each in (self._run_options.messages, self._run_options.text) if each is not None]
        return (*(str(steps_of(path)[0]) for path in paths), "tools", "functions") if paths else None

    def _batch(self, batch: Batch, rows: pa.RecordBatch, writer: RowWriter) -> None:
        part = self._part
        part.tally.rows += rows.num_rows
        gone: dict[str, set[int]] = {name: set() for name in self._collections}
        fresh: dict[str, dict[int, dict[int, Any]]] = {name: {} for name in self._collections}
        for row in writer.rows(batch, self._run_options.longest):
            at = row.number - batch.first
            outcome = self._task.outcome(row, self._judge, self._run_options)
            for name in self._collections:
                data = outcome.rows.get(name)
                if data is not None and data is not row.data:
                    if self._take(data, row.data, rows, at, writer, fresh[name]):
                        continue
                    outcome, data = self._task.without_room(row, outcome, name), None
                if data is None:
                    gone[name].add(at)
            part.take(outcome)
        for name in self._collections:
            part.put_batch(name, _without(_with(rows, fresh[name]), gone[name]))

    @staticmethod
    def _take(
        fixed: bytes, before: bytes, rows: pa.RecordBatch, at: int, writer: RowWriter, fresh: dict[int, dict[int, Any]]
    ) -> bool:
        """Note the columns of a row that were changed; return whether their types can hold what they become."""
        changes = writer.changes(before, fixed)
        try:
            for column, value in changes.items():
                changed(rows.column(column).slice(at, 1), {0: value})
        except ValueError:
            return False
        for column, value in changes.items():
            fresh.setdefault(column, {})[at] = value
        return True


def _without(rows: pa.RecordBatch, gone: set[int]) -> pa.RecordBatch:
    """Return rows without some of them."""
    import pyarrow as pa

    if not gone:
        return rows
    return rows.filter(pa.array([number not in gone for number in range(rows.num_rows)]))


def _with(rows: pa.RecordBatch, fresh: dict[int, dict[int, Any]]) -> pa.RecordBatch:
    """Return rows with other values in some columns."""
    for column, values in fresh.items():
        rows = rows.set_column(column, rows.schema.field(column), changed(rows.column(column), values))
    return rows
