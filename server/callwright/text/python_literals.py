"""String literals of Python as projections: escapes, raw strings, triple quotes, the text of f-strings.

Owns: the value of a literal of Python, and how text is written in it. Must not know: where literals are in a source.

The escapes are those of the language reference (Lexical analysis, "String and bytes literals",
https://docs.python.org/3/reference/lexical_analysis.html).
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from callwright.text.escapes import PYTHON_ESCAPES
from callwright.text.source_literals import SourceLiteral, short_escape
from callwright.text.span import Edit, Span, apply_edits

#: What Python reads as a line end in a source, beside LF.
LINE_END: Final = r"(?P<end>\r\n?)"
_BRACES: Final = r"(?P<brace>\{\{|\}\})"
#: A valid escape of Python, by its form.
ESCAPE: Final = (
    r"\\(?:(?P<plain>[\\'\"abfnrtv])|(?P<line>\r\n|[\r\n])|(?P<octal>[0-7]{1,3})|x(?P<hex>[0-9a-fA-F]{2})"
    r"|u(?P<four>[0-9a-fA-F]{4})|U(?P<eight>[0-9a-fA-F]{8})|N\{(?P<name>[^{}\r\n]{1,100})\})"
)
_ESCAPES: Final = {
    (False, False): re.compile(f"{ESCAPE}|{LINE_END}"),
    (False, True): re.compile(f"{ESCAPE}|{LINE_END}|{_BRACES}"),
    (True, False): re.compile(LINE_END),
    (True, True): re.compile(f"{LINE_END}|{_BRACES}"),
}
_WRITTEN: Final = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
#: Text that further characters could turn into an escape: a literal backslash, and what follows it.
_UNFINISHED: Final = re.compile(
    r"\\(?:x[0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7}|N(?:\{[^{}\\\r\n]{0,100})?)?\Z"
)
_MAX_UNFINISHED_LENGTH: Final = 104
_SHORT_OCTAL: Final = re.compile(r"\\[0-7]{1,2}")
_CONTROL: Final = r"\x00-\x08\x0b-\x1f\x7f"


class PythonString(SourceLiteral):
    """The text between the quotes of a Python string, with its `quote` and prefix.

    Invariant: the text is that of `ast.literal_eval`, if that accepts the literal. Text is written with the fewest
    escapes: a line break as `\\n` in a string of one line and as itself in one with triple quotes, all that is not
    ASCII as escapes where the literal already does so. A raw string rejects text that it cannot represent.
    """

    def __init__(
        self,
        raw: str,
        start: int,
        quote: str = '"',
        *,
        is_raw: bool = False,
        formatted: bool = False,
        fields: Sequence[Span] = (),
    ) -> None:
        self.quote = quote
        self.is_raw = is_raw
        self.formatted = formatted
        self.escapes = _ESCAPES[is_raw, formatted]
        super().__init__(raw, start, fields)

    def meaning(self, escape: re.Match[str]) -> str:
        """Return the value of an escape, a line end or a doubled brace."""
        if escape.lastgroup == "brace":
            return escape[0][0]
        meant = meaning_of(escape)
        return escape[0] if meant is None else meant

    def reach(self, span: Span, text: str) -> Span:
        """Return the span with the quotes that would be too many together, and the halves of escapes before it."""
        (start, end), whole = span, self.text
        if len(self.quote) == 3 and not self.is_raw:
            marker = self.quote[0]
            first = (text or whole[end : end + 1])[:1]
            last = (text or whole[max(start - 1, 0) : start])[-1:]
            if first == marker or (not text and end == len(whole)):
                while start and whole[start - 1] == marker:
                    start -= 1
            if last == marker:
                while end < len(whole) and whole[end] == marker:
                    end += 1
        if not self.is_raw:
            start = self._whole_escape(start, (text or whole[end : end + 1])[:1])
        while start and self.raw_of(start) == "\r":
            # A line feed after it would become a part of the same line end.
            start -= 1
        if self.formatted:
            # A single brace where two are required.
            start -= whole[max(start - 1, 0) : start] == self.raw_of(start) in ("{", "}")
            end += whole[end : end + 1] in ("{", "}") and len(self.raw_of(end + 1)) == 1
        return Span(start, end)

    def _whole_escape(self, start: int, following: str) -> int:
        before = self.text[max(start - _MAX_UNFINISHED_LENGTH, 0) : start]
        unfinished = _UNFINISHED.search(before)
        if unfinished is not None:
            backslash = start - len(unfinished[0])
            if self.raw_of(backslash + 1) == "\\":
                return backslash
        if following and following in "01234567" and _SHORT_OCTAL.fullmatch(self.raw_of(start)) is not None:
            return start - 1
        return start

    def escape(self, text: str, *, at_end: bool = False) -> str | None:
        """Return `text` as it is between the quotes, None if a raw string cannot represent it."""
        if self.formatted:
            text = text.replace("{", "{{").replace("}", "}}")
        if self.is_raw:
            return text
        escaped = _must_escape(self.quote, ascii_only=self.ascii_only).sub(_escaped, text)
        if len(self.quote) == 3:
            marker = self.quote[0]
            escaped = escaped.replace(self.quote, f"{marker * 2}\\{marker}")
            if at_end and (len(text) - len(text.rstrip(marker))) % 3:
                # A bare quote would be the first of those that end the string.
                escaped = f"{escaped[:-1]}\\{marker}"
        return escaped

    def verified(self, raw: Edit, decoded: Edit) -> Edit | None:
        """Return the raw edit; of a raw string, None where the quotes would then are around something else."""
        if not self.is_raw:
            return raw
        if _NEVER_RAW.search(decoded.text) is not None or (len(self.quote) == 1 and "\n" in decoded.text):
            return None
        content = apply_edits(self.raw, [Edit(raw.span.shift(-self.start), raw.text)])
        return raw if _RAW_CONTENT[self.quote].fullmatch(content) is not None else None


_NEVER_RAW: Final = re.compile(r"[\r\0\ud800-\udfff]")
#: The possible content of a raw string; a backslash keeps the character after it from ending the string.
_RAW_CONTENT: Final = {
    "'": re.compile(r"(?:[^'\\\r\n]++|\\(?:\r\n|[\s\S]))*+"),
    '"': re.compile(r'(?:[^"\\\r\n]++|\\(?:\r\n|[\s\S]))*+'),
    "'''": re.compile(r"(?:[^'\\]++|\\[\s\S]|'(?!''|'?\Z))*+"),
    '"""': re.compile(r'(?:[^"\\]++|\\[\s\S]|"(?!""|"?\Z))*+'),
}


@lru_cache(maxsize=8)
def _must_escape(quote: str, *, ascii_only: bool) -> re.Pattern[str]:
    """Return the pattern of characters that a literal cannot contain unescaped, including line breaks and tabs of
    one-line strings."""
    own = rf"\n\t{quote}" if len(quote) == 1 else ""
    rest = r"\x80-\U0010ffff" if ascii_only else r"\ud800-\udfff"
    return re.compile(rf"[\\{_CONTROL}{own}{rest}]")


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    short = short_escape(character, "'\"", _WRITTEN)
    if short is not None:
        return short
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def meaning_of(escape: re.Match[str]) -> str | None:
    """Return the value of a match of `ESCAPE` or `LINE_END`; None if no character has its code or name."""
    kind = escape.lastgroup
    if kind == "end":
        # Python reads every line end of a source as LF.
        return "\n"
    if kind == "plain":
        return PYTHON_ESCAPES[escape["plain"]]
    if kind == "line":
        return ""
    if kind == "octal":
        return chr(int(escape["octal"], 8))
    if kind == "name":
        return _named(escape["name"])
    number = int(escape[kind or 0], 16)
    return chr(number) if number < 0x110000 else None


@lru_cache(maxsize=256)
def _named(name: str) -> str | None:
    """Return the character of a Unicode name, None if no character has it."""
    import unicodedata  # a table of a megabyte that texts rarely need

    try:
        found = unicodedata.lookup(name)
    except (KeyError, ValueError):
        return None
    return found if len(found) == 1 else None
