"""Text for display: without control sequences, and with the known width of each character on a line.

Owns: `visible`, `harmless`, `is_hidden`, `cells`, `unescaped`. Must not know: terminals, colours, excerpts.
"""

import re
from typing import Final

from callwright.text.holes import HOLE
from callwright.text.patterns import compile_later

#: Invisible characters that are not format characters in Unicode: fillers, blanks and selectors.
_BLANK: Final = compile_later(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]"
)
_REPLACEMENT: Final = "\ufffd"


def visible(text: str) -> str:
    """Return `text` on one line, code point for code point, without control sequences for a terminal.

    Control characters become their pictures; line separators, direction overrides and lone surrogates become U+FFFD. A
    tab becomes one space.
    """
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else _picture(one) for one in text)


def is_hidden(character: str) -> bool:
    """Return whether a character may change how a text is shown, or what it means, but is not shown itself."""
    if character.isascii():
        return not character.isprintable()
    from unicodedata import category

    return category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"} or _BLANK.match(character) is not None


def harmless(text: str) -> str:
    """Return `text` with its lines and tabs, and without other control sequences for a terminal."""
    if text.isprintable():
        return text
    lines = text.split("\n")
    # A CR before LF has no further effect on a terminal.
    ended = [line.removesuffix("\r") for line in lines[:-1]]
    shown = ["\t".join(map(visible, line.split("\t"))) for line in (*ended, lines[-1])]
    ends = ["\r\n" if len(line) > len(bare) else "\n" for line, bare in zip(lines, ended, strict=False)]
    return "".join(line + end for line, end in zip(shown, (*ends, ""), strict=True))


_ESCAPE: Final = compile_later(r"\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})|\\u([0-9a-f]{4})|\\.|\x7f", re.DOTALL)


def unescaped(json: str) -> str:
    """Return JSON in ASCII, as `json.dumps` writes it, with displayable characters unescaped.

    Control characters, direction overrides and lone surrogates stay escaped, so that it is JSON with the same value.
    """
    return _ESCAPE.sub(_character, json) if "\\u" in json or "\x7f" in json else json


def _character(found: re.Match[str]) -> str:
    if found[0] == "\x7f":
        return "\\u007f"
    high, low, single = found.groups()
    if high is not None:
        character = chr(0x10000 + (int(high, 16) - 0xD800) * 0x400 + int(low, 16) - 0xDC00)
    elif single is not None:
        character = chr(int(single, 16))
    else:
        return found[0]
    return character if character.isprintable() or _picture(character) == character else found[0]


def _picture(character: str) -> str:
    code = ord(character)
    if character == "\t":
        return " "
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    from unicodedata import category

    if character == HOLE:
        return _REPLACEMENT
    # Joiners, emoji tags, wide spaces, private and unassigned characters are harmless; other format characters may not
    # be.
    harmless = code in (0xAD, 0x200C, 0x200D) or 0xE0020 <= code <= 0xE007F
    return character if harmless or category(character) in {"Zs", "Co", "Cn"} else _REPLACEMENT


def cells(text: str) -> list[int]:
    """Return how many terminal cells each character of a visible text takes: 0, 1 or 2.

    What is joined to an emoji (a joiner and what follows it, a variation selector, a skin tone) takes none; terminals
    differ there, and most do this.
    """
    if text.isascii():
        return [1] * len(text)
    from unicodedata import category, east_asian_width

    widths: list[int] = []
    joined = False
    for character in text:
        code = ord(character)
        toned = 0x1F3FB <= code <= 0x1F3FF and _last(widths) == 2
        if joined or toned or 0x1160 <= code <= 0x11FF or category(character) in {"Mn", "Me", "Cf"}:
            width = 0
        else:
            width = 2 if east_asian_width(character) in {"W", "F"} else 1
        joined = code == 0x200D and bool(widths)
        if code == 0xFE0F and widths and widths[-1] == 1:
            widths[-1] = 2
        widths.append(width)
    return widths


def _last(widths: list[int]) -> int:
    """Return the width of the last character that has one."""
    return next((width for width in reversed(widths) if width), 0)
