"""Workers: processes beside the server that read many files of a folder for one answer.

Owns: starting and ending them, what they are sent, and what becomes of a file whose process ends. Must not know: which
files belong to the workspace, what is made of a file.

A worker is sent paths and the projects that the files are read under, and sends back plain data. It ends with the
request, so nothing that it read is held; and with the server, whose end of the pipe closes with it.
"""

from __future__ import annotations

import gc
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from multiprocessing import get_context
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any, Final

from callwright.children import shut_out_folder
from callwright.lsp.opening import LeftOutError, Task, open_file, text_of
from callwright.lsp.wire import DocumentEdge
from callwright.prompt.renaming import finished
from callwright.text.records import NamedTuple

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

    from callwright.config import Project
    from callwright.document.snapshot import Snapshot
    from callwright.features.base import Client, Edge
    from callwright.text.positions import PositionEncoding

#: How much text a worker is sent at once, in bytes: enough that it is rarely idle.
_BATCH: Final = 64 * 1024
#: How long results are waited for before other work has its turn, in seconds.
_WAIT: Final = 0.005
#: How much a worker gives way to what a person waits for.
_NICE: Final = 5

#: Makes what is wanted of a file, as plain data; it is a function of a module, since it is sent by its name.
Make = Callable[["Snapshot", "Edge"], Any]


class Reply(NamedTuple):
    """What was made of a file, None where it cannot be read, or why it is `left_out`.

    `names` is what the project learned meanwhile.
    """

    value: Any
    left_out: str | None = None
    names: Mapping[str, bool] = {}


class _Worker:
    """One process; `tasks` are the files that it is at work on, and `known` the projects that it has, by number."""

    def __init__(self, process: BaseProcess, end: Connection) -> None:
        self.process = process
        self.end = end
        self.tasks: deque[Task] = deque()
        self.known: set[int] = set()

    def begin(self, tasks: Iterable[Task]) -> None:
        """Send files. Raises OSError where the process has ended.

        It must be at work on none: then it reads, and nothing is written that no one takes.
        """
        self.tasks.extend(tasks)
        new = {id(task.project): task.project for task in self.tasks if id(task.project) not in self.known}
        self.known.update(new)
        self.end.send((new, [(task.path, id(task.project)) for task in self.tasks]))


class Workers:
    """Some processes, used as a context; leaving it ends them."""

    def __init__(self, count: int, make: Make, encoding: PositionEncoding, client: Client) -> None:
        """Start `count` processes, fewer where the system allows no more."""
        shut_out_folder()
        context = get_context("spawn")
        self._workers: list[_Worker] = []
        for _ in range(count):
            own, others = context.Pipe()
            process = context.Process(
                target=_work, args=(others, make, encoding, client), name="callwright-worker", daemon=True
            )
            try:
                process.start()
            except OSError:
                break
            finally:
                others.close()
            self._workers.append(_Worker(process, own))

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            self._end(worker)

    def results(self, tasks: Sequence[Task]) -> Iterator[tuple[Task, Reply | None] | None]:
        """Yield what is made of each file as it comes, and None while nothing does.

        Of a file that a worker fails on, None is known: it is to be read by the caller, who can report why.
        """
        left = iter(tasks)
        while True:
            for worker in [worker for worker in self._workers if not worker.tasks]:
                yield from self._send(worker, left)
            at_work = {worker.end: worker for worker in self._workers if worker.tasks}
            if not at_work:
                break
            ready = wait(list(at_work), _WAIT)
            if not ready:
                yield None
            for end in ready:
                yield from self._receive(at_work[end])  # type: ignore[index]
        for task in left:
            yield task, None

    def _send(self, worker: _Worker, left: Iterator[Task]) -> Iterator[tuple[Task, None]]:
        batch: list[Task] = []
        size = 0
        while size < _BATCH and (task := next(left, None)) is not None:
            batch.append(task)
            size += task.size
        if batch:
            try:
                worker.begin(batch)
            except OSError:
                yield from self._lose(worker)

    def _receive(self, worker: _Worker) -> Iterator[tuple[Task, Reply | None]]:
        try:
            reply = worker.end.recv()
        except (EOFError, OSError):
            yield from self._lose(worker)
        else:
            yield worker.tasks.popleft(), reply

    def _lose(self, worker: _Worker) -> Iterator[tuple[Task, None]]:
        """Do without a worker that has ended."""
        self._workers.remove(worker)
        self._end(worker)
        for task in worker.tasks:
            yield task, None

    def _end(self, worker: _Worker) -> None:
        worker.end.close()
        worker.process.terminate()
        worker.process.join()


def _work(end: Connection, make: Make, encoding: PositionEncoding, client: Client) -> None:
    """Make what is wanted of every file that comes, until the server closes its end."""
    if hasattr(os, "nice"):
        os.nice(_NICE)
    gc.freeze()
    # Trees of calls and diagnostics are many small objects without cycles: most collections find nothing.
    gc.set_threshold(50_000, 20, 50)
    projects: dict[int, Project] = {}
    try:
        while True:
            new, files = end.recv()
            projects.update(new)
            for path, number in files:
                end.send(_made(path, projects[number], make, encoding, client))
    except (EOFError, OSError, KeyboardInterrupt):
        return


def _made(path: str, project: Project, make: Make, encoding: PositionEncoding, client: Client) -> Reply | None:
    before = len(project.learned)
    try:
        text = text_of(path)
        if text is None:
            return Reply(None)
        snapshot = finished(open_file(path, text, project, checked=True))
        edge = DocumentEdge(snapshot.document, uri=snapshot.uri, version=None, encoding=encoding, client=client)
        value = make(snapshot, edge)
    except LeftOutError as reason:
        return Reply(None, str(reason))
    except Exception:  # noqa: BLE001 - the server reads the file again, and reports it
        return None
    learned = project.learned
    return Reply(value, None, dict(learned) if len(learned) > before else {})
