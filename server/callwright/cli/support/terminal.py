"""The terminal: colours, the width of characters, and text that cannot command the terminal.

Owns: `Style`, `visible`, `cells`. Must not know: diagnostics, commands.
"""

import os
import sys
from typing import Final, TextIO

_RESET: Final = "\x1b[0m"
_CODES: Final = {
    "bold": "\x1b[1m",
    "dim": "\x1b[2m",
    "red": "\x1b[1;31m",
    "yellow": "\x1b[1;33m",
    "blue": "\x1b[1;34m",
    "cyan": "\x1b[1;36m",
    "green": "\x1b[1;32m",
}

#: The width of a page where the output is no terminal.
_PLAIN_WIDTH: Final = 120

_REPLACEMENT: Final = "\ufffd"


class Style:
    """Puts colours around words, or leaves them alone: `style("red", "error")`."""

    __slots__ = ("on", "width")

    def __init__(self, *, on: bool, width: int = _PLAIN_WIDTH) -> None:
        self.on = on
        self.width = width

    def __call__(self, name: str, text: str) -> str:
        """Return `text` in the named colour."""
        return f"{_CODES[name]}{text}{_RESET}" if self.on and text else text


def style_for(stream: TextIO | None, color: str) -> Style:
    """Return how to write on `stream` when the user said `auto`, `always` or `never`.

    `auto` heeds `NO_COLOR`, `FORCE_COLOR` and `TERM=dumb`, and is otherwise colour on a terminal.
    """
    terminal = stream is not None and stream.isatty()
    if color != "auto":
        on = color == "always"
    elif os.environ.get("NO_COLOR"):
        on = False
    elif os.environ.get("FORCE_COLOR"):
        on = True
    else:
        on = terminal and os.environ.get("TERM") != "dumb"
    if on and sys.platform == "win32":
        os.system("")  # noqa: S605 - an empty command is how an old Windows console learns of colours
    return Style(on=on, width=_width() if terminal else _PLAIN_WIDTH)


def _width() -> int:
    from shutil import get_terminal_size

    return max(get_terminal_size().columns, 40)


def visible(text: str) -> str:
    """Return `text` on one line, code point for code point, with nothing in it that a terminal would obey.

    Control characters become their pictures; line separators, direction overrides and lone surrogates become U+FFFD.
    A tab stays one character (a space).
    """
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else _picture(one) for one in text)


def _picture(character: str) -> str:
    code = ord(character)
    if character == "\t":
        return " "
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    from unicodedata import category

    # Joiners, emoji tags, wide spaces, private and (yet) unassigned characters do no harm; other format characters may.
    harmless = code in (0xAD, 0x200C, 0x200D) or 0xE0020 <= code <= 0xE007F
    return character if harmless or category(character) in {"Zs", "Co", "Cn"} else _REPLACEMENT


def cells(text: str) -> list[int]:
    """Return how many terminal cells each character of a visible text takes: 0, 1 or 2.

    What is joined to an emoji (a joiner and what follows it, a variation selector, a skin tone) takes none; terminals
    differ there, and this is what the majority shows.
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
