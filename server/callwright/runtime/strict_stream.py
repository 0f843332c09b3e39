"""The strict stream: a reply that is still arriving, read as the strict parser reads whole replies.

Owns: `StrictStream`, and which parts of a reply are kept until its end. Must not know: how text is read, which
diagnostics reject a reply.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from callwright.document.reader import ReadResult, read_segment
from callwright.runtime.errors import ParseError
from callwright.runtime.event_stream import EventStream
from callwright.runtime.events import Event, ProblemFound

if TYPE_CHECKING:
    from callwright.calls.model import ToolCall
    from callwright.document.streaming_reader import ReadCandidate
    from callwright.runtime.errors import ParseResult
    from callwright.runtime.rejection import Rejection
    from callwright.runtime.strict import StrictParser

#: How many pieces of the reply are kept before they are joined.
_PIECES: Final = 256


class StrictStream(EventStream):
    """Reads one reply as it arrives; `finish` returns exactly what the parser's `parse` returns for the whole reply.

    `tool` is the name of the first call's tool as soon as that name is complete, so that a stream can be interrupted;
    it is None again where the text turns out not to be a call. `has_complete_call` says that the first call is closed
    and valid; later text may still reject the reply. `error` is set as soon as the reply is certainly rejected; after
    that there are no more events, and nothing more need be fed. Further text can only change which error the reply is
    rejected for.

    `feed` returns the events of `callwright.runtime.events`; calls in `CallClosed` are valid, and `ProblemFound` has
    the diagnostics that reject the reply. `last` has the events of `finish`.

    `end` is where the first call ends with its frame, once it is complete: the reply may be cut there, since `parse` of
    the text before it returns that call, and the others of its frame.

    The stream keeps the text of the reply, up to the limit `max_text`, to show it in an error, and buffers the open
    call with a few hundred characters before it. `finish` releases all but the result; `reset` releases all and makes
    the stream ready for another reply. A stream takes at most 8 KB beside the text of its reply and the open call (2 KB
    before anything is fed), so that 10,000 open streams take 80 MB. Time is linear in the text. A stream belongs to one
    task at a time; the parser may have any number of them.
    """

    __slots__ = (
        "_blocks",
        "_finished",
        "_open_at",
        "_parser",
        "_pieces",
        "_size",
        "end",
        "error",
        "last",
        "tool",
    )

    def __init__(self, parser: StrictParser) -> None:
        """Set the parser whose tools, dialects, limits and strikes are used."""
        self._parser = parser
        self.reset()

    def reset(self) -> None:
        """Discard the reply without counting it, and be ready for another."""
        parser = self._parser
        super().__init__(parser.registry, parser.reader.context, quotes=False)
        self._blocks: list[str] = []
        self._pieces: list[str] = []
        self._size = 0
        # Where the open call begins, if it was announced.
        self._open_at: int | None = None
        self._finished: ParseResult | None = None
        self.tool: str | None = None
        self.error: ParseError | None = None
        self.end: int | None = None
        self.last: list[Event] = []

    @property
    def has_complete_call(self) -> bool:
        """Whether the first call is closed and valid."""
        return bool(self.calls)

    @property
    def text(self) -> str:
        """The reply so far; empty after `finish`."""
        if self._pieces:
            self._blocks.append("".join(self._pieces))
            self._pieces.clear()
        if len(self._blocks) > 1:
            self._blocks[:] = ["".join(self._blocks)]
        return self._blocks[0] if self._blocks else ""

    def feed(self, chunk: str) -> list[Event]:
        """Feed the next piece of the reply and return its events.

        Raises RuntimeError after `finish`, TypeError where the piece is not text; the stream is then unchanged.
        """
        self._check(chunk)
        if self._finished is not None:
            raise RuntimeError("the stream is finished: call `reset` to read another reply with it")
        if not chunk or not self._kept(chunk) or self.error is not None:
            return []
        events = self._take(chunk, urged=self._nears_limit())
        if self.calls:
            self.tool = self.calls[0].tool
        return events

    def finish(self) -> ParseResult:
        """End the reply and return the parser's result for it; its strike is counted once.

        A second call returns the same result.
        """
        if self._finished is None:
            if self.error is None:
                self.last = self._end()
            # Some diagnostics depend on the text after a call, so the parser decides on the whole reply. Of a reply
            # that is too long, one character more than the limit was kept, which is enough to report it.
            result = self._finished = self._parser.judged(*self._parser.reader.read(self.text))
            self.error, self.calls = result.error, result.calls
            self.tool = self.calls[0].tool if self.calls else None
            self._blocks.clear()
            self._pieces.clear()
            self._empty()
        return self._finished

    def _empty(self) -> None:
        """Release what was kept for further reading."""
        calls = self.calls
        super().__init__(self._registry, self._parser.reader.context, quotes=False)
        self.calls = calls

    def _kept(self, chunk: str) -> bool:
        """Keep a piece of the text; return whether the reply is still within the limit."""
        most = self._parser.limits.max_text
        if most is not None and self._size + len(chunk) > most:
            if self._size <= most:
                self._pieces.append(chunk[: most + 1 - self._size])
                self._size = most + 1
                self._reject(self._parser.reader.too_large(self.text))
            return False
        self._size += len(chunk)
        self._pieces.append(chunk)
        if len(self._pieces) >= _PIECES:
            self._blocks.append("".join(self._pieces))
            self._pieces.clear()
            if len(self._blocks) >= _PIECES:
                self._blocks[:] = ["".join(self._blocks)]
        return True

    # -- what is read --------------------------------------------------------------------------------------------------

    def _nears_limit(self) -> bool:
        """Return whether the open call may exceed the limit of length or depth, as far as that is known."""
        limits, since = self._parser.limits, self._open_at
        if since is None:
            return False
        long = limits.max_call is not None and self._size - since > limits.max_call
        return long or (limits.max_depth is not None and self._early.depth > limits.max_depth)

    def _tried(self, calls: list[ToolCall]) -> None:
        reader, limits = self._reader, self._parser.limits
        if not self.calls:
            # A name is complete when text follows it.
            self.tool = next((call.tool for call in calls[:1] if call.tool_span.end < len(reader.text)), None)
        if not len(self._early):
            return
        self._open_at = reader.base + calls[-1].span.start if calls and not calls[-1].complete else None
        for number, call in enumerate(calls, len(self.calls) + 1):
            if limits.exceeded(number, call, reader.text) is not None:
                self._reject(self._parser.reader.too_large(self.text))
                return

    def _found(self, item: ReadCandidate) -> Iterator[Event]:
        self._open_at = None
        if self.error is not None:
            return
        reader = self._parser.reader
        calls = reader.sound_calls(item.text, item.segment)
        if calls is None:
            if reader.judged(item.text, item.segment, whole=False) is not None:
                rejection = self._judged_so_far()
                if rejection is not None:
                    yield from self._dropped(0)
                    yield from (ProblemFound(diagnostic) for diagnostic in rejection.diagnostics)
                    self._reject(rejection)
                    return
            calls = reader.given(item.text, item.segment)
        if not calls:
            return
        read = [found.call for found in item.segment.calls]
        if self._exceeds(item, read):
            yield from self._dropped(0)
            self._reject(reader.too_large(self.text))
            return
        if reader.disputed(item.text, item.segment) is not None:
            yield from self._dropped(0)
            self._reject(self._disputed_so_far())
            return
        if self.end is None:
            self.end = item.base + max(call.place.end for call in read)
        yield from self._closed(item.base, [(one, item.text, call) for one, call in zip(read, calls, strict=True)])

    def _exceeds(self, item: ReadCandidate, calls: list[ToolCall]) -> bool:
        numbered = enumerate(sorted(calls, key=lambda call: call.span), len(self.calls) + 1)
        return any(self._parser.limits.exceeded(number, call, item.text) is not None for number, call in numbered)

    def _judged_so_far(self) -> Rejection | None:
        """Return why the decided part of the reply is rejected."""
        return self._parser.reader.judged(self.text, self._segment_so_far(), whole=False)

    def _disputed_so_far(self) -> Rejection | None:
        """Return why the reply is rejected for a decided call that lxml reads differently."""
        return self._parser.reader.disputed(self.text, self._segment_so_far())

    def _segment_so_far(self) -> ReadResult:
        """Return the decided part of the reply."""
        text, place = self.text, self._reader.place
        segment = read_segment(text, self._parser.reader.context)
        calls = [found for found in segment.calls if found.call.span.start < place]
        problems = [problem for problem in segment.problems if problem.span.start < place]
        return ReadResult(segment.end, segment.state, segment.reach, calls, problems)

    def _reject(self, rejection: Rejection | None) -> None:
        """Record that the reply is rejected: nothing more of it is read."""
        # Where there is none, the text that is cut off here could be misread; the end of the reply decides.
        if rejection is not None:
            self.error = ParseError(rejection)
            self._empty()
