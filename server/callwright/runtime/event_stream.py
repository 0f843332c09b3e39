"""What all streams share: from the growing text to events, in their order.

Owns: `EventStream`, the order of events. Must not know: how text is read, what is made of the calls.
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
    """What all streams share: the reader, what is told of calls early, and the calls that were given out.

    A subclass says what is made of what was read.
    """

    __slots__ = ("_early", "_reader", "_registry", "calls")

    def __init__(self, registry: ToolRegistry, context: ReadContext, *, quotes: bool = True) -> None:
        """Take the tools, and how text is read; `quotes` says whether calls in quoted strings are calls."""
        self._registry = registry
        self._reader = GrowingReader(context, quotes=quotes)
        self.calls: list[Call] = []
        self._early = Early(0, registry)

    @staticmethod
    def _check(chunk: object) -> None:
        """Raise TypeError where a piece of the text is none, before anything of it is taken."""
        if not isinstance(chunk, str):
            message = f"a chunk of the text is a `{type(chunk).__name__}`"
            if isinstance(chunk, bytes | bytearray | memoryview):
                raise TypeError(f"{message}: decode it first, for example with `codecs.getincrementaldecoder`")
            raise TypeError(f"{message}: feed its text, and skip chunks without text")

    def _take(self, chunk: str, *, urged: bool = False) -> list[Event]:
        """Take the next piece of the text and return what can be said now; `urged` says that it is to be tried."""
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
        """Say that the text ends here."""
        place = self._reader.place
        return [*self._decided(self._reader.finish(), place)]

    def _tried(self, calls: list[ToolCall]) -> None:  # noqa: B027  # anyone who wants to know overrides it
        """Take note of an attempt at what is not decided yet: of `calls`, in offsets of the reader's kept text."""

    @abstractmethod
    def _found(self, item: ReadCandidate) -> Iterator[Event]:
        """Say what was found, its calls by `_closed`. Anyone who wants nothing more of the text takes another reader."""

    def _decided(self, items: list[Item], place: int) -> Iterator[Event]:
        """Say what was decided, after what was told of calls at `place` is taken back where there are none."""
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
        """Take back all calls that were told but the first ones."""
        first = len(self.calls)
        yield from (CallDropped(first + number) for number in reversed(range(kept, len(self._early))))
        self._early.keep(kept)

    def _renew(self) -> None:
        self._early = Early(len(self.calls), self._registry)

    def _closed(self, base: int, calls: list[tuple[ToolCall, str, Call]]) -> Iterator[Event]:
        """Tell of the calls of one place, in their order, what is still to be told, and give them out.

        Each comes as it was read, with the text that it was read in, and as it is given out, in offsets that are
        `base` less than those of the whole text.
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
