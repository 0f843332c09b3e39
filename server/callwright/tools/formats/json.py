"""Tool files in JSON.

Owns: where the parts of a JSON text stand, and reading one with faults as far as it goes. Must not know: definitions,
other formats.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from callwright.syntax.problem import Problem
from callwright.text.span import Span
from callwright.tools.formats.base import Format, Parsed, invalid
from callwright.tools.json_places import JsonPlaces, TreePlaces


class JsonFormat:
    """JSON as RFC 8259 has it."""

    name = "json"
    title = "JSON"
    endings = (".json",)

    def parse(self, text: str, start: int) -> Parsed:
        """Return the value; of a text with faults what can be read, with the first fault as its problem."""
        if not text[start:].strip():
            problem = invalid(Span(start, len(text)), "the file is empty", "write the tools' definitions as JSON")
            return Parsed(None, JsonPlaces(text, start), (problem,), broken=True)
        twice: list[bool] = []

        def collect(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
            members = dict(pairs)
            if len(members) != len(pairs):
                twice.append(True)
            return members

        try:
            value = json.loads(text[start:], object_pairs_hook=collect)
            return Parsed(value, JsonPlaces(text, start), _duplicates(text, start) if twice else ())
        except (ValueError, RecursionError):
            from callwright.syntax.json import read_json

        read = read_json(text, start)
        problem = first_fault(read.problems, read.span)
        return Parsed(read.value, TreePlaces(read.root), (problem,), broken=True)


def first_fault(problems: Iterable[Problem], around: Span) -> Problem:
    """Return the problem of a text with faults, which stands at the first of them, or is the whole where there is none
    to point at."""
    first = min(problems, key=lambda problem: problem.span, default=None)
    reason = "the file is not valid JSON" + (f" ({first.kind.replace('-', ' ')})" if first else "")
    return invalid(first.span if first is not None else around, reason, "correct the file there")


def _duplicates(text: str, start: int) -> tuple[Problem, ...]:
    """Return the keys that stand twice in an object."""
    from callwright.syntax.json import read_json

    words = {"pointer": "", "reason": "a key stands twice in an object", "remedy": "keep one"}
    return tuple(
        replace(problem, data={**words, **problem.data})
        for problem in read_json(text, start).problems
        if problem.kind == "duplicate-key"
    )


FORMAT: Format = JsonFormat()
