"""The terminal: colours, the width of the page, and (from `text`) text that cannot command the terminal.

Owns: `Style`, `style_for`. Must not know: diagnostics, commands.
"""

import os
import sys
from typing import Final, TextIO

from callwright.text.shown import cells, visible

__all__ = ["Style", "cells", "style_for", "visible"]

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
