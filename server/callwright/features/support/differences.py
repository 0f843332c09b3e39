"""Differences: the edits that lead from one text to another.

Owns: the choice of few and small ones, so that cursors and folds in an editor do not move. Must not know: why a text
changed.
"""

from __future__ import annotations

import re

from callwright.text.span import Edit, Span, equal_ends

_LINES = re.compile(r"[^\r\n]*+(?:\r\n|\r|\n)|[^\r\n]++\Z")
#: Beyond so many differing lines they are replaced as one: comparing them takes longer the more there are.
_MANY = 4_000


def edits_between(before: str, after: str) -> tuple[Edit, ...]:
    """Return edits of `before` that make it `after`, in order and apart from each other; none where they are equal."""
    if before == after:
        return ()
    old, new = _LINES.findall(before), _LINES.findall(after)
    head, tail = equal_ends(old, new)
    start = sum(map(len, old[:head]))
    old, new = old[head : len(old) - tail], new[head : len(new) - tail]
    if len(old) + len(new) > _MANY:
        return (_trimmed(start, "".join(old), "".join(new)),)
    from difflib import SequenceMatcher

    edits: list[Edit] = []
    offsets = [start]
    for line in old:
        offsets.append(offsets[-1] + len(line))
    for tag, old_from, old_to, new_from, new_to in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            edits.append(_trimmed(offsets[old_from], "".join(old[old_from:old_to]), "".join(new[new_from:new_to])))
    return tuple(edits)


def _trimmed(start: int, old: str, new: str) -> Edit:
    """Return the edit from `old` to `new` without what both begin and end with."""
    head, tail = equal_ends(old, new)
    # A CR is not parted from its LF: no position of an editor lies between them.
    if head and old[head - 1] == "\r" and (old[head : head + 1] == "\n" or new[head : head + 1] == "\n"):
        head -= 1
    if (
        tail
        and old[len(old) - tail] == "\n"
        and (old[len(old) - tail - 1 : len(old) - tail] == "\r" or new[len(new) - tail - 1 : len(new) - tail] == "\r")
    ):
        tail -= 1
    return Edit(Span(start + head, start + len(old) - tail), new[head : len(new) - tail])
