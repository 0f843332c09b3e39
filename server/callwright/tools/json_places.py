"""Where the parts of a JSON text stand.

Owns: `JsonPlaces`. Must not know: formats, definitions.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from callwright.text.span import Span
from callwright.tools.sources.base import Path

if TYPE_CHECKING:
    from callwright.syntax.json import JsonRead


class JsonPlaces:
    """Where the values of a JSON text stand, whatever is wrong with it: asked of the reader's tree, which takes apart
    what lies on the way to a value, each object and array once.

    The text is read when the first place is asked for, unless somebody has `read` it; paths lead on from `top`.
    """

    def __init__(self, text: str, start: int = 0, *, read: JsonRead | None = None, top: Path = ()) -> None:
        self._text = text
        self._start = start
        self._top = top
        if read is not None:
            self.read = read

    @cached_property
    def read(self) -> JsonRead:
        """The text as it was read."""
        from callwright.syntax.json import read_json

        return read_json(self._text, self._start)

    def value(self, path: Path) -> Span:
        """Return the span of the value at `path`, or of the nearest value around it."""
        for length in range(len(path), -1, -1):
            node = self.read.locate((*self._top, *path[:length]))
            if node is not None:
                return node.span
        return self.read.span

    def key(self, path: Path) -> Span:
        """Return the span of the key at the end of `path`, or of the value where there is no such key."""
        return self.read.locate_key((*self._top, *path)) or self.value(path)
