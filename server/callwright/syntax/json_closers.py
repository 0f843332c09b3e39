"""The closing brackets of invalid JSON: which of them are missing, misplaced or unmatched.

Owns: `JsonClosers`. Must not know: keys, what follows a value.
"""

import itertools
import re
from typing import Final

from callwright.syntax.json_brackets import MAX_RUN_LENGTH, Alignment, Step, align
from callwright.syntax.json_quotes import CLOSERS
from callwright.syntax.json_stops import MAX_PROBLEMS
from callwright.syntax.json_words import JsonWords
from callwright.syntax.problem import Problem
from callwright.syntax.value_tree import OpenValue, State
from callwright.text.holes import HOLE
from callwright.text.span import Edit, Span, delete, insert


class JsonClosers(JsonWords):
    """Reads closing brackets: which of them are missing, misplaced or unmatched."""

    _surplus: dict[str, int] | None = None
    _run_end = -1  # of the run of closers that is being read

    def _no_value(self, frame: OpenValue) -> None:
        """Close a member that has a key and no value."""
        colon = frame.state == State.VALUE
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

    def _read_closers(self, at: int) -> None:
        """Read a run of closing brackets against what is open and against what follows the run."""
        if at >= self._run_end:
            run = CLOSERS.match(self.text, at, self._stop_at)
            self._run_end = run.end() if run is not None else at + 1
        run_end = self._run_end
        most = MAX_RUN_LENGTH + len(self._stack)
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
        if len(places) > MAX_RUN_LENGTH:
            places = places[:MAX_RUN_LENGTH]
            ahead = "?"
        given = "".join(self.text[place] for place in places)
        needed = self._needed()
        at_end = ahead == "e"
        aligned = None
        # In a text with so many errors that they are only counted, brackets are not aligned.
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
            if self.text[place] != self.closers[frame.kind]:
                return False
        if ahead in "kv" and (closed < len(places) or not self._may_close(closed, ahead)):
            return False
        self._settle(self._stack[-1])
        for place in places[:closed]:
            self._pop(self._stack[-1], place + 1)
            self._at = place + 1
        return True

    def _settle(self, frame: OpenValue) -> None:
        """Report what is missing at the end of an object or array that is closed next."""
        if frame.state == State.COLON or (frame.state == State.VALUE and frame.kind == "object"):
            self._no_value(frame)
        elif frame.comma >= 0 and not frame.loose:
            comma = frame.comma
            self._report("trailing-comma", comma, comma + 1, [delete(comma, comma + 1)], certain=True)
        frame.comma = -1
        frame.state = State.AFTER

    def _apply(self, places: list[int], aligned: Alignment, *, sole: bool) -> None:
        spare: list[int] = []
        index = 0
        wanting = ""
        for step in aligned.steps:
            if step is Step.ADD:
                wanting += self.closers[self._stack[-1].kind]
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
                self._mismatched(place, self._stack[-1], certain=sole)
            self._pop(self._stack[-1], place + 1)
        if wanting:
            self._missing_closer(self._last, wanting, certain=sole)
        if spare:
            self._spare_closers(spare, certain=sole)
        self._at = max(self._at, places[-1] + 1)

    def _spare_closers(self, places: list[int], *, certain: bool) -> None:
        written = "".join(self.text[place] for place in places)
        self._extra_closers(places[0], places[-1] + 1, written, certain=certain)

    def _surplus_of(self, closer: str) -> int:
        """Return how many more of `closer` the text has than of its opener, without strings as far as they are
        known."""
        if self._surplus is None:
            braces = brackets = 0
            text = self.text
            at, bound = self._begin, self._stop_at
            # Reading may end earlier, after too much junk.
            self._look(bound)
            for found in _STRINGS_AND_BRACKETS.finditer(text, at, bound):
                char = text[found.start()]
                braces += (char == "}") - (char == "{")
                brackets += (char == "]") - (char == "[")
            self._surplus = {"}": braces, "]": brackets}
        return self._surplus[closer]

    def _close_all(self) -> None:
        """Report once what is missing at the end of the text, and close it."""
        frame = self._stack[-1]
        place = self._last
        needed = self._needed()
        edits = [insert(place, needed)]
        complete = not self._dangling and not self._deep_open
        if frame.state == State.COLON or (frame.kind == "object" and frame.state == State.VALUE):
            complete = False
            members = frame.node.members
            start = members[-1].span.end if members else frame.start + 1
            if not self._dangling and HOLE not in self.text[start:place]:
                edits = [Edit(Span(start, place), needed)]  # the truncated member is removed
            if not frame.dropped:
                self._give_marked("missing", place, place)
        elif frame.comma >= 0 and not frame.loose:
            complete = False
            edits = [Edit(Span(frame.comma, frame.comma + 1), needed)]
        if self._deep_open:
            edits = []
        counts = self._counts(needed)
        counts["braces"] += self._deep_open  # the kinds of unread deep brackets are unknown
        report = Problem(
            "missing-closers",
            Span(place, place),
            {**counts, "truncated": self._stop_at >= self.limit, "dangling": not complete},
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


_STRINGS_AND_BRACKETS: Final = re.compile(r'"(?:[^"\\]++|\\[\s\S])*+"|[{}\[\]]')
