"""Watching: a check that is done again whenever one of its files changes.

Owns: which files are watched, how often, and the messages. Must not know: how anything is checked, options. Files are
compared by size and time; no watcher of the system is needed, which could run out or be missing.
"""

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final, TextIO

from callwright.cli.support.failure import CLEAN, CommandError
from callwright.cli.support.files import shown_path
from callwright.cli.support.projects import Projects
from callwright.cli.support.terminal import command, visible

#: How many seconds lie between two looks.
_PAUSE: Final = 0.5
_CLEAR: Final = "\x1b[2J\x1b[3J\x1b[H"
#: How many names of changed files are printed.
_NAMED: Final = 3

#: Time and size of each file that is there.
_State = dict[Path, tuple[int, int]]


def watch(
    check: Callable[[Projects], int],
    begin: Callable[[], Projects],
    paths: Sequence[str],
    *,
    sleep: Callable[[float], None] = time.sleep,
) -> int:
    """Check now and after each change, until the person at the keyboard interrupts, which is no failure.

    `begin` reads the configuration again. Where it is invalid, that is reported, and the next change is waited for.
    """
    projects: Projects | None = None
    state: _State = {}
    try:
        while True:
            try:
                projects = begin()
                # Taken before the check, so that no change during it is missed.
                state = _state(projects, paths)
                _clear(sys.stdout)
                check(projects)
            except CommandError as error:
                _write(str(error))
                state = _state(projects, paths)
            _write("watching for changes; Ctrl-C ends")
            while (now := _state(projects, paths)) == state:
                sleep(_PAUSE)
            _write(_changed(state, now))
    except KeyboardInterrupt:
        return CLEAN


def _state(projects: Projects | None, paths: Sequence[str]) -> _State:
    """Return time and size of every file that is checked, and of those that configure it."""
    found: _State = {}
    for file in _files(projects, paths):
        try:
            status = os.stat(file)  # noqa: PTH116 - many files, often
        except OSError:
            continue
        found[file] = (status.st_mtime_ns, status.st_size)
    return found


def _files(projects: Projects | None, paths: Sequence[str]) -> Iterator[Path]:
    # A configuration that is about to be written counts, too.
    yield from (Path("callwright.toml"), Path("pyproject.toml"))
    if projects is None:
        yield from map(Path, paths)
        return
    yield from projects.listed(paths)
    yield from projects.own_files()


def _changed(before: _State, after: _State) -> str:
    """Return what changed between two looks."""
    names = [file for file in {**before, **after} if before.get(file) != after.get(file)]
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"changed: {', '.join(map(shown_path, names[:_NAMED]))}{more}"


def _clear(out: TextIO | None) -> None:
    if out is not None and out.isatty():
        command(out, _CLEAR)
        out.flush()


def _write(message: str) -> None:
    if sys.stdout is not None:
        sys.stdout.flush()
    print(f"callwright: {visible(message)}", file=sys.stderr, flush=True)
