"""Differences: a unified diff that other programs can apply.

Owns: `unified_diff`, `GrowingDiff`. Must not know: files, fixes. The standard library's comparison is quadratic where
many lines are alike; here lines that occur once on both sides divide the text first, and only what lies between them is
compared.
"""

import os
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Final

from callwright.text.records import NamedTuple
from callwright.text.span import equal_ends

_LINE: Final = re.compile(r"[^\n]*+\n|[^\n]++")
#: Half a surrogate pair that means no byte of a name.
_HALF: Final = re.compile("[\ud800-\udc7f\udd00-\udfff]")
_CONTEXT: Final = 3
#: The largest number of line pairs that is compared closely; a larger gap is shown as replaced.
_CLOSE: Final = 4_000_000


class _Block(NamedTuple):
    """`[low_a, high_a)` of the old lines corresponds to `[low_b, high_b)` of the new; equal or replaced."""

    equal: bool
    low_a: int
    high_a: int
    low_b: int
    high_b: int


def unified_diff(before: str, after: str, path: str) -> str:
    """Return what turns `before` into `after` as a unified diff for `path`; empty where they are equal.

    Lines end in LF, for that is what `patch` and `git apply` count by; a missing newline at the end is marked.
    """
    if before == after:
        return ""
    old, new = _LINE.findall(before), _LINE.findall(after)
    diff = GrowingDiff(path)
    parts: list[str] = []
    for block in _blocks(old, new):
        gone, come = "".join(old[block.low_a : block.high_a]), "".join(new[block.low_b : block.high_b])
        if block.equal:
            parts += diff.same(gone)
        elif gone or come:
            parts += diff.changed(gone, come)
    return "".join([*parts, diff.finish()])


def _header(path: str) -> str:
    """Return the lines that name the file, as `git apply` and `patch` read them.

    A name is relative to the working folder; that of a file elsewhere begins at the root, where the diff applies then
    (`patch -p1 -d /`), since neither program follows a path upwards. What would end a name is written as git does.
    """
    if Path(path).is_absolute() or ".." in Path(path).parts:
        whole = Path(os.path.abspath(path))  # noqa: PTH100 - resolve() would follow links
        path = whole.as_posix().removeprefix(whole.anchor)
    return f"--- {_named(f'a/{path}')}\n+++ {_named(f'b/{path}')}\n"


def _named(name: str) -> str:
    if name.isprintable() and not set(name) & {'"', "\\"}:
        # Without the tab, `patch` takes a name to end at its first space.
        return f"{name}\t" if " " in name else name
    data = _HALF.sub("?", name).encode("utf-8", "surrogateescape")
    return f'"{"".join(map(_octal, data))}"'


def _octal(byte: int) -> str:
    one = chr(byte)
    if one in '"\\':
        return f"\\{one}"
    return one if 0x20 <= byte < 0x7F else f"\\{byte:03o}"


def _line(sign: str, line: str) -> str:
    return f"{sign}{line}" if line.endswith("\n") else f"{sign}{line}\n\\ No newline at end of file\n"


def _range(low: int, high: int) -> str:
    return f"{low + 1 if high > low else low},{high - low}"


def _blocks(old: Sequence[str], new: Sequence[str]) -> Iterator[_Block]:
    """Yield blocks that tile both sides in order."""
    low, tail = equal_ends(old, new)
    high_a, high_b = len(old) - tail, len(new) - tail
    yield _Block(True, 0, low, 0, low)
    at_a = at_b = low
    for anchor_a, anchor_b in [*_anchors(old, new, low, high_a, high_b), (high_a, high_b)]:
        yield from _gap(old, new, at_a, anchor_a, at_b, anchor_b)
        if anchor_a < high_a:
            yield _Block(True, anchor_a, anchor_a + 1, anchor_b, anchor_b + 1)
        at_a, at_b = anchor_a + 1, anchor_b + 1
    yield _Block(True, high_a, len(old), high_b, len(new))


def _anchors(old: Sequence[str], new: Sequence[str], low: int, high_a: int, high_b: int) -> list[tuple[int, int]]:
    """Return pairs of equal lines, each unique on both sides, as many as ascend on both."""
    counts_a, counts_b = Counter(old[low:high_a]), Counter(new[low:high_b])
    places = {new[index]: index for index in range(low, high_b) if counts_b[new[index]] == 1}
    pairs = [
        (index, places[old[index]])
        for index in range(low, high_a)
        if counts_a[old[index]] == 1 and old[index] in places
    ]
    # The longest ascending run by patience sorting: the top of each pile, and for each pair the one it lies on.
    tops: list[int] = []
    piles: list[int] = []
    after: list[int | None] = []
    for number, (_, place) in enumerate(pairs):
        pile = bisect_left(tops, place)
        after.append(piles[pile - 1] if pile else None)
        tops[pile : pile + 1] = [place]
        piles[pile : pile + 1] = [number]
    run: list[tuple[int, int]] = []
    number_or_none = piles[-1] if piles else None
    while number_or_none is not None:
        run.append(pairs[number_or_none])
        number_or_none = after[number_or_none]
    return run[::-1]


def _gap(old: Sequence[str], new: Sequence[str], low_a: int, high_a: int, low_b: int, high_b: int) -> Iterator[_Block]:
    """Yield the blocks of what lies between two anchors."""
    if (high_a - low_a) * (high_b - low_b) > _CLOSE:
        yield _Block(False, low_a, high_a, low_b, high_b)
        return
    for tag, from_a, to_a, from_b, to_b in SequenceMatcher(None, old[low_a:high_a], new[low_b:high_b]).get_opcodes():
        yield _Block(tag == "equal", low_a + from_a, low_a + to_a, low_b + from_b, low_b + to_b)


class GrowingDiff:
    """A unified diff of a text that comes in pieces, of which it holds a few lines at a time."""

    def __init__(self, path: str) -> None:
        self._head = _header(path)
        self._old = self._new = 0
        #: The last equal lines, which may lead into a hunk.
        self._lead: list[str] = []
        #: The lines of the hunk that is open, with where it begins; the equal lines at its end.
        self._hunk: list[str] = []
        self._from = (0, 0)
        self._tail: list[str] = []
        #: The change that the hunk ends with: neighbouring changes are written as one.
        self._gone: list[str] = []
        self._come: list[str] = []

    def same(self, text: str) -> Iterator[str]:
        """Take whole lines that stay; yield what is finished."""
        at = 0
        while at < len(text) and self._open():
            end = text.find("\n", at) + 1 or len(text)
            self._settle()
            self._tail.append(text[at:end])
            self._old += 1
            self._new += 1
            at = end
            if len(self._tail) > 2 * _CONTEXT:
                yield self._close()
        if at < len(text):
            count = text.count("\n", at) + (not text.endswith("\n"))
            self._old += count
            self._new += count
            start = len(text)
            for _ in range(_CONTEXT):
                if start > at:
                    start = max(text.rfind("\n", at, start - 1) + 1, at)
            self._lead = [*self._lead, *_LINE.findall(text, start)][-_CONTEXT:]

    def changed(self, before: str, after: str) -> Iterator[str]:
        """Take whole lines that become others; yield what is finished."""
        if not self._open():
            self._from = (self._old - len(self._lead), self._new - len(self._lead))
            self._hunk = [_line(" ", line) for line in self._lead]
            self._lead = []
        elif self._tail:
            self._hunk += [_line(" ", line) for line in self._tail]
            self._tail = []
        gone, come = _LINE.findall(before), _LINE.findall(after)
        self._gone += gone
        self._come += come
        self._old += len(gone)
        self._new += len(come)
        yield from ()

    def finish(self) -> str:
        """Return the hunk that is left."""
        return self._close() if self._open() else ""

    def _open(self) -> bool:
        return bool(self._hunk or self._gone or self._come)

    def _settle(self) -> None:
        self._hunk += [_line("-", line) for line in self._gone]
        self._hunk += [_line("+", line) for line in self._come]
        self._gone, self._come = [], []

    def _close(self) -> str:
        """Return the hunk that is open, with the head before the first one."""
        self._settle()
        self._hunk += [_line(" ", line) for line in self._tail[:_CONTEXT]]
        over = len(self._tail[_CONTEXT:])
        spans = (
            _range(self._from[0], self._old - over),
            _range(self._from[1], self._new - over),
        )
        text = self._head + "@@ -{} +{} @@\n".format(*spans) + "".join(self._hunk)
        self._lead = self._tail[_CONTEXT:][-_CONTEXT:]
        self._head, self._hunk, self._tail = "", [], []
        return text
