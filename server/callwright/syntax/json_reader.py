"""The tolerant JSON reader: any text gives a tree, a value and the faults, in time linear in the text.

Owns: the reading of faulty JSON, and every problem kind of JSON (see `callwright.syntax.json` for the list).
Must not know: what the JSON is for, rules, codes, messages.

The reader keeps a stack of open objects and arrays and asks, at every character that cannot stand where it stands,
which single slip would explain it. Faultless parts go to the C parser as a whole; work that is thrown away because such
a part turns out faulty is charged against an allowance, so that the sum stays linear.
"""

import itertools
import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import replace
from enum import Enum, auto
from typing import Any, Final

from callwright.syntax.json_brackets import LONGEST_RUN, Alignment, Step, align
from callwright.syntax.json_fast import MAX_DEPTH, NotCleanError, scan_clean
from callwright.syntax.json_nodes import SPACE, JsonKind, JsonMember, JsonNode, JsonPath, clean_node
from callwright.syntax.json_paths import open_paths
from callwright.syntax.json_stops import MAX_PROBLEMS, stop_between
from callwright.syntax.json_strings import Content, control_escape, control_name, read_content
from callwright.syntax.problem import Problem
from callwright.text.budget import Budget
from callwright.text.holes import HOLE
from callwright.text.line_ends import first_line_end
from callwright.text.span import Edit, Span, delete, insert

_DIGITS_MAX: Final = 4300  # Python refuses to convert longer integers
_EXCERPT: Final = 40
_SHORT_LOOK: Final = 20
#: After so many quotes were weighed in vain, a string ends at the first that may end it.
_MOST_VAIN: Final = 2_000

_STRING: Final = re.compile(r'"(?:[^"\\\x00-\x1f]++|\\[^\x00-\x1f])*+"')
_CLOSERS: Final = re.compile(r"[}\]](?:[ \t\r\n]*+[}\]])*+")
_TOKEN: Final = re.compile(rf"[\w.+$\-{HOLE}]++")
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*+)(\.[0-9]++)?([eE][+-]?[0-9]++)?")
_LOOSE_NUMBER: Final = re.compile(r"([+-]?)([0-9](?:_?[0-9])*+)?(\.(?:[0-9](?:_?[0-9])*+)?)?([eE][+-]?[0-9]++)?")
_RADIX_NUMBER: Final = re.compile(r"([+-]?)0(?:[xX][0-9a-fA-F]++|[oO][0-7]++|[bB][01]++)")
_BARE: Final = re.compile(r"[^,{}\[\]\"\r\n]++")
_WORDLESS: Final = re.compile(r"[^\w/~]*+")
_BARE_COMMENT: Final = re.compile(r"(?<![ \t])[ \t]++(?://|#|/\*)")
#: How far the end of a comment behind a string is looked for, and what ends it.
_LONGEST_COMMENT: Final = 200
_LINE_END: Final = re.compile(r"[\r\n]")
_BLOCK_END: Final = re.compile(r"\*/")
_JUNK: Final = re.compile(r"[^,{}\[\]\"'\s…]++")
_ELISION: Final = re.compile(r"(?:\.{3,}+|…)[^\",:{}\[\]\r\n<]*+")
_ANGLE: Final = re.compile(r"<(?!(?:null|true|false)>)[A-Za-z_][\w .,:|/'-]{0,120}+>(?=[ \t\r\n]*+(?:[,}\]]|\Z))")
#: A template's expression where a value or a member could stand: `{{ path }}`, `{{{ path }}}`, `${path}`.
_EXPRESSION: Final = re.compile(
    r"\{\{\{[ \t]{0,30}+[A-Za-z_@][^{}\"':\r\n]{0,200}+\}\}\}|\{\{-?[ \t]{0,30}+[A-Za-z_@][^{}\"':\r\n]{0,200}+\}\}"
    r"|\$\{[A-Za-z_][^{}\"':\r\n]{0,200}+\}"
)
_KEY_AHEAD: Final = re.compile(
    r"(?:\"(?:[^\"\\\n]|\\.){0,160}+\"|'[^'\n]{0,160}+'|[“”„][^“”\"\n]{0,160}+[“”\"]|[A-Za-z_$][\w$.-]{0,160}+"
    rf"|[\w$.-]{{1,80}}+\"|{HOLE}++)[ \t\r\n]*+:"
)
_NEXT_KEY: Final = re.compile(r"\"[\w$.-]{1,160}+\"[ \t\r\n]*+:")
_VALUE_AHEAD: Final = re.compile(
    r"[\[{\-0-9]|\"(?:[^\"\\\n]|\\.){0,160}+\"[ \t\r\n]*+[,\]]|(?:true|false|null|True|False|None)\b"
)
_ITEM_AHEAD: Final = re.compile(
    r"[\[{]|\"(?:[^\"\\\n]|\\.){0,160}+\"[ \t\r\n]*+[,\]\"\-0-9tfnTFN\[{]"
    r"|(?:-?[0-9][\w.+-]*+|true|false|null|True|False|None)[ \t\r\n]*+[,\]]"
)
_STRING_AHEAD: Final = re.compile(r"\"(?:[^\"\\\n]|\\.){0,160}+\"[ \t\r\n]*+[,}]")
_KEY_GOES_ON: Final = re.compile(r"(?:[^\",:{}\[\]\n\\]|\\[^\"\r\n]){1,80}+\"[ \t]*+:")
_OPEN_KEY: Final = re.compile(r"[\"'“”]([\w$.-]{1,80}+)[ \t]*+:")
_BARE_KEY: Final = re.compile(rf"([\w$.\-{HOLE}]++)[ \t\r\n]*+(?=:|=)")
_FIRST_LINE: Final = re.compile(r"[^\"\\\r\n]*+(?:\\[^\r\n][^\"\\\r\n]*+)*+(?=[\r\n])")
_SCRAP: Final = re.compile(r"[^\",:{}\[\]\r\n]{1,40}+,")
_LABEL: Final = re.compile(r"[^\",{}\[\]\s]{1,40}+[ \t]*+(?=[{\[])")
_LOST_OPENING: Final = re.compile(r"[\w$.-]{1,80}+\"[ \t]*+:")
_PREFIX: Final = re.compile(r"[rRbBuUfF]{1,2}(?=[\"'])")
_ASSIGN: Final = re.compile(r":?=>?|->|;")
_MARKS: Final = {
    '"': re.compile(r'\\[\s\S]|"'),
    "'": re.compile(r"\\[\s\S]|'"),
    "`": re.compile(r"\\[\s\S]|`"),
    "“": re.compile(r'\\[\s\S]|[”“„‟"]'),
    "‘": re.compile(r"\\[\s\S]|[’‘‚‛']"),
    "«": re.compile(r"\\[\s\S]|»"),
}
_OPENERS: Final = {
    '"': '"',
    "'": "'",
    "`": "`",
    "“": "“",
    "”": "“",
    "„": "“",
    "‟": "“",
    "‘": "‘",
    "’": "‘",
    "‚": "‘",
    "‛": "‘",
    "«": "«",
}
_CLOSING_CHARS: Final = {'"': '"', "'": "'", "`": "`", "“": "”“„‟", "‘": "’‘‚‛'", "«": "»"}
_SMART_CLOSER: Final = re.compile("[”“]")
_WORDS: Final[dict[str, Any]] = {"true": True, "false": False, "null": None}
_PYTHON: Final = {
    "True": "true",
    "False": "false",
    "None": "null",
    "TRUE": "true",
    "FALSE": "false",
    "NULL": "null",
    "Null": "null",
    "undefined": "null",
    "nil": "null",
}
_NON_FINITE: Final = {
    "NaN": math.nan,
    "nan": math.nan,
    "Infinity": math.inf,
    "+Infinity": math.inf,
    "-Infinity": -math.inf,
    "inf": math.inf,
    "+inf": math.inf,
    "-inf": -math.inf,
}
_CLOSER_OF: Final = {"object": "}", "array": "]"}
_WIDE_SPACE: Final = re.compile("[\\s\ufeff\u200b\u200c\u200d\u2060]*+")
_INVISIBLE: Final = "\ufeff\u200b\u200c\u200d\u2060"


class _State(Enum):
    KEY = auto()  # an object wants a key or its end
    COLON = auto()
    VALUE = auto()
    AFTER = auto()  # a value is complete; a comma or the end follows


class _Follow(Enum):
    """What a quote is, judged by what follows it."""

    YES = auto()  # it ends the string
    END = auto()  # nothing follows at all
    WEAK = auto()  # a separator follows, but nothing that belongs behind one
    COLON = auto()  # a colon follows where a value would end
    NO = auto()


class _Frame:
    """An open object or array, or the place of the root value (`kind` is then empty)."""

    __slots__ = (
        "comma",
        "dropped",
        "key",
        "key_span",
        "keys",
        "kind",
        "last_comma",
        "loose",
        "node",
        "start",
        "state",
        "virtual",
    )

    def __init__(self, kind: str, start: int, node: JsonNode, state: _State) -> None:
        self.kind = kind
        self.start = start
        self.node = node
        self.state = state
        self.comma = -1  # the comma that waits for a member or an item
        self.last_comma = -1  # the comma in front of the latest one
        self.loose = False  # what was read last may have brought its own comma: a hole, an elision, junk
        self.key = ""
        self.key_span = Span(start, start)
        self.keys: dict[str, int] = {}
        self.dropped = False  # the value about to come has no key: it is read and left out
        self.virtual = False  # its opening bracket is not in the text


class Reader:
    """One reading of `text[start:limit]`; `read` does it, then the public attributes hold the outcome.

    With `patience`, reading ends where so many characters in a row were no JSON.
    """

    def __init__(
        self,
        text: str,
        start: int,
        limit: int,
        stop: re.Pattern[str] | None,
        budget: Budget,
        failed_at: int | None,
        patience: int | None = None,
    ) -> None:
        self.text = text
        self.limit = limit
        self.stop = stop
        self.patience = patience
        self.budget = budget
        self.problems: list[Problem] = []
        self.root: JsonNode | None = None
        self.end = start
        self.reach = start
        self._begin = start
        self._at = start
        self._stop_at = self._next_stop(start)
        self._last = start  # behind the last token that was understood
        self._dropped_problems = 0
        self._allowance = 4 * (limit - start) + 4096
        self._tried = start  # the C parser has been given the root already
        self._charge(start, failed_at)
        self._surplus: dict[str, int] | None = None
        self._marked = False  # something in the tree is wild or elided
        self._dangling = False  # the text ends inside a string
        self._too_deep = False
        self._deep_open = 0
        self._run_end = -1  # of the run of closers that is being read
        self._unclosed_at = -1  # the latest string whose end was not found
        self._vain = 0  # quotes that were weighed behind those that strings were closed with in the end
        self._wordless_to = -1  # up to here bare text holds no letter and no digit, as it was read before
        self._escaped_strings: list[tuple[Span, list[Edit], bool]] = []  # their repairs, whether those are certain
        place = Span(start, start)
        self._base = _Frame("", start, JsonNode("missing", place, None), _State.VALUE)
        self._stack: list[_Frame] = [self._base]

    # -- outcome -------------------------------------------------------------------------------------------------------

    def read(self) -> None:
        """Read the whole text; afterwards `root`, `problems`, `end` and `reach` are set."""
        steps = 0
        while True:
            steps += 1
            if not steps & 255:
                self.budget.check()
            frame = self._stack[-1]
            at = self._at = self._skip(self._at, frame)
            if at >= self._stop_at:
                break
            if self.patience is not None and at - self._last > self.patience:
                self._stop_at = at
                break
            if frame.state is _State.AFTER:
                self._read_after(frame, at)
            elif frame.state is _State.KEY:
                self._read_key(frame, at)
            elif frame.state is _State.COLON:
                self._read_colon(frame, at)
            else:
                self._read_value(frame, at)
        self._finish()

    def paths(self) -> tuple[list[JsonPath], list[JsonPath]]:
        """Return the paths of values that fit anything, and of objects and arrays that may hold more."""
        if self._too_deep:
            return [()], []  # what is down there may be anything
        if not self._marked or self.root is None:
            return [], []
        return open_paths(self.root)

    # -- small tools ---------------------------------------------------------------------------------------------------

    def _report(
        self,
        kind: str,
        start: int,
        end: int,
        repair: Iterable[Edit] = (),
        *,
        certain: bool = False,
        **data: Any,
    ) -> None:
        if len(self.problems) >= MAX_PROBLEMS:
            self._dropped_problems += 1
            return
        edits = tuple(repair)
        self.problems.append(Problem(kind, Span(start, end), data, edits, certain and bool(edits)))

    def _charge(self, start: int, failed_at: int | None) -> None:
        known = self.limit if failed_at is None else min(failed_at, self.limit)
        self._allowance -= max(known - start, 0)
        self.reach = max(self.reach, min(known + 1, self.limit))

    def _look(self, at: int) -> None:
        if at > self.reach:
            self.reach = min(at, self.limit)

    def _next_stop(self, at: int) -> int:
        found = self.stop.search(self.text, at, self.limit) if self.stop is not None else None
        return found.start() if found is not None else self.limit

    def _space(self, at: int) -> int:
        found = _WIDE_SPACE.match(self.text, at, self.limit)
        return found.end() if found is not None else at

    def _is_end(self, after: int, at: int) -> bool:
        """Tell whether the text ends at `at`, to which only space leads from `after`."""
        if at >= self.limit:
            return True
        if self.stop is None:
            return False
        return stop_between(self.text, self.stop, after, at, self.limit) is not None

    def _skip(self, at: int, frame: _Frame) -> int:
        """Pass space, comments and characters that only look like space."""
        text = self.text
        while True:
            if at > self._stop_at:
                self._stop_at = self._next_stop(at)
            found = SPACE.match(text, at, self._stop_at)
            at = found.end() if found is not None else at
            if at >= self._stop_at:
                return at
            char = text[at]
            follower = self._char(at + 1)
            # `{"color": #fff}` is a value without its quotes.
            bare = frame.state is _State.VALUE and frame.kind == "object" and follower.isalnum()
            if (char == "/" and follower in ("/", "*")) or (char == "#" and not bare):
                at = self._skip_comment(at)
            elif char.isspace() or char in _INVISIBLE:
                start = at
                while at < self._stop_at and (text[at].isspace() or text[at] in _INVISIBLE):
                    at += 1
                self._report("unexpected-text", start, at, [Edit(Span(start, at), " ")], certain=True, space=True)
            else:
                return at

    def _skip_comment(self, at: int) -> int:
        text = self.text
        block = text.startswith("/*", at, self.limit)
        closed = True
        if block:
            end = text.find("*/", at + 2, self._stop_at)
            closed = end >= 0
            end = end + 2 if closed else self._stop_at
        else:
            end = min(
                (found for found in (text.find(mark, at, self._stop_at) for mark in "\r\n") if found >= 0),
                default=self._stop_at,
            )
        # What ends the line decides what goes with the comment, and where the text ends, how far it goes.
        self._look(end + 2)
        if not block and end == self._stop_at:
            # Brackets at the very end of a one-line call are the call's, not the comment's.
            while end > at + 1 and text[end - 1] in " \t}]":
                end -= 1
        # A quote or bracket in it may be the value's around that lost its own.
        plain = closed and _PLAIN_COMMENT.fullmatch(text, at, end) is not None
        edits = _without_comment(text, at, end, self._begin, self.limit)
        self._report("comment", at, end, edits, certain=plain, text=text[at:end], closed=closed)
        return end

    def _char(self, at: int) -> str:
        """Return the character at `at`, nothing where the text to be read has ended."""
        return self.text[at] if at < self.limit else ""

    def _ahead(self, at: int) -> str:
        """Return what begins at `at`: k(ey), v(alue), c(loser), e(nd), o(pen to anything), or ? for text of no use."""
        if self._is_end(at, at):
            return "e"
        char = self.text[at]
        self._look(at + 200)
        if char in "}]":
            return "c"
        if _KEY_AHEAD.match(self.text, at, self.limit):
            return "k"
        if char in "{$" and _EXPRESSION.match(self.text, at, self.limit):
            return "o"
        if _VALUE_AHEAD.match(self.text, at, self.limit):
            return "v"
        if char in f"{HOLE}…#" or self.text.startswith(("...", "//", "/*"), at, self.limit):
            return "o"
        return "?"

    # -- values --------------------------------------------------------------------------------------------------------

    def _read_value(self, frame: _Frame, at: int) -> None:
        char = self.text[at]
        expression = _EXPRESSION.match(self.text, at, self._stop_at) if char in "{$" else None
        if expression is not None:
            self._at = expression.end()
            self._give_marked("elision", at, expression.end())
        elif char in "{[":
            self._read_container(frame, at)
        elif char in "}]":
            if frame.kind == "":
                self._give_up(at)
            else:
                self._read_closers(at)
        elif char == ",":
            if frame.kind == "object":
                self._no_value(frame)
            elif frame.kind == "array":
                self._extra_comma(frame, at)
            else:
                self._give_up(at)
        elif frame.kind == "" and self.text.startswith("```", at, self.limit):
            self._give_up(at)
        elif char in _OPENERS:
            self._read_string_value(frame, at)
        elif char == "\\" and self.text.startswith('\\"', at, self.limit):
            self._read_escaped_string(at)
        elif char == "…" or self.text.startswith("...", at, self.limit):
            self._read_elision(frame, at)
        else:
            self._read_word(frame, at)

    def _read_container(self, frame: _Frame, at: int) -> None:
        depth = len(self._stack) - 1
        if depth >= MAX_DEPTH:
            self._skip_deep(at)
            return
        if self._allowance > 0 and at != self._tried and not frame.dropped:
            try:
                value, end = scan_clean(self.text, at, self.limit, depth)
            except NotCleanError as error:
                # The C parser counts the lines in front of a fault, in the whole text.
                self._allowance -= at >> 6
                self._charge(at, error.at)
            else:
                if self._fits(frame, end):
                    self._at = end
                    self._give(clean_node(self.text, Span(at, end), value))
                    return
                self._charge(at, end)
        self._open("object" if self.text[at] == "{" else "array", at)
        self._at = self._last = at + 1

    def _open(self, kind: JsonKind, at: int) -> _Frame:
        node = JsonNode(kind, Span(at, at), {} if kind == "object" else [])
        frame = _Frame(kind, at, node, _State.KEY if kind == "object" else _State.VALUE)
        self._stack.append(frame)
        return frame

    def _fits(self, frame: _Frame, end: int) -> bool:
        """Tell whether what follows a value that ends at `end` can follow it inside `frame`."""
        at = self._space(end)
        self._look(at + 1)
        if at >= self.limit or self.text[at] != ",":
            return True
        ahead = self._ahead(self._space(at + 1))
        return ahead != "v" if frame.kind == "object" else ahead != "k"

    def _skip_deep(self, at: int) -> None:
        """Pass an object or array that is nested too deep to be read."""
        text, depth, start = self.text, 0, at
        while at < self._stop_at:
            char = text[at]
            if char == '"':
                string = _STRING.match(text, at, self.limit)
                at = string.end() if string is not None else at + 1
                if at > self._stop_at:
                    self._stop_at = self._next_stop(at)
            else:
                at += 1
                if char in "{[":
                    depth += 1
                elif char in "}]":
                    depth -= 1
                    if not depth:
                        break
                elif not at & 0xFFFF:
                    self.budget.check()
        self._too_deep = True
        self._report("too-deep", start, start + 1, limit=MAX_DEPTH)
        self._deep_open += depth
        self._at = at
        self._give_marked("missing", start, at)

    def _read_word(self, frame: _Frame, at: int) -> None:
        """Read what begins with no bracket and no quote: a number, a literal, or bare text."""
        text = self.text
        prefix = _PREFIX.match(text, at, self._stop_at)
        if prefix is not None and frame.kind != "":
            self._report("unexpected-text", at, prefix.end(), [delete(at, prefix.end())], text=prefix[0], prefix=True)
            self._at = prefix.end()
            return
        label = _LABEL.match(text, at, self._stop_at)
        if label is not None and self._is_label(frame, label[0]):
            self._junk(frame, at)
            return
        angle = _ANGLE.match(text, at, self._stop_at)
        if angle is not None:
            self._at = angle.end()
            self._give_marked("elision", at, angle.end())
            return
        token = _TOKEN.match(text, at, self._stop_at)
        if token is not None:
            word, end = token[0], token.end()
            self._look(end + 1)
            if HOLE in word:
                self._at = end
                self._give_marked("hole", at, end)
                return
            if self._stands_alone(frame, end) and self._read_plain(at, end, word):
                return
        self._read_bare(frame, at)

    def _is_label(self, frame: _Frame, word: str) -> bool:
        """Tell whether a word in front of a bracket is a mere label: `{"a": dict {}}`, `[x{}]`."""
        if HOLE in word or frame.kind == "":
            return False
        return frame.kind == "object" or not (word[-1].isspace() or self._is_plain(word))

    def _is_plain(self, word: str) -> bool:
        return word in _WORDS or word in _PYTHON or _NUMBER.fullmatch(word) is not None

    def _stands_alone(self, frame: _Frame, end: int) -> bool:
        """Tell whether the word that ends at `end` is not merely the first of a run of bare words."""
        if end >= self._stop_at or self.text[end] in ",}]\r\n":
            return True
        if frame.kind != "object":
            return self.text[end] in " \t\"'{[/#…" or frame.kind == ""
        at = end
        while at < self._stop_at and self.text[at] in " \t":
            at += 1
        if at >= self._stop_at or self.text[at] in f",}}]\r\n\"'“”„{{[…{HOLE}" or self._is_end(at, at):
            return True
        return self.text.startswith(("//", "/*", "#", "..."), at, self.limit) or self._ahead(at) == "k"

    def _read_plain(self, at: int, end: int, word: str) -> bool:
        """Read a number or a literal, well or badly written; False where the word is neither."""
        if word in _WORDS:
            self._take("literal", at, end, _WORDS[word])
        elif word in _PYTHON:
            json_word = _PYTHON[word]
            self._report(
                "python-literal", at, end, [Edit(Span(at, end), json_word)], certain=True, text=word, json=json_word
            )
            self._take("literal", at, end, _WORDS[json_word])
        elif word in _NON_FINITE:
            self._report("non-finite-number", at, end, [Edit(Span(at, end), "null")], text=word)
            self._take("number", at, end, _NON_FINITE[word])
        else:
            return self._read_number(at, end, word)
        return True

    def _read_number(self, at: int, end: int, word: str) -> bool:
        number = _NUMBER.fullmatch(word)
        if number is not None:
            if number[1] is None and number[2] is None:
                if len(word) > _DIGITS_MAX:
                    self._report("bad-number", at, end, text=_shorten(word), reason="too-long")
                    self._at = end
                    self._give_marked("missing", at, end)
                    return True
                self._take("number", at, end, int(word))
                return True
            value = float(word)
            if math.isinf(value):
                self._report("non-finite-number", at, end, text=_shorten(word))
            self._take("number", at, end, value)
            return True
        plain = _plain_number(word)
        if plain is None and (word not in ("+", "-", ".") or self._char(end) in ("{", "[", '"')):
            return False
        if plain is None:
            self._report("bad-number", at, end, text=word, reason="incomplete")
            self._at = end
            self._give_marked("missing", at, end)
            return True
        mended, exact = plain
        whole = _NUMBER.fullmatch(mended)
        is_int = whole is not None and whole[1] is None and whole[2] is None
        if is_int and len(mended) > _DIGITS_MAX:
            self._report("bad-number", at, end, text=_shorten(word), reason="too-long")
            self._at = end
            self._give_marked("missing", at, end)
            return True
        if not is_int and math.isinf(float(mended)):
            self._report("non-finite-number", at, end, text=_shorten(word))
            self._take("number", at, end, float(mended))
            return True
        self._report(
            "bad-number",
            at,
            end,
            [Edit(Span(at, end), mended)],
            certain=exact,
            text=_shorten(word),
            json=_shorten(mended),
            reason="form",
        )
        self._take("number", at, end, int(mended) if is_int else float(mended))
        return True

    def _read_bare(self, frame: _Frame, at: int) -> None:
        """Read bare words where a value should stand, up to a separator, the line's end or a quote."""
        text = self.text
        if frame.kind == "":
            self._give_up(at)
            return
        if at < self._wordless_to:
            self._junk(frame, at)
            return
        found = _BARE.match(text, at, self._stop_at)
        end = found.end() if found is not None else at
        comment = _BARE_COMMENT.search(text, at, end)
        if comment is not None:
            end = comment.start()
        after = end
        while end > at and text[end - 1].isspace():
            end -= 1
        if _WORDLESS.fullmatch(text, at, end) is not None:
            self._wordless_to = end
            self._junk(frame, at)
            return
        if text.startswith('"', after, self.limit) and self._follow(after + 1, frame.kind) in (
            _Follow.YES,
            _Follow.END,
        ):
            # The closing quote is there, so the opening one is what is missing.
            self._report("unmatched-quote", at, after + 1, [insert(at, '"')], missing="opening", truncated=False)
            self._at = after + 1
            self._give(JsonNode("string", Span(at, after + 1), text[at:after]))
            return
        word = text[at:end]
        edits = [insert(at, '"')]
        edits += [insert(at + place, "\\") for place, char in enumerate(word) if char == "\\"]
        edits.append(insert(end, '"'))
        if self._char(after) in ('"', "{", "[") or not word.isprintable():
            edits = []
        self._report("unquoted-string", at, end, edits, text=_shorten(word))
        self._take("string", at, end, word)

    def _take(self, kind: JsonKind, at: int, end: int, value: Any) -> None:
        self._at = end
        self._give(JsonNode(kind, Span(at, end), value))

    def _give_marked(self, kind: JsonKind, at: int, end: int) -> None:
        self._marked = True
        self._give(JsonNode(kind, Span(at, end), None))
        if kind == "hole":
            self._stack[-1].loose = True

    def _give(self, node: JsonNode) -> None:
        """Put a complete value where it belongs in the innermost open object or array."""
        frame = self._stack[-1]
        self._last = max(self._last, node.span.end)
        frame.state = _State.AFTER
        frame.loose = False
        frame.last_comma, frame.comma = frame.comma, -1
        if frame.kind == "object":
            if frame.dropped:
                frame.dropped = False
                return
            self._add_member(frame, node)
        elif frame.kind == "array":
            frame.node.items.append(node)
            frame.node.value.append(node.value)
        else:
            self.root = node
            self.end = node.span.end

    def _add_member(self, frame: _Frame, node: JsonNode) -> None:
        member = JsonMember(frame.key, frame.key_span, node)
        members = frame.node.members
        earlier = frame.keys.get(member.key)
        if earlier is not None and HOLE not in member.key:
            follower = members[earlier + 1].key_span.start if earlier + 1 < len(members) else member.key_span.start
            first = members[earlier]
            self._report(
                "duplicate-key",
                member.key_span.start,
                member.key_span.end,
                [delete(first.key_span.start, follower)],
                certain=first.value.span.of(self.text) == node.span.of(self.text),
                key=member.key,
                first=first.key_span,
            )
        frame.keys[member.key] = len(members)
        members.append(member)
        frame.node.value[member.key] = node.value
        if HOLE in member.key:
            # Whatever the expression yields is the key, so any key may be there.
            self._mark_elided(frame)

    def _mark_elided(self, frame: _Frame) -> None:
        frame.node.elided = self._marked = True

    # -- strings -------------------------------------------------------------------------------------------------------

    def _read_string_value(self, frame: _Frame, at: int) -> None:
        if frame.kind == "":
            colon = _OPEN_ROOT_KEY.match(self.text, at, self._stop_at)
            if colon is not None:
                self._report("missing-opener", at, at + 1, [insert(at, "{")], text="{")
                self._open("object", at).virtual = True
                return
        value, end = self._read_string(at, frame.kind)
        self._at = end
        if HOLE in value:
            self._marked = True
        self._give(JsonNode("string", Span(at, end), value))

    def _read_string(self, at: int, context: str) -> tuple[str, int]:
        """Return value and end of the string that opens at `at`; `context` is where: key, object, array or root."""
        text = self.text
        char = text[at]
        if text.startswith(char * 3, at, self.limit) and char in "\"'":
            tripled = self._read_triple(at, char * 3)
            if tripled is not None:
                return tripled
        if char == '"':
            string = _STRING.match(text, at, self.limit)
            if string is not None:
                end = string.end()
                self._look(end)
                follow = self._follow(end, context)
                crossing = end > self._stop_at
                if follow in (_Follow.YES, _Follow.END) or (
                    follow in (_Follow.WEAK, _Follow.COLON) and not crossing and not self._looks_open(at, context)
                ):
                    part = text[at + 1 : end - 1]
                    if "\\" not in part and part.isascii():
                        return part, end
                    return self._close(at, at + 1, end - 1, end, [])
        if context != "key":
            open_end = self._ends_on_first_line(at, context)
            if open_end is not None:
                return self._unclosed(at, open_end)
        else:
            key = _OPEN_KEY.match(text, at, self._stop_at)
            if key is not None:
                return self._unclosed(at, key.end(1))
        return self._search_end(at, context)

    def _looks_open(self, at: int, context: str) -> bool:
        """Tell whether a key such as `"path: 1` has lost its closing quote."""
        return context == "key" and _OPEN_KEY.match(self.text, at, self._stop_at) is not None

    def _ends_on_first_line(self, at: int, context: str) -> int | None:
        """Return where a string ends that has no quote on its line while the next line goes on with JSON."""
        if context == "":
            return None
        line = _FIRST_LINE.match(self.text, at + 1, self._stop_at)
        if line is None:
            return None
        if self.text[at] != '"' and any(closer in line[0] for closer in _CLOSING_CHARS[_OPENERS[self.text[at]]]):
            # Closed on its line, with other quotes than JSON's.
            return None
        below = self._space(line.end())
        written = line[0].rstrip()
        end = at + 1 + len(written)
        if written.endswith(","):
            ahead = self._ahead(below)
            if ahead == "k" if context == "object" else ahead == "v":
                return end - 1
        closers = _CLOSERS.match(self.text, below, self._stop_at)
        if closers is not None and self._is_end(closers.end(), self._space(closers.end())):
            return end - 1 if written.endswith(",") else end
        return None

    def _search_end(self, at: int, context: str) -> tuple[str, int]:
        """Weigh one closing quote after the other until one ends the string that opens at `at`."""
        text = self.text
        style = _OPENERS[text[at]]
        stop_at = self._stop_at
        inner: list[int] = []
        fallback: tuple[int, int] | None = None
        patient = self._vain < _MOST_VAIN
        for mark in _MARKS[style].finditer(text, at + 1, self.limit):
            if text[mark.start()] == "\\":
                continue
            quote = mark.start()
            end = quote + 1
            self._look(end)
            follow = self._follow(end, context)
            if follow in (_Follow.YES, _Follow.END):
                return self._close(at, at + 1, quote, end, inner)
            if quote >= stop_at:
                break
            even = not len(inner) & 1
            if follow is _Follow.NO and not inner and context == "object":
                lost = self._lost_quote(at, quote, style)
                if lost is not None:
                    return self._unclosed(at, lost)
            if follow is not _Follow.NO and even:
                return self._close(at, at + 1, quote, end, inner)
            if follow is _Follow.WEAK and fallback is None:
                fallback = (quote, len(inner))
            inner.append(quote)
            if not len(inner) & 255:
                self.budget.check()
            if fallback is not None and not patient:
                break
        else:
            self._look(self.limit)
        if fallback is not None:
            self._vain += len(inner) - fallback[1]
            return self._close(at, at + 1, fallback[0], fallback[0] + 1, inner[: fallback[1]])
        return self._unclosed(at, None, context)

    def _lost_quote(self, at: int, quote: int, style: str) -> int | None:
        """Return where a string lost its quote: `"a": "x, "b": 1`, where the first quote inside begins the next key."""
        if style != '"' or _NEXT_KEY.match(self.text, quote, self.limit) is None:
            return None
        end = quote
        while end > at + 1 and self.text[end - 1] in " \t\r\n":
            end -= 1
        return end - 1 if end > at + 2 and self.text[end - 1] == "," else None

    def _follow(self, end: int, context: str) -> _Follow:
        """Judge by what follows whether the quote in front of `end` closes a string."""
        text = self.text
        at = self._space(end)
        self._look(at + 1)
        if self._is_end(end, at):
            return _Follow.END
        char = text[at]
        if context == "key":
            return self._follow_key(end, at, char)
        if context == "":
            return _Follow.YES if char in ",:}]" else _Follow.NO
        if char == ",":
            return self._follow_comma(self._space(at + 1), context)
        if char in "}]":
            closers = _CLOSERS.match(text, at, self.limit)
            behind = closers.end() if closers is not None else at + 1
            following = self._space(behind)
            self._look(following + 1)
            if self._is_end(behind, following) or text[following] in f",{HOLE}…":
                return _Follow.YES
            return _Follow.YES if self._ahead(following) in "ok" else _Follow.WEAK
        if char == ":":
            return _Follow.COLON
        if char in f"{HOLE}…" or text.startswith("...", at, self.limit):
            return _Follow.YES
        if text.startswith(("//", "/*"), at, self.limit) or (char == "#" and at > end):
            return self._follow_comment(at, context)
        if char == "+" and self._char(self._space(at + 1)) in ('"', "'"):
            return _Follow.YES
        self._look(at + 200)
        if char == ";":
            ahead = self._ahead(self._space(at + 1))
            if ahead == "c":
                return _Follow.WEAK
            return _Follow.YES if ahead == ("k" if context == "object" else "v") else _Follow.NO
        if context == "object":
            bare = char not in "\"'“”„"
            if _KEY_AHEAD.match(text, at, self.limit) and (not bare or "\n" in text[end:at]):
                return _Follow.YES
            if at > end and _STRING_AHEAD.match(text, at, self.limit):
                return _Follow.WEAK
            scrap = _SCRAP.match(text, at, self.limit)
            if scrap is not None and self._ahead(self._space(scrap.end())) == "k":
                return _Follow.WEAK
        elif at > end and _ITEM_AHEAD.match(text, at, self.limit):
            return _Follow.YES
        return _Follow.NO

    def _follow_key(self, end: int, at: int, char: str) -> _Follow:
        if char == ":" or char == HOLE or _ASSIGN.match(self.text, at, self.limit):
            return _Follow.YES
        goes_on = _KEY_GOES_ON.match(self.text, end, self.limit) if char not in ",}]" else None
        if goes_on is not None:
            self._look(max(end + 100, goes_on.end()))
            return _Follow.NO
        return _Follow.WEAK

    def _follow_comment(self, at: int, context: str) -> _Follow:
        """Judge by what follows a comment: code in a string has comments, too, and goes on as no JSON does."""
        stop = min(at + _LONGEST_COMMENT, self.limit)
        self._look(stop)
        match = (_BLOCK_END if self.text.startswith("/*", at) else _LINE_END).search(self.text, at + 1, stop)
        behind = self._space(match.end()) if match is not None else stop
        self._look(behind + 1)
        if match is None or self._is_end(match.end(), behind):
            # The string's own end may be in what was taken for a comment.
            return _Follow.WEAK if '"' in self.text[at : match.start() if match is not None else stop] else _Follow.YES
        if self.text[behind] in ",}]#/:":
            return _Follow.YES
        return _Follow.YES if self._ahead(behind) == ("k" if context == "object" else "v") else _Follow.WEAK

    def _follow_comma(self, at: int, context: str) -> _Follow:
        ahead = self._ahead(at)
        if ahead in "eoc":
            return _Follow.YES
        if context == "object":
            return _Follow.YES if ahead == "k" else _Follow.WEAK
        return _Follow.YES if ahead == "v" or self.text[at] in _OPENERS else _Follow.WEAK

    def _close(self, at: int, start: int, stop: int, end: int, inner: list[int]) -> tuple[str, int]:
        """Read a string whose content is `text[start:stop]` and whose closing quote ends at `end`."""
        style = _OPENERS[self.text[at]]
        content = read_content(self.text, start, stop, _CLOSING_CHARS[style])
        if style == '"':
            if content.quotes:
                self._report(
                    "unescaped-quote",
                    content.quotes[0],
                    content.quotes[0] + 1,
                    [insert(quote, "\\") for quote in content.quotes],
                    certain=not (len(inner) & 1 or any(map(self._separates, content.quotes))),
                    offsets=tuple(content.quotes),
                    string=Span(at, end),
                )
        else:
            self._report(
                {"'": "single-quotes", "`": "single-quotes"}.get(style, "smart-quotes"),
                at,
                end,
                self._requote(at, start, stop, end, content),
                # Back-ticks around lines are those of a fence, not of a string.
                certain=style != "`" or not (content.controls or self.text.startswith("``", at)),
                quote=self.text[at],
            )
        self._report_content(at, end, content)
        return content.value, end

    def _separates(self, quote: int) -> bool:
        """Tell whether a quote inside a string stands beside a separator, as one that begins or ends a string does."""
        after = self._space(quote + 1)
        if self._char(after) in (*",:}]",):
            return True
        before = self.text[max(quote - _SHORT_LOOK, 0) : quote].rstrip()
        return before[-1:] in (*",:{[",)

    def _requote(self, at: int, start: int, stop: int, end: int, content: Content) -> list[Edit]:
        edits = [Edit(Span(at, start), '"')]
        edits += [insert(quote, "\\") for quote in content.quotes]
        edits += [delete(place, place + 1) for place in content.needless]
        edits.append(Edit(Span(stop, end), '"'))
        return edits

    def _report_content(self, at: int, end: int, content: Content) -> None:
        text = self.text
        if content.controls:
            first = content.controls[0]
            broken = text[first] in "\r\n"
            self._report(
                "raw-newline",
                at if broken else first,
                first if broken else first + 1,
                [Edit(Span(place, place + 1), control_escape(text[place])) for place in content.controls],
                certain=True,
                char=text[first],
                name=control_name(text[first]),
                escape=control_escape(text[first]),
                offsets=tuple(content.controls),
                string=Span(at, end),
            )
        if content.bad_escapes:
            first_span = content.bad_escapes[0]
            self._report(
                "bad-escape",
                first_span.start,
                first_span.end,
                content.escape_edits,
                certain=content.only_apostrophes,
                text=first_span.of(text),
                spans=tuple(content.bad_escapes),
                string=Span(at, end),
            )
        if content.surrogates:
            place = content.surrogates[0]
            self._report(
                "lone-surrogate",
                place.start,
                place.end,
                [Edit(span, "\\ufffd") for span in content.surrogates],
                text=place.of(text),
                spans=tuple(content.surrogates),
                string=Span(at, end),
            )

    def _unclosed(self, at: int, end: int | None, context: str = "object") -> tuple[str, int]:
        """Read a string that nothing closes, up to `end` or, where that is None, to where it must have ended."""
        text = self.text
        style = _OPENERS[text[at]]
        truncated = False
        if end is None:
            self._unclosed_at = at
            end, closed = self._last_chance(at, context, style)
            if closed:
                return self._close_smart(at, end)
            truncated = self._stop_at >= self.limit and end + 1 >= self.limit
            if end >= self._stop_at or not text[end : self._stop_at].strip():
                self._dangling = True
        content = read_content(text, at + 1, end, _CLOSING_CHARS[style])
        edits = [] if style == '"' else [Edit(Span(at, at + 1), '"')]
        edits += [insert(quote, "\\") for quote in content.quotes]
        edits += [delete(place, place + 1) for place in content.needless]
        edits.append(insert(end, '"'))
        if context == "key":
            edits = []  # where the key ends and its value begins is not known
        self._report(
            "unmatched-quote",
            at,
            at + 1,
            edits,
            missing="closing",
            truncated=truncated,
            string=Span(at, end),
        )
        self._report_content(at, end, content)
        return content.value, end

    def _last_chance(self, at: int, context: str, style: str) -> tuple[int, bool]:
        """Return where an endless string ends, and whether a typographic quote there was meant to close it."""
        text, bound = self.text, self._stop_at
        if style == '"':
            for mark in _SMART_CLOSER.finditer(text, at + 1, bound):
                if self._follow(mark.end(), context) is _Follow.YES:
                    return mark.start(), True
        end = bound
        while end > at + 1 and text[end - 1] in " \t\r\n":
            end -= 1
        if bound >= self.limit and self.stop is None and end < bound and "\n" not in text[end:bound]:
            end = bound
        needed = self._needed()
        place, count = end, 0
        while place > at + 1 and count < len(needed) and text[place - 1] in "}] \t\r\n":
            place -= 1
            count += text[place] in "}]"
        written = "".join(char for char in text[place:end] if char in "}]")
        if needed and written == needed:
            end = place
            while end > at + 1 and text[end - 1] in " \t\r\n":
                end -= 1
        return end, False

    def _close_smart(self, at: int, quote: int) -> tuple[str, int]:
        """Read a string that a typographic quote at `quote` closes."""
        content = read_content(self.text, at + 1, quote)
        edits = [insert(place, "\\") for place in content.quotes]
        edits.append(Edit(Span(quote, quote + 1), '"'))
        self._report("smart-quotes", quote, quote + 1, edits, certain=not content.quotes, quote=self.text[quote])
        self._report_content(at, quote + 1, content)
        return content.value, quote + 1

    def _read_triple(self, at: int, marks: str) -> tuple[str, int] | None:
        """Read a Python string in three quotes, or return None where it is an empty string and something else."""
        close = self.text.find(marks, at + 3, self.limit)
        if close < 0:
            self._look(self.limit)
            return None
        end = close + 3
        while self.text.startswith(marks[0], end, self.limit) and end < self.limit and end - close < 5:
            end += 1  # a quote in front of the closing three belongs to the content
        content = read_content(self.text, at + 3, end - 3, marks[0] if marks[0] == "'" else '"')
        self._report(
            "triple-quotes",
            at,
            at + 3,
            self._requote(at, at + 3, end - 3, end, content),
            certain=True,
            quote=marks,
            string=Span(at, end),
        )
        self._report_content(at, end, content)
        return content.value, end

    def _read_escaped_string(self, at: int) -> None:
        """Read a string whose own quotes are escaped: `\\"text\\"`."""
        value, end = self._escaped_string(at)
        self._at = end
        self._give(JsonNode("string", Span(at, end), value))

    def _escaped_string(self, at: int) -> tuple[str, int]:
        text = self.text
        close = text.find('\\"', at + 2, self._stop_at)
        line = first_line_end(text, at + 2, self._stop_at)
        quote = text.find('"', at + 2, self._stop_at)
        if close < 0 or (0 <= line < close) or (0 <= quote < close):
            close = min((place for place in (quote, line) if place >= 0), default=self._stop_at)
            end = close + 1 if close == quote else close
            edits = [delete(at, at + 1)] if close == quote else [delete(at, at + 1), insert(close, '"')]
        else:
            end = close + 2
            edits = [delete(at, at + 1), delete(close, close + 1)]
        content = read_content(text, at + 2, close)
        plain = len(edits) == 2 and end == close + 2 and "\\" not in text[at + 2 : close]
        self._escaped_strings.append((Span(at, end), edits, plain))
        self._report_content(at, end, content)
        if HOLE in content.value:
            self._marked = True
        return content.value, end

    # -- keys ----------------------------------------------------------------------------------------------------------

    def _read_key(self, frame: _Frame, at: int) -> None:
        text = self.text
        char = text[at]
        if char in "}]":
            self._read_closers(at)
        elif char == ",":
            self._extra_comma(frame, at)
        elif char in _OPENERS:
            key, end = self._read_string(at, "key")
            self._keyed(frame, key, at, end)
        elif char == "\\" and text.startswith('\\"', at, self.limit):
            key, end = self._escaped_string(at)
            self._keyed(frame, key, at, end)
        elif char == "…" or text.startswith("...", at, self.limit):
            self._read_elision(frame, at)
        elif char == "{":
            self._read_brace_for_key(frame, at)
        elif char == "[" or char == ":":
            self._report("missing-key", at, at + 1, text=char)
            frame.dropped = True
            frame.state = _State.VALUE
            self._at = at + (char == ":")
        else:
            self._read_bare_key(frame, at)

    def _keyed(self, frame: _Frame, key: str, at: int, end: int) -> None:
        frame.key = key
        frame.key_span = Span(at, end)
        frame.state = _State.COLON
        self._at = end
        self._last = max(self._last, end)

    def _read_brace_for_key(self, frame: _Frame, at: int) -> None:
        expression = _EXPRESSION.match(self.text, at, self._stop_at)
        if expression is not None:
            self._at = expression.end()
            self._elide(frame, expression.end())
            return
        outer = self._stack[-2]
        if frame.comma >= 0 and outer.kind == "array":
            # `[{"a": 1, {"b": 2}]`: the brace in front of the comma is missing, and the comma separates items.
            comma = frame.comma
            self._missing_closer(comma, "}", certain=False)
            frame.comma = -1
            self._pop(frame, comma)
            outer.comma = comma
            outer.state = _State.VALUE
            return
        self._report("extra-opener", at, at + 1, [delete(at, at + 1)], text="{", position=at - self._begin)
        self._at = at + 1

    def _read_bare_key(self, frame: _Frame, at: int) -> None:
        text = self.text
        found = _BARE_KEY.match(text, at, self._stop_at)
        if found is not None:
            word, end = found[1], found.end(1)
            self._look(found.end() + 1)
            if word.strip(HOLE):
                if HOLE not in word:
                    edits = [insert(at, '"'), insert(end, '"')]
                    self._report("unquoted-key", at, end, edits, certain=True, key=word)
                self._keyed(frame, word, at, end)
            else:
                self._keyed(frame, word, at, end)
            return
        token = _TOKEN.match(text, at, self._stop_at)
        if token is not None and HOLE in token[0]:
            self._at = token.end()
            self._elide(frame, token.end())
            return
        if token is not None and text.startswith('"', token.end(), self.limit):
            after = self._space(token.end() + 1)
            if text.startswith(":", after, self.limit):
                self._report(
                    "unmatched-quote",
                    at,
                    token.end() + 1,
                    [insert(at, '"')],
                    missing="opening",
                    truncated=False,
                )
                self._keyed(frame, token[0], at, token.end() + 1)
                return
        number = _NUMBER.fullmatch(token[0]) if token is not None else None
        if token is not None and (number is not None or token[0] in _WORDS):
            self._report("missing-key", at, token.end(), text=_shorten(token[0]))
            frame.dropped = True
            frame.state = _State.VALUE
            return
        self._junk(frame, at)

    def _read_colon(self, frame: _Frame, at: int) -> None:
        text = self.text
        char = text[at]
        if char == ":":
            self._at = self._last = at + 1
            frame.state = _State.VALUE
            return
        assign = _ASSIGN.match(text, at, self._stop_at)
        if assign is not None:
            edits = [Edit(Span(at, assign.end()), ":")]
            self._report("missing-colon", at, assign.end(), edits, certain=True, key=frame.key, found=assign[0])
            self._at = self._last = assign.end()
            frame.state = _State.VALUE
        elif char in ",}]":
            self._no_value(frame)
        elif char == HOLE or char == "…" or text.startswith("...", at, self.limit):
            frame.state = _State.VALUE
        else:
            end = frame.key_span.end
            self._report("missing-colon", end, end, [insert(end, ":")], certain=True, key=frame.key, found="")
            frame.state = _State.VALUE

    def _no_value(self, frame: _Frame) -> None:
        """Close a member that has a key and no value."""
        colon = frame.state is _State.VALUE
        place = self._last
        if not frame.dropped and frame.key_span.start != self._unclosed_at:
            start, end = frame.key_span.start, place
            if frame.node.members:
                start = frame.node.members[-1].span.end
            elif self.text.startswith(",", self._at, self.limit):
                end = self._space(self._at + 1)
            edits = [] if HOLE in self.text[start:end] else [delete(start, end)]
            self._report("missing-value", frame.key_span.start, place, edits, key=frame.key, colon=colon)
        self._give_marked("missing", place, place)

    # -- between values ------------------------------------------------------------------------------------------------

    def _read_after(self, frame: _Frame, at: int) -> None:
        if frame.kind == "":
            self._read_behind(at)
            return
        text = self.text
        char = text[at]
        if char == ",":
            frame.comma = at
            frame.loose = False
            frame.state = _State.KEY if frame.kind == "object" else _State.VALUE
            self._at = self._last = at + 1
        elif char in "}]":
            self._read_closers(at)
        elif char == "…" or text.startswith("...", at, self.limit):
            self._read_elision(frame, at)
        elif char == HOLE:
            self._at = at
            token = _TOKEN.match(text, at, self._stop_at)
            end = token.end() if token is not None else at + 1
            if frame.kind == "object" and _BARE_KEY.match(text, at, self._stop_at):
                frame.state = _State.KEY
                return
            self._at = end
            self._elide(frame, end)
        elif char == "+" and self._joins(frame, at):
            return
        elif char == ";" and self._ahead(self._space(at + 1)) in "kv":
            self._report("missing-comma", at, at + 1, [Edit(Span(at, at + 1), ",")], certain=True, found=";")
            frame.comma = at
            frame.state = _State.KEY if frame.kind == "object" else _State.VALUE
            self._at = self._last = at + 1
        elif frame.kind == "object":
            self._read_next_member(frame, at)
        else:
            self._read_next_item(frame, at)

    def _read_next_member(self, frame: _Frame, at: int) -> None:
        char = self.text[at]
        if char == '"' and not frame.loose and self._joins(frame, at):
            return
        if char == ":" and self._is_key_after_all(frame):
            return
        if (
            char in _OPENERS
            or self._ahead(at) == "k"
            or self.text.startswith('\\"', at, self.limit)
            or _LOST_OPENING.match(self.text, at, self._stop_at)
        ):
            self._no_comma(frame)
            frame.state = _State.KEY
        elif char == "{" and self._stack[-2].kind == "array" and not frame.loose:
            # `[{"a": 1 {"b": 2}]`: brace and comma are missing.
            place = self._last
            self._missing_closer(place, "}", certain=False)
            self._pop(frame, place)
        else:
            self._junk(frame, at)

    def _is_key_after_all(self, frame: _Frame) -> bool:
        """Read the last value as the next key: `{"a": "b": 1}` lacks a value and a comma in front of `"b"`."""
        member = frame.node.members[-1] if frame.node.members else None
        if member is None or member.value.kind != "string" or frame.loose or member.value.span.end != self._last:
            return False
        start, end = member.value.span
        self._report(
            "missing-value",
            member.key_span.start,
            member.key_span.end,
            [delete(member.key_span.start, start)],
            key=member.key,
            colon=True,
        )
        place = Span(start, start)
        frame.node.members[-1] = JsonMember(member.key, member.key_span, JsonNode("missing", place, None))
        frame.node.value[member.key] = None
        self._marked = True
        self._keyed(frame, member.value.value, start, end)
        return True

    def _read_next_item(self, frame: _Frame, at: int) -> None:
        char = self.text[at]
        if char == ":" and frame.node.items and frame.node.items[-1].kind == "string" and self._leave_array(frame):
            return
        token = _TOKEN.match(self.text, at, self._stop_at)
        word = token[0] if token is not None else ""
        if char in _OPENERS or char in "{[" or self._is_plain(word) or self.text.startswith('\\"', at, self.limit):
            self._no_comma(frame)
            frame.state = _State.VALUE
        else:
            self._junk(frame, at)

    def _no_comma(self, frame: _Frame) -> None:
        if not frame.loose:
            place = self._last
            self._report("missing-comma", place, place, [insert(place, ",")], certain=True, found="")
        frame.loose = False

    def _leave_array(self, frame: _Frame) -> bool:
        """Read the last item as a key of the object around: `{"a": [1, 2, "b": 3}` lacks a bracket."""
        outer = self._stack[-2]
        comma = frame.last_comma
        if outer.kind != "object" or len(frame.node.items) < 2:
            return False
        if comma < 0:
            comma = frame.node.items[-2].span.end
        key = frame.node.items.pop()
        frame.node.value.pop()
        self._missing_closer(comma, "]", certain=False)
        self._pop(frame, comma)
        outer.comma = comma
        self._keyed(outer, key.value, key.span.start, key.span.end)
        return True

    def _joins(self, frame: _Frame, at: int) -> bool:
        """Read `"a" + "b"` and `"a" "b"` as one string where the latter cannot be anything else."""
        text = self.text
        nodes = frame.node.items if frame.kind == "array" else [m.value for m in frame.node.members[-1:]]
        left = nodes[-1] if nodes else None
        plus = text[at] == "+"
        start = self._space(at + 1) if plus else at
        if left is None or left.kind != "string" or self._char(start) != '"' or text[left.span.end - 1] != '"':
            return False
        right = _STRING.match(text, start, self.limit)
        if right is None or left.span.end > at:
            return False
        follow = self._space(right.end())
        self._look(follow + 1)
        if not self._is_end(right.end(), follow) and text[follow] not in ",}]+":
            return False
        content = read_content(text, start + 1, right.end() - 1)
        self._report(
            "string-concatenation",
            left.span.end - 1,
            start + 1,
            [delete(left.span.end - 1, start + 1)],
            certain=plus and HOLE not in text[left.span.end : start],
        )
        self._report_content(start, right.end(), content)
        joined = JsonNode("string", Span(left.span.start, right.end()), left.value + content.value)
        if frame.kind == "array":
            frame.node.items[-1] = joined
            frame.node.value[-1] = joined.value
        else:
            member = frame.node.members[-1]
            frame.node.members[-1] = JsonMember(member.key, member.key_span, joined)
            frame.node.value[member.key] = joined.value
        if HOLE in content.value:
            self._marked = True
        self._at = self._last = right.end()
        return True

    def _read_elision(self, frame: _Frame, at: int) -> None:
        """Read `...` or `…`, with the words that may go on from it, as "and so on"."""
        found = _ELISION.match(self.text, at, self._stop_at)
        end = found.end() if found is not None else at + 1
        while self.text[end - 1].isspace():
            end -= 1
        self._at = end
        if frame.kind == "" or (frame.kind == "object" and frame.state is _State.VALUE):
            self._give_marked("elision", at, end)
            self._stack[-1].loose = True
        else:
            self._elide(frame, end)

    def _elide(self, frame: _Frame, end: int) -> None:
        self._mark_elided(frame)
        frame.state = _State.AFTER
        frame.loose = True
        frame.comma = -1
        self._last = max(self._last, end)

    def _extra_comma(self, frame: _Frame, at: int) -> None:
        """Read a comma in front of which nothing stands."""
        if not frame.loose:
            self._report("extra-comma", at, at + 1, [delete(at, at + 1)], certain=True)
        frame.loose = False
        if frame.comma < 0 and not self._is_empty(frame):
            frame.comma = at
        self._at = at + 1

    def _is_empty(self, frame: _Frame) -> bool:
        return not frame.node.items and not frame.node.members and not frame.node.elided

    def _junk(self, frame: _Frame, at: int) -> None:
        """Pass text that nothing explains, up to where JSON may go on."""
        found = _JUNK.match(self.text, at, self._stop_at)
        end = found.end() if found is not None else at + 1
        before = self.problems[-1] if self.problems else None
        run = before is not None and before.kind == "unexpected-text" and before.data.get("junk")
        start = at
        # Without its colon a key would be a value; what to do with it is not known. Of a run only the part that is new
        # is scanned: the problem before says what is known of the rest.
        removable = HOLE not in self.text[at:end] and ":" not in self.text[at:end]
        if before is not None and run and not self.text[before.span.end : at].strip():
            self.problems.pop()
            start = before.span.start
            removable = removable and bool(before.repair)
        edits = [delete(start, end)] if removable else []
        after = self._space(end)
        if edits and frame.comma >= 0 and self.text.startswith(",", after, self.limit):
            edits = [delete(start, self._space(after + 1))]  # one of the two commas goes with the junk
        # In front of more members the words may stand for a comma.
        ends = after >= self._stop_at or self.text[after] in ",}]"
        plain = ends and frame.state is _State.AFTER and _PLAIN_WORDS.fullmatch(self.text, start, end) is not None
        shown = _shorten(self.text[start : min(end, start + _EXCERPT * 2)])
        self._report("unexpected-text", start, end, edits, certain=plain, text=shown, junk=True)
        frame.loose = True
        self._at = end

    # -- closing -------------------------------------------------------------------------------------------------------

    def _needed(self) -> str:
        return "".join(_CLOSER_OF[frame.kind] for frame in reversed(self._stack[1:]))

    def _read_closers(self, at: int) -> None:
        """Read a run of closing brackets against what is open and against what follows the run."""
        if at >= self._run_end:
            run = _CLOSERS.match(self.text, at, self._stop_at)
            self._run_end = run.end() if run is not None else at + 1
        run_end = self._run_end
        most = LONGEST_RUN + len(self._stack)
        closers = (place for place in range(at, run_end) if self.text[place] in "}]")
        places = list(itertools.islice(closers, most + 1))
        after = self._space(run_end)
        self._look(after + 1)
        ahead = "?"
        if self._is_end(run_end, after):
            ahead = "e"
        elif self.text[after] == ",":
            ahead = self._ahead(self._space(after + 1))
        if len(places) > most:
            ahead = "?"
        if self._close_plainly(places, ahead):
            return
        if len(places) > LONGEST_RUN:
            places = places[:LONGEST_RUN]
            ahead = "?"
        given = "".join(self.text[place] for place in places)
        needed = self._needed()
        at_end = ahead == "e"
        aligned = None
        # In a text with so many faults that they are only counted, no pains are taken over brackets.
        if at_end or not self._dropped_problems:
            aligned = align(
                given,
                needed if at_end else needed[: len(given) + 4],
                lambda closed: self._may_close(closed, ahead),
                self._surplus_of,
                at_end=at_end,
            )
        if aligned is None:
            aligned = Alignment((Step.DROP,) * len(places), 0, len(places))
        if aligned.closed:
            self._settle(self._stack[-1])
        self._apply(places, aligned, sole=at_end and aligned.closed == len(needed) and aligned.faults == 1)

    def _may_close(self, closed: int, ahead: str) -> bool:
        frame = self._stack[-1 - closed]
        if ahead == "k":
            return frame.kind == "object"
        if ahead == "v":
            return frame.kind == "array"
        return True

    def _close_plainly(self, places: list[int], ahead: str) -> bool:
        """Close what the run closes if every closer fits and so does what follows; else do nothing, return False."""
        depth = len(self._stack) - 1
        closed = min(depth, len(places))
        for place, frame in zip(places, reversed(self._stack[1:]), strict=False):
            if self.text[place] != _CLOSER_OF[frame.kind]:
                return False
        if ahead in "kv" and (closed < len(places) or not self._may_close(closed, ahead)):
            return False
        self._settle(self._stack[-1])
        for place in places[:closed]:
            self._pop(self._stack[-1], place + 1)
            self._at = place + 1
        return True

    def _settle(self, frame: _Frame) -> None:
        """Report what an object or array that is about to be closed still waits for."""
        if frame.state is _State.COLON or (frame.state is _State.VALUE and frame.kind == "object"):
            self._no_value(frame)
        elif frame.comma >= 0 and not frame.loose:
            comma = frame.comma
            self._report("trailing-comma", comma, comma + 1, [delete(comma, comma + 1)], certain=True)
        frame.comma = -1
        frame.state = _State.AFTER

    def _apply(self, places: list[int], aligned: Alignment, *, sole: bool) -> None:
        spare: list[int] = []
        index = 0
        wanting = ""
        for step in aligned.steps:
            if step is Step.ADD:
                wanting += _CLOSER_OF[self._stack[-1].kind]
                self._pop(self._stack[-1], places[index] if index < len(places) else places[-1] + 1)
                continue
            place = places[index]
            index += 1
            if wanting:
                self._missing_closer(place, wanting, certain=sole)
                wanting = ""
            if step is Step.DROP:
                spare.append(place)
                continue
            if spare:
                self._spare_closers(spare, certain=sole)
                spare = []
            if step is Step.SWAP:
                expected = _CLOSER_OF[self._stack[-1].kind]
                self._report(
                    "mismatched-bracket",
                    place,
                    place + 1,
                    [Edit(Span(place, place + 1), expected)],
                    certain=sole,
                    found=self.text[place],
                    expected=expected,
                    opener=Span(self._stack[-1].start, self._stack[-1].start + 1),
                    **self._where(place),
                )
            self._pop(self._stack[-1], place + 1)
        if wanting:
            self._missing_closer(self._last, wanting, certain=sole)
        if spare:
            self._spare_closers(spare, certain=sole)
        self._at = max(self._at, places[-1] + 1)

    def _pop(self, frame: _Frame, end: int) -> None:
        """Complete the innermost object or array; it ends at `end`."""
        self._stack.pop()
        last = frame.node.children[-1].span.end if frame.node.children else frame.start
        frame.node.span = Span(frame.start, max(end, last))
        self._last = max(self._last, end)
        self._give(frame.node)

    def _spare_closers(self, places: list[int], *, certain: bool) -> None:
        """Report one run of superfluous closers."""
        written = "".join(self.text[place] for place in places)
        start, end = places[0], places[-1] + 1
        self._report(
            "extra-closers",
            start,
            end,
            [delete(start, end)],
            certain=certain,
            **self._counts(written),
            **self._where(start),
        )

    def _missing_closer(self, place: int, closers: str, *, certain: bool) -> None:
        at = place
        while at > self._begin and self.text[at - 1] in " \t\r\n":
            at -= 1
        self._report(
            "missing-closers",
            at,
            at,
            [insert(at, closers)],
            certain=certain,
            truncated=False,
            **self._counts(closers),
            **self._where(at),
        )

    def _counts(self, closers: str) -> dict[str, Any]:
        return {"braces": closers.count("}"), "brackets": closers.count("]"), "text": closers}

    def _where(self, at: int) -> dict[str, Any]:
        """Return what a diagnosis quotes: the offset inside the JSON text and the characters in front of it."""
        start = max(self._begin, at - _EXCERPT)
        return {"position": at - self._begin, "excerpt": self.text[start:at]}

    def _surplus_of(self, closer: str) -> int:
        """Return how many more of `closer` the text has than of its opener, strings left out as far as that goes."""
        if self._surplus is None:
            braces = brackets = 0
            text = self.text
            at, bound = self._begin, self._stop_at
            # Reading may end before, where too much of the text is no JSON.
            self._look(bound)
            for found in _STRINGS_AND_BRACKETS.finditer(text, at, bound):
                char = text[found.start()]
                braces += (char == "}") - (char == "{")
                brackets += (char == "]") - (char == "[")
            self._surplus = {"}": braces, "]": brackets}
        return self._surplus[closer]

    def _read_behind(self, at: int) -> None:
        """Read what follows a complete value: superfluous closers, then text that is no part of the JSON."""
        text = self.text
        run = _CLOSERS.match(text, at, self._stop_at)
        if run is not None:
            written = "".join(char for char in run[0] if char in "}]")
            after = self._space(run.end())
            self._report(
                "extra-closers",
                at,
                run.end(),
                [delete(at, run.end())],
                certain=self._is_end(run.end(), after),
                **self._counts(written if len(written) <= MAX_DEPTH else written[:MAX_DEPTH]),
                **self._where(at),
            )
            self.problems[-1] = _counted(self.problems[-1], written)
            self._at = self.end = run.end()
            return
        end = self._stop_at
        while text[end - 1] in " \t\r\n":
            end -= 1
        data = text[at] in '{["' and self.root is not None
        start = at
        while text[start - 1] in " \t":
            start -= 1
        edits = [] if HOLE in text[at:end] else [delete(start, end)]
        words = _PLAIN_WORDS.fullmatch(text, at, end) is not None
        certain = text[at:end] == "```" or (words and not self.problems)
        self._report(
            "unexpected-text", at, end, edits, certain=certain, text=_shorten(text[at:end]), json=data, behind=True
        )
        self._at = self._stop_at
        self.end = end

    def _give_up(self, at: int) -> None:
        """Read text in which no value begins: pass what stands in front of a first brace, or take it all as no JSON."""
        text = self.text
        brace = _FIRST_BRACE.search(text, at, self._stop_at)
        # Behind too much that is no JSON, reading would end in front of the brace.
        near = brace is not None and (self.patience is None or brace.start() - self._last <= self.patience)
        if brace is not None and near and brace.start() > at and not self.problems:
            end = brace.start()
            while text[end - 1].isspace():
                end -= 1
            lead = text[at:end]
            certain = _FENCE_MARK.fullmatch(lead) is not None or _PLAIN_WORDS.fullmatch(lead) is not None
            self._report(
                "unexpected-text", at, end, [delete(at, end)], certain=certain, text=_shorten(lead), front=True
            )
            self._begin = self._at = brace.start()
            return
        token = _TOKEN.match(text, at, self._stop_at)
        word = token[0] if token is not None else text[at]
        end = self._stop_at
        while text[end - 1] in " \t\r\n":
            end -= 1
        self._report("not-json", at, end, text=_shorten(word), empty=False)
        self._at = self._stop_at
        self.end = end
        self._base.state = _State.AFTER

    def _report_escaped_strings(self) -> None:
        """Report once that strings have backslashes in front of their quotes: mending one alone helps no parser.

        Where something else is guessed, the text may end elsewhere without the backslashes, so nothing is certain.
        """
        if not self._escaped_strings:
            return
        spans, repairs, certain = zip(*self._escaped_strings, strict=True)
        first = spans[0]
        edits = [edit for repair in repairs for edit in repair]
        shown = _shorten(first.of(self.text))
        is_certain = all(certain) and all(problem.certain for problem in self.problems)
        self._report("escaped-quotes", first.start, first.end, edits, certain=is_certain, text=shown, spans=spans)

    def _finish(self) -> None:
        at = self._at
        if len(self._stack) > 1:
            self._close_all()
        elif self.root is None and not any(problem.kind == "not-json" for problem in self.problems):
            self._report("not-json", self._begin, self._begin, text="", empty=True)
        self._report_escaped_strings()
        if self._dropped_problems:
            more = self._dropped_problems
            self._dropped_problems = 0
            kept = self.problems[: MAX_PROBLEMS - 1]
            last = self.problems[-1]
            kept.append(Problem("too-many-problems", Span(last.span.start, last.span.end), {"more": more + 1}))
            self.problems = kept
        if _yields_expression(self.text, self._begin, self._stop_at, self.problems):
            # What is mended would be no object any more.
            self.problems = [replace(problem, certain=False) for problem in self.problems]
        self.problems.sort(key=lambda problem: problem.span)
        self.problems = [_with_room(problem, self.problems) for problem in self.problems]
        self._look(at + 1)
        if self._stop_at < self.limit and self.stop is not None:
            found = self.stop.match(self.text, self._stop_at, self.limit)
            self._look((found.end() if found is not None else at) + 1)

    def _close_all(self) -> None:
        """Report once what is missing at the end of the text, and close it."""
        frame = self._stack[-1]
        place = self._last
        needed = self._needed()
        edits = [insert(place, needed)]
        complete = not self._dangling and not self._deep_open
        if frame.state is _State.COLON or (frame.kind == "object" and frame.state is _State.VALUE):
            complete = False
            members = frame.node.members
            start = members[-1].span.end if members else frame.start + 1
            if not self._dangling and HOLE not in self.text[start:place]:
                edits = [Edit(Span(start, place), needed)]  # the member that is cut short goes
            if not frame.dropped:
                self._give_marked("missing", place, place)
        elif frame.comma >= 0 and not frame.loose:
            complete = False
            edits = [Edit(Span(frame.comma, frame.comma + 1), needed)]
        if self._deep_open:
            edits = []
        counts = self._counts(needed)
        counts["braces"] += self._deep_open  # the kinds of what was too deep to be read are not known
        report = Problem(
            "missing-closers",
            Span(place, place),
            {**counts, "truncated": self._stop_at >= self.limit, "dangling": not complete, **self._where(place)},
            tuple(edits),
            complete,
        )
        while len(self._stack) > 1:
            innermost = self._stack[-1]
            innermost.comma = -1
            self._pop(innermost, place)
        if len(self.problems) >= MAX_PROBLEMS:
            self.problems.pop()
            self._dropped_problems += 1
        self.problems.append(report)


_OPEN_ROOT_KEY: Final = re.compile(r"(?:\"(?:[^\"\\\n]|\\.){0,160}+\"|'[^'\n]{0,160}+')[ \t\r\n]*+:")
_OCTAL: Final = re.compile(r"[0-7]++")
#: Words that are no part of any JSON: with no quote, bracket or separator of its own.
_PLAIN_WORDS: Final = re.compile(r"[\w .!?'’\t\r\n-]{1,200}+[:=]?")
_PLAIN_COMMENT: Final = re.compile(r"[^\"{}\[\]]{1,400}+")
_STRINGS_AND_BRACKETS: Final = re.compile(r'"(?:[^"\\]++|\\[\s\S])*+"|[{}\[\]]')
_FENCE_MARK: Final = re.compile(r"```\w*+")
_FIRST_BRACE: Final = re.compile(r"\{(?=[ \t\r\n]*+[\"'“}.…\w])|\[(?=[ \t\r\n]*+[\"{\[])")


#: Longer than any expression that is recognised, with its braces.
_LONGEST_EXPRESSION: Final = 240
#: The kinds whose certain repair takes out or puts in what stands between values, and may so bring braces together.
_BETWEEN_VALUES: Final = frozenset(
    {
        "comment",
        "extra-closers",
        "extra-comma",
        "mismatched-bracket",
        "missing-closers",
        "trailing-comma",
        "unexpected-text",
    }
)


def _shorten(text: str, limit: int = 60) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _counted(problem: Problem, closers: str) -> Problem:
    if problem.kind != "extra-closers":
        return problem
    data = {**problem.data, "braces": closers.count("}"), "brackets": closers.count("]")}
    return Problem(problem.kind, problem.span, data, problem.repair, problem.certain)


def _plain_number(word: str) -> tuple[str, bool] | None:
    """Return a badly written number as JSON writes it, and whether that is certain; None where it is no number."""
    radix = _RADIX_NUMBER.fullmatch(word)
    if radix is not None:
        if len(word) > 1000:
            return None
        return str(int(word.replace("_", ""), 0)), True
    loose = _LOOSE_NUMBER.fullmatch(word)
    if loose is None or (loose[2] is None and loose[3] in (None, ".")):
        return None
    sign = "-" if loose[1] == "-" else ""
    digits = (loose[2] or "0").replace("_", "")
    fraction = (loose[3] or "").replace("_", "")
    # A leading zero is octal in some languages and decoration in others: certain is what comes to the same in both.
    whole = fraction == "" and not loose[4]
    octal = whole and len(digits) > 1 and digits[0] == "0" and _OCTAL.fullmatch(digits) is not None
    digits = digits.lstrip("0") or "0"
    exact = not octal or len(digits) == 1
    if fraction == ".":
        fraction = ".0"
    return f"{sign}{digits}{fraction}{loose[4] or ''}", exact


def _without_comment(text: str, at: int, end: int, begin: int, limit: int) -> list[Edit]:
    """Return the edit that takes a comment out, with its line where nothing else is on it."""
    if HOLE in text[at:end]:
        return []
    start = at
    while start > begin and text[start - 1] in " \t":
        start -= 1
    line_ends = end < limit and text[end] in "\r\n"
    alone = start > begin and text[start - 1] in "\r\n" and line_ends
    if alone:
        after = end + 2 if text.startswith("\r\n", end, limit) else end + 1
        return [delete(start, after)]
    if line_ends:
        return [delete(start, end)]
    return [Edit(Span(at, end), "")]


def _yields_expression(text: str, start: int, stop: int, problems: Iterable[Problem]) -> bool:
    """Tell whether the certain repairs together make a template's expression that was none: `{{{x}}` with a brace more.

    Asked of the characters around each repair that lies between the values; `text[start:stop]` is what was read.
    """
    edits = sorted(
        edit
        for problem in problems
        if problem.certain and problem.kind in _BETWEEN_VALUES
        for edit in problem.repair
        if edit.span.end <= stop
    )
    mended = ""
    seams: list[int] = []
    done = start
    for edit in edits:
        if edit.span.start < done and seams:
            continue
        if edit.span.start - done > 2 * _LONGEST_EXPRESSION:
            mended += text[done : done + _LONGEST_EXPRESSION]
            if _crosses(mended, seams):
                return True
            mended, seams = "", []
            done = edit.span.start - _LONGEST_EXPRESSION
        mended += text[done : edit.span.start]
        seams.append(len(mended))
        mended += edit.text
        seams.append(len(mended))
        done = edit.span.end
    return _crosses(mended + text[done : min(done + _LONGEST_EXPRESSION, stop)], seams)


def _crosses(mended: str, seams: list[int]) -> bool:
    """Tell whether an expression lies on both sides of a seam; `seams` ascend."""
    if not seams:
        return False
    return any(
        bisect_right(seams, found.start()) < bisect_left(seams, found.end()) for found in _EXPRESSION.finditer(mended)
    )


def _with_room(problem: Problem, every: Iterable[Problem]) -> Problem:
    """Return a problem; one of a key that stands twice is no longer certain where the part to go is mended, too.

    What is inserted behind the part, as a comma that was missing there, would be left without it.
    """
    if problem.kind != "duplicate-key" or not problem.certain:
        return problem
    start, end = problem.repair[0].span
    inside = any(
        start < edit.span.start <= end
        if edit.span.start == edit.span.end
        else edit.span.start < end and start < edit.span.end
        for other in every
        if other is not problem and other.certain
        for edit in other.repair
    )
    return replace(problem, certain=False) if inside else problem
