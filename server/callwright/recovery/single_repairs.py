"""The single error that explains a broken call in JSON or Python, found by trying every one.

Owns: which changes of one character are tried, what a valid outcome is, and whether there is exactly one. Must not
know: rules, messages, how a fix is offered.

A character that is missing, doubled or wrong leaves a text that one change makes valid again. Where all such changes
that lead to a clean call, which its tool accepts, lead to the same call, that call was meant. Where they lead to
several, the call cannot be known, and whatever a parser made of the text is a guess.
"""

from __future__ import annotations

import enum
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from callwright.calls.model import NATIVE, JsonValue
from callwright.recovery.trials import Trials
from callwright.syntax.json_corrections import TOKEN, changes, closings
from callwright.syntax.prose import line_end, line_start
from callwright.syntax.python_corrections import corrections, open_string
from callwright.syntax.python_format import PYTHON, PYTHON_DICT
from callwright.syntax.value_format import JSON
from callwright.text.holes import has_hole
from callwright.text.patterns import compile_later
from callwright.text.records import NamedTuple
from callwright.text.span import Edit, Span, apply_edits

if TYPE_CHECKING:
    from callwright.calls.model import ToolCall
    from callwright.document.settings import Settings
    from callwright.syntax.problem import Problem
    from callwright.tools.registry import ToolRegistry

#: The kinds of problems where a parser had to guess how brackets, separators and quotes belong together.
STRUCTURAL: Final = frozenset(
    {
        "bad-escape", "escaped-quotes", "extra-closers", "extra-comma", "extra-opener", "mismatched-bracket",
        "missing-closers", "missing-colon", "missing-comma", "missing-key", "missing-opener", "missing-value",
        "not-json", "trailing-comma", "unescaped-quote", "unexpected-text", "unmatched-quote", "unquoted-string",
        "missing-equals", "not-a-literal", "positional-argument",
    }
)  # fmt: skip

_UNSOUND: Final = STRUCTURAL | {"duplicate-key", "too-deep", "too-many-problems"}

#: Longer texts are not tried: they keep the repairs of the parser.
_MAX_TEXT_LENGTH: Final = 20_000
_MAX_JSON_LENGTH: Final = 8_000
_MAX_PYTHON_LENGTH: Final = 4_000
#: How many characters are parsed in all.
_WORK: Final = 4_000_000
#: More outcomes than this are not compared: the text is ambiguous.
_OUTCOMES: Final = 12
_SEPARATORS: Final = (",", ";", ":", "=")
_ONLY_CLOSERS: Final = compile_later(r"[}\]\s]*+")
_ONLY_CLOSERS_OF_CALLS: Final = compile_later(r"[}\])\s]*+")
#: The marker before calls in Python, and the one after them.
_PYTHON_OPENER: Final = compile_later(r"\s*+(?:<[^<>\s]{1,40}+>|`{3,}+[^\r\n`]*+[\r\n])?+\s*+")
_PYTHON_CLOSER: Final = compile_later(r"(?:</\w{1,40}+>|<\|[^<>|\s]{1,40}+\|>|(?<!`)`{3,}+)\s*+\Z")
#: How many characters at a call's end are searched for a marker.
_MARKER_LENGTH: Final = 80
#: A string that is open at a text's end, and contains only a word or a path and what closes a list of calls.
_OPEN_STRING: Final = compile_later(r"['\"][\w./@~-]++(?: [\w./@~-]++)*+[}\])]*\)\]")
#: What follows where more of the same arguments is after what was read as their end.
_RESTS: Final = tuple(",;:=)]}\"'")
#: White space up to the end of the last line with nothing else.
_SPACE: Final = compile_later(r"[ \t]*+(?:(?:\r\n|\r|\n)[ \t]*+(?=[\r\n]))*+")
#: What may be after JSON whose end has a marker: a tag, a marker, a fence.
_MARKED_END: Final = compile_later(r"\s*+[<\[`|]")


def _refused(word: str) -> Any:
    raise ValueError(word)


_STRICT: Final = json.JSONDecoder(parse_constant=_refused)


class TrialOutcome(enum.Enum):
    """The result of trying all changes."""

    SOLE = "sole"  # one call was meant, and `edits` write it
    AMBIGUOUS = "ambiguous"  # there are several calls that may have been meant
    NONE = "none"  # no single error explains the text
    UNTRIED = "untried"


class Outcome(NamedTuple):
    """An outcome, the edits that fix the text where there is one way, and the span of all of the ways."""

    outcome: TrialOutcome
    edits: tuple[Edit, ...] = ()
    place: Span | None = None


class Way(NamedTuple):
    """The first edits that lead to an outcome, and the span of all edits that lead to it."""

    edits: tuple[Edit, ...]
    place: Span


class SingleRepair(Trials):
    """The search for the single error in a call; nothing is computed before `outcome` is asked for."""

    def __init__(self, call: ToolCall, text: str, registry: ToolRegistry, settings: Settings) -> None:
        super().__init__(text, registry, settings)
        self.call = call
        #: The calls that each tried text gives.
        self._known: dict[str, str | None] = {}

    @staticmethod
    def applies(call: ToolCall) -> bool:
        """Return whether the JSON of a call has structural problems."""
        return any(problem.kind in STRUCTURAL for problem in call.problems)

    @property
    def length(self) -> int:
        """How many characters are read."""
        return self._end - self._line

    @cached_property
    def outcome(self) -> Outcome:
        """The result of trying every change of one character."""
        if self._is_python:
            return self._tried_as_python()
        region = self._region()
        # Only text from the call's line on is read: what is before it must make no difference.
        if region is None or self.length > _MAX_TEXT_LENGTH:
            return Outcome(TrialOutcome.UNTRIED)
        return self._tried(region)

    def _tried(self, region: Span) -> Outcome:
        body = region.of(self.text)
        if len(body) > _MAX_JSON_LENGTH or has_hole(body):
            return Outcome(TrialOutcome.UNTRIED)
        # What is after the call may not have arrived yet: nothing beyond its own marker is read.
        missing = [problem for problem in self.problems if problem.kind == "missing-closers"]
        marked = _MARKED_END.match(self.text, region.end, self._frame.end) is not None
        cut = not marked and all(problem.data.get("truncated", True) for problem in missing)
        if missing and self.text[region.end : region.end + 1] in _SEPARATORS:
            # More of the same JSON is after what was read as its end.
            return Outcome(TrialOutcome.AMBIGUOUS)
        candidates = _sound(body, changes(body))
        if candidates is None:
            return Outcome(TrialOutcome.AMBIGUOUS if cut else TrialOutcome.UNTRIED)
        if missing and body.endswith('""'):
            # An empty string at the very end may be a doubled quote before text.
            return self._uncertain(candidates.values(), region.start)
        if cut and _may_go_on(body, candidates, missing) and not self._has_all_arguments():
            # The reply may be cut off, or a bracket missing.
            return self._uncertain(candidates.values(), region.start)
        if not candidates:
            candidates = self._with_closers(body) or {}
        if not candidates:
            return Outcome(TrialOutcome.NONE)
        return self._decided(candidates, region.start)

    def _uncertain(self, ways: Iterable[Way], start: int) -> Outcome:
        """Return that the call cannot be known, and where the changes are that lead to calls, if any do."""
        placed = [_placed(way, start) for way in ways]
        if not placed or len(placed) > _OUTCOMES:
            return Outcome(TrialOutcome.AMBIGUOUS)
        placed = [way for way in placed if self._outcome_of(way.edits) is not None] or placed
        return Outcome(TrialOutcome.AMBIGUOUS, place=self._place_of(placed))

    def _place_of(self, ways: Iterable[Way]) -> Span:
        """Return where ways are, with the white space around: what is missing may be on either side of it."""
        ways = list(ways)
        start, end = min(way.place.start for way in ways), max(way.place.end for way in ways)
        if all(span.start == span.end for way in ways for span, _ in way.edits):
            after = _SPACE.match(self.text, end, self._end)
            end = after.end() if after is not None else end
            before = self.text[self._line : start]
            start -= len(before) - len(before.rstrip(" \t"))
        return Span(start, end)

    @cached_property
    def _end(self) -> int:
        """Where the text that is read ends: after the call, or at the end of a line with more of the same arguments."""
        end = self._frame.end
        if self._is_python and self._is_unclosed and self.text.startswith(_RESTS, end):
            return line_end(self.text, end)
        return end

    @property
    def _is_python(self) -> bool:
        value = self.call.arguments
        return isinstance(value, JsonValue) and value.read.value_format in (PYTHON, PYTHON_DICT)

    @property
    def _is_unclosed(self) -> bool:
        return any(problem.kind == "missing-closers" for problem in self.problems)

    def _tried_as_python(self) -> Outcome:
        """Try the calls that are in one frame; an error in one may swallow the next."""
        start, stop = self._frame.start, self._end
        if self.length > _MAX_PYTHON_LENGTH or self.call.frame is None:
            return Outcome(TrialOutcome.UNTRIED)
        opening = _PYTHON_OPENER.match(self.text, start, stop)
        start = opening.end() if opening is not None else start
        closing = _PYTHON_CLOSER.search(self.text, max(start, stop - _MARKER_LENGTH), stop)
        body = self.text[start : closing.start() if closing is not None else stop].rstrip()
        if has_hole(body) or not body:
            return Outcome(TrialOutcome.UNTRIED)
        found = corrections(body)
        if found is None:
            return Outcome(TrialOutcome.UNTRIED)
        if len(found) > _OUTCOMES:
            return Outcome(TrialOutcome.AMBIGUOUS)
        placed = [_placed(Way(syntax_error.edits, syntax_error.place), start) for syntax_error in found]
        meant = {way: self._outcome_of(way.edits) for way in placed}
        kept = _fullest({way: calls for way, calls in meant.items() if calls is not None})
        uncertain = [
            syntax_error for syntax_error, way in zip(found, placed, strict=True) if meant[way] is None or way in kept
        ]
        if closing is None and any(_may_continue(body, syntax_error.edits) for syntax_error in uncertain):
            # The reply may be cut off, or a marker missing.
            return self._uncertain((Way(syntax_error.edits, syntax_error.place) for syntax_error in uncertain), start)
        return self._judged(kept, none=TrialOutcome.UNTRIED)

    @property
    def _name_is_below(self) -> bool:
        """Whether the name, which a provider has in a field of its own, is below the arguments."""
        name = self.call.tool_span
        return self.call.dialect == NATIVE and self.call.span.start < name.start < name.end

    @property
    def _frame(self) -> Span:
        return self.call.frame if self.call.frame is not None else self.call.span

    def _region(self) -> Span | None:
        """Return the span of the call's JSON."""
        value = self.call.arguments
        if isinstance(value, JsonValue):
            read = value.read
            start, end = read.span.start, max(read.end, read.span.end)
            # A block's passage ends with the block, and what was read may continue after it.
            if read.value_format is not JSON or (read.text and read.text[start:end] != self.text[start:end]):
                return None
        else:
            start, end = self.call.body
        if self._name_is_below:
            end = min(end, self.call.tool_span.start)
        body = self.text[start:end]
        start += len(body) - len(body.lstrip())
        end = start + len(body.strip())
        return Span(start, end) if end > start else None

    @cached_property
    def problems(self) -> Sequence[Problem]:
        """The problems of all of the JSON text that the call is written in."""
        value = self.call.arguments
        found = [*value.read.problems] if isinstance(value, JsonValue) else []
        return found + [problem for problem in self.call.problems if problem not in found]

    @cached_property
    def _line(self) -> int:
        """Where the line of the call begins."""
        return line_start(self.text, self._frame.start)

    def _has_all_arguments(self) -> bool:
        """Return whether only the end of the object around complete arguments is missing, and no end of a list."""
        value = self.call.arguments
        problems = [problem for problem in self.problems if problem.kind in STRUCTURAL]
        if (
            not isinstance(value, JsonValue)
            or not value.path
            or len(problems) != 1
            or problems[0].data.get("brackets", 1)
        ):
            return False
        try:
            json.loads(value.span.of(self.text))
        except (ValueError, RecursionError):
            return False
        return True

    def _with_closers(self, body: str) -> dict[str, Way] | None:
        """Return the outcomes of closing what is open: at the end, or one of it before any comma."""
        missing = [problem for problem in self.problems if problem.kind in STRUCTURAL]
        if len(missing) != 1 or missing[0].kind != "missing-closers":
            return None
        return _sound(body, closings(body))

    def _decided(self, candidates: dict[str, Way], start: int) -> Outcome:
        """Return the one outcome that reads as a clean call which its tool accepts."""
        if len(candidates) > _OUTCOMES:
            return Outcome(TrialOutcome.AMBIGUOUS)
        ways = [_placed(way, start) for way in candidates.values()]
        read = {way: self._outcome_of(way.edits) for way in ways}
        return self._judged({way: meant for way, meant in read.items() if meant is not None}, none=TrialOutcome.NONE)

    def _judged(self, found: dict[Way, str], *, none: TrialOutcome) -> Outcome:
        """Return the only outcome, `none` where there is no such."""
        if not found:
            return Outcome(none)
        place = self._place_of(found)
        if len(set(found.values())) > 1:
            return Outcome(TrialOutcome.AMBIGUOUS, place=place)
        first, meant = next(iter(found.items()))
        # Where the parser's own repair gives the same, its place is the better one.
        own = [problem.repair for problem in self.problems if problem.kind in STRUCTURAL and problem.repair]
        edits = next((each for each in own[:3] if self._outcome_of(each) == meant), first.edits)
        return Outcome(TrialOutcome.SOLE, edits, place)

    def _outcome_of(self, edits: tuple[Edit, ...]) -> str | None:
        """Return the calls of the frame that edits lead to, None where one has a problem or its tool rejects it."""
        line, end, name = self._line, self._end, self.call.tool_span
        begin = (self._frame if self._is_python else self.call.span).start - line
        if not all(Span(line, end).covers(span) for span, _ in edits):
            return None
        text = apply_edits(self.text[line:end], (Edit(span.shift(-line), new) for span, new in edits))
        if self._name_is_below:
            # It is read like the same call of a provider that has the name first.
            text = f"{name.of(self.text)}\n{text[begin : len(text) - (end - name.start)].rstrip()}"
            begin = 0
        if text not in self._known:
            self._known[text] = self._meant(text, self._read(text), lambda call: self._is_at(begin, call))
        return self._known[text]

    def _is_fault(self, problem: Problem) -> bool:
        return problem.kind in _UNSOUND

    def _is_at(self, begin: int, call: ToolCall) -> bool:
        """Return whether a call begins at a place; where calls are in one frame, whether the frame does."""
        frame = call.frame if self._is_python else None
        return (frame if frame is not None else call.span).start == begin


def _placed(way: Way, start: int) -> Way:
    """Return a way in the offsets of the text, where the tried part begins at `start`."""
    return Way(tuple(Edit(span.shift(start), text) for span, text in way.edits), way.place.shift(start))


def _may_go_on(body: str, candidates: dict[str, Way], missing: Sequence[Problem]) -> bool:
    """Return whether a text without an end may be the beginning of a longer one."""
    if missing and not candidates:
        return True
    last = ""
    for match in TOKEN.finditer(body):
        last = match[0]
    open_string = last.startswith('"') and (len(last) == 1 or not last.endswith('"'))
    for way in candidates.values():
        for span, new in way.edits:
            if span.start >= len(body) or (span.end >= len(body) and new and body[span.start] in ",:\"'"):
                return True
            if open_string and _ONLY_CLOSERS.fullmatch(body, span.end):
                return True  # the brackets at the end may be text of an unfinished string
    return False


def _fullest(found: dict[Way, str]) -> dict[Way, str]:
    """Return the outcomes without those that have arguments of others in a string, with their names and signs."""
    read = {meant: json.loads(meant) for meant in found.values()}
    less = {meant for meant, calls in read.items() if any(_swallows(calls, others) for others in read.values())}
    return {way: meant for way, meant in found.items() if meant not in less}


def _swallows(calls: list[Any], others: list[Any]) -> bool:
    """Return whether a string of some calls contains what others have as arguments."""
    if [call[0] for call in calls] != [other[0] for other in others]:
        return False
    swallowed = False
    for (_, _, own), (_, _, full) in zip(calls, others, strict=True):
        more = full.keys() - own.keys()
        if own.keys() - full.keys():
            return False
        strings = [value for value in own.values() if isinstance(value, str)]
        if any(not any(re.search(rf",\s*{re.escape(name)}\s*=", value) for value in strings) for name in more):
            return False
        swallowed = swallowed or bool(more)
    return swallowed


def _may_continue(body: str, edits: Sequence[Edit]) -> bool:
    """Return whether calls in Python without an end may be the beginning of longer ones."""
    opened = open_string(body)
    for span, new in edits:
        if span.start >= len(body) or (new and span.end >= len(body) and body[span.start] in ",:='\""):
            return True
        if opened >= 0 and _ONLY_CLOSERS_OF_CALLS.fullmatch(body, span.end):
            # The brackets at the end may be text of an unfinished string.
            return _OPEN_STRING.fullmatch(body, opened) is None
    return False


def is_structural(problem: Problem) -> bool:
    """Return whether a problem is about how brackets, separators and quotes belong together."""
    return problem.kind in STRUCTURAL


def _sound(body: str, ways: Iterator[list[Edit]]) -> dict[str, Way] | None:
    """Return the values that changes lead to, each with the changes that do; None where there is too much to try."""
    found: dict[str, Way] = {}
    work = 0
    for edits in ways:
        work += len(body)
        if work > _WORK:
            return None
        try:
            value = _STRICT.decode(apply_edits(body, edits))
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict | list):
            key = json.dumps(value, sort_keys=True)
            first, last = edits[0].span.start, edits[-1].span.end
            known = found.get(key)
            if known is not None:
                first, last = min(first, known.place.start), max(last, known.place.end)
            found[key] = Way(known.edits if known is not None else tuple(edits), Span(first, last))
    return found
