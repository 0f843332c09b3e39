"""The `jsonl` host: a transcript with one JSON value a line.

Owns: recognising such files and cutting them into lines. Must not know: dialects, other hosts.
"""

import re
from collections.abc import Sequence

from callwright.hosts.base import Host, Record, transcript_record

_LINE_END = re.compile(r"\r\n|\n|\r")


class JsonLines:
    """JSON Lines: each line is a transcript or a message; the strings in which somebody speaks are passages."""

    name = "jsonl"
    title = "JSON Lines transcript"
    suffixes: Sequence[str] = (".jsonl", ".ndjson")
    languages: Sequence[str] = ("jsonl", "json-lines", "ndjson")
    flow = False
    markdown = True

    def front(self, text: str) -> int:
        """Return 0: data has no front matter."""
        del text
        return 0

    def cut(self, text: str, *, at_end: bool) -> int | None:
        """Return the length of the first line, its end included."""
        match = _LINE_END.search(text)
        if match is not None and (match.end() < len(text) or at_end or match[0] == "\n"):
            return match.end()
        return len(text) if at_end else None

    def read(self, text: str) -> Record:
        """Take one line apart."""
        return transcript_record(text)


HOST: Host = JsonLines()
