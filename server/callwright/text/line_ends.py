"""Where lines begin and end: LF, CR and CRLF end one, of which `re.MULTILINE` handles only LF.

Owns: the pieces that patterns are made of, and the search within a segment of a text. Must not know: any single
pattern, documents.
"""

from typing import Final

#: The beginning of a line; it consumes no character. The pattern needs `re.MULTILINE`.
LINE_START: Final = r"(?:^|(?<=\r)(?!\n))"
#: The end of a line, before its terminator; it consumes no character. The pattern does not need `re.MULTILINE`.
LINE_END: Final = r"(?![^\r\n])"
#: A line terminator.
NEWLINE: Final = r"(?:\r\n?+|\n)"


#: How much of a text is searched at first. Most texts have only one of LF and CR, and the other would be searched
#: through the whole text for each line.
_WINDOW: Final = 128


def last_line(text: str, start: int, end: int) -> int:
    """Return where the last line of `[start, end)` begins: after the last line end in it, else at `start`."""
    high, size = end, _WINDOW
    while high > start:
        low = max(start, high - size)
        found = max(text.rfind("\n", low, high), text.rfind("\r", low, high))
        if found >= 0:
            return found + 1
        high, size = low, 4 * size
    return start


def first_line_end(text: str, start: int, end: int | None = None) -> int:
    """Return the first character of the first line end in `[start, end)`, -1 if there is none."""
    limit = len(text) if end is None else min(end, len(text))
    low, size = start, _WINDOW
    while low < limit:
        high = min(low + size, limit)
        lf = text.find("\n", low, high)
        cr = text.find("\r", low, lf if lf >= 0 else high)
        if cr >= 0 or lf >= 0:
            return cr if cr >= 0 else lf
        low, size = high, 4 * size
    return -1
