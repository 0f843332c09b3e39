"""The prose around calls: fenced blocks, code spans and comments, as Markdown has them.

Owns: recognising one of these at a place in a text. Must not know: calls, dialects; it keeps no state between places,
except `CodeSpans`, which caches one paragraph.

Fences and code spans follow CommonMark 0.31 (sections 4.5 and 6.1), with two liberties that prompts need: a fence may
be indented as deep as its author likes, and it may be after block-quote and list markers.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache
from typing import TYPE_CHECKING

from callwright.text.line_ends import first_line_end, last_line
from callwright.text.records import NamedTuple

if TYPE_CHECKING:
    from callwright.syntax.searches import Searches

#: Info words of fences whose content is prose or data, in which a call is a call and not program text.
PLAIN_LANGUAGES = frozenset(
    [
        "text",
        "txt",
        "plain",
        "plaintext",
        "markdown",
        "md",
        "xml",
        "html",
        "json",
        "jsonc",
        "json5",
        "jsonl",
        "prompt",
        "tool",
        "tool_call",
        "toolcall",
        "console",
        "log",
        "output",
    ]
) | {""}

_FENCE = re.compile(
    r"(?:[ \t]|>|[-*+][ \t]|\d{1,9}[.)][ \t])*+(?P<marker>`{3,}+|~{3,}+)(?P<info>[^\r\n]*+)(?:\r\n|\n|\r|\Z)"
)
_RUN = re.compile(r"`++")
_BLANK = re.compile(r"(?>\r\n|\n|\r)[ \t>]*+(?>\r\n|\n|\r|\Z)")
COMMENT_OPEN = "<!--"
COMMENT_CLOSE = "-->"


class Fence(NamedTuple):
    """The opening line of a fenced block.

    `start` is where its line begins, `marker` where the fence characters begin; `content` is the offset after the
    line. `info` is the info string without surrounding space.
    """

    start: int
    marker: int
    char: str
    length: int
    info: str
    content: int

    @property
    def language(self) -> str:
        """The info string's first word in lower case, `""` where there is none."""
        return self.info.split(None, 1)[0].strip("{}.").lower() if self.info else ""


class FenceState(NamedTuple):
    """What is needed of an open fence to find its end: its character, its length, its language."""

    char: str
    length: int
    language: str


def line_start(text: str, at: int) -> int:
    """Return the offset at which the line of offset `at` begins; only LF and CR end a line."""
    return last_line(text, 0, at)


def line_end(text: str, at: int) -> int:
    """Return the offset of the line ending at or after `at`, or the text's length."""
    found = first_line_end(text, at)
    return found if found >= 0 else len(text)


def fence_at(text: str, start: int) -> Fence | None:
    """Return the fence that the line beginning at `start` opens, or None."""
    match = _FENCE.match(text, start)
    if match is None:
        return None
    marker, info = match["marker"], match["info"].strip()
    if marker[0] == "`" and "`" in info:
        return None
    return Fence(start, match.start("marker"), marker[0], len(marker), info, match.end())


@lru_cache(maxsize=64)
def fence_closer(char: str, length: int) -> re.Pattern[str]:
    """Return the pattern of a line that closes a fence of `length` times `char`; it matches from the line's start."""
    return re.compile(rf"(?:^|(?<=[\r\n]))[ \t>]*+{re.escape(char)}{{{length},}}+[ \t]*+(?=[\r\n]|\Z)")


@lru_cache(maxsize=8)
def fence_line(char: str) -> re.Pattern[str]:
    """Return the pattern of any line that begins a fence of `char` or ends one; it matches from the line's start."""
    return re.compile(rf"(?:^|(?<=[\r\n]))[ \t>]*+{re.escape(char)}{{3,}}+[^\r\n]*+")


def next_line(text: str, at: int, end: int, pattern: re.Pattern[str], marker: str) -> re.Match[str] | None:
    """Return what `pattern.search(text, at, end)` returns, for a pattern of lines that hold `marker` after their lead.

    The marker is searched, and the pattern is matched only there: searching for the lead takes a hundred times as long.
    """
    low = at
    while (found := text.find(marker, low, end)) >= 0:
        lf = text.rfind("\n", low, found)
        begin = max(lf, text.rfind("\r", max(lf, low), found)) + 1
        if begin == 0:
            begin = low if low == 0 or text[low - 1] in "\r\n" else -1
        if begin >= 0:
            match = pattern.match(text, begin, end)
            if match is not None:
                return match
        low = line_end(text, found)
    return None


class CodeSpans:
    """Finds where code spans end; caches the backtick runs of one paragraph, so that all spans cost one pass."""

    __slots__ = ("_end", "_runs", "_scanned", "_start", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._start = self._end = self._scanned = -1
        self._runs: dict[int, list[int]] = {}

    def span_end(self, at: int) -> tuple[int, int]:
        """Return where the code span that opens at `at` ends, or its run if nothing closes it, and how far the text was
        scanned.

        A back-tick is at `at`, and none before it.
        """
        if not self._start <= at < self._end:
            blank = _BLANK.search(self._text, at)
            self._start, self._end = at, blank.start() if blank else len(self._text)
            self._scanned = min(blank.end() + 1, len(self._text)) if blank else len(self._text)
            self._runs = {}
            for run in _RUN.finditer(self._text, at, self._end):
                self._runs.setdefault(run.end() - run.start(), []).append(run.start())
        match = _RUN.match(self._text, at)
        assert match is not None, "a back-tick is here"
        length = match.end() - at
        same = self._runs.get(length, [])
        following = bisect_left(same, match.end())
        if following < len(same):
            end = same[following] + length
            return end, min(end + 1, self._scanned)
        return match.end(), self._scanned


def comment_end(text: str, at: int, searches: Searches) -> int | None:
    """Return where the comment that opens at `at` ends, or None if it is not closed."""
    end = searches.find(text, COMMENT_CLOSE, at + len(COMMENT_OPEN))
    return end + len(COMMENT_CLOSE) if end >= 0 else None
