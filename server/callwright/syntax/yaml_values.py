"""YAML as models write it: block and flow collections, scalars of every style, each with its place.

Owns: reading one value out of a text that may go on behind it, and what is wrong with it. Must not know: calls, tools,
rules.

The types are those of YAML 1.2's core schema. What this reader does not take is told like any other fault: directives,
complex keys (`?`), merge keys and tags of applications. Problem kinds are `invalid-yaml` with `reason` and `remedy`,
sentences both, `title` of the repair and `truncated`; those of `callwright.syntax.json` for duplicate keys, unmatched
quotes, missing closers, numbers and depth, with the same data; and `engines-differ` with `reading` and `others`, where
YAML 1.1 gives another value. Takes time linear in the text.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from callwright.syntax.json import JsonRead
from callwright.syntax.json_nodes import JsonKind, JsonMember, JsonNode
from callwright.syntax.json_paths import open_paths
from callwright.syntax.problem import Problem
from callwright.syntax.yaml_notation import YamlNotation
from callwright.syntax.yaml_scalars import (
    SINGLE,
    block_scalar,
    core_value,
    differs_in_1_1,
    double_quoted,
    fold_lines,
    infinite,
)
from callwright.text.budget import UNLIMITED, Budget
from callwright.text.holes import HOLE
from callwright.text.span import Edit, Span, insert
from callwright.text.words import quoted

MAX_DEPTH: Final = 64
MAX_PROBLEMS: Final = 100
#: How many values aliases may stand for, all together.
MAX_ALIASED: Final = 10_000

#: How many bits an integer may have: as many as 4,300 decimal digits, which is all that Python writes.
_BITS_MAX: Final = 14_280
_EOL = re.compile(r"[ \t]*+(?:(?<=[ \t])#[^\r\n]*+)?(?=[\r\n]|\Z)")
_LINES = re.compile(r"(?:(?>\r\n|\n|\r)[ \t]*+(?:#[^\r\n]*+)?(?=[\r\n]|\Z))*+")
_NEXT_LINE = re.compile(r"(?>\r\n|\n|\r)( *+)")
_PLAIN = re.compile(r"(?:[^\r\n\t :#]++|:(?![ \t\r\n]|\Z)|(?<=[^ \t\r\n])#|[ \t]++(?![#\r\n]|\Z))*+")
_PLAIN_IN_FLOW = re.compile(
    r"(?:[^\r\n\t :#,\[\]{}]++|:(?![ \t\r\n,\[\]{}]|\Z)|(?<=[^ \t\r\n])#|[ \t]++(?![#\r\n]|\Z))*+"
)
_REST = re.compile(r"(?:[^\r\n\t #]++|(?<=[^ \t\r\n])#|[ \t]++(?![#\r\n]|\Z))*+")
_FLOW_SPACE = re.compile(r"(?:[ \t]++|\r\n|\n|\r|(?<=[ \t\r\n])#[^\r\n]*+)*+")
#: The space behind a line of a scalar that goes on with the next one.
_FOLDED = re.compile(r"[ \t]*+(?>\r\n|\n|\r)\s*+(?![,:\[\]{}#])")
_PROPERTY = re.compile(r"[&!][^\s,\[\]{}]*+")
_ALIAS = re.compile(r"\*[^\s,\[\]{}]++")
_HEADER = re.compile(r"([|>])([1-9]?+)([+-]?+)([1-9]?+)")
_DASH = re.compile(r"-(?=[ \t\r\n]|\Z)")
_COLON = re.compile(r"[ \t]*+:(?=[ \t\r\n]|\Z)")
_FLOW_COLON = re.compile(r"[ \t]*+:(?=[ \t\r\n,\[\]{}]|\Z)")
_JSON_COLON = re.compile(r"[ \t]*+:")
_MARK = re.compile(r"(?:---|\.\.\.)(?=[ \t\r\n]|\Z)")
_AFTER_QUOTE = re.compile(r"[ \t]*+(?:[\r\n]|\Z|:(?=[ \t\r\n]|\Z)|(?<=[ \t])#)")
_AFTER_QUOTE_IN_FLOW = re.compile(r"[ \t]*+(?:[\r\n,:\[\]{}]|\Z|(?<=[ \t])#)")
_LOOKS_LIKE_KEY = re.compile(r"(?:[\w.$/\-]++|\"[^\"\r\n]*+\"|'[^'\r\n]*+')[ \t]*+:(?=[ \t\r\n]|\Z)")
_BARE_KEY = re.compile(r"[\w.$/\-]++[ \t]*+:(?=[ \t\r\n]|\Z)")
_GLUED_KEY = re.compile(r"([A-Za-z_][\w.\-]*+):(?=[^\s:/])")
_TAGS: Final = {"!!str": "string", "!!int": "number", "!!float": "number", "!!bool": "literal", "!!null": "literal"}
_CONTAINERS: Final = {"!!map": "object", "!!seq": "array"}
_CLOSERS: Final = {"object": "}", "array": "]"}


class _FaultError(Exception):
    """What ends the reading; the problem is noted already."""


class Line(NamedTuple):
    """Where the content of a line begins, and in which column."""

    at: int
    column: int


class YamlRead(JsonRead):
    """What reading found; `failed` tells whether a fault ended it, `cut` whether the text ends inside the value."""

    __slots__ = ("cut", "failed")

    def __init__(self, reader: "_Reader", root: JsonNode) -> None:
        wild, elided = open_paths(root) if reader.open else ([], [])
        super().__init__(root, reader.end, reader.reach, reader.problems, wild, elided, YamlNotation(root, reader.text))
        self.failed = reader.failed
        self.cut = reader.cut

    def refer_to(self, own: str, whole: str) -> None:
        """Refer to `own` in place of `whole`, as a fix does that is written beside what was read."""
        super().refer_to(own, whole)
        assert isinstance(self.notation, YamlNotation)
        self.notation.refer_to(own, whole)


def read_yaml(
    text: str, at: int, column: int, end: int | None = None, *, budget: Budget = UNLIMITED
) -> YamlRead | None:
    """Read the value of a key: `at` is behind its colon, `column` where the key stands on its line.

    Returns None where nothing stands there. Lines that are no part of the value end it. Never raises but for an
    exhausted budget. What stands at `end` is not looked at; that something does tells that the value is not cut off.
    """
    limit = len(text) if end is None else min(end, len(text))
    reader = _Reader(text, limit, budget)
    root = reader.value_of_key(at, column)
    return None if root is None else YamlRead(reader, root)


class _Slot:
    """Where a node goes once it is known: the root, a member, or an item."""

    __slots__ = ("key", "key_span", "parent", "root")

    def __init__(self, parent: JsonNode | None = None, key: str = "", key_span: Span | None = None) -> None:
        self.parent = parent
        self.key = key
        self.key_span = key_span
        self.root: JsonNode | None = None

    def put(self, node: JsonNode) -> None:
        """Put a node into its place; a container goes there before its parts are read."""
        parent = self.parent
        if parent is None:
            self.root = node
        elif parent.kind == "array":
            parent.items.append(node)
            parent.value.append(node.value)
        elif HOLE in self.key:
            parent.elided = True
        else:
            parent.members.append(JsonMember(self.key, self.key_span or node.span, node))
            parent.value[self.key] = node.value

    def close(self, node: JsonNode) -> None:
        """Let a member cover its value, now that the value's end is known."""
        parent = self.parent
        if parent is not None and parent.kind == "object" and parent.members and parent.members[-1].value is node:
            member = parent.members[-1]
            member.span = Span(member.key_span.start, max(member.key_span.end, node.span.end))


class _Reader:
    """One pass over one value."""

    def __init__(self, text: str, limit: int, budget: Budget) -> None:
        self.text = text
        self.limit = limit
        self.budget = budget
        self.end = 0
        self.reach = 0
        self.problems: list[Problem] = []
        self.open = False
        self.failed = False
        self.cut = False
        self.depth = 0
        self.anchors: dict[str, JsonNode] = {}
        self.sizes: dict[int, int] = {}
        self.aliased = 0
        self.steps = 0
        self.endless: dict[str, int] = {}
        # Of the brackets that are open: what their lines stand deeper than, and whether one told that they never end.
        self.flow_indent = -1
        self.flow_broken = False
        self.flow_told = False
        self.flows: list[str] = []

    def value_of_key(self, at: int, column: int) -> JsonNode | None:
        """Read what stands behind the colon of a key in `column`."""
        slot = _Slot()
        self.end = at
        try:
            self._after_colon(slot, at, column)
            if slot.root is not None:
                self._odd_line(column)
        except _FaultError:
            self.failed = True
            if self.problems and not self.problems[-1].data.get("truncated"):
                # What was meant behind the fault is not known, as where a text is cut off.
                last = self.problems[-1]
                self.problems[-1] = replace(last, data={**last.data, "truncated": True})
        self.reach = max(self.reach, self.end)
        return slot.root

    def _odd_line(self, column: int) -> None:
        """Say that a line directly below the value is indented as none above it is."""
        ended = self._line_ends(self.end)
        if ended is None:
            return
        line = self._next(ended)
        if line is None or line.column <= column or _breaks_in(self.text, ended, line.at) > 1:
            return
        end = self._rest(line.at)
        reason = "This line is indented as none above it is, so that it belongs to nothing"
        self._report(Span(line.at, end), reason, "Indent it as its neighbours are")
        raise _FaultError

    # -- lines ---------------------------------------------------------------------------------------------------------

    def _look(self, to: int) -> None:
        if to > self.reach:
            self.reach = min(to, len(self.text))

    def _line_ends(self, at: int) -> int | None:
        """Return where the line of `at` ends if nothing but a comment stands there, else None."""
        match = _EOL.match(self.text, at, self.limit)
        self._look((match.end() if match is not None else at) + 1)
        return match.end() if match is not None else None

    def _next(self, at: int) -> Line | None:
        """Return the next line with content behind the line end at `at`; None where the text, or the YAML, ends."""
        self.steps += 1
        if not self.steps % 1024:
            self.budget.check()
        text = self.text
        skipped = _LINES.match(text, at, self.limit)
        at = skipped.end() if skipped is not None else at
        match = _NEXT_LINE.match(text, at, self.limit)
        if match is None or match.end() >= self.limit:
            self._look(self.limit + 1)
            return None
        begin, column = match.end(), len(match[1])
        self._look(begin + 4)
        if column == 0 and _MARK.match(text, begin, self.limit) is not None:
            return None
        if text[begin] == "\t":
            end = begin
            while end < self.limit and text[end] == "\t":
                end += 1
            reason = "This line is indented with a tab"
            span = Span(begin, end)
            edit = Edit(span, "  " * (end - begin))
            self._report(span, reason, "YAML takes spaces only", (edit,), title="Replace the tabs by spaces")
            raise _FaultError
        return Line(begin, column)

    # -- nodes ---------------------------------------------------------------------------------------------------------

    def _after_colon(self, slot: _Slot, at: int, column: int) -> None:
        """Read the value of a key that stands in `column`."""
        text = self.text
        ended = self._line_ends(at)
        if ended is None:
            while text[at] in " \t":
                at += 1
            self._node(slot, at, column, inline=True)
            return
        line = self._next(ended)
        if line is not None and (
            line.column > column or (line.column == column and _DASH.match(text, line.at, self.limit) is not None)
        ):
            self._node(slot, line.at, column, inline=False, column=line.column)
            return
        if slot.parent is None:
            return
        if ended >= len(text):
            self.cut = True
            self._report(
                Span(at, at), f"The text ends behind the key `{slot.key}`", "Write its value", (), truncated=True
            )
            self._scalar(slot, "missing", Span(at, at), None)
            return
        self._scalar(slot, "literal", Span(at, at), None)

    def _node(self, slot: _Slot, at: int, indent: int, *, inline: bool, column: int = -1) -> None:
        """Read the node that begins at `at`; its lines stand deeper than `indent`. With `inline`, it begins on the line
        of its key, where no block collection may begin; else `column` is its own."""
        text, limit = self.text, self.limit
        start = at
        tag, anchor = "", ""
        while at < limit and text[at] in "&!":
            match = _PROPERTY.match(text, at, limit)
            assert match is not None, "one of the two marks stands here"
            if text[at] == "&":
                anchor = match[0][1:]
            else:
                tag = match[0]
                if tag not in _TAGS and tag not in _CONTAINERS and tag != "!":
                    span = Span(*match.span())
                    self._report(span, f"The tag `{tag}` is known to some applications only", "Leave it out", ())
            at = match.end()
            ended = self._line_ends(at)
            if ended is not None:
                line = self._next(ended)
                if line is None or line.column < indent or (line.column == indent and text[line.at] != "-"):
                    empty = "" if tag == "!!str" else None
                    self._scalar(slot, "literal" if empty is None else "string", Span(start, at), empty)
                    return
                at, column, inline = line.at, line.column, False
                continue
            while text[at] in " \t":
                at += 1
            column = column if column < 0 else column + at - start
            start = at
        held = _Slot() if anchor else None
        target = slot if held is None else _Watch(slot)
        self._content(target, at, indent, inline=inline, column=column, tag=tag)
        if isinstance(target, _Watch) and target.node is not None:
            self.anchors[anchor] = target.node

    def _content(self, slot: _Slot, at: int, indent: int, *, inline: bool, column: int, tag: str) -> None:
        text, limit = self.text, self.limit
        char = text[at]
        if _DASH.match(text, at, limit) is not None:
            if inline and column < 0:
                self._report(
                    Span(at, at + 1), "A list cannot begin on the line of its key", "Begin it on the next line"
                )
                raise _FaultError
            self._sequence(slot, at, column)
            return
        if char == "?" and (at + 1 >= self.limit or text[at + 1] in " \r\n"):
            self._report(Span(at, at + 1), "A key that is marked by `?` is not read here", "Write `key: value`")
            raise _FaultError
        if char in "|>":
            self._block_scalar(slot, at, indent)
            return
        if char in "\"'":
            self._quoted(slot, at, indent, column, tag)
            return
        if char in "[{":
            self.flow_indent, self.flow_told = indent, False
            self._flow(slot, at)
            if not self.flow_broken:
                self._finish_line()
            self.flow_broken = False
            return
        if char == "*":
            self._alias(slot, at)
            self._finish_line()
            return
        if column >= 0 and self._key_end(at) is not None:
            self._mapping(slot, at, column)
            return
        self._plain(slot, at, indent, inline=inline, tag=tag)

    def _finish_line(self) -> None:
        """Take the rest of the line behind a value, which holds a comment at most."""
        ended = self._line_ends(self.end)
        if ended is not None:
            return
        at = self.end
        while self.text[at] in " \t":
            at += 1
        rest = _REST.match(self.text, at, self.limit)
        end = max(rest.end() if rest is not None else at, at + 1)
        self._look(end + 1)
        self._report(Span(at, end), "Text stands behind the value", "Put it all in quotes, or remove the text")
        raise _FaultError

    def _key_end(self, at: int) -> int | None:
        """Return where the plain key that begins at `at` ends, None where no colon makes it one."""
        match = _PLAIN.match(self.text, at, self.limit)
        end = match.end() if match is not None else at
        self._look(end + 2)
        if end >= self.limit or self.text[end] != ":" or end == at:
            return None
        while self.text[end - 1] in " \t":
            end -= 1
        return end

    # -- block collections ---------------------------------------------------------------------------------------------

    def _deeper(self, at: int) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self._problem("too-deep", Span(at, at + 1), {"limit": MAX_DEPTH})
            self.open = True
            raise _FaultError

    def _mapping(self, slot: _Slot, at: int, column: int) -> None:
        """Read a block mapping whose first key stands at `at`, in `column`."""
        node = JsonNode("object", Span(at, at), {})
        self._deeper(at)
        slot.put(node)
        seen: dict[str, Span] = {}
        try:
            line: Line | None = Line(at, column)
            while line is not None:
                if line.column > column:
                    self._misplaced(line, column)
                self._entry(node, line.at, column, seen)
                ended = self._line_ends(self.end)
                line = self._next(self.end if ended is None else ended)
                if line is None or line.column < column:
                    break
                if line.column == column and _DASH.match(self.text, line.at, self.limit) is not None:
                    break
                if line.column > column and _LOOKS_LIKE_KEY.match(self.text, line.at, self.limit) is None:
                    break
        finally:
            node.span = Span(node.span.start, max(self.end, at))
            slot.close(node)
            self.depth -= 1

    def _misplaced(self, line: Line, column: int) -> None:
        """Say that a key stands deeper than its neighbours."""
        begin = line.at - line.column
        span = Span(line.at, line.at + 1)
        edit = Edit(Span(begin, line.at), " " * column)
        self._report(span, "This line is indented deeper than its neighbours", f"Indent it by {column} spaces", (edit,))

    def _entry(self, node: JsonNode, at: int, column: int, seen: dict[str, Span]) -> None:
        """Read one key and its value."""
        text, limit = self.text, self.limit
        char = text[at]
        if char == HOLE or text.startswith(("...", "…"), at, self.limit):
            rest = _REST.match(text, at, limit)
            end = rest.end() if rest is not None else at + 1
            if self._key_end(at) is None:
                node.elided = self.open = True
                self.end = max(end, at + 1)
                return
        if char in "\"'":
            key, end = self._quoted_text(at, flow=False)
        else:
            found = self._key_end(at)
            key, end = ("", at) if found is None else (text[at:found], found)
        colon = _COLON.match(text, end, limit)
        if colon is None or (not key and char not in "\"'"):
            self._no_key(at)
            raise _FaultError
        span = Span(at, end)
        if key == "<<" and char == "<":
            self._report(span, "Merge keys are not read here", "Write the members out")
        earlier = seen.get(key)
        if earlier is not None and HOLE not in key:
            self._problem("duplicate-key", span, {"key": key, "first": earlier})
        seen.setdefault(key, span)
        if HOLE in key:
            self.open = True
        self.end = colon.end()
        self._after_colon(_Slot(node, key, span), colon.end(), column)

    def _no_key(self, at: int) -> None:
        """Say that a line of a mapping has no key."""
        text, limit = self.text, self.limit
        rest = _REST.match(text, at, limit)
        end = max(rest.end() if rest is not None else at, at + 1)
        self._look(end + 1)
        span = Span(at, end)
        if _GLUED_KEY.match(text, at, limit) is not None:
            self._glued(at)
        elif end >= len(text):
            self.cut = True
            self._report(span, "The text ends in a key", "Write the key, a colon and the value", (), truncated=True)
        else:
            self._report(span, "This line has no key", "Write `key: value`, or indent it as part of the value above")

    def _glued(self, at: int) -> None:
        """Say that a value stands directly behind the colon of its key."""
        glued = _GLUED_KEY.match(self.text, at, self.limit)
        assert glued is not None, "such a key stands here"
        self._look(glued.end() + 1)
        reason = f"No space stands behind the colon of `{glued[1]}`, so that it is no key"
        edit = insert(glued.end(), " ")
        span = Span(at, glued.end())
        self._report(span, reason, "Insert a space", (edit,), title="Insert a space", certain=True)

    def _sequence(self, slot: _Slot, at: int, column: int) -> None:
        """Read a block sequence whose first dash stands at `at`, in `column`."""
        node = JsonNode("array", Span(at, at), [])
        self._deeper(at)
        slot.put(node)
        text = self.text
        try:
            line: Line | None = Line(at, column)
            while line is not None:
                self.end = line.at + 1
                self._item(node, line.at + 1, column)
                ended = self._line_ends(self.end)
                line = self._next(self.end if ended is None else ended)
                if line is None or line.column < column:
                    break
                if line.column > column:
                    break
                if _DASH.match(text, line.at, self.limit) is None:
                    break
        finally:
            node.span = Span(node.span.start, max(self.end, at))
            slot.close(node)
            self.depth -= 1

    def _item(self, node: JsonNode, at: int, column: int) -> None:
        text = self.text
        slot = _Slot(node)
        ended = self._line_ends(at)
        if ended is None:
            first = at
            while text[first] in " \t":
                first += 1
            self._node(slot, first, column, inline=True, column=column + 1 + first - at)
            return
        line = self._next(ended)
        if line is not None and line.column > column:
            self._node(slot, line.at, column, inline=False, column=line.column)
        elif ended >= len(text):
            self.cut = True
            self._report(
                Span(at - 1, at), "The text ends behind the dash of an item", "Write the item", (), truncated=True
            )
        else:
            self._scalar(slot, "literal", Span(at, at), None)

    # -- scalars -------------------------------------------------------------------------------------------------------

    def _scalar(self, slot: _Slot, kind: JsonKind, span: Span, value: Any) -> None:
        if kind in ("hole", "elision", "missing") or (kind == "string" and HOLE in value):
            self.open = True
        slot.put(JsonNode(kind, span, value))
        self.end = max(self.end, span.end)

    def _plain(self, slot: _Slot, at: int, indent: int, *, inline: bool, tag: str) -> None:
        """Read a scalar without quotes, over as many lines as are deeper than `indent`."""
        text, limit = self.text, self.limit
        if text[at] in "@`%,]}" and not (text[at] == "%" and not inline):
            end = self._rest(at)
            self._quote(Span(at, end), f"No value can begin with {quoted(text[at])}")
            self._scalar(slot, "string", Span(at, end), text[at:end])
            return
        match = _PLAIN.match(text, at, limit)
        end = match.end() if match is not None else at
        self._look(end + 2)
        if not inline and _GLUED_KEY.match(text, at, limit) is not None:
            self._glued(at)
        if end < limit and text[end] == ":":
            end = self._rest(at)
            self._quote(Span(at, end), "A colon and a space in a value without quotes begin another value for YAML")
            self._scalar(slot, "string", Span(at, end), text[at:end])
            return
        end = max(end, at + 1)
        pieces = [text[at:end]]
        breaks: list[int] = []
        while True:
            ended = self._line_ends(end)
            if ended is None or "#" in text[end:ended]:
                break
            line = self._next_in_scalar(ended)
            if line is None or line.column <= indent:
                break
            if text[line.at] == "#" or _LOOKS_LIKE_KEY.match(text, line.at, limit) is not None:
                break
            more = _PLAIN.match(text, line.at, limit)
            stop = more.end() if more is not None else line.at
            self._look(stop + 2)
            if stop == line.at or (stop < limit and text[stop] == ":"):
                break
            breaks.append(_breaks_in(text, ended, line.at))
            pieces.append(text[line.at : stop])
            end = stop
        word = fold_lines(pieces, breaks)
        self._resolved(slot, Span(at, end), word, tag)

    def _next_in_scalar(self, at: int) -> Line | None:
        """Return the next line that is not blank; tabs and comments are for the scalar to judge."""
        text = self.text
        column = 0
        while True:
            match = _NEXT_LINE.match(text, at, self.limit)
            if match is None or match.end() >= self.limit:
                self._look(self.limit + 1)
                return None
            at = match.end()
            column = len(match[1])
            blank = at
            while blank < self.limit and text[blank] in " \t":
                blank += 1
            if blank < self.limit and text[blank] not in "\r\n":
                break
            at = blank
            if at >= self.limit:
                self._look(self.limit + 1)
                return None
        self._look(at + 4)
        if column == 0 and _MARK.match(text, at, self.limit) is not None:
            return None
        return Line(blank, column) if blank == at else Line(blank, column + blank - at)

    def _rest(self, at: int) -> int:
        """Return where the line of `at` ends, without a comment and the space before it."""
        rest = _REST.match(self.text, at, self.limit)
        end = max(rest.end() if rest is not None else at, at + 1)
        self._look(end + 1)
        return end

    def _quote(self, span: Span, reason: str, *, certain: bool = True) -> None:
        """Say that a value needs quotes."""
        written = json.dumps(span.of(self.text), ensure_ascii=False)
        repair = (Edit(span, written),)
        self._report(span, reason, "Put it in quotes", repair, title="Put it in quotes", certain=certain)

    def _resolved(self, slot: _Slot, span: Span, word: str, tag: str) -> None:
        """Put the value that a scalar without quotes stands for."""
        if word in ("...", "…"):
            self._scalar(slot, "elision", span, word)
            return
        if HOLE in word:
            self._scalar(slot, "string" if word.strip(HOLE) else "hole", span, word)
            return
        if tag in ("!", "!!str"):
            self._scalar(slot, "string", span, word)
            return
        long = len(word) > 4000 and word.lstrip("+-").isdigit()
        known = None if long else core_value(word)
        if known is None or (isinstance(known[1], int) and known[1].bit_length() > _BITS_MAX):
            self._problem("bad-number", span, {"text": word, "json": "", "reason": "too-long"})
            self._scalar(slot, "string", span, word)
            return
        kind, value = known
        if infinite(value):
            self._problem("non-finite-number", span, {"text": word}, (Edit(span, "null"),))
        other = differs_in_1_1(word)
        if other is not None and not tag:
            reading = f"`{word}` is {'a number' if kind == 'number' else 'text'} in YAML 1.2, and so here"
            others = f"readers of YAML 1.1, PyYAML among them, take it for {other}"
            self._problem("engines-differ", span, {"reading": reading, "others": others})
        self._scalar(slot, kind, span, value)

    def _quoted(self, slot: _Slot, at: int, indent: int, column: int, tag: str) -> None:
        """Read a scalar in quotes; where a colon follows, it is the first key of a mapping."""
        if column >= 0:
            mark = len(self.problems)
            _, end = self._quoted_text(at, flow=False)
            if _COLON.match(self.text, end, self.limit) is not None:
                del self.problems[mark:]
                self._mapping(slot, at, column)
                return
            del self.problems[mark:]
        del indent
        value, end = self._quoted_text(at, flow=False)
        if _TAGS.get(tag, "string") == "string":
            self._scalar(slot, "string", Span(at, end), value)
        else:
            self._resolved(slot, Span(at, end), value, tag)
        self._finish_line()

    def _quoted_text(self, at: int, *, flow: bool) -> tuple[str, int]:
        """Return the value of the scalar in quotes at `at`, and where it ends."""
        text, limit, quote = self.text, self.limit, self.text[at]
        follows = _AFTER_QUOTE_IN_FLOW if flow else _AFTER_QUOTE
        if quote == "'":
            match = SINGLE.match(text, at, limit)
            if match is not None and follows.match(text, match.end(), limit) is not None:
                self._look(match.end() + 1)
                pieces = match[0][1:-1].replace("''", "'")
                return _fold_quoted(pieces), match.end()
        elif at < self.endless.get(quote, limit + 1):
            found = double_quoted(text, at, limit)
            if found is None:
                self.endless[quote] = at
            elif follows.match(text, found.end, limit) is not None:
                self._look(found.end + 1)
                for escape in found.bad:
                    self._report(
                        escape,
                        f"`{escape.of(text)}` is no escape that YAML knows",
                        "Double the backslash",
                        (insert(escape.start, "\\"),),
                        title="Double the backslash",
                        certain=True,
                    )
                return found.value, found.end
        return self._unclosed(at, quote, flow=flow)

    def _unclosed(self, at: int, quote: str, *, flow: bool) -> tuple[str, int]:
        """Read a scalar whose closing quote is missing: to the end of its line."""
        text = self.text
        if flow:
            plain = _PLAIN_IN_FLOW.match(text, at, self.limit)
            end = max(plain.end() if plain is not None else at, at + 1)
        else:
            end = self._rest(at)
        if not flow and quote in text[at + 1 : end].replace("\\" + quote, ""):
            self._quote(Span(at, end), "Text stands behind the closing quote", certain=False)
            return text[at:end], end
        truncated = end >= len(text)
        self.cut = self.cut or truncated
        data = {"missing": "closing", "truncated": truncated, "string": Span(at, end), "marker": quote}
        self._problem("unmatched-quote", Span(at, at + 1), data, (insert(end, quote),))
        return text[at + 1 : end].replace('\\"', '"'), end

    def _block_scalar(self, slot: _Slot, at: int, indent: int) -> None:
        """Read a literal or folded scalar."""
        text, limit = self.text, self.limit
        header = _HEADER.match(text, at, limit)
        assert header is not None, "one of the two marks stands here"
        ended = self._line_ends(header.end())
        if ended is None:
            end = self._rest(at)
            self._quote(Span(at, end), f"`{text[at]}` at the start of a value begins text on the lines below")
            self._scalar(slot, "string", Span(at, end), text[at:end])
            return
        explicit = header[2] or header[4]
        value, end, looked = block_scalar(
            text, ended, limit, indent, folded=header[1] == ">", chomp=header[3], explicit=int(explicit or 0)
        )
        self._look(looked)
        self._scalar(slot, "string", Span(at, max(end, header.end())), value)

    def _alias(self, slot: _Slot, at: int) -> None:
        match = _ALIAS.match(self.text, at, self.limit)
        end = match.end() if match is not None else at + 1
        span = Span(at, end)
        target = self.anchors.get(span.of(self.text)[1:])
        if target is None:
            reason = f"`{span.of(self.text)}` names nothing that is written above"
            self._quote(span, reason)
            self._scalar(slot, "string", span, span.of(self.text))
            return
        self.aliased += self._size(target)
        if self.aliased > MAX_ALIASED:
            self._report(span, f"Aliases stand for more than {MAX_ALIASED} values", "Write the values out")
            raise _FaultError
        node = JsonNode(target.kind, span, target.value)
        self.sizes[id(node)] = self._size(target)
        slot.put(node)
        self.end = end

    def _size(self, node: JsonNode) -> int:
        known = self.sizes.get(id(node))
        if known is None:
            known = 1 + sum(self._size(child) for child in node.children)
            self.sizes[id(node)] = known
        return known

    # -- flow ----------------------------------------------------------------------------------------------------------

    def _flow(self, slot: _Slot, at: int) -> None:
        """Read `[…]` or `{…}`."""
        text, limit = self.text, self.limit
        kind: JsonKind = "array" if text[at] == "[" else "object"
        closer = _CLOSERS[kind]
        node = JsonNode(kind, Span(at, at + 1), [] if kind == "array" else {})
        self._deeper(at)
        slot.put(node)
        seen: dict[str, Span] = {}
        self.end = at + 1
        self.flows.append(closer)
        try:
            while True:
                here = self._flow_space(self.end)
                if here >= limit or self.flow_broken:
                    self._never_closed(node)
                    return
                if text[here] == closer:
                    self.end = here + 1
                    return
                if text[here] in "]}":
                    data = {"found": text[here], "expected": closer, "opener": Span(at, at + 1)}
                    self._problem(
                        "mismatched-bracket", Span(here, here + 1), data, (Edit(Span(here, here + 1), closer),)
                    )
                    self.end = here + 1
                    return
                if text[here] == ",":
                    self._report(Span(here, here + 1), "No value stands before this comma", "Remove the comma")
                    raise _FaultError
                self._flow_entry(node, here, seen)
                here = self._flow_space(self.end)
                if self._is_broken():
                    continue
                if here < limit and text[here] == ",":
                    self.end = here + 1
                elif here < limit and text[here] not in "]}":
                    self._problem("missing-comma", Span(self.end, self.end), {"found": ""}, (insert(self.end, ","),))
                    raise _FaultError
        finally:
            node.span = Span(at, max(self.end, at + 1))
            slot.close(node)
            self.flows.pop()
            self.depth -= 1

    def _never_closed(self, node: JsonNode) -> None:
        """Say that a flow collection is never closed."""
        text = self.text
        end = self.end
        while end > node.span.start and text[end - 1] in " \t\r\n,":
            end -= 1
        truncated = self.limit >= len(text) and not self.flow_broken
        self.cut = self.cut or truncated
        self.end = end
        if not self.flow_told:
            self.flow_told = True
            closer = "".join(reversed(self.flows))
            counts = {"braces": closer.count("}"), "brackets": closer.count("]"), "text": closer}
            data = {**counts, "truncated": truncated, "dangling": False, "notation": "YAML"}
            self._problem("missing-closers", Span(end, end), data, (insert(end, closer),))
        if not self.flow_broken:
            raise _FaultError

    def _flow_space(self, at: int) -> int:
        match = _FLOW_SPACE.match(self.text, at, self.limit)
        end = match.end() if match is not None else at
        self._look(end + 2)
        if self._leaves_flow(at, end):
            self.flow_broken = True
        return end

    def _is_broken(self) -> bool:
        """Return whether a line told that the brackets never end."""
        return self.flow_broken

    def _leaves_flow(self, start: int, end: int) -> bool:
        """Return whether a line that begins at `end` is one of the lines around the brackets: they were never
        closed."""
        text = self.text
        line = max(text.rfind("\n", start, end), text.rfind("\r", start, end)) + 1
        if not line or end - line > self.flow_indent:
            return False
        at_key = _BARE_KEY.match(text, end, self.limit) or _DASH.match(text, end, self.limit)
        self._look((at_key.end() if at_key is not None else end) + 2)
        return at_key is not None

    def _flow_entry(self, node: JsonNode, at: int, seen: dict[str, Span]) -> None:
        """Read an item, or a key with its value."""
        text, limit = self.text, self.limit
        if text.startswith(("...", "…"), at, self.limit) or text[at] == HOLE:
            plain = _PLAIN_IN_FLOW.match(text, at, limit)
            end = max(plain.end() if plain is not None else at, at + 1)
            if _FLOW_COLON.match(text, end, limit) is None and (node.kind == "object" or text[at] != HOLE):
                node.elided = self.open = True
                self.end = end
                return
        if text[at] in "[{*&!":
            if node.kind == "object":
                self._report(Span(at, at + 1), "Keys that are no text are not read here", "Write the key in quotes")
                raise _FaultError
            self._flow_value(_Slot(node), at)
            return
        if text[at] in "\"'":
            key, end = self._quoted_text(at, flow=True)
            plain_key = False
        else:
            key, end = self._flow_plain(at)
            plain_key = True
            if end == at:
                self._report(Span(at, at + 1), f"`{text[at]}` cannot stand here", "Put the value in quotes")
                raise _FaultError
        self._look(end + 2)
        # Behind a key in quotes, the value may follow the colon without space, as in JSON.
        colon = (_FLOW_COLON if plain_key else _JSON_COLON).match(text, end, limit)
        span = Span(at, end)
        if colon is None:
            if node.kind == "array":
                if plain_key:
                    self._resolved(_Slot(node), span, key, "")
                else:
                    self._scalar(_Slot(node), "string", span, key)
                self.end = end
                return
            seen.setdefault(key, span)
            self.end = end
            self._scalar(_Slot(node, key, span), "literal", Span(end, end), None)
            return
        owner = node
        if node.kind == "array":
            owner = JsonNode("object", Span(at, end), {})
            _Slot(node).put(owner)
        else:
            earlier = seen.get(key)
            if earlier is not None and HOLE not in key:
                self._problem("duplicate-key", span, {"key": key, "first": earlier})
            seen.setdefault(key, span)
        if key == "<<" and plain_key:
            self._report(span, "Merge keys are not read here", "Write the members out")
        if HOLE in key:
            self.open = True
        self.end = colon.end()
        slot = _Slot(owner, key, span)
        value_at = self._flow_space(colon.end())
        if value_at >= limit:
            self._scalar(slot, "missing", Span(colon.end(), colon.end()), None)
        elif text[value_at] in ",]}":
            self._scalar(slot, "literal", Span(colon.end(), colon.end()), None)
        else:
            self._flow_value(slot, value_at)
        if owner is not node:
            owner.span = Span(at, max(self.end, end))

    def _flow_plain(self, at: int) -> tuple[str, int]:
        """Return the scalar without quotes at `at`, over as many lines as it has, and where it ends."""
        text, limit = self.text, self.limit
        pieces: list[str] = []
        breaks: list[int] = []
        end = start = at
        while True:
            match = _PLAIN_IN_FLOW.match(text, start, limit)
            stop = match.end() if match is not None else start
            while stop > start and text[stop - 1] in " \t":
                stop -= 1
            if stop == start:
                break
            if pieces:
                breaks.append(_breaks_in(text, end, start))
            pieces.append(text[start:stop])
            end = stop
            following = _FOLDED.match(text, end, limit)
            if following is None or self._leaves_flow(end, following.end()):
                break
            start = following.end()
        self._look(end + 2)
        return (fold_lines(pieces, breaks) if pieces else ""), end

    def _flow_value(self, slot: _Slot, at: int) -> None:
        text, limit = self.text, self.limit
        tag, anchor = "", ""
        while at < limit and text[at] in "&!":
            match = _PROPERTY.match(text, at, limit)
            assert match is not None, "one of the two marks stands here"
            anchor = match[0][1:] if text[at] == "&" else anchor
            tag = match[0] if text[at] == "!" else tag
            at = self._flow_space(match.end())
        if at >= limit:
            self._scalar(slot, "missing", Span(self.end, self.end), None)
            return
        target = _Watch(slot)
        char = text[at]
        if char in "[{":
            self._flow(target, at)
        elif char == "*":
            self._alias(target, at)
        elif char in "\"'":
            value, end = self._quoted_text(at, flow=True)
            self._scalar(target, "string", Span(at, end), value)
            self.end = end
        elif char in ",]}":
            self._scalar(target, "literal", Span(at, at), None)
        else:
            word, end = self._flow_plain(at)
            if end == at:
                self._report(Span(at, at + 1), f"`{char}` cannot stand here", "Put the value in quotes")
                raise _FaultError
            self._resolved(target, Span(at, end), word, tag)
            self.end = end
        if anchor and target.node is not None:
            self.anchors[anchor] = target.node

    # -- problems ------------------------------------------------------------------------------------------------------

    def _report(
        self,
        span: Span,
        reason: str,
        remedy: str,
        repair: Sequence[Edit] = (),
        *,
        title: str = "Mend it",
        truncated: bool = False,
        certain: bool = False,
    ) -> None:
        data = {"reason": reason, "remedy": remedy, "title": title, "truncated": truncated}
        self._problem("invalid-yaml", span, data, tuple(repair), certain=certain)

    def _problem(
        self, kind: str, span: Span, data: dict[str, Any], repair: tuple[Edit, ...] = (), *, certain: bool = False
    ) -> None:
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(Problem(kind, span, data, repair, certain))


class _Watch(_Slot):
    """A slot that remembers the node that went through it."""

    __slots__ = ("node", "slot")

    def __init__(self, slot: _Slot) -> None:
        super().__init__(slot.parent, slot.key, slot.key_span)
        self.slot = slot
        self.node: JsonNode | None = None

    def put(self, node: JsonNode) -> None:
        """Put a node where it belongs, and remember it."""
        self.node = node
        self.slot.put(node)


def _breaks_in(text: str, start: int, end: int) -> int:
    """Return how many line ends lie in a stretch of space."""
    return len(re.findall(r"\r\n|\n|\r", text[start:end]))


def _fold_quoted(value: str) -> str:
    """Return the text of a scalar in quotes with its line ends folded."""
    if "\n" not in value and "\r" not in value:
        return value
    lines = re.split(r"\r\n|\n|\r", value)
    last = len(lines) - 1
    pieces = [
        line.strip(" \t") if 0 < index < last else line.rstrip(" \t") if not index else line.lstrip(" \t")
        for index, line in enumerate(lines)
    ]
    return fold_pieces(pieces)


def fold_pieces(pieces: Sequence[str]) -> str:
    """Return lines as one text: a line end becomes a space, an empty line between two a line feed."""
    out = [pieces[0]]
    empty = 0
    for index, piece in enumerate(pieces[1:], 1):
        if not piece and index < len(pieces) - 1:
            empty += 1
            continue
        out.append("\n" * empty if empty else " ")
        out.append(piece)
        empty = 0
    return "".join(out)
