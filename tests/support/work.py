"""Counts what a piece of work does: functions called, and characters that searches in C go over.

Owns: the counter. Must not know: what the work is, how much is too much.

No clock is asked, so that a count is the same on every machine. The compiled patterns of the package are replaced by
ones that count while the work is done, and the text by one whose own searches count. What a pattern reads where it does
not match at a place is not seen: `tests/invariants/test_patterns_are_linear.py` holds that.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, NamedTuple, SupportsIndex
from unittest.mock import patch

from callwright.text.document import TextDocument

#: A search in C goes over as many characters in the time of one call.
CHARACTERS_OF_A_CALL: Final = 100
_END: Final = sys.maxsize


class Work(NamedTuple):
    """How many functions were called, Python's own and those into C, and how many characters were searched."""

    calls: int
    characters: int

    @property
    def steps(self) -> int:
        """Both in one number."""
        return self.calls + self.characters // CHARACTERS_OF_A_CALL


class _Count:
    def __init__(self) -> None:
        self.characters = 0


class _Pattern:
    """A compiled pattern whose searches are counted."""

    def __init__(self, pattern: re.Pattern[str], count: _Count) -> None:
        self._pattern = pattern
        self._count = count

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pattern, name)

    def search(self, text: str, pos: int = 0, endpos: int = _END) -> re.Match[str] | None:
        found = self._pattern.search(text, pos, endpos)
        self._count.characters += max(0, (min(endpos, len(text)) if found is None else found.end()) - pos)
        return found

    def match(self, text: str, pos: int = 0, endpos: int = _END) -> re.Match[str] | None:
        found = self._pattern.match(text, pos, endpos)
        self._count.characters += 0 if found is None else found.end() - pos
        return found

    def fullmatch(self, text: str, pos: int = 0, endpos: int = _END) -> re.Match[str] | None:
        found = self._pattern.fullmatch(text, pos, endpos)
        self._count.characters += 0 if found is None else found.end() - pos
        return found

    def finditer(self, text: str, pos: int = 0, endpos: int = _END) -> Iterator[re.Match[str]]:
        seen = pos
        for found in self._pattern.finditer(text, pos, endpos):
            self._count.characters += max(0, found.end() - seen)
            seen = found.end()
            yield found
        self._count.characters += max(0, min(endpos, len(text)) - seen)


class _Text(str):
    """A text whose searches and slices are counted; what is cut out of it is a plain one."""

    __slots__ = ("counter",)
    counter: _Count

    def __getitem__(self, place: Any) -> str:
        found = super().__getitem__(place)
        self.counter.characters += len(found)
        return found

    def find(self, sought: str, start: SupportsIndex | None = None, end: SupportsIndex | None = None, /) -> int:
        found = super().find(sought, start, end)
        first, last, _ = slice(start, end).indices(len(self))
        self.counter.characters += max(0, (last if found < 0 else found) - first)
        return found

    def rfind(self, sought: str, start: SupportsIndex | None = None, end: SupportsIndex | None = None, /) -> int:
        found = super().rfind(sought, start, end)
        first, last, _ = slice(start, end).indices(len(self))
        self.counter.characters += max(0, last - (first if found < 0 else found))
        return found

    def count(self, sought: str, start: SupportsIndex | None = None, end: SupportsIndex | None = None, /) -> int:
        first, last, _ = slice(start, end).indices(len(self))
        self.counter.characters += max(0, last - first)
        return super().count(sought, start, end)

    def __contains__(self, sought: object) -> bool:
        found = super().__contains__(sought)  # type: ignore[operator]  # as `str` takes it
        self.counter.characters += super().find(str(sought)) if found else len(self)
        return found


def _text(text: str, count: _Count) -> str:
    found = _Text(text)
    found.counter = count
    return found


@contextmanager
def _counting_patterns(count: _Count) -> Iterator[None]:
    """Put patterns that count in the place of those of all modules of the package."""
    replaced: list[tuple[dict[str, Any], str, re.Pattern[str]]] = []
    for name, module in [*sys.modules.items()]:
        if name.split(".")[0] == "callwright":
            for key, value in [*vars(module).items()]:
                if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
                    replaced.append((vars(module), key, value))
    for names, key, value in replaced:
        names[key] = _Pattern(value, count)
    try:
        yield
    finally:
        for names, key, value in replaced:
            names[key] = value


def counted(work: Callable[[str], object], text: str) -> Work:
    """Return what a piece of work with a text does."""
    calls, count = 0, _Count()
    slice_, whole = TextDocument.slice, TextDocument.text

    def counting(frame: Any, event: str, argument: Any) -> None:
        nonlocal calls
        if event in ("call", "c_call") and frame.f_code.co_filename != __file__:
            calls += 1

    with (
        _counting_patterns(count),
        patch.object(TextDocument, "slice", lambda self, start, end: _text(slice_(self, start, end), count)),
        patch.object(TextDocument, "text", lambda self: _text(whole(self), count)),
    ):
        before = sys.getprofile()
        sys.setprofile(counting)
        try:
            work(_text(text, count))
        finally:
            sys.setprofile(before)
    return Work(calls, count.characters)
