"""The workspace: the documents that the editor has open and the files of its folders, as features look for them.

Owns: which files belong to the workspace, reading them on demand and within limits, and keeping what was read while the
file stays as it is. Must not know: features, the wire, what is looked for beyond the words that must be in a file.

A file is parsed only where one of the words is in its bytes; so that a search costs little more than reading the
folder. Nothing outside the folders is read but the tool sets that travel with Callwright.
"""

from __future__ import annotations

import json
import os
import stat
from collections import OrderedDict
from collections.abc import Callable, Collection, Generator, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from callwright.children import processors
from callwright.features.base import Client, Made, RefusedError
from callwright.lsp import uris
from callwright.lsp.opening import LeftOutError, Task, open_file, text_of
from callwright.lsp.wire import DocumentEdge, from_lsp_position
from callwright.path_patterns import PROMPT_ENDINGS, PRUNED, UNFINISHED
from callwright.text.positions import PositionEncoding

if TYPE_CHECKING:
    from callwright.config import Project
    from callwright.document.snapshot import Snapshot
    from callwright.features.base import ProjectTools
    from callwright.lsp.session import LoadedProject, OpenDocument, Session
    from callwright.lsp.workers import Make

#: A larger file is left out, and that is reported.
LARGEST: Final = 2 * 1024 * 1024
#: How many files are searched, and how many folders.
MAX_FILES: Final = 50_000
#: How much text of files is kept, in characters.
KEPT: Final = 16 * 1024 * 1024
#: How many files that cost nothing are passed over at once.
_AT_ONCE: Final = 100
#: From how many files on it pays to start processes that read them, and how many processes are started at most.
MANY: Final = 200
MAX_PROCESSES: Final = 4
_PRUNED: Final = PRUNED | {"venv", "site-packages", ".nox", ".ruff_cache", ".pytest_cache"}


class FileState:
    """A file at one moment, and the project that it is read under: another once one of them changes."""

    __slots__ = ("project", "stamp")

    def __init__(self, stamp: tuple[int, int], project: Project) -> None:
        self.stamp = stamp
        self.project = project

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FileState) and self.stamp == other.stamp and self.project is other.project

    def __hash__(self) -> int:
        return hash(self.stamp)


@dataclass(slots=True)
class _Kept:
    """A file as it was read."""

    state: FileState
    snapshot: Snapshot


@dataclass(slots=True)
class Files:
    """Snapshots of files, the least used forgotten first."""

    _kept: OrderedDict[str, _Kept] = field(default_factory=OrderedDict)
    _size: int = 0

    def get(self, path: str, state: FileState) -> Snapshot | None:
        """Return a file as it was read in this state, None where it was read in another."""
        kept = self._kept.get(path)
        if kept is None or kept.state != state:
            return None
        self._kept.move_to_end(path)
        return kept.snapshot

    def keep(self, path: str, state: FileState, snapshot: Snapshot) -> None:
        """Keep a file, in place of an older version of it and of others that were not asked for lately."""
        self.forget(path)
        self._kept[path] = _Kept(state, snapshot)
        self._size += len(snapshot.document)
        while self._size > KEPT and len(self._kept) > 1:
            self.forget(next(iter(self._kept)))

    def forget(self, path: str) -> None:
        """Forget a file."""
        kept = self._kept.pop(path, None)
        if kept is not None:
            self._size -= len(kept.snapshot.document)


def not_checked(_uri: str) -> None:
    """Refuse to check a chat template, where nothing could render it."""
    raise RefusedError("Chat templates are not rendered here.")


class Workspace:
    """The documents around one request. `done` and `total` are the progress of a search.

    `left_out` has the files that were not looked into, each with the reason.
    """

    def __init__(
        self,
        session: Session,
        files: Files,
        about: OpenDocument | None,
        encoding: PositionEncoding = PositionEncoding.UTF16,
        client: Client | None = None,
        check_chat_template: Callable[[str], None] = not_checked,
    ) -> None:
        """Look from the document `about`, if from any, into what the session has open and into its folders.

        `encoding` is that of the client's positions. `check_chat_template` is given the URI of an open document.
        """
        self.check_chat_template = check_chat_template
        self._session = session
        self._encoding = encoding
        self._client = client or Client()
        self._files = files
        self._about = about
        self.done = 0
        self.total = 0
        self.left_out: list[tuple[str, str]] = []
        self._given: list[tuple[str, Snapshot | None]] = [(about.uri, about.snapshot)] if about is not None else []

    @property
    def is_current(self) -> bool:
        """Whether the document that was asked about, and those that a search yielded, are still what they were."""
        documents = self._session.documents
        return all(uri in documents and documents[uri].snapshot is snapshot for uri, snapshot in self._given)

    def settle(self) -> bool:
        """Return whether the documents that were yielded are still what they were; from now on they may change."""
        current = self.is_current
        self._given.clear()
        return current

    def search(self, words: Iterable[str]) -> Iterator[Snapshot | None]:
        """Yield the documents that contain one of the words, tool files first, and None where work may pause.

        What is open comes as the editor has it.
        """
        forms = {form for word in words for form in (word, json.dumps(word)[1:-1])}
        sought = [form.encode("utf-8", "surrogatepass") for form in forms]
        open_by_path = self._open_by_path()
        tool_files = self._tool_files()
        self.total = len(tool_files)
        for path in tool_files:
            self.done += 1
            opened = open_by_path.get(path)
            yield self._opened(opened, forms) if opened is not None else (yield from self._read(path, sought))
        for document in list(self._session.documents.values()):
            if document.path is None or document.path not in tool_files:
                yield self._opened(document, forms)
        others = yield from self._closed(tool_files)
        self.total += len(others)
        for path in others:
            self.done += 1
            found = [(yield from self._read(path, sought))]
            if found[0] is not None or self.done % _AT_ONCE == 0:
                # Nothing here must refer to a document that the caller is done with.
                yield found.pop()

    def made(self, make: Make, passed: Callable[[str, Hashable], bool]) -> Iterator[Made | None]:
        """Yield what is made of each document, those that are open first, and None where work may pause.

        A file of which `passed` returns true is not read; it is given the file's address and state. Many files are read
        by other processes, and come in any order. None is kept: a pass over all of them evicts what is wanted again.
        """
        for document in list(self._session.documents.values()):
            snapshot = self._opened(document, {""})
            yield self._made(snapshot, document.version, make) if snapshot is not None else None
        open_by_path = self._open_by_path()
        tool_files = [path for path in self._tool_files() if path not in open_by_path]
        closed = [*tool_files, *(yield from self._closed(tool_files))]
        self.total = len(closed)
        due: list[Task] = []
        for count, path in enumerate(closed):
            state = self._state(path)
            if state is not None and not passed(uris.from_path(path), state):
                due.append(Task(path, state.stamp[1], state.project))
            if count % _AT_ONCE == 0:
                yield None
        self.done = self.total - len(due)
        processes = min(processors(), MAX_PROCESSES)
        if len(due) >= MANY and processes > 1:
            yield from self._made_beside(due, make, processes)
        else:
            yield from self._made_here(due, make)

    def _made_beside(self, tasks: Sequence[Task], make: Make, processes: int) -> Iterator[Made | None]:
        """Yield what is made of files by so many other processes."""
        from callwright.lsp.workers import Workers

        left: list[Task] = []
        with Workers(processes, make, self._encoding, self._client) as workers:
            for result in workers.results(tasks):
                if result is None:
                    yield None
                    continue
                task, reply = result
                if reply is None:
                    left.append(task)
                    continue
                self.done += 1
                task.project.learn(reply.names)
                if reply.left_out is not None:
                    self.left_out.append((task.path, reply.left_out))
                yield Made(uris.from_path(task.path), None, reply.value) if reply.value is not None else None
        yield from self._made_here(left, make)

    def _made_here(self, tasks: Iterable[Task], make: Make) -> Iterator[Made | None]:
        for task in tasks:
            self.done += 1
            text = self._text(task.path, [b""])
            if text is not None:
                snapshot = yield from open_file(task.path, text, task.project, checked=True)
                yield self._made(snapshot, None, make)
                # Nothing here must refer to a document that the caller is done with.
                del snapshot

    def _made(self, snapshot: Snapshot, version: int | None, make: Make) -> Made:
        edge = DocumentEdge(
            snapshot.document, uri=snapshot.uri, version=version, encoding=self._encoding, client=self._client
        )
        return Made(snapshot.uri, version, make(snapshot, edge))

    def _open_by_path(self) -> dict[str, OpenDocument]:
        return {document.path: document for document in self._session.documents.values() if document.path}

    def _closed(self, tool_files: Collection[str]) -> Generator[None, None, list[str]]:
        """Return the files of the folders that are covered, are not open and are no tool files."""
        others: list[str] = []
        passed_over = {*self._open_by_path(), *tool_files}
        for count, path in enumerate(self._walk()):
            if count % _AT_ONCE == 0:
                yield None
            if path not in passed_over:
                others.append(path)
        return others

    def place(self, uri: str, position: Any) -> tuple[Snapshot, int] | None:
        """Return an open document and the offset of a position in it, the start without one; None for any other."""
        document = self._session.documents.get(uri)
        if document is None or document.snapshot is None or document.out_of_step is not None:
            return None
        if position is None:
            return document.snapshot, 0
        return document.snapshot, from_lsp_position(document.text, position, self._encoding)

    def document(self, uri: str) -> Snapshot | None:
        """Return an open document, or a file of the folders; None for any other."""
        from callwright.prompt.renaming import finished

        opened = self._session.documents.get(uri)
        if opened is not None:
            return opened.snapshot if opened.out_of_step is None else None
        path = uris.to_path(uri)
        return finished(self._read(path, [b""])) if path is not None and self._session.holds(path) else None

    def tool_file(self, path: str) -> Snapshot | None:
        """Return a file that defines tools, None where there is no such file any more."""
        for document in self._session.documents.values():
            if document.path == path and document.snapshot is not None:
                return document.snapshot
        from callwright.prompt.renaming import finished

        return finished(self._read(path, [b""], tools=True))

    def project_files(self) -> Iterator[Snapshot | None]:
        """Yield the configurations of the folders and their tool files, and None where work may pause.

        What is open comes as the editor has it.
        """
        places: list[str] = []
        for count, place in enumerate(self._configured()):
            if place is not None:
                places.append(place)
            if count % _AT_ONCE == 0:
                yield None
        projects = [*self._projects(), *(self._session.project_of(str(Path(place, "a.prompt"))) for place in places)]
        files = [
            str(file)
            for one in projects
            for file in (one.project.file, *one.project.extended, *one.project.tool_files)
            if file is not None
        ]
        open_by_path = {document.path: document for document in self._session.documents.values() if document.path}
        for path in dict.fromkeys(files):
            if not self._session.holds(path):
                continue
            opened = open_by_path.get(path)
            yield self._opened(opened, {""}) if opened is not None else (yield from self._read(path, [b""]))

    def path_of(self, uri: str) -> str | None:
        """Return the path of a document that is a file, None for any other."""
        return uris.to_path(uri)

    def registries(self) -> Iterator[ProjectTools]:
        """Yield the tools of each project that has an open document, and of those in the folders."""
        from collections import Counter

        from callwright.features.base import ProjectTools

        for one in self._projects():
            diagnostics = {
                path: Counter(diagnostic.severity.value for diagnostic in found)
                for path, (_, found) in one.diagnostics().items()
            }
            file = one.project.file
            yield ProjectTools(str(file) if file is not None else None, one.project.registry, diagnostics)

    def _projects(self) -> list[LoadedProject]:
        """Return the projects that the open documents belong to, and those of the folders, each once."""
        found = self._session.projects()
        found += [
            self._session.project_of(str(Path(folder.path, "a.prompt")))
            for folder in self._session.folders
            if folder.path is not None
        ]
        return list({id(each): each for each in found}.values())

    def _tool_files(self) -> list[str]:
        """Return the tool files of all projects."""
        return list(dict.fromkeys(str(file) for loaded in self._projects() for file in loaded.project.tool_files))

    def _opened(self, document: OpenDocument, forms: set[str]) -> Snapshot | None:
        snapshot = document.snapshot
        if document.too_long is not None:
            self.left_out.append((document.path or document.uri, f"it has more than {document.too_long} characters"))
        if snapshot is None or document.out_of_step is not None:
            return None
        if document is not self._about:
            text = document.text.text()
            if not any(form in text for form in forms):
                return None
        self._given.append((document.uri, snapshot))
        return snapshot

    def _walk(self) -> Iterator[str]:
        """Yield the files in the folders that are covered, in the order of their names; links are not followed."""
        seen = 0
        for folder in self._session.folders:
            if folder.path is None:
                continue
            for place, folders, names in os.walk(folder.path):
                project = self._session.project_of(str(Path(place, "a.prompt"))).project
                folders[:] = sorted(
                    name for name in folders if name not in _PRUNED and not project.excludes(str(Path(place, name)))
                )
                for name in sorted(names):
                    seen += 1
                    if seen > MAX_FILES:
                        self.left_out.append((place, f"only the first {MAX_FILES} files are scanned"))
                        return
                    path = str(Path(place, name))
                    if _is_covered(project, path, self._session) and not Path(path).is_symlink():
                        yield path

    def _configured(self) -> Iterator[str | None]:
        """Yield the folders that hold a configuration, and None for every other one; nothing is read."""
        from callwright.config import CONFIGURATION_NAMES

        seen = 0
        for folder in self._session.folders:
            for place, folders, names in os.walk(folder.path) if folder.path is not None else ():
                seen += len(names)
                if seen > MAX_FILES:
                    return
                folders[:] = sorted(name for name in folders if name not in _PRUNED)
                yield place if not CONFIGURATION_NAMES.isdisjoint(names) else None

    def _read(self, path: str, sought: list[bytes], *, tools: bool = False) -> Generator[None, None, Snapshot | None]:
        """Return a file that contains one of the words, None for any other and for one that cannot be read."""
        state = self._state(path)
        if state is None:
            return None
        known = self._files.get(path, state)
        if known is not None:
            return known
        text = self._text(path, sought)
        if text is None:
            return None
        snapshot = yield from open_file(path, text, state.project, tools=tools)
        self._files.keep(path, state, snapshot)
        return snapshot

    def _state(self, path: str) -> FileState | None:
        """Return the state of a file, None for one that cannot be read or is left out."""
        try:
            status = Path(path).stat()
        except (OSError, ValueError):
            return None
        if not stat.S_ISREG(status.st_mode):
            return None
        if status.st_size > LARGEST:
            self.left_out.append((path, f"it is larger than {LARGEST // 2**20} MB"))
            return None
        return FileState((status.st_mtime_ns, status.st_size), self._session.project_of(path).project.at(path))

    def _text(self, path: str, sought: list[bytes]) -> str | None:
        try:
            return text_of(path, sought)
        except LeftOutError as reason:
            self.left_out.append((path, str(reason)))
            return None


def _is_covered(project: Project, path: str, session: Session) -> bool:
    if project.excludes(path) or path.endswith(UNFINISHED):
        return False
    if path.endswith(PROMPT_ENDINGS) or project.host_of(path) is not None or project.covers(path):
        return True
    return project.discovers and session.is_prompt_by_name(path)
