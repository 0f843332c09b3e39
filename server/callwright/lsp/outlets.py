"""Outlets: what is written to the client and to its log, and for how long the client has kept it waiting.

Owns: `Outlet`, `LogStream`. Must not know: messages, threads, when a server ends.
"""

from __future__ import annotations

import io
import os
import sys
import time
from typing import Final

#: How many bytes are written at once to the client, so that one who takes them slowly is seen to take them.
_PIECE: Final = 1 << 16
#: How many bytes a log accepts at once if it accepts any: what POSIX calls PIPE_BUF is at least this on Linux.
_LINE: Final = 1 << 9 if sys.platform == "darwin" else 1 << 12
#: How long a log that took everything so far may keep the server waiting, in milliseconds.
_PATIENCE: Final = 200
#: The longest text that is written to a log.
_MAX_TEXT: Final = 1 << 16


class Outlet:
    """Writes to a descriptor, all of what it is given."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._since: float | None = None
        self._spent = 0.0

    def write(self, data: bytes) -> None:
        """Write all of `data`, however long it takes until it is taken."""
        view = memoryview(data)
        while view:
            self._since = since = time.monotonic()
            try:
                view = view[os.write(self._descriptor, view[:_PIECE]) :]
            finally:
                self._since = None
                self._spent += time.monotonic() - since

    @property
    def waited(self) -> float:
        """How long all writing has taken so far, in seconds, with what is being written now; asked on any thread."""
        spent, since = self._spent, self._since
        return spent + (time.monotonic() - since if since is not None else 0.0)


class LogStream(io.TextIOBase):
    """A text stream that drops lines which cannot be written at once, so that no log ever delays an answer.

    Where a system cannot report beforehand whether a pipe accepts more, as Windows cannot, writing waits.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._outlet = Outlet(descriptor)
        self._is_taken = True

    def write(self, text: str) -> int:
        """Write a text, or as much of it as is taken."""
        data = text[:_MAX_TEXT].encode("utf-8", "backslashreplace")
        for at in range(0, len(data), _LINE):
            if not self._takes_more():
                break
            self._outlet.write(data[at : at + _LINE])
        return len(text)

    def _takes_more(self) -> bool:
        if sys.platform != "win32":
            import select

            poll = select.poll()
            poll.register(self._descriptor, select.POLLOUT)
            self._is_taken = bool(poll.poll(_PATIENCE if self._is_taken else 0))
        return self._is_taken

    def fileno(self) -> int:
        """Return the descriptor, for programs that are started."""
        return self._descriptor

    @property
    def waited(self) -> float:
        """How long all writing has taken so far, in seconds."""
        return self._outlet.waited
