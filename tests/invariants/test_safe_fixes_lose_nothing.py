"""Safe fixes lose nothing: in damaged documents of every dialect and kind of file, each round of them is taken apart.

What a fix takes away is compared with what it writes, without asking the product which words it holds for the author's:
a word may go where it is part of a name that becomes another, a marker of a dialect, a literal written in another way,
or a repetition of what is beside it. Calls that no edit touches stay as they are, there are no new diagnostics about
the dialect, and a second run changes nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from difflib import SequenceMatcher
from functools import cache
from typing import Any, NamedTuple

import pytest

from callwright.document.snapshot import Snapshot
from callwright.fix.fixer import Round, rounds
from callwright.lint.linter import diagnostics
from callwright.rules.base import Diagnostic, Fix, Severity
from callwright.text.span import Span, apply_edits
from invariants.corpus import markers
from invariants.damaged_documents import Damaged, damaged_document
from support.sampling import whole

COUNT = 5_000 if whole() else 120
BATCH = 500 if whole() else 40

_WORD = re.compile(r"\w+")
_NAME = re.compile(r"\w+(?:[-.:/]\w+)*")
_ESCAPE = re.compile(
    r"\\+(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[\"'/bfnrt])|\\{2,}|&(?:lt|gt|amp|quot|apos|#x?[0-9a-fA-F]+);"
)
_CLOSER = re.compile(r"\W*</[\w.:-]+>\W*")
_LITERALS = frozenset({"true", "false", "null", "True", "False", "None", "CDATA", "item"})
#: What rules say of a call in another dialect: their fixes write the whole call, names once instead of twice.
_CONVERSIONS = ("TC401", "TC402", "TC816")


def words(text: str) -> Counter[str]:
    return Counter(_WORD.findall(_ESCAPE.sub(" ", text)))


@cache
def own_words() -> frozenset[str]:
    """Return the words of markers and literals, which are not the author's."""
    return _LITERALS.union(*(_WORD.findall(marker) for marker in markers()))


def is_name(text: str) -> bool:
    names = _NAME.findall(_ESCAPE.sub(" ", text))
    return len(names) == 1 or len([name for name in names if name not in own_words()]) == 1


def is_misspelt(old: str, new: str) -> bool:
    """Return whether the words that one text has more than the other are those of the other, but for a misspelling."""
    before, after = words(old), words(new)
    gone, come = "".join(before - after), "".join(after - before)
    return bool(gone) and SequenceMatcher(None, gone, come, autojunk=False).ratio() > 0.75


def lost(text: str, diagnostic: Diagnostic, fix: Fix) -> set[str]:
    """Return the words that a fix takes from a text, but for those that may go."""
    pairs = [(edit.span.of(text), edit.text) for edit in fix.edits]
    old, new = (words(" ".join(side)) for side in zip(*pairs, strict=True))
    gone = old.keys() - new.keys() if diagnostic.code in _CONVERSIONS else set(old - new)
    gone -= own_words()
    if all((is_name(before) and is_name(after)) or is_corrected(before, after) for before, after in pairs):
        return set()
    is_repetition = len(pairs) == 1 and not new and repeats(text, fix)
    return set() if is_repetition else gone


def is_corrected(before: str, after: str) -> bool:
    """Return whether a name or a marker is spelt right afterwards; a marker may have been in the wrong case."""
    return is_misspelt(before, after) or (before.startswith("<") and before.lower() == after.lower())


def repeats(text: str, fix: Fix) -> bool:
    """Return whether what is removed is right before or after it once more."""
    start, end = fix.edits[0].span
    stated = text[start:end].strip()
    return text[:start].rstrip().endswith(stated) or text[end:].lstrip().startswith(stated)


class Read(NamedTuple):
    """A call as it is read."""

    span: Span
    dialect: str
    tool: str | None
    arguments: Mapping[str, Any]


def calls(snapshot: Snapshot) -> list[Read]:
    return [
        Read(each.span, each.call.dialect, each.call.tool, each.binding.arguments) for each in snapshot.placed_calls()
    ]


def lost_words(step: Round) -> Iterator[str]:
    text = step.before.document.text()
    for diagnostic, fix in step.chosen:
        gone = lost(text, diagnostic, fix)
        if gone:
            edits = [(edit.span.of(text), edit.text) for edit in fix.edits]
            yield f"{diagnostic.code} {fix.title!r} loses {sorted(gone)}: {edits}"


def changed_calls(step: Round) -> Iterator[str]:
    """Yield the calls beside the edits that are others afterwards.

    A call whose marker is right afterwards may be of the marker's dialect, and begin or end with it.
    """
    edits = [edit for _, fix in step.chosen for edit in fix.edits]
    there = calls(step.after)
    touched = [call.span for call in calls(step.before) if any(edit.span.touches(call.span) for edit in edits)]
    for call in calls(step.before):
        if any(outer.covers(call.span) for outer in touched):
            continue
        by = sum(len(edit.text) - edit.span.end + edit.span.start for edit in edits if edit.span.end <= call.span.start)
        place = call.span.shift(by)
        if not any(each[2:] == call[2:] and each.span.touches(place) for each in there):
            yield f"{call} is another call after {[fix.title for _, fix in step.chosen]}"


def new_diagnostics(before: list[Diagnostic], after: list[Diagnostic]) -> Iterator[str]:
    """Yield the diagnostics of the dialect that were not there before.

    What a call says may be found only once it can be read: that is not new, it was hidden. A marker that is broken may
    be text after the arguments (TC220) until they can be read, and is then a missing one (TC101).
    """
    reported, stated = (
        Counter(each.code for each in found if each.severity in (Severity.ERROR, Severity.WARNING))
        for found in (before, after)
    )
    was_hidden = any(code < "TC4" for code in reported)
    stated["TC101"] -= (reported - stated)["TC220"]
    yield from (f"new {code}" for code in stated - reported if code < "TC3" or not was_hidden)


def failures(document: Damaged) -> Iterator[str]:
    """Yield what is wrong with the safe fixes of a document."""
    opened = document.opened()
    steps = list(rounds(opened))
    if not steps:
        return
    for step in steps:
        edits = [edit for _, fix in step.chosen for edit in fix.edits]
        assert all(fix.is_safe for _, fix in step.chosen)
        assert apply_edits(step.before.document.text(), edits) == step.after.document.text()
        yield from lost_words(step)
        yield from changed_calls(step)
    fixed = document.opened(steps[-1].after.document.text())
    yield from new_diagnostics(diagnostics(opened), diagnostics(fixed))
    yield from (f"then {[fix.title for _, fix in step.chosen]}" for step in rounds(fixed))


@pytest.mark.parametrize("first", range(0, COUNT, BATCH))
def test_safe_fixes_of_damaged_documents_lose_nothing(
    first: int, record_property: Callable[[str, object], None]
) -> None:
    wrong: list[str] = []
    fixed = 0
    for number in range(first, first + BATCH):
        document = damaged_document(number)
        found = list(failures(document))
        fixed += bool(next(rounds(document.opened()), None)) if not found else 1
        wrong += [f"{document.label}\n{document.text}\n{each}" for each in found]
    record_property("counted", ("damaged documents that safe fixes change", str(first), fixed))
    assert fixed > BATCH // 10
    assert wrong == [], f"{len(wrong)} wrong, the first:\n" + "\n\n".join(wrong[:3])
