"""Python's dialect of typed values: keyword arguments on top, literals below.

Owns: writing values, keys and members as Python literals. Must not know: parsers, calls, rules.
"""

import keyword
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final
from unicodedata import normalize

from callwright.syntax.value_format import LineFormat, Style
from callwright.text.escapes import SPLIT_PAIR
from callwright.text.holes import HOLE

_NAME: Final = re.compile(rf"[^\W\d{HOLE}]\w*+|\w*+{HOLE}[\w{HOLE}]*+")
_ESCAPED_HOLE: Final = re.compile(rf"(?<!\\)((?:\\\\)*+)\\u{ord(HOLE):04x}")


def is_argument_name(name: str) -> bool:
    """Return whether an argument can have this name: an identifier that is not a reserved word."""
    if _NAME.fullmatch(name) is None:
        return False
    if HOLE in name:
        return True
    # Python normalises names, so a name in another form would change.
    return name.isidentifier() and not keyword.iskeyword(name) and (name.isascii() or normalize("NFKC", name) == name)


def string_literal(value: str) -> str | None:
    """Return a string as a literal on one line; None if two lone surrogates follow each other in it."""
    if SPLIT_PAIR.search(value) is not None:
        return None
    written = repr(value)
    if HOLE not in value:
        return written
    # A template's expression is kept.
    return _ESCAPED_HOLE.sub(rf"\g<1>{HOLE}", written)


_STYLE: Final = Style(string_literal, string_literal, ("None", "False", "True"))
#: Returns a value as a Python literal on one line; None if a part of it has no literal.
literal: Final = _STYLE.written


class Keywords(LineFormat):
    """Python's arguments: the outermost object is `name=value` in parentheses, what is below it literals."""

    def value(self, value: Any, path: Sequence[str | int]) -> str | None:
        """Return the text of a value; of the arguments themselves with their parentheses."""
        if path or not isinstance(value, Mapping):
            return super().value(value, path)
        members = [self.member(key, entry, path) for key, entry in value.items()]
        known = [member for member in members if member is not None]
        return f"({', '.join(known)})" if len(known) == len(members) else None

    def key(self, key: str, path: Sequence[str | int]) -> str | None:
        """Return the key: the bare name of an argument, a string below."""
        if path:
            return super().key(key, path)
        return key if is_argument_name(key) else None

    def member(self, key: str, value: Any, path: Sequence[str | int]) -> str | None:
        """Return `name=value` of an argument, `'key': value` below."""
        if path:
            return super().member(key, value, path)
        name, text = self.key(key, path), literal(value)
        return None if name is None or text is None else f"{name}={text}"


#: Of calls with keyword arguments, and of calls whose arguments are one dictionary.
PYTHON: Final = Keywords("Python", _STYLE)
PYTHON_DICT: Final = LineFormat("Python", _STYLE)
