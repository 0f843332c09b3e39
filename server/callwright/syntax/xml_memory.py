"""Data that readings of one text share.

Owns: the parsers of a text that cache failed searches. Must not know: what they are used for. The lexer is for broken
elements, and imported for these alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from callwright.syntax.xml_strict import Finder, StrictReader

if TYPE_CHECKING:
    from callwright.syntax.xml_lexer import Lexer

#: How often sections may be read again, in lengths of the text, before they are read as text.
_MAX_RELEXED: Final = 4


class TextMemory:
    """Data that readings of one text share, so that many broken elements in it do not each search it to its end."""

    def __init__(self, source: str, end: int) -> None:
        self.source = source
        self.end = end
        #: The limit of the text for the parsers.
        self.text = text = source if end == len(source) else source[:end]
        self.finder = Finder(text, end)
        self.strict = StrictReader(text, end, self.finder)
        self._lexers: dict[bool, Lexer] = {}
        self._relexed = 0

    def lexer(self, start: int, *, sections: bool) -> Lexer:
        """Return a lexer that knows the tag at `start`, or is about to read it first."""
        if sections and self._relexed > _MAX_RELEXED * len(self.text):
            sections = False
        known = self._lexers.get(sections)
        if known is not None and known.start <= start and known.holds(start):
            return known
        if known is not None and start < known.pos:
            self._relexed += known.pos - start
        from callwright.syntax.xml_lexer import Lexer

        fresh = Lexer(self.text, start, self.end, self.finder, sections=sections)
        self._lexers[sections] = fresh
        return fresh
