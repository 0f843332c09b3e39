"""Frames: messages on a pair of byte streams, each after a header that gives its length.

Owns: reading messages from any stream of bytes, and writing them. Nothing that a client sends can end the reading: a
header that makes no sense, a length that is wrong or a body that is no JSON becomes a `Fault`, and reading continues at
the next header. Must not know: what a message says, threads, documents.
"""

import json
import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

#: A body that claims to be longer than this is refused: an editor sends no document that comes near it.
MAX_BODY: Final = 64 * 1024 * 1024
#: A header that is longer than this is none.
MAX_HEADER: Final = 64 * 1024

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600

_LENGTH = re.compile(rb"content-length[ \t]*:[ \t]*([0-9]++)[ \t]*\r?\n", re.IGNORECASE)
_HEADER_NAME = re.compile(rb"content-length", re.IGNORECASE)
#: Where the next frame begins in a body that is too long, be it with a part of its header's name only.
_FOLLOWING = re.compile(
    rb"content-length[ \t]*:|" + b"|".join(b"content-length"[:length] + rb"\Z" for length in range(14, 0, -1)),
    re.IGNORECASE,
)
#: What matters for the depth of a member: strings as a whole, and brackets.
_MARKER = re.compile(rb'"(?:[^"\\]|\\.)*+"|[][{}]', re.DOTALL)
_IDENTITY = re.compile(rb'\s*+:\s*+(-?[0-9]{1,18}+|"(?:[^"\\]|\\.)*+")', re.DOTALL)
_HEADERS_END = re.compile(rb"\r?\n\r?\n")


@dataclass(frozen=True, slots=True)
class Fault:
    """What was on the wire in place of a message: the error's code and text, the request's id where one was read."""

    code: int
    message: str
    request: int | str | None = None


class FrameReader:
    """Takes messages out of a stream that `read` returns in pieces; an empty piece is the end.

    Invariant: `messages` never raises for what the other side sent, and ends only with the stream. The bytes of a frame
    whose length is wrong are searched for the next header, so that one bad frame costs at most its own message.
    """

    def __init__(self, read: Callable[[], bytes], max_body: int = MAX_BODY) -> None:
        self._read = read
        self._max_body = max_body
        self._buffer = bytearray()
        self._ended = False
        #: How many bytes the body took that was read last.
        self.length = 0

    def messages(self) -> Iterator[dict[str, Any] | Fault]:
        """Yield each message, or what was wrong where one should have been."""
        while True:
            length = self._header()
            if length is None:
                return
            if isinstance(length, Fault):
                self.length = 0
                yield length
                continue
            self.length = length
            body = self._take(length)
            if body is None:
                return
            yield from self._decode(body)

    def _more(self) -> bool:
        """Append the next piece to the buffer; False at the end of the stream."""
        if self._ended:
            return False
        piece = self._read()
        if not piece:
            self._ended = True
            return False
        self._buffer += piece
        return True

    def _header(self) -> int | Fault | None:
        """Return the length of the body that begins the buffer when this returns; None at the end of the stream."""
        while True:
            name = _HEADER_NAME.search(self._buffer)
            if name is None:
                # Nothing before the next header is of use, but its name may have arrived in part.
                if len(self._buffer) > MAX_HEADER:
                    del self._buffer[: -len(b"content-length")]
                if not self._more():
                    return None
                continue
            line_end = self._buffer.find(b"\n", name.start())
            if line_end < 0:
                if len(self._buffer) - name.start() > MAX_HEADER:
                    del self._buffer[: name.end()]
                    return Fault(INVALID_REQUEST, "a header without an end")
                if not self._more():
                    return None
                continue
            found = _LENGTH.match(self._buffer, name.start())
            # A length is compared by its digits before it is converted: int() refuses thousands of them.
            digits = found.group(1).lstrip(b"0") if found else b""
            if found is None or len(digits) > 12 or int(digits or b"0") > self._max_body:
                line = bytes(self._buffer[name.start() : min(line_end, name.start() + 60)])
                del self._buffer[: line_end + 1]
                shown = line.decode("ascii", "replace").strip()
                return Fault(
                    INVALID_REQUEST, f"`{shown}` is not a length that this server accepts (at most {self._max_body})"
                )
            # Other headers may follow; the body begins after the first empty line.
            start = line_end - (1 if self._buffer[line_end - 1 : line_end] == b"\r" else 0)
            end = _HEADERS_END.search(self._buffer, start)
            if end is None:
                if len(self._buffer) - start > MAX_HEADER:
                    del self._buffer[: line_end + 1]
                    return Fault(INVALID_REQUEST, "headers without an end")
                if not self._more():
                    return None
                continue
            length = int(digits or b"0")
            del self._buffer[: end.end()]
            return length

    def _take(self, length: int) -> bytes | None:
        """Remove a body of `length` bytes from the buffer and return it; None where the stream ends before it."""
        while len(self._buffer) < length:
            if not self._more():
                return None
        body = bytes(memoryview(self._buffer)[:length])
        del self._buffer[:length]
        return body

    def _decode(self, body: bytes) -> Iterator[dict[str, Any] | Fault]:
        try:
            message = json.loads(body)
        except (ValueError, RecursionError) as error:
            yield from self._recover(body, error)
            return
        yield from _each(message)

    def _recover(self, body: bytes, error: Exception) -> Iterator[dict[str, Any] | Fault]:
        """Answer for a body that is no JSON; where its length reached into the next frame, give that frame back."""
        following = _FOLLOWING.search(body)
        if following is not None:
            try:
                message = json.loads(body[: following.start()])
            except (ValueError, RecursionError):
                pass
            else:
                self._buffer[:0] = body[following.start() :]
                yield from _each(message)
                return
            if _LENGTH.match(body, following.start()):
                self._buffer[:0] = body[following.start() :]
        reason = "too deeply nested" if isinstance(error, RecursionError) else str(error)
        yield Fault(PARSE_ERROR, f"a message is not JSON in UTF-8: {reason}", _identity(body))


def _identity(body: bytes) -> int | str | None:
    """Return the id that a body which is not JSON seems to have, so that its request gets an answer."""
    depth = 0
    for marker in _MARKER.finditer(body):
        first = marker[0][:1]
        if first in b"[{":
            depth += 1
        elif first in b"]}":
            depth -= 1
        elif depth == 1 and marker[0] == b'"id"' and (value := _IDENTITY.match(body, marker.end())):
            try:
                found = json.loads(value[1])
            except ValueError:
                continue
            return found if isinstance(found, (int, str)) else None
    return None


def _each(message: Any) -> Iterator[dict[str, Any] | Fault]:
    """Yield a message, or those of a batch one by one: the protocol has no batches, yet each id is owed an answer."""
    if isinstance(message, list) and message:
        for one in message:
            checked = _checked(one)
            if isinstance(checked, dict) and "method" in checked:
                yield Fault(INVALID_REQUEST, "messages are sent one by one, not in a batch", checked.get("id"))
            else:
                yield checked
        return
    yield _checked(message)


def _checked(message: Any) -> dict[str, Any] | Fault:
    """Return the message where it has the form of one."""
    if not isinstance(message, dict):
        return Fault(INVALID_REQUEST, f"a message must be an object, not {type(message).__name__}")
    identity = message.get("id")
    if isinstance(identity, bool) or not isinstance(identity, (int, str, type(None))):
        return Fault(INVALID_REQUEST, "a request's id must be a number or a string")
    if "method" in message:
        if not isinstance(message["method"], str):
            return Fault(INVALID_REQUEST, "a method must be a string", identity)
    elif "result" not in message and "error" not in message:
        return Fault(INVALID_REQUEST, "a message needs a method, or is an answer", identity)
    return message


class FrameWriter:
    """Writes messages, each in one piece, from any thread.

    Invariant: what is written is ASCII, so that a lone surrogate in a document cannot break the wire. After the other
    side has gone, writing does nothing and `closed` is True.
    """

    def __init__(self, write: Callable[[bytes], object]) -> None:
        self._write = write
        self._lock = threading.Lock()
        self.closed = False

    def send(self, message: dict[str, Any]) -> None:
        """Write one message."""
        self.send_body(json.dumps(message, separators=(",", ":")).encode("ascii"))

    def send_body(self, body: bytes) -> None:
        """Write one message that is JSON already."""
        self.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    def write(self, data: bytes) -> None:
        """Write bytes that hold whole frames."""
        with self._lock:
            if self.closed:
                return
            try:
                self._write(data)
            except (OSError, ValueError):
                self.closed = True

    def close(self) -> None:
        """Write no more."""
        with self._lock:
            self.closed = True
