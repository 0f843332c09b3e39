"""String and template literals of JavaScript as projections.

Owns: the value of a literal of JavaScript or TypeScript, and how text is written in it. Must not know: where literals
are in a source.

The escapes are those of ECMA-262 (String Literals, Template Literal Lexical Components and Annex B,
https://tc39.es/ecma262/#sec-literals-string-literals); line ends of a template are LF in its value.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from callwright.text.escapes import SPLIT_PAIR, in_utf16, of_halves
from callwright.text.holes import has_hole
from callwright.text.source_literals import SourceLiteral, short_escape
from callwright.text.span import Edit, Span, apply_edits

_HIGH: Final = r"(?:u[dD][89abAB][0-9a-fA-F]{2}|u\{0*+[dD][89abAB][0-9a-fA-F]{2}\})"
_LOW: Final = r"(?:u[dD][c-fC-F][0-9a-fA-F]{2}|u\{0*+[dD][c-fC-F][0-9a-fA-F]{2}\})"
_CONTINUED: Final = r"\\(?:\r\n|[\r\n\u2028\u2029])"
_COMMON: Final = (
    rf"(?P<pair>{_HIGH}(?:{_CONTINUED})*+\\{_LOW})|x(?P<hex>[0-9a-fA-F]{{2}})|u(?P<four>[0-9a-fA-F]{{4}})"
    r"|u\{(?P<point>0*+(?:10[0-9a-fA-F]{4}|[0-9a-fA-F]{1,5}))\}|(?P<line>\r\n|[\r\n\u2028\u2029])"
)
_STRING: Final = re.compile(rf"\\(?:{_COMMON}|(?P<octal>[0-3][0-7]{{0,2}}|[4-7][0-7]?)|(?P<other>[^xu]))", re.DOTALL)
#: Templates do not accept octal escapes, except NUL.
_TEMPLATE: Final = re.compile(rf"\\(?:{_COMMON}|(?P<octal>0)(?![0-9])|(?P<other>[^xu0-9]))|(?P<end>\r\n?)", re.DOTALL)
_RAW: Final = re.compile(r"(?P<end>\r\n?)")
_PLAIN: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_WRITTEN: Final = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f", "\v": "\\v"}
#: What the next characters could yet make an escape of: a backslash that means itself, and what follows it.
_UNFINISHED: Final = re.compile(r"\\(?:x[0-9a-fA-F]?|u(?:[0-9a-fA-F]{0,3}|\{[0-9a-fA-F]{0,20})|[0-9])?\Z")
_MAX_UNFINISHED_LENGTH: Final = 24
_RAW_CONTENT: Final = re.compile(r"(?:[^`\\$]++|\\[\s\S]|\$(?!\{))*+")
_NEVER_RAW: Final = re.compile(r"[\r\ud800-\udfff]")


class JavaScriptString(SourceLiteral):
    """The text between the quotes of a JavaScript string, or between the backticks of a template.

    Text is written with the fewest escapes: a line break as `\\n` in a string and as itself in a template, all that is
    not ASCII as escapes where the literal already does so. `is_raw` says that it is a template after `String.raw`,
    which rejects text that it cannot represent.
    """

    def __init__(
        self, raw: str, start: int, quote: str = '"', *, is_raw: bool = False, fields: Sequence[Span] = ()
    ) -> None:
        self.quote = quote
        self.is_raw = is_raw
        self.escapes = _RAW if is_raw else _TEMPLATE if quote == "`" else _STRING
        super().__init__(raw, start, fields)

    def meaning(self, escape: re.Match[str]) -> str:
        """Return the value of an escape or a template's line end."""
        kind = escape.lastgroup
        if kind == "end":
            return "\n"
        if kind == "line":
            return ""
        if kind == "other":
            return _PLAIN.get(escape["other"], escape["other"])
        if kind == "octal":
            return chr(int(escape["octal"], 8))
        if kind == "pair":
            halves = escape["pair"].split("\\")
            high, low = (int(half.strip("u{}"), 16) for half in (halves[0], halves[-1]))
            return of_halves(high, low)
        return chr(int(escape[kind or 0], 16))

    def reach(self, span: Span, text: str) -> Span:
        """Return the span with a dollar sign before it that a brace would turn into an expression, and incomplete
        escapes before it."""
        start, end = span
        whole = self.text
        if self.quote == "`":
            following = (text or whole[end : end + 1])[:1]
            if following == "{" and start and whole[start - 1] == "$" and self.raw_of(start) == "$":
                start -= 1
            before = (text or whole[max(start - 1, 0) : start] if start == span.start else text or "$")[-1:]
            if before == "$" and whole[end : end + 1] == "{" and self.raw_of(end + 1) == "{":
                end += 1
        if not self.is_raw:
            start = self._whole_escape(start, (text or whole[end : end + 1])[:1])
        while start and self.raw_of(start) == "\r":
            start -= 1
        return Span(start, end)

    def _whole_escape(self, start: int, following: str) -> int:
        before = self.text[max(start - _MAX_UNFINISHED_LENGTH, 0) : start]
        unfinished = _UNFINISHED.search(before)
        if unfinished is not None:
            backslash = start - len(unfinished[0])
            if self.raw_of(backslash + 1) == "\\":
                return backslash
        written = self.raw_of(start)
        if following and following in "0123456789" and written[:1] == "\\" and written[1:].isdigit():
            return start - 1
        return start

    def escape(self, text: str, *, at_end: bool = False) -> str | None:
        """Return `text` as it is between the quotes, None where it cannot."""
        del at_end
        if self.is_raw:
            return text
        if SPLIT_PAIR.search(text):
            return None
        return _must_escape(self.quote, ascii_only=self.ascii_only).sub(_escaped, text)

    def verified(self, raw: Edit, decoded: Edit) -> Edit | None:
        """Return the raw edit; None if lone surrogates would meet, or the value of a raw template would differ."""
        (start, end), text = decoded
        if SPLIT_PAIR.search(self.text[max(start - 1, 0) : start] + text + self.text[end : end + 1]):
            return None
        if not self.is_raw:
            return raw
        if _NEVER_RAW.search(text) is not None or has_hole(text):
            return None
        content = apply_edits(self.raw, [Edit(raw.span.shift(-self.start), raw.text)])
        # The expressions are kept; the text between them may neither end the template nor begin an expression.
        shift, at = raw.span.start - self.start + len(raw.text) - (raw.span.end - self.start), 0
        for field in self.fields:
            moved = field if field.start < raw.span.start - self.start else field.shift(shift)
            if _RAW_CONTENT.fullmatch(content, at, moved.start) is None:
                return None
            at = moved.end
        return raw if _RAW_CONTENT.fullmatch(content, at) is not None else None


@lru_cache(maxsize=8)
def _must_escape(quote: str, *, ascii_only: bool) -> re.Pattern[str]:
    """Return the pattern of characters that a literal cannot contain unescaped."""
    own = r"`\r\x00-\x08\x0b-\x1f\x7f" if quote == "`" else rf"{quote}\x00-\x1f\x7f\u2028\u2029"
    rest = r"\x80-\U0010ffff" if ascii_only else r"\ud800-\udfff"
    dollar = r"|\$(?=\{)" if quote == "`" else ""
    return re.compile(rf"[\\{own}{rest}]{dollar}")


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    return short_escape(character, "'\"`$", _WRITTEN) or in_utf16(character)
