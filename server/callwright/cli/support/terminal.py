"""The terminal: colours, the width of the page, and the one filter through which all text gets there.

Owns: `Terminal`, `Style`, `style_for`, `command`. Must not know: diagnostics, commands of the command line.

While a command runs, standard streams that are terminals are `Terminal`s. Whatever a text holds, wherever it comes
from, nothing of it is obeyed: names, contents, paths, messages of exceptions. What Callwright itself has a terminal do
is set apart by a mark that no text can hold. Files and pipes are given what is written, as it is.
"""

import io
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, TextIO, TypeGuard, cast

from callwright.text.shown import cells, harmless, visible

__all__ = ["Style", "Terminal", "cells", "command", "guarded", "is_guarded", "style_for", "unguarded", "visible"]

#: What is before a sequence of our own; drawn again in each process, so that no text can contain it on purpose.
_MARKER: Final = f"\x1b<{os.urandom(12).hex()}>"
_SEQUENCE: Final = re.compile(r"\r?(?:\x1b\[[\d;]*[A-Za-z])+")
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

    __slots__ = ("_marker", "on", "width")

    def __init__(self, *, on: bool, width: int = _PLAIN_WIDTH, marker: str = "") -> None:
        self.on = on
        self.width = width
        self._marker = marker

    def __call__(self, name: str, text: str) -> str:
        """Return `text` in the named colour."""
        return f"{self._marker}{_CODES[name]}{text}{self._marker}{_RESET}" if self.on and text else text


class Terminal(io.TextIOBase):
    """A terminal that obeys only what `Style` and `command` put into a text."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        """Show a text."""
        plain, *rest = text.split(_MARKER)
        shown = [harmless(plain)]
        for part in rest:
            found = _SEQUENCE.match(part)
            end = found.end() if found is not None else 0
            shown += [part[:end], harmless(part[end:])]
        self.stream.write("".join(shown))
        return len(text)

    def flush(self) -> None:
        """Let nothing wait."""
        self.stream.flush()

    def isatty(self) -> bool:
        """Return whether it is a terminal."""
        return self.stream.isatty()

    def fileno(self) -> int:
        """Return the descriptor of the stream."""
        return self.stream.fileno()

    @property
    def encoding(self) -> str:  # type: ignore[override] # the base has an attribute there
        """The encoding of the stream."""
        return self.stream.encoding


@contextmanager
def guarded() -> Iterator[None]:
    """Let standard streams that are terminals be shown text alone."""
    given = sys.stdout, sys.stderr
    out, err = (Terminal(stream) if stream is not None and stream.isatty() else stream for stream in given)
    sys.stdout, sys.stderr = cast("TextIO", out), cast("TextIO", err)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = given


def is_guarded(stream: object) -> TypeGuard[Terminal]:
    """Return whether a stream is a terminal that is shown text alone."""
    return isinstance(stream, Terminal)


def unguarded(stream: TextIO) -> TextIO:
    """Return the stream that a terminal is, for a library that draws words of our own on it."""
    return stream.stream if is_guarded(stream) else stream


def command(out: TextIO, sequence: str) -> None:
    """Have a terminal do something, such as clear the line."""
    out.write(f"{_MARKER}{sequence}" if is_guarded(out) else sequence)


def style_for(stream: TextIO | None, color: str) -> Style:
    """Return how to write on `stream` for `auto`, `always` or `never`.

    `auto` follows `NO_COLOR`, `FORCE_COLOR` and `TERM=dumb`, and is otherwise colour on a terminal.
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
    marker = _MARKER if is_guarded(stream) else ""
    return Style(on=on, width=_width() if terminal else _PLAIN_WIDTH, marker=marker)


def _width() -> int:
    from shutil import get_terminal_size

    return max(get_terminal_size().columns, 40)
