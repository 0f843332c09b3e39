"""Connection: a conversation in JSON-RPC, with requests in both directions.

Owns: the thread that reads, the queue of messages and how much it may hold, what is still to be answered, what was
cancelled, our own requests. Must not know: the protocol's methods beyond cancelling, ending and logging, documents.
"""

import contextlib
import json
import queue
import sys
import threading
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from callwright.lsp.frames import Fault, FrameReader, FrameWriter

METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
NOT_INITIALIZED: Final = -32002
CANCELLED: Final = -32800
#: An edit has overtaken the answer.
CONTENT_MODIFIED: Final = -32801
SERVER_CANCELLED: Final = -32802
#: The request is refused; the text is the reason, for the user.
REQUEST_FAILED: Final = -32803

#: How many bytes of messages may wait to be handled before no more is read.
MAX_WAITING: Final = 1 << 20
#: The least that a message counts for: as an object it takes much more than its bytes.
MIN_WEIGHT: Final = 1 << 12

#: Severities of `window/logMessage`.
ERROR, WARNING, INFO = 1, 2, 3
_LABELS = {ERROR: "error", WARNING: "warning", INFO: "info"}

Message: TypeAlias = dict[str, Any]
#: A piece of work that another thread leaves to the one that does all work.
Task: TypeAlias = Callable[[], object]
RequestId: TypeAlias = int | str | None


def log_line(text: str) -> None:
    """Write a line to standard error, which an editor keeps in a log; a closed one ends nothing."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(f"callwright: {text}\n")
        sys.stderr.flush()


class InvalidParamsError(Exception):
    """The parameters of a message do not have the form that its method requires; the text says which and why."""


class ResponseError(Exception):
    """A request is answered with this code and message."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class Encoded(str):
    """An answer that is JSON already, in ASCII."""

    __slots__ = ()


class End:
    """The other side is gone: no further message will come."""


class Connection:
    """Both directions of one conversation.

    Invariant: every request that was received is answered once, by `reply` or `fail`. Messages are passed on in the
    order in which they came, except for cancellations, which take effect at once. While messages of `MAX_WAITING` bytes
    wait, nothing is read: a client that sends more than is handled has to wait, however long.
    """

    def __init__(self, reader: FrameReader, writer: FrameWriter, leaving: Callable[[], object] = lambda: None) -> None:
        """Take both directions; `leaving` is called, on the thread that reads, when no further message will come."""
        self._reader = reader
        self.writer = writer
        self._leaving = leaving
        self._queue: queue.SimpleQueue[tuple[Message | Fault | End | Task, int]] = queue.SimpleQueue()
        self._room = threading.Condition()
        self._waiting = 0
        #: The size at which the message that was passed on last is counted.
        self.weight = 0
        self._lock = threading.Lock()
        self._open: set[RequestId] = set()
        self._cancelled: set[RequestId] = set()
        self._callbacks: dict[str, Callable[[Any], None]] = {}
        self._sent = 0

    def start(self) -> None:
        """Begin to read, on a thread of its own."""
        threading.Thread(target=self._read, name="callwright-reader", daemon=True).start()

    def stop(self) -> None:
        """Queue `End` after the messages that are waiting; called when the other side is known to be gone."""
        self._queue.put((End(), 0))

    def _read(self) -> None:
        try:
            for message in self._reader.messages():
                if isinstance(message, dict) and "method" in message:
                    if message["method"] == "$/cancelRequest":
                        self._cancel(message.get("params"))
                        continue
                    if message["method"] == "exit":
                        self._leaving()
                    if "id" in message:
                        with self._lock:
                            self._open.add(message["id"])
                weight = max(self._reader.length, MIN_WEIGHT)
                self._wait_for_room(weight)
                self._queue.put((message, weight))
        except OSError as error:
            log_line(f"the client can no longer be read: {error}")
        finally:
            self._leaving()
            self._queue.put((End(), 0))

    def _wait_for_room(self, weight: int) -> None:
        """Wait until a message may join those that wait; one that is longer than all may be together comes alone."""
        with self._room:
            while self._waiting and self._waiting + weight > MAX_WAITING:
                self._room.wait()
            self._waiting += weight

    def _cancel(self, params: Any) -> None:
        """Remember that a request is no longer wanted; one that is answered already is none of our business."""
        request = params.get("id") if isinstance(params, dict) else None
        with self._lock:
            if isinstance(request, (int, str)) and request in self._open:
                self._cancelled.add(request)

    def post(self, task: Task) -> None:
        """Queue a piece of work after the messages that are waiting."""
        self._queue.put((task, 0))

    def receive(self, timeout: float | None = None) -> Message | Fault | End | Task | None:
        """Return the next message or piece of work; None where none has come within `timeout` seconds."""
        try:
            message, self.weight = self._queue.get_nowait() if timeout == 0 else self._queue.get(timeout=timeout)
        except queue.Empty:
            return None
        if self.weight:
            with self._room:
                self._waiting -= self.weight
                self._room.notify()
        return message

    @property
    def idle(self) -> bool:
        """Whether no message is waiting."""
        return self._queue.empty()

    def is_cancelled(self, request: RequestId) -> bool:
        """Return whether the client no longer wants an answer to a request."""
        return request in self._cancelled

    def drop_cancelled(self, request: RequestId, method: str) -> bool:
        """Answer a request that the client no longer wants an answer to; return whether it is one."""
        cancelled = self.is_cancelled(request)
        if cancelled:
            self.fail(request, CANCELLED, f"`{method}` was cancelled")
        return cancelled

    def reply(self, request: RequestId, result: Any) -> None:
        """Answer a request."""
        self._answered(request)
        if isinstance(result, Encoded):
            self.writer.send_body(f'{{"jsonrpc":"2.0","id":{json.dumps(request)},"result":{result}}}'.encode("ascii"))
            return
        self.writer.send({"jsonrpc": "2.0", "id": request, "result": result})

    def fail(self, request: RequestId, code: int, message: str) -> None:
        """Answer a request with an error."""
        self._answered(request)
        self.writer.send({"jsonrpc": "2.0", "id": request, "error": {"code": code, "message": message}})

    def _answered(self, request: RequestId) -> None:
        with self._lock:
            self._open.discard(request)
            self._cancelled.discard(request)

    def notify(self, method: str, params: Any) -> None:
        """Send a notification."""
        self.writer.send({"jsonrpc": "2.0", "method": method, "params": params})

    def request(self, method: str, params: Any, callback: Callable[[Any], None] | None = None) -> None:
        """Send a request; `callback` is given the result by `answer`, None where the client fails."""
        self._sent += 1
        identity = f"callwright-{self._sent}"
        self._callbacks[identity] = callback or (lambda _result: None)
        self.writer.send({"jsonrpc": "2.0", "id": identity, "method": method, "params": params})

    def answer(self, message: Message) -> None:
        """Take the client's answer to one of our requests."""
        callback = self._callbacks.pop(message["id"], None) if isinstance(message.get("id"), str) else None
        if "error" in message:
            error = message["error"]
            words = error.get("message") if isinstance(error, dict) else error
            self.log(WARNING, f"the client answered with an error: {words}")
        if callback is not None:
            callback(message.get("result"))

    def log(self, severity: int, text: str) -> None:
        """Write a message to the server's output, in the editor and on standard error."""
        log_line(f"{_LABELS[severity]}: {text}")
        self.notify("window/logMessage", {"type": severity, "message": text})
