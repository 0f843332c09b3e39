"""Gemma's dialect of typed values: `{city:<|"|>London<|"|>,days:[1,2],metric:true}`.

Owns: reading such an object, even if broken, and writing values in the dialect. Keys are bare, strings are between two
equal markers and have no escapes, all else is written as in JSON. Must not know: calls, tools, rules.

Gemma 4 marks strings with `<|"|>`, FunctionGemma with `<escape>`. Problem kinds are those of `callwright.syntax.json`,
with the same data and the dialect's name, and these:

| kind | data | |---|---| | `foreign-value` | `text`: the text in the form of another dialect; `write`: its form here |
| `engines-differ` | `reading`, `others` |
"""

import json
import math
import re
from json.decoder import JSONDecodeError, scanstring  # type: ignore[attr-defined]  # typeshed leaves the scanner out
from types import MappingProxyType
from typing import Any, Final

from callwright.syntax.json import MAX_DEPTH, JsonRead
from callwright.syntax.json_nodes import JsonMember, JsonNode
from callwright.syntax.literal_words import JSON_WORDS, PYTHON_WORDS
from callwright.syntax.problem import Problem
from callwright.syntax.value_format import LineFormat, Style
from callwright.syntax.value_tree import Extent, ObjectTree, OpenValue, State
from callwright.text.budget import UNLIMITED, Budget
from callwright.text.holes import HOLE
from callwright.text.line_ends import first_line_end
from callwright.text.span import Edit, Span, delete, insert

#: The delimiters of strings: Gemma 4's marker, FunctionGemma's.
QUOTE: Final = '<|"|>'
ESCAPE: Final = "<escape>"
QUOTES: Final = (QUOTE, ESCAPE)
_MAX_NUMBER_LENGTH: Final = 4000

#: Markers of the chat format: they are inside the arguments only in strings.
MARKER: Final = re.compile(
    r"<(?:\|?tool_call\|?|\|tool_response|\|?turn\|?|\|?channel\|?|(?:start|end)_function_(?:call|response)"
    r"|(?:start|end)_of_turn|eos)>"
)
_SPACE = re.compile(r"\s*+")
_BLANK = re.compile(r"(?>\r\n|\n|\r)[ \t]*+[\r\n]")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*+)(?P<fraction>(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?)")
_BARE_KEY = re.compile(r"[\w.$@/\-]++")
#: The extent of a bare key: to its colon, or to what can only follow a value.
_KEY = re.compile(r"[^\s:=,{}\[\]<\"']++(?:[ \t]++[^\s:=,{}\[\]<\"']++)*+")
_NESTED = re.compile(rf"[{{}}\[\]]|{re.escape(QUOTE)}|{re.escape(ESCAPE)}")
_BARE_ON = re.compile(r"[^,}\]<\r\n]++")
_KEY_AHEAD = re.compile(r"[\w.$@/\-]++[ \t]*+:|<\|\"\|>|<escape>|[,}\]\"']")
_SEPARATOR = re.compile(r"\s*+(?:[,:}\]]|\Z)")
_BEGINS_JSON: Final = "-0123456789tfn[{"


class GemmaRead(JsonRead):
    """The result of reading; `closed` says whether the object's last brace is there, `missing` is the text that would
    close it."""

    __slots__ = ("closed", "missing")

    def __init__(self, reader: "_Reader", quote: str) -> None:
        root, format_ = reader.root, FORMATS.get(quote, GEMMA)
        assert root is not None, "a brace opens it"
        super().__init__(root, reader.end, reader.reach, reader.problems, *reader.paths(), format_)
        self.closed = reader.closed
        self.missing = reader.missing


def read_gemma(
    text: str, start: int, end: int | None = None, *, quote: str = QUOTE, ending: str = "", budget: Budget = UNLIMITED
) -> GemmaRead:
    """Read the object whose brace is at `start`; never raises, except for an exhausted budget.

    Strings are expected between `quote`. `ending` is the marker that ends the call: a repair of truncated arguments
    writes it after the last brace. Takes time linear in the text.
    """
    limit = len(text) if end is None else min(end, len(text))
    reader = _Reader(Extent(text, start, limit, None, budget), quote, ending)
    reader.run()
    return GemmaRead(reader, quote)


class _Reader(ObjectTree):
    """One pass over one object."""

    reported = MappingProxyType({"format": "Gemma"})
    closed = False
    missing = ""

    def __init__(self, extent: Extent, quote: str, ending: str) -> None:
        super().__init__(extent)
        self.quote = quote
        self.ending = ending
        self._at = self.reach = extent.start + 1
        self._open("object", extent.start)
        # After these offsets each marker of strings is known to be missing.
        self.none_after: dict[str, int] = {}
        # Up to these offsets no quote of another dialect ends a string.
        self.endless: dict[str, int] = {}

    def run(self) -> None:
        """Read up to the brace that closes the object, or to where it is truncated."""
        steps = 0
        while self.root is None:
            steps += 1
            if not steps % 1024:
                self.budget.check()
            before = self._at
            at = self._skip_space()
            if at >= self.limit or self._stops(before, at) or self._breaks_off(at):
                self._cut_off(before)
                break
            frame = self._stack[-1]
            if frame.state == State.KEY:
                self._key(frame, at)
            elif frame.state == State.VALUE:
                self._value(frame, at)
            else:
                self._after(frame, at)
        else:
            self.closed = True
        self.end = self._at
        self.reach = max(self.reach, self.end)
        if self._dropped_problems:
            data = {"more": self._dropped_problems, **self.reported}
            self.problems.append(Problem("too-many-problems", Span(self.end, self.end), data))

    # -- what may come next --------------------------------------------------------------------------------------------

    def _skip_space(self) -> int:
        space = _SPACE.match(self.text, self._at, self.limit)
        self._at = space.end() if space is not None else self._at
        return self._at

    def _stops(self, before: int, at: int) -> bool:
        """Return whether the arguments can only be truncated before `at`."""
        if self.text[at] == "<" and MARKER.match(self.text, at, self.limit) is not None:
            self._at = at
            return True
        if _BLANK.search(self.text, before, at) is not None and _KEY_AHEAD.match(self.text, at) is None:
            self.reach = max(self.reach, at + 1)
            self._at = before
            return True
        return False

    def _breaks_off(self, at: int) -> bool:
        """Return whether the text ends inside the marker that begins a string at `at`."""
        if self.limit - at >= len(self.quote) or self.text[at] != "<":
            return False
        if self.quote.startswith(self.text[at : self.limit]) and self._stack[-1].state != State.AFTER:
            self._at = self.limit
            return True
        return False

    def _key(self, frame: OpenValue, at: int) -> None:
        text = self.text
        char = text[at]
        if char in "}]":
            if frame.comma >= 0:
                comma = Span(frame.comma, frame.comma + 1)
                self._report("trailing-comma", *comma, [delete(*comma)], certain=True)
            self._close(frame, at)
            return
        if char == ",":
            self._report("extra-comma", at, at + 1, [delete(at, at + 1)], certain=True)
            self._at = at + 1
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
                self._at = end
                self._elide(frame, end)
                return
        else:
            match = _KEY.match(text, at, self.limit)
            end = match.end() if match is not None else at
            key = text[at:end]
        self._colon(frame, key, Span(at, end))

    def _colon(self, frame: OpenValue, key: str, span: Span) -> None:
        """Read the colon after a key, or report what is there instead."""
        text = self.text
        at = _end(_SPACE, text, span.end, self.limit)
        symbol = text[at] if at < self.limit else ""
        if symbol in ":=" and symbol:
            if not key and span.start == span.end:
                self._report("missing-key", at, at + 1, text=symbol)
            if symbol == "=":
                self._report(
                    "missing-colon", at, at + 1, [Edit(Span(at, at + 1), ":")], certain=True, found="=", key=key
                )
            end = at + 1
        elif span.start == span.end:
            # Not a key: one character is skipped, so that reading continues.
            self._report("unexpected-text", at, at + 1, [delete(at, at + 1)], text=text[at : at + 1])
            self._at = at + 1
            return
        elif symbol in ",}]" or not symbol:
            if symbol:
                self._report("missing-key", *span, text=span.of(text))
                self._at = at
                frame.state = State.AFTER
                return
            end = span.end
            self._at, frame.state = end, State.CUT
            frame.key, frame.key_span = key, span
            return
        else:
            self._report("missing-colon", span.end, span.end, [insert(span.end, ":")], found="", key=key)
            end = span.end
        earlier = frame.keys.setdefault(key, len(frame.node.members))
        if earlier < len(frame.node.members) and HOLE not in key:
            self._report("duplicate-key", *span, key=key, first=frame.node.members[earlier].key_span)
        frame.key, frame.key_span, frame.state = key, span, State.VALUE
        self._at = end

    def _value(self, frame: OpenValue, at: int) -> None:
        text = self.text
        char = text[at]
        if char in "{[":
            self._container(at)
            return
        quote = next((each for each in QUOTES if text.startswith(each, at, self.limit)), None)
        if quote is not None:
            value, end, _ = self._string(at, quote)
            if quote != self.quote:
                self._foreign(Span(at, end), self._written(value))
            elif quote == ESCAPE and _is_json(value):
                reading = "Text between `<escape>` markers is read as a string"
                others = "vLLM reads it as JSON where it is valid JSON, and gets another value"
                self._report("engines-differ", at, end, reading=reading, others=others)
            self._take("string", at, end, value)
        elif char in ",}]":
            self._no_value(frame, at)
        elif char == "…" or text.startswith("...", at, self.limit):
            end = at + (1 if char == "…" else 3)
            if frame.kind == "array":
                self._at = end
                self._elide(frame, end)
            else:
                self._take("elision", at, end, text[at:end])
        elif char in "\"'":
            value, end = self._foreign_string(at)
            self._foreign(Span(at, end), self._written(value))
            self._take("string", at, end, value)
        else:
            self._word(at)

    def _no_value(self, frame: OpenValue, at: int) -> None:
        """Handle a delimiter where a value should be."""
        char = self.text[at]
        if frame.kind == "object":
            span = Span(frame.key_span.start, at + 1)
            if char != ",":
                span = Span(frame.comma if frame.comma >= 0 else span.start, at)
            self._report("missing-value", *frame.key_span, [delete(*span)], key=frame.key)
            self._take("missing", frame.key_span.end, at, None)
            self._at = at
        elif char == ",":
            self._report("extra-comma", at, at + 1, [delete(at, at + 1)], certain=True)
            self._at = at + 1
        else:
            if frame.comma >= 0:
                comma = Span(frame.comma, frame.comma + 1)
                self._report("trailing-comma", *comma, [delete(*comma)], certain=True)
            self._close(frame, at)

    def _after(self, frame: OpenValue, at: int) -> None:
        char = self.text[at]
        if char == ",":
            frame.comma = at
            frame.state = State.KEY if frame.kind == "object" else State.VALUE
            self._at = at + 1
        elif char in "}]":
            self._close(frame, at)
        else:
            previous = self._end_of_last(frame)
            if not frame.node.elided:
                self._report("missing-comma", previous, previous, [insert(previous, ",")], found="")
            frame.comma = -1
            frame.state = State.KEY if frame.kind == "object" else State.VALUE

    # -- values --------------------------------------------------------------------------------------------------------

    def _string(self, at: int, quote: str) -> tuple[str, int, bool]:
        """Read the string that `quote` opens at `at`: its value, its end, and whether it is closed."""
        text = self.text
        begin = at + len(quote)
        end = -1
        if begin < self.none_after.get(quote, self.limit + 1):
            end = text.find(quote, begin, self.limit)
            if end < 0:
                self.none_after[quote] = begin
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
        """Read an unclosed string: it continues to the marker at `cut`, without the closers of the arguments there, or
        to the end."""
        text = self.text
        end = self.limit if cut is None else cut
        truncated = cut is None
        if not truncated:
            end = _rstrip(text, begin, end)
            for frame in reversed(self._stack):
                if end <= begin or text[end - 1] != self.closers.get(frame.kind):
                    break
                end = _rstrip(text, begin, end - 1)
        frame = self._stack[-1]
        quote = text[at:begin]
        written = end
        if truncated:
            # The text may end in the beginning of its closing marker.
            part = next((size for size in range(len(quote) - 1, 0, -1) if text.endswith(quote[:size], begin, end)), 0)
            end -= part
        repair = (
            Edit(Span(end, written), quote)
            if not truncated
            else Edit(Span(end, written), quote + self._needed() + self.ending)
        )
        if truncated and frame.state == State.KEY:
            start = frame.comma if frame.comma >= 0 else at
            repair = Edit(Span(start, written), self._needed() + self.ending)
        data: dict[str, Any] = {"missing": "closing", "truncated": truncated, "string": Span(at, end), "marker": quote}
        self._report("unmatched-quote", at, begin, [repair], **data)
        self.missing = self._needed() + self.ending if truncated else self.missing
        return _lines(text[begin:end]), written, False

    def _foreign_string(self, at: int) -> tuple[str, int]:
        """Read a string in quotes of another dialect; if it is not closed, the quote is text."""
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

    def _word(self, at: int) -> None:
        """Read a value without quotes: a literal, a number, a template's expression, or text without its markers."""
        text = self.text
        end = max(_end(_BARE_ON, text, at, self.limit), at + 1)
        while end < self.limit and text[end] == "<" and not self._is_marker(end):
            end = max(_end(_BARE_ON, text, end + 1, self.limit), end + 1)
        end = _rstrip(text, at, end)
        word, span = text[at:end], Span(at, end)
        number = _NUMBER.fullmatch(word)
        if word in JSON_WORDS:
            self._take("literal", *span, JSON_WORDS[word])
        elif number is not None:
            self._number(span, word, number["fraction"])
        elif not word.strip(HOLE):
            self._take("hole", *span, word)
        elif word in PYTHON_WORDS:
            self._foreign(span, json.dumps(PYTHON_WORDS[word]))
            self._take("literal", *span, PYTHON_WORDS[word])
        elif end >= self.limit and any(each.startswith(word) for each in JSON_WORDS):
            self._take("missing", *span, None)
        else:
            self._foreign(span, self._written(word))
            self._take("string", *span, word)

    def _number(self, span: Span, word: str, fraction: str) -> None:
        if len(word) > _MAX_NUMBER_LENGTH:
            self._report("bad-number", *span, text=word, json="", reason="too-long")
            self._take("string", *span, word)
            return
        value: int | float = float(word) if fraction else int(word)
        if isinstance(value, float) and math.isinf(value):
            self._report("non-finite-number", *span, [Edit(span, "null")], text=word)
        self._take("number", *span, value)

    def _is_marker(self, at: int) -> bool:
        return self.text.startswith(QUOTES, at, self.limit) or MARKER.match(self.text, at, self.limit) is not None

    # -- the tree ------------------------------------------------------------------------------------------------------

    def _container(self, at: int) -> None:
        if len(self._stack) <= MAX_DEPTH:
            self._open("object" if self.text[at] == "{" else "array", at)
            self._at = at + 1
            return
        if not self._too_deep:
            self._report("too-deep", at, at + 1, limit=MAX_DEPTH)
        self._too_deep = True
        self._take("missing", at, self._end_of_container(at), None)

    def _end_of_container(self, at: int) -> int:
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

    def _add_member(self, frame: OpenValue, node: JsonNode) -> None:
        if HOLE in frame.key:
            self._marker_elided(frame)
            return
        frame.node.members.append(JsonMember(frame.key, frame.key_span, node))
        frame.node.value[frame.key] = node.value

    def _close(self, frame: OpenValue, at: int) -> None:
        """Close the innermost object or array with the closer at `at`, right or wrong."""
        symbol, wanted = self.text[at], self.closers[frame.kind]
        if symbol != wanted:
            if any(self.closers[outer.kind] == symbol for outer in self._stack[1:-1]):
                # The closer is that of the value around: only this closer is missing.
                last = self._end_of_last(frame)
                span = Span(last, last)
                self._missing_closers(wanted, span, insert(last, wanted), certain=True, truncated=False, dangling=False)
                self._pop(frame, last)
                return
            following = _end(_SPACE, self.text, at + 1, self.limit)
            if self.text[following : min(following + 1, self.limit)] == wanted:
                self._extra_closers(at, at + 1, symbol, certain=True)
                self._at = at + 1
                return
            self._mismatched(at, frame, certain=False)
        self._at = at + 1
        self._pop(frame, at + 1)

    def _cut_off(self, before: int) -> None:
        """Close what is open at the end of truncated arguments."""
        text = self.text
        frame = self._stack[-1]
        truncated = self._at >= self.limit
        place = _rstrip(text, self._begin + 1, min(self._at, before))
        needed = self._needed()
        stop = max(place, _rstrip(text, place, self.limit)) if truncated else place
        dangling = False
        start = place
        comma = frame.comma
        if frame.state in (State.VALUE, State.CUT) and frame.kind == "object":
            dangling, start = True, comma if comma >= 0 else min(place, frame.key_span.start)
            if frame.state == State.VALUE:
                self._give(JsonNode("missing", Span(place, place), None))
        elif comma >= 0:
            dangling, start = True, comma
        elif frame.node.children and frame.node.children[-1].kind == "missing":
            dangling = True
            whole = frame.node.children[-2:-1]
            start = min(place, whole[0].span.end if whole else frame.node.span.start + 1)
        if not self.missing and not self._too_deep:
            closers = needed + self.ending if truncated else needed
            repair = Edit(Span(start, stop if dangling else place), closers)
            certain = not dangling and not truncated
            span = Span(place, place)
            self._missing_closers(needed, span, repair, certain=certain, truncated=truncated, dangling=dangling)
            self.missing = closers
        self._at = stop
        while self.root is None:
            self._pop(self._stack[-1], place)

    def _end_of_last(self, frame: OpenValue) -> int:
        """Return where the last value that was read in an object or array ends."""
        last = _last(frame.node)
        return max(last.span.end if last is not None else 0, frame.node.span.start + 1)

    # -- problems ------------------------------------------------------------------------------------------------------

    def _written(self, value: str) -> str:
        return f"{self.quote}{value}{self.quote}"

    def _written_key(self, key: str) -> str:
        return key if _BARE_KEY.fullmatch(key) else self._written(key)

    def _foreign(self, span: Span, write: str) -> None:
        text = span.of(self.text)
        self._report("foreign-value", *span, [Edit(span, write)], certain=True, text=text, write=write)


def _end(pattern: re.Pattern[str], text: str, at: int, limit: int) -> int:
    match = pattern.match(text, at, limit)
    return match.end() if match is not None else at


def _is_json(value: str) -> bool:
    """Return whether a text is the JSON of a value that is not a string."""
    if value[:1] not in _BEGINS_JSON or value[:1] == "":
        return False
    try:
        return not isinstance(json.loads(value), str)
    except (ValueError, RecursionError):
        return False


def _rstrip(text: str, start: int, end: int) -> int:
    """Return where `text[start:end]` ends without the space after it."""
    while end > start and text[end - 1].isspace():
        end -= 1
    return end


def _lines(value: str) -> str:
    """Return a string's value: the file's line ends are LF in it."""
    return value.replace("\r\n", "\n").replace("\r", "\n") if "\r" in value else value


def _last(node: JsonNode) -> JsonNode | None:
    """Return the last value in an object or array, without a list of all."""
    if node.kind == "object":
        return node.members[-1].value if node.members else None
    return node.items[-1] if node.items else None


# -- writing -----------------------------------------------------------------------------------------------------------


def why_not(value: str, quote: str) -> str | None:
    """Return why a text cannot be a string of this dialect, None if it can: strings have no escapes."""
    if quote in value:
        return f"a string cannot contain `{quote}`, which ends it"
    if "\r" in value:
        return "a string cannot contain a carriage return: line ends are read as line feeds"
    if any("\ud800" <= char < "\ue000" for char in value):
        return "a string cannot contain half a surrogate pair"
    return None


def _style(quote: str) -> Style:
    """Return how values are written between string markers: without space, as the templates do."""

    def string(value: str) -> str | None:
        return None if why_not(value, quote) is not None else f"{quote}{value}{quote}"

    def key(name: str) -> str | None:
        return name if _BARE_KEY.fullmatch(name) is not None else string(name)

    return Style(string, key, comma=",", colon=":")


GEMMA: Final = LineFormat("Gemma", _style(QUOTE))
FUNCTION_GEMMA: Final = LineFormat("Gemma", _style(ESCAPE))
FORMATS: Final = {QUOTE: GEMMA, ESCAPE: FUNCTION_GEMMA}
