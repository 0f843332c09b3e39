"""Whether edits leave everything in a document read as it was: what mends one thing may make another one visible.

Owns: `reads_the_same`. Must not know: rules, what the edits are for.

A comment stands between texts, and a call that is never closed reads on from where it was taken out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from callwright.text.span import Edit

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot


def reads_the_same(snapshot: Snapshot, edits: Sequence[Edit]) -> bool:
    """Tell whether the same calls are read, with the same problems at the same places, where edits are applied.

    The edits do not overlap. The time is that of reading the blocks that they touch.
    """
    ordered = sorted(edits, key=lambda edit: edit.span)
    after = snapshot.edit(ordered[::-1])
    old, new = snapshot.blocks, after.blocks
    shared = min(len(old), len(new))
    first = next((at for at in range(shared) if old[at] is not new[at]), shared)
    last = next((at for at in range(shared - first) if old[-1 - at] is not new[-1 - at]), shared - first)
    before = list(_read_in(snapshot, first, len(old) - last))
    return [(*words, *(_moved(place, ordered) for place in places)) for *words, places in before] == [
        (*words, *places) for *words, places in _read_in(after, first, len(new) - last)
    ]


def _moved(at: int, edits: Sequence[Edit]) -> int:
    """Return where a place of a text is once edits of it are applied, which are in order."""
    by = 0
    for (start, end), text in edits:
        if start >= at:
            break
        by += len(text) - (min(end, at) - start)
    return at + by


def _read_in(snapshot: Snapshot, first: int, last: int) -> Iterator[tuple[Any, ...]]:
    """Yield what is read in some blocks, each with its places in the document at the end."""
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
