"""Values of YAML as models and authors write it, each with its place: of a file, and of a key in other text.

Owns: the types of values, aliases, duplicate keys, and their problems. Must not know: how YAML is read, calls, tools,
rules.

The types are those of YAML 1.2's core schema. All documents of a file are read, with merge keys; its keys are always
texts, and its aliases share the parts of their values. In the value of a key, unsupported syntax is reported as a
problem: directives, complex keys (`?`), merge keys and tags of applications. Problem kinds are `invalid-yaml` with
`reason` and `remedy`, sentences both, `title` of the repair and `truncated`; those of `callwright.syntax.json` for
duplicate keys, unmatched quotes, missing closers, numbers and depth, with the same data; and `engines-differ` with
`reading` and `others`, if YAML 1.1 gives another value. Takes time linear in the text.
"""

import json
import re
from typing import Any, Final

from callwright.syntax.json import JsonRead
from callwright.syntax.json_nodes import JsonMember, JsonNode
from callwright.syntax.json_paths import open_paths
from callwright.syntax.problem import Problem
from callwright.syntax.yaml_format import YamlFormat
from callwright.syntax.yaml_lexer import EOL, MAX_PROBLEMS, Stop
from callwright.syntax.yaml_reader import YamlReader, read_documents
from callwright.syntax.yaml_scalars import core_value, differs_in_1_1, infinite
from callwright.syntax.yaml_tree import YamlAlias, YamlEntry, YamlMapping, YamlNode, YamlSequence, YamlText
from callwright.text.budget import UNLIMITED, Budget
from callwright.text.holes import HOLE
from callwright.text.records import NamedTuple
from callwright.text.span import Edit, Span

#: How many values aliases may expand to in total: in the value of a key, and in a file.
MAX_ALIASED: Final = 10_000
MAX_ALIASED_IN_FILE: Final = 100_000
#: How deep the values of a file may nest; definitions of tools need less.
MAX_DEPTH_IN_FILE: Final = 200
_MERGE: Final = "<<"
#: How many bits an integer may have: as many as 4,300 decimal digits, which is the limit of Python.
_BITS_MAX: Final = 14_280
_TO_THE_END: Final = re.compile(r"(?:\s++|(?<=\s)#[^\r\n]*+)*+\Z")
#: The placeholder of an unknown value.
_OPEN: Final = frozenset({"hole", "elision", "missing"})
#: The tags with which a scalar in quotes is not text.
_TYPED: Final = frozenset({"!!int", "!!float", "!!bool", "!!null"})
#: The tags with which a scalar without quotes is text.
_TEXTS: Final = frozenset({"!", "!!str", "!!binary"})


class YamlRead(JsonRead):
    """The result of reading; `failed` says whether an error ended it, `cut` whether the text ends inside the value."""

    __slots__ = ("cut", "failed")

    def __init__(self, values: "_Values", root: JsonNode) -> None:
        reader = values.reader
        wild, elided = open_paths(root) if values.open else ([], [])
        format_ = YamlFormat(root, reader.text)
        super().__init__(root, reader.end, reader.reach, values.problems(), wild, elided, format_)
        self.failed = reader.failed
        self.cut = reader.cut

    def detach(self, own: str, whole: str) -> None:
        """Refer to `own` instead of `whole`."""
        super().detach(own, whole)
        assert isinstance(self.value_format, YamlFormat)
        self.value_format.detach(own, whole)


def read_yaml(
    text: str, at: int, column: int, end: int | None = None, *, budget: Budget = UNLIMITED
) -> YamlRead | None:
    """Read the value of a key: `at` is after its colon, `column` where the key is on its line.

    Returns None if there is no value. Lines outside the value end it. Never raises, except for an exhausted budget.
    Text at `end` is not read; it only shows that the value is not truncated.
    """
    limit = len(text) if end is None else min(end, len(text))
    reader = YamlReader(text, at, limit, budget, of_value=True)
    entry = reader.read_value(column)
    if entry.value is None:
        return None
    values = _Values(reader)
    return YamlRead(values, values.root(entry.value))


class YamlDocuments(NamedTuple):
    """The values of a file's documents, the places that a YAML parser would reject, and the problems of the values."""

    roots: list[JsonNode]
    faults: list[Span]
    problems: list[Problem]


def read_yaml_documents(text: str, start: int = 0) -> YamlDocuments:
    """Read a file; never raises."""
    reader = read_documents(text, start)
    values = _Values(reader)
    return YamlDocuments([values.root(root) for root in reader.roots], reader.faults, values.found)


class _Values:
    """The values of the trees of a reader."""

    def __init__(self, reader: YamlReader) -> None:
        self.reader = reader
        self.text = reader.text
        self.open = any(problem.kind == "too-deep" for problem in reader.problems)
        self.found: list[Problem] = []
        #: By the name of an anchor, its value; None while that is being read.
        self._anchors: dict[str, JsonNode | None] = {}
        #: By the identity of a node that an alias refers to, how many values are in it.
        self._sizes: dict[int, int] = {}
        self._aliased = 0
        self._most_aliased = MAX_ALIASED if reader.of_value else MAX_ALIASED_IN_FILE
        self._depth = 0

    def root(self, node: YamlNode) -> JsonNode:
        """Return the value of the root; a part of it if aliases expand to too much."""
        held = JsonNode("array", Span(0, 0), [])
        self._anchors.clear()
        self._depth = 0
        try:
            self._add(held, None, node, 0)
        except Stop:
            self.reader.failed = True
        return held.items[0]

    def problems(self) -> list[Problem]:
        """Return all problems, in the order of the text."""
        read = self.reader.problems
        found = sorted([*read, *self.found], key=lambda problem: problem.span.start) if self.found else read
        return found[:MAX_PROBLEMS]

    # -- collections ---------------------------------------------------------------------------------------------------

    def _add(self, owner: JsonNode, entry: YamlEntry | None, node: YamlNode | None, nowhere: int) -> None:
        """Add a value to its collection; a collection is added before its parts."""
        anchor = node.anchor if node is not None and not isinstance(node, YamlAlias) else ""
        if isinstance(node, YamlMapping | YamlSequence):
            end = node.end if node.end >= 0 else node.last
            is_mapping = isinstance(node, YamlMapping)
            made = JsonNode("object" if is_mapping else "array", Span(node.start, end), {} if is_mapping else [])
            made.elided = node.elided
            self.open = self.open or node.elided
            _put(owner, entry, made)
            if anchor:
                self._anchors[anchor] = None
            self._depth += 1
            if self._depth > MAX_DEPTH_IN_FILE:
                reason = f"Values are nested more than {MAX_DEPTH_IN_FILE} levels deep"
                self._report(Span(node.start, node.start + 1), reason, "Flatten them")
            elif isinstance(node, YamlMapping):
                self._fill_object(made, node)
            else:
                self._fill_array(made, node)
            self._depth -= 1
        else:
            made = self._alias(node) if isinstance(node, YamlAlias) else self._scalar(node, nowhere, entry)
            if made.kind in _OPEN or (made.kind == "string" and HOLE in made.value):
                self.open = True
            _put(owner, entry, made)
        if anchor:
            self._anchors[anchor] = made

    def _fill_object(self, owner: JsonNode, node: YamlMapping) -> None:
        seen: dict[str, Span] = {}
        merged = JsonNode("array", Span(0, 0), [])
        for entry in node.entries:
            key, span = entry.key, entry.span
            after = entry.after if entry.after >= 0 else span.end
            if key is None:
                self._report(span, "A key here is not a string", "Write the key as a string")
            elif key == _MERGE and not self.reader.of_value and span.of(self.text) == _MERGE:
                self._add(merged, None, entry.value, after)
            else:
                if entry.after >= 0:
                    self._check_key(key, span, seen.get(key))
                seen.setdefault(key, span)
                self._add(owner, entry, entry.value, after)
        for base in merged.items:
            self._merge(owner, base)

    def _merge(self, owner: JsonNode, base: JsonNode) -> None:
        """Add the members of another mapping, or of each in a list, that an object does not have itself."""
        for one in base.items if base.kind == "array" else [base]:
            if one.kind != "object":
                if one.value is not None:
                    reason, remedy = "`<<` requires a mapping or a list of mappings", "Write an alias for a mapping"
                    self._report(one.span, reason, remedy)
                continue
            self._count_aliased(len(one.members), one.span)
            for member in one.members:
                if member.key not in owner.value:
                    owner.members.append(member)
                    owner.value[member.key] = member.value.value

    def _fill_array(self, owner: JsonNode, node: YamlSequence) -> None:
        for index, item in enumerate(node.items):
            entry = node.keys.get(index)
            if entry is None:
                at = node.dashes[index] + 1 if node.dashes else node.start
                if item is None and self._is_cut(at):
                    self._report_cut(Span(at - 1, at), "The text ends after the dash of an item", "Write the item")
                else:
                    self._add(owner, None, item, at)
                continue
            pair = JsonNode("object", Span(entry.span.start, max(_end_of(item), entry.after)), {})
            _put(owner, None, pair)
            if self.reader.of_value:
                self._check_key(entry.key or "", entry.span, None)
            self._add(pair, entry, item, entry.after)

    def _check_key(self, key: str, span: Span, earlier: Span | None) -> None:
        if HOLE in key:
            self.open = True
        elif earlier is not None:
            self._problem("duplicate-key", span, {"key": key, "first": earlier})
        if key == _MERGE and span.of(self.text) == _MERGE:
            self._report(span, "Merge keys are not supported here", "Write the members in full")

    # -- scalars -------------------------------------------------------------------------------------------------------

    def _scalar(self, node: YamlText | None, nowhere: int, entry: YamlEntry | None) -> JsonNode:
        if node is None:
            return self._nothing(nowhere, entry)
        start, end = node.span
        if node.block is not None:
            begin = node.block.begin if self.reader.of_value else node.block.lines.begin
            end = node.block.end if self.reader.of_value else max(end, begin)
            return JsonNode("string", Span(begin, end), node.text)
        if node.style and node.tag not in _TYPED:
            return JsonNode("string", node.span, node.text)
        if start == end:
            text = node.tag in _TEXTS
            return JsonNode("string" if text else "literal", node.span, "" if text else None)
        return self._resolved(node.span, node.text, node.tag)

    def _nothing(self, at: int, entry: YamlEntry | None) -> JsonNode:
        """Return the value of an empty place: null, unless the text ends there."""
        if entry is not None and self.reader.of_value and entry.after >= at >= self.reader.end:
            if entry.column >= 0 and self._is_cut(at):
                self._report_cut(Span(at, at), f"The text ends after the key `{entry.key}`", "Write its value")
                return JsonNode("missing", Span(at, at), None)
            if entry.column < 0 and _TO_THE_END.match(self.text, at, self.reader.limit) is not None:
                return JsonNode("missing", Span(at, at), None)
        return JsonNode("literal", Span(at, at), None)

    def _is_cut(self, at: int) -> bool:
        """Return whether the text ends on the line of `at`, which is empty there."""
        if not self.reader.of_value or at < self.reader.end:
            return False
        rest = EOL.match(self.text, at, self.reader.limit)
        return rest is not None and rest.end() >= len(self.text)

    def _report_cut(self, span: Span, reason: str, remedy: str) -> None:
        self.reader.cut = True
        self._report(span, reason, remedy, truncated=True)

    def _resolved(self, span: Span, word: str, tag: str) -> JsonNode:
        """Return the value of a scalar without quotes."""
        if word in ("...", "…"):
            return JsonNode("elision", span, word)
        if HOLE in word:
            return JsonNode("string" if word.strip(HOLE) else "hole", span, word)
        if tag in _TEXTS:
            return JsonNode("string", span, word)
        long = len(word) > 4000 and word.lstrip("+-").isdigit()
        known = None if long else core_value(word)
        if known is None or (isinstance(known[1], int) and known[1].bit_length() > _BITS_MAX):
            self._problem("bad-number", span, {"text": word, "json": "", "reason": "too-long"})
            return JsonNode("string", span, word)
        kind, value = known
        if not self.reader.of_value:
            return JsonNode("string", span, word) if infinite(value) else JsonNode(kind, span, value)
        if infinite(value):
            self._problem("non-finite-number", span, {"text": word}, (Edit(span, "null"),))
        other = differs_in_1_1(word)
        if other is not None and not tag:
            reading = f"`{word}` is {'a number' if kind == 'number' else 'text'} in YAML 1.2"
            others = f"YAML 1.1 parsers such as PyYAML read it as {other}"
            self._problem("engines-differ", span, {"reading": reading, "others": others})
        return JsonNode(kind, span, value)

    # -- aliases -------------------------------------------------------------------------------------------------------

    def _alias(self, node: YamlAlias) -> JsonNode:
        span, target = node.span, self._anchors.get(node.name)
        if target is None:
            written = span.of(self.text)
            is_inside = node.name in self._anchors
            reason = f"`{written}` {'would contain itself' if is_inside else 'refers to no anchor above it'}"
            remedy = "Write it in quotes"
            data = {"reason": reason, "remedy": remedy, "title": remedy, "truncated": False}
            edit = Edit(span, json.dumps(written, ensure_ascii=False))
            self._problem("invalid-yaml", span, data, (edit,), certain=True)
            return JsonNode("string", span, written) if self.reader.of_value else JsonNode("literal", span, None)
        size = self._size(target)
        self._count_aliased(size, span)
        made = JsonNode(target.kind, span, target.value)
        self._sizes[id(made)] = size
        if not self.reader.of_value:
            made.members.extend(target.members)
            made.items.extend(target.items)
        return made

    def _count_aliased(self, size: int, span: Span) -> None:
        """Count the values that aliases expand to; too many end the reading."""
        self._aliased += size
        if self._aliased > self._most_aliased:
            reason = f"Aliases expand to more than {self._most_aliased} values"
            self._report(span, reason, "Write the values in full", truncated=True)
            raise Stop

    def _size(self, node: JsonNode) -> int:
        """Return how many values there are in one, up to the limit."""
        size, waiting = 0, [node]
        while waiting and size <= self._most_aliased:
            each = waiting.pop()
            known = self._sizes.get(id(each))
            size += known or 1
            if known is None:
                waiting += each.children
        return size

    # -- problems ------------------------------------------------------------------------------------------------------

    def _report(self, span: Span, reason: str, remedy: str, *, truncated: bool = False) -> None:
        data = {"reason": reason, "remedy": remedy, "title": "Fix it", "truncated": truncated}
        self._problem("invalid-yaml", span, data)

    def _problem(
        self, kind: str, span: Span, data: dict[str, Any], repair: tuple[Edit, ...] = (), *, certain: bool = False
    ) -> None:
        if len(self.found) < MAX_PROBLEMS:
            self.found.append(Problem(kind, span, data, repair, certain))


def _put(owner: JsonNode, entry: YamlEntry | None, node: JsonNode) -> None:
    """Add a value to an array, or to an object under its key; after a hole there is no key."""
    if entry is None:
        owner.items.append(node)
        owner.value.append(node.value)
    elif HOLE in (entry.key or ""):
        owner.elided = True
    else:
        key = entry.key or ""
        owner.members.append(JsonMember(key, entry.span, node))
        owner.value[key] = node.value


def _end_of(node: YamlNode | None) -> int:
    if node is None:
        return -1
    return node.end if isinstance(node, YamlMapping | YamlSequence) else node.span.end
