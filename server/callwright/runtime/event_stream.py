"""What all streams share: turning the growing text into events, in order.

Owns: `EventStream`, the order of events. Must not know: how text is read, what subclasses do with the calls.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from callwright.document.streaming_reader import GrowingReader, Item, ReadCandidate
from callwright.runtime.early import Early
from callwright.runtime.events import CallClosed, CallDropped, Event, Text

if TYPE_CHECKING:
    from callwright.calls.call import Call
    from callwright.calls.model import ToolCall
    from callwright.calls.protocol import ReadContext
    from callwright.tools.registry import ToolRegistry


class EventStream(ABC):
    """What all streams share: the reader, the early events, and the calls that were returned.

    A subclass decides what to do with what was read.
    """

    __slots__ = ("_early", "_reader", "_registry", "calls")

    def __init__(self, registry: ToolRegistry, context: ReadContext, *, quotes: bool = True) -> None:
        """Set the tools and how text is read; `quotes` says whether calls in quoted strings are calls."""
        self._registry = registry
        self._reader = GrowingReader(context, quotes=quotes)
        self.calls: list[Call] = []
        self._early = Early(0, registry)

    @staticmethod
    def _check(chunk: object) -> None:
        """Raise TypeError for a piece that is not text, before anything is fed."""
        if not isinstance(chunk, str):
            message = f"a chunk of the text is a `{type(chunk).__name__}`"
            if isinstance(chunk, bytes | bytearray | memoryview):
                raise TypeError(f"{message}: decode it first, for example with `codecs.getincrementaldecoder`")
            raise TypeError(f"{message}: feed its text, and skip chunks without text")

    def _take(self, chunk: str, *, urged: bool = False) -> list[Event]:
        """Feed the next piece of the text and return its events; `urged` forces an attempt to read undecided text."""
        reader = self._reader
        if reader.pass_text(chunk):
            return [Text(chunk)]
        events: list[Event] = [*self._early.take(chunk)] if reader.held else []
        place = reader.place
        reader.add(chunk)
        items = reader.read(urged=urged or self._early.urged)
        if items or not reader.held or reader.place != place:
            events += self._decided(items, place)
        if reader.held and reader.tried is not None and reader is self._reader:
            calls = sorted((found.call for found in reader.tried.calls), key=lambda call: call.span)
            reader.tried = None
            events += self._early.read(calls, reader.text, reader.at, reader.base)
            self._tried(calls)
        return events

    def _end(self) -> list[Event]:
        """End the text and return its last events."""
        place = self._reader.place
        return [*self._decided(self._reader.finish(), place)]

    def _tried(self, calls: list[ToolCall]) -> None:  # noqa: B027  # an optional hook
        """Hook: the undecided text was read as `calls`, in offsets of the reader's buffered text."""

    @abstractmethod
    def _found(self, item: ReadCandidate) -> Iterator[Event]:
        """Yield the events of a candidate, those of its calls by `_closed`. To ignore the rest, replace the reader."""

    def _decided(self, items: list[Item], place: int) -> Iterator[Event]:
        """Yield the events of decided items; announced calls at `place` that were not found are dropped first."""
        waiting = self._reader.held and self._reader.place == place
        if not waiting and not any(
            isinstance(item, ReadCandidate) and item.base + item.start == place for item in items
        ):
            yield from self._dropped(0)
            if self._early.begun:
                self._renew()
        reader = self._reader
        for item in items:
            if isinstance(item, str):
                yield Text(item)
                continue
            yield from self._found(item)
            if self._reader is not reader:
                return

    def _dropped(self, kept: int) -> Iterator[Event]:
        """Drop all announced calls but the first `kept`."""
        first = len(self.calls)
        yield from (CallDropped(first + number) for number in reversed(range(kept, len(self._early))))
        self._early.keep(kept)

    def _renew(self) -> None:
        self._early = Early(len(self.calls), self._registry)

    def _closed(self, base: int, calls: list[tuple[ToolCall, str, Call]]) -> Iterator[Event]:
        """Yield the remaining events of the calls at one place, in their order, and add the calls to `calls`.

        Each entry is a call as it was read, the text that it was read in, and the call to be returned. Offsets are
        relative to `base`.
        """
        calls.sort(key=lambda each: each[2].span)
        early = self._early
        yield from self._dropped(early.agreeing([read for read, _, _ in calls]))
        for number, (read, text, call) in enumerate(calls):
            moved = replace(call, span=call.span.shift(base))
            yield from early.close(number, read, text, moved.span.start)
            self.calls.append(moved)
            yield CallClosed(len(self.calls) - 1, moved)
        self._renew()
