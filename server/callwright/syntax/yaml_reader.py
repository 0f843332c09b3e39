"""The reader of YAML: one tolerant tree of a file, or of the value of one key, with its problems.

Owns: block collections, documents, where values of every style begin and end. Must not know: what the values mean,
calls, which values are used.

A file that YAML's parsers reject is read line by line: invalid lines are skipped, and the values around them keep their
places. The value of a key ends at its first error. Takes time linear in the text; nothing here recurses.
"""

from __future__ import annotations

import re
from typing import Final

from callwright.syntax.yaml_flow import Flow
from callwright.syntax.yaml_lexer import (
    ALIAS,
    COLON,
    GLUED_KEY,
    HEADER,
    INDICATOR,
    KEY_LIKE,
    LINE,
    NO_PLAIN,
    PROPERTY,
    Lexer,
    Stop,
)
from callwright.syntax.yaml_tree import (
    YamlAlias,
    YamlBlock,
    YamlEntry,
    YamlMapping,
    YamlNode,
    YamlSequence,
    YamlText,
)
from callwright.text.budget import UNLIMITED, Budget
from callwright.text.holes import HOLE
from callwright.text.span import Edit, Span, insert
from callwright.text.words import quoted
from callwright.text.yaml_scalars import BREAK, BREAKS, MARKER, BlockHeader, DoubleQuoted, SingleQuoted, block_lines

_BRACKETS: Final = re.compile(r"[\[{\]}]|\"(?:[^\"\\\r\n]++|\\[^\r\n])*+\"")


def yaml_outline(text: str, start: int = 0, end: int | None = None) -> list[YamlNode]:
    """Return the roots of the documents in a YAML text, in order; never raises."""
    return read_documents(text, start, end).roots


def read_documents(text: str, start: int = 0, end: int | None = None) -> YamlReader:
    """Return the reader of a YAML text, with its roots and problems; never raises."""
    reader = YamlReader(text, start, len(text) if end is None else end)
    reader.read_documents()
    return reader


class _Frame:
    """A block collection that is open; `waits` says that a value is expected, `markers` that keys are marked."""

    __slots__ = ("column", "markers", "node", "waits")

    def __init__(self, node: YamlMapping | YamlSequence, column: int) -> None:
        self.node = node
        self.column = column
        self.waits = self.markers = False

    def put(self, value: YamlNode) -> bool:
        """Add a value if one is expected; otherwise return False."""
        if not self.waits:
            return False
        self.waits = False
        if isinstance(self.node, YamlMapping):
            self.node.entries[-1].value = value
        else:
            self.node.items[-1] = value
        return True


class YamlReader(Lexer):
    """One pass over one file, or over the value of a key, from line to line."""

    def __init__(self, text: str, at: int, limit: int, budget: Budget = UNLIMITED, *, of_value: bool = False) -> None:
        super().__init__(text, at, limit, budget, of_value=of_value)
        self.roots: list[YamlNode] = []
        self.stack: list[_Frame] = []
        # Whether the document has a root, and whether directives are allowed.
        self._rooted = False
        self._fresh = True
        # The end of the brackets that were read and not closed.
        self._broken_to = -1

    @property
    def faults(self) -> list[Span]:
        """The places that a YAML parser would reject."""
        return [problem.data.get("opener", problem.span) for problem in self.problems]

    def read_documents(self) -> None:
        """Read a file."""
        if self.text.startswith("\ufeff", self.at):
            self.at += 1
        while self._next_line():
            pass
        self._leave(-1)

    def read_value(self, column: int) -> YamlEntry:
        """Return the entry of a key in `column` whose value is read, None if there is none."""
        entry = YamlEntry(None, Span(self.at, self.at), column, after=self.at)
        root = _Frame(YamlMapping(self.at, column, [entry]), column)
        root.waits = True
        self.stack.append(root)
        try:
            ended = self.ends(self.at)
            if ended is None:
                self._value(self.space(self.at), column)
            else:
                self.at = ended
            while self._next_line():
                pass
        except Stop:
            self._drop_awaited()
        while len(self.stack) > 1:
            self._pop()
        self.reach = min(max(self.reach, self.end), len(self.text))
        return entry

    def _drop_awaited(self) -> None:
        """Remove the entries and items without a value at which the reading ended."""
        for frame in self.stack[1:]:
            if frame.waits:
                parts = frame.node.entries if isinstance(frame.node, YamlMapping) else frame.node.items
                parts.pop()

    # -- lines ---------------------------------------------------------------------------------------------------------

    def _next_line(self) -> bool:
        """Read from the next line with content on; False if there is none, or it belongs to what follows."""
        text, limit = self.text, self.limit
        self.step()
        match = LINE.match(text, self.at, limit)
        assert match is not None, "nothing is needed for it to match"
        at, begin = match.end(), match.start(1)
        if at >= limit or text[at] == "#":
            self.look(limit + 1)
            return False
        self.look(at + 4)
        column = at - begin
        if column == 0:
            marker = MARKER.match(text, at, limit)
            if marker is not None:
                if not self.of_value:
                    self._document(marker)
                return not self.of_value
            if text[at] == "%" and self._fresh and not self.of_value:
                self.at = self.skip(at)
                return True
        if match[2] and text[at] not in "[]{},":
            span = Span(match.start(2), at)
            reason, edit = "This line is indented with a tab", Edit(span, "  " * (at - span.start))
            self.report(span, reason, "YAML allows only spaces", (edit,), title="Replace the tabs with spaces")
            self.stop()
        if self.of_value and self._is_outside(at, column):
            return False
        self._line(at, column)
        self._fresh = False
        return True

    def _is_outside(self, at: int, column: int) -> bool:
        """Return whether a line is outside the value: a list may be in the column of its key."""
        root = self.stack[0]
        if column != root.column or self.text[at] != "-" or INDICATOR.match(self.text, at, self.limit) is None:
            return column <= root.column
        return not root.waits and (len(self.stack) < 2 or self.stack[1].column != column)

    def _document(self, marker: re.Match[str]) -> None:
        """Begin a new document; its root may be after the marker, unless it is a block collection."""
        self._leave(-1)
        self._rooted = False
        self.forget()
        self._fresh = marker[0] == "..."
        ended = self.ends(marker.end())
        if self._fresh or ended is not None:
            self.at = self.skip(marker.end())
            return
        self._value(self.space(marker.end()), -1)

    def _leave(self, column: int) -> None:
        """Close the collections that are deeper than `column`."""
        while self.stack and self.stack[-1].column > column:
            self._pop()

    def _pop(self) -> None:
        frame = self.stack.pop()
        frame.node.last = max(self.end, frame.node.start)
        if frame.markers and isinstance(frame.node, YamlMapping):
            frame.node.entries = _joined(frame.node.entries)

    def _put(self, node: YamlNode, start: int) -> None:
        self.adorn(node)
        if not self.stack:
            if self._rooted:
                self._misfit(start)
            self._rooted = True
            self.roots.append(node)
        elif not self.stack[-1].put(node):
            self._misfit(start)

    def _misfit(self, at: int) -> None:
        """Report the text at `at`, which belongs to no collection."""
        if self.of_value and len(BREAK.findall(self.text, self.end, at)) > 1:
            # It is separate from the value, and does not affect it.
            raise Stop
        reason = "The indentation of this line matches no line above it"
        self.report(Span(at, self.rest(at)), reason, "Indent it like the lines around it")
        self.stop()

    # -- block collections ---------------------------------------------------------------------------------------------

    def _line(self, at: int, column: int) -> None:
        """Read what begins on a line: dashes, keys, and a value; where it ends, `self.at` is the next line."""
        text, own_line = self.text, True
        self._leave(column)
        while text[at] in "-?:" and INDICATOR.match(text, at, self.limit) is not None:
            if text[at] == "-":
                self._dash(at, column)
            elif self.of_value:
                if text[at] == ":":
                    break
                self.report(Span(at, at + 1), "Keys marked with `?` are not supported here", "Write `key: value`")
                self.stop()
            else:
                self._marked(at, column)
            ended = self.ends(at + 1)
            if ended is not None:
                self.at = ended
                return
            following = self.space(at + 1)
            column += following - at
            at, own_line = following, False
        self._entry(at, column, own_line=own_line)

    def _dash(self, at: int, column: int) -> None:
        top = self.stack[-1] if self.stack else None
        if top is None or top.column < column or (isinstance(top.node, YamlMapping) and top.column == column):
            node = YamlSequence(at)
            self._open(node, at, column)
            top = self.stack[-1]
        assert isinstance(top.node, YamlSequence), "any other frame is deeper, or was just made"
        top.node.items.append(None)
        top.node.dashes.append(at)
        top.waits = True
        self.end = max(self.end, at + 1)
        self.forget()

    def _open(self, node: YamlMapping | YamlSequence, at: int, column: int) -> None:
        """Begin a block collection."""
        if not self.stack or self.stack[-1].waits:
            self.check_depth(at, len(self.stack) - 1)
        self._put(node, at)
        self.stack.append(_Frame(node, column))

    def _keyed(self, entry: YamlEntry) -> None:
        """Begin an entry of the mapping in its column."""
        stack, column, start = self.stack, entry.column, entry.span.start
        if stack and stack[-1].column == column and isinstance(stack[-1].node, YamlSequence):
            # A list in the column of its key ends where the next key begins.
            self._pop()
        top = stack[-1] if stack else None
        if top is None or (top.waits and top.column < column):
            self._open(YamlMapping(start, column), start, column)
        elif top.column < column or not isinstance(top.node, YamlMapping):
            self._misplaced(entry)
        top = stack[-1]
        assert isinstance(top.node, YamlMapping), "any other was left, or was just made"
        top.node.entries.append(entry)
        top.waits = True
        self.end = max(self.end, entry.after)
        self.forget()

    def _marked(self, at: int, column: int) -> None:
        """Begin an entry whose key is after a question mark, or its value, after a colon."""
        self._keyed(YamlEntry(None, Span(at, at + 1), column, None, self.text[at], at + 1))
        self.stack[-1].markers = True

    def _misplaced(self, entry: YamlEntry) -> None:
        """Report a key that is deeper than its neighbours: it is read as one of them, but ignored in a list."""
        at, column = entry.span.start, entry.column
        top = self.stack[-1]
        is_root = self.of_value and len(self.stack) == 1
        if is_root or isinstance(top.node, YamlSequence) or KEY_LIKE.match(self.text, at, self.limit) is None:
            self._open(YamlMapping(at, column), at, column)
            return
        wanted = top.column
        reason, edit = (
            "This line is indented deeper than the lines around it",
            Edit(Span(at - column, at), " " * wanted),
        )
        self.report(Span(at, at + 1), reason, f"Indent it by {wanted} spaces", (edit,))

    def _properties_end(self, at: int, indent: int) -> int | None:
        """Return where the text after the anchors and tags at `at` begins; None if there is none, and then `at` is
        set."""
        while at < self.limit and self.text[at] in "&!" and (found := PROPERTY.match(self.text, at, self.limit)):
            self.note(found[0], at)
            ended = self.ends(found.end())
            if ended is not None:
                self.at = ended
                if self._is_empty_after(ended, indent):
                    self._scalar(YamlText(self.text, Span(found.end(), found.end()), "", indent, False), found.end())
                return None
            at = self.space(found.end())
        return at

    def _is_empty_after(self, at: int, indent: int) -> bool:
        """Return whether no value follows on the lines below: none that is deeper than `indent`, and no list in it."""
        match = LINE.match(self.text, at, self.limit)
        assert match is not None, "nothing is needed for it to match"
        at, column = match.end(), match.end() - match.start(1)
        self.look(at + 4)
        if at >= self.limit or self.text[at] == "#" or (not column and MARKER.match(self.text, at, self.limit)):
            return True
        return column < indent or (column == indent and INDICATOR.match(self.text, at, self.limit) is None)

    def _indent(self) -> int:
        return self.stack[-1].column if self.stack else -1

    def _entry(self, at: int, column: int, *, own_line: bool) -> None:
        """Read a key with its value, or a value alone."""
        waiting = self.waiting
        after = self._properties_end(at, self._indent())
        top = self.stack[-1] if self.stack else None
        if after is None:
            if top is not None and not top.waits and any(self.waiting):
                self._misfit(at)
            return
        key = self._key(after, column)
        if key is None:
            # Only a key, or a placeholder for some, may be in the column of a mapping.
            owner = top if top is not None and isinstance(top.node, YamlMapping) and top.column == column else None
            if owner is not None and (self.text[after] == HOLE or self.is_elision(after)):
                self._elided(after)
            elif owner is not None and self.of_value:
                owner.waits = False
                self._no_key(after)
            else:
                if top is not None and (owner is not None if top.waits else self.of_value):
                    self._misfit(after)
                self._value(after, self._indent(), own_line=own_line and after == at)
            return
        if after != at:
            # They are the key's own.
            self.waiting = waiting
        self._keyed(key)
        ended = self.ends(key.after)
        if ended is not None:
            self.at = ended
            return
        self._value(self.space(key.after), self.stack[-1].column)

    def _elided(self, at: int) -> None:
        """Read `...` as omitted entries; YAML itself does not have it."""
        node = self.stack[-1].node
        node.elided = True
        self.end = self.rest(at)
        if not self.of_value:
            self._misfit(at)
        self.at = self.skip(at)

    def _no_key(self, at: int) -> None:
        """Report a line of a mapping that has no key."""
        end = self.rest(at)
        if self.text[at] in "\"'" and self.quote_end(at, flow=False) is None:
            self.unclosed(at, end)
        span = Span(at, end)
        if GLUED_KEY.match(self.text, at, self.limit) is not None:
            self._glued(at)
        elif end >= len(self.text):
            self.cut = True
            self.report(span, "The text ends inside a key", "Write the key, a colon and the value", truncated=True)
        else:
            self.report(span, "This line has no key", "Write `key: value`, or indent it as part of the value above")
        self.stop()

    def _glued(self, at: int) -> None:
        """Report a value that is directly after the colon of its key."""
        glued = GLUED_KEY.match(self.text, at, self.limit)
        assert glued is not None, "such a key is here"
        self.look(glued.end() + 1)
        reason = f"There is no space after the colon of `{glued[1]}`, so it is not a key"
        edit, title = insert(glued.end(), " "), "Insert a space"
        self.report(Span(at, glued.end()), reason, title, (edit,), title=title, certain=True)

    def _key(self, at: int, column: int) -> YamlEntry | None:
        """Return the entry that the key at `at` begins; None if there is no key."""
        text, limit = self.text, self.limit
        char = text[at]
        name: str | None = None
        if char in "\"'":
            quote = self.quoted_key_end(at)
            if quote is None or COLON.match(text, quote, limit) is None:
                return None
            end = quote
            self.check_escapes(at, end)
            name = (DoubleQuoted if char == '"' else SingleQuoted)(text[at + 1 : end - 1], at + 1).text
        elif char in "[{*" and not self.of_value:
            alias = ALIAS.match(text, at, limit)
            end = alias.end() if alias is not None else _flat_end(text, at, self.skip(at))
        elif char in NO_PLAIN:
            return None
        else:
            end = self.plain_end(at)
            if end >= limit or text[end] != ":":
                return None
            while end > at and text[end - 1] in " \t":
                end -= 1
            name = text[at:end]
        colon = COLON.match(text, end, limit) if end > at else None
        return None if colon is None else YamlEntry(name, Span(at, end), column, after=colon.end())

    # -- values --------------------------------------------------------------------------------------------------------

    def _value(self, at: int, indent: int, *, own_line: bool = False) -> None:
        """Read the value at `at`, which is not a block collection, and add it where it is expected."""
        text = self.text
        after = self._properties_end(at, indent)
        if after is None:
            return
        at = after
        if at >= self.limit:
            self.at = self.limit
            return
        char = text[at]
        if char in "-?" and not own_line and INDICATOR.match(text, at, self.limit) is not None:
            self._collection_on_line(at)
        elif char in "|>":
            self._block(at, indent)
        elif char in "\"'":
            self._quoted(at, indent)
        elif char in "[{":
            self._flow(at, indent)
        elif char == "*":
            alias = ALIAS.match(text, at, self.limit)
            assert alias is not None, "its marker is here"
            self._put(YamlAlias(alias[1], Span(*alias.span())), at)
            self.end = max(self.end, alias.end())
            self.at = self.finish_line(alias.end())
        elif char in NO_PLAIN:
            self.report_quotes(Span(at, self.rest(at)), f"A value cannot begin with {quoted(text[at])}")
            self._raw(at, indent)
        else:
            self._plain(at, indent, own_line=own_line)

    def _collection_on_line(self, at: int) -> None:
        """Report a list, or a key that is marked, on the line of its key."""
        if self.text[at] == "-":
            reason, remedy = "A list cannot begin on the same line as its key", "Begin it on the next line"
        else:
            reason, remedy = "Keys marked with `?` are not supported here", "Write `key: value`"
        self.report(Span(at, at + 1), reason, remedy)
        self.stop()
        self._raw(at, self._indent())

    def _scalar(self, node: YamlText, end: int) -> None:
        self._put(node, node.span.start if node.block is None else node.block.begin)
        self.end = max(self.end, end)

    def _raw(self, at: int, indent: int) -> None:
        """Read the line as literal text."""
        end = self.rest(at)
        self._scalar(YamlText(self.text, Span(at, end), "", indent, False), end)
        self.at = self.skip(end)

    def _block(self, at: int, indent: int) -> None:
        text, limit = self.text, self.limit
        match = HEADER.match(text, at, limit)
        if match is None:
            end, reason = self.rest(at), f"`{text[at]}` at the start of a value begins a block on the lines below"
            self.report_quotes(Span(at, end), reason)
            self._raw(at, indent)
            return
        header = BlockHeader(match[1] == ">", match[2] or match[5] or "", int(match[3] or match[4] or "0"))
        first = self.skip(match.end())
        lines = block_lines(text, first, indent, header, limit)
        self.look(limit + 1 if lines.after >= limit else self.space(lines.after) + 1)
        style = ">" if header.folded else "|"
        header_end = max(match.end(group) for group in range(1, 6))
        end = lines.text_end if lines.text_end > lines.begin else header_end
        if lines.uneven:
            reason = "An empty line before the text of this block is indented deeper than the text"
            self.report(Span(at, header_end), reason, "Remove the spaces on that line")
        block = YamlBlock(header, at, lines, end)
        self._scalar(YamlText(text, Span(first, lines.end), style, indent, False, block), end)
        self.at = max(lines.after, first)

    def _quoted(self, at: int, indent: int) -> None:
        text, style = self.text, self.text[at]
        end = self.quote_end(at, flow=False)
        if end is None:
            end = self.rest(at)
            if style in text[at + 1 : end].replace("\\" + style, ""):
                self.report_quotes(Span(at, end), "Unexpected text after the closing quote", certain=False)
                closed = None if self.of_value else self.quoted_key_end(at)
                if closed is None:
                    self._raw(at, indent)
                    return
                # In a file, a value in quotes is still text.
                self._scalar(YamlText(text, Span(at, closed), style, indent, False), closed)
                self.at = self.skip(closed)
                return
            self.unclosed(at, end)
            if self.of_value:
                self._scalar(YamlText(text, Span(at, end), style, indent, False, is_open=True), end)
            self.at = self.skip(end)
            return
        self.check_escapes(at, end)
        self._scalar(YamlText(text, Span(at, end), style, indent, False), end)
        self.at = self.finish_line(end)

    def _plain(self, at: int, indent: int, *, own_line: bool) -> None:
        """Read text without quotes, over as many lines as are deeper than `indent`."""
        text, limit = self.text, self.limit
        end = self.plain_end(at)
        if self.of_value and own_line and GLUED_KEY.match(text, at, limit) is not None:
            self._glued(at)
        if end < limit and text[end] == ":":
            reason = "In a value without quotes, a colon and a space begin another value"
            self.report_quotes(Span(at, self.rest(at)), reason)
            self._raw(at, indent)
            return
        while (breaks := BREAKS.match(text, end, limit)) is not None:
            first = self.space(breaks.end())
            column = first - breaks.end()
            self.look(first + 4)
            if first >= limit or column <= indent or text[first] in "#\r\n":
                break
            if column == 0 and MARKER.match(text, first, limit) is not None:
                break
            stop = self.plain_end(first)
            if stop == first or (stop < limit and text[stop] == ":"):
                break
            end = stop
        self._scalar(YamlText(text, Span(at, end), "", indent, False), end)
        self.at = self.finish_line(end)

    def _flow(self, at: int, indent: int) -> None:
        """Read a collection in brackets; in a file, an unclosed one is skipped."""
        # Inside invalid brackets, others are searched on their line only.
        limit = self.skip(at) if at < self._broken_to else self.limit
        before = self.waiting
        self.forget()
        flow = Flow(self, at, limit, indent, len(self.stack) - 1)
        if self.of_value:
            # The part that was read is kept.
            self._put(flow.root, at)
        end = flow.read()
        self.waiting = before
        if end is None:
            self.forget()
            self._broken_to = max(self._broken_to, flow.at)
            self.at = self.skip(at)
            return
        if self.of_value:
            self.adorn(flow.root)
        else:
            self._put(flow.root, at)
        self.at = flow.at if flow.is_left else self.finish_line(end)


def _joined(entries: list[YamlEntry]) -> list[YamlEntry]:
    """Return the entries of a mapping, of which some are a key after a question mark, or its value after a colon."""
    joined: list[YamlEntry] = []
    key: YamlEntry | None = None
    for entry in entries:
        if entry.marker == ":" and key is not None:
            key.value, key.after = entry.value, entry.after
        else:
            joined.append(entry)
        key = None
        if entry.marker == "?":
            key, node = entry, entry.value
            key.value = None
            if isinstance(node, YamlText):
                key.key, key.span, key.after = node.text, node.span, -1
        entry.marker = ""
    return joined


def _flat_end(text: str, at: int, stop: int) -> int:
    """Return where the brackets that open at `at` close on the same line; `at` if they do not."""
    depth = 0
    for match in _BRACKETS.finditer(text, at, stop):
        symbol = match[0]
        if symbol in "[{":
            depth += 1
        elif symbol in "]}":
            depth -= 1
            if depth == 0:
                return match.end()
    return at
