"""An editor's side of a document: its text, the changes that it sends to a server, and its undo stack.

Owns: the text as the editor has it, positions in UTF-16, UTF-8 and UTF-32 units, undo and redo. Must not know: anything
of Callwright: what the server holds is compared with what is here.

Offsets are code points, spans half-open. No place lies between CR and LF, so a span that would end there ends after
both.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Any, Final

#: The undo stack of an editor has an end, too.
MAX_DEPTH: Final = 60
_LINE_END: Final = re.compile(r"\r\n|\r|\n")
_UNITS: Final = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}

#: A span of code points, and what takes its place.
Change = tuple[int, int, str]


def applied(text: str, changes: list[Change]) -> str:
    """Return a text after changes, each in the text that those before it have left."""
    for start, end, new in changes:
        text = text[:start] + new + text[end:]
    return text


def settled(text: str, offset: int) -> int:
    """Return the offset, or the one after it where it lies between CR and LF."""
    return offset + 1 if 0 < offset < len(text) and text[offset - 1] == "\r" and text[offset] == "\n" else offset


@dataclass(slots=True)
class Typist:
    """One document in an editor that counts positions in units of `encoding`."""

    text: str
    encoding: str = "utf-16"
    version: int = 1
    undos: list[list[Change]] = field(default_factory=list)
    redos: list[list[Change]] = field(default_factory=list)

    def _position(self, starts: list[int], text: str, offset: int) -> dict[str, int]:
        line = bisect_right(starts, offset) - 1
        name, width = _UNITS[self.encoding]
        before = text[starts[line] : offset]
        units = len(before) if before.isascii() else len(before.encode(name, "surrogatepass")) // width
        return {"line": line, "character": units}

    def _report(self, changes: list[Change]) -> tuple[list[dict[str, Any]], list[Change]]:
        """Apply changes, and return them as the protocol has them, and those that take them back."""
        reported: list[dict[str, Any]] = []
        back: list[Change] = []
        for first, last, new in changes:
            text = self.text
            start, end = settled(text, first), settled(text, last)
            starts = [0, *(found.end() for found in _LINE_END.finditer(text))]
            ends = {"start": self._position(starts, text, start), "end": self._position(starts, text, end)}
            reported.append({"range": ends, "text": new})
            self.text = text[:start] + new + text[end:]
            back.insert(0, self._inverse(start, start + len(new), text[start:end]))
        self.version += 1
        return reported, back

    def _inverse(self, start: int, end: int, old: str) -> Change:
        """Return the change that puts `old` back; what it would part from the other half of a CRLF goes with it."""
        if settled(self.text, start) != start:
            start, old = start - 1, f"\r{old}"
        if settled(self.text, end) != end:
            end, old = end + 1, f"{old}\n"
        return (start, end, old)

    def type(self, changes: list[Change]) -> list[dict[str, Any]]:
        """Apply changes one after another, and return what the server is sent."""
        reported, back = self._report(changes)
        self.undos = [*self.undos, back][-MAX_DEPTH:]
        self.redos = []
        return reported

    def undo(self) -> list[dict[str, Any]]:
        """Take the last changes back; nothing where there are none."""
        if not self.undos:
            return []
        reported, back = self._report(self.undos.pop())
        self.redos.append(back)
        return reported

    def redo(self) -> list[dict[str, Any]]:
        """Make what was taken back again; nothing where there is none."""
        if not self.redos:
            return []
        reported, back = self._report(self.redos.pop())
        self.undos.append(back)
        return reported

    def replace(self, text: str) -> list[dict[str, Any]]:
        """Take a whole new text, sent without a range."""
        self.undos = [*self.undos, [(0, len(text), self.text)]][-MAX_DEPTH:]
        self.redos = []
        self.text = text
        self.version += 1
        return [{"text": text}]
