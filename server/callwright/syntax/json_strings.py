"""What is between the quotes of a JSON string: its value, and everything in it that JSON does not allow.

Owns: decoding of string content, tolerant of raw control characters, unknown escapes, bare quotes and lone surrogates.
Must not know: where a string ends; the reader decides that from what surrounds it.
"""

import re
from typing import Final

from callwright.text.escapes import JSON_ESCAPES, in_utf16, of_halves
from callwright.text.records import dataclass, field
from callwright.text.span import Edit, Span, delete, insert

_PLAIN: Final = re.compile(r"[^\"\\\x00-\x1f\ud800-\udfff]++")
_UNICODE: Final = re.compile(r"\\u([0-9a-fA-F]{4})")
_LOW: Final = re.compile(r"\\u([dD][c-fC-F][0-9a-fA-F]{2})")
_HEX: Final = re.compile(r"\\x([0-9a-fA-F]{2})")
_BRACED: Final = re.compile(r"\\u\{([0-9a-fA-F]{1,6})\}")


@dataclass(slots=True, eq=False)
class Content:
    """The content of one string: `value`, and the places that have to be written differently.

    `controls` are raw control characters that the string must not contain; `bad_escapes` the spans of escapes that the
    dialect does not have, `escape_edits` their corrections with the same value; `needless` the backslashes before a
    closer that is not a double quote; `quotes` unescaped double quotes; `surrogates` the spans of halves of pairs.
    `only_apostrophes` says whether every bad escape is `\\'`, `lone` whether `value` holds half a pair.
    """

    value: str = ""
    controls: list[int] = field(default_factory=list)
    bad_escapes: list[Span] = field(default_factory=list)
    escape_edits: list[Edit] = field(default_factory=list)
    needless: list[int] = field(default_factory=list)
    quotes: list[int] = field(default_factory=list)
    surrogates: list[Span] = field(default_factory=list)
    only_apostrophes: bool = True
    lone: bool = False


def read_content(text: str, start: int, end: int, closers: str = '"') -> Content:
    """Decode `text[start:end]`, the content of a string that any character of `closers` could have ended."""
    content = Content()
    parts: list[str] = []
    at = start
    while at < end:
        plain = _PLAIN.match(text, at, end)
        if plain is not None:
            parts.append(plain[0])
            at = plain.end()
            continue
        char = text[at]
        if char == "\\":
            piece, at = _read_escape(text, at, end, closers, content)
            parts.append(piece)
            continue
        if char == '"':
            content.quotes.append(at)
        elif char < " ":
            content.controls.append(at)
        else:
            content.surrogates.append(Span(at, at + 1))
        parts.append(char)
        at += 1
    content.value = "".join(parts)
    return content


def _read_escape(text: str, at: int, end: int, closers: str, content: Content) -> tuple[str, int]:
    """Return the value of the escape at `at` and the offset after it."""
    char = text[at + 1] if at + 1 < end else ""
    known = JSON_ESCAPES.get(char)
    if known is not None:
        return known, at + 2
    if char == "u":
        code = _UNICODE.match(text, at, end)
        if code is not None:
            return _read_unicode(text, code, end, content)
    if char and char in closers:
        content.needless.append(at)
        return char, at + 2
    value, after, edits = _fix_escape(text, at, end, char)
    content.bad_escapes.append(Span(at, max(after, at + 1)))
    content.escape_edits.extend(edits)
    if char != "'":
        content.only_apostrophes = False
    return value, after


def _read_unicode(text: str, code: re.Match[str], end: int, content: Content) -> tuple[str, int]:
    number = int(code[1], 16)
    if not 0xD800 <= number < 0xE000:
        return chr(number), code.end()
    low = _LOW.match(text, code.end(), end) if number < 0xDC00 else None
    if low is not None:
        return of_halves(number, int(low[1], 16)), low.end()
    content.surrogates.append(Span(code.start(), code.end()))
    return chr(number), code.end()


def _fix_escape(text: str, at: int, end: int, char: str) -> tuple[str, int, list[Edit]]:
    """Return value, end and repair of an escape that JSON does not have."""
    if char == "'":
        return "'", at + 2, [delete(at, at + 1)]
    if char == "x":
        code = _HEX.match(text, at, end)
        if code is not None:
            return chr(int(code[1], 16)), code.end(), [Edit(Span(at, code.end()), f"\\u00{code[1]}")]
    if char == "u":
        code = _BRACED.match(text, at, end)
        if code is not None and int(code[1], 16) < 0x110000:
            number = int(code[1], 16)
            return chr(number), code.end(), [Edit(Span(at, code.end()), in_utf16(chr(number)))]
    if char in ("\n", "\r"):
        # JavaScript and Python read a backslash at a line's end as "the line continues": both are removed.
        after = at + 3 if text.startswith("\r\n", at + 1) and at + 3 <= end else at + 2
        return "", after, [delete(at, after)]
    if not char or char < " " or "\ud800" <= char < "\ue000":
        return "\\", at + 1, [insert(at, "\\")]
    return "\\" + char, at + 2, [insert(at, "\\")]
