"""Gemma's notation of typed values: `{city:<|"|>London<|"|>,days:[1,2],metric:true}`.

Owns: reading such an object, whatever is wrong with it, and writing values in the notation. Keys are bare, strings
stand between two equal markers and have no escapes, all else is written as in JSON. Must not know: calls, tools, rules.

Gemma 4 marks strings with `<|"|>`, FunctionGemma with `<escape>`. Problem kinds are those of `callwright.syntax.json`,
with the same data and the notation's name, and these:

| kind | data |
|---|---|
| `foreign-value` | `text`: what is written as other notations write it; `write`: how it is written here |
| `engines-differ` | `reading`, `others` |
"""

import json
import math
import re
from collections.abc import Mapping, Sequence
from json.decoder import JSONDecodeError, scanstring  # type: ignore[attr-defined]  # typeshed leaves the scanner out
from typing import Any, Final

from callwright.syntax.json import JsonRead
from callwright.syntax.json_nodes import JsonKind, JsonMember, JsonNode
from callwright.syntax.json_paths import open_paths
from callwright.syntax.problem import Problem
from callwright.text.budget import UNLIMITED, Budget
from callwright.text.holes import HOLE
from callwright.text.line_ends import first_line_end
from callwright.text.span import Edit, Span, delete, insert

#: What strings stand between: Gemma 4's marker, FunctionGemma's.
QUOTE: Final = '<|"|>'
ESCAPE: Final = "<escape>"
QUOTES: Final = (QUOTE, ESCAPE)
MAX_DEPTH: Final = 256
MAX_PROBLEMS: Final = 100
_LONGEST_NUMBER: Final = 4000

#: Markers of the chat format: none of them stands inside the arguments, but in a string.
MARKER: Final = re.compile(
    r"<(?:\|?tool_call\|?|\|tool_response|\|?turn\|?|\|?channel\|?|(?:start|end)_function_(?:call|response)"
    r"|(?:start|end)_of_turn|eos)>"
)
_SPACE = re.compile(r"\s*+")
_BLANK = re.compile(r"(?:\r\n?|\n)[ \t]*+(?:\r\n?|\n)")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*+)(?P<fraction>(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?)")
_BARE_KEY = re.compile(r"[\w.$@/\-]++")
#: How far a key that is written bare goes: to its colon, or to what can only follow a value.
_KEY = re.compile(r"[^\s:=,{}\[\]<\"']++(?:[ \t]++[^\s:=,{}\[\]<\"']++)*+")
_NESTED = re.compile(rf"[{{}}\[\]]|{re.escape(QUOTE)}|{re.escape(ESCAPE)}")
_BARE_ON = re.compile(r"[^,}\]<\r\n]++")
_KEY_AHEAD = re.compile(r"[\w.$@/\-]++[ \t]*+:|<\|\"\|>|<escape>|[,}\]\"']")
_SEPARATOR = re.compile(r"\s*+(?:[,:}\]]|\Z)")
_LITERALS: Final[Mapping[str, Any]] = {"true": True, "false": False, "null": None}
_PYTHON: Final = {"True": "true", "False": "false", "None": "null"}
_BEGINS_JSON: Final = "-0123456789tfn[{"
_CLOSERS: Final = {"object": "}", "array": "]"}


class _Frame:
    """An object or array that is open: `state` says what may come next in it."""

    __slots__ = ("comma", "key", "key_span", "node", "seen", "state")

    def __init__(self, node: JsonNode) -> None:
        self.node = node
        self.seen: dict[str, Span] = {}
        self.key = ""
        self.key_span = node.span
        self.comma = -1
        self.state = "key" if node.kind == "object" else "value"


class GemmaRead(JsonRead):
    """What reading found; `closed` tells whether the object's last brace is there, `missing` what would close it."""

    __slots__ = ("closed", "missing")

    def __init__(self, reader: "_Reader", quote: str) -> None:
        wild, elided = open_paths(reader.root) if reader.open else ([], [])
        if reader.too_deep:
            wild = [()]  # what is down there may be anything
        super().__init__(
            reader.root, reader.at, reader.reach, reader.problems, wild, elided, NOTATIONS.get(quote, GEMMA)
        )
        self.closed = reader.closed
        self.missing = reader.missing


def read_gemma(
    text: str, start: int, end: int | None = None, *, quote: str = QUOTE, ending: str = "", budget: Budget = UNLIMITED
) -> GemmaRead:
    """Read the object whose brace stands at `start`; never raises but for an exhausted budget.

    Strings are expected between `quote`. `ending` is the marker that ends the call: a repair of arguments that are cut
    off writes it behind the last brace. Takes time linear in the text.
    """
    limit = len(text) if end is None else min(end, len(text))
    reader = _Reader(text, start, limit, quote, ending, budget)
    reader.run()
    return GemmaRead(reader, quote)


class _Reader:
    """One pass over one object."""

    def __init__(self, text: str, start: int, limit: int, quote: str, ending: str, budget: Budget) -> None:
        self.text = text
        self.limit = limit
        self.at = start + 1
        self.reach = start + 1
        self.quote = quote
        self.ending = ending
        self.budget = budget
        self.problems: list[Problem] = []
        self.more = 0
        self.root = JsonNode("object", Span(start, start + 1), {})
        self.stack = [_Frame(self.root)]
        self.open = False
        self.closed = False
        self.missing = ""
        self.too_deep = False
        # Behind these offsets each marker of strings is known to be missing.
        self.none_behind: dict[str, int] = {}
        # Up to these offsets no quote of another notation ends a string.
        self.endless: dict[str, int] = {}

    def run(self) -> None:
        """Read up to the brace that closes the object, or to where it can only have been cut off."""
        steps = 0
        while self.stack:
            steps += 1
            if not steps % 1024:
                self.budget.check()
            before = self.at
            at = self._skip_space()
            if at >= self.limit or self._stops(before, at) or self._breaks_off(at):
                self._cut_off(before)
                break
            frame = self.stack[-1]
            if frame.state == "key":
                self._key(frame, at)
            elif frame.state == "value":
                self._value(frame, at)
            else:
                self._after(frame, at)
        else:
            self.closed = True
        self.reach = max(self.reach, self.at)
        if self.more:
            self.problems.append(
                Problem("too-many-problems", Span(self.at, self.at), {"more": self.more, "notation": "Gemma"})
            )

    # -- what may come next --------------------------------------------------------------------------------------------

    def _skip_space(self) -> int:
        space = _SPACE.match(self.text, self.at, self.limit)
        self.at = space.end() if space is not None else self.at
        return self.at

    def _stops(self, before: int, at: int) -> bool:
        """Return whether the arguments can only have been cut off before `at`."""
        if self.text[at] == "<" and MARKER.match(self.text, at, self.limit) is not None:
            self.at = at
            return True
        if _BLANK.search(self.text, before, at) is not None and _KEY_AHEAD.match(self.text, at) is None:
            self.reach = max(self.reach, at + 1)
            self.at = before
            return True
        return False

    def _breaks_off(self, at: int) -> bool:
        """Return whether the text ends in the middle of the marker that begins a string at `at`."""
        if self.limit - at >= len(self.quote) or self.text[at] != "<":
            return False
        if self.quote.startswith(self.text[at : self.limit]) and self.stack[-1].state != "after":
            self.at = self.limit
            return True
        return False

    def _key(self, frame: _Frame, at: int) -> None:
        text = self.text
        char = text[at]
        if char in "}]":
            if frame.comma >= 0:
                comma = Span(frame.comma, frame.comma + 1)
                self._report("trailing-comma", comma, [delete(*comma)], certain=True)
            self._close(frame, at)
            return
        if char == ",":
            self._report("extra-comma", Span(at, at + 1), [delete(at, at + 1)], certain=True)
            self.at = at + 1
            return
        quote = next((each for each in QUOTES if text.startswith(each, at, self.limit)), None)
        if quote is not None:
            key, end, _ = self._string(at, quote)
        elif char == '"' or char == "'":
            key, end = self._foreign_string(at)
            self._foreign(Span(at, end), self._written_key(key))
        elif char == HOLE or char == "…" or text.startswith("...", at, self.limit):
            end = at + (3 if char == "." else 1)
            while char == HOLE and end < self.limit and text[end] == HOLE:
                end += 1
            key = text[at:end]
            if text[_end(_SPACE, text, end, self.limit) : self.limit][:1] != ":":
                self._elide(frame, end)
                return
        else:
            match = _KEY.match(text, at, self.limit)
            end = match.end() if match is not None else at
            key = text[at:end]
        self._colon(frame, key, Span(at, end))

    def _colon(self, frame: _Frame, key: str, span: Span) -> None:
        """Take the colon behind a key, or say what stands there instead."""
        text = self.text
        at = _end(_SPACE, text, span.end, self.limit)
        mark = text[at] if at < self.limit else ""
        if mark in ":=" and mark:
            if not key and span.start == span.end:
                self._report("missing-key", Span(at, at + 1), text=mark)
            if mark == "=":
                self._report(
                    "missing-colon", Span(at, at + 1), [Edit(Span(at, at + 1), ":")], certain=True, found="=", key=key
                )
            end = at + 1
        elif span.start == span.end:
            # Nothing that a key could be: one character is passed over, so that reading goes on.
            self._report("unexpected-text", Span(at, at + 1), [delete(at, at + 1)], text=text[at : at + 1])
            self.at = at + 1
            return
        elif mark in ",}]" or not mark:
            if mark:
                self._report("missing-key", span, text=span.of(text))
                self.at = at
                frame.state = "after"
                return
            end = span.end
            self.at, frame.state = end, "cut"
            frame.key, frame.key_span = key, span
            return
        else:
            self._report(
                "missing-colon", Span(span.end, span.end), [insert(span.end, ":")], certain=False, found="", key=key
            )
            end = span.end
        earlier = frame.seen.get(key)
        if earlier is not None and HOLE not in key:
            self._report("duplicate-key", span, key=key, first=earlier)
        frame.seen.setdefault(key, span)
        frame.key, frame.key_span, frame.state = key, span, "value"
        self.at = end

    def _value(self, frame: _Frame, at: int) -> None:
        text = self.text
        char = text[at]
        if char in "{[":
            self._open(frame, at)
            return
        quote = next((each for each in QUOTES if text.startswith(each, at, self.limit)), None)
        if quote is not None:
            value, end, _ = self._string(at, quote)
            if quote != self.quote:
                self._foreign(Span(at, end), self._written(value))
            elif quote == ESCAPE and _is_json(value):
                reading = "Text between `<escape>` markers is a string here"
                others = "vLLM reads it as JSON where it is JSON, and so as another value"
                self._report("engines-differ", Span(at, end), reading=reading, others=others)
            self._give(frame, "string", Span(at, end), value)
        elif char in ",}]":
            self._no_value(frame, at)
        elif char == "…" or text.startswith("...", at, self.limit):
            end = at + (1 if char == "…" else 3)
            if frame.node.kind == "array":
                self._elide(frame, end)
            else:
                self._give(frame, "elision", Span(at, end), text[at:end])
        elif char in "\"'":
            value, end = self._foreign_string(at)
            self._foreign(Span(at, end), self._written(value))
            self._give(frame, "string", Span(at, end), value)
        else:
            self._word(frame, at)

    def _no_value(self, frame: _Frame, at: int) -> None:
        """Handle a mark where a value should stand."""
        char = self.text[at]
        if frame.node.kind == "object":
            span = Span(frame.key_span.start, at + 1)
            if char != ",":
                span = Span(frame.comma if frame.comma >= 0 else span.start, at)
            self._report("missing-value", frame.key_span, [delete(*span)], key=frame.key)
            self._give(frame, "missing", Span(frame.key_span.end, at), None)
            self.at = at
        elif char == ",":
            self._report("extra-comma", Span(at, at + 1), [delete(at, at + 1)], certain=True)
            self.at = at + 1
        else:
            if frame.comma >= 0:
                comma = Span(frame.comma, frame.comma + 1)
                self._report("trailing-comma", comma, [delete(*comma)], certain=True)
            self._close(frame, at)

    def _after(self, frame: _Frame, at: int) -> None:
        char = self.text[at]
        if char == ",":
            frame.comma = at
            frame.state = "key" if frame.node.kind == "object" else "value"
            self.at = at + 1
        elif char in "}]":
            self._close(frame, at)
        else:
            previous = self._end_of_last(frame)
            if not frame.node.elided:
                self._report("missing-comma", Span(previous, previous), [insert(previous, ",")], found="")
            frame.comma = -1
            frame.state = "key" if frame.node.kind == "object" else "value"

    # -- values --------------------------------------------------------------------------------------------------------

    def _string(self, at: int, quote: str) -> tuple[str, int, bool]:
        """Read the string that `quote` opens at `at`: its value, its end, and whether it is closed."""
        text = self.text
        begin = at + len(quote)
        end = -1
        if begin < self.none_behind.get(quote, self.limit + 1):
            end = text.find(quote, begin, self.limit)
            if end < 0:
                self.none_behind[quote] = begin
        space = _SPACE.match(text, end + len(quote), self.limit) if end >= 0 else None
        self.reach = max(self.reach, self.limit if space is None else min(space.end() + 1, self.limit))
        cut: int | None = None
        if end < 0 or _SEPARATOR.match(text, end + len(quote), self.limit) is None:
            marker = MARKER.search(text, begin, self.limit if end < 0 else end)
            cut = marker.start() if marker is not None else None
        if end >= 0 and cut is None:
            return _lines(text[begin:end]), end + len(quote), True
        return self._unclosed(at, begin, cut)

    def _unclosed(self, at: int, begin: int, cut: int | None) -> tuple[str, int, bool]:
        """Read a string that is never closed: it goes on to the marker at `cut`, less what closes the arguments there,
        or to the end."""
        text = self.text
        end = self.limit if cut is None else cut
        truncated = cut is None
        if not truncated:
            end = _rstrip(text, begin, end)
            for frame in reversed(self.stack):
                if end <= begin or text[end - 1] != _CLOSERS[frame.node.kind]:
                    break
                end = _rstrip(text, begin, end - 1)
        frame = self.stack[-1]
        quote = text[at:begin]
        written = end
        if truncated:
            # Of the marker that would close it the beginning may have come already.
            part = next((size for size in range(len(quote) - 1, 0, -1) if text.endswith(quote[:size], begin, end)), 0)
            end -= part
        repair = (
            Edit(Span(end, written), quote)
            if not truncated
            else Edit(Span(end, written), quote + self._needed() + self.ending)
        )
        if truncated and frame.state == "key":
            start = frame.comma if frame.comma >= 0 else at
            repair = Edit(Span(start, written), self._needed() + self.ending)
        data: dict[str, Any] = {"missing": "closing", "truncated": truncated, "string": Span(at, end), "marker": quote}
        self._report("unmatched-quote", Span(at, begin), [repair], **data)
        self.missing = self._needed() + self.ending if truncated else self.missing
        return _lines(text[begin:end]), written, False

    def _foreign_string(self, at: int) -> tuple[str, int]:
        """Read a string in quotes of another notation; where it never ends, the quote is text."""
        text, quote = self.text, self.text[at]
        if quote == '"':
            try:
                value, end = scanstring(text, at + 1, False)
            except JSONDecodeError:
                end = self.limit + 1
            self.reach = max(self.reach, min(_end(_SPACE, text, min(end, self.limit), self.limit) + 1, self.limit))
            if end <= self.limit and _SEPARATOR.match(text, end, self.limit) is not None:
                return str(value), end
        if at >= self.endless.get(quote, -1):
            line = first_line_end(text, at, self.limit)
            stop = self.limit if line < 0 else line
            end = text.find(quote, at + 1, stop)
            while end >= 0 and _SEPARATOR.match(text, end + 1, self.limit) is None:
                end = text.find(quote, end + 1, stop)
            if end >= 0:
                self.reach = max(self.reach, min(_end(_SPACE, text, end + 1, self.limit) + 1, self.limit))
                return text[at + 1 : end], end + 1
            self.endless[quote] = stop
        self.reach = max(self.reach, min(self.endless[quote] + 1, self.limit))
        end = max(_end(_BARE_ON, text, at, self.limit), at + 1)
        return text[at:end].rstrip(), _rstrip(text, at, end)

    def _word(self, frame: _Frame, at: int) -> None:
        """Read a value without quotes: a literal, a number, a template's expression, or text that lost its markers."""
        text = self.text
        end = max(_end(_BARE_ON, text, at, self.limit), at + 1)
        while end < self.limit and text[end] == "<" and not self._is_marker(end):
            end = max(_end(_BARE_ON, text, end + 1, self.limit), end + 1)
        end = _rstrip(text, at, end)
        word, span = text[at:end], Span(at, end)
        number = _NUMBER.fullmatch(word)
        if word in _LITERALS:
            self._give(frame, "literal", span, _LITERALS[word])
        elif number is not None:
            self._number(frame, span, word, number["fraction"])
        elif not word.strip(HOLE):
            self._give(frame, "hole", span, word)
        elif word in _PYTHON:
            self._foreign(span, _PYTHON[word])
            self._give(frame, "literal", span, _LITERALS[_PYTHON[word]])
        elif end >= self.limit and any(each.startswith(word) for each in _LITERALS):
            self._give(frame, "missing", span, None)
        else:
            self._foreign(span, self._written(word))
            self._give(frame, "string", span, word)

    def _number(self, frame: _Frame, span: Span, word: str, fraction: str) -> None:
        if len(word) > _LONGEST_NUMBER:
            self._report("bad-number", span, text=word, json="", reason="too-long")
            self._give(frame, "string", span, word)
            return
        value: int | float = float(word) if fraction else int(word)
        if isinstance(value, float) and math.isinf(value):
            self._report("non-finite-number", span, [Edit(span, "null")], text=word)
        self._give(frame, "number", span, value)

    def _is_marker(self, at: int) -> bool:
        return self.text.startswith(QUOTES, at, self.limit) or MARKER.match(self.text, at, self.limit) is not None

    # -- the tree ------------------------------------------------------------------------------------------------------

    def _open(self, frame: _Frame, at: int) -> None:
        kind: JsonKind = "object" if self.text[at] == "{" else "array"
        node = JsonNode(kind, Span(at, at + 1), {} if kind == "object" else [])
        if len(self.stack) >= MAX_DEPTH:
            if not self.too_deep:
                self._report("too-deep", Span(at, at + 1), limit=MAX_DEPTH)
            self.too_deep = True
            self._give(frame, "missing", Span(at, self._behind(at)), None)
            return
        self._attach(frame, node)
        self.stack.append(_Frame(node))
        self.at = at + 1

    def _behind(self, at: int) -> int:
        """Return where the object or array that begins at `at` ends, without reading what is in it."""
        depth, text = 0, self.text
        while at < self.limit:
            found = _NESTED.search(text, at, self.limit)
            if found is None:
                break
            at = found.end()
            if found[0] in QUOTES:
                end = text.find(found[0], at, self.limit)
                at = self.limit if end < 0 else end + len(found[0])
                continue
            depth += 1 if found[0] in "{[" else -1
            if not depth:
                return at
        return self.limit

    def _give(self, frame: _Frame, kind: JsonKind, span: Span, value: Any) -> None:
        node = JsonNode(kind, span, value)
        if kind in ("hole", "elision", "missing") or (kind == "string" and HOLE in value):
            self.open = True
        self._attach(frame, node)
        frame.comma = -1
        frame.state = "after"
        self.at = span.end

    def _attach(self, frame: _Frame, node: JsonNode) -> None:
        parent = frame.node
        if parent.kind == "array":
            parent.items.append(node)
            parent.value.append(node.value)
        elif HOLE in frame.key:
            parent.elided = self.open = True
        else:
            parent.members.append(JsonMember(frame.key, frame.key_span, node))
            parent.value[frame.key] = node.value
        frame.comma = -1
        frame.state = "after"

    def _elide(self, frame: _Frame, end: int) -> None:
        frame.node.elided = self.open = True
        frame.comma = -1
        frame.state = "after"
        self.at = end

    def _close(self, frame: _Frame, at: int) -> None:
        """Close the innermost object or array with the mark at `at`, whether it is the right one or not."""
        mark, wanted = self.text[at], _CLOSERS[frame.node.kind]
        if mark != wanted:
            if any(_CLOSERS[outer.node.kind] == mark for outer in self.stack[:-1]):
                # The mark closes what is around: only this closer is missing.
                last = self._end_of_last(frame)
                data = _missing(wanted)
                self._report("missing-closers", Span(last, last), [insert(last, wanted)], certain=True, **data)
                self._pop(frame, last)
                return
            following = _end(_SPACE, self.text, at + 1, self.limit)
            if self.text[following : min(following + 1, self.limit)] == wanted:
                counts = {"braces": int(mark == "}"), "brackets": int(mark == "]"), "text": mark}
                self._report("extra-closers", Span(at, at + 1), [delete(at, at + 1)], certain=True, **counts)
                self.at = at + 1
                return
            opener = Span(frame.node.span.start, frame.node.span.start + 1)
            edit = Edit(Span(at, at + 1), wanted)
            self._report("mismatched-bracket", Span(at, at + 1), [edit], found=mark, expected=wanted, opener=opener)
        self.at = at + 1
        self._pop(frame, at + 1)

    def _pop(self, frame: _Frame, end: int) -> None:
        self.stack.pop()
        _set_end(frame.node, end)
        if self.stack:
            outer = self.stack[-1].node
            if outer.kind == "object" and outer.members and outer.members[-1].value is frame.node:
                member = outer.members[-1]
                member.span = Span(member.span.start, end)

    def _cut_off(self, before: int) -> None:
        """Close what is open where the arguments break off."""
        text = self.text
        frame = self.stack[-1]
        truncated = self.at >= self.limit
        place = _rstrip(text, self.root.span.start + 1, min(self.at, before))
        needed = self._needed()
        stop = max(place, _rstrip(text, place, self.limit)) if truncated else place
        dangling = False
        start = place
        comma = frame.comma
        if frame.state in ("value", "cut") and frame.node.kind == "object":
            dangling, start = True, comma if comma >= 0 else min(place, frame.key_span.start)
            if frame.state == "value":
                self._attach(frame, JsonNode("missing", Span(place, place), None))
                self.open = True
        elif comma >= 0:
            dangling, start = True, comma
        elif frame.node.children and frame.node.children[-1].kind == "missing":
            dangling = True
            whole = frame.node.children[-2:-1]
            start = min(place, whole[0].span.end if whole else frame.node.span.start + 1)
        if not self.missing and not self.too_deep:
            closers = needed + self.ending if truncated else needed
            repair = [Edit(Span(start, stop if dangling else place), closers)]
            data = {**_missing(needed), "truncated": truncated, "dangling": dangling}
            self._report("missing-closers", Span(place, place), repair, certain=not dangling and not truncated, **data)
            self.missing = closers
        self.at = stop
        while self.stack:
            self._pop(self.stack[-1], place)

    def _needed(self) -> str:
        return "".join(_CLOSERS[frame.node.kind] for frame in reversed(self.stack))

    def _end_of_last(self, frame: _Frame) -> int:
        """Return where what was read last in an object or array ends."""
        last = _last(frame.node)
        return max(last.span.end if last is not None else 0, frame.node.span.start + 1)

    # -- problems ------------------------------------------------------------------------------------------------------

    def _written(self, value: str) -> str:
        return f"{self.quote}{value}{self.quote}"

    def _written_key(self, key: str) -> str:
        return key if _BARE_KEY.fullmatch(key) else self._written(key)

    def _foreign(self, span: Span, write: str) -> None:
        text = span.of(self.text)
        self._report("foreign-value", span, [Edit(span, write)], certain=True, text=text, write=write)

    def _report(
        self, kind: str, span: Span, repair: Sequence[Edit] = (), *, certain: bool = False, **data: Any
    ) -> None:
        if len(self.problems) >= MAX_PROBLEMS:
            self.more += 1
            return
        self.problems.append(Problem(kind, span, {"notation": "Gemma", **data}, tuple(repair), certain))


def _missing(closers: str) -> dict[str, Any]:
    return {
        "braces": closers.count("}"),
        "brackets": closers.count("]"),
        "text": closers,
        "truncated": False,
        "dangling": False,
    }


def _end(pattern: re.Pattern[str], text: str, at: int, limit: int) -> int:
    match = pattern.match(text, at, limit)
    return match.end() if match is not None else at


def _is_json(value: str) -> bool:
    """Return whether a text is the JSON of something else than a text."""
    if value[:1] not in _BEGINS_JSON or value[:1] == "":
        return False
    try:
        return not isinstance(json.loads(value), str)
    except (ValueError, RecursionError):
        return False


def _rstrip(text: str, start: int, end: int) -> int:
    """Return where `text[start:end]` ends without the space behind it."""
    while end > start and text[end - 1].isspace():
        end -= 1
    return end


def _lines(value: str) -> str:
    """Return a string's value: the file's line ends are LF in it."""
    return value.replace("\r\n", "\n").replace("\r", "\n") if "\r" in value else value


def _set_end(node: JsonNode, end: int) -> None:
    last = _last(node)
    node.span = Span(node.span.start, max(end, last.span.end if last is not None else end))


def _last(node: JsonNode) -> JsonNode | None:
    """Return the last value in an object or array, without a list of all."""
    if node.kind == "object":
        return node.members[-1].value if node.members else None
    return node.items[-1] if node.items else None


# -- writing -----------------------------------------------------------------------------------------------------------


def why_not(value: str, quote: str) -> str | None:
    """Return why a text cannot be a string of this notation, None where it can: nothing in one can be escaped."""
    if quote in value:
        return f"a string cannot hold `{quote}`, which ends it"
    if "\r" in value:
        return "a string cannot hold a carriage return: line ends are read as line feeds"
    if any("\ud800" <= char < "\ue000" for char in value):
        return "a string cannot hold half a surrogate pair"
    return None


class GemmaNotation:
    """Gemma's notation with one kind of string marker; members are written without space, as the templates do."""

    name = "Gemma"

    def __init__(self, quote: str) -> None:
        self.quote = quote

    def value(self, value: Any, path: Sequence[str | int]) -> str | None:
        """Return the text of a value; None where a string or a number in it cannot be written."""
        del path
        parts: list[str] = []
        return "".join(parts) if self._write(value, parts) else None

    def key(self, key: str, path: Sequence[str | int]) -> str | None:
        """Return the key: bare where it is a plain name, else between string markers."""
        del path
        if _BARE_KEY.fullmatch(key) is not None:
            return key
        return None if why_not(key, self.quote) is not None else f"{self.quote}{key}{self.quote}"

    def member(self, key: str, value: Any, path: Sequence[str | int]) -> str | None:
        """Return `key:value`."""
        name, text = self.key(key, path), self.value(value, path)
        return None if name is None or text is None else f"{name}:{text}"

    def _write(self, value: Any, parts: list[str]) -> bool:
        if isinstance(value, str):
            if why_not(value, self.quote) is not None:
                return False
            parts.append(f"{self.quote}{value}{self.quote}")
        elif isinstance(value, Mapping):
            for index, (key, entry) in enumerate(value.items()):
                name = self.key(str(key), ())
                if name is None:
                    return False
                parts.append(f"{',' if index else '{'}{name}:")
                if not self._write(entry, parts):
                    return False
            parts.append("}" if value else "{}")
        elif isinstance(value, list):
            for index, entry in enumerate(value):
                parts.append("," if index else "[")
                if not self._write(entry, parts):
                    return False
            parts.append("]" if value else "[]")
        elif value is None or isinstance(value, bool):
            parts.append("null" if value is None else "true" if value else "false")
        elif isinstance(value, float) and not math.isfinite(value):
            return False
        else:
            parts.append(repr(value))
        return True


GEMMA: Final = GemmaNotation(QUOTE)
FUNCTION_GEMMA: Final = GemmaNotation(ESCAPE)
NOTATIONS: Final = {QUOTE: GEMMA, ESCAPE: FUNCTION_GEMMA}
