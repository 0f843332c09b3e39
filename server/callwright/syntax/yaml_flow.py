"""Collections of YAML in brackets: their content, their depth, whether they are closed.

Owns: one pass over one collection. Must not know: block collections, what the values mean.
"""

from __future__ import annotations

from typing import Final, Literal

from callwright.syntax.yaml_lexer import (
    ALIAS,
    FLOW_COLON,
    FLOW_PROPERTY,
    FLOW_SPACE,
    JSON_COLON,
    NO_PLAIN,
    OUTER,
    Lexer,
    Stop,
)
from callwright.syntax.yaml_tree import YamlAlias, YamlEntry, YamlMapping, YamlNode, YamlSequence, YamlText
from callwright.text.holes import HOLE
from callwright.text.span import Edit, Span, insert
from callwright.text.yaml_scalars import BREAKS, MARKER, PLAIN_IN_FLOW

_CLOSERS: Final = {"{": "}", "[": "]"}

#: What the innermost collection expects.
_Wanted = Literal["entry", "value", "comma"]


class _Level:
    """A collection that is open, its closer, and what it expects."""

    __slots__ = ("closer", "node", "wants")

    def __init__(self, node: YamlMapping | YamlSequence, closer: str) -> None:
        self.node = node
        self.closer = closer
        self.wants: _Wanted = "entry"


class Flow:
    """One pass over one collection in brackets, without recursion.

    `is_left` says that it ends before a line outside of it, and `at` is then that line.
    """

    def __init__(self, reader: Lexer, at: int, stop: int, indent: int, depth: int) -> None:
        self.reader = reader
        self.text = reader.text
        self.start = self.at = at
        self.stop = stop
        self.indent = indent
        self.depth = depth
        self.is_left = False
        self.root = self._opened(at)
        self.levels: list[_Level] = []

    def _opened(self, at: int) -> YamlMapping | YamlSequence:
        return YamlMapping(at, -1) if self.text[at] == "{" else YamlSequence(at)

    def read(self) -> int | None:
        """Return where the collection ends; None if it does not, or if it contains other text."""
        try:
            return self._read()
        except Stop:
            for level in self.levels:
                if level.wants == "value" and isinstance(level.node, YamlMapping):
                    # Its value is unknown.
                    level.node.entries.pop()
            raise
        finally:
            for level in self.levels:
                level.node.end = level.node.last = max(self.reader.end, level.node.start + 1)

    def _read(self) -> int | None:
        text, reader = self.text, self.reader
        self._open(self.root)
        while self.levels:
            if not self._space() or self.at >= self.stop:
                return self._never_closed()
            level, at, char = self.levels[-1], self.at, text[self.at]
            if char in "]}":
                self._close(level, char)
            elif char == ",":
                self._comma(level)
            elif level.wants == "comma":
                if not self._after_collection(level):
                    self.reader.problem(
                        "missing-comma", Span(reader.end, reader.end), {"found": ""}, (insert(reader.end, ","),)
                    )
                    reader.stop()
                    level.wants = "entry"
            elif level.wants == "entry" and self._is_elided(level):
                level.wants = "comma"
            elif not self._part(level, at, char):
                return None
        return self.root.end

    # -- brackets ------------------------------------------------------------------------------------------------------

    def _open(self, node: YamlMapping | YamlSequence) -> None:
        self.reader.check_depth(node.start, self.depth + len(self.levels))
        if self.levels:
            self._put(node)
        self.levels.append(_Level(node, _CLOSERS[self.text[node.start]]))
        self.at = node.start + 1
        self.reader.end = max(self.reader.end, self.at)

    def _close(self, level: _Level, char: str) -> None:
        at = self.at
        self._lack(level)
        if char != level.closer:
            start = level.node.start
            data = {"found": char, "expected": level.closer, "opener": Span(start, start + 1)}
            here = Span(at, at + 1)
            self.reader.problem("mismatched-bracket", here, data, (Edit(here, level.closer),))
        level.node.end = level.node.last = self.at = self.reader.end = at + 1
        self.reader.forget()
        self.levels.pop()

    def _comma(self, level: _Level) -> None:
        at = self.at
        self._lack(level)
        if level.wants == "entry":
            self.reader.report(Span(at, at + 1), "There is no value before this comma", "Remove the comma")
            self.reader.stop()
        level.wants = "entry"
        self.at = self.reader.end = at + 1

    def _lack(self, level: _Level) -> None:
        """Add an empty value where one is expected."""
        if any(self.reader.waiting):
            self._scalar(Span(self.at, self.at), "")
        elif level.wants == "value":
            level.wants = "comma"
            if isinstance(level.node, YamlSequence):
                level.node.items.append(None)

    def _never_closed(self) -> int | None:
        """Report unclosed brackets: all end where the reading ended."""
        text, reader = self.text, self.reader
        if not reader.of_value:
            reader.report(Span(self.start, self.start + 1), "These brackets are never closed", "Close them")
        self._lack(self.levels[-1])
        end = reader.end
        while end > self.start and text[end - 1] in " \t\r\n,":
            end -= 1
        reader.end = end
        if not reader.of_value:
            return end if self.is_left else None
        truncated = self.stop >= len(text) and not self.is_left
        reader.cut = reader.cut or truncated
        closer = "".join(level.closer for level in reversed(self.levels))
        counts = {"braces": closer.count("}"), "brackets": closer.count("]"), "text": closer}
        data = {**counts, "truncated": truncated, "dangling": False, "format": "YAML"}
        reader.problem("missing-closers", Span(end, end), data, (insert(end, closer),))
        if not self.is_left:
            reader.stop()
        return end

    def _space(self) -> bool:
        """Skip whitespace, comments and line ends; False at a line that cannot be part of the collection."""
        text, stop = self.text, self.stop
        while True:
            match = FLOW_SPACE.match(text, self.at, stop)
            self.at = match.end() if match is not None else self.at
            self.reader.look(self.at + 2)
            if self.at >= stop or text[self.at] not in "\r\n":
                return True
            breaks = BREAKS.match(text, self.at, stop)
            assert breaks is not None, "a line end is here"
            self.at = self.reader.space(breaks.end())
            if self._leaves(breaks.end(), self.at):
                self.at = breaks.end()
                self.is_left = True
                return False

    def _leaves(self, line: int, at: int) -> bool:
        """Return whether the line that begins at `line` is one of those around the brackets."""
        if at == line and MARKER.match(self.text, at, self.stop) is not None:
            return True
        if at - line > self.indent:
            return False
        found = OUTER.match(self.text, at, self.stop)
        self.reader.look((found.end() if found is not None else at) + 2)
        return found is not None

    # -- entries -------------------------------------------------------------------------------------------------------

    def _put(self, node: YamlNode) -> None:
        """Add a value; in a mapping without a pending key, it is a key."""
        level = self.levels[-1]
        owner = level.node
        self.reader.adorn(node)
        if isinstance(owner, YamlSequence):
            owner.items.append(node)
        elif level.wants == "value":
            owner.entries[-1].value = node
        else:
            owner.entries.append(YamlEntry(None, Span(self.at, self.at), -1))
        level.wants = "comma"

    def _scalar(self, span: Span, style: str, *, is_open: bool = False) -> None:
        self._put(YamlText(self.text, span, style, self.indent, True, is_open=is_open))
        self.reader.end = max(self.reader.end, span.end)

    def _is_elided(self, level: _Level) -> bool:
        """Read an elision, or a hole among keys, as omitted entries."""
        text, at = self.text, self.at
        if text[at] != HOLE and not self.reader.is_elision(at):
            return False
        end = max(self._line_end(at), at + 1)
        is_mapping = isinstance(level.node, YamlMapping)
        if FLOW_COLON.match(text, end, self.stop) is not None or (not is_mapping and text[at] == HOLE):
            return False
        if not self.reader.of_value:
            return False
        level.node.elided = True
        self.at = self.reader.end = end
        return True

    def _after_collection(self, level: _Level) -> bool:
        """Skip the colon after a key that is not a scalar; a value has none."""
        owner = level.node
        colon = JSON_COLON.match(self.text, self.at, self.stop)
        if self.reader.of_value or colon is None:
            return False
        last = owner.entries[-1].value if isinstance(owner, YamlMapping) else owner.items[-1]
        if isinstance(owner, YamlMapping) and last is None:
            level.wants = "value"
        elif isinstance(owner, YamlMapping) or isinstance(last, YamlText):
            return False
        else:
            level.wants = "entry"
        self.at = colon.end()
        return True

    def _part(self, level: _Level, at: int, char: str) -> bool:
        """Read a key or a value; False if it is neither."""
        text, reader = self.text, self.reader
        is_key = level.wants == "entry" and isinstance(level.node, YamlMapping)
        if is_key and reader.of_value and char in "[{*&!":
            reader.report(Span(at, at + 1), "Keys other than strings are not supported here", "Write the key in quotes")
            reader.stop()
        if char in "[{":
            self._open(self._opened(at))
            return True
        if char in "&!" and (match := FLOW_PROPERTY.match(text, at, self.stop)) is not None:
            reader.note(match[0], at)
            self.at = match.end()
            return True
        if char == "*":
            match = ALIAS.match(text, at, self.stop)
            assert match is not None, "its marker is here"
            self._put(YamlAlias(match[1], Span(*match.span())))
            self.at = match.end()
            reader.end = max(reader.end, self.at)
            return True
        if char == "?" and text.startswith((" ", "\t", "\n", "\r"), at + 1, self.stop):
            reader.look(at + 2)
            if reader.of_value:
                reader.report(Span(at, at + 1), "Keys marked with `?` are not supported here", "Write `key: value`")
                reader.stop()
            self.at = at + 1
            return True
        if char == ":" and not reader.of_value and (colon := FLOW_COLON.match(text, at, self.stop)) is not None:
            self._keyed(level, YamlEntry("", Span(at, at), -1, after=colon.end()))
            return True
        return self._text(level, at, char)

    def _text(self, level: _Level, at: int, char: str) -> bool:
        """Read a scalar, which may be a key."""
        text, reader = self.text, self.reader
        style = ""
        is_open = False
        if char in "\"'":
            style = char
            end = reader.quote_end(at, flow=True, lines=self.stop == reader.limit) or -1
            if end < 0:
                end, is_open = max(self._line_end(at), at + 1), True
                reader.unclosed(at, end)
                if not reader.of_value:
                    return False
            else:
                reader.check_escapes(at, end)
        else:
            end = self._plain_end(at)
            if end == at:
                reader.report(Span(at, at + 1), f"Unexpected `{char}`", "Write the value in quotes")
                reader.stop()
                return False
        self.at = end
        reader.look(end + 2)
        colon = (JSON_COLON if style else FLOW_COLON).match(text, end, self.stop)
        if level.wants == "value" or (colon is None and isinstance(level.node, YamlSequence)):
            self._scalar(Span(at, end), style, is_open=is_open)
            return True
        node = YamlText(text, Span(at, end), style, self.indent, True, is_open=is_open)
        # A long text without a colon is not a key.
        name = node.text if colon is not None or style or end - at < 256 or reader.of_value else None
        entry = YamlEntry(name, node.span, -1, after=-1 if colon is None else colon.end())
        self._keyed(level, entry)
        return True

    def _keyed(self, level: _Level, entry: YamlEntry) -> None:
        """Take an entry with its key, after which its value is read where there is a colon."""
        self.reader.forget()
        self.at = self.reader.end = max(entry.span.end, entry.after)
        if isinstance(level.node, YamlMapping):
            level.node.entries.append(entry)
        else:
            # In a list, a key makes a mapping of one entry: its value counts as an item when texts are searched.
            level.node.keys[len(level.node.items)] = entry
        level.wants = "value" if entry.after >= 0 else "comma"

    def _line_end(self, at: int) -> int:
        """Return where the text without quotes at `at` ends on its line."""
        match = PLAIN_IN_FLOW.match(self.text, at, self.stop)
        end = match.end() if match is not None else at
        while end > at and self.text[end - 1] in " \t":
            end -= 1
        return end

    def _plain_end(self, at: int) -> int:
        """Return where the text without quotes that begins at `at` ends, over as many lines as it has."""
        text, stop = self.text, self.stop
        if text[at] in NO_PLAIN and not (self.reader.of_value and text[at] in "|>%@`#"):
            return at
        end = start = at
        while True:
            last = self._line_end(start)
            if last == start:
                return end
            end = last
            breaks = BREAKS.match(text, end, stop)
            if breaks is None:
                return end
            start = self.reader.space(breaks.end())
            self.reader.look(start + 2)
            if start >= stop or text[start] in "#\r\n,:[]{}" or self._leaves(breaks.end(), start):
                return end
