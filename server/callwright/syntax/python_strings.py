"""String literals of Python: where one ends, its value, and what Python does not allow in it.

Owns: the lexical side of strings, prefixes and escapes included. Must not know: what is around a string; callers decide
where a broken one ends.
"""

import re
from typing import Final

from callwright.syntax.json_strings import Content
from callwright.text.escapes import SPLIT_PAIR, of_halves
from callwright.text.python_literals import ESCAPE, LINE_END, meaning_of
from callwright.text.span import Span, insert

#: A string's prefix and its opening quote.
OPENING: Final = re.compile(r"([rRbBuUfF]{0,2}+)('''|\"\"\"|'|\")")
#: What is between the quotes, up to the first that closes; one-line strings hold no raw line break.
_BODIES: Final = {
    "'": re.compile(r"[^'\\\r\n\0]*+(?:\\(?:\r\n|[^\0])[^'\\\r\n\0]*+)*+'", re.DOTALL),
    '"': re.compile(r'[^"\\\r\n\0]*+(?:\\(?:\r\n|[^\0])[^"\\\r\n\0]*+)*+"', re.DOTALL),
    "'''": re.compile(r"[^'\\\0]*+(?:(?:\\[^\0]|'(?!''))[^'\\\0]*+)*+'''", re.DOTALL),
    '"""': re.compile(r'[^"\\\0]*+(?:(?:\\[^\0]|"(?!""))[^"\\\0]*+)*+"""', re.DOTALL),
}
#: The part of a one-line string before the place where it breaks off.
_UNENDED: Final = {quote: re.compile(_BODIES[quote].pattern.removesuffix(quote), re.DOTALL) for quote in ("'", '"')}
#: The next quote without a backslash before it.
_QUOTES: Final = {
    quote: re.compile(rf"[^{quote[0]}\\]*+(?:(?:\\.|{quote[0]}(?!{quote[1:]}))[^{quote[0]}\\]*+)*+{quote}", re.DOTALL)
    if len(quote) > 1
    else re.compile(rf"[^{quote}\\]*+(?:\\.[^{quote}\\]*+)*+{quote}", re.DOTALL)
    for quote in _BODIES
}
_ESCAPE: Final = re.compile(rf"{ESCAPE}|\\(?P<other>.)?|{LINE_END}", re.DOTALL)
_LINE_END: Final = re.compile(LINE_END)
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_FORBIDDEN: Final = re.compile(r"\\(?:\r\n|[^\0])|\r\n|[\r\n\0]", re.DOTALL)
_FORBIDDEN_LONG: Final = re.compile(r"\\[^\0]|\0", re.DOTALL)


#: Content with only the commonest escapes, which the C decoder knows as well.
_SIMPLE = re.compile(r"(?:[^\\\r\ud800-\udfff]++|\\[nrt\\'\"])*+")


def strict_end(text: str, start: int, quote: str, limit: int) -> int:
    """Return the offset after the quote that ends the string whose content begins at `start`, -1 if none does."""
    found = _BODIES[quote].match(text, start, limit)
    return found.end() if found is not None else -1


def broken_at(text: str, start: int, quote: str, limit: int) -> int:
    """Return where an unclosed one-line string whose content begins at `start` breaks off.

    That is at a line break, at a NUL character with or without a backslash, or at the end. A line break after a
    backslash belongs to the string.
    """
    found = _UNENDED[quote].match(text, start, limit)
    assert found is not None, "it matches nothing as well"
    return found.end()


def next_quote(text: str, start: int, quote: str, limit: int) -> int:
    """Return the offset after the next quote without a backslash before it, across line breaks as well; -1 if there is
    none."""
    found = _QUOTES[quote].match(text, start, limit)
    return found.end() if found is not None else -1


def decode(text: str, start: int, end: int, *, raw: bool, long: bool) -> Content:
    """Return the value of `text[start:end]`, the content of a string; `long` says that it has triple quotes.

    The spans of escaped surrogates are kept, and whether a lone one is left.
    """
    content = Content()
    part = text[start:end]
    forbidden = _FORBIDDEN_LONG if long else _FORBIDDEN
    if "\0" in part or (not long and ("\n" in part or "\r" in part)):
        # After a backslash, a line break is not part of the value.
        content.controls = [start + found.start() for found in forbidden.finditer(part) if found[0][0] != "\\"]
    if not raw and "\\" in part:
        if _SIMPLE.fullmatch(part) is not None:
            part = part.encode("latin-1", "backslashreplace").decode("unicode_escape")
        else:
            part = _decoded(part, start, content)
    elif "\r" in part:
        part = _LINE_END.sub("\n", part)
    if not part.isascii() and _SURROGATE.search(part) is not None:
        part = SPLIT_PAIR.sub(lambda pair: of_halves(*map(ord, pair[0])), part)
        content.lone = _SURROGATE.search(part) is not None
    content.value = part
    return content


def _decoded(part: str, start: int, content: Content) -> str:
    def meaning(escape: re.Match[str]) -> str:
        span = Span(start + escape.start(), start + escape.end())
        if escape.lastgroup in ("other", None):
            if (escape["other"] or "x") not in "xuUN":
                return escape[0]
        elif (meant := meaning_of(escape)) is not None:
            if "\ud800" <= meant < "\ue000" and escape.lastgroup in ("four", "eight"):
                content.surrogates.append(span)
            return meant
        content.bad_escapes.append(span)
        content.escape_edits.append(insert(span.start, "\\"))
        return escape[0]

    return _ESCAPE.sub(meaning, part)
