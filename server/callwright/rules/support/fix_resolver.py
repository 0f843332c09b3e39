"""Fixes of calls with syntax errors: safe where one error explains the call, guesses where several may.

Owns: turning the outcome of `SingleRepair` into fixes. Must not know: how repairs are searched for, any single rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property, partial
from typing import TYPE_CHECKING

from callwright.calls.model import JsonValue, Path, ToolCall
from callwright.recovery.single_repairs import SingleRepair, TrialOutcome, is_structural
from callwright.rules.base import Diagnostic, ErrorType, Fix
from callwright.schema.binding import Binding, bind
from callwright.schema.validation import validate
from callwright.syntax.json import PROBLEM_KINDS
from callwright.syntax.python_format import PYTHON, PYTHON_DICT
from callwright.syntax.value_format import JSON
from callwright.text.records import replace
from callwright.text.span import Edit, Span
from callwright.text.words import quoted

if TYPE_CHECKING:
    from callwright.document.settings import Settings
    from callwright.syntax.json_nodes import JsonNode
    from callwright.syntax.problem import Problem
    from callwright.tools.registry import ToolRegistry


class FixResolver:
    """Decides which fixes of one call with syntax errors are safe."""

    def __init__(self, repair: SingleRepair, *, structural: bool) -> None:
        self._repair = repair
        self._structural = structural
        self._reported = False
        self._elsewhere: Diagnostic | None = None

    @classmethod
    def of(cls, call: ToolCall, text: str, registry: ToolRegistry, settings: Settings) -> FixResolver | None:
        """Return the resolver for a call, None where its arguments have no syntax error."""
        structural = SingleRepair.applies(call)
        if not structural and not any(problem.kind in _WORDS for problem in call.problems):
            return None
        return cls(SingleRepair(call, text, registry, settings), structural=structural)

    def resolved(self, stated: Iterable[Diagnostic], problem: Problem | None) -> Iterator[Diagnostic]:
        """Yield diagnostics with their remaining safe fixes, moved to the syntax error where one explains the call.

        `problem` is the problem that the diagnostics report, None where they are about the call's values: those are
        dropped where the values are uncertain. Call this once for each problem of a call, in the order of the text.
        """
        syntax_error = self._syntax_error if problem is not None and is_structural(problem) else None
        for diagnostic in stated:
            if (
                problem is None
                and diagnostic.error_type is ErrorType.SCHEMA_VALIDATION
                and self._may_be_echo
                and diagnostic.span not in self._bare
            ):
                continue
            given = replace(diagnostic, _fixes=partial(self._fixes, diagnostic, problem))
            if syntax_error is not None and not given.span.touches(syntax_error):
                # The reader met the same error at another place.
                self._elsewhere = self._elsewhere or given
                continue
            if syntax_error is not None and not self._reported:
                self._reported = True
                # Any of several closers may be the superfluous one, so each is a place of the error.
                known = problem is not None and problem.certain and problem.kind == "extra-closers"
                yield given if known else self._around(given, syntax_error)
            else:
                yield given
        if syntax_error is not None and problem is self._last and not self._reported and self._elsewhere is not None:
            yield self._at_syntax_error(self._elsewhere, syntax_error)

    def _around(self, diagnostic: Diagnostic, syntax_error: Span) -> Diagnostic:
        """Return a diagnostic that also covers the other possible places of the error."""
        start, end = min(diagnostic.span.start, syntax_error.start), max(diagnostic.span.end, syntax_error.end)
        if end - start - (diagnostic.span.end - diagnostic.span.start) > _MAX_AROUND:
            return diagnostic
        return replace(diagnostic, span=Span(start, end))

    def _at_syntax_error(self, diagnostic: Diagnostic, syntax_error: Span) -> Diagnostic:
        """Return a diagnostic that a reader reported elsewhere, moved to the syntax error."""
        outcome = self._repair.outcome
        known = outcome.outcome is TrialOutcome.SOLE
        message = _words(outcome.edits, self._repair) if known else _UNCERTAIN
        related = (*diagnostic.related, (diagnostic.span, "parsing stopped here"))
        span = _seen(self._repair.text, syntax_error)
        return replace(diagnostic, code=_CODE, name=_NAME, span=span, message=message, related=related)

    @cached_property
    def _last(self) -> Problem | None:
        return next((each for each in reversed(self._repair.call.problems) if is_structural(each)), None)

    @cached_property
    def _syntax_error(self) -> Span | None:
        """The span of the one syntax error that explains a call, or of all that may; None where it is unknown or too
        long.

        A sole diagnostic of which the reader was certain stays at its place, unless the error may be before it.
        """
        problems = [each for each in self._repair.call.problems if is_structural(each)]
        if len(problems) == 1 and problems[0].certain and problems[0].kind not in _LATE:
            return None
        if self._repair.length > _MAX_SEARCHED_LENGTH:
            return None
        place = self._repair.outcome.place
        return place if place is not None and place.end - place.start <= _MAX_CORRECTION_LENGTH else None

    @cached_property
    def _bare(self) -> frozenset[Span]:
        """The spans of words without quotes, if they are the only syntax errors: their values are certain."""
        problems = [problem for problem in self._repair.call.problems if is_structural(problem)]
        bare = frozenset(problem.span for problem in problems if problem.kind == "unquoted-string")
        return bare if len(bare) == len(problems) else frozenset()

    @cached_property
    def _may_be_echo(self) -> bool:
        """Whether schema errors may be caused only by how the reader guessed the call's structure.

        Such errors would come before the fault, and report a part as missing that only cannot be read.
        """
        problems = [problem for problem in self._repair.call.problems if is_structural(problem)]
        if any(not problem.certain for problem in problems):
            return True
        return self._syntax_error is not None and all(each.repair != self._repair.outcome.edits for each in problems)

    def _fixes(self, diagnostic: Diagnostic, problem: Problem | None) -> Iterator[Fix]:
        for fix in self._settled(diagnostic.fixes, problem):
            yield fix.as_guess() if self._may_close_list(fix.edits) else fix

    def _settled(self, own: tuple[Fix, ...], problem: Problem | None) -> Iterator[Fix]:
        """Yield a diagnostic's fixes as far as the call's outcome lets them be safe."""
        if problem is not None and problem.kind in _WORDS and self._may_be_text(problem):
            yield from map(Fix.as_guess, own)
            return
        if not self._structural:
            yield from own
            return
        outcome, edits, _ = self._repair.outcome
        if outcome is TrialOutcome.SOLE:
            if problem is not None and is_structural(problem):
                same = next((fix for fix in own if fix.edits == edits), None)
                title = same.title if same is not None else _title(edits, self._repair)
                yield Fix(title, edits)
                own = tuple(fix for fix in own if fix is not same)
            yield from map(Fix.as_guess, own)
        elif (
            outcome is TrialOutcome.AMBIGUOUS or self._is_uncertain(outcome, problem) or self._is_beside_guess(problem)
        ):
            yield from map(Fix.as_guess, own)
        else:
            yield from own

    def _may_close_list(self, edits: tuple[Edit, ...]) -> bool:
        """Return whether edits remove a bracket after a whole call that may end a list of calls, whose opening bracket
        is missing.
        """
        value = self._repair.call.arguments
        if not isinstance(value, JsonValue) or (value.read.value_format is JSON and not value.path):
            return False
        text, around = self._repair.text, value.read.locate(value.path[:-1])
        end = around.span.end if around is not None else value.span.end
        return any(
            span.start >= end and "]" in span.of(text) and not new and not text[end : span.start].rstrip().endswith("]")
            for span, new in edits
        )

    def _is_uncertain(self, outcome: TrialOutcome, problem: Problem | None) -> bool:
        if outcome is TrialOutcome.NONE:
            return self._rests_on_guess(problem)
        return outcome is TrialOutcome.UNTRIED and problem is not None and self._may_be_otherwise(problem)

    def _may_be_otherwise(self, problem: Problem) -> bool:
        """Return whether arguments in a format other than JSON may have been meant in several ways."""
        call, text = self._repair.call, self._repair.text
        value = call.arguments
        if not isinstance(value, JsonValue) or value.read.value_format is JSON:
            return False
        if problem.kind == "unescaped-quote":
            # A quote next to a separator may also begin or end a string.
            return any(_is_beside_separator(text, at) for at in problem.data["offsets"])
        frame = call.frame if call.frame is not None else call.span
        bare = text[frame.end - 1 : frame.end] in ("]", ")")
        if problem.kind == "missing-closers" and text[frame.end : frame.end + 1] in _RESTS:
            return True  # more of the same arguments follows the supposed end
        if text[problem.span.end : problem.span.end + 8].lstrip()[:1] == ",":
            return False  # the next call follows
        return problem.kind == "missing-closers" and (bare or bool(problem.data.get("truncated")))

    @cached_property
    def _binding(self) -> Binding:
        repair = self._repair
        return bind(repair.call, repair.text, repair.registry, repair.settings, peers=[repair.call])

    def _may_be_text(self, problem: Problem) -> bool:
        """Return whether a word that is not a literal may be a string without its quotes, as far as the tool's schema
        tells.
        """
        value = self._repair.call.arguments
        if not isinstance(value, JsonValue) or value.read.value_format not in (JSON, PYTHON, PYTHON_DICT):
            return False
        path = _path_to(value.node, problem.span)
        schema = self._binding.schema_at(path) if path is not None else None
        word = problem.span.of(self._repair.text)
        if schema is None:
            return problem.kind == "bad-number" and word.lstrip("+-")[:1] == "0"
        root = self._binding.schema or {}
        rooted = {**{key: root[key] for key in ("$defs", "definitions") if key in root}, **schema}
        if problem.kind == "python-literal" and path is not None and not validate(rooted, self._binding.value_at(path)):
            return False
        return not validate(rooted, word)

    def _is_beside_guess(self, problem: Problem | None) -> bool:
        """Return whether a separator is missing next to a value or key that the reader only guessed, or a fault is in a
        string whose end it guessed.
        """
        if problem is None:
            return False
        if problem.kind in _SEPARATING:
            return not self._guessed.isdisjoint(self._edges(problem))
        string = problem.data.get("string")
        others = (each for each in self._repair.problems if each is not problem and not each.certain)
        return string is not None and any(each.data.get("string") == string for each in others)

    def _edges(self, problem: Problem) -> tuple[int, int]:
        """Return where the text before a problem ends and where the text after it begins, without white space."""
        text = self._repair.text
        at = problem.repair[0].span.start if problem.repair else problem.span.end
        before, after = at, at
        while before and text[before - 1] in _WHITE:
            before -= 1
        while after < len(text) and text[after] in _WHITE:
            after += 1
        return before, after

    @cached_property
    def _guessed(self) -> frozenset[int]:
        """The offsets at which guessed parts begin and end."""
        guesses = (each.span for each in self._repair.problems if not each.certain and is_structural(each))
        return frozenset(place for span in guesses for place in span)

    def _rests_on_guess(self, problem: Problem | None) -> bool:
        """Return whether a fix depends on the reader's guesses about the rest of the call."""
        if problem is not None and problem.certain and problem.kind in _LOCAL:
            return False
        if self._repair.call.arguments is None:
            return True
        others = (other for other in self._repair.problems if other is not problem)
        return any(not other.certain and is_structural(other) for other in others)


#: Kinds that are reported after the error that causes them, even where the reader is certain.
_LATE = frozenset({"extra-closers", "missing-closers", "mismatched-bracket", "unescaped-quote"})
#: How long a call may be for its error to be located before fixes are requested, and how long the error's span may be.
_MAX_SEARCHED_LENGTH = 2000
_MAX_CORRECTION_LENGTH = 120
#: The rule for what no other rule covers.
_CODE, _NAME = "TC220", "invalid-json"
#: By how many characters a diagnostic grows at most to cover other possible places of the error.
_MAX_AROUND = 32
_UNCERTAIN = "A character near here is missing, extra or wrong, so the rest cannot be parsed."
_SEPARATORS = (*",;:=()[]{}",)
#: The characters with which more of the same arguments may begin.
_RESTS = (*",;:=)]}\"'",)
#: Kinds about how a number or a literal is written.
_WORDS = frozenset({"bad-number", "python-literal"})
#: Kinds about a missing separator.
_SEPARATING = frozenset({"missing-comma", "missing-colon", "missing-equals"})
_WHITE = " \t\r\n"
#: Kinds that do not depend on the text before them. Where a call or its JSON ends does depend on it.
_LOCAL = frozenset(PROBLEM_KINDS) - {"missing-closers", "extra-closers", "mismatched-bracket", "unexpected-text"}


def _path_to(node: JsonNode, span: Span) -> Path | None:
    """Return the path of the value that is at `span`."""
    path: list[str | int] = []
    while node.span != span:
        steps: list[tuple[str | int, JsonNode]] = [(member.key, member.value) for member in node.members]
        steps = steps or [*enumerate(node.items)]
        inner = next(((key, each) for key, each in steps if each.span.covers(span)), None)
        if inner is None:
            return None
        path.append(inner[0])
        node = inner[1]
    return tuple(path)


def _is_beside_separator(text: str, at: int) -> bool:
    after, before = text[at + 1 : at + 9].lstrip(), text[max(at - 8, 0) : at].rstrip()
    return after[:1] in _SEPARATORS or before[-1:] in _SEPARATORS


def _seen(text: str, syntax_error: Span) -> Span:
    """Return the span of a syntax error; an empty one is extended to the next character on its line."""
    start, end = syntax_error
    if start < end:
        return syntax_error
    if start and text[start - 1] not in " \t\r\n":
        return Span(start - 1, end)
    return Span(start, end + 1) if start < len(text) and text[start] not in "\r\n" else syntax_error


def _words(edits: tuple[Edit, ...], repair: SingleRepair) -> str:
    """Return the message about the one syntax error in a call."""
    span, new = edits[0]
    old = span.of(repair.text)
    if old and new:
        return f"Found {quoted(old, 12)} instead of {quoted(new, 12)}, so the rest cannot be parsed. Replace it."
    if new:
        return f"{quoted(new, 12)} is missing here, so the rest cannot be parsed. Insert it."
    return f"Unexpected {quoted(old, 12)}, so the rest cannot be parsed. Remove it."


def _title(edits: tuple[Edit, ...], repair: SingleRepair) -> str:
    span, new = edits[0]
    old = span.of(repair.text)
    if old and new:
        return f"Replace {quoted(old, 12)} with {quoted(new, 12)}"
    return f"Insert {quoted(new, 12)}" if new else f"Remove {quoted(old, 12)}"
