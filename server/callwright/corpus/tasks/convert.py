"""The task `convert`: calls that are in text written in another dialect, and the rows in which one cannot be.

Owns: `Refusal`, what becomes of a row, what is counted of it. Must not know: how a call is rendered, files, engines.

A row is written with all its calls in the dialect, or not at all: a row of which some calls stay as they are would be
of two dialects. Calls in fields of their own have no dialect, so they stay, and are counted.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from callwright.calls.model import NATIVE
from callwright.conversion import Refused, convert_document
from callwright.corpus.diagnostics import NOWHERE, Spot, at_spot, clean, spots, spots_in_text
from callwright.corpus.judging import NotJsonError, RowJudge, RowPart, count, is_json, with_parts
from callwright.corpus.tasks.base import Held, Outcome, Tally, Task
from callwright.document.settings import Settings

if TYPE_CHECKING:
    from callwright.corpus.diagnostics import Place
    from callwright.corpus.lines import Row
    from callwright.corpus.units import RunOptions
    from callwright.document.snapshot import Snapshot

CONVERTED: Final = "converted"
REFUSALS: Final = "refusals.parquet"
_NO_ROOM: Final = "the column has no room for the calls as they are written now"
#: What differs between two refusals for one reason.
_NAMES: Final = re.compile(r"`[^`]*+`")


@dataclass(slots=True)
class Refusal:
    """Why a row is not written. Where a call is the reason, it is the one that is described; else only `row` and
    `reason` have values. The other fields are as in diagnostics."""

    row: int
    turn: int | None
    call: int | None
    tool: str | None
    dialect: str | None
    reason: str
    field: str
    start: int | None
    end: int | None
    raw: str


@dataclass(slots=True)
class _Calls:
    """The calls of one row: how many are in fields of their own, and by dialect how many were and are not to write."""

    native: int = 0
    already: int = 0
    others: Counter[str] = field(default_factory=Counter)
    held: Held = field(default_factory=Held)


class ConvertTally(Tally):
    """What is counted of conversions. `dialects` are those in which the calls were that are converted."""

    def __init__(self) -> None:
        super().__init__()
        # Rows with a call that was converted, rows that are as they were, rows that are not written.
        self.converted = self.unchanged = self.refused = 0
        # Calls: converted ones, those in the dialect already, those in fields; and how often a row was refused for one.
        self.calls = self.already = self.native = self.refusals = 0
        self.dialects: Counter[str] = Counter()
        self.reasons: Counter[str] = Counter()
        self.tools: Counter[str] = Counter()

    def count(self, outcome: Outcome) -> None:
        """Count the result of one row."""
        super().count(outcome)
        calls: _Calls = outcome.note
        self.native += calls.native
        if outcome.records:
            self._refuse(outcome.records)
            return
        self.already += calls.already
        converted = calls.others.total()
        self.calls += converted
        self.dialects.update(calls.others)
        if converted:
            self.converted += 1
        else:
            self.unchanged += 1

    def _refuse(self, refusals: Sequence[Refusal]) -> None:
        self.refused += 1
        self.refusals += len(refusals)
        for each in refusals:
            self.reasons[_NAMES.sub("`…`", each.reason)] += 1
            if each.tool is not None:
                self.tools[each.tool] += 1


class RowConverter(RowJudge):
    """Converts rows, one after another, with one set of options; for one thread."""

    def __init__(self, run_options: RunOptions) -> None:
        super().__init__(run_options)
        assert run_options.to is not None, "a conversion has an aim"
        self._to = run_options.to

    def outcome(self, row: Row) -> Outcome:
        """Return the row with its calls converted, or why it is not."""
        calls = _Calls()
        if row.fault is not None:
            return Outcome(self._fault(row.number, *row.fault), note=calls)
        done = self._guarded(lambda: self._converted(row, calls))
        if not isinstance(done, Outcome):
            return Outcome(self._fault(row.number, *done), note=_Calls())
        done.held = calls.held
        return done

    @staticmethod
    def _fault(row: int, kind: str, data: dict[str, Any]) -> list[Refusal]:
        return [_refused_row(row, _stated(kind, data))]

    def _converted(self, row: Row, calls: _Calls) -> Outcome:
        if not is_json(row.data):
            return Outcome(rows={CONVERTED: row.data}, note=calls)
        if self._messages is None and self._text is None and self._is_done(row.data, calls):
            return Outcome(rows={CONVERTED: row.data}, note=calls)
        text = row.data.decode()
        try:
            json.loads(text)
        except (ValueError, RecursionError):
            # What breaks off may be read as a transcript all the same, but cannot be written as a row.
            broken = [each for each in self._found_diagnostics(row.data, row.number) if each.severity == "error"]
            if not broken:
                raise NotJsonError from None
            return Outcome([at_spot(Refusal, row.number, each, reason=each.message) for each in broken], note=calls)
        refusals: list[Refusal] = []
        if self._messages is None and self._text is None:
            snapshot = self._rows.open(text)
            fresh, refused = self._document(snapshot, calls)
            refusals += _refusals(row.number, refused, lambda spans: spots(snapshot, spans))
        else:
            values: list[tuple[RowPart, str]] = []
            for part in self._parts(row.data, calls.held):
                own, left = self._part(part, row.number, calls)
                refusals += left
                if own is not None:
                    values.append((part, own))
            fresh = with_parts(text, values) if values else text
        if refusals:
            return Outcome(refusals, note=calls)
        return Outcome(rows={CONVERTED: row.data if fresh == text else fresh.encode()}, note=calls)

    def _is_done(self, data: bytes, calls: _Calls) -> bool:
        """Return whether there is certainly no call in a row that is in another dialect; then its calls are counted."""
        plain = self._plain(data)
        if plain is None or any(each.dialect not in (NATIVE, self._to) for each in plain.calls):
            return False
        calls.native += sum(each.dialect == NATIVE for each in plain.calls)
        calls.already += sum(each.dialect == self._to for each in plain.calls)
        calls.held.conversations += plain.shape is not None
        calls.held.calls += len(plain.calls)
        return True

    def _part(self, part: RowPart, row: int, calls: _Calls) -> tuple[str | None, list[Refusal]]:
        """Return what a value becomes, None where it stays, and the calls that cannot be converted."""
        snapshot = part.snapshot()
        fresh, refused = self._document(snapshot, calls)
        place: Place = part.place
        where = spots_in_text if part.is_text else spots
        refusals = _refusals(row, refused, lambda spans: where(snapshot, spans, place))
        return (fresh if fresh != snapshot.document.text() else None), list(refusals)

    def _document(self, snapshot: Snapshot, calls: _Calls) -> tuple[str, Sequence[Refused]]:
        count(snapshot, calls.held)
        for placed in snapshot.placed_calls():
            dialect = placed.call.dialect
            if dialect == NATIVE:
                calls.native += 1
            elif dialect == self._to:
                calls.already += 1
            else:
                calls.others[dialect] += 1
        if not calls.others:
            return snapshot.document.text(), ()
        conversion = convert_document(snapshot, self._to)
        return conversion.text, conversion.refused


def _refusals(row: int, refused: Sequence[Refused], where: Any) -> Iterator[Refusal]:
    if not refused:
        return
    found: list[Spot] = where([each.span for each in refused])
    for each, spot in zip(refused, found, strict=True):
        yield at_spot(Refusal, row, spot, reason=clean(each.reason))


def _refused_row(row: int, reason: str) -> Refusal:
    return at_spot(Refusal, row, NOWHERE, reason=clean(reason))


def _stated(kind: str, data: dict[str, Any]) -> str:
    """Return the words for a row that cannot be read."""
    from callwright.lint.files import file_diagnostics
    from callwright.syntax.problem import Problem
    from callwright.text.span import Span
    from callwright.tools.registry import EMPTY

    [reported] = file_diagnostics([Problem(kind, Span(0, 0), data)], EMPTY, Settings())
    return reported.message


class Convert(Task):
    """Converts rows."""

    table = REFUSALS
    summary = "converted.json"
    record = Refusal
    tally = ConvertTally
    judge = RowConverter

    def collections(self, _: RunOptions) -> tuple[str, ...]:
        """Return the one collection."""
        return (CONVERTED,)

    def outcome(self, row: Row, judge: RowConverter, _: RunOptions) -> Outcome:
        """Return the row with its calls converted, or why it is not."""
        return judge.outcome(row)

    def without_room(self, row: Row, outcome: Outcome, _: str) -> Outcome:
        """Return that the row is refused."""
        return Outcome([_refused_row(row.number, _NO_ROOM)], note=outcome.note)


TASK = Convert()
