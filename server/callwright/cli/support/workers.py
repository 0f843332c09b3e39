"""Workers: the processes that share the work of one command, and the tasks that they are sent.

Owns: starting and ending the processes, the order of what comes back, what happens when one dies. Must not know: how
anything is checked or printed. A task is a function of this module with plain arguments; results come back as plain
data, messages included, so that what is printed is what one process would print.
"""

from __future__ import annotations

import gc
import signal
import sys
import threading
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final, TypeVar

from callwright.children import processors, shut_out_folder
from callwright.cli.support.checking import Checker, CheckPlan, Layout, Outcome
from callwright.cli.support.failure import CommandError, internal_error
from callwright.cli.support.files import FileError, InputFile
from callwright.cli.support.large import FixedPiece, LogError, Records, fix_piece
from callwright.cli.support.option_groups import ProjectOptions
from callwright.cli.support.pieces import Piece, read_piece
from callwright.cli.support.projects import Projects
from callwright.cli.support.streamed import Task, check_piece, records_of

T = TypeVar("T")

#: How many tasks wait for each worker: enough that none is idle, few enough that what comes back stays small.
_WAITING: Final = 3

#: A row with everything in it that is read of most rows.
_SOUND: Final = (
    b'{"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "<a_b><c>d</c></a_b>"}, {"role":'
    b' "assistant", "content": null, "tool_calls": [{"id": "a", "type": "function", "function": {"name": "a_b",'
    b' "arguments": "{}"}}]}, {"role": "tool", "tool_call_id": "a", "content": "b"}]}'
)

#: What the tasks of this process work with.
_own: dict[str, Any] = {}


class Workers:
    """Some processes, used as a context; leaving it ends them."""

    def __init__(self, jobs: int, options: ProjectOptions, run_options: CheckPlan, layout: Layout) -> None:
        self._jobs = jobs
        method = start_method()
        if method == "fork":
            _prepare()
        shut_out_folder()
        self._pool = ProcessPoolExecutor(
            jobs, mp_context=get_context(method), initializer=_begin, initargs=(options, run_options, layout)
        )

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)

    def whole(self, source: InputFile) -> Task[list[Outcome]]:
        """Return the task of reading and checking one file."""
        return _whole, (source,)

    def check(self, source: InputFile, piece: Piece, newline: str) -> Task[Outcome | None]:
        """Return the task of checking one piece; None comes of one that holds an entry of a log."""
        return _check, (source, piece, newline)

    def fix(self, source: InputFile, piece: Piece, newline: str) -> Task[FixedPiece]:
        """Return the task of fixing the lines of one piece."""
        return _fix, (source, piece, newline)

    def ordered(self, tasks: Iterator[Task[T]]) -> Iterator[T]:
        """Yield what comes of tasks, in their order. Raises CommandError where a process dies."""
        waiting: deque[Future[T]] = deque()
        try:
            for function, arguments in tasks:
                waiting.append(self._pool.submit(function, *arguments))
                if len(waiting) >= self._jobs * _WAITING:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        except BrokenProcessPool:
            raise CommandError(
                "a worker process died (killed, or out of memory?), so the check is incomplete; run the command again,"
                " with fewer `--jobs` if memory is short"
            ) from None
        finally:
            for future in waiting:
                future.cancel()


def jobs_of(word: str) -> int:
    """Return how many processes `--jobs` asks for. Raises CommandError where it is no number."""
    if word in ("0", "auto"):
        return processors()
    if word.isascii() and word.isdigit() and len(word) < 4:
        return int(word)
    raise CommandError(f"`--jobs {word}`: expected a number of processes, or `auto` for one for each core")


def start_method() -> str:
    """Return how processes are started: as copies of this one where that is safe, which is on Linux while no one else
    runs in it; else again, so that they inherit nothing that this process has open or locked."""
    return "fork" if sys.platform == "linux" and threading.active_count() == 1 else "spawn"


def _prepare() -> None:
    """Load what nearly every task needs, so that a copy of this process has it, and need not load it itself."""
    from callwright.corpus.rows import Rows
    from callwright.document.settings import DEFAULT
    from callwright.lint.linter import diagnostics
    from callwright.tools.registry import EMPTY

    rows = Rows(EMPTY, DEFAULT)
    rows.judge(_SOUND)
    diagnostics(rows.open(_SOUND.decode()))


def _begin(options: ProjectOptions, run_options: CheckPlan, layout: Layout) -> None:
    """Make a worker ready; it is the parent whom an interrupt from the keyboard is for."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # What is there by now is looked through for garbage no more: that would copy what is shared with the parent.
    gc.freeze()
    _own.update(options=options, run_options=run_options, layout=layout)


def _checker() -> Checker:
    if "checker" not in _own:
        _own["checker"] = Checker(Projects(_own["options"]), _own["run_options"], _own["layout"])
    checker: Checker = _own["checker"]
    return checker


def _records(source: InputFile, newline: str) -> Records:
    """Return the reader of a file's records; one is kept, for pieces come file by file."""
    key = (source.path, newline)
    if _own.get("records of") != key:
        _own["records"] = records_of(_checker(), source, newline)
        _own["records of"] = key
    records: Records = _own["records"]
    return records


def _whole(source: InputFile) -> list[Outcome]:
    return _checker().whole_outcomes(source)


def _check(source: InputFile, piece: Piece, newline: str) -> Outcome | None:
    assert source.path is not None
    try:
        data = read_piece(source.path, piece)
        return check_piece(_checker(), _records(source, newline), source, piece, data, log=False)
    except LogError:
        return None
    except FileError:
        # Nothing after it is reported.
        raise
    except Exception as error:  # noqa: BLE001 - reported as any internal error in one file
        return Outcome(errors=[f"{source.shown}: {internal_error(error)}"])


def _fix(source: InputFile, piece: Piece, newline: str) -> FixedPiece:
    assert source.path is not None
    data = read_piece(Path(source.path), piece)
    return fix_piece(_records(source, newline), data, unsafe=_checker().run_options.unsafe)
