"""Tool files in YAML: OpenAPI documents, and lists of tools.

Owns: which faults of a YAML text are problems of a tool file. Must not know: definitions, other formats, how YAML is
read.

A file of several documents is a list of them.
"""

from __future__ import annotations

from dataclasses import replace

from callwright.syntax.json_nodes import JsonNode
from callwright.syntax.problem import Problem
from callwright.syntax.yaml_values import read_yaml_documents
from callwright.text.span import Span
from callwright.text.words import quoted
from callwright.tools.formats.base import Format, Parsed, invalid
from callwright.tools.json_places import TreePlaces


class YamlFormat:
    """YAML 1.2 with its core schema, and the merge keys of 1.1."""

    name = "yaml"
    title = "YAML"
    endings = (".yaml", ".yml")

    def parse(self, text: str, start: int) -> Parsed:
        """Return the value; for a text with faults, the readable part with the first fault as its problem."""
        roots, faults, found = read_yaml_documents(text, start)
        whole = Span(start, len(text))
        if not roots and not faults:
            problem = invalid(whole, "the file is empty", "write the tools' definitions as YAML")
            return Parsed(None, TreePlaces(JsonNode("literal", whole, None)), (problem,), broken=True)
        problems = [_duplicate(problem) for problem in found if problem.kind == "duplicate-key"]
        # The first fault is enough: later ones may follow from it.
        unread = [problem for problem in found if problem.kind == "invalid-yaml"][:1]
        problems += [invalid(each.span, _small(each.data["reason"]), _small(each.data["remedy"])) for each in unread]
        if faults:
            first = min(faults)
            reason = f"the file is not valid YAML (line {_line_of(text, first.start)})"
            problems.insert(0, invalid(_within(first, text), reason, "correct the file there"))
        top = roots[0] if len(roots) == 1 else _together(roots, whole)
        return Parsed(top.value, TreePlaces(top), tuple(problems), broken=bool(faults or unread))


def _duplicate(problem: Problem) -> Problem:
    """Return the problem of a duplicate key."""
    reason = f"{quoted(problem.data['key'])} appears twice in this mapping"
    return replace(problem, data={**problem.data, "pointer": "", "reason": reason, "remedy": "remove one"})


def _small(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


def _together(roots: list[JsonNode], span: Span) -> JsonNode:
    """Return several documents as one list."""
    top = JsonNode("array", span, [root.value for root in roots])
    top.items.extend(roots)
    return top


def _line_of(text: str, offset: int) -> int:
    head = text[:offset].replace("\r\n", "\n")
    return head.count("\n") + head.count("\r") + 1


def _within(span: Span, text: str) -> Span:
    """Return the part of a span that is inside the text, without a line end."""
    end = min(span.end, len(text))
    start = min(span.start, end)
    return Span(start, start) if text[start:end] in ("\r", "\n") else Span(start, end)


FORMAT: Format = YamlFormat()
