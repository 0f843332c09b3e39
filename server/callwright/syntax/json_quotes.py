"""The strings of invalid JSON: where each of them ends, with any quotes.

Owns: `JsonQuotes`. Must not know: words, runs of brackets.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import TYPE_CHECKING, Final

from callwright.syntax.json_strings import Content, read_content
from callwright.syntax.json_text import KEY_AHEAD, JsonText, shorten
from callwright.text.holes import HOLE
from callwright.text.line_ends import first_line_end
from callwright.text.patterns import compile_later
from callwright.text.projection import encode_json_string
from callwright.text.span import Edit, Span, delete, insert

if TYPE_CHECKING:
    from callwright.syntax.value_tree import Extent, OpenValue

_SHORT_LOOK: Final = 20
#: The number of rejected quotes after which a string ends at the first quote that may end it.
_MAX_NOT_FOUND: Final = 2_000

STRING: Final = compile_later(r'"(?:[^"\\\x00-\x1f]++|\\[^\x00-\x1f])*+"')
CLOSERS: Final = compile_later(r"[}\]](?:[ \t\r\n]*+[}\]])*+")
#: How far the end of a comment after a string is searched, and what ends it.
_MAX_COMMENT_LENGTH: Final = 200
_LINE_END: Final = compile_later(r"[\r\n]")
_BLOCK_END: Final = compile_later(r"\*/")
_NEXT_KEY: Final = compile_later(r"\"[\w$.-]{1,160}+\"[ \t\r\n]*+:")
_ITEM_AHEAD: Final = compile_later(
    r"[\[{]|\"(?:[^\"\\\n]|\\.){0,160}+\"[ \t\r\n]*+[,\]\"\-0-9tfnTFN\[{]"
    r"|(?:-?[0-9][\w.+-]*+|true|false|null|True|False|None)[ \t\r\n]*+[,\]]"
)
_STRING_AHEAD: Final = compile_later(r"\"(?:[^\"\\\n]|\\.){0,160}+\"[ \t\r\n]*+[,}]")
_KEY_GOES_ON: Final = compile_later(r"(?:[^\",:{}\[\]\n\\]|\\[^\"\r\n]){1,80}+\"[ \t]*+:")
_OPEN_KEY: Final = compile_later(r"[\"'“”]([\w$.-]{1,80}+)[ \t]*+:")
_FIRST_LINE: Final = compile_later(r"[^\"\\\r\n]*+(?:\\[^\r\n][^\"\\\r\n]*+)*+(?=[\r\n])")
_SCRAP: Final = compile_later(r"[^\",:{}\[\]\r\n]{1,40}+,")
ASSIGN: Final = compile_later(r":?=>?|->|;")
_MARKERS: Final = {
    '"': re.compile(r'\\[\s\S]|"'),
    "'": re.compile(r"\\[\s\S]|'"),
    "`": re.compile(r"\\[\s\S]|`"),
    "“": re.compile(r'\\[\s\S]|[”“„‟"]'),
    "‘": re.compile(r"\\[\s\S]|[’‘‚‛']"),
    "«": re.compile(r"\\[\s\S]|»"),
}
OPENERS: Final = {
    '"': '"',
    "'": "'",
    "`": "`",
    "“": "“",
    "”": "“",
    "„": "“",
    "‟": "“",
    "‘": "‘",
    "’": "‘",
    "‚": "‘",
    "‛": "‘",
    "«": "«",
}
_CLOSING_CHARS: Final = {'"': '"', "'": "'", "`": "`", "“": "”“„‟", "‘": "’‘‚‛'", "«": "»"}
_SMART_CLOSER: Final = compile_later("[”“]")


class Follow(Enum):
    """What a quote is, by the text after it."""

    YES = auto()  # it ends the string
    END = auto()  # nothing follows at all
    WEAK = auto()  # a separator follows, but nothing that belongs after one
    COLON = auto()  # a colon follows where a value would end
    NO = auto()


class JsonQuotes(JsonText):
    """Reads strings: where each of them ends, with any quotes."""

    _dangling = False  # the text ends inside a string
    _unclosed_at = -1  # the latest string whose end was not found
    _not_found = 0  # quotes that were examined after those that closed the strings

    def __init__(self, extent: Extent, failed_at: int | None, patience: int | None = None) -> None:
        super().__init__(extent, failed_at, patience)
        self._escaped_strings: list[tuple[Span, list[Edit], bool]] = []  # their repairs, whether those are certain

    def _read_string_value(self, frame: OpenValue, at: int) -> None:
        if frame.kind == "":
            colon = _OPEN_ROOT_KEY.match(self.text, at, self._stop_at)
            if colon is not None:
                self._report("missing-opener", at, at + 1, [insert(at, "{")], text="{")
                self._open("object", at)
                return
        value, end = self._read_string(at, frame.kind)
        self._take("string", at, end, value)

    def _read_string(self, at: int, context: str) -> tuple[str, int]:
        """Return value and end of the string that opens at `at`; `context` is where: key, object, array or root."""
        text = self.text
        char = text[at]
        if text.startswith(char * 3, at, self.limit) and char in "\"'":
            tripled = self._read_triple(at, char * 3)
            if tripled is not None:
                return tripled
        if char == '"':
            string = STRING.match(text, at, self.limit)
            if string is not None:
                end = string.end()
                self._look(end)
                follow = self._follow(end, context)
                crossing = end > self._stop_at
                if follow in (Follow.YES, Follow.END) or (
                    follow in (Follow.WEAK, Follow.COLON) and not crossing and not self._looks_open(at, context)
                ):
                    part = text[at + 1 : end - 1]
                    if "\\" not in part and part.isascii():
                        return part, end
                    return self._close(at, at + 1, end - 1, end, [])
        if context != "key":
            open_end = self._ends_on_first_line(at, context)
            if open_end is not None:
                return self._unclosed(at, open_end)
        else:
            key = _OPEN_KEY.match(text, at, self._stop_at)
            if key is not None:
                return self._unclosed(at, key.end(1))
        return self._search_end(at, context)

    def _looks_open(self, at: int, context: str) -> bool:
        """Return whether a key such as `"path: 1` has lost its closing quote."""
        return context == "key" and _OPEN_KEY.match(self.text, at, self._stop_at) is not None

    def _ends_on_first_line(self, at: int, context: str) -> int | None:
        """Return where a string without a quote on its line ends, if the next line continues with JSON."""
        if context == "":
            return None
        line = _FIRST_LINE.match(self.text, at + 1, self._stop_at)
        if line is None:
            return None
        if self.text[at] != '"' and any(closer in line[0] for closer in _CLOSING_CHARS[OPENERS[self.text[at]]]):
            # Closed on its line, with other quotes than JSON's.
            return None
        below = self._space(line.end())
        written = line[0].rstrip()
        end = at + 1 + len(written)
        if written.endswith(","):
            ahead = self._ahead(below)
            if ahead == "k" if context == "object" else ahead == "v":
                return end - 1
        closers = CLOSERS.match(self.text, below, self._stop_at)
        if closers is not None and self._is_end(closers.end(), self._space(closers.end())):
            return end - 1 if written.endswith(",") else end
        return None

    def _search_end(self, at: int, context: str) -> tuple[str, int]:
        """Examine quotes in order until one ends the string that opens at `at`."""
        text = self.text
        style = OPENERS[text[at]]
        stop_at = self._stop_at
        inner: list[int] = []
        fallback: tuple[int, int] | None = None
        patient = self._not_found < _MAX_NOT_FOUND
        for symbol in _MARKERS[style].finditer(text, at + 1, self.limit):
            if text[symbol.start()] == "\\":
                continue
            quote = symbol.start()
            end = quote + 1
            self._look(end)
            follow = self._follow(end, context)
            if follow in (Follow.YES, Follow.END):
                return self._close(at, at + 1, quote, end, inner)
            if quote >= stop_at:
                break
            even = not len(inner) & 1
            if follow is Follow.NO and not inner and context == "object":
                lost = self._lost_quote(at, quote, style)
                if lost is not None:
                    return self._unclosed(at, lost)
            if follow is not Follow.NO and even:
                return self._close(at, at + 1, quote, end, inner)
            if follow is Follow.WEAK and fallback is None:
                fallback = (quote, len(inner))
            inner.append(quote)
            if not len(inner) & 255:
                self.budget.check()
            if fallback is not None and not patient:
                break
        else:
            self._look(self.limit)
        if fallback is not None:
            self._not_found += len(inner) - fallback[1]
            return self._close(at, at + 1, fallback[0], fallback[0] + 1, inner[: fallback[1]])
        return self._unclosed(at, None, context)

    def _lost_quote(self, at: int, quote: int, style: str) -> int | None:
        """Return where a string's quote is missing: `"a": "x, "b": 1`, where the first quote inside begins the next
        key."""
        if style != '"' or _NEXT_KEY.match(self.text, quote, self.limit) is None:
            return None
        end = self._back(quote, at + 1)
        return end - 1 if end > at + 2 and self.text[end - 1] == "," else None

    def _follow(self, end: int, context: str) -> Follow:
        """Return whether the quote before `end` closes a string, by the text after it."""
        text = self.text
        at = self._space(end)
        self._look(at + 1)
        if self._is_end(end, at):
            return Follow.END
        char = text[at]
        if context == "key":
            return self._follow_key(end, at, char)
        if context == "":
            return Follow.YES if char in ",:}]" else Follow.NO
        if char == ",":
            return self._follow_comma(self._space(at + 1), context)
        if char in "}]":
            closers = CLOSERS.match(text, at, self.limit)
            after = closers.end() if closers is not None else at + 1
            following = self._space(after)
            self._look(following + 1)
            if self._is_end(after, following) or text[following] in f",{HOLE}…":
                return Follow.YES
            return Follow.YES if self._ahead(following) in "ok" else Follow.WEAK
        if char == ":":
            return Follow.COLON
        if char in f"{HOLE}…" or text.startswith("...", at, self.limit):
            return Follow.YES
        if text.startswith(("//", "/*"), at, self.limit) or (char == "#" and at > end):
            return self._follow_comment(at, context)
        if char == "+" and self._char(self._space(at + 1)) in ('"', "'"):
            return Follow.YES
        self._look(at + 200)
        if char == ";":
            ahead = self._ahead(self._space(at + 1))
            if ahead == "c":
                return Follow.WEAK
            return Follow.YES if ahead == ("k" if context == "object" else "v") else Follow.NO
        if context == "object":
            bare = char not in "\"'“”„"
            if KEY_AHEAD.match(text, at, self.limit) and (not bare or "\n" in text[end:at]):
                return Follow.YES
            if at > end and _STRING_AHEAD.match(text, at, self.limit):
                return Follow.WEAK
            scrap = _SCRAP.match(text, at, self.limit)
            if scrap is not None and self._ahead(self._space(scrap.end())) == "k":
                return Follow.WEAK
        elif at > end and _ITEM_AHEAD.match(text, at, self.limit):
            return Follow.YES
        return Follow.NO

    def _follow_key(self, end: int, at: int, char: str) -> Follow:
        if char == ":" or char == HOLE or ASSIGN.match(self.text, at, self.limit):
            return Follow.YES
        goes_on = _KEY_GOES_ON.match(self.text, end, self.limit) if char not in ",}]" else None
        if goes_on is not None:
            self._look(max(end + 100, goes_on.end()))
            return Follow.NO
        return Follow.WEAK

    def _follow_comment(self, at: int, context: str) -> Follow:
        """Classify by the text after a comment: code in a string has comments, too, and continues unlike JSON."""
        stop = min(at + _MAX_COMMENT_LENGTH, self.limit)
        self._look(stop)
        match = (_BLOCK_END if self.text.startswith("/*", at) else _LINE_END).search(self.text, at + 1, stop)
        after = self._space(match.end()) if match is not None else stop
        self._look(after + 1)
        if match is None or self._is_end(match.end(), after):
            # The string's own end may be in what was read as a comment.
            return Follow.WEAK if '"' in self.text[at : match.start() if match is not None else stop] else Follow.YES
        if self.text[after] in ",}]#/:":
            return Follow.YES
        return Follow.YES if self._ahead(after) == ("k" if context == "object" else "v") else Follow.WEAK

    def _follow_comma(self, at: int, context: str) -> Follow:
        ahead = self._ahead(at)
        if ahead in "eoc":
            return Follow.YES
        if context == "object":
            return Follow.YES if ahead == "k" else Follow.WEAK
        return Follow.YES if ahead == "v" or self.text[at] in OPENERS else Follow.WEAK

    def _close(self, at: int, start: int, stop: int, end: int, inner: list[int]) -> tuple[str, int]:
        """Read a string whose content is `text[start:stop]` and whose closing quote ends at `end`."""
        style = OPENERS[self.text[at]]
        content = read_content(self.text, start, stop, _CLOSING_CHARS[style])
        if style == '"':
            if content.quotes:
                self._report(
                    "unescaped-quote",
                    content.quotes[0],
                    content.quotes[0] + 1,
                    [insert(quote, "\\") for quote in content.quotes],
                    certain=not (len(inner) & 1 or any(map(self._separates, content.quotes))),
                    offsets=tuple(content.quotes),
                    string=Span(at, end),
                )
        else:
            self._report(
                {"'": "single-quotes", "`": "single-quotes"}.get(style, "smart-quotes"),
                at,
                end,
                self._requote(at, start, stop, end, content),
                # Back-ticks around lines are those of a fence, not of a string.
                certain=style != "`" or not (content.controls or self.text.startswith("``", at)),
                quote=self.text[at],
            )
        self._report_content(at, end, content)
        return content.value, end

    def _separates(self, quote: int) -> bool:
        """Return whether a quote inside a string is beside a separator, like one that begins or ends a string."""
        after = self._space(quote + 1)
        if self._char(after) in (*",:}]",):
            return True
        before = self.text[max(quote - _SHORT_LOOK, 0) : quote].rstrip()
        return before[-1:] in (*",:{[",)

    def _requote(self, at: int, start: int, stop: int, end: int, content: Content) -> list[Edit]:
        edits = [Edit(Span(at, start), '"')]
        edits += [insert(quote, "\\") for quote in content.quotes]
        edits += [delete(place, place + 1) for place in content.needless]
        edits.append(Edit(Span(stop, end), '"'))
        return edits

    def _report_content(self, at: int, end: int, content: Content) -> None:
        text, string = self.text, Span(at, end)
        if content.controls:
            first = content.controls[0]
            span = Span(at, first) if text[first] in "\r\n" else Span(first, first + 1)
            edits = [Edit(Span(place, place + 1), encode_json_string(text[place])) for place in content.controls]
            self._report_controls(content.controls, string, span, edits, certain=True)
        if content.bad_escapes:
            certain = content.only_apostrophes
            self._report_places("bad-escape", content.bad_escapes, string, content.escape_edits, certain=certain)
        if content.surrogates:
            edits = [Edit(span, "\\ufffd") for span in content.surrogates]
            self._report_places("lone-surrogate", content.surrogates, string, edits)

    def _unclosed(self, at: int, end: int | None, context: str = "object") -> tuple[str, int]:
        """Read an unclosed string, up to `end` or, if that is None, to where it must have ended."""
        text = self.text
        style = OPENERS[text[at]]
        truncated = False
        if end is None:
            self._unclosed_at = at
            end, closed = self._last_chance(at, context, style)
            if closed:
                return self._close_smart(at, end)
            truncated = self._stop_at >= self.limit and end + 1 >= self.limit
            if end >= self._stop_at or not text[end : self._stop_at].strip():
                self._dangling = True
        content = read_content(text, at + 1, end, _CLOSING_CHARS[style])
        edits = [] if style == '"' else [Edit(Span(at, at + 1), '"')]
        edits += [insert(quote, "\\") for quote in content.quotes]
        edits += [delete(place, place + 1) for place in content.needless]
        edits.append(insert(end, '"'))
        if context == "key":
            edits = []  # where the key ends and its value begins is not known
        self._report(
            "unmatched-quote",
            at,
            at + 1,
            edits,
            missing="closing",
            truncated=truncated,
            string=Span(at, end),
        )
        self._report_content(at, end, content)
        return content.value, end

    def _last_chance(self, at: int, context: str, style: str) -> tuple[int, bool]:
        """Return where an unclosed string ends, and whether a typographic quote there was meant to close it."""
        text, bound = self.text, self._stop_at
        if style == '"':
            for symbol in _SMART_CLOSER.finditer(text, at + 1, bound):
                if self._follow(symbol.end(), context) is Follow.YES:
                    return symbol.start(), True
        end = self._back(bound, at + 1)
        if bound >= self.limit and self.stop is None and end < bound and "\n" not in text[end:bound]:
            end = bound
        needed = self._needed()
        place, count = end, 0
        while place > at + 1 and count < len(needed) and text[place - 1] in "}] \t\r\n":
            place -= 1
            count += text[place] in "}]"
        written = "".join(char for char in text[place:end] if char in "}]")
        if needed and written == needed:
            end = self._back(place, at + 1)
        return end, False

    def _close_smart(self, at: int, quote: int) -> tuple[str, int]:
        """Read a string that a typographic quote at `quote` closes."""
        content = read_content(self.text, at + 1, quote)
        edits = [insert(place, "\\") for place in content.quotes]
        edits.append(Edit(Span(quote, quote + 1), '"'))
        self._report("smart-quotes", quote, quote + 1, edits, certain=not content.quotes, quote=self.text[quote])
        self._report_content(at, quote + 1, content)
        return content.value, quote + 1

    def _read_triple(self, at: int, markers: str) -> tuple[str, int] | None:
        """Read a Python string in three quotes, or return None if it is an empty string and other text."""
        close = self.text.find(markers, at + 3, self.limit)
        if close < 0:
            self._look(self.limit)
            return None
        end = close + 3
        while self.text.startswith(markers[0], end, self.limit) and end < self.limit and end - close < 5:
            end += 1  # a quote in front of the closing three belongs to the content
        content = read_content(self.text, at + 3, end - 3, markers[0] if markers[0] == "'" else '"')
        self._report(
            "triple-quotes",
            at,
            at + 3,
            self._requote(at, at + 3, end - 3, end, content),
            certain=True,
            quote=markers,
            string=Span(at, end),
        )
        self._report_content(at, end, content)
        return content.value, end

    def _read_escaped_string(self, at: int) -> None:
        """Read a string whose own quotes are escaped: `\\"text\\"`."""
        value, end = self._escaped_string(at)
        self._take("string", at, end, value)

    def _escaped_string(self, at: int) -> tuple[str, int]:
        text = self.text
        quote = text.find('"', at + 2, self._stop_at)
        # Only the first quote counts: a line with many such strings is scanned once.
        line = first_line_end(text, at + 2, quote if quote >= 0 else self._stop_at)
        close = quote - 1
        if line >= 0 or close < at + 2 or text[close] != "\\":
            close = min((place for place in (quote, line) if place >= 0), default=self._stop_at)
            end = close + 1 if close == quote else close
            edits = [delete(at, at + 1)] if close == quote else [delete(at, at + 1), insert(close, '"')]
        else:
            end = close + 2
            edits = [delete(at, at + 1), delete(close, close + 1)]
        content = read_content(text, at + 2, close)
        plain = len(edits) == 2 and end == close + 2 and "\\" not in text[at + 2 : close]
        self._escaped_strings.append((Span(at, end), edits, plain))
        self._report_content(at, end, content)
        return content.value, end

    def _report_escaped_strings(self) -> None:
        """Report once that strings have backslashes in front of their quotes: fixing one alone helps no parser.

        If another error is guessed, the text may end elsewhere without the backslashes, so nothing is certain.
        """
        if not self._escaped_strings:
            return
        spans, repairs, certain = zip(*self._escaped_strings, strict=True)
        first = spans[0]
        edits = [edit for repair in repairs for edit in repair]
        shown = shorten(first.of(self.text))
        is_certain = all(certain) and all(problem.certain for problem in self.problems)
        self._report("escaped-quotes", first.start, first.end, edits, certain=is_certain, text=shown, spans=spans)


_OPEN_ROOT_KEY: Final = compile_later(r"(?:\"(?:[^\"\\\n]|\\.){0,160}+\"|'[^'\n]{0,160}+')[ \t\r\n]*+:")
