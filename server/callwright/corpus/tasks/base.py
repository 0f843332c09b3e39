"""What a task is: the contract between the loop over the rows of a unit and what is done with each of them.

Owns: `Task`, `Outcome`, `Tally`, `task_of`. Must not know: any single task, how rows are read, engines.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

    from callwright.corpus.lines import Row
    from callwright.corpus.units import RunOptions, Unit


@dataclass(slots=True)
class Held:
    """What was read in a row: conversations, texts that a path led to, calls."""

    conversations: int = 0
    texts: int = 0
    calls: int = 0

    @property
    def is_read(self) -> bool:
        """Whether there was a conversation or a text."""
        return self.conversations > 0 or self.texts > 0


@dataclass(slots=True)
class Outcome:
    """The result of one row.

    `records` go into the task's table. `rows` has the bytes that are written for the row, by the collections that it
    goes into: its own, or others. `held` is None where the row could not be read, which a record says. `note` is for
    the task's own tally.
    """

    records: Sequence[Any] = ()
    rows: Mapping[str, bytes] = field(default_factory=dict)
    note: Any = None
    held: Held | None = None


class Tally:
    """What is counted: of one unit, or of many. Every attribute is a number or a `Counter`."""

    def __init__(self) -> None:
        # Lines with nothing but white space are rows by their number, and nothing is done with them.
        self.rows = self.empty = self.bytes = 0
        # What was read in rows, and how many were read that hold neither a conversation nor a text.
        self.conversations = self.texts = self.calls_read = self.silent = 0

    def count(self, outcome: Outcome) -> None:
        """Count the result of one row."""
        held = outcome.held
        if held is not None:
            self.conversations += held.conversations
            self.texts += held.texts
            self.calls_read += held.calls
            self.silent += not held.is_read

    def records(self) -> Sequence[Any]:
        """Return what is written into the table once all rows of a unit are counted."""
        return ()

    def add(self, other: Mapping[str, Any]) -> None:
        """Add what another tally counted, given as a mapping."""
        for name, value in other.items():
            if isinstance(value, dict):
                getattr(self, name).update(value)
            else:
                setattr(self, name, getattr(self, name) + value)

    def as_mapping(self) -> dict[str, Any]:
        """Return what was counted, in an order that depends on nothing else."""
        return {
            name: dict(sorted(value.items())) if isinstance(value, Counter) else value
            for name, value in vars(self).items()
            if not name.startswith("_")
        }


class Task(ABC):
    """One thing that is done with the rows of a corpus. A module in this room has exactly one, bound to `TASK`.

    `table` is the file of the records of a part, and of all of them where the task does not gather them in its own way.
    `summary` is the file of the figures. A column `source` of the table is filled with the name of the shard, a column
    `row` counts from the beginning of the unit in parts and from that of the shard in results. `plans` says that it
    gathers by a plan of the engine's.
    """

    table: str
    summary: str
    plans: bool = False

    #: The dataclass of a record in the table.
    record: ClassVar[type[Any]]
    #: Makes a tally in which nothing is counted.
    tally: ClassVar[type[Tally]]
    #: Makes what is prepared once for all rows that one worker does.
    judge: Callable[[RunOptions], Any]

    def columns(self) -> pa.Schema:
        """Return the columns of the table."""
        from callwright.corpus.diagnostics import columns_of

        return columns_of(self.record)

    def collections(self, run_options: RunOptions) -> tuple[str, ...]:  # noqa: ARG002 - others use it
        """Return the names of the collections of rows that are written out."""
        return ()

    @abstractmethod
    def outcome(self, row: Row, judge: Any, run_options: RunOptions) -> Outcome:
        """Return the result of a row. Never raises for what is in it."""

    def without_room(self, row: Row, outcome: Outcome, collection: str) -> Outcome:  # noqa: ARG002 - others use it
        """Return the result of a row whose columns cannot hold its new values in a collection."""
        return Outcome(
            outcome.records,
            {name: data for name, data in outcome.rows.items() if name != collection},
            outcome.note,
            outcome.held,
        )

    def gather(self, parts: Sequence[tuple[Unit, int]], run_options: RunOptions, out: Path) -> dict[str, Any]:
        """Write the records of all parts into the folder of results, and return their part of the summary.

        Each unit comes with the number of rows before it in its shard.
        """
        from callwright.corpus.gathering import write_in_order

        write_in_order(parts, run_options, out, self)
        return {}


def task_of(name: str) -> Task:
    """Return the task of that name."""
    task: Task = import_module(f"callwright.corpus.tasks.{name}").TASK
    return task
