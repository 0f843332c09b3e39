"""Segments of a source between the markers of managed blocks, in which every string is a text.

Owns: the markers' word, and where such segments are. Must not know: what a block should say, kinds of files.
"""

from typing import Final

from callwright.text.span import Span

WORD: Final = "callwright:tools"


def managed_segments(source: str) -> list[Span]:
    """Return the segments from a marker to the one that ends its block, in order; none in a source without any."""
    found: list[Span] = []
    opened = -1
    at = source.find(WORD)
    while at >= 0:
        closes = source[at - 1 : at] == "/"
        if not closes:
            opened = at
        elif opened >= 0:
            found.append(Span(opened, at + len(WORD)))
            opened = -1
        at = source.find(WORD, at + len(WORD))
    return found


def is_managed(span: Span, segments: list[Span]) -> bool:
    """Return whether a string has a segment in it or lies in one."""
    return any(span.start < segment.end and segment.start < span.end for segment in segments)
