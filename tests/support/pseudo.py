"""A pseudo-terminal: a command runs in this process and believes that it writes on a terminal.

Owns: what the terminal is given. Must not know: any command.
"""

import os
import sys
import threading
from collections.abc import Callable
from io import TextIOWrapper
from unittest import mock


def on_terminal(run: Callable[[], object], *, both: bool = True) -> str:
    """Return what is shown while something runs on a terminal of 120 columns; with `both`, also standard error's."""
    import pty
    import struct
    import termios
    from fcntl import ioctl

    ours, theirs = pty.openpty()
    ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    parts: list[bytes] = []

    def read() -> None:
        while True:
            try:
                data = os.read(ours, 1 << 16)
            except OSError:
                return
            if not data:
                return
            parts.append(data)

    reader = threading.Thread(target=read)
    reader.start()
    try:
        with (
            TextIOWrapper(open(theirs, "wb", buffering=0), "utf-8", write_through=True) as stream,  # noqa: PTH123 - a descriptor
            mock.patch.object(sys, "stdout", stream),
            mock.patch.object(sys, "stderr", stream if both else sys.stderr),
        ):
            run()
    finally:
        reader.join()
        os.close(ours)
    return b"".join(parts).decode("utf-8", "surrogateescape")
