"""How a model is asked, and how its reply is received: whole or in pieces, plain or asynchronous.

Owns: which kinds of models there are, when a stream of pieces is abandoned, and that it is closed. Must not know: what
a reply means for a conversation, providers.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from callwright.runtime.errors import ParseResult
    from callwright.runtime.events import Event
    from callwright.runtime.strict import StrictParser
    from callwright.runtime.turns import Message

#: What a model returns for a conversation: its reply, or the pieces of it; or an awaitable of either.
Given: TypeAlias = "str | Iterable[str] | AsyncIterable[str]"
Model: TypeAlias = "Callable[[list[Message]], Given | Awaitable[Given]]"


@dataclass(frozen=True, slots=True)
class ReadReply:
    """A reply and the parser's result for it.

    `finish_reason` and `cut_off` are the provider's, where the model passes them on as attributes of the text or of the
    iterator. `interrupted` says that the reply was abandoned before its end; `text` is then the part that was read.
    """

    text: str
    result: ParseResult
    finish_reason: str | None = None
    cut_off: bool = False
    interrupted: bool = False


class Intake:
    """Receives the pieces of one reply, passes on their events, and parses the reply in the end.

    `on_event` is called with the events of the reply as they arrive. With `interrupt`, reading stops as soon as the
    first call is complete, where the reply then ends, or as soon as the reply is certainly rejected. It also stops
    where the reply is longer than the parser accepts. `cancelled` is called between the pieces.
    """

    def __init__(
        self,
        parser: StrictParser,
        *,
        on_event: Callable[[Event], None] | None = None,
        interrupt: bool = False,
        cancelled: Callable[[], bool],
    ) -> None:
        self._parser = parser
        self._on_event = on_event
        self._interrupt = interrupt
        self._cancelled = cancelled
        self._stream = parser.stream() if interrupt or on_event is not None else None
        self._most = parser.limits.max_text
        self._pieces: list[str] = []
        self._size = 0
        self._enough = False
        self._left = False

    def take(self, piece: Any) -> bool:
        """Feed the next piece; return whether another one is wanted. Raises TypeError where it is not text."""
        if not isinstance(piece, str):
            kind = type(piece).__name__
            raise TypeError(f"the model returned a chunk of type `{kind}`: the chunks of a reply must be strings")
        self._add(piece)
        self._left = not self._enough and self._cancelled()
        return not (self._enough or self._left)

    def whole(self, text: str) -> ReadReply:
        """Parse a reply that arrived as one text."""
        self._add(text)
        return self._judged(text)

    def reply(self, source: object) -> ReadReply | None:
        """Parse the reply whose pieces `source` yielded; None where the run was cancelled before its end."""
        return None if self._left else self._judged(source)

    def _add(self, piece: str) -> None:
        if self._most is not None and self._size + len(piece) > self._most:
            # One character over the limit is enough for the parser to report it.
            piece = piece[: self._most + 1 - self._size]
            self._enough = True
        self._pieces.append(piece)
        self._size += len(piece)
        if self._stream is not None:
            self._report(self._stream.feed(piece))
            if self._interrupt and (self._stream.has_complete_call or self._stream.error is not None):
                self._enough = True

    def _report(self, events: Iterable[Event]) -> None:
        if self._on_event is not None:
            for event in events:
                self._on_event(event)

    def _judged(self, source: object) -> ReadReply:
        text = "".join(self._pieces)
        stream = self._stream
        if stream is None:
            result = self._parser.parse(text)
        elif self._interrupt and stream.end is not None:
            text = text[: stream.end]
            result = self._parser.parse(text)
        else:
            result = stream.finish()
            self._report(stream.last)
        reason = getattr(source, "finish_reason", None)
        return ReadReply(
            text,
            result,
            finish_reason=reason if isinstance(reason, str) else None,
            cut_off=getattr(source, "cut_off", False) is True,
            interrupted=self._enough,
        )


def ask(model: Model, messages: list[Message], intake: Intake) -> ReadReply | None:
    """Ask a plain model; None where the run was cancelled before the reply was complete.

    Raises TypeError where the model is asynchronous, or does not return text.
    """
    given: Any = model(messages)
    if isinstance(given, str):
        return intake.whole(given)
    if hasattr(given, "__await__") or (hasattr(given, "__aiter__") and not hasattr(given, "__iter__")):
        if hasattr(given, "__await__"):
            _close(given)
        raise TypeError("the model is asynchronous: use `await loop.arun(messages)` instead of `loop.run(messages)`")
    pieces = _pieces(given)
    try:
        for piece in pieces:
            if not intake.take(piece):
                break
    finally:
        _close(pieces, given)
    return intake.reply(given)


async def aask(model: Model, messages: list[Message], intake: Intake) -> ReadReply | None:
    """Ask a model of any kind; None where the run was cancelled before the reply was complete.

    A plain model blocks the event loop while it is called; other tasks run between its pieces. Raises TypeError where
    the model does not return text.
    """
    from asyncio import sleep

    # A run with only plain models and tools must be cancellable, too.
    await sleep(0)
    given: Any = model(messages)
    if hasattr(given, "__await__"):
        given = await given
    if isinstance(given, str):
        return intake.whole(given)
    if hasattr(given, "__aiter__"):
        coming = aiter(given)
        try:
            async for piece in coming:
                if not intake.take(piece):
                    break
        finally:
            await _aclose(coming, given)
        return intake.reply(given)
    pieces = _pieces(given)
    try:
        for piece in pieces:
            if not intake.take(piece):
                break
            await sleep(0)
    finally:
        _close(pieces, given)
    return intake.reply(given)


def _pieces(given: Any) -> Iterator[str]:
    if isinstance(given, (bytes, Mapping)) or not hasattr(given, "__iter__"):
        raise TypeError(
            f"the model returned a `{type(given).__name__}`: a reply must be a string or an iterator of strings"
        )
    return iter(given)


def _close(*sources: Any) -> None:
    """Close an iterator and its source, so that a connection is not read to its end."""
    for source in _distinct(sources):
        close = getattr(source, "close", None)
        if close is not None:
            close()


async def _aclose(*sources: Any) -> None:
    """Close as `_close` does, with `aclose` where it exists."""
    for source in _distinct(sources):
        close = getattr(source, "aclose", None) or getattr(source, "close", None)
        closing: Any = close() if close is not None else None
        if hasattr(closing, "__await__"):
            await closing


def _distinct(sources: tuple[Any, ...]) -> tuple[Any, ...]:
    return sources[:1] if len(sources) > 1 and sources[0] is sources[1] else sources
