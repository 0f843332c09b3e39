"""Tool files with one JSON value per line: pages of `tools/list`, and captured messages of a server.

Owns: the lines. Must not know: definitions, the content of a line.
"""

from __future__ import annotations

import re
from typing import Final

from callwright.syntax.json_nodes import JsonNode
from callwright.syntax.problem import Problem
from callwright.text.span import Span
from callwright.tools.formats.base import Format, Parsed, invalid
from callwright.tools.json_places import TreePlaces, json_tree

_LINE: Final = re.compile(r"[^\r\n]++")


class JsonLinesFormat:
    """A list of the lines' values. Empty lines are ignored, and a line that is not JSON is a separate fault."""

    name = "json-lines"
    title = "JSON Lines"
    endings = (".jsonl", ".ndjson")

    def parse(self, text: str, start: int) -> Parsed:
        """Return the values as a list, with the first faulty line as its problem."""
        whole = JsonNode("array", Span(start, len(text)), [])
        problems: list[Problem] = []
        for line in _LINE.finditer(text, start):
            written = line[0].strip(" \t")
            if not written:
                continue
            at = line.start() + line[0].index(written)
            span = Span(at, at + len(written))
            try:
                node, _ = json_tree(text, *span)
            except (ValueError, RecursionError):
                if not problems:
                    problems.append(invalid(span, "this line is not valid JSON", "write one JSON value on it"))
                continue
            whole.items.append(node)
            whole.value.append(node.value)
        if not whole.items and not problems:
            problems.append(invalid(Span(start, len(text)), "the file is empty", "write one JSON value on each line"))
        return Parsed(whole.value or None, TreePlaces(whole), tuple(problems), broken=bool(problems))


FORMAT: Format = JsonLinesFormat()
