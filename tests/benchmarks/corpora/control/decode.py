"""The task `decode`: every row is read and decoded with `json.loads`, and nothing is reported. A control.

Owns: that. Must not know: how a row is judged.
"""

import json
from typing import Any

import pyarrow as pa

from callwright.corpus.lines import Row
from callwright.corpus.tasks.base import Outcome, Tally, Task
from callwright.corpus.units import RunOptions


class Decode(Task):
    """Decodes rows."""

    table = "decoded.parquet"
    summary = "decoded.json"
    tally = Tally

    def columns(self) -> pa.Schema:
        """Return the columns of an empty table."""
        return pa.schema([("source", pa.string()), ("row", pa.int64())])

    def judge(self, _: RunOptions) -> None:
        """Return nothing: nothing is judged."""

    def outcome(self, row: Row, _: Any, __: RunOptions) -> Outcome:
        """Decode a row."""
        json.loads(row.data)
        return Outcome()


TASK = Decode()
