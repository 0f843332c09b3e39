"""Streams beside whole texts: reading both ways, and what must hold of the events.

Owns: the comparison that the tests of streams share. Must not know: any single dialect, where texts come from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import cycle
from typing import Any

from callwright.api import Call, results
from callwright.calls.model import ToolCall
from callwright.document.reader import ReadResult, read_context, read_segment
from callwright.document.settings import Settings
from callwright.lint.placing import placed
from callwright.rules.base import Diagnostic
from callwright.runtime.early import argument_texts
from callwright.runtime.events import (
    ArgumentClosed,
    ArgumentOpened,
    ArgumentText,
    CallClosed,
    CallDropped,
    CallOpened,
    Event,
    ProblemFound,
    Text,
)
from callwright.runtime.streaming import StreamingParser
from callwright.text.span import Span, newline_of
from callwright.tools.registry import ToolRegistry

PLAIN = Settings()


def chunks(text: str, sizes: Sequence[int]) -> Iterator[str]:
    """Yield `text` in pieces of these sizes, again and again."""
    at = 0
    for size in cycle(sizes):
        if at >= len(text):
            return
        yield text[at : at + size]
        at += size


def stream(pieces: Iterable[str], tools: ToolRegistry, settings: Settings = PLAIN) -> tuple[StreamingParser, list[Any]]:
    """Return a parser that was fed with the pieces and finished, and all its events."""
    parser = StreamingParser(tools=tools, settings=settings)
    events = [event for piece in pieces for event in parser.feed(piece)]
    return parser, events + parser.finish()


def whole_segment(text: str, tools: ToolRegistry, settings: Settings) -> ReadResult:
    """Return what the reader finds in the whole text."""
    return read_segment(text, read_context(tools, settings))


def whole(text: str, tools: ToolRegistry, settings: Settings = PLAIN) -> tuple[list[Call], list[Diagnostic]]:
    """Return what `parse` gives for the text, under any settings."""
    tools = tools.with_markup(settings.markup)
    calls: list[Call] = []
    found: list[Diagnostic] = []
    for result in results(text, whole_segment(text, tools, settings), tools, settings):
        calls += [call for _, call in result.calls]
        found += [placed(diagnostic, 0, newline_of(text)) for diagnostic in result.diagnostics]
    return sorted(calls, key=lambda call: call.span), sorted(found, key=lambda diagnostic: diagnostic.span)


def assert_equal(text: str, sizes: Sequence[int], tools: ToolRegistry, settings: Settings = PLAIN) -> None:
    """Assert that a stream gives the calls, diagnostics and fixes of the whole, and events that report nothing else."""
    parser, events = stream(chunks(text, sizes), tools, settings)
    calls, found = whole(text, tools, settings)
    assert parser.calls == calls
    assert parser.diagnostics == found
    assert [_fixes(each) for each in parser.diagnostics] == [_fixes(each) for each in found]
    assert_events(text, events, calls, found, whole_segment(text, tools.with_markup(settings.markup), settings))


def _fixes(diagnostic: Diagnostic) -> list[Any]:
    """Return the fixes; how a conversion puts a call on lines of its own depends on text that may not have arrived."""
    if diagnostic.name == "other-dialect":
        return [fix.title for fix in diagnostic.fixes]
    return [(fix.title, fix.edits, fix.applicability) for fix in diagnostic.fixes]


class Reported:
    """A call as the events report it."""

    def __init__(self) -> None:
        self.arguments: list[tuple[str, str]] = []
        self.open = False

    def take(self, event: ArgumentOpened | ArgumentText | ArgumentClosed) -> None:
        """Take an event of one of the call's arguments, which must be in its place."""
        if isinstance(event, ArgumentOpened):
            assert not self.open
            self.arguments.append((event.name, ""))
            self.open = True
            return
        name, text = self.arguments[-1]
        assert self.open
        assert event.name == name
        if isinstance(event, ArgumentText):
            assert event.text
            self.arguments[-1] = (name, text + event.text)
        else:
            self.open = False


def assert_events(
    text: str, events: Iterable[Event], calls: list[Call], found: list[Diagnostic], segment: ReadResult
) -> None:
    """Assert that events are in order and agree with what was read from the whole text."""
    shown: list[str] = []
    reported: dict[int, Reported] = {}
    closed: list[Call] = []
    problems: list[Diagnostic] = []
    arguments = {span: argument_texts(call, source) for span, call, source in _calls(segment, text)}
    sound = {span for span, call, _ in _calls(segment, text) if call.complete and not call.problems}
    for event in events:
        if isinstance(event, Text):
            assert event.text
            shown.append(event.text)
        elif isinstance(event, ProblemFound):
            problems.append(event.diagnostic)
        elif isinstance(event, CallOpened):
            assert event.index not in reported
            assert event.index >= len(closed)
            reported[event.index] = Reported()
        elif isinstance(event, CallDropped):
            del reported[event.index]
        elif isinstance(event, CallClosed):
            assert event.index == len(closed)
            one = reported[event.index]
            assert not one.open
            if event.call.span in sound and not any(event.call.span.overlaps(each.span) for each in found):
                assert one.arguments == arguments[event.call.span]
            closed.append(event.call)
        else:
            reported[event.index].take(event)
    assert closed == calls
    assert len(reported) == len(calls)
    assert sorted(map(repr, problems)) == sorted(map(repr, found))
    assert "".join(shown) == outside(text, segment)


def _calls(segment: ReadResult, text: str) -> Iterator[tuple[Span, ToolCall, str]]:
    """Yield each call with its span in the text, and the text that it was read in."""
    for found in segment.calls:
        yield found.call.span, found.call, text
    for quoted in segment.quoted:
        projection = quoted.projection
        for span, call, source in _calls(quoted.segment, projection.text):
            yield projection.raw_span(span), call, source


def _frames(segment: ReadResult) -> list[Span]:
    frames = [found.call.frame or found.call.span for found in segment.calls]
    for quoted in segment.quoted:
        frames += [quoted.projection.raw_span(span) for span in _frames(quoted.segment)]
    return sorted(frames)


def outside(text: str, segment: ReadResult) -> str:
    """Return the text that no call and no frame of calls covers."""
    parts: list[str] = []
    at = 0
    for frame in _frames(segment):
        parts.append(text[at : max(frame.start, at)])
        at = max(at, frame.end)
    return "".join([*parts, text[at:]])
