"""The `jsonl` host: a transcript with one JSON value a line.

Owns: recognising such files and cutting them into lines. Must not know: dialects, other hosts, the shapes of
transcripts.
"""

import re
from dataclasses import replace

from callwright.hosts.base import HostContext, Record, RecordHost
from callwright.hosts.support.transcript import transcript_record
from callwright.syntax.json_rows import begins_as_rows, is_row
from callwright.syntax.problem import Problem
from callwright.text.span import Span

_LINE_END = re.compile(r"\r\n|\n|\r")


class JsonLines(RecordHost):
    """JSON Lines: each line is or contains a transcript or an entry of a log; its calls and texts are read."""

    name = "jsonl"
    title = "JSON Lines transcript"
    suffixes = (".jsonl", ".ndjson")
    languages = ("jsonl", "json-lines", "ndjson")
    refines = ("json", "jsonc")
    sniffs = True
    texts = "turns"

    def claims(self, head: str) -> bool:
        """Return whether a text is JSON Lines, whatever its file's name ends with."""
        return begins_as_rows(head)

    def cut(self, text: str, *, at_end: bool) -> int | None:
        """Return the length of the first line, its end included."""
        match = _LINE_END.search(text)
        if match is not None and (match.end() < len(text) or at_end or match[0] == "\n"):
            return match.end()
        return len(text) if at_end else None

    def read(self, text: str, context: HostContext) -> Record:
        """Take one line apart."""
        del context
        record = transcript_record(text)
        if record.transcripts or is_row(text):
            return record
        start = len(text) - len(text.lstrip("\ufeff \t"))
        return replace(record, problems=(Problem("row-not-json", Span(start, len(text.rstrip()))),))


HOST = JsonLines()
