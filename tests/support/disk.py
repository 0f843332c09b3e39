"""A disk that can be stopped: each step of a command that changes files is counted, and something may happen there.

Owns: the steps, and the net below them, which finds changes that are made past them. Must not know: any command.

A step is one call that changes what is on the disk, or makes it last: a file is opened for writing, some bytes of it
are written, it is given a mode, an owner, a name, it is moved, removed, synchronised; a folder is made. A large write
takes several, as it may on a real disk. What is killed at a step has done all steps before it and nothing of that one.
"""

import builtins
import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

#: Functions of `os` that change the disk.
_CHANGING = (
    "replace", "rename", "link", "symlink", "unlink", "remove", "rmdir", "mkdir", "chmod", "fchmod", "chown", "fchown",
    "truncate", "ftruncate", "utime", "fsync", "fdatasync", "setxattr", "removexattr", "write",
)  # fmt: skip
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC

Happening = Callable[[int, str], None]


class Steps:
    """The steps that were taken, by name, and the changes that were seen past them."""

    def __init__(self, folder: Path, happening: Happening) -> None:
        self.names: list[str] = []
        self.past: list[str] = []
        self._folder = os.path.realpath(folder)
        self._happening = happening
        self._inside = False

    def take(self, name: str, call: Callable[[], Any]) -> Any:
        """Take a step: what is to happen there happens, then the call is made."""
        self.names.append(name)
        self._happening(len(self.names), name)
        before, self._inside = self._inside, True
        try:
            return call()
        finally:
            self._inside = before

    def hear(self, event: str, words: tuple[Any, ...]) -> None:
        """Note a change to the folder that is not a step."""
        if self._inside or not event.startswith(("open", "os.", "shutil.")):
            return
        if event == "open" and not (isinstance(words[2], int) and words[2] & _WRITING):
            return
        if event in ("os.listdir", "os.scandir", "os.walk", "os.listxattr", "os.getxattr", "os.fwalk", "os.fork"):
            return
        if event == "shutil.rmtree":
            # Each file and folder that it removes is a step.
            return
        paths = words[:1] if event == "open" else words[:2]
        if any(isinstance(path, (str, os.PathLike)) and self._holds(path) for path in paths):
            self.past.append(f"{event}{words}")

    def _holds(self, path: "str | os.PathLike[str]") -> bool:
        return os.path.realpath(path).startswith(self._folder + os.sep)


_heard: list[Steps] = []


def _hear(event: str, words: tuple[Any, ...]) -> None:
    for steps in _heard:
        steps.hear(event, words)


sys.addaudithook(_hear)


@contextmanager
def stepping(folder: Path, happening: Happening = lambda _number, _name: None) -> Iterator[Steps]:
    """Take what changes files step by step; `happening` gets the number and the name of each before it is taken."""
    steps = Steps(folder, happening)
    real_open, real_os_open = io.open, os.open

    class Raw(io.FileIO):
        def write(self, data: Any) -> int:
            view = memoryview(data).cast("B")
            part = view[: max(128, len(view) // 3)]
            return int(steps.take("write", lambda: super(Raw, self).write(part)))

    def opened(
        file: Any,
        mode: str = "r",
        buffering: int = -1,
        encoding: str | None = None,
        errors: str | None = None,
        newline: str | None = None,
        closefd: bool = True,
        opener: Any = None,
    ) -> Any:
        if not set(mode) & set("wax+"):
            return real_open(file, mode, buffering, encoding, errors, newline, closefd, opener)
        assert "+" not in mode
        plain = mode.replace("b", "").replace("t", "")
        raw = (
            Raw(file, plain, closefd)
            if isinstance(file, int)
            else steps.take("open", lambda: Raw(os.fspath(file), plain, closefd))
        )
        buffered = io.BufferedWriter(raw, 256)
        return buffered if "b" in mode else io.TextIOWrapper(buffered, encoding, errors, newline)

    def os_open(path: Any, flags: int, *words: Any, **named: Any) -> int:
        if not flags & _WRITING:
            return real_os_open(path, flags, *words, **named)
        return int(steps.take("os.open", lambda: real_os_open(path, flags, *words, **named)))

    def step(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *words, **named: steps.take(f"os.{name}", lambda: function(*words, **named))

    functions: dict[str, Any] = {name: step(name, getattr(os, name)) for name in _CHANGING if hasattr(os, name)}
    _heard.append(steps)
    try:
        with (
            mock.patch.multiple(os, open=os_open, **functions),
            mock.patch.object(io, "open", opened),
            mock.patch.object(builtins, "open", opened),
        ):
            yield steps
    finally:
        _heard.remove(steps)
