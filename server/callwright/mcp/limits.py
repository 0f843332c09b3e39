"""Limits: how long a server may take, and how much it may send.

Owns: `Limits`, `Watch`. Must not know: the protocol, transports.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

_MB: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """What is taken from one server. Times are seconds: until it greets, for its whole list, and until it has ended."""

    start: float = 60.0
    listing: float = 60.0
    ending: float = 2.0
    message: int = 16 * _MB
    total: int = 64 * _MB
    pages: int = 200
    tools: int = 5_000
    #: Messages of all kinds: each request of a server is worked on until it is answered.
    messages: int = 2_000
    #: Lines on standard output that are not messages.
    rubbish: int = 1_000
    #: Bytes of standard error that are kept, the last ones.
    errors: int = 16 * 1024

    @classmethod
    def of_seconds(cls, seconds: float) -> Limits:
        """Return the usual limits with so much time for the start, and as much again for the list."""
        return cls(start=seconds, listing=seconds)


@dataclass(slots=True)
class Watch:
    """What was seen of one server while it was asked, for the words of a failure.

    `fault` is why the transport gave up, where it did; it is more specific than the protocol's error.
    """

    limits: Limits
    stage: str = "start"
    fault: str | None = None
    received: int = 0
    messages: int = 0
    rubbish: list[str] = field(default_factory=list)
    rubbish_lines: int = 0
    errors: bytearray = field(default_factory=bytearray)
    exit_code: int | None = None
    closing: bool = False
    answered: bool = False
    group: int | None = None
    refusal: str | None = None

    def abandon(self, fault: str) -> None:
        """Remember why the transport ends; the first reason counts."""
        if self.fault is None:
            self.fault = fault

    def ended(self, code: int | None) -> None:
        """Remember how the server ended, where it did so by itself."""
        if not self.closing:
            self.exit_code = code

    def count(self, number: int) -> bool:
        """Count bytes of the answer; return whether there are too many."""
        self.received += number
        if self.received > self.limits.total:
            self.abandon(f"sent more than {size(self.limits.total)}")
            return True
        return False

    def count_messages(self, number: int) -> bool:
        """Count messages; return whether there are too many."""
        self.messages += number
        if self.messages > self.limits.messages:
            self.abandon(f"sent more than {self.limits.messages:,} messages")
            return True
        return False

    def kill(self) -> None:
        """End what may still run of the process group, at once; where all went well no process is left in it."""
        if self.group is not None and sys.platform != "win32":
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.group, signal.SIGKILL)
            self.group = None

    def heard(self, data: bytes) -> None:
        """Keep the end of what came on standard error."""
        self.errors += data[-self.limits.errors :]
        del self.errors[: max(len(self.errors) - self.limits.errors, 0)]

    def stated(self) -> list[str]:
        """Return the last lines that came on standard error."""
        return [line for line in self.errors.decode("utf-8", "replace").splitlines() if line.strip()][-_SHOWN:]


_SHOWN: Final = 10


def size(number: int) -> str:
    """Return a number of bytes as a person reads it."""
    return f"{number // _MB} MB" if number >= _MB else f"{number:,} bytes"
