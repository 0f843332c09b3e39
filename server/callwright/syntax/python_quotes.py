"""The strings of Python calls: where each of them ends, by Python's rules or as it was meant.

Owns: `PythonQuotes`. Must not know: words, calls.

A string ends where Python ends it. Only if the text after that quote is invalid, the next quote that valid text can
follow is searched.
"""

import re
from typing import Final

from callwright.syntax.json_strings import Content
from callwright.syntax.python_format import string_literal
from callwright.syntax.python_strings import OPENING, broken_at, decode, next_quote, strict_end
from callwright.syntax.python_text import MAX_AHEAD_LENGTH, SPACE, PythonFrame
from callwright.syntax.python_tree import Parameters, PythonTree
from callwright.syntax.searches import Searches
from callwright.syntax.value_tree import Extent, State
from callwright.text.span import Edit, Span, delete, insert

#: The text after a quote that shows that it ends a string, if Python's rules do not find the end.
_GOES_ON: Final = {
    "listed": re.compile(
        r"\s*+(?:\Z|,\s*+(?:[^\W\d]\w{0,80}+\s*+=(?!=)|\)|\Z)"
        r"|\)\s*+(?:\Z|\]|,\s*+(?:\]|\Z|[^\W\d][\w.]{0,160}+\s*+\()))"
    ),
    "lined": re.compile(
        r"\s*+(?:\Z|,\s*+(?:[^\W\d]\w{0,80}+\s*+=(?!=)|\)|\Z)|\)(?:\s*+\Z|[ \t]*+[\r\n;,]))",
    ),
    "item": re.compile(
        r"\s*+(?:\Z|,\s*+(?:[rRbBuUfF]{0,2}[\"']|[\[{(\-0-9]|True\b|False\b|None\b|true\b|false\b|null\b|\]|\Z)"
        r"|\]\s*+[,)\]}])"
    ),
    "key": re.compile(r"\s*+:"),
    "member": re.compile(r"\s*+(?:\Z|,\s*+(?:[rRbBuUfF]{0,2}[\"']|\}|\Z)|\}\s*+[,)\]}])"),
}
#: The same by Python's rules: all that can follow a string.
_FOLLOWS: Final = re.compile(
    r"[ \t\r\n\f]*+(?:\Z|[,)\]}:#'\"]|\\[\r\n]|[+%][ \t]*+[\w('\"\[]|\.[a-z_]++\("
    r"|(?<=[ \t\r\n])(?:[rRbBuUfF]{1,2}['\"]|-?[0-9\[{]|[A-Za-z_]\w{0,80}+[ \t]*+=[ \t]*+[\w'\"\[{(-]))"
)
#: A quote that begins a string, and so cannot end the one before: `a='x, b='y'`, `{'a': 'x, 'b': 1}`.
_BEGINS_ARGUMENT: Final = re.compile(r",[ \t\r\n]{0,40}[A-Za-z_]\w{0,80}[ \t]{0,8}=[ \t]{0,8}\Z")
_BEGINS_KEY: Final = re.compile(r",[ \t\r\n]{0,40}\Z")
_KEY_ENDS: Final = re.compile(r"[\w .-]{1,80}+['\"][ \t]*+:")
_BEFORE: Final = 180


class PythonQuotes(PythonTree):
    """Reads strings: where each of them ends, by Python's rules or as it was meant."""

    _cut = False  # the text ends inside a string

    def __init__(
        self,
        extent: Extent,
        parameters: Parameters | None = None,
        searches: Searches | None = None,
        mild: frozenset[str] | None = None,
    ) -> None:
        super().__init__(extent, parameters, mild)
        self._searches = Searches() if searches is None else searches

    def _strict(self, body: int, quote: str) -> int:
        """Return where a string ends by Python's rules, -1 if it does not; a failed search is not repeated."""
        key = ("broken", quote)
        known = self._searches.known(key, body)
        if known is not None and body < known:
            self._look(known + 2)
            return -1
        end = strict_end(self.text, body, quote, self.limit)
        if end < 0:
            end = broken_at(self.text, body, quote, self.limit) if len(quote) == 1 else self.limit
            self._searches.keep(key, body, end)
            # If there is a backslash, the character after it has ended the string.
            self._look(end + 2)
            return -1
        self._look(end)
        return end

    def _string(self, frame: PythonFrame, at: int) -> None:
        """Read a string, or several that follow each other: Python joins them."""
        values: list[str] = []
        start = at
        end = at
        while True:
            opening = OPENING.match(self.text, at, self._stop_at)
            assert opening is not None, "a string begins here"
            value, end = self._one_string(frame, at, opening)
            values.append(value)
            self._at = end
            if self._cut:
                break
            following = self._skip(end)
            joined = OPENING.match(self.text, following, self._stop_at) if following < self._stop_at else None
            # A prefix cannot directly follow a string: there is one quote too many.
            if joined is None or (joined[1] and following == end):
                break
            at = following
        self._at = end
        self._attach(frame, self._string_node(Span(start, end), "".join(values) if len(values) > 1 else values[0]))

    def _one_string(self, frame: PythonFrame, at: int, opening: re.Match[str]) -> tuple[str, int]:
        """Return the value of one string token and the offset after it."""
        text = self.text
        prefix, quote = opening[1].lower(), opening[2]
        body = opening.end()
        long = len(quote) == 3
        raw = "r" in prefix
        surroundings = self._stop_at
        end = self._strict(body, quote)
        if end >= 0 and self._may_follow(end):
            content = decode(text, body, end - len(quote), raw=raw, long=long)
            self._report_string(content, at, end, prefix, opening)
            return content.value, end
        self._fault()
        self._stop_at = surroundings
        stop, missing = self._loose_end(frame, body, quote, end)
        content_end = stop if missing else stop - len(quote)
        content = decode(text, body, content_end, raw=raw, long=long)
        if missing:
            cut = self._skip(stop) >= self._stop_at
            self._cut = cut
            self._report(
                "unmatched-quote",
                body - len(quote),
                body,
                [insert(stop, quote)],
                missing="closing",
                truncated=cut,
                marker=quote,
                string=Span(at, stop),
            )
        else:
            self._inner_quotes(body, content_end, quote, at)
        self._report_string(content, at, stop, prefix, opening)
        return content.value, stop

    def _may_follow(self, end: int) -> bool:
        """Return whether a text can continue after the quote that ends at `end`."""
        if end >= self._stop_at and self.stop is not None:
            self._stop_at = self._next_stop(end)
        if _FOLLOWS.match(self.text, end, max(self._stop_at, end)) is not None:
            return True
        found = SPACE.match(self.text, end, self.limit)
        self._look((found.end() if found is not None else end) + MAX_AHEAD_LENGTH)
        return False

    def _loose_end(self, frame: PythonFrame, body: int, quote: str, strict: int) -> tuple[int, bool]:
        """Return where a string with wrong quotes ends, and whether its own quote is missing."""
        text, limit = self.text, self._stop_at
        self._look(limit)
        if frame.kind == "call":
            where = "listed" if self._stack[0].kind == "calls" else "lined"
        elif frame.kind == "{":
            where = "member" if frame.state == State.VALUE else "key" if frame.braces == "object" else "item"
        else:
            where = "item"
        goes_on = _GOES_ON[where]
        closing = (where, quote)
        if self._searches.known(closing, body) is None:
            first = next_quote(text, body, quote, limit)
            begins = self._begins_next(body, first, quote, goes_on)
            if begins >= 0:
                return begins, True
            if first >= 0 and strict < 0 and self._may_follow(first):
                return first, False
            end = first
            while end >= 0:
                if goes_on.match(text, end, limit) is not None:
                    return end, False
                end = next_quote(text, end, quote, limit)
            self._searches.keep(closing, body, len(text))
        if frame.kind == "{" and frame.state != State.VALUE and 0 <= strict <= limit:
            return strict, False
        # No quote ends it, but the closers of its surroundings at the very end.
        end = limit
        for owner in self._stack:
            closer = self.closers.get(owner.kind, "")
            back = self._back(end, body)
            if back <= body or text[back - 1] != closer:
                if owner.kind == "lines":
                    continue
                break
            end = back - 1
        else:
            return end, True
        return limit, True

    def _begins_next(self, body: int, quote_end: int, quote: str, goes_on: re.Pattern[str]) -> int:
        """Return where a string ends whose next quote begins another one; -1 if it does not."""
        if quote_end < 0 or len(quote) == 3:
            return -1
        text = self.text
        before = text[max(body, quote_end - 1 - _BEFORE) : quote_end - 1]
        found = _BEGINS_ARGUMENT.search(before)
        if found is not None:
            following = self._strict(quote_end, quote)
            if following < 0 or goes_on.match(text, following, max(self._stop_at, following)) is None:
                return -1
        else:
            found = _BEGINS_KEY.search(before)
            if found is None or _KEY_ENDS.match(text, quote_end, self._stop_at) is None:
                return -1
        return quote_end - 1 - (len(before) - found.start())

    def _inner_quotes(self, body: int, end: int, quote: str, at: int) -> None:
        """Report the quotes inside a string that should have a backslash."""
        offsets: list[int] = []
        place = next_quote(self.text, body, quote, end)
        while place >= 0:
            offsets.append(place - len(quote))
            place = next_quote(self.text, place, quote, end)
        if offsets:
            self._report(
                "unescaped-quote",
                offsets[0],
                offsets[0] + 1,
                [insert(offset, "\\") for offset in offsets],
                certain=True,
                offsets=tuple(offsets),
                string=Span(at, end + len(quote)),
                quote=quote[0],
            )

    def _report_string(self, content: Content, at: int, end: int, prefix: str, opening: re.Match[str]) -> None:
        """Report characters that Python does not allow in a string."""
        text, string = self.text, Span(at, end)
        if "b" in prefix or "f" in prefix:
            span = Span(at, at + len(prefix))
            self._report("unexpected-text", *span, [delete(*span)], certain=True, text=opening[1], prefix=True)
        if content.controls:
            first = content.controls[0]
            edits = [_control_edit(text, offset) for offset in content.controls]
            start = opening.end() if opening.end() < first else opening.end() - 1
            span = Span(min(start, first), first)
            self._report_controls(content.controls, string, span, edits, certain="r" not in prefix)
        if content.bad_escapes:
            self._report_places("bad-escape", content.bad_escapes, string, content.escape_edits)
        if content.surrogates or content.lone:
            value = string_literal(content.value) if not content.lone else None
            edits = [Edit(string, value)] if value is not None else []
            self._report_places("lone-surrogate", content.surrogates or [string], string, edits, certain=True)


def _control_edit(text: str, offset: int) -> Edit:
    if text.startswith("\r\n", offset):
        return Edit(Span(offset, offset + 2), "\\n")
    return Edit(Span(offset, offset + 1), "\\x00" if text[offset] == "\0" else "\\n")
