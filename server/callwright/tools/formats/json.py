"""Tool files in JSON.

Owns: which faults of a JSON text are problems of a tool file. Must not know: definitions, other formats.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from callwright.text.span import Span
from callwright.tools.definitions import Nowhere
from callwright.tools.formats.base import Format, Parsed, invalid
from callwright.tools.json_places import TreePlaces, json_tree

if TYPE_CHECKING:
    from callwright.syntax.problem import Problem


class JsonFormat:
    """JSON as in RFC 8259."""

    name = "json"
    title = "JSON"
    endings = (".json",)

    def parse(self, text: str, start: int) -> Parsed:
        """Return the value; for a text with faults, the readable part with the first fault as its problem."""
        if not text[start:].strip():
            problem = invalid(Span(start, len(text)), "the file is empty", "write the tools' definitions as JSON")
            return Parsed(None, Nowhere(), (problem,), broken=True)
        try:
            root, twice = json_tree(text, start, len(text))
            words = {"pointer": "", "reason": "an object contains a key twice", "remedy": "remove one"}
            problems = tuple(replace(problem, data={**words, **problem.data}) for problem in twice)
            return Parsed(root.value, TreePlaces(root), problems)
        except (ValueError, RecursionError):
            from callwright.syntax.json import read_json

        read = read_json(text, start)
        problem = first_fault(read.problems, read.span)
        return Parsed(read.value, TreePlaces(read.root), (problem,), broken=True)


def first_fault(problems: Iterable[Problem], around: Span) -> Problem:
    """Return the problem of a text with faults: the first of them, or one that covers the whole text where none has a
    place.
    """
    first = min(problems, key=lambda problem: problem.span, default=None)
    reason = "the file is not valid JSON" + (f" ({first.kind.replace('-', ' ')})" if first else "")
    return invalid(first.span if first is not None else around, reason, "correct the file there")


FORMAT: Format = JsonFormat()
