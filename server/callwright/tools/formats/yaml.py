"""Tool files in YAML: OpenAPI documents, and lists of tools that people keep in it.

Owns: the value of a YAML text in JSON's terms (aliases, merge keys, the types of the core schema), and where its parts
stand. Must not know: definitions, other formats, how YAML's lines are read.

Keys are texts, whatever they look like. Aliases stand for the same value and are bounded in what they stand for
altogether; one that stands for itself stands for nothing. A file of several documents is a list of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, Final

from callwright.syntax.problem import Problem
from callwright.syntax.yaml_reader import read_outline
from callwright.syntax.yaml_scalars import core_value
from callwright.syntax.yaml_tree import YamlAlias, YamlEntry, YamlMapping, YamlNode, YamlSequence, YamlText
from callwright.text.span import Span
from callwright.text.words import quoted
from callwright.tools.formats.base import Format, Parsed, invalid
from callwright.tools.parts import Part, PartPlaces

#: How deep values may nest; no definition of a tool needs as much.
DEPTH: Final = 200
#: How many values aliases may stand for, all together.
ALIASED: Final = 100_000
_MERGE: Final = "<<"
#: Longer numbers are no numbers to anybody, and take long to read.
_LONGEST_NUMBER: Final = 400
_DUPLICATE: Final = "duplicate-key"


class YamlFormat:
    """YAML 1.2 with its core schema, and the merge keys of 1.1."""

    name = "yaml"
    title = "YAML"
    endings = (".yaml", ".yml")

    def parse(self, text: str, start: int) -> Parsed:
        """Return the value; of a text with faults what can be read, with the first fault as its problem."""
        outline = read_outline(text, start)
        builder = _Builder(text)
        parts = [builder.build(root) for root in outline.roots]
        problems = builder.problems
        if not outline.roots and not outline.faults:
            problem = invalid(Span(start, len(text)), "the file is empty", "write the tools' definitions as YAML")
            return Parsed(None, PartPlaces(Part(None, Span(start, len(text)))), (problem,), broken=True)
        if outline.faults:
            first = min(outline.faults)
            reason = f"the file is not valid YAML (line {_line_of(text, first.start)})"
            problems = [invalid(_within(first, text), reason, "correct the file there"), *problems]
        top = parts[0] if len(parts) == 1 else _together(parts, Span(start, len(text)))
        return Parsed(top.value, PartPlaces(top), tuple(problems), broken=bool(outline.faults) or builder.broken)


#: Takes a part that was built: the collection's way to put it into its place.
_Taker = Callable[[Part], None]


class _Builder:
    """Turns nodes into parts, without recursion, in the order of the text."""

    def __init__(self, text: str) -> None:
        self.problems: list[Problem] = []
        self.broken = False
        self._text = text
        self._anchors: dict[str, Part | None] = {}
        self._aliased = 0

    def build(self, root: YamlNode) -> Part:
        """Return the part that a root stands for."""
        self._anchors.clear()
        top: list[Part] = []
        # Of every collection that is open: its part, its anchor, what takes it, and its members that are to come.
        opened: list[tuple[Part, str, _Taker, Iterator[tuple[YamlNode | None, Span, _Taker]]]] = []
        node: YamlNode | None = root
        span, take = Span(0, 0), top.append
        while True:
            if isinstance(node, YamlMapping | YamlSequence) and len(opened) < DEPTH:
                members = self._members(node, part := self._opened(node))
                if node.anchor:
                    self._anchors[node.anchor] = None
                opened.append((part, node.anchor, take, members))
            else:
                take(self._single(node, span))
            while opened:
                following = next(opened[-1][3], None)
                if following is not None:
                    node, span, take = following
                    break
                part, anchor, take, _ = opened.pop()
                if anchor:
                    self._anchors[anchor] = part
                take(part)
            else:
                return top[0]

    def _opened(self, node: YamlMapping | YamlSequence) -> Part:
        end = max(node.end, node.start)
        return Part({} if isinstance(node, YamlMapping) else [], Span(node.start, end))

    def _members(self, node: YamlMapping | YamlSequence, part: Part) -> Iterator[tuple[YamlNode | None, Span, _Taker]]:
        if isinstance(node, YamlSequence):
            for index, item in enumerate(node.items):
                entry = node.keys.get(index)
                where = Span(part.span.end, part.span.end)
                yield item, where, _taker(part, index) if entry is None else self._pair(part, index, entry)
            return
        merged: list[Part] = []
        for key, span, value in self._entries(node):
            behind = Span(span.end, span.end)
            if key == _MERGE and span.of(self._text) == _MERGE:
                yield value, behind, merged.append
            else:
                yield value, behind, self._member(part, key, span)
        for base in merged:
            self._merge(part, base)

    def _entries(self, node: YamlMapping) -> Iterator[tuple[str, Span, YamlNode | None]]:
        """Yield the keys that are texts with their values; one behind a question mark has its value in the next."""
        waiting: YamlText | None = None
        for entry in node.entries:
            marked, waiting = waiting, None
            is_value = entry.key is None and not entry.marked and entry.span.of(self._text) == ":"
            if marked is not None:
                yield marked.text, marked.span, entry.value if is_value else None
                if is_value:
                    continue
            if entry.marked and isinstance(entry.value, YamlText):
                waiting = entry.value
            elif entry.key is not None:
                yield entry.key, entry.span, entry.value
            else:
                self._fault(entry.span, "a key here is no text", "write the key as a text")
        if waiting is not None:
            yield waiting.text, waiting.span, None

    def _member(self, part: Part, key: str, span: Span) -> _Taker:
        def take(value: Part) -> None:
            first = part.keys.get(key)
            if first is not None:
                reason = f"{quoted(key)} stands twice in this mapping"
                data = {"key": key, "first": first, "pointer": "", "reason": reason, "remedy": "keep one"}
                self.problems.append(Problem(_DUPLICATE, span, data))
            _put(part, key, value, span)

        return take

    def _pair(self, part: Part, index: int, entry: YamlEntry) -> _Taker:
        def take(value: Part) -> None:
            pair = Part({}, Span(entry.span.start, entry.span.end))
            _put(pair, entry.key or "", value, entry.span)
            _put(part, index, pair)

        return take

    def _merge(self, part: Part, base: Part) -> None:
        """Add the members of another mapping, or of each in a list, that a mapping does not have itself."""
        bases = list(base.parts.values()) if isinstance(base.value, list) else [base]
        for one in bases:
            if not isinstance(one.value, dict):
                if one.value is not None:
                    self._fault(one.span, "`<<` takes a mapping, or a list of mappings", "write an alias of a mapping")
                continue
            self._aliased += len(one.parts)
            if self._aliased > ALIASED:
                self._too_many(one.span)
                return
            for step, member in one.parts.items():
                if step not in part.value:
                    part.value[step] = member.value
                    part.parts[step] = member
                    part.keys[step] = one.keys.get(step, member.span)
                    part.size += member.size

    def _single(self, node: YamlNode | None, nowhere: Span) -> Part:
        """Return the part of what is no collection, or nests too deep to be read as one."""
        if node is None:
            return Part(None, nowhere)
        if isinstance(node, YamlAlias):
            return self._alias(node)
        if not isinstance(node, YamlText):
            self._fault(Span(node.start, node.start + 1), f"values nest deeper than {DEPTH} here", "nest them less")
            return Part(None, Span(node.start, max(node.end, node.start)))
        part = Part(_scalar(node), _scalar_span(node))
        if node.anchor:
            self._anchors[node.anchor] = part
        return part

    def _alias(self, node: YamlAlias) -> Part:
        name = quoted(f"*{node.name}")
        if node.name not in self._anchors:
            self._fault(node.span, f"{name} names nothing that is written above", "correct the name")
            return Part(None, node.span)
        target = self._anchors[node.name]
        if target is None:
            self._fault(node.span, f"{name} would contain itself", "write the value out")
            return Part(None, node.span)
        self._aliased += target.size
        if self._aliased > ALIASED:
            self._too_many(node.span)
            return Part(None, node.span)
        return target.at(node.span)

    def _too_many(self, span: Span) -> None:
        self._fault(span, f"aliases stand for more than {ALIASED:,} values here", "write the values out")

    def _fault(self, span: Span, reason: str, remedy: str) -> None:
        # One is enough: what follows from the first is no news.
        if not self.broken:
            self.broken = True
            self.problems.append(invalid(span, reason, remedy))


def _taker(part: Part, step: int) -> _Taker:
    return lambda value: _put(part, step, value)


def _put(part: Part, step: str | int, value: Part, key: Span | None = None) -> None:
    """Give a collection a member, and let its place cover it."""
    part.put(step, value, key)
    part.cover(max(value.span.end, key.end if key is not None else 0))


def _scalar(node: YamlText) -> Any:
    """Return what a scalar stands for; a number that JSON cannot write is a text."""
    text = node.text
    if node.style or node.tag == "!" or len(text) > _LONGEST_NUMBER or node.tag in ("!!str", "!!binary"):
        return text
    value = core_value(text)[1]
    return text if isinstance(value, float) and not math.isfinite(value) else value


def _scalar_span(node: YamlText) -> Span:
    """Return where the text of a scalar stands: of a block, without the indentation before it."""
    start = node.block.lines.begin if node.block is not None else node.span.start
    return Span(start, max(node.span.end, start))


def _together(parts: list[Part], span: Span) -> Part:
    """Return several documents as one list."""
    top = Part([], span)
    for index, part in enumerate(parts):
        _put(top, index, part)
    top.span = span
    return top


def _line_of(text: str, offset: int) -> int:
    head = text[:offset].replace("\r\n", "\n")
    return head.count("\n") + head.count("\r") + 1


def _within(span: Span, text: str) -> Span:
    """Return the span as far as it lies in the text, without a line end."""
    end = min(span.end, len(text))
    start = min(span.start, end)
    return Span(start, start) if text[start:end] in ("\r", "\n") else Span(start, end)


FORMAT: Format = YamlFormat()
