"""The text of a reading of invalid JSON: where it continues, and how far it was scanned.

Owns: `JsonText`: space and comments, what lies ahead, the allowance of work. Must not know: values, strings, brackets.
"""

import re
from typing import Final

from callwright.syntax.json_nodes import SPACE
from callwright.syntax.json_repairs import EXPRESSION
from callwright.syntax.json_stops import stop_between
from callwright.syntax.value_tree import Extent, ObjectTree, OpenValue, State
from callwright.text.holes import HOLE
from callwright.text.span import Edit, Span, delete

KEY_AHEAD: Final = re.compile(
    r"(?:\"(?:[^\"\\\n]|\\.){0,160}+\"|'[^'\n]{0,160}+'|[“”„][^“”\"\n]{0,160}+[“”\"]|[A-Za-z_$][\w$.-]{0,160}+"
    rf"|[\w$.-]{{1,80}}+\"|{HOLE}++)[ \t\r\n]*+:"
)
_VALUE_AHEAD: Final = re.compile(
    r"[\[{\-0-9]|\"(?:[^\"\\\n]|\\.){0,160}+\"[ \t\r\n]*+[,\]]|(?:true|false|null|True|False|None)\b"
)
_WIDE_SPACE: Final = re.compile("[\\s\ufeff\u200b\u200c\u200d\u2060]*+")
_INVISIBLE: Final = "\ufeff\u200b\u200c\u200d\u2060"


class JsonText(ObjectTree):
    """The text of one reading: where it continues after space and comments, how far it was scanned, its problems.

    `failed_at` is where the C parser failed. With `patience`, reading ends after that many characters of junk in a row.
    """

    def __init__(self, extent: Extent, failed_at: int | None, patience: int | None = None) -> None:
        super().__init__(extent)
        self.patience = patience
        self._deep_open = 0
        self._allowance = 4 * (extent.limit - extent.start) + 4096
        self._charge(extent.start, failed_at)

    def _charge(self, start: int, failed_at: int | None) -> None:
        known = self.limit if failed_at is None else min(failed_at, self.limit)
        self._allowance -= max(known - start, 0)
        self.reach = max(self.reach, min(known + 1, self.limit))

    def _space(self, at: int) -> int:
        found = _WIDE_SPACE.match(self.text, at, self.limit)
        return found.end() if found is not None else at

    def _is_end(self, after: int, at: int) -> bool:
        """Return whether the text ends at `at`, to which only space leads from `after`."""
        if at >= self.limit:
            return True
        if self.stop is None:
            return False
        return stop_between(self.text, self.stop, after, at, self.limit) is not None

    def _skip(self, at: int, frame: OpenValue) -> int:
        """Skip space, comments and characters that only resemble space."""
        text = self.text
        while True:
            if at > self._stop_at:
                self._stop_at = self._next_stop(at)
            found = SPACE.match(text, at, self._stop_at)
            at = found.end() if found is not None else at
            if at >= self._stop_at:
                return at
            char = text[at]
            follower = self._char(at + 1)
            # `{"color": #fff}` is a value without its quotes.
            bare = frame.state == State.VALUE and frame.kind == "object" and follower.isalnum()
            if (char == "/" and follower in ("/", "*")) or (char == "#" and not bare):
                at = self._skip_comment(at)
            elif char.isspace() or char in _INVISIBLE:
                start = at
                while at < self._stop_at and (text[at].isspace() or text[at] in _INVISIBLE):
                    at += 1
                self._report("unexpected-text", start, at, [Edit(Span(start, at), " ")], certain=True, space=True)
            else:
                return at

    def _skip_comment(self, at: int) -> int:
        text = self.text
        block = text.startswith("/*", at, self.limit)
        closed = True
        if block:
            end = text.find("*/", at + 2, self._stop_at)
            closed = end >= 0
            end = end + 2 if closed else self._stop_at
        else:
            end = min(
                (found for found in (text.find(symbol, at, self._stop_at) for symbol in "\r\n") if found >= 0),
                default=self._stop_at,
            )
        # The end of the line decides what is removed with the comment, and at the text's end, how far the comment
        # reaches.
        self._look(end + 2)
        if not block and end == self._stop_at:
            # Brackets at the very end of a one-line call are the call's, not the comment's.
            while end > at + 1 and text[end - 1] in " \t}]":
                end -= 1
        # A quote or bracket in it may belong to the surrounding value, which lacks its own.
        plain = closed and _PLAIN_COMMENT.fullmatch(text, at, end) is not None
        edits = _without_comment(text, at, end, self._begin, self.limit)
        self._report("comment", at, end, edits, certain=plain, text=text[at:end], closed=closed)
        return end

    def _char(self, at: int) -> str:
        """Return the character at `at`, empty after the end of the text."""
        return self.text[at] if at < self.limit else ""

    def _ahead(self, at: int) -> str:
        """Return what begins at `at`: k(ey), v(alue), c(loser), e(nd), o(pen to anything), or ? for other text."""
        if self._is_end(at, at):
            return "e"
        char = self.text[at]
        self._look(at + 200)
        if char in "}]":
            return "c"
        if KEY_AHEAD.match(self.text, at, self.limit):
            return "k"
        if char in "{$" and EXPRESSION.match(self.text, at, self.limit):
            return "o"
        if _VALUE_AHEAD.match(self.text, at, self.limit):
            return "v"
        if char in f"{HOLE}…#" or self.text.startswith(("...", "//", "/*"), at, self.limit):
            return "o"
        return "?"


_PLAIN_COMMENT: Final = re.compile(r"[^\"{}\[\]]{1,400}+")


def shorten(text: str, limit: int = 60) -> str:
    """Return a text shortened for a message."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _without_comment(text: str, at: int, end: int, begin: int, limit: int) -> list[Edit]:
    """Return the edit that removes a comment, with its line if nothing else is on it."""
    if HOLE in text[at:end]:
        return []
    start = at
    while start > begin and text[start - 1] in " \t":
        start -= 1
    line_ends = end < limit and text[end] in "\r\n"
    alone = start > begin and text[start - 1] in "\r\n" and line_ends
    if alone:
        after = end + 2 if text.startswith("\r\n", end, limit) else end + 1
        return [delete(start, after)]
    if line_ends:
        return [delete(start, end)]
    return [Edit(Span(at, end), "")]
