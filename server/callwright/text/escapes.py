"""Escapes: the meaning of one character after a backslash, and how a character is written by its code.

Owns: the tables, and the surrogates. Must not know: other text after a backslash, who decodes.
"""

from collections.abc import Mapping
from typing import Final

from callwright.text.patterns import compile_later

#: A high and a low surrogate in a row: most parsers read them as one character.
SPLIT_PAIR: Final = compile_later("[\ud800-\udbff][\udc00-\udfff]")

#: JSON (RFC 8259, section 7).
JSON_ESCAPES: Final[Mapping[str, str]] = {
    '"': '"',
    "\\": "\\",
    "/": "/",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
}

#: YAML 1.2, in double quotes (section 5.7).
YAML_ESCAPES: Final[Mapping[str, str]] = {
    "0": "\0",
    "a": "\a",
    "b": "\b",
    "t": "\t",
    "\t": "\t",
    "n": "\n",
    "v": "\v",
    "f": "\f",
    "r": "\r",
    "e": "\x1b",
    " ": " ",
    '"': '"',
    "/": "/",
    "\\": "\\",
    "N": "\x85",
    "_": "\xa0",
    "L": "\u2028",
    "P": "\u2029",
}

#: Python, in strings that are not raw (Lexical analysis, "Escape sequences").
PYTHON_ESCAPES: Final[Mapping[str, str]] = {
    "\\": "\\",
    "'": "'",
    '"': '"',
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
}


def of_halves(high: int, low: int) -> str:
    """Return the character of two surrogates, given as their codes."""
    return chr(0x10000 + ((high - 0xD800) << 10) + low - 0xDC00)


def in_utf16(character: str) -> str:
    """Return a character as JSON and JavaScript write it by its code: one escape, or one for each surrogate."""
    code = ord(character)
    if code < 0x10000:
        return f"\\u{code:04x}"
    return f"\\u{0xD800 + ((code - 0x10000) >> 10):04x}\\u{0xDC00 + ((code - 0x10000) & 0x3FF):04x}"
