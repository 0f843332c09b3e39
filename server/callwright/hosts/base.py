"""What a host is: the contract of one kind of document.

Owns: `Passage`, `Record`, `Host`. Must not know: dialects, tools, any single host.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from callwright.syntax.json import read_json
from callwright.syntax.messages import is_transcript, message_texts
from callwright.syntax.problem import Problem
from callwright.text.projection import JsonString, Projection


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of decoded text that may hold calls, and the way back to the raw document.

    `projection` maps offsets of `text` to offsets of the record (or block) that the passage was found in. `role` is who
    speaks (`"assistant"`, `"user"`, …), None where the document does not say. In `text` a template expression is a run
    of `HOLE` characters. `markdown` says whether fences, code spans and comments mean what Markdown says.
    """

    text: str
    projection: Projection
    role: str | None = None
    markdown: bool = True


@dataclass(frozen=True, slots=True)
class Record:
    """One independent part of a document that is data: its passages, and what is wrong with the data itself."""

    passages: Sequence[Passage] = ()
    problems: Sequence[Problem] = ()


class Host(Protocol):
    """One kind of document. A module in this room has exactly one, bound to the name `HOST`.

    A *flow* host's document is one passage, read from top to bottom in blocks. Any other host's document is a sequence
    of records: `cut` says where the first one ends, `read` takes one apart. Reading never raises.
    """

    name: str
    title: str
    suffixes: Sequence[str]
    languages: Sequence[str]
    flow: bool
    markdown: bool

    def front(self, text: str) -> int:
        """Return how many leading characters are front matter, which holds no calls (flow hosts only)."""

    def cut(self, text: str, *, at_end: bool) -> int | None:
        """Return the length of the record that `text` begins with; None where more text is needed to say."""

    def read(self, text: str) -> Record:
        """Take one record apart."""


def transcript_record(text: str) -> Record:
    """Take a JSON text apart as a chat transcript; what has another shape is no concern of ours and gives nothing.

    Each string in which somebody speaks is a passage, if it holds a character that a call can begin with. Faults of the
    JSON itself are problems, for no reader of the file gets past them.
    """
    if '"content"' not in text and "'content'" not in text:
        return Record()
    lead = 1 if text.startswith("\ufeff") else 0
    read = read_json(text, lead)
    if not is_transcript(read.value):
        return Record()
    passages: list[Passage] = []
    for role, node in message_texts(read):
        raw = text[node.span.start : node.span.end]
        if len(raw) < 2 or raw[0] != '"' or raw[-1] != '"':
            continue
        if "<" in raw or "{" in raw or "\\u003c" in raw.lower():
            projection = JsonString(raw[1:-1], node.span.start + 1)
            passages.append(Passage(projection.text, projection, role))
    return Record(passages, read.problems)
