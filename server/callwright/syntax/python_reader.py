"""The tolerant reader of Python calls: any text gives calls, values and problems, in time linear in the text.

Owns: the grammar of calls with literal arguments, and every problem kind of it (see `callwright.syntax.python_calls`).
Must not know: what the calls are for, which tools there are, rules, messages.

The reader keeps a stack of what is open: the list of calls, a call, containers. At an unexpected character it searches
for a single error that explains it.
"""

import keyword
import re
from typing import Final

from callwright.syntax.json_fast import MAX_DEPTH, NotCleanError, scan_clean
from callwright.syntax.json_nodes import JsonKind, JsonMember, JsonNode, clean_node
from callwright.syntax.python_strings import OPENING
from callwright.syntax.python_text import PythonFrame
from callwright.syntax.python_words import BREAK, ELISION, EXPRESSION, FOREIGN, WORDS, PythonWords, has_surrogate
from callwright.syntax.value_tree import Extent, State
from callwright.text.holes import HOLE
from callwright.text.span import Edit, Span, delete, insert

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
#: Closers in a row, with limited space between them.
_MAX_SPACE: Final = 8
_CLOSER_RUN: Final = re.compile(rf"(?:[ \t\r\n]{{0,{_MAX_SPACE}}}+[)\]}}]){{1,16}}+")
_EXTRA: Final = re.compile(r"[)\]}]++")
#: How much text the C parser reads at first, and the longest word that its end could split.
_WINDOW: Final = 512
_MAX_WORD_LENGTH: Final = 24


class PythonReader(PythonWords):
    """One reading of `text[start:limit]`; `read` does it, then the public attributes hold the result."""

    sketched = False

    # -- the walk ------------------------------------------------------------------------------------------------------

    def read(self) -> None:
        """Read the whole text. Raises FaultyError at the first error if only clean text is accepted."""
        text = self.text
        self._allowance = 2 * (self.limit - self._begin) + 4096
        at = self._skip(self._at)
        listed = text.startswith("[", at, self.limit) and at < self._stop_at
        self.span = Span(at, at)
        self._begin = at
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
            elif frame.state == State.AFTER:
                self._after(frame, at, char)
            elif frame.state == State.PENDING:
                self._colon(frame, at, char)
            elif frame.kind == "call" and frame.state == State.WANT:
                self._argument(frame, at, char)
            elif frame.kind in ("calls", "lines"):
                self._call(frame, at, char)
            else:
                self._value(frame, at, char)
        if self._done and (extra := _EXTRA.match(text, self._at, self._stop_at)) is not None:
            self._extra_closer(self._at, extra[0])
        self._finish()

    def read_value(self) -> JsonNode:
        """Return the container that the text is, which is known to be clean, with nodes for its parts."""
        at = self._at
        root = self._push("(", at)
        self._allowance = 0  # all parts are read at once, so that none is read once for each level
        self._open(root, at, self.text[at])
        while len(self._stack) > 1:
            frame = self._stack[-1]
            at = self._at = self._skip(self._at)
            char = self.text[at]
            if char in "]}":
                self._closer(frame, at, char)
            elif char == ",":
                self._comma(frame, at)
            elif frame.state == State.PENDING:
                self._colon(frame, at, char)
            else:
                self._value(frame, at, char)
        return root.node.items[0]

    # -- calls ---------------------------------------------------------------------------------------------------------

    def _call(self, frame: PythonFrame, at: int, char: str) -> None:
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
                # A truncated name is not a call yet.
                self._fault()
                self._at = self._stop_at
                return
        elision = ELISION.match(text, at, self._stop_at)
        if elision is not None:
            self.sketched = True
            frame.state = State.AFTER if frame.kind == "calls" else State.WANT
            self._at = elision.end()
            return
        if frame.kind == "lines" and char in ";,":
            self._at = at + 1
            return
        self._fault()
        if frame.kind == "lines":
            broken = BREAK.search(text, at, self._stop_at)
            end = broken.start() if broken is not None else self._stop_at
        else:
            end = self._expression_end(at)
        end = max(end, at + 1)
        unmatched = text[at:end].rstrip()
        self._report("unexpected-text", at, at + len(unmatched), [delete(at, at + len(unmatched))], text=unmatched)
        frame.state = State.AFTER if frame.kind == "calls" else State.WANT
        self._at = end

    def _argument(self, frame: PythonFrame, at: int, char: str) -> None:
        """Read the beginning of an argument."""
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
                frame.state = State.AFTER
                return
            frame.comma = comma.end(1) - 1
            frame.commas += 1
            at = self._at = comma.end()
        if at != begin:
            return
        key_match = _KEY.match(text, at, self._stop_at)
        if key_match is not None and not (char.isdigit() and HOLE not in key_match[1]):
            after = key_match.end()
            symbol = text[after : after + 1] if after < self._stop_at else ""
            if symbol == "=" and not text.startswith("==", after, self.limit):
                self._keyword(frame, key_match[1], Span(at, key_match.end(1)), after + 1)
                return
            if symbol == ":" and not key_match[1].isdigit():
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
            if symbol == "" and key_match[1] not in WORDS and HOLE not in key_match[1]:
                # A truncated keyword is ignored.
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
                self._stack[-1].state = State.WANT
                return
        if char == "*":
            self._fault()
            self._unpacking(frame, at)
            return
        if char in "\"'":
            quoted = self._quoted_keyword(frame, at)
            if quoted:
                return
        elision = ELISION.match(text, at, self._stop_at)
        if elision is not None and not text.startswith(("'", '"'), elision.end(), self.limit):
            frame.node.elided = self._marked = True
            frame.state = State.AFTER
            frame.comma = -1
            self._at = elision.end()
            return
        frame.key = ""
        frame.state = State.VALUE
        frame.key_span = Span(at, at)
        self._value(frame, at, char)

    def _keyword(self, frame: PythonFrame, key: str, span: Span, after: int) -> None:
        if keyword.iskeyword(key):
            self._report(
                "engines-differ",
                *span,
                certain=True,
                reading=f"The reserved word `{key}` is read as the name of an argument",
                others="parsers that accept only Python reject the call",
            )
        frame.key, frame.key_span = key, span
        frame.state = State.VALUE
        self._at = after

    def _quoted_keyword(self, frame: PythonFrame, at: int) -> bool:
        """Read `"city": 'x'` or `"city"='x'` where an argument is expected."""
        quote = self.text[at]
        end = self._strict(at + 1, quote)
        if end < 0 or not 0 < end - at - 2 <= 80:
            return False
        after = self._skip(end)
        symbol = self.text[after : after + 1] if after < self._stop_at else ""
        key = self.text[at + 1 : end - 1]
        if symbol not in (":", "=") or self.text.startswith("==", after, self.limit) or "\\" in key:
            return False
        self._fault()
        edits = [Edit(Span(at, after + 1), f"{key}=")] if key.isidentifier() else []
        self._report("missing-equals", at, after + 1, edits, certain=True, key=key, found=symbol, quoted=True)
        self._keyword(frame, key, Span(at, end), after + 1)
        return True

    def _unpacking(self, frame: PythonFrame, at: int) -> None:
        """Read `*rest` and `**{...}`: the members of a literal dictionary are arguments like the others."""
        stars = 2 if self.text.startswith("**", at, self.limit) else 1
        begin = self._skip(at + stars)
        if stars == 2 and self.text.startswith("{", begin, self.limit) and begin < self._stop_at:
            self._report("argument-unpacking", at, at + 2, text="**")
            frame.key, frame.key_span, frame.state = "**", Span(at, at + 2), State.VALUE
            self._value(frame, begin, "{")
            return
        end = max(self._expression_end(at), at + stars)
        written = self.text[at:end].rstrip()
        self._report("argument-unpacking", at, at + len(written), text=written)
        frame.comma = -1
        frame.state = State.AFTER
        self._at = end

    # -- separators and ends -------------------------------------------------------------------------------------------

    def _comma(self, frame: PythonFrame, at: int) -> None:
        if frame.state == State.PENDING:
            self._settle_pending(frame)
        if frame.state == State.VALUE:
            self._missing_value(frame, at)
        if frame.state == State.AFTER:
            frame.state = State.WANT
            frame.comma = at
            frame.commas += 1
        else:
            self._report("extra-comma", at, at + 1, [delete(at, at + 1)], certain=True)
        self._at = at + 1

    def _after(self, frame: PythonFrame, at: int, char: str) -> None:
        """Read the text after a value without a comma: the next value, or the rest of an expression."""
        text = self.text
        if frame.kind == "call" and _KEY.match(text, at, self._stop_at) is not None:
            key = _KEY.match(text, at, self._stop_at)
            assert key is not None
            if text.startswith("=", key.end(), self.limit) and not text.startswith("==", key.end(), self.limit):
                self._missing_comma(frame)
                return
            if (
                text.startswith("(", key.end(), self.limit)
                and BREAK.search(text, max(self._last_end(frame), 0), at) is not None
            ):
                self._unclosed_before(at)
                return
        if frame.kind == "calls":
            if _NAME.match(text, at, self._stop_at) is not None:
                self._missing_comma(frame)
                return
            self._fault()
            end = max(self._expression_end(at), at + 1)
            unmatched = text[at:end].rstrip()
            self._report("unexpected-text", at, at + len(unmatched), [delete(at, at + len(unmatched))], text=unmatched)
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

    def _unclosed_before(self, at: int) -> None:
        """Close everything down to the call: another call begins on the next line."""
        self._fault()
        place = self._last_end(self._stack[-1])
        self._close_down(1, place, at)

    def _closer(self, frame: PythonFrame, at: int, char: str) -> None:
        if frame.state == State.PENDING:
            self._settle_pending(frame)
        if frame.state == State.VALUE:
            self._missing_value(frame, at)
        expected = self.closers.get(frame.kind, "")
        if char == expected:
            self._pop(at + 1)
            return
        self._fault()
        if frame.kind == "lines":
            self._extra_closer(at, char)
            return
        outer = next(
            (i for i in range(len(self._stack) - 2, -1, -1) if self.closers.get(self._stack[i].kind) == char), -1
        )
        if outer >= 0 and self._left_open(outer, at) < self._left_open(len(self._stack), at):
            self._close_down(outer + 1, max(self._back(at), self._last_end(frame)), at)
        elif outer >= 0 or frame.kind == "calls" or (frame.kind == "call" and char == "}"):
            self._extra_closer(at, char)
        else:
            self._mismatched(at, frame, certain=True)
            self._pop(at + 1)

    def _left_open(self, depth: int, at: int) -> int:
        """Return how many brackets do not pair if only the lowest `depth` of the stack are open after the closer."""
        run = _CLOSER_RUN.match(self.text, at + 1, self._stop_at)
        closers = "" if run is None else "".join(run[0].split())
        # The run ends after the allowed space.
        self._look((at + 1 if run is None else run.end()) + _MAX_SPACE + 1)
        for index, char in enumerate(closers):
            if not depth or self.closers.get(self._stack[depth - 1].kind) != char:
                return depth + len(closers) - index
            depth -= 1
        return depth

    def _extra_closer(self, at: int, closers: str) -> None:
        self._at = at + len(closers)
        self._extra_closers(at, self._at, closers, certain=True, complete=True)

    def _value(self, frame: PythonFrame, at: int, char: str) -> None:
        """Read the value that begins at `at`, or open the container that does."""
        text = self.text
        if frame.kind == "[":
            fast = _FAST_ITEM.match(text, at, self._stop_at)
            node = self._simple(fast) if fast is not None else None
            if fast is not None and node is not None:
                self._at = fast.end()
                self._attach(frame, node)
                return
        elif frame.kind == "{" and frame.state == State.WANT and frame.braces != "array":
            fast = _FAST_MEMBER.match(text, at, self._stop_at)
            node = self._simple(fast) if fast is not None else None
            if fast is not None and node is not None:
                key = fast["key1"] if fast["key1"] is not None else fast["key2"]
                if key.isascii() or not (HOLE in key or has_surrogate(key)):
                    frame.braces = "object"
                    self._at = fast.end()
                    frame.last, frame.comma, frame.state = node, -1, State.AFTER
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

    def _container(self, frame: PythonFrame, at: int, char: str) -> None:
        """Read a list or a dictionary at once if it is JSON with the same meaning in Python, else open it."""
        expression = EXPRESSION.match(self.text, at, self._stop_at) if char == "{" else None
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
        """Return the node of a list or dictionary that a C parser reads, None if it does not, or may lose
        information."""
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
                cut = at + len(window) < limit and (error.at is None or error.at >= len(window) - _MAX_WORD_LENGTH)
                if cut and self._allowance > 0:
                    size *= 8
                    continue
                if "\\" not in window:
                    return None
                break
            if other not in window[:end] and "\\" not in window[:end]:
                kind: JsonKind = "object" if isinstance(value, dict) else "array"
                return _LazyNode(kind, Span(at, at + end), value, text)
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

    def _open(self, frame: PythonFrame, at: int, char: str) -> None:
        if len(self._stack) <= MAX_DEPTH:
            self._push(char, at)
            self._at = at + 1
            return
        self._fault()
        if not self._too_deep:
            self._too_deep = True
            self._report("too-deep", at, at + 1, limit=MAX_DEPTH)
        end = self._expression_end(at)
        self._marked = True
        self._at = max(end, at + 1)
        self._attach(frame, JsonNode("missing", Span(at, self._at), None))

    # -- braces --------------------------------------------------------------------------------------------------------

    def _colon(self, frame: PythonFrame, at: int, char: str) -> None:
        """Read what is after the first part of a dictionary's member, or after an item of a set."""
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

    # -- the end -------------------------------------------------------------------------------------------------------

    def _finish(self) -> None:
        """Close what is open at the text's end."""
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
        # The repair removes a member that is truncated in the middle.
        keep = end
        dangling = self._cut
        if frame.state == State.PENDING:
            self._settle_quietly(frame)
        if frame.state == State.VALUE:
            keep, dangling = min(frame.key_span.start, end), True
        elif frame.state == State.WANT and frame.comma >= 0:
            dangling = True
            keep = frame.comma
        elif frame.state == State.WANT and self._trailing_word(end) < end:
            keep, dangling = self._trailing_word(end), True
        closers = self._needed()
        repair = Edit(Span(max(keep, self.span.start), end), closers)
        span = Span(end, end)
        self._missing_closers(closers, span, repair, certain=not dangling, truncated=True, dangling=dangling)
        while self._stack:
            self._pop(end, closed=False)
        self.closed = False

    def _trailing_word(self, end: int) -> int:
        """Return where the truncated word at the text's end begins."""
        start = end
        while start > self.span.start and (self.text[start - 1].isalnum() or self.text[start - 1] in "_."):
            start -= 1
        return start


class _LazyNode(JsonNode):
    """A clean list or dictionary whose parts are read on first use."""

    __slots__ = ()

    is_json = False

    def _take_apart(self, text: str) -> None:
        self._text = None
        node = PythonReader(Extent(text, *self.span)).read_value()
        self._members, self._items = node.members, node.items


def _as_json(part: str) -> tuple[str, str]:
    """Return Python literals as JSON of the same length, and the quote that the used part must not contain.

    The result is right if the part contains neither that quote nor a backslash; syntax that differs in JSON becomes
    invalid JSON.
    """
    single, double = part.find("'"), part.find('"')
    quote, other = ('"', "'") if single < 0 or 0 <= double < single else ("'", '"')
    if not any(word in part for word in WORDS):
        return (part.replace("'", '"') if quote == "'" else part), other
    pieces = part.split(quote)
    outside = "\0".join(pieces[::2])
    for word, foreign in FOREIGN.items():
        outside = outside.replace(word, "?" * len(word)).replace(foreign, word)
    translated = outside.split("\0")
    if len(translated) != (len(pieces) + 1) // 2:
        return "?" * len(part), other
    pieces[::2] = translated
    return '"'.join(pieces), other


_DIFFERENT_ESCAPE: Final = re.compile(r"\\/|\\u[dD]")


def _differs(part: str) -> bool:
    """Return whether JSON may contain a word or an escape that Python reads differently."""
    if "true" in part or "false" in part or "null" in part:
        return True
    return "\\" in part and _DIFFERENT_ESCAPE.search(part) is not None


def _is_string(text: str, at: int, limit: int) -> bool:
    return OPENING.match(text, at, limit) is not None
