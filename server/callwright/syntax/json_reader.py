"""The tolerant JSON reader: any text gives a tree, a value and problems, in time linear in the text.

Owns: the reading of invalid JSON, and every problem kind of JSON (see `callwright.syntax.json` for the list). Must not
know: what the JSON is for, rules, codes, messages.

The reader keeps a stack of open objects and arrays and searches, at every unexpected character, for a single error that
explains it. The C parser reads valid parts as a whole; work that is discarded because such a part is invalid is charged
against an allowance, so the time is linear.
"""

import re
from typing import Final

from callwright.syntax.json_closers import JsonClosers
from callwright.syntax.json_fast import MAX_DEPTH, NotCleanError, scan_clean
from callwright.syntax.json_nodes import JsonMember, JsonNode, clean_node
from callwright.syntax.json_quotes import ASSIGN, CLOSERS, OPENERS, STRING
from callwright.syntax.json_repairs import EXPRESSION, with_room, without_guesses, yields_expression
from callwright.syntax.json_stops import MAX_PROBLEMS
from callwright.syntax.json_strings import read_content
from callwright.syntax.json_text import shorten
from callwright.syntax.json_words import NUMBER, PLAIN_WORDS, TOKEN
from callwright.syntax.literal_words import JSON_WORDS
from callwright.syntax.problem import Problem
from callwright.syntax.value_tree import OpenValue, State
from callwright.text.holes import HOLE
from callwright.text.records import replace
from callwright.text.span import Edit, Span, delete, insert

_BARE_KEY: Final = re.compile(rf"([\w$.\-{HOLE}]++)[ \t\r\n]*+(?=:|=)")
_LOST_OPENING: Final = re.compile(r"[\w$.-]{1,80}+\"[ \t]*+:")


class Reader(JsonClosers):
    """One reading; `read` does it, then the public attributes hold the result."""

    _tried = -1  # where the C parser has been given the root already

    # -- outcome -------------------------------------------------------------------------------------------------------

    def read(self) -> None:
        """Read the whole text; afterwards `root`, `problems`, `end` and `reach` are set."""
        self._tried = self._begin
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
            if frame.state == State.AFTER:
                self._read_after(frame, at)
            elif frame.state == State.KEY:
                self._read_key(frame, at)
            elif frame.state == State.COLON:
                self._read_colon(frame, at)
            else:
                self._read_value(frame, at)
        self._finish()

    # -- values --------------------------------------------------------------------------------------------------------

    def _read_value(self, frame: OpenValue, at: int) -> None:
        char = self.text[at]
        expression = EXPRESSION.match(self.text, at, self._stop_at) if char in "{$" else None
        if expression is not None:
            self._at = expression.end()
            self._give_marked("elision", at, expression.end())
        elif char in "{[":
            self._read_container(frame, at)
        elif char in "}]":
            if frame.kind == "":
                self._abandon(at)
            else:
                self._read_closers(at)
        elif char == ",":
            if frame.kind == "object":
                self._no_value(frame)
            elif frame.kind == "array":
                self._extra_comma(frame, at)
            else:
                self._abandon(at)
        elif frame.kind == "" and self.text.startswith("```", at, self.limit):
            self._abandon(at)
        elif char in OPENERS:
            self._read_string_value(frame, at)
        elif char == "\\" and self.text.startswith('\\"', at, self.limit):
            self._read_escaped_string(at)
        elif char == "…" or self.text.startswith("...", at, self.limit):
            self._read_elision(frame, at)
        else:
            self._read_word(frame, at)

    def _read_container(self, frame: OpenValue, at: int) -> None:
        depth = len(self._stack) - 1
        if depth >= MAX_DEPTH:
            self._skip_deep(at)
            return
        if self._allowance > 0 and at != self._tried and not frame.dropped:
            try:
                value, end = scan_clean(self.text, at, self.limit, depth)
            except NotCleanError as error:
                # The C parser counts the lines before an error, in the whole text.
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

    def _fits(self, frame: OpenValue, end: int) -> bool:
        """Return whether what follows a value that ends at `end` can follow it inside `frame`."""
        at = self._space(end)
        self._look(at + 1)
        if at >= self.limit or self.text[at] != ",":
            return True
        ahead = self._ahead(self._space(at + 1))
        return ahead != "v" if frame.kind == "object" else ahead != "k"

    def _skip_deep(self, at: int) -> None:
        """Skip an object or array that is nested too deep to be read."""
        text, depth, start = self.text, 0, at
        while at < self._stop_at:
            char = text[at]
            if char == '"':
                string = STRING.match(text, at, self.limit)
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

    # -- keys ----------------------------------------------------------------------------------------------------------

    def _read_key(self, frame: OpenValue, at: int) -> None:
        text = self.text
        char = text[at]
        if char in "}]":
            self._read_closers(at)
        elif char == ",":
            self._extra_comma(frame, at)
        elif char in OPENERS:
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
            frame.state = State.VALUE
            self._at = at + (char == ":")
        else:
            self._read_bare_key(frame, at)

    def _read_brace_for_key(self, frame: OpenValue, at: int) -> None:
        expression = EXPRESSION.match(self.text, at, self._stop_at)
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
            outer.state = State.VALUE
            return
        self._report("extra-opener", at, at + 1, [delete(at, at + 1)], text="{")
        self._at = at + 1

    def _read_bare_key(self, frame: OpenValue, at: int) -> None:
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
        token = TOKEN.match(text, at, self._stop_at)
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
        number = NUMBER.fullmatch(token[0]) if token is not None else None
        if token is not None and (number is not None or token[0] in JSON_WORDS):
            self._report("missing-key", at, token.end(), text=shorten(token[0]))
            frame.dropped = True
            frame.state = State.VALUE
            return
        self._junk(frame, at)

    def _read_colon(self, frame: OpenValue, at: int) -> None:
        text = self.text
        char = text[at]
        if char == ":":
            self._at = self._last = at + 1
            frame.state = State.VALUE
            return
        assign = ASSIGN.match(text, at, self._stop_at)
        if assign is not None:
            edits = [Edit(Span(at, assign.end()), ":")]
            self._report("missing-colon", at, assign.end(), edits, certain=True, key=frame.key, found=assign[0])
            self._at = self._last = assign.end()
            frame.state = State.VALUE
        elif char in ",}]":
            self._no_value(frame)
        elif char == HOLE or char == "…" or text.startswith("...", at, self.limit):
            frame.state = State.VALUE
        else:
            end = frame.key_span.end
            self._report("missing-colon", end, end, [insert(end, ":")], certain=True, key=frame.key, found="")
            frame.state = State.VALUE

    # -- between values ------------------------------------------------------------------------------------------------

    def _read_after(self, frame: OpenValue, at: int) -> None:
        if frame.kind == "":
            self._read_trailing(at)
            return
        text = self.text
        char = text[at]
        if char == ",":
            frame.comma = at
            frame.loose = False
            frame.state = State.KEY if frame.kind == "object" else State.VALUE
            self._at = self._last = at + 1
        elif char in "}]":
            self._read_closers(at)
        elif char == "…" or text.startswith("...", at, self.limit):
            self._read_elision(frame, at)
        elif char == HOLE:
            self._at = at
            token = TOKEN.match(text, at, self._stop_at)
            end = token.end() if token is not None else at + 1
            if frame.kind == "object" and _BARE_KEY.match(text, at, self._stop_at):
                frame.state = State.KEY
                return
            self._at = end
            self._elide(frame, end)
        elif char == "+" and self._joins(frame, at):
            return
        elif char == ";" and self._ahead(self._space(at + 1)) in "kv":
            self._report("missing-comma", at, at + 1, [Edit(Span(at, at + 1), ",")], certain=True, found=";")
            frame.comma = at
            frame.state = State.KEY if frame.kind == "object" else State.VALUE
            self._at = self._last = at + 1
        elif frame.kind == "object":
            self._read_next_member(frame, at)
        else:
            self._read_next_item(frame, at)

    def _read_next_member(self, frame: OpenValue, at: int) -> None:
        char = self.text[at]
        if char == '"' and not frame.loose and self._joins(frame, at):
            return
        if char == ":" and self._is_key_after_all(frame):
            return
        if (
            char in OPENERS
            or self._ahead(at) == "k"
            or self.text.startswith('\\"', at, self.limit)
            or _LOST_OPENING.match(self.text, at, self._stop_at)
        ):
            self._no_comma(frame)
            frame.state = State.KEY
        elif char == "{" and self._stack[-2].kind == "array" and not frame.loose:
            # `[{"a": 1 {"b": 2}]`: brace and comma are missing.
            place = self._last
            self._missing_closer(place, "}", certain=False)
            self._pop(frame, place)
        else:
            self._junk(frame, at)

    def _is_key_after_all(self, frame: OpenValue) -> bool:
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

    def _read_next_item(self, frame: OpenValue, at: int) -> None:
        char = self.text[at]
        if char == ":" and frame.node.items and frame.node.items[-1].kind == "string" and self._leave_array(frame):
            return
        token = TOKEN.match(self.text, at, self._stop_at)
        word = token[0] if token is not None else ""
        if char in OPENERS or char in "{[" or self._is_plain(word) or self.text.startswith('\\"', at, self.limit):
            self._no_comma(frame)
            frame.state = State.VALUE
        else:
            self._junk(frame, at)

    def _no_comma(self, frame: OpenValue) -> None:
        if not frame.loose:
            place = self._last
            self._report("missing-comma", place, place, [insert(place, ",")], certain=True, found="")
        frame.loose = False

    def _leave_array(self, frame: OpenValue) -> bool:
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

    def _joins(self, frame: OpenValue, at: int) -> bool:
        """Read `"a" + "b"` and `"a" "b"` as one string if the latter cannot be anything else."""
        text = self.text
        nodes = frame.node.items if frame.kind == "array" else [m.value for m in frame.node.members[-1:]]
        left = nodes[-1] if nodes else None
        plus = text[at] == "+"
        start = self._space(at + 1) if plus else at
        if left is None or left.kind != "string" or self._char(start) != '"' or text[left.span.end - 1] != '"':
            return False
        right = STRING.match(text, start, self.limit)
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

    def _read_trailing(self, at: int) -> None:
        """Read what follows a complete value: superfluous closers, then text that is not part of the JSON."""
        text = self.text
        run = CLOSERS.match(text, at, self._stop_at)
        if run is not None:
            written = "".join(char for char in run[0] if char in "}]")
            after = self._space(run.end())
            complete = self._is_end(run.end(), after)
            self._extra_closers(at, run.end(), written, certain=complete, complete=complete)
            self._at = self.end = run.end()
            return
        end = self._back(self._stop_at, at)
        data = text[at] in '{["' and self.root is not None
        start = at
        while text[start - 1] in " \t":
            start -= 1
        edits = [] if HOLE in text[at:end] else [delete(start, end)]
        words = PLAIN_WORDS.fullmatch(text, at, end) is not None
        certain = text[at:end] == "```" or (words and not self.problems)
        self._report(
            "unexpected-text", at, end, edits, certain=certain, text=shorten(text[at:end]), json=data, after=True
        )
        self._at = self._stop_at
        self.end = end

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
        self.problems = without_guesses(self.problems)
        if yields_expression(self.text, self._begin, self._stop_at, self.problems):
            # The corrected text would not be an object any more.
            self.problems = [replace(problem, certain=False) for problem in self.problems]
        self.problems.sort(key=lambda problem: problem.span)
        self.problems = [with_room(problem, self.problems) for problem in self.problems]
        self._look(at + 1)
        if self._stop_at < self.limit and self.stop is not None:
            found = self.stop.match(self.text, self._stop_at, self.limit)
            self._look((found.end() if found is not None else at) + 1)
