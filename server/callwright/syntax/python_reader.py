"""The tolerant reader of Python calls: any text gives calls, values and the faults, in time linear in the text.

Owns: the grammar of calls with literal arguments, and every problem kind of it (see `callwright.syntax.python_calls`).
Must not know: what the calls are for, which tools there are, rules, messages.

The reader keeps a stack of what is open: the list of calls, a call, containers. At a character that cannot stand where
it stands it asks which single slip would explain it. A string ends where Python ends it; only where what follows that
quote makes no sense is the next quote sought behind which a text can go on.
"""

import keyword
import math
import re
from collections.abc import Callable, Iterable, Sequence
from enum import Enum, auto
from typing import Any, Final

from callwright.syntax.json import JsonRead
from callwright.syntax.json_fast import MAX_DEPTH, NotCleanError, scan_clean
from callwright.syntax.json_nodes import JsonKind, JsonMember, JsonNode, clean_node
from callwright.syntax.json_paths import open_paths
from callwright.syntax.json_stops import MAX_PROBLEMS
from callwright.syntax.json_strings import control_name
from callwright.syntax.problem import Problem
from callwright.syntax.python_notation import PYTHON, PYTHON_DICT, string_literal
from callwright.syntax.python_strings import OPENING, Content, broken_at, decode, next_quote, strict_end
from callwright.text.budget import UNLIMITED, Budget
from callwright.text.holes import HOLE
from callwright.text.span import Edit, Span, delete, insert

_DIGITS_MAX: Final = 4300  # Python refuses to convert longer integers
_BITS_MAX: Final = 14_280  # as many as an integer of that length may have
_EXCERPT: Final = 40

_SPACE: Final = re.compile(r"[ \t\r\n\f]*+(?:(?:#[^\r\n]*+|\\(?:\r\n|[\r\n]))[ \t\r\n\f]*+)*+")
_NAME: Final = re.compile(rf"[\w{HOLE}]++(?:[ \t]*+\.[ \t]*+[\w{HOLE}]++)*+")
_OPEN_CALL: Final = re.compile(r"[ \t\r\n]*+\(")
_KEY: Final = re.compile(rf"([\w{HOLE}]++)[ \t\r\n]*+")
_SIMPLE: Final = (
    r"(?:'(?P<one>[^'\\\r\n\0]*+)'|\"(?P<two>[^\"\\\r\n\0]*+)\""
    r"|(?P<number>-?(?:0|[1-9][0-9]{0,17}+)(?P<fraction>\.[0-9]{1,18}+)?)|(?P<word>True|False|None))"
)
_FAST_ARGUMENT: Final = re.compile(
    rf"(?P<key>[A-Za-z_][A-Za-z_0-9]*+)[ \t]*+=[ \t]*+(?P<value>{_SIMPLE})(?=[ \t\r\n]*+[,)])"
)
_FAST_MEMBER: Final = re.compile(
    r"(?P<key>'(?P<key1>[^'\\\r\n\0]*+)'|\"(?P<key2>[^\"\\\r\n\0]*+)\")[ \t]*+:[ \t]*+"
    rf"(?P<value>{_SIMPLE})(?=[ \t\r\n]*+[,}}])"
)
_FAST_ITEM: Final = re.compile(rf"(?P<value>{_SIMPLE})(?=[ \t\r\n]*+[,\]])")
_COMMA: Final = re.compile(r"([ \t\r\n]*+,)[ \t\r\n]*+")
_FAST_WORDS: Final = {"True": True, "False": False, "None": None}
_NUMBER: Final = re.compile(
    r"(?:[+-][ \t]*+)?(?:0[xX](?:_?[0-9a-fA-F])++|0[oO](?:_?[0-7])++|0[bB](?:_?[01])++"
    r"|(?:(?P<whole>[0-9](?:_?[0-9])*+)(?P<point>\.(?:[0-9](?:_?[0-9])*+)?)?|(?P<lead>\.[0-9](?:_?[0-9])*+))"
    r"(?P<exponent>[eE][+-]?[0-9](?:_?[0-9])*+)?)"
)
_NUMBER_GOES_ON: Final = re.compile(rf"[\w.{HOLE}]")
_VALUE_WORD: Final = re.compile(rf"[\w{HOLE}]++")
_WORDS: Final[dict[str, Any]] = {
    "True": True,
    "False": False,
    "None": None,
    "true": True,
    "false": False,
    "null": None,
}
_FOREIGN: Final = {"true": "True", "false": "False", "null": "None"}
#: How others write them; no program takes these.
_MISWRITTEN: Final = {
    "TRUE": "True",
    "FALSE": "False",
    "NULL": "None",
    "Null": "None",
    "NONE": "None",
    "nil": "None",
    "undefined": "None",
}
_NON_FINITE: Final = {"nan": math.nan, "NaN": math.nan, "inf": math.inf, "Infinity": math.inf}
_SIGNED_WORD: Final = re.compile(r"[+-](?:inf|Infinity|nan|NaN)(?!\w)")
_ELISION: Final = re.compile(r"(?:\.{3,}+|…)")
_ANGLE: Final = re.compile(r"<(?!(?:null|true|false)>)[A-Za-z_][\w .,:|/'-]{0,120}+>(?=[ \t\r\n]*+(?:[,}\])]|\Z))")
#: A template's expression where a value could stand.
_EXPRESSION: Final = re.compile(
    r"\{\{-?[ \t]*+[A-Za-z_@][^{}\"':\r\n]{0,200}+\}\}|\$\{[A-Za-z_][^{}\"':\r\n]{0,200}+\}"
)
_SMART: Final = re.compile("[“”„‟]([^“”„‟\"\r\n]*+)[“”„‟\"]|[‘’‚‛]([^‘’‚‛'\r\n]*+)[‘’‚‛']")
#: What stands behind a string that no typographic quote further on ends.
_NO_SMART_END: Final = re.compile("(?=[ \t]*+(?:[,)\\]}:\r\n]|\\Z))[^“”„‟‘’‚‛\r\n]{0,2000}+(?:[\r\n“„‟‘‚‛]|\\Z)")
_PLAIN_WORDS: Final = re.compile(rf"[^\W\d][\w{HOLE} \t./@:-]*+")
_TOKEN: Final = re.compile(rf"{_SPACE.pattern}[\w.{HOLE}]*+[ \t\r\n\f]*+")
_RUN: Final = re.compile(r"[^'\"()\[\]{},:#=\r\n]++")
#: Closers in a row, with so much space between them at most.
_MOST_SPACE: Final = 8
_CLOSER_RUN: Final = re.compile(rf"(?:[ \t\r\n]{{0,{_MOST_SPACE}}}+[)\]}}]){{1,16}}+")
_EXTRA: Final = re.compile(r"[)\]}]++")
_BREAK: Final = re.compile(r"[\r\n\0]")
_CLOSERS: Final = {"(": ")", "[": "]", "{": "}", "call": ")", "calls": "]"}

#: What shows, behind a quote, that it ends a string: it is asked where Python's own way of telling has failed.
_GOES_ON: Final = {
    "listed": re.compile(
        r"\s*+(?:\Z|,\s*+(?:[^\W\d]\w{0,80}+\s*+=(?!=)|\)|\Z)"
        r"|\)\s*+(?:\Z|\]|,\s*+(?:\]|\Z|[^\W\d][\w.]{0,160}+\s*+\()))"
    ),
    "lined": re.compile(
        r"\s*+(?:\Z|,\s*+(?:[^\W\d]\w{0,80}+\s*+=(?!=)|\)|\Z)|\)(?:\s*+\Z|[ \t]*+[\r\n;,]))",
    ),
    "item": re.compile(
        r"\s*+(?:\Z|,\s*+(?:[rRbBuUfF]{0,2}[\"']|[\[{(\-0-9]|True\b|False\b|None\b|true\b|false\b|null\b|\]|\Z)"
        r"|\]\s*+[,)\]}])"
    ),
    "key": re.compile(r"\s*+:"),
    "member": re.compile(r"\s*+(?:\Z|,\s*+(?:[rRbBuUfF]{0,2}[\"']|\}|\Z)|\}\s*+[,)\]}])"),
}
#: The same by Python's own measure: whatever can follow a string.
_FOLLOWS: Final = re.compile(
    r"[ \t\r\n\f]*+(?:\Z|[,)\]}:#'\"]|\\[\r\n]|[+%][ \t]*+[\w('\"\[]|\.[a-z_]++\("
    r"|(?<=[ \t\r\n])(?:[rRbBuUfF]{1,2}['\"]|-?[0-9\[{]|[A-Za-z_]\w{0,80}+[ \t]*+=[ \t]*+[\w'\"\[{(-]))"
)
#: A quote that begins a string, and so cannot end the one before: `a='x, b='y'`, `{'a': 'x, 'b': 1}`.
_BEGINS_ARGUMENT: Final = re.compile(r",[ \t\r\n]{0,40}[A-Za-z_]\w{0,80}[ \t]{0,8}=[ \t]{0,8}\Z")
_BEGINS_KEY: Final = re.compile(r",[ \t\r\n]{0,40}\Z")
_KEY_ENDS: Final = re.compile(r"[\w .-]{1,80}+['\"][ \t]*+:")
_BEFORE: Final = 180
#: How much text the C parser is given at first, and the longest word that the end of it could cut.
_WINDOW: Final = 512
_LONGEST_WORD: Final = 24
#: What is looked for behind a name or a string is no longer.
_LONGEST_AHEAD: Final = 300


class FaultyError(Exception):
    """The text has a fault, and only faultless text was asked for."""


class _State(Enum):
    WANT = auto()  # a call, an argument, a key, an item, or the end
    VALUE = auto()  # what belongs to a keyword or key
    PENDING = auto()  # in braces, something that is a key or an item
    AFTER = auto()  # a comma or the end


class _Frame:
    """Something that is open: `kind` is its bracket, or `call`, or `calls` for the outermost list, or `lines`."""

    __slots__ = (
        "braces",
        "comma",
        "commas",
        "key",
        "key_span",
        "keys",
        "kind",
        "last",
        "name",
        "name_span",
        "node",
        "pending",
        "positional",
        "problems",
        "start",
        "state",
    )

    def __init__(self, kind: str, start: int, node: JsonNode) -> None:
        self.kind = kind
        self.start = start
        self.node = node
        self.state = _State.WANT
        self.comma = -1  # the comma that waits for what it separates
        self.commas = 0
        self.key: str | None = None
        self.key_span = Span(start, start)
        self.keys: dict[str, int] = {}  # where the member of each name stands among the members
        self.braces = ""  # of braces: `object` or `array` once that is known
        self.pending: JsonNode | None = None
        self.last: JsonNode | None = None  # the value read last
        self.positional: list[JsonNode] = []
        self.name = ""
        self.name_span = Span(start, start)
        self.problems: list[Problem] = []


class CallDraft:
    """One call as it was read."""

    __slots__ = ("closed", "end", "name", "name_span", "read")

    def __init__(self, name: str, name_span: Span, end: int, closed: bool, read: JsonRead) -> None:
        self.name = name
        self.name_span = name_span
        self.end = end
        self.closed = closed
        self.read = read


class PythonReader:
    """One reading of `text[start:limit]`; `read` does it, then the public attributes hold the outcome."""

    def __init__(
        self,
        text: str,
        start: int,
        limit: int,
        stop: re.Pattern[str] | None,
        parameters: Callable[[str], Sequence[str] | None] | None,
        budget: Budget,
        *,
        memo: dict[str, int] | None = None,
        mild: frozenset[str] | None = None,
    ) -> None:
        self.text = text
        self.limit = limit
        self.stop = stop
        self.parameters = parameters
        self.budget = budget
        self.calls: list[CallDraft] = []
        self.problems: list[Problem] = []
        self.span = Span(start, start)
        self.closed = False
        self.end = start
        self.reach = start
        self.sketched = False
        self._at = start
        self._memo = {} if memo is None else memo
        self._mild = mild  # not None: the first other fault ends it all
        self._stack: list[_Frame] = []
        self._reported = 0
        self._dropped = 0
        self._allowance = 2 * (limit - start) + 4096
        self._marked = False
        self._deep = False
        self._done = False
        self._cut = False  # the text ends inside a string
        self._stop_at = self._next_stop(start)

    # -- the walk ------------------------------------------------------------------------------------------------------

    def read(self) -> None:
        """Read the whole text. Raises FaultyError at the first fault where only faultless text was asked for."""
        text = self.text
        at = self._skip(self._at)
        listed = text.startswith("[", at, self.limit) and at < self._stop_at
        self.span = Span(at, at)
        self._push("calls" if listed else "lines", at)
        self._at = at + listed
        steps = 0
        while not self._done:
            steps += 1
            if not steps & 255:
                self.budget.check()
            frame = self._stack[-1]
            at = self._at = self._skip(self._at)
            if at >= self._stop_at:
                break
            char = text[at]
            if char in ")]}":
                self._closer(frame, at, char)
            elif char == "," and frame.kind != "lines":
                self._comma(frame, at)
            elif frame.state is _State.AFTER:
                self._after(frame, at, char)
            elif frame.state is _State.PENDING:
                self._colon(frame, at, char)
            elif frame.kind == "call" and frame.state is _State.WANT:
                self._argument(frame, at, char)
            elif frame.kind in ("calls", "lines"):
                self._call(frame, at, char)
            else:
                self._value(frame, at, char)
        if self._done and (extra := _EXTRA.match(text, self._at, self._stop_at)) is not None:
            self._extra_closer(self._at, extra[0])
        self._finish()

    def read_value(self) -> JsonNode:
        """Return the container that the text is, which is known to be faultless, with nodes for its parts."""
        at = self._at
        root = self._push("(", at)
        self._allowance = 0  # all of it is taken apart at once, so that no part is read once for each level
        self._open(root, at, self.text[at])
        while len(self._stack) > 1:
            frame = self._stack[-1]
            at = self._at = self._skip(self._at)
            char = self.text[at]
            if char in "]}":
                self._closer(frame, at, char)
            elif char == ",":
                self._comma(frame, at)
            elif frame.state is _State.PENDING:
                self._colon(frame, at, char)
            else:
                self._value(frame, at, char)
        return root.node.items[0]

    def _push(self, kind: str, start: int) -> _Frame:
        shape: JsonKind = "object" if kind in ("call", "{") else "array"
        frame = _Frame(kind, start, JsonNode(shape, Span(start, start), {} if shape == "object" else []))
        self._stack.append(frame)
        return frame

    def _skip(self, at: int) -> int:
        if at > self._stop_at:
            self._stop_at = self._next_stop(at)
        found = _SPACE.match(self.text, at, self._stop_at)
        end = found.end() if found is not None else at
        if end > at or self.text.startswith("\\", end, self._stop_at):
            # Whatever is made of it: more is space where a comment goes on, or a line end stands behind a backslash.
            self._look(end + 3)
        return end

    def _next_stop(self, at: int) -> int:
        if self.stop is None:
            return self.limit
        found = self.stop.search(self.text, at, self.limit)
        if found is None:
            self._look(self.limit)
            return self.limit
        self._look(found.end())
        return found.start()

    def _look(self, to: int) -> None:
        if to > self.reach:
            self.reach = min(to, self.limit)

    # -- problems ------------------------------------------------------------------------------------------------------

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
        if self._mild is not None and kind not in self._mild:
            raise FaultyError
        if self._reported >= MAX_PROBLEMS:
            self._dropped += 1
            return
        self._reported += 1
        edits = tuple(repair)
        problem = Problem(
            kind,
            Span(start, end),
            {"notation": PYTHON.name, **data},
            edits,
            certain and (bool(edits) or kind == "engines-differ"),
        )
        owner = self._stack[1].problems if len(self._stack) > 1 else self.problems
        owner.append(problem)

    def _back(self, at: int) -> int:
        """Return `at` without the space before it."""
        floor = self.span.start
        while at > floor and self.text[at - 1] in " \t\r\n":
            at -= 1
        return at

    def look_at_fault(self) -> None:
        """Note how far was looked for the token at which reading was given up, strings left out: they are noted."""
        found = _TOKEN.match(self.text, max(self._at, self.reach), self.limit)
        self._look((self._at if found is None else found.end()) + _LONGEST_AHEAD)

    def _fault(self) -> None:
        """Give up before a costly search where only faultless text is of interest."""
        if self._mild is not None:
            raise FaultyError

    # -- calls ---------------------------------------------------------------------------------------------------------

    def _call(self, frame: _Frame, at: int, char: str) -> None:
        """Read the beginning of a call, up to its parenthesis."""
        text = self.text
        name = _NAME.match(text, at, self._stop_at) if not char.isdigit() else None
        if name is not None:
            opening = _OPEN_CALL.match(text, name.end(), self._stop_at)
            if opening is not None:
                call = self._push("call", opening.end() - 1)
                call.name = "".join(name[0].split())
                call.name_span = Span(at, name.end())
                self._at = opening.end()
                return
            if self._skip(name.end()) >= self._stop_at:
                # A name that is cut off is no call yet.
                self._fault()
                self._at = self._stop_at
                return
        elision = _ELISION.match(text, at, self._stop_at)
        if elision is not None:
            self.sketched = True
            frame.state = _State.AFTER if frame.kind == "calls" else _State.WANT
            self._at = elision.end()
            return
        if frame.kind == "lines" and char in ";,":
            self._at = at + 1
            return
        self._fault()
        if frame.kind == "lines":
            broken = _BREAK.search(text, at, self._stop_at)
            end = broken.start() if broken is not None else self._stop_at
        else:
            end = self._expression_end(at)
        end = max(end, at + 1)
        stray = text[at:end].rstrip()
        self._report("unexpected-text", at, at + len(stray), [delete(at, at + len(stray))], text=stray)
        frame.state = _State.AFTER if frame.kind == "calls" else _State.WANT
        self._at = end

    def _argument(self, frame: _Frame, at: int, char: str) -> None:
        """Read what stands where an argument begins."""
        text = self.text
        begin = at
        while (fast := _FAST_ARGUMENT.match(text, at, self._stop_at)) is not None:
            key = fast["key"]
            node = self._simple(fast)
            if node is None or key in frame.keys or keyword.iskeyword(key):
                break
            frame.keys[key] = len(frame.node.members)
            frame.node.members.append(JsonMember(key, Span(at, fast.end("key")), node))
            frame.node.value[key] = node.value
            frame.last = node
            frame.comma = -1
            at = self._at = fast.end()
            comma = _COMMA.match(text, at, self._stop_at)
            if comma is None:
                frame.state = _State.AFTER
                return
            frame.comma = comma.end(1) - 1
            frame.commas += 1
            at = self._at = comma.end()
        if at != begin:
            return
        key_match = _KEY.match(text, at, self._stop_at)
        if key_match is not None and not (char.isdigit() and HOLE not in key_match[1]):
            after = key_match.end()
            mark = text[after : after + 1] if after < self._stop_at else ""
            if mark == "=" and not text.startswith("==", after, self.limit):
                self._keyword(frame, key_match[1], Span(at, key_match.end(1)), after + 1)
                return
            if mark == ":" and not key_match[1].isdigit():
                self._fault()
                self._report(
                    "missing-equals",
                    after,
                    after + 1,
                    [Edit(Span(key_match.end(1), after + 1), "=")],
                    certain=True,
                    key=key_match[1],
                    found=":",
                )
                self._keyword(frame, key_match[1], Span(at, key_match.end(1)), after + 1)
                return
            if mark == "" and key_match[1] not in _WORDS and HOLE not in key_match[1]:
                # A keyword that is cut off says nothing yet.
                self._fault()
                self._at = self._stop_at
                return
        if frame.comma >= 0 and self.parameters is not None and len(self._stack) == 2:
            name = _NAME.match(text, at, self._stop_at)
            if (
                name is not None
                and _OPEN_CALL.match(text, name.end(), self._stop_at) is not None
                and self.parameters("".join(name[0].split())) is not None
            ):
                self._unclosed_before(at)
                self._stack[-1].state = _State.WANT
                return
        if char == "*":
            self._fault()
            self._unpacking(frame, at)
            return
        if char in "\"'":
            quoted = self._quoted_keyword(frame, at)
            if quoted:
                return
        elision = _ELISION.match(text, at, self._stop_at)
        if elision is not None and not text.startswith(("'", '"'), elision.end(), self.limit):
            frame.node.elided = self._marked = True
            frame.state = _State.AFTER
            frame.comma = -1
            self._at = elision.end()
            return
        frame.key = None
        frame.state = _State.VALUE
        frame.key_span = Span(at, at)
        self._value(frame, at, char)

    def _keyword(self, frame: _Frame, key: str, span: Span, after: int) -> None:
        if keyword.iskeyword(key):
            self._report(
                "engines-differ",
                *span,
                certain=True,
                reading=f"The reserved word `{key}` is read as an argument's name",
                others="readers that take nothing but Python reject the call",
            )
        frame.key, frame.key_span = key, span
        frame.state = _State.VALUE
        self._at = after

    def _quoted_keyword(self, frame: _Frame, at: int) -> bool:
        """Read `"city": 'x'` or `"city"='x'` where an argument is wanted."""
        quote = self.text[at]
        end = self._strict(at + 1, quote)
        if end < 0 or not 0 < end - at - 2 <= 80:
            return False
        after = self._skip(end)
        mark = self.text[after : after + 1] if after < self._stop_at else ""
        key = self.text[at + 1 : end - 1]
        if mark not in (":", "=") or self.text.startswith("==", after, self.limit) or "\\" in key:
            return False
        self._fault()
        edits = [Edit(Span(at, after + 1), f"{key}=")] if key.isidentifier() else []
        self._report("missing-equals", at, after + 1, edits, certain=True, key=key, found=mark, quoted=True)
        self._keyword(frame, key, Span(at, end), after + 1)
        return True

    def _unpacking(self, frame: _Frame, at: int) -> None:
        """Read `*rest` and `**{...}`: the members of a dictionary that stands there are arguments like the others."""
        stars = 2 if self.text.startswith("**", at, self.limit) else 1
        begin = self._skip(at + stars)
        if stars == 2 and self.text.startswith("{", begin, self.limit) and begin < self._stop_at:
            self._report("argument-unpacking", at, at + 2, text="**")
            frame.key, frame.key_span, frame.state = "**", Span(at, at + 2), _State.VALUE
            self._value(frame, begin, "{")
            return
        end = max(self._expression_end(at), at + stars)
        written = self.text[at:end].rstrip()
        self._report("argument-unpacking", at, at + len(written), text=written)
        frame.comma = -1
        frame.state = _State.AFTER
        self._at = end

    # -- separators and ends -------------------------------------------------------------------------------------------

    def _comma(self, frame: _Frame, at: int) -> None:
        if frame.state is _State.PENDING:
            self._settle_pending(frame)
        if frame.state is _State.VALUE:
            self._missing_value(frame, at)
        if frame.state is _State.AFTER:
            frame.state = _State.WANT
            frame.comma = at
            frame.commas += 1
        else:
            self._report("extra-comma", at, at + 1, [delete(at, at + 1)], certain=True)
        self._at = at + 1

    def _missing_value(self, frame: _Frame, at: int) -> None:
        start, end = frame.key_span.start, max(self._back(at), frame.key_span.end)
        if self.text[at] == ",":
            repair = delete(start, self._skip(at + 1))
        else:
            repair = delete(start if frame.comma < 0 else frame.comma, end)
        self._report("missing-value", start, end, [repair], key=frame.key or "", colon=-1)
        self._marked = True
        self._attach(frame, JsonNode("missing", Span(end, end), None))

    def _after(self, frame: _Frame, at: int, char: str) -> None:
        """Read what stands behind a value where a comma should be: the next value, or the rest of an expression."""
        text = self.text
        if frame.kind == "call" and _KEY.match(text, at, self._stop_at) is not None:
            key = _KEY.match(text, at, self._stop_at)
            assert key is not None
            if text.startswith("=", key.end(), self.limit) and not text.startswith("==", key.end(), self.limit):
                self._missing_comma(frame)
                return
            if (
                text.startswith("(", key.end(), self.limit)
                and _BREAK.search(text, max(self._last_end(frame), 0), at) is not None
            ):
                self._unclosed_before(at)
                return
        if frame.kind == "calls":
            if _NAME.match(text, at, self._stop_at) is not None:
                self._missing_comma(frame)
                return
            self._fault()
            end = max(self._expression_end(at), at + 1)
            stray = text[at:end].rstrip()
            self._report("unexpected-text", at, at + len(stray), [delete(at, at + len(stray))], text=stray)
            self._at = end
            return
        if frame.kind == "{" and frame.braces == "object" and (char in "\"'" or char == HOLE):
            self._missing_comma(frame)
            return
        if frame.kind in "[({" and (char in "\"'[{" or char.isdigit()) and frame.last is not None:
            self._missing_comma(frame)
            return
        self._fault()
        self._continue(frame, at)

    def _last_end(self, frame: _Frame) -> int:
        return frame.last.span.end if frame.last is not None else frame.start

    def _missing_comma(self, frame: _Frame) -> None:
        place = max(self._last_end(frame), frame.start + 1)
        if frame.kind == "calls" and self.calls:
            place = self.calls[-1].end
        self._report("missing-comma", place, place, [insert(place, ",")], certain=True, found="", key="")
        frame.state = _State.WANT

    def _unclosed_before(self, at: int) -> None:
        """Close everything down to the call: another call begins on the next line."""
        self._fault()
        place = self._last_end(self._stack[-1])
        self._close_down(1, place, at)

    def _close_down(self, depth: int, place: int, at: int) -> None:
        """Close the frames above `depth` of the stack at `place`, for want of their closers."""
        closers = ""
        for frame in reversed(self._stack[depth:]):
            closers += _CLOSERS[frame.kind]
        self._missing_closers(closers, place, place, insert(place, closers), dangling=False, truncated=False)
        while len(self._stack) > depth:
            self._pop(place, closed=False)
        self._at = at

    def _missing_closers(
        self, closers: str, start: int, end: int, repair: Edit, *, dangling: bool, truncated: bool
    ) -> None:
        braces = closers.count("}")
        self._report(
            "missing-closers",
            start,
            end,
            [repair],
            certain=not dangling,
            braces=braces,
            brackets=len(closers) - braces,
            text=closers,
            truncated=truncated,
            dangling=dangling,
            position=start - self.span.start,
            excerpt=self.text[max(self.span.start, start - _EXCERPT) : start],
        )

    def _closer(self, frame: _Frame, at: int, char: str) -> None:
        if frame.state is _State.PENDING:
            self._settle_pending(frame)
        if frame.state is _State.VALUE:
            self._missing_value(frame, at)
        expected = _CLOSERS.get(frame.kind, "")
        if char == expected:
            self._pop(at + 1)
            return
        self._fault()
        if frame.kind == "lines":
            self._extra_closer(at, char)
            return
        outer = next((i for i in range(len(self._stack) - 2, -1, -1) if _CLOSERS.get(self._stack[i].kind) == char), -1)
        if outer >= 0 and self._left_open(outer, at) < self._left_open(len(self._stack), at):
            self._close_down(outer + 1, max(self._back(at), self._last_end(frame)), at)
        elif outer >= 0 or frame.kind == "calls" or (frame.kind == "call" and char == "}"):
            self._extra_closer(at, char)
        else:
            self._report(
                "mismatched-bracket",
                at,
                at + 1,
                [Edit(Span(at, at + 1), expected)],
                certain=True,
                found=char,
                expected=expected,
                opener=Span(frame.start, frame.start + 1),
                position=at - self.span.start,
                excerpt=self.text[max(self.span.start, at - _EXCERPT) : at],
            )
            self._pop(at + 1)

    def _left_open(self, depth: int, at: int) -> int:
        """Return how many brackets do not pair if only the lowest `depth` of the stack are open behind the closer."""
        run = _CLOSER_RUN.match(self.text, at + 1, self._stop_at)
        closers = "" if run is None else "".join(run[0].split())
        # What ends the run stands behind as much space as it may hold.
        self._look((at + 1 if run is None else run.end()) + _MOST_SPACE + 1)
        for index, char in enumerate(closers):
            if not depth or _CLOSERS.get(self._stack[depth - 1].kind) != char:
                return depth + len(closers) - index
            depth -= 1
        return depth

    def _extra_closer(self, at: int, char: str) -> None:
        end = at + len(char)
        braces = char.count("}")
        self._report(
            "extra-closers",
            at,
            end,
            [delete(at, end)],
            certain=True,
            braces=braces,
            brackets=len(char) - braces,
            text=char,
            position=at - self.span.start,
            excerpt=self.text[max(self.span.start, at - _EXCERPT) : at],
        )
        self._at = end

    def _pop(self, end: int, *, closed: bool = True) -> None:
        """Close the innermost frame, whose text ends at `end`."""
        frame = self._stack[-1]
        if not closed:
            if frame.pending is not None:
                self._settle_quietly(frame)
            if frame.state is _State.VALUE:
                self._marked = True
                self._attach(frame, JsonNode("missing", Span(end, end), None))
        self._stack.pop()
        self._at = end
        node = frame.node
        node.span = Span(frame.start, max(end, frame.start))
        if frame.kind == "call":
            self._end_call(frame, end, closed)
            return
        if frame.kind in ("calls", "lines"):
            self._done = True
            self.closed = closed
            self.span = Span(self.span.start, end)
            return
        parent = self._stack[-1]
        if frame.kind == "{":
            if frame.braces == "array":
                node = frame.node = _as_array(node)
                self._foreign(node.span, frame, "a set is read as a list, in the order in which it is written")
        elif frame.kind == "(":
            if len(node.items) == 1 and not frame.commas:
                node = node.items[0]
            else:
                self._foreign(node.span, frame, "a tuple is read as a list")
        self._attach(parent, node)

    def _foreign(self, span: Span, frame: _Frame, reading: str) -> None:
        if frame.braces == "array" or frame.kind == "(":
            self._report(
                "engines-differ",
                span.start,
                span.end,
                certain=True,
                reading=reading[0].upper() + reading[1:],
                others="parsers that take JSON's types only reject the call",
            )

    # -- values --------------------------------------------------------------------------------------------------------

    def _attach(self, frame: _Frame, node: JsonNode) -> None:
        """Put a complete value where it belongs."""
        frame.last = node
        frame.comma = -1
        state, frame.state = frame.state, _State.AFTER
        if frame.kind == "call":
            if frame.key is None:
                frame.positional.append(node)
                return
            if frame.key == "**":
                for member in node.members:
                    self._member(frame, member)
                return
        elif frame.kind == "{":
            if state is not _State.VALUE:
                frame.pending = node
                frame.state = _State.PENDING
                return
        else:
            frame.node.items.append(node)
            frame.node.value.append(node.value)
            return
        self._member(frame, JsonMember(frame.key or "", frame.key_span, node))

    def _member(self, frame: _Frame, member: JsonMember) -> None:
        key = member.key
        members = frame.node.members
        earlier = frame.keys.get(key)
        if earlier is not None:
            following = members[earlier + 1] if earlier + 1 < len(members) else member
            first = members[earlier].key_span
            edits = [delete(first.start, following.span.start)]
            self._report("duplicate-key", *member.key_span, edits, key=key, first=first)
        frame.keys[key] = len(members)
        members.append(member)
        frame.node.value[key] = member.value.value

    def _simple(self, match: re.Match[str]) -> JsonNode | None:
        """Return the node of a plain value that one pattern matched; None where it needs a closer look."""
        start, end = match.span("value")
        string = match["one"]
        if string is None:
            string = match["two"]
        if string is not None:
            if not string.isascii() and (HOLE in string or _has_surrogate(string)):
                return None
            return JsonNode("string", Span(start, end), string)
        number = match["number"]
        if number is not None:
            return JsonNode("number", Span(start, end), int(number) if match["fraction"] is None else float(number))
        return JsonNode("literal", Span(start, end), _FAST_WORDS[match["word"]])

    def _value(self, frame: _Frame, at: int, char: str) -> None:
        """Read the value that begins at `at`, or open the container that does."""
        text = self.text
        if frame.kind == "[":
            fast = _FAST_ITEM.match(text, at, self._stop_at)
            node = self._simple(fast) if fast is not None else None
            if fast is not None and node is not None:
                self._at = fast.end()
                self._attach(frame, node)
                return
        elif frame.kind == "{" and frame.state is _State.WANT and frame.braces != "array":
            fast = _FAST_MEMBER.match(text, at, self._stop_at)
            node = self._simple(fast) if fast is not None else None
            if fast is not None and node is not None:
                key = fast["key1"] if fast["key1"] is not None else fast["key2"]
                if key.isascii() or not (HOLE in key or _has_surrogate(key)):
                    frame.braces = "object"
                    self._at = fast.end()
                    frame.last, frame.comma, frame.state = node, -1, _State.AFTER
                    self._member(frame, JsonMember(key, Span(*fast.span("key")), node))
                    return
        if char in "\"'" or (char in "rRbBuUfF" and _is_string(text, at, self._stop_at)):
            self._string(frame, at)
        elif char in "[{":
            self._container(frame, at, char)
        elif char == "(":
            self._open(frame, at, char)
        elif char.isdigit() or char in "+-" or (char == "." and text[at + 1 : at + 2].isdigit()):
            self._number(frame, at)
        elif char in ".…":
            self._dots(frame, at)
        elif char == "_" or char == HOLE or char.isalpha():
            self._word(frame, at)
        else:
            self._odd(frame, at)

    def _container(self, frame: _Frame, at: int, char: str) -> None:
        """Read a list or a dictionary at once where it is JSON that means the same in Python, else open it."""
        expression = _EXPRESSION.match(self.text, at, self._stop_at) if char == "{" else None
        if expression is not None:
            self._marked = True
            self._at = expression.end()
            self._attach(frame, JsonNode("hole", Span(*expression.span()), None))
            return
        if self._allowance > 0:
            done = self._at_once(at)
            if done is not None:
                self._at = done.span.end
                self._attach(frame, done)
                return
        self._open(frame, at, char)

    def _at_once(self, at: int) -> JsonNode | None:
        """Return the node of a list or dictionary that a C parser reads, None where it does not or may mean less."""
        text, limit = self.text, self._stop_at
        depth = len(self._stack)
        size = _WINDOW
        while True:
            window = text[at : min(at + size, limit)]
            translated, other = _as_json(window)
            self._look(at + len(window))
            try:
                value, end = scan_clean(translated, 0, len(window), depth)
            except NotCleanError as error:
                self._allowance -= len(window)
                cut = at + len(window) < limit and (error.at is None or error.at >= len(window) - _LONGEST_WORD)
                if cut and self._allowance > 0:
                    size *= 8
                    continue
                if "\\" not in window:
                    return None
                break
            if other not in window[:end] and "\\" not in window[:end]:
                return _LazyNode(text, Span(at, at + end), value)
            break
        try:
            value, end = scan_clean(text, at, limit, depth)
        except NotCleanError as error:
            known = limit if error.at is None else min(error.at, limit)
            self._allowance -= max(known - at, 0) + 16
            self._look(known + 1)
            return None
        if _differs(text[at:end]):
            self._allowance -= end - at
            return None
        return clean_node(text, Span(at, end), value)

    def _open(self, frame: _Frame, at: int, char: str) -> None:
        if len(self._stack) <= MAX_DEPTH:
            self._push(char, at)
            self._at = at + 1
            return
        self._fault()
        if not self._deep:
            self._deep = True
            self._report("too-deep", at, at + 1, limit=MAX_DEPTH)
        end = self._expression_end(at)
        self._marked = True
        self._at = max(end, at + 1)
        self._attach(frame, JsonNode("missing", Span(at, self._at), None))

    def _number(self, frame: _Frame, at: int) -> None:
        text = self.text
        found = _NUMBER.match(text, at, self._stop_at)
        if found is None or (found.end() < self._stop_at and _NUMBER_GOES_ON.match(text, found.end()) is not None):
            signed = _SIGNED_WORD.match(text, at, self._stop_at)
            if signed is not None:
                word = signed[0]
                self._non_finite(frame, at, signed.end(), _NON_FINITE[word[1:]] * (-1 if word[0] == "-" else 1))
                return
            if text[at] in "+-" and self._skip(at + 1) >= self._stop_at:
                self._report("bad-number", at, at + 1, text=text[at], reason="incomplete")
                self._marked = True
                self._at = at + 1
                self._attach(frame, JsonNode("missing", Span(at, at + 1), None))
                return
            self._literal_text(frame, at)
            return
        written, end = found[0], found.end()
        digits = written.replace("_", "").replace(" ", "").replace("\t", "")
        self._at = end
        value: int | float
        if found["point"] is not None or found["exponent"] is not None or found["lead"] is not None:
            value = float(digits)
            if math.isinf(value):
                self._non_finite(frame, at, end, value)
                return
        else:
            whole = found["whole"]
            # Of the other notations, Python reads any length, and cannot write the number in decimal digits.
            too_long = len(whole) > _DIGITS_MAX if whole is not None else int(digits, 0).bit_length() > _BITS_MAX
            if too_long:
                self._report("bad-number", at, end, text=f"{written[:60]}…", reason="too-long")
                self._marked = True
                self._attach(frame, JsonNode("missing", Span(at, end), None))
                return
            if whole is not None and whole[0] == "0" and whole.strip("0_"):
                mended = digits.lstrip("+-").lstrip("0")
                mended = f"-{mended}" if digits[0] == "-" else mended
                value = int(mended)
                self._report(
                    "bad-number", at, end, [Edit(Span(at, end), mended)], text=written, json=mended, reason="form"
                )
            else:
                value = int(digits) if whole is not None else int(digits, 0)
        self._attach(frame, JsonNode("number", Span(at, end), value))

    def _non_finite(self, frame: _Frame, at: int, end: int, value: float) -> None:
        self._at = end
        written = self.text[at:end]
        edits = [] if any(char.isdigit() for char in written) else [Edit(Span(at, end), "None")]
        self._report("non-finite-number", at, end, edits, text=written)
        self._attach(frame, JsonNode("number", Span(at, end), value))

    def _dots(self, frame: _Frame, at: int) -> None:
        elision = _ELISION.match(self.text, at, self._stop_at)
        if elision is None:
            self._odd(frame, at)
            return
        self._at = elision.end()
        self._marked = True
        if frame.kind == "[" or frame.kind == "(" or (frame.kind == "{" and frame.state is _State.WANT):
            frame.node.elided = True
            frame.comma = -1
            frame.state = _State.AFTER
            return
        self._attach(frame, JsonNode("elision", Span(at, elision.end()), None))

    def _word(self, frame: _Frame, at: int) -> None:
        text = self.text
        found = _VALUE_WORD.match(text, at, self._stop_at)
        if found is None:
            self._odd(frame, at)
            return
        word, end = found[0], found.end()
        after = self._skip(end)
        char = text[after : after + 1] if after < self._stop_at else ""
        ends = char in ("", ",", ")", "]", "}") or (char == ":" and frame.kind == "{" and frame.state is _State.WANT)
        if HOLE in word and (ends or not text.startswith("(", end, self.limit)):
            self._hole(frame, at)
            return
        if not ends:
            self._literal_text(frame, at)
            return
        self._at = end
        if word in _WORDS:
            if word in _FOREIGN:
                self._report(
                    "engines-differ",
                    at,
                    end,
                    certain=True,
                    reading=f"`{word}` is read as `{_FOREIGN[word]}`",
                    others="readers that take nothing but Python reject the call",
                )
            self._attach(frame, JsonNode("literal", Span(at, end), _WORDS[word]))
        elif word in _NON_FINITE:
            self._non_finite(frame, at, end, _NON_FINITE[word])
        elif word in _MISWRITTEN:
            self._fault()
            written = _MISWRITTEN[word]
            edits = [Edit(Span(at, end), written)]
            self._report("python-literal", at, end, edits, certain=True, text=word, json=written)
            self._attach(frame, JsonNode("literal", Span(at, end), _WORDS[written]))
        else:
            self._literal_text(frame, at)

    def _hole(self, frame: _Frame, at: int) -> None:
        """Read a template's expression, with what text stands at it, as a value that is not known yet."""
        end = self._expression_end(at, colon=frame.kind == "{" and frame.state is _State.WANT)
        written = self.text[at:end].rstrip()
        self._marked = True
        self._at = end
        value = written.strip() if frame.kind == "{" and frame.state is _State.WANT else None
        self._attach(frame, JsonNode("hole", Span(at, at + len(written)), value))

    def _odd(self, frame: _Frame, at: int) -> None:
        """Read what no value begins with."""
        text = self.text
        for pattern, kind in ((_ANGLE, "elision"), (_EXPRESSION, "hole")):
            found = pattern.match(text, at, self._stop_at)
            if found is not None:
                self._marked = True
                self._at = found.end()
                self._attach(frame, JsonNode("hole" if kind == "hole" else "elision", Span(*found.span()), None))
                return
        self._fault()
        smart = _SMART.match(text, at, self._stop_at)
        if smart is None:
            self._literal_text(frame, at)
            return
        end = smart.end()
        group = 1 if smart[1] is not None else 2
        content = decode(text, *smart.span(group), raw=False, long=False)
        written = string_literal(content.value)
        edits = [] if written is None else [Edit(Span(at, end), written)]
        # A straight quote that such a string seems to end with may be a character of it.
        certain = text[end - 1] not in "\"'" or _NO_SMART_END.match(text, end, self._stop_at) is not None
        self._report("smart-quotes", at, end, edits, certain=certain, quote=text[at])
        self._at = end
        self._attach(frame, self._string_node(Span(at, end), content.value))

    def _literal_text(self, frame: _Frame, at: int) -> None:
        """Read something that is no literal: its text stands for the value."""
        self._fault()
        end = max(self._expression_end(at, colon=frame.kind == "{" and frame.state is _State.WANT), at + 1)
        written = self.text[at:end].rstrip()
        if not written:
            written, end = self.text[at : at + 1], at + 1
        self._at = end
        self._no_literal(frame, at, written)
        self._attach(frame, self._string_node(Span(at, at + len(written)), written))

    def _no_literal(self, frame: _Frame, at: int, written: str) -> None:
        end = at + len(written)
        if frame.kind == "{" and self._colon_follows(end):
            quoted = string_literal(written) or ""
            edits = [Edit(Span(at, end), quoted)] if quoted else []
            self._report("unquoted-key", at, end, edits, certain=True, key=written)
        elif _PLAIN_WORDS.fullmatch(written) is not None and not _SIGNS.search(written):
            quoted = string_literal(written) or ""
            edits = [Edit(Span(at, end), quoted)] if quoted else []
            self._report("unquoted-string", at, end, edits, text=written)
        else:
            self._report("not-a-literal", at, end, text=written)

    def _colon_follows(self, at: int) -> bool:
        after = self._skip(at)
        return after < self._stop_at and self.text[after] == ":"

    def _continue(self, frame: _Frame, at: int) -> None:
        """Take what stands behind a value for the rest of an expression that began with it."""
        last = frame.last
        start = last.span.start if last is not None else at
        end = max(self._expression_end(at), at + 1)
        written = self.text[start:end].rstrip()
        self._at = end
        node = self._string_node(Span(start, start + len(written)), written)
        self._report("not-a-literal", start, start + len(written), text=written)
        frame.last = node
        if last is None or (frame.kind == "call" and frame.key == "**"):
            # What is unpacked is no value of an argument; its members stay those of the call.
            return
        if frame.kind == "call" and frame.key is None:
            if frame.positional:
                frame.positional[-1] = node
        elif frame.kind in ("call", "{") and frame.node.members:
            member = frame.node.members[-1]
            frame.node.members[-1] = JsonMember(member.key, member.key_span, node)
            frame.node.value[member.key] = node.value
        elif frame.node.items:
            frame.node.items[-1] = node
            frame.node.value[-1] = node.value

    def _expression_end(self, at: int, *, colon: bool = False) -> int:
        """Return where what begins at `at` ends: at a comma or closer that is not inside of it."""
        text, limit = self.text, self._stop_at
        depth = 0
        while at < limit:
            run = _RUN.match(text, at, limit)
            if run is not None:
                at = run.end()
                continue
            char = text[at]
            if char in "([{":
                depth += 1
            elif char in ")]}":
                if not depth:
                    return at
                depth -= 1
            elif not depth and (char == "," or (char == ":" and colon)):
                return at
            elif char in "\"'":
                long = text.startswith(char * 3, at, self.limit)
                end = self._strict(at + (3 if long else 1), char * 3 if long else char)
                at = end if end >= 0 else at + 1
                continue
            elif char == "#":
                ending = _BREAK.search(text, at, limit)
                at = ending.start() if ending is not None else limit
                continue
            at += 1
        return limit

    # -- braces --------------------------------------------------------------------------------------------------------

    def _colon(self, frame: _Frame, at: int, char: str) -> None:
        """Read what stands behind the first part of a dictionary's member, or behind an item of a set."""
        node = frame.pending
        assert node is not None, "there is something to decide on"
        if frame.braces != "array" and (
            char == ":" or (char == "=" and not self.text.startswith("==", at, self.limit))
        ):
            if char == "=":
                self._report(
                    "missing-colon",
                    at,
                    at + 1,
                    [Edit(Span(at, at + 1), ":")],
                    certain=True,
                    key=str(node.value),
                    found="=",
                )
            self._take_key(frame, node)
            self._at = at + 1
            return
        if frame.braces == "object" and (char in "\"'[{(-" or char.isalnum()):
            place = node.span.end
            self._report(
                "missing-colon", place, place, [insert(place, ":")], certain=True, key=str(node.value), found=""
            )
            self._take_key(frame, node)
            return
        self._settle_pending(frame)
        self._after(frame, at, char)

    def _take_key(self, frame: _Frame, node: JsonNode) -> None:
        frame.braces = "object"
        frame.pending = None
        frame.state = _State.VALUE
        frame.key_span = node.span
        if node.kind == "string" or node.kind == "hole":
            frame.key = str(node.value)
            return
        written = node.span.of(self.text)
        frame.key = _key_text(node, written)
        quoted = string_literal(frame.key)
        edits = [] if quoted is None else [Edit(node.span, quoted)]
        self._report("unquoted-key", node.span.start, node.span.end, edits, certain=True, key=written)

    def _settle_pending(self, frame: _Frame) -> None:
        """Take what could be a key for an item of a set, or for a key without a value."""
        node = frame.pending
        assert node is not None, "there is something to decide on"
        frame.pending = None
        if frame.braces == "object":
            self._take_key(frame, node)
            end = node.span.end
            self._report("missing-value", node.span.start, end, [], key=frame.key or "", colon=-1)
            self._attach(frame, JsonNode("missing", Span(end, end), None))
            return
        frame.braces = "array"
        frame.state = _State.AFTER
        frame.last = node
        frame.node.items.append(node)

    # -- strings -------------------------------------------------------------------------------------------------------

    def _strict(self, body: int, quote: str) -> int:
        """Return where a string ends by Python's rules, -1 where it does not; nothing is sought in vain twice."""
        key = f"python: no {quote} before"
        known = self._memo.get(key, -1)
        if body < known:
            self._look(known + 2)
            return -1
        end = strict_end(self.text, body, quote, self.limit)
        if end < 0:
            end = broken_at(self.text, body, quote, self.limit) if len(quote) == 1 else self.limit
            self._memo[key] = end
            # Where a backslash stands, what follows it has ended the string.
            self._look(end + 2)
            return -1
        self._look(end)
        return end

    def _string(self, frame: _Frame, at: int) -> None:
        """Read a string, or several that follow each other: Python joins them."""
        values: list[str] = []
        start = at
        end = at
        while True:
            opening = OPENING.match(self.text, at, self._stop_at)
            assert opening is not None, "a string begins here"
            value, end = self._one_string(frame, at, opening)
            values.append(value)
            self._at = end
            if self._cut:
                break
            following = self._skip(end)
            joined = OPENING.match(self.text, following, self._stop_at) if following < self._stop_at else None
            # Right behind a string no prefix can stand: the quote is one too many.
            if joined is None or (joined[1] and following == end):
                break
            at = following
        self._at = end
        self._attach(frame, self._string_node(Span(start, end), "".join(values) if len(values) > 1 else values[0]))

    def _string_node(self, span: Span, value: str) -> JsonNode:
        if not value.isascii() and HOLE in value:
            self._marked = True
        return JsonNode("string", span, value)

    def _one_string(self, frame: _Frame, at: int, opening: re.Match[str]) -> tuple[str, int]:
        """Return the value of one string token and the offset behind it."""
        text = self.text
        prefix, quote = opening[1].lower(), opening[2]
        body = opening.end()
        long = len(quote) == 3
        raw = "r" in prefix
        surroundings = self._stop_at
        end = self._strict(body, quote)
        if end >= 0 and self._may_follow(end):
            content = decode(text, body, end - len(quote), raw=raw, long=long)
            self._tell(content, at, end, prefix, opening)
            return content.value, end
        self._fault()
        self._stop_at = surroundings
        stop, missing = self._loose_end(frame, body, quote, end)
        content_end = stop if missing else stop - len(quote)
        content = decode(text, body, content_end, raw=raw, long=long)
        if missing:
            cut = self._skip(stop) >= self._stop_at
            self._cut = cut
            self._report(
                "unmatched-quote",
                body - len(quote),
                body,
                [insert(stop, quote)],
                missing="closing",
                truncated=cut,
                marker=quote,
                string=Span(at, stop),
            )
        else:
            self._inner_quotes(body, content_end, quote, at)
        self._tell(content, at, stop, prefix, opening)
        return content.value, stop

    def _may_follow(self, end: int) -> bool:
        """Tell whether a text can go on behind the quote that ends at `end`."""
        if end >= self._stop_at and self.stop is not None:
            self._stop_at = self._next_stop(end)
        if _FOLLOWS.match(self.text, end, max(self._stop_at, end)) is not None:
            return True
        found = _SPACE.match(self.text, end, self.limit)
        self._look((found.end() if found is not None else end) + _LONGEST_AHEAD)
        return False

    def _loose_end(self, frame: _Frame, body: int, quote: str, strict: int) -> tuple[int, bool]:
        """Return where a string ends whose quotes are not what they should be, and whether its own quote is missing."""
        text, limit = self.text, self._stop_at
        self._look(limit)
        if frame.kind == "call":
            where = "listed" if self._stack[0].kind == "calls" else "lined"
        elif frame.kind == "{":
            where = "member" if frame.state is _State.VALUE else "key" if frame.braces == "object" else "item"
        else:
            where = "item"
        goes_on = _GOES_ON[where]
        vain = f"python: no {quote} as {where}"
        if self._memo.get(vain) is None:
            first = next_quote(text, body, quote, limit)
            begins = self._begins_next(body, first, quote, goes_on)
            if begins >= 0:
                return begins, True
            if first >= 0 and strict < 0 and self._may_follow(first):
                return first, False
            end = first
            while end >= 0:
                if goes_on.match(text, end, limit) is not None:
                    return end, False
                end = next_quote(text, end, quote, limit)
            self._memo[vain] = body
        if frame.kind == "{" and frame.state is not _State.VALUE and 0 <= strict <= limit:
            return strict, False
        # No quote ends it: what closes the surroundings at the very end does.
        end = limit
        for owner in self._stack:
            closer = _CLOSERS.get(owner.kind, "")
            back = end
            while back > body and text[back - 1] in " \t\r\n":
                back -= 1
            if back <= body or text[back - 1] != closer:
                if owner.kind == "lines":
                    continue
                break
            end = back - 1
        else:
            return end, True
        return limit, True

    def _begins_next(self, body: int, quote_end: int, quote: str, goes_on: re.Pattern[str]) -> int:
        """Return where a string ends whose next quote begins another one; -1 where it does not."""
        if quote_end < 0 or len(quote) == 3:
            return -1
        text = self.text
        before = text[max(body, quote_end - 1 - _BEFORE) : quote_end - 1]
        found = _BEGINS_ARGUMENT.search(before)
        if found is not None:
            following = self._strict(quote_end, quote)
            if following < 0 or goes_on.match(text, following, max(self._stop_at, following)) is None:
                return -1
        else:
            found = _BEGINS_KEY.search(before)
            if found is None or _KEY_ENDS.match(text, quote_end, self._stop_at) is None:
                return -1
        return quote_end - 1 - (len(before) - found.start())

    def _inner_quotes(self, body: int, end: int, quote: str, at: int) -> None:
        """Report the quotes inside a string that should have a backslash."""
        offsets: list[int] = []
        place = next_quote(self.text, body, quote, end)
        while place >= 0:
            offsets.append(place - len(quote))
            place = next_quote(self.text, place, quote, end)
        if offsets:
            self._report(
                "unescaped-quote",
                offsets[0],
                offsets[0] + 1,
                [insert(offset, "\\") for offset in offsets],
                certain=True,
                offsets=tuple(offsets),
                string=Span(at, end + len(quote)),
                quote=quote[0],
            )

    def _tell(self, content: Content, at: int, end: int, prefix: str, opening: re.Match[str]) -> None:
        """Report what no Python takes in a string."""
        text, string = self.text, Span(at, end)
        if "b" in prefix or "f" in prefix:
            span = Span(at, at + len(prefix))
            self._report("unexpected-text", *span, [delete(*span)], certain=True, text=opening[1], prefix=True)
        if content.controls:
            first = content.controls[0]
            char = text[first]
            name = "line break" if char in "\r\n" else control_name(char)
            edits = [_control_edit(text, offset) for offset in content.controls]
            start = opening.end() if opening.end() < first else opening.end() - 1
            self._report(
                "raw-newline",
                min(start, first),
                first,
                edits,
                certain="r" not in prefix,
                char=char,
                name=name,
                escape=edits[0].text,
                offsets=tuple(content.controls),
                string=string,
            )
        if content.bad_escapes:
            spans = tuple(span for span, _ in content.bad_escapes)
            self._report(
                "bad-escape",
                *spans[0],
                [edit for _, edit in content.bad_escapes],
                text=spans[0].of(text),
                spans=spans,
                string=string,
            )
        if content.surrogates or content.lone:
            spans = tuple(content.surrogates) or (Span(at, end),)
            value = string_literal(content.value) if not content.lone else None
            edits = [Edit(string, value)] if value is not None else []
            self._report(
                "lone-surrogate", *spans[0], edits, certain=True, text=spans[0].of(text), spans=spans, string=string
            )

    # -- the end -------------------------------------------------------------------------------------------------------

    def _finish(self) -> None:
        """Close what is still open where the text ends."""
        if not self._done:
            stop = min(self._stop_at, self.limit)
            self._look(stop)
            if self._stack[-1].kind != "lines":
                self._finish_open(stop)
            else:
                end = self.calls[-1].end if self.calls else self.span.start
                self._pop(max(end, self.span.start))
            self.end = stop
        else:
            self.end = self._at
        self.reach = max(self.reach, min(self.end + 1, self.limit))
        self._limit_problems()

    def _finish_open(self, stop: int) -> None:
        self._fault()
        frame = self._stack[-1]
        end = stop
        end = stop if self._cut else self._back(end)
        # What is cut off in the middle of a member goes with the repair.
        keep = end
        dangling = self._cut
        if frame.state is _State.PENDING:
            self._settle_quietly(frame)
        if frame.state is _State.VALUE:
            keep, dangling = min(frame.key_span.start, end), True
        elif frame.state is _State.WANT and frame.comma >= 0:
            dangling = True
            keep = frame.comma
        elif frame.state is _State.WANT and self._trailing_word(end) < end:
            keep, dangling = self._trailing_word(end), True
        closers = "".join(_CLOSERS[each.kind] for each in reversed(self._stack) if each.kind != "lines")
        self._missing_closers(
            closers, end, end, Edit(Span(max(keep, self.span.start), end), closers), dangling=dangling, truncated=True
        )
        while self._stack:
            self._pop(end, closed=False)
        self.closed = False

    def _trailing_word(self, end: int) -> int:
        """Return where the word begins that the text is cut off in."""
        start = end
        while start > self.span.start and (self.text[start - 1].isalnum() or self.text[start - 1] in "_."):
            start -= 1
        return start

    def _settle_quietly(self, frame: _Frame) -> None:
        node = frame.pending
        assert node is not None, "there is something to decide on"
        frame.pending = None
        frame.state = _State.AFTER
        if frame.braces == "array":
            frame.node.items.append(node)
        elif node.kind in ("string", "hole"):
            frame.braces = "object"
            frame.state = _State.VALUE
            frame.key, frame.key_span = str(node.value), node.span

    def _end_call(self, frame: _Frame, end: int, closed: bool) -> None:
        """Make a call of a frame: bind what has no name, and keep its problems with it."""
        self._stack.append(frame)  # whose problems these are
        root, notation = frame.node, PYTHON
        if frame.positional:
            self._fault()
            root, notation = self._bind(frame)
        self._stack.pop()
        wild, elided = open_paths(root) if self._marked or self._deep else ([], [])
        read = JsonRead(root, end, min(end + 1, self.limit), frame.problems, wild, elided, notation)
        self.calls.append(CallDraft(frame.name, frame.name_span, end, closed, read))
        if self._stack:
            owner = self._stack[-1]
            owner.comma = -1
            owner.state = _State.AFTER if owner.kind == "calls" else _State.WANT

    def _bind(self, frame: _Frame) -> tuple[JsonNode, Any]:
        """Give positional arguments their parameters' names; one dictionary alone is the arguments themselves."""
        names = self.parameters(frame.name) if self.parameters is not None else None
        first = frame.positional[0]
        if (
            len(frame.positional) == 1
            and first.kind == "object"
            and not frame.node.members
            and (names is None or len(names) != 1 or names[0] in first.value)
        ):
            written = PYTHON.value(first.value, ()) if not self._marked else None
            edits = [Edit(first.span, written[1:-1])] if written is not None else []
            text = first.span.of(self.text)
            self._report("positional-argument", *first.span, edits, certain=True, text=text, name=None, all=True)
            return first, PYTHON_DICT
        members: list[JsonMember] = []
        for index, node in enumerate(frame.positional):
            name = names[index] if names is not None and index < len(names) else None
            if name is not None and name in frame.keys:
                name = None
            start, end = node.span
            edits = [insert(start, f"{name}=")] if name is not None else []
            self._report(
                "positional-argument", start, end, edits, certain=True, text=self.text[start:end], name=name, all=False
            )
            if name is not None:
                members.append(JsonMember(name, Span(start, start), node))
        root = frame.node
        kept = sorted([*root.members, *members], key=lambda member: member.span.start)
        made = JsonNode("object", root.span, {member.key: member.value.value for member in kept})
        made.members.extend(kept)
        made.elided = root.elided
        return made, PYTHON

    def _limit_problems(self) -> None:
        if not self._dropped:
            return
        owner = self.calls[-1].read.problems if self.calls else self.problems
        if not owner:
            owner = self.problems
        span = owner[-1].span if owner else self.span
        owner.append(Problem("too-many-problems", span, {"more": self._dropped, "notation": PYTHON.name}))


_SIGNS: Final = re.compile(r"[ \t][-/:][ \t]|\b(?:and|or|not|in|is|if|else|for|lambda)\b|::")


class _LazyNode(JsonNode):
    """A faultless list or dictionary whose parts are read where somebody asks for them."""

    __slots__ = ("_source",)

    def __init__(self, text: str, span: Span, value: Any) -> None:
        super().__init__("object" if isinstance(value, dict) else "array", span, value)
        self._source: str | None = text

    @property
    def is_clean(self) -> bool:
        """Whether the parts have not been read yet: no faults, holes or elisions are below."""
        return self._source is not None

    @property
    def members(self) -> list[JsonMember]:
        """The members of a dictionary in order; empty for a list."""
        self._settle()
        return self._members

    @property
    def items(self) -> list[JsonNode]:
        """The items of a list in order; empty for a dictionary."""
        self._settle()
        return self._items

    def _let_go(self, own: str, whole: str) -> None:
        if self._source is whole:
            self._source = own

    def _settle(self) -> None:
        if self._source is None:
            return
        text, self._source = self._source, None
        reader = PythonReader(text, self.span.start, self.span.end, None, None, UNLIMITED)
        node = reader.read_value()
        self._members, self._items = node.members, node.items


def _as_json(part: str) -> tuple[str, str]:
    """Return Python literals as JSON of the same length, and the quote that may not stand in what is used of it.

    Right where neither that quote nor a backslash stands; what JSON writes otherwise than Python comes out as no JSON.
    """
    single, double = part.find("'"), part.find('"')
    quote, other = ('"', "'") if single < 0 or 0 <= double < single else ("'", '"')
    if not any(word in part for word in _WORDS):
        return (part.replace("'", '"') if quote == "'" else part), other
    pieces = part.split(quote)
    outside = "\0".join(pieces[::2])
    for word, foreign in _FOREIGN.items():
        outside = outside.replace(word, "?" * len(word)).replace(foreign, word)
    translated = outside.split("\0")
    if len(translated) != (len(pieces) + 1) // 2:
        return "?" * len(part), other
    pieces[::2] = translated
    return '"'.join(pieces), other


_DIFFERENT_ESCAPE: Final = re.compile(r"\\/|\\u[dD]")


def _differs(part: str) -> bool:
    """Tell whether JSON may hold a word or an escape that Python reads otherwise."""
    if "true" in part or "false" in part or "null" in part:
        return True
    return "\\" in part and _DIFFERENT_ESCAPE.search(part) is not None


def _has_surrogate(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _is_string(text: str, at: int, limit: int) -> bool:
    return OPENING.match(text, at, limit) is not None


def _as_array(node: JsonNode) -> JsonNode:
    made = JsonNode("array", node.span, [item.value for item in node.items])
    made.items.extend(node.items)
    made.elided = node.elided
    return made


def _key_text(node: JsonNode, written: str) -> str:
    """Return what JSON makes of a key that is no string."""
    if node.kind == "literal":
        return {True: "true", False: "false", None: "null"}[node.value]
    if node.kind == "number":
        return str(node.value)
    return written


def _control_edit(text: str, offset: int) -> Edit:
    if text.startswith("\r\n", offset):
        return Edit(Span(offset, offset + 2), "\\n")
    return Edit(Span(offset, offset + 1), "\\x00" if text[offset] == "\0" else "\\n")
