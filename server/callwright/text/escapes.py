"""Escapes: what one character behind a backslash stands for, and how a character is written by its code.

Owns: the tables, and what halves of characters are. Must not know: what else may stand behind a backslash, who decodes.
"""

import re
from collections.abc import Mapping
from typing import Final

#: Two halves of a character that follow each other: most readers take them for that character.
SPLIT_PAIR: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")

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
    """Return the character of two halves, given as their codes."""
    return chr(0x10000 + ((high - 0xD800) << 10) + low - 0xDC00)


def in_utf16(character: str) -> str:
    """Return a character as JSON and JavaScript write it by its code: one escape, or one for each half."""
    code = ord(character)
    if code < 0x10000:
        return f"\\u{code:04x}"
    return f"\\u{0xD800 + ((code - 0x10000) >> 10):04x}\\u{0xDC00 + ((code - 0x10000) & 0x3FF):04x}"
