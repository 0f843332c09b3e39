"""The process: takes the standard streams for the conversation, and ends with the client.

Owns: what is particular to a server that an editor has started on its standard streams.
Must not know: messages, methods.
"""

from __future__ import annotations

import faulthandler
import gc
import os
import sys
import threading
import time
from collections.abc import Iterator
from typing import Final

from callwright.lsp.connection import Connection
from callwright.lsp.frames import FrameReader, FrameWriter
from callwright.lsp.outlets import LogStream, Outlet
from callwright.lsp.server import Server

#: How long a piece of work may continue after the client has died, and how long a client that has closed its input may
#: keep answers waiting, in seconds.
_GRACE: Final = 2.0
#: How often it is checked how long answers have been waiting, in seconds.
_CHECK: Final = 0.25
#: How often a parent process is looked for where nothing reports its end, in seconds.
_LOOK: Final = 2.0


def run() -> int:
    """Serve a client on the standard streams until it sends `exit` or is gone; return the exit code."""
    source, sink, log = _take_streams()
    # A crash below Python is then reported with its line of Python, in the editor's log of the server.
    faulthandler.enable(file=2)
    # Trees of calls and diagnostics are many small objects without cycles: most collections find nothing.
    gc.set_threshold(50_000, 20, 50)
    outlet = Outlet(sink)
    ended, leaves = threading.Event(), threading.Event()

    def leave() -> None:
        """Let answers be taken that were asked for before the input ended, but do not wait for one who takes none."""
        if leaves.is_set():
            return
        leaves.set()

        def wait() -> None:
            before = outlet.waited + log.waited
            while not ended.wait(_CHECK):
                if outlet.waited + log.waited - before > _GRACE:
                    os._exit(1)

        threading.Thread(target=wait, name="callwright-leaving", daemon=True).start()

    connection = Connection(FrameReader(lambda: os.read(source, 1 << 18)), FrameWriter(outlet.write), leave)

    def end() -> None:
        """End with a client that is gone for good."""
        connection.stop()
        if not ended.wait(_GRACE):
            os._exit(1)

    def watch(process: int) -> None:
        def wait() -> None:
            _await_end(process)
            end()

        threading.Thread(target=wait, name="callwright-parent", daemon=True).start()

    def watch_streams() -> None:
        # The thread that reads does not see the end of the input while it waits for messages to be handled.
        for descriptor in _await_hang_ups(source, sink):
            if descriptor == source:
                leave()
            else:
                end()

    threading.Thread(target=watch_streams, name="callwright-streams", daemon=True).start()
    connection.start()
    try:
        return Server(connection, watch).serve()
    except KeyboardInterrupt:
        return 130
    finally:
        ended.set()
        connection.writer.close()


def _take_streams() -> tuple[int, int, LogStream]:
    """Return descriptors for the conversation, and the log; leave nothing of the conversation to other code.

    What any code prints from now on goes to standard error, also from below Python; who reads standard input finds it
    empty.
    """
    source, sink = os.dup(0), os.dup(1)
    if sys.platform != "win32":
        # The pipes may have been made non-blocking.
        os.set_blocking(source, True)
        os.set_blocking(sink, True)
    if sys.platform == "win32":
        import msvcrt

        for descriptor in (source, sink):
            msvcrt.setmode(descriptor, os.O_BINARY)
    nowhere = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nowhere, 0)
    os.close(nowhere)
    os.dup2(2, 1)
    log = LogStream(2)
    sys.stdout = sys.stderr = log
    return source, sink, log


def _await_hang_ups(source: int, sink: int) -> Iterator[int]:
    """Yield each of both descriptors once its other end is closed; none, where a system cannot report it."""
    if sys.platform == "win32":
        return
    import select

    poll = select.poll()
    # The end of the input is seen though much of it may not have been read.
    poll.register(source, select.POLLHUP | getattr(select, "POLLRDHUP", 0))
    poll.register(sink, select.POLLERR)
    open_ends = {source, sink}
    while open_ends:
        for descriptor, events in poll.poll():
            if events & ~select.POLLIN and descriptor in open_ends:
                poll.unregister(descriptor)
                open_ends.remove(descriptor)
                if not events & select.POLLNVAL:
                    yield descriptor


def _await_end(process: int) -> None:
    """Return once a process has ended; never, where that cannot be seen."""
    if sys.platform == "win32":
        _await_end_on_windows(process)
        return
    if hasattr(os, "pidfd_open"):
        import select

        try:
            descriptor = os.pidfd_open(process)
        except ProcessLookupError:
            return
        except OSError:
            pass
        else:
            # Readable when the process ends; other than a number that is asked for, it cannot come to mean another one.
            poll = select.poll()
            poll.register(descriptor, select.POLLIN)
            poll.poll()
            return
    while True:
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return
        except OSError:
            pass
        time.sleep(_LOOK)


def _await_end_on_windows(process: int) -> None:
    """Return once a process has ended, on Windows."""
    if sys.platform == "win32":
        import ctypes

        kernel = ctypes.windll.kernel32
        synchronize, forever = 0x00100000, 0xFFFFFFFF
        handle = kernel.OpenProcess(synchronize, False, process)
        if handle:
            kernel.WaitForSingleObject(handle, forever)
            kernel.CloseHandle(handle)
