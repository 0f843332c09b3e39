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
from typing import Final

from callwright.lsp.connection import Connection
from callwright.lsp.frames import FrameReader, FrameWriter
from callwright.lsp.server import Server

#: How long a piece of work may go on after the client has died, in seconds.
_GRACE: Final = 3.0
#: How often a parent process is looked for where nothing tells us of its end, in seconds.
_LOOK: Final = 2.0


def run() -> int:
    """Serve a client on the standard streams until it says `exit` or is gone; return the exit code."""
    source, sink = _take_streams()
    # A fault below Python is then said with the line of Python that led to it, where the editor keeps what it hears.
    faulthandler.enable(file=2)
    # Trees of calls and diagnostics are many small objects without cycles: the collector mostly looks in vain.
    gc.set_threshold(50_000, 20, 50)
    connection = Connection(FrameReader(lambda: os.read(source, 1 << 18)), FrameWriter(lambda data: _write(sink, data)))
    ended = threading.Event()

    def watch(process: int) -> None:
        def wait() -> None:
            _await_end(process)
            connection.stop()
            if not ended.wait(_GRACE):
                os._exit(1)

        threading.Thread(target=wait, name="callwright-parent", daemon=True).start()

    connection.start()
    try:
        return Server(connection, watch).serve()
    except KeyboardInterrupt:
        return 130
    finally:
        ended.set()
        connection.writer.close()
        sys.stderr.flush()


def _take_streams() -> tuple[int, int]:
    """Return descriptors for the conversation, and leave nothing of it to anybody else.

    What any code prints from now on goes to standard error, also from below Python; who reads standard input finds it
    empty.
    """
    source, sink = os.dup(0), os.dup(1)
    if sys.platform != "win32":
        # Whoever made the pipes may have made them not to block.
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
    sys.stdout = sys.stderr
    return source, sink


def _write(sink: int, data: bytes) -> None:
    """Write all of `data`."""
    view = memoryview(data)
    while view:
        view = view[os.write(sink, view) :]


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
    """Return once a process has ended, as Windows tells it."""
    if sys.platform == "win32":
        import ctypes

        kernel = ctypes.windll.kernel32
        synchronize, forever = 0x00100000, 0xFFFFFFFF
        handle = kernel.OpenProcess(synchronize, False, process)
        if handle:
            kernel.WaitForSingleObject(handle, forever)
            kernel.CloseHandle(handle)
