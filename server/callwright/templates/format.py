"""The `format` template language: `str.format` and the text of f-strings.

Owns: distinguishing a replacement field from braces that are text. Must not know: other languages, Python source.
"""

import re
from collections.abc import Iterator
from typing import Final

from callwright.templates.base import Tag, TagKind, Template

#: Braces, and blank lines, which end what is counted of them.
_MARKER: Final = re.compile(r"[{}]|(?<=[\r\n])(?!(?<=\r)\n)[ \t]*+(?:\r\n|\n|\r)")
#: How a field begins: with nothing, a number or a name, perhaps after a space; not with a quoted key.
_BEGIN: Final = re.compile(r"[ \t]*+(?:[^\W\d][\w.]*+|\d{1,10}+)?+[ \t]*+(?=[\[({}:!.,=|+\-*/%<>&]|[^\W\d]|\d)")
_TOKEN: Final = re.compile(r"[{}\"'\r\n]")
_STRING: Final = {
    '"': re.compile(r'"(?:[^"\\\r\n]++|\\[^\r\n])*+"'),
    "'": re.compile(r"'(?:[^'\\\r\n]++|\\[^\r\n])*+'"),
}
#: A field is text where it is longer than this, nests deeper or holds more strings and braces.
_MAX_LENGTH: Final = 1_000
_MAX_DEPTH: Final = 4
_MAX_COUNT: Final = 40


class Format(Template):
    """Python's format strings: `{name}` is a hole, `{{` and `}}` are braces."""

    name = "format"
    title = "Python format strings"
    about = (
        "`{name}`, `{}`, `{0.attribute[key]!r:>{width}}` and the expressions of f-strings are text that nothing"
        ' knows yet; `{{` and `}}` are braces. Braces that cannot be a field, as around `"key": 1`, are text.'
    )
    sources = (
        "Format string syntax, https://docs.python.org/3/library/string.html#format-string-syntax",
        "The parser of format strings, https://github.com/python/cpython/blob/main/Objects/stringlib/unicode_format.h",
    )

    def tags(self, text: str, start: int = 0) -> Iterator[Tag]:
        """Yield the fields and doubled braces of a format string."""
        at = start
        #: How many braces that are text are open: their author doubles none, and closes each by one.
        single = 0
        while (delimiter := _MARKER.search(text, at)) is not None:
            begin = delimiter.start()
            if delimiter[0] not in "{}":
                single = 0
                at = delimiter.end()
                continue
            if delimiter[0] == "}" and single:
                single -= 1
                at = begin + 1
                continue
            if text.startswith(delimiter[0], begin + 1):
                yield Tag(TagKind.TEXT, begin, begin + 2, delimiter[0])
                at = begin + 2
                continue
            end = _field(text, begin) if delimiter[0] == "{" else -1
            if end > 0:
                yield Tag(TagKind.EXPRESSION, begin, end)
                at = end
                continue
            if end < -1:
                yield Tag(TagKind.UNFINISHED, begin, -end)
            single += delimiter[0] == "{"
            at = begin + 1

    def escape(self, text: str) -> str:
        """Return the text with its braces doubled."""
        return text.replace("{", "{{").replace("}", "}}")


def _field(text: str, begin: int) -> int:
    """Return where the field at `begin` ends; -1 where it is none, minus where its end was sought up to."""
    limit = min(len(text), begin + _MAX_LENGTH)
    beginning = _BEGIN.match(text, begin + 1)
    if beginning is None:
        return -limit if len(text) < begin + 300 else -1
    depth = tokens = 0
    at = begin + 1
    while depth <= _MAX_DEPTH and tokens < _MAX_COUNT and (token := _TOKEN.search(text, at, limit)) is not None:
        char = token[0]
        at = token.end()
        tokens += 1
        if char in "\r\n":
            return -at
        if char == "{":
            depth += 1
        elif char == "}":
            if not depth:
                return at
            depth -= 1
        else:
            string = _STRING[char].match(text, token.start(), limit)
            at = string.end() if string is not None else at
    return -(at if depth > _MAX_DEPTH or tokens >= _MAX_COUNT else limit)


TEMPLATE = Format()
