"""Versions of templates: what is read in one of the texts that a template may become, and what of it counts.

Owns: which calls and problems of a version count, and which problems template code makes uncertain. Must not know:
template languages, rules, documents.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from callwright.calls.model import JsonValue
from callwright.text.budget import yield_point

if TYPE_CHECKING:
    from callwright.calls.model import ToolCall
    from callwright.document.reader import FoundCall, ReadResult
    from callwright.syntax.problem import Problem
    from callwright.templates.support.versions import Version
    from callwright.text.span import Span

#: Problems that only mean that something is misplaced or missing: next to an expression, the expression may yield it.
_AT_HOLES: Final = frozenset(
    {"missing-comma", "missing-colon", "missing-value", "missing-key", "trailing-comma", "extra-comma", "foreign-value"}
    | {"unexpected-text", "not-json", "unquoted-key", "unquoted-string", "bad-number", "bad-escape", "bad-character"}
    | {"text-between-parameters", "broken-attribute", "attribute-argument", "truncated-tag", "positional-argument"}
    | {"argument-unpacking", "not-a-literal", "missing-equals", "python-literal", "unknown-entity", "invalid-yaml"}
    | {"double-encoded", "unescaped-quote"}
)
#: Problems that may be absent where a block is left out or repeated.
_AT_BLOCKS: Final = _AT_HOLES | {"missing-closers", "extra-closers", "mismatched-bracket", "unmatched-quote"}
#: Problems of tags that open in one branch and close in another.
_UNBALANCED: Final = frozenset(
    {"unmatched-closing-tag", "unclosed-tag", "mismatched-tag", "missing-closers", "unclosed-fence"}
)
#: Problems of duplicates, which are none where one of the two may be left out.
_TWICE: Final = frozenset({"duplicate-key"})
_SPACE: Final = " \t\r\n,"


class _Spans:
    """Spans of a text that nest or do not touch, for queries by place."""

    def __init__(self, spans: Sequence[Span]) -> None:
        self.spans = sorted(spans)
        self.edges = sorted({edge for span in spans for edge in span})

    def edge_in(self, start: int, end: int) -> bool:
        """Return whether one begins or ends in `[start, end]`."""
        at = bisect_left(self.edges, start)
        return at < len(self.edges) and self.edges[at] <= end

    def around(self, start: int, end: int) -> bool:
        """Return whether one contains all of `[start, end)`."""
        return any(span.start <= start and end <= span.end for span in self._before(start))

    def inside(self, start: int, end: int) -> list[Span]:
        """Return those that lie in `[start, end)`."""
        at = bisect_left(self.spans, (start,))
        return [span for span in self.spans[at : bisect_left(self.spans, (end,))] if span.end <= end]

    def crossed(self, start: int, end: int) -> bool:
        """Return whether one begins inside `[start, end)` and ends outside it, or the reverse."""
        if not self.edge_in(start + 1, end - 1):
            return False
        return any(
            span.start < start < span.end < end or start < span.start < end < span.end for span in self._before(end)
        )

    def _before(self, place: int) -> Sequence[Span]:
        return self.spans[: bisect_left(self.spans, (place + 1,))]


def settle(segment: ReadResult, text: str, version: Version) -> None:
    """Keep in a segment of a version what is new, and of its problems only those that are certain."""
    if segment.calls or segment.problems:
        _Settling(text, version).settle(segment)


class _Settling:
    """The settling of one version."""

    def __init__(self, text: str, version: Version) -> None:
        self.text = text
        self.fresh = version.fresh
        self.holes = _Spans(version.loose.holes)
        self.blocks = _Spans(version.loose.blocks)
        self.branches = _Spans(version.loose.branches)

    def settle(self, segment: ReadResult) -> None:
        segment.calls = [found for found in segment.calls if self._is_new(*found.call.span)]
        segment.problems = [
            problem for problem in segment.problems if self._is_new(*problem.span) and not self._excused(problem, None)
        ]
        for found in segment.calls:
            yield_point()
            self._settle_call(found)

    def _is_new(self, start: int, end: int) -> bool:
        """Return whether something of `[start, end)` is not in an earlier version."""
        if self.fresh is None:
            return True
        return any(
            new.start < end and start < new.end if new.start < new.end else start < new.start < end
            for new in self.fresh
        )

    def _settle_call(self, found: FoundCall) -> None:
        call = found.call
        if self.branches.crossed(*call.span) or (not call.complete and self._may_go_on(call.span)):
            # What the call is made of depends on more than one branch.
            call.problems = []
            call.sketch = True
            return
        kept = [problem for problem in call.problems if not self._excused(problem, call)]
        if len(kept) < len(call.problems):
            call.details["loose"] = True
        call.problems = kept
        if self.blocks.edge_in(*call.span):
            call.details["optional"] = tuple(self.blocks.inside(*call.span))
            if self._is_filled_by_loop(call):
                call.details["loose"] = True

    def _may_go_on(self, span: Span) -> bool:
        """Return whether a call that is cut off ends where a branch ends, so that the rest may be after it."""
        ends = [each.end for each in self.branches.spans if each.start <= span.start and span.end <= each.end]
        return any(not self.text[span.end : end].strip() for end in ends)

    def _is_filled_by_loop(self, call: ToolCall) -> bool:
        """Return whether members of a JSON call are in a loop that names them by an expression."""
        arguments = call.arguments
        return isinstance(arguments, JsonValue) and () in arguments.read.wild

    def _excused(self, problem: Problem, call: ToolCall | None) -> bool:
        """Return whether template code makes a problem uncertain."""
        start, end = self._widened(problem.span)
        if problem.kind in _AT_BLOCKS and self.blocks.edge_in(start, end):
            return True
        if problem.kind in _AT_HOLES and self.holes.edge_in(start, end):
            return True
        if problem.kind in _TWICE and call is not None:
            return any(
                span.start <= problem.span.start and problem.span.end <= span.end
                for span in self.blocks.inside(*call.span)
            )
        if problem.kind in _UNBALANCED:
            inside = self.branches.around(*problem.span)
            return inside and (call is None or not self.branches.around(*call.span))
        return False

    def _widened(self, span: Span) -> tuple[int, int]:
        """Return a span extended over the white space and commas around it."""
        start, end = span
        text = self.text
        while start > 0 and text[start - 1] in _SPACE:
            start -= 1
        while end < len(text) and text[end] in _SPACE:
            end += 1
        return start, end
