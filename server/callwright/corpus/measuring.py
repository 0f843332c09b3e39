"""Measuring: the calls of one row, how long everything in it is, and what failed.

Owns: `Measures`, `RowMeasurer`. Must not know: how measures of many rows are put together, files, engines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Final

from callwright.conversation.attempts import attempts
from callwright.conversation.conversation import conversations
from callwright.corpus.diagnostics import CorpusDiagnostic, clean, located, located_in_text
from callwright.corpus.judging import RowJudge, is_json, must_be_json
from callwright.corpus.tasks.base import Held
from callwright.corpus.written import lengths_of
from callwright.lint.linter import diagnostics

if TYPE_CHECKING:
    from callwright.corpus.diagnostics import Place
    from callwright.corpus.lines import Row
    from callwright.document.blocks import PlacedCall
    from callwright.document.snapshot import Snapshot

#: How rows are called in which no conversation is found, and those whose texts are checked alone.
NO_SHAPE: Final = "(none)"
TEXT_SHAPE: Final = "(text)"
#: Names longer than this are cut.
_NAME: Final = 200


@dataclass(slots=True)
class Calls:
    """Calls of one kind in a row: `lengths` in characters, how many have an error, and for each rule how many calls it
    finds something in and how often. `strikes` are the longest runs of failures, one for each conversation."""

    lengths: list[int] = field(default_factory=list)
    faulty: int = 0
    struck: Counter[str] = field(default_factory=Counter)
    diagnostics: Counter[str] = field(default_factory=Counter)
    strikes: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Measures:
    """What is measured in a row: in all its calls, and in those of each tool and dialect.

    `length` is in bytes, None where the row could not be had. `messages` has one number for each conversation. What is
    not a row is the place where a shard breaks off.
    """

    shape: str = NO_SHAPE
    is_row: bool = True
    was_read: bool = True
    length: int | None = None
    messages: list[int] = field(default_factory=list)
    texts: int = 0
    faulty: bool = False
    all: Calls = field(default_factory=Calls)
    tools: dict[str, Calls] = field(default_factory=dict)
    dialects: dict[str, Calls] = field(default_factory=dict)

    def of(self, tool: str | None, dialect: str | None) -> Iterator[Calls]:
        """Yield the measures that a call of a tool in a dialect belongs to."""
        yield self.all
        if tool is not None:
            yield self.tools.setdefault(clean(tool[:_NAME]), Calls())
        if dialect is not None:
            yield self.dialects.setdefault(dialect, Calls())


class RowMeasurer(RowJudge):
    """Measures rows, one after another, with one set of options; for one thread."""

    def measured(self, row: Row) -> Measures:
        """Return the measures of a row. Where it cannot be read, only its length and the diagnostic that says so."""
        measures = Measures(length=len(row.data.rstrip(b"\r\n")) if row.fault is None else None)
        if row.fault is not None:
            measures.is_row = row.fault[0] != "shard-broken"
            self._unreadable(measures, self._unread(row.number, *row.fault))
            return measures
        done = self._guarded(lambda: self._measure(row, measures))
        if done is not None:
            measures = Measures(length=measures.length)
            self._unreadable(measures, self._unread(row.number, *done))
        return measures

    @staticmethod
    def _unreadable(measures: Measures, found: Sequence[CorpusDiagnostic]) -> None:
        measures.was_read = False
        for each in found:
            measures.faulty |= each.severity == "error"
            measures.all.diagnostics[each.rule] += 1

    def _measure(self, row: Row, measures: Measures) -> None:
        if not is_json(row.data):
            return
        shapes: set[str] = set()
        if self._messages is None and self._text is None:
            if not self._is_taken(row.data, measures, shapes):
                self._document(self._rows.open(row.data.decode()), (), measures, shapes, is_text=False)
                if not measures.all.diagnostics:
                    must_be_json(row.data)
        else:
            held = Held()
            for part in self._parts(row.data, held):
                if part.is_text or not self._is_taken(part.text.encode(), measures, shapes):
                    self._document(part.snapshot(), part.place, measures, shapes, is_text=part.is_text)
            measures.texts = held.texts
        measures.shape = " + ".join(sorted(shapes)) or NO_SHAPE

    def _is_taken(self, data: bytes, measures: Measures, shapes: set[str]) -> bool:
        """Return whether a row has no diagnostics, so that nothing in it has failed, and count what is in it."""
        plain = self._plain(data)
        lengths = None if plain is None else lengths_of(plain.calls, data)
        if plain is None or lengths is None:
            return False
        if plain.shape is None:
            return True
        shapes.add(plain.shape)
        measures.messages.append(plain.turns)
        measures.all.strikes.append(0)
        for call, length in zip(plain.calls, lengths, strict=True):
            for calls in measures.of(call.tool, call.dialect):
                calls.lengths.append(length)
                if call.is_attempt and not calls.strikes:
                    calls.strikes.append(0)
        return True

    def _document(
        self, snapshot: Snapshot, place: Place, measures: Measures, shapes: set[str], *, is_text: bool
    ) -> None:
        found = diagnostics(snapshot)
        for placed in snapshot.placed_calls():
            for calls in measures.of(placed.call.tool, placed.call.dialect):
                calls.lengths.append(_length(placed))
        if is_text:
            shapes.add(TEXT_SHAPE)
            self._count(located_in_text(snapshot, found, 0, place), measures)
            return
        parts = [part for block in snapshot.blocks for part in block.transcripts]
        shapes |= {part.shape for part in parts}
        whole = all(part.whole for part in parts)
        # The conversation of a log continues in other rows, so its order is not checked.
        own = found if whole else [each for each in found if each.code not in self._of_talk]
        self._count(located(snapshot, own, 0, place), measures)
        if not whole:
            measures.messages += [len(part.turns) for part in parts]
            return
        for conversation in conversations(snapshot):
            measures.messages.append(len(conversation.turns))
            reported = [(each.asked, each.failed) for each in attempts(conversation)]
            measures.all.strikes.append(_longest([failed for _, failed in reported]))
            made = [
                (asked.call.call.tool, asked.call.call.dialect, failed)
                for asked, failed in reported
                if asked is not None
            ]
            for tool in {tool for tool, _, _ in made if tool is not None}:
                own_run = _longest([failed for each, _, failed in made if each == tool])
                measures.tools.setdefault(clean(tool[:_NAME]), Calls()).strikes.append(own_run)
            for dialect in {dialect for _, dialect, _ in made}:
                own_run = _longest([failed for _, each, failed in made if each == dialect])
                measures.dialects.setdefault(dialect, Calls()).strikes.append(own_run)

    @staticmethod
    def _count(found: Sequence[CorpusDiagnostic], measures: Measures) -> None:
        faulty: set[tuple[object, ...]] = set()
        struck: set[tuple[object, ...]] = set()
        for each in found:
            about = each.call is not None
            key = (each.turn, each.call, each.field if each.turn is None else None, each.tool, each.dialect)
            error = each.severity == "error"
            measures.faulty |= error
            for calls in measures.of(each.tool, each.dialect):
                calls.diagnostics[each.rule] += 1
                calls.struck[each.rule] += about and (*key, each.rule) not in struck
                calls.faulty += about and error and key not in faulty
            if about:
                struck.add((*key, each.rule))
                if error:
                    faulty.add(key)


def _length(placed: PlacedCall) -> int:
    """Return how many characters a call has where it is."""
    span = placed.call.span
    return span.end - span.start


def _longest(failed: Sequence[bool]) -> int:
    """Return how many failures follow each other at most."""
    return max((len(list(run)) for bad, run in groupby(failed) if bad), default=0)
