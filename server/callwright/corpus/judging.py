"""Judging: what is found in one row, and what it becomes when it is fixed.

Owns: `RowJudge`. Must not know: files, units, engines.

Invariant: a row never stops the work. Whatever happens in it, and however long it takes, is a diagnostic about it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from time import thread_time
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from callwright.calls.sketch import is_placeholder_name
from callwright.conversation.conversation import conversations
from callwright.corpus.diagnostics import (
    NOWHERE,
    CorpusDiagnostic,
    Place,
    at_spot,
    located,
    located_in_text,
    located_in_turns,
    order,
)
from callwright.corpus.paths import steps_of, values_at
from callwright.corpus.rows import Rows
from callwright.corpus.tasks.base import Held
from callwright.document.settings import Settings
from callwright.fastpath.quick import Plain
from callwright.lint.files import file_diagnostics
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.rules.base import Scope
from callwright.rules.catalogue import rules_of
from callwright.syntax.json import read_json
from callwright.syntax.json_rows import is_row
from callwright.syntax.problem import Problem
from callwright.text.budget import AbandonedError, set_yield_hook
from callwright.text.records import NamedTuple
from callwright.text.span import Edit, Span, apply_edits
from callwright.tools.registry import EMPTY

if TYPE_CHECKING:
    from callwright.calls.protocol import Disagreement
    from callwright.corpus.lines import Row
    from callwright.corpus.units import RunOptions
    from callwright.document.snapshot import Snapshot
    from callwright.rules.base import Diagnostic

    #: What is called with a fix that is not applied.
    Refused: TypeAlias = Callable[[Diagnostic, Disagreement], None]

#: What a text is read as that a path expression leads to.
_TEXT: Final = "text.md"
#: What every call that is written in text has one of.
_MARKERS: Final = "<{[:=`~"
#: What a line of JSON that holds anything may begin and end with.
_BEGINNINGS: Final = b'{["'
_ENDS: Final = b'}]"'
#: How many steps of the work are between two readings of the clock.
_YIELDS_PER_CHECK: Final = 16


class RowPart(NamedTuple):
    """A value of a row that is judged by itself: where it lies, and the document that it is.

    `inside` says how what the fixed document is becomes the value again.
    """

    place: Place
    text: str
    snapshot: Callable[[], Snapshot]
    inside: Callable[[str], Any]
    is_text: bool = False


class RowJudge:
    """Checks rows, one after another, with one set of options; for one thread."""

    def __init__(self, run_options: RunOptions) -> None:
        self._registry = run_options.registry
        self._settings = run_options.settings
        self._seconds = run_options.seconds
        self._rows = Rows(run_options.registry, run_options.settings)
        self._messages = steps_of(run_options.messages) if run_options.messages is not None else None
        self._text = steps_of(run_options.text) if run_options.text is not None else None
        self._of_talk = frozenset(rule.code for rule in rules_of(Scope.CONVERSATION))

    def diagnostics(self, row: Row) -> list[CorpusDiagnostic]:
        """Return what is found in a row, in order."""
        return self.judged(row)[0]

    def judged(self, row: Row) -> tuple[list[CorpusDiagnostic], Held | None]:
        """Return what is found in a row, in order, and what was read in it; None where it could not be read."""
        if row.fault is not None:
            return self._unread(row.number, *row.fault), None
        held = Held()
        found = self._guarded(lambda: self._found_diagnostics(row.data, row.number, held))
        return (found, held) if isinstance(found, list) else (self._unread(row.number, *found), None)

    def fixed(self, data: bytes, refused: Refused | None = None) -> bytes | None:
        """Return a row in which errors were found, with all safe fixes applied; None where an error is left.

        `refused` is called with each fix that lxml has something against.
        """
        found = self._guarded(lambda: self._fixed(data, refused))
        return found if isinstance(found, bytes) else None

    def _guarded(self, work: Callable[[], Any]) -> Any:
        """Return what work gives, or the kind of problem that it ran into, with what belongs to it."""
        end = thread_time() + self._seconds
        yields = 0

        def look_at_the_clock() -> None:
            nonlocal yields
            yields += 1
            # To ask the system for the time takes as long as a step does.
            if not yields % _YIELDS_PER_CHECK and thread_time() > end:
                raise AbandonedError

        set_yield_hook(look_at_the_clock)
        try:
            return work()
        except AbandonedError:
            return "row-too-slow", {"seconds": self._seconds}
        except UnicodeDecodeError:
            return "row-not-utf8", {}
        except NotJsonError:
            return "row-not-json", {}
        except Exception as error:  # noqa: BLE001 - a fault of ours in one row is reported, and the others continue
            return "row-failed", {"reason": f"{type(error).__name__}: {error}"[:300]}
        finally:
            set_yield_hook(None)

    def _unread(self, row: int, kind: str, data: dict[str, Any]) -> list[CorpusDiagnostic]:
        """Return the diagnostic of a row that could not be judged; none where the settings leave such diagnostics
        out."""
        problem = Problem(kind, Span(0, 0), data)
        return [
            at_spot(
                CorpusDiagnostic,
                row,
                NOWHERE,
                rule=each.code,
                severity=each.severity.value,
                message=each.message,
                fixable=False,
            )
            for each in file_diagnostics([problem], EMPTY, self._settings)
        ]

    def _found_diagnostics(self, data: bytes, row: int, held: Held | None = None) -> list[CorpusDiagnostic]:
        """Return what is found in a row; what is read in it is counted in `held`, where that is asked for."""
        if not is_json(data):
            return []
        if self._messages is None and self._text is None:
            return self._of_whole(data, row, held)
        found: list[CorpusDiagnostic] = []
        try:
            for part in self._parts(data, held):
                found += self._of_part(part, row, held)
        except NotJsonError:
            if not _may_be_read(data):
                raise
            # What is wrong with the JSON of a conversation does not depend on what is checked in it.
            return self._of_whole(data, row, held)
        return sorted(found, key=order)

    def _of_whole(self, data: bytes, row: int, held: Held | None) -> list[CorpusDiagnostic]:
        outcome = self._rows.judge(data)
        if isinstance(outcome, Plain):
            self._count_plain(outcome, data, held)
            return []
        text = data.decode()
        turns = self._rows.suspect_turns(text, outcome) if outcome is not None else None
        if turns is None:
            snapshot = self._rows.open(text)
            count(snapshot, held)
            found = self._of(snapshot, row, ())
            if not found:
                must_be_json(data)
            return found
        if held is not None:
            count(self._rows.open(text), held)
        return sorted(located_in_turns(turns, row), key=order)

    def _of_part(self, part: RowPart, row: int, held: Held | None) -> list[CorpusDiagnostic]:
        if not part.is_text:
            data = part.text.encode()
            outcome = self._rows.judge(data)
            if isinstance(outcome, Plain):
                self._count_plain(outcome, data, held)
                return []
        snapshot = part.snapshot()
        count(snapshot, held)
        if part.is_text:
            return located_in_text(snapshot, diagnostics(snapshot), row, part.place)
        return self._of(snapshot, row, part.place)

    def _count_plain(self, plain: Plain, data: bytes, held: Held | None) -> None:
        """Count what is in a row that certainly has no diagnostics."""
        if held is None:
            return
        if _has_sketches(plain):
            count(self._rows.open(data.decode()), held)
        else:
            held.conversations += plain.shape is not None
            held.calls += len(plain.calls)

    def _of(self, snapshot: Snapshot, row: int, place: Place) -> list[CorpusDiagnostic]:
        found = diagnostics(snapshot)
        if found and snapshot.is_log:
            # The conversation of a log continues in other rows, so its order is not checked.
            found = [each for each in found if each.code not in self._of_talk]
        return sorted(located(snapshot, found, row, place), key=order)

    def _plain(self, data: bytes) -> Plain | None:
        """Return what is in a row that certainly has no diagnostics; None where it has to be opened."""
        outcome = self._rows.judge(data)
        return outcome if isinstance(outcome, Plain) and not _has_sketches(outcome) else None

    def _parts(self, data: bytes, held: Held | None = None) -> Iterator[RowPart]:
        """Yield the values of a row that path expressions lead to; texts are counted in `held`."""
        row = _value(data)
        for place, value in values_at(row, self._messages) if self._messages is not None else ():
            yield from self._conversation(place, value, row)
        for place, value in values_at(row, self._text) if self._text is not None else ():
            if not isinstance(value, str):
                continue
            if held is not None:
                held.texts += 1
            if any(marker in value for marker in _MARKERS):
                yield RowPart(place, value, partial(self._open_text, value), str, is_text=True)

    def _conversation(self, place: Place, value: Any, row: Any) -> Iterator[RowPart]:
        """Yield a conversation as a row of its own, with the tools that are beside it."""
        written = isinstance(value, str)
        if written:
            try:
                value = json.loads(value)
            except (ValueError, RecursionError):
                return
        if isinstance(value, list):
            heads = [each for each in value[:8] if isinstance(each, dict)]
            key = "conversations" if any("from" in each and "value" in each for each in heads) else "messages"
            wrapped: Any = {key: value}
            tools = row.get("tools") or row.get("functions") if isinstance(row, dict) else None
            if tools:
                wrapped["tools"] = tools
        elif isinstance(value, dict):
            key, wrapped = "", value
        else:
            return
        text = json.dumps(wrapped, ensure_ascii=False) + "\n"

        def inside(fixed: str) -> Any:
            own = json.loads(fixed)
            own = own[key] if key else own
            return json.dumps(own, ensure_ascii=False) if written else own

        # Of an object the members are the row's own; of a list they are in the one member that it was given.
        yield RowPart(place if key else (*place, ""), text, lambda: self._rows.open(text), inside)

    def _open_text(self, text: str) -> Snapshot:
        return open_snapshot(text, path=_TEXT, registry=self._registry, settings=self._settings)

    def _fixed(self, data: bytes, refused: Refused | None) -> bytes | None:
        from callwright.fix.fixer import fix_all

        text = data.decode()
        if self._messages is None and self._text is None:
            snapshot = self._rows.open(text)
            text, _ = fix_all(self._silent(text) if snapshot.is_log else snapshot, refused=refused)
        else:
            fixed = ((part, *fix_all(part.snapshot(), refused=refused)) for part in self._parts(data))
            text = with_parts(text, ((part, own) for part, own, fixes in fixed if fixes))
        fixed_text = text.encode()
        return None if any(each.severity == "error" for each in self._found_diagnostics(fixed_text, 0)) else fixed_text

    def _silent(self, text: str) -> Snapshot:
        from dataclasses import replace

        settings: Settings = replace(self._settings, ignore=(*self._settings.ignore, *sorted(self._of_talk)))
        return Rows(self._registry, settings).open(text)


def _has_sketches(plain: Plain) -> bool:
    """Return whether what looks like a call of a row may be the sketch of one, which is not counted."""
    return any(is_placeholder_name(each.tool) for each in plain.calls)


def count(snapshot: Snapshot, held: Held | None) -> None:
    """Count the conversations and calls of a row that is opened, where that is asked for."""
    if held is None:
        return
    parts = [part for block in snapshot.blocks for part in block.transcripts]
    # A row of a log is a part of a conversation that continues in others.
    held.conversations += len(conversations(snapshot)) if all(part.whole for part in parts) else len(parts)
    held.calls += sum(1 for _ in snapshot.placed_calls())


def with_parts(text: str, values: Iterable[tuple[RowPart, str]]) -> str:
    """Return the text of a row with some of its values being other documents now."""
    edits = []
    read = read_json(text)
    for part, own in values:
        node = read.locate(tuple(step for step in part.place if step != ""))
        assert node is not None, "the value came from there"
        edits.append(Edit(node.span, json.dumps(part.inside(own), ensure_ascii=False)))
    return apply_edits(text, edits)


class NotJsonError(Exception):
    """A row is certainly not JSON."""


def is_json(data: bytes) -> bool:
    """Return whether a row holds anything. Raises NotJsonError where it certainly is not JSON."""
    own = data.strip()
    if not own or own in (b"null", b"{}", b"[]"):
        return False
    if (own[0] not in _BEGINNINGS or own[-1] not in _ENDS) and not (own.startswith(b"{") and _may_be_read(data)):
        must_be_json(data)
    return True


def must_be_json(data: bytes) -> None:
    """Raise NotJsonError where a row is none, though it begins and ends as JSON does. One that is too deep may be."""
    if not is_row(data.decode()):
        raise NotJsonError


def _may_be_read(data: bytes) -> bool:
    """Return whether a row that breaks off is a transcript all the same, of which the rules say more."""
    from callwright.hosts.support.transcript_search import may_hold_transcript

    return may_hold_transcript(data.decode())


def _value(data: bytes) -> Any:
    """Return the value of a row. Raises NotJsonError where it is none."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise NotJsonError from None
