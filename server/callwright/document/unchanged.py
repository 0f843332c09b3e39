"""Whether edits leave everything else in a document read as it was: fixing one problem may uncover another one.

Owns: `Rereading`. Must not know: rules, what the edits are for.

A comment separates texts: without it, a call that is never closed may read on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from callwright.text.span import AfterEdits, Edit

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot

#: How many characters are read for the answers about one fix, and how many times the document's length besides.
MAX_READ: Final = 100_000
MAX_TIMES_READ: Final = 8


class Rereading:
    """Checks for the edits of one fix after the other whether a document is read the same after them.

    Invariant: all answers together read at most a constant times the document. Once that is used up, as in a text of
    comments alone, in which each answer reads all of the others, one answer is given for `all_edits` together.
    """

    def __init__(self, snapshot: Snapshot, all_edits: Callable[[], Iterable[Edit]]) -> None:
        self._snapshot = snapshot
        self._all_edits = all_edits
        self._together: bool | None = None
        self._left = MAX_READ + MAX_TIMES_READ * len(snapshot.document)

    def is_same_after(self, edits: Sequence[Edit]) -> bool:
        """Return whether the same calls are read, with the same problems at the same places, where edits are applied.

        The edits do not overlap. The time is linear in the blocks that they touch.
        """
        if self._left > 0:
            return self._is_same(edits)
        if self._together is None:
            apart: list[Edit] = []
            for edit in sorted(self._all_edits(), key=lambda edit: edit.span):
                if not apart or apart[-1].span.end <= edit.span.start:
                    apart.append(edit)
            self._together = self._is_same(apart)
        return self._together

    def _is_same(self, edits: Sequence[Edit]) -> bool:
        snapshot = self._snapshot
        ordered = sorted(edits, key=lambda edit: edit.span)
        after = snapshot.edit(ordered[::-1])
        old, new = snapshot.blocks, after.blocks
        shared = min(len(old), len(new))
        first = next((at for at in range(shared) if old[at] is not new[at]), shared)
        last = next((at for at in range(shared - first) if old[-1 - at] is not new[-1 - at]), shared - first)
        self._left -= sum(block.length for block in new[first : len(new) - last])
        before = list(_read_in(snapshot, first, len(old) - last))
        moved = AfterEdits(ordered)
        return [(*words, *(moved.place(place) for place in places)) for *words, places in before] == [
            (*words, *places) for *words, places in _read_in(after, first, len(new) - last)
        ]


def _read_in(snapshot: Snapshot, first: int, last: int) -> Iterator[tuple[Any, ...]]:
    """Yield what is read in some blocks, each with its places counted from the end of the document."""
    for start, block in zip(snapshot.starts[first:last], snapshot.blocks[first:last], strict=True):
        for read in block.passages:
            raw = read.passage.projection.raw_span
            for found in read.calls:
                call = found.call
                yield call.dialect, call.tool, call.complete, (raw(call.place).start + start,)
                for problem in call.problems:
                    yield problem.kind, raw(problem.span).shift(start)
            for problem in read.problems:
                yield problem.kind, raw(problem.span).shift(start)
        for problem in block.problems:
            yield problem.kind, problem.span.shift(start)
