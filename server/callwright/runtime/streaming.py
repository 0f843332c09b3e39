"""The streaming parser: a text in pieces of any size, events as early as its dialects allow.

Owns: `StreamingParser`, and the results so far. Must not know: how text is read, what any single dialect looks like.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from callwright.api import Tools, results
from callwright.document.reader import read_context
from callwright.document.settings import Settings, settings_for
from callwright.lint.placing import diagnostic_order, placed
from callwright.rules.base import Diagnostic, Fix
from callwright.runtime.event_stream import EventStream
from callwright.runtime.events import Event, ProblemFound
from callwright.text.span import newline_of
from callwright.tools.given import tools_given

if TYPE_CHECKING:
    from callwright.calls.call import Call
    from callwright.calls.model import ToolCall
    from callwright.document.streaming_reader import ReadCandidate
    from callwright.text.span import Span


class StreamingParser(EventStream):
    """Reads calls from a text that arrives in pieces; returns events, and in the end exactly the result of `parse`.

    The events are those of `callwright.runtime.events`, which documents their order and contents.

    `calls` and `diagnostics` grow while the text arrives; after `finish` they equal those of `parse` for the whole
    text, in any division. Text is emitted once it certainly belongs to no call: a possible start of a marker is held
    back. Only the open call, or a possible one, and a few hundred characters before it are buffered: at most 8 KB per
    parser beside the call, measured with 10,000 parsers that share a registry. Time is linear in the text.
    """

    __slots__ = (
        "_after_cr",
        "_finished",
        "_newline",
        "_order",
        "_passages",
        "_settings",
        "_stated",
        "diagnostics",
    )

    def __init__(self, *, tools: Tools = None, dialect: str | None = None, settings: Settings | None = None) -> None:
        """Set the tools and the dialect as for `parse`; `settings` for all other options.

        Raises ValueError where there is no such dialect or a definition cannot be used, TypeError where `tools` is of a
        wrong type.
        """
        self._settings = settings or Settings()
        if dialect is not None:
            self._settings = replace(self._settings, dialect=settings_for(dialect).dialect)
        registry = tools_given(tools).with_markup(self._settings.markup)
        super().__init__(registry, read_context(registry, self._settings))
        self.diagnostics: list[Diagnostic] = []
        self._order: list[tuple[Span, int, tuple[int, int, int, str]]] = []
        self._stated: set[tuple[str, Span, str]] = set()
        self._newline = ""
        self._after_cr = False
        self._passages = 0
        self._finished = False

    def feed(self, chunk: str) -> list[Event]:
        """Feed the next piece of the text and return its events.

        Raises RuntimeError after `finish`, TypeError where the piece is not text; the stream is then unchanged.
        """
        self._check(chunk)
        if self._finished:
            raise RuntimeError("the stream is finished: create a new `StreamingParser` for another text")
        if not chunk:
            return []
        self._note_newline(chunk)
        return self._take(chunk)

    def finish(self) -> list[Event]:
        """End the text: close what is open and return the last events. A second call returns none."""
        if self._finished:
            return []
        self._finished = True
        events = self._end()
        ranked = sorted(zip(self._order, self.diagnostics, strict=True), key=lambda pair: pair[0])
        self.diagnostics[:] = [diagnostic for _, diagnostic in ranked]
        self.calls.sort(key=lambda call: call.span)
        return events

    def _note_newline(self, chunk: str) -> None:
        """Record how the text's first line ends."""
        if self._after_cr and chunk.startswith("\n"):
            self._newline = "\r\n"
        self._after_cr = False
        if not self._newline and ("\n" in chunk or "\r" in chunk):
            self._newline = newline_of(chunk)
            self._after_cr = chunk.find("\r") == len(chunk) - 1

    def _found(self, item: ReadCandidate) -> Iterator[Event]:
        calls: list[tuple[ToolCall, str, Call]] = []
        problems: list[ProblemFound] = []
        for number, result in enumerate(results(item.text, item.segment, self._registry, self._settings)):
            self._passages += number > 0
            calls += [(found.call, result.read.passage.text, call) for found, call in result.calls]
            problems += self._problems(item, result.diagnostics, self._passages if number else 0)
        yield from self._closed(item.base, calls)
        yield from problems

    def _problems(self, item: ReadCandidate, found: list[Diagnostic], passage: int) -> Iterator[ProblemFound]:
        """Add the diagnostics of one passage and yield those that were not reported before."""
        # A diagnostic can be repeated only at the border of two candidates.
        self._stated = {each for each in self._stated if each[1].end >= item.base + item.start}
        for diagnostic in found:
            moved = self._moved(diagnostic, item.base)
            key = (moved.code, moved.span, moved.message)
            if passage == 0:
                if key in self._stated:
                    continue
                self._stated.add(key)
            self._order.append((moved.span, passage, diagnostic_order(moved)))
            self.diagnostics.append(moved)
            yield ProblemFound(moved)

    def _moved(self, diagnostic: Diagnostic, base: int) -> Diagnostic:
        """Return a diagnostic in offsets of the whole text; its fixes use the text's line ends, once they are known."""

        def fixes() -> tuple[Fix, ...]:
            return placed(diagnostic, base, self._newline or "\n").fixes

        return replace(placed(diagnostic, base, "\n"), _fixes=fixes)
