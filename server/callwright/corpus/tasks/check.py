"""The task `check`: what is found in rows, and the rows that are clean or can be fixed.

Owns: what is counted of diagnostics, which rows are written out. Must not know: how a row is checked, files, engines.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from callwright.corpus.diagnostics import CorpusDiagnostic
from callwright.corpus.tasks.base import Outcome, Tally, Task

if TYPE_CHECKING:
    from callwright.calls.protocol import Disagreement
    from callwright.corpus.judging import RowJudge
    from callwright.corpus.lines import Row
    from callwright.corpus.units import RunOptions
    from callwright.rules.base import Diagnostic

HAS_DIAGNOSTICS: Final = "diagnostics.parquet"
SUMMARY: Final = "summary.json"
#: The collections: `clean` rows as they are, `repaired` ones as safe fixes make them, both in `fixed`, and all others
#: that can be had, as they are. The last one takes what the columns of a table have no room for in those before.
COLLECTIONS: Final = ("clean", "fixed", "repaired", "rejected")
#: The names in a reason, which rows do not share.
_NAMES: Final = re.compile("`[^`]*+`|'[^']*+'")


class CheckTally(Tally):
    """What is counted of diagnostics."""

    def __init__(self) -> None:
        super().__init__()
        self.diagnostics = 0
        # Rows with an error, rows with any diagnostic, rows that safe fixes make clean.
        self.faulty = self.found_in = self.fixed = 0
        self.rules: Counter[str] = Counter()
        self.tools: Counter[str] = Counter()
        self.dialects: Counter[str] = Counter()
        self.severities: Counter[str] = Counter()
        self.fixable = 0
        # Fixes that are not applied since lxml reads the call with them otherwise, by the reason.
        self.disputed: Counter[str] = Counter()

    def count(self, outcome: Outcome) -> None:
        """Count the diagnostics of one row."""
        super().count(outcome)
        self.disputed.update(outcome.note or ())
        found: Sequence[CorpusDiagnostic] = outcome.records
        if not found:
            return
        self.found_in += 1
        self.diagnostics += len(found)
        if _is_error(found):
            self.faulty += 1
            self.fixed += not {"fixed", "repaired"}.isdisjoint(outcome.rows)
        for each in found:
            self.rules[each.rule] += 1
            self.severities[each.severity] += 1
            self.fixable += each.fixable
            if each.tool is not None:
                self.tools[each.tool] += 1
            if each.dialect is not None:
                self.dialects[each.dialect] += 1


class Check(Task):
    """Judges rows."""

    table = HAS_DIAGNOSTICS
    summary = SUMMARY
    record = CorpusDiagnostic
    tally = CheckTally

    def collections(self, run_options: RunOptions) -> tuple[str, ...]:
        """Return the collections that are asked for."""
        return tuple(name for name in COLLECTIONS if getattr(run_options, name))

    def judge(self, run_options: RunOptions) -> RowJudge:
        """Return a judge."""
        from callwright.corpus.judging import RowJudge

        return RowJudge(run_options)

    def outcome(self, row: Row, judge: RowJudge, run_options: RunOptions) -> Outcome:
        """Return the diagnostics in a row, and what is written of it."""
        found, held = judge.judged(row)
        asked = self.collections(run_options)
        if not asked or row.fault is not None:
            return Outcome(found, held=held)
        if not _is_error(found):
            # What nothing was read in is not known to be without errors.
            names = ("clean", "fixed") if held is not None and held.is_read else ("rejected",)
            return Outcome(found, {name: row.data for name in names if name in asked}, held=held)
        disputed: list[str] = []

        def refused(diagnostic: Diagnostic, dispute: Disagreement) -> None:
            disputed.append(f"{diagnostic.code} ({diagnostic.name}): {_NAMES.sub('`…`', str(dispute))}")

        fixed = judge.fixed(row.data, refused) if run_options.fixed or run_options.repaired else None
        data, names = (row.data, ("rejected",)) if fixed is None else (fixed, ("fixed", "repaired"))
        return Outcome(found, {name: data for name in names if name in asked}, disputed, held)

    def without_room(self, row: Row, outcome: Outcome, collection: str) -> Outcome:
        """Return that the row is rejected."""
        outcome = super().without_room(row, outcome, collection)
        outcome.rows = {**outcome.rows, "rejected": row.data}
        return outcome


def _is_error(found: Sequence[CorpusDiagnostic]) -> bool:
    return any(each.severity == "error" for each in found)


TASK = Check()
