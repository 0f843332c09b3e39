"""The session: workspace folders, open documents and the configuration in force for each of them.

Owns: which documents are open and in what state, which project a document belongs to, when a project is read again, and
which documents are diagnosed at all. Must not know: the wire, JSON-RPC, how a feature works.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from callwright.document.memo import Memo
from callwright.lsp import uris
from callwright.lsp.deadlines import Deadline
from callwright.path_patterns import PROMPT_ENDINGS, is_prompt_name
from callwright.text.document import TextDocument
from callwright.text.facts import Holder
from callwright.text.span import Span

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from callwright.config import Project
    from callwright.document.progress import Kept, Progress
    from callwright.document.snapshot import Snapshot
    from callwright.hosts.base import Host
    from callwright.lsp.notebooks import Notebook
    from callwright.rules.base import Diagnostic
    from callwright.text.span import Edit
    from callwright.tools.registry import ToolRegistry

#: A longer document is read and checked in slices, in characters.
LONG: Final = 16_384
#: The language of an editor's document that is a prompt whatever its name is and the project states.
LANGUAGE: Final = "callwright-prompt"
#: The languages that editors have for prompts: those of VS Code, and of extensions that own an ending.
PROMPT_LANGUAGES: Final = frozenset(
    {LANGUAGE, "prompt", "instructions", "chatagent", "chatmode", "skill", "dotprompt", "prompty", "poml"}
)
#: So much of a text is asked whether it may hold calls.
_ASKED: Final = 65_536


@dataclass(slots=True)
class OpenDocument:
    """One document that the editor has open.

    `snapshot` is None where nothing is diagnosed in it; the text is kept all the same, since a configuration may come
    to name the file. `out_of_step` is the reason why the text here is not the editor's any more, None while it is.
    `diagnostics` is how many it had when it was checked last, `shown` the status that the editor was sent
    last. `elsewhere` has the related places of its diagnostics in other documents. `readable` has the tools of a tool
    file as its text was when it could be read last, `taken` is true where projects have their tools from there, not
    from the file. `memory` belongs to the features.

    `cell` is true for a cell of a notebook; its path is then the notebook's. `evidence` is true where it is diagnosed
    because its text may contain calls.

    `progress` is the reading of a long document that has not ended; there is no snapshot then. `kept` is what it keeps
    of earlier readings. `too_long` is the limit that the document exceeds, None for any other: such a reading never
    ends, and answers for the requested places. `deadline` is when what is known of it by then is reported.

    `rendered` are the diagnostics of the chat templates in it that were rendered last, at the places that they have
    now, `rendered_text` is the text that was.
    """

    uri: str
    path: str | None
    language: str
    version: int
    text: TextDocument
    loaded: LoadedProject
    snapshot: Snapshot | None = None
    out_of_step: str | None = None
    diagnostics: int = 0
    shown: dict[str, Any] | None = None
    taken: bool = False
    readable: ToolRegistry | None = None
    elsewhere: Sequence[Any] = ()
    cell: bool = False
    evidence: bool = False
    memory: Holder = field(default_factory=Holder)
    progress: Progress | None = None
    kept: Kept | None = None
    too_long: int | None = None
    deadline: Deadline = field(default_factory=Deadline)
    rendered: tuple[Diagnostic, ...] = ()
    rendered_text: TextDocument | None = None

    @property
    def is_long(self) -> bool:
        """Whether work on the document is to be done in slices."""
        return len(self.text) > LONG

    @property
    def is_being_read(self) -> bool:
        """Whether it is yet to be read, and will be."""
        return self.progress is not None and self.too_long is None

    @property
    def project(self) -> Project:
        """The project as it is for this document."""
        project = self.loaded.project
        return project.at(self.path) if self.path is not None else project


@dataclass(slots=True)
class LoadedProject:
    """A project with the editor's settings over it, and the state of its files when they were read."""

    project: Project
    base: Project
    stamps: dict[str, tuple[int, int] | None]
    _found_diagnostics: dict[str, tuple[TextDocument, list[Diagnostic]]] | None = None

    def diagnostics(self) -> dict[str, tuple[TextDocument, list[Diagnostic]]]:
        """Return what is found in the project's own files, by path: the text that was read, the diagnostics in it."""
        if self._found_diagnostics is None:
            from callwright.declarations.load import content_of

            self._found_diagnostics = {}
            own = [str(file) for file in self.project.tool_files]
            for file in dict.fromkeys([*(file for file, _ in self.project.problems if file is not None), *own]):
                try:
                    text = content_of(file).decode("utf-8", "replace")
                except OSError:
                    text = ""
                stated = worded(self.project.at(file), file, text)
                if stated[1]:
                    self._found_diagnostics[file] = stated
        return self._found_diagnostics

    def stated_wrongly(self) -> list[str]:
        """Return in words what is wrong with the editor's own settings, which are in no file."""
        from callwright.lint.files import file_diagnostics

        problems = [problem for file, problem in self.project.problems if file is None]
        found = file_diagnostics(problems, self.project.registry, self.project.settings)
        return [diagnostic.message for diagnostic in found]


def worded(project: Project, file: str, text: str) -> tuple[TextDocument, list[Diagnostic]]:
    """Return a file of a project as an editor shows it, and the diagnostics in it; `text` is what was read."""
    from callwright.declarations.documents import read_tools_of
    from callwright.lint.files import file_diagnostics, tool_diagnostics

    problems = [problem for name, problem in project.problems if name == file]
    if Path(file) in project.tool_files and all(problem.kind != "tools-unreadable" for problem in problems):
        found = tool_diagnostics(read_tools_of(text, file), project.registry, project.settings)
    else:
        found = file_diagnostics(problems, project.registry, project.settings, text=text, path=file)
    # An editor hides a byte order mark; and the file may have been changed since it was read.
    lead = 1 if text.startswith("\ufeff") else 0
    size = len(text) - lead
    for diagnostic in found:
        start, end = (max(0, min(offset - lead, size)) for offset in diagnostic.span)
        diagnostic.span = Span(start, end)
    return TextDocument.from_text(text[lead:]), found


@dataclass(frozen=True, slots=True)
class Folder:
    """One folder that the editor has open as part of its workspace; `path` is None where it is no folder on disk."""

    uri: str
    name: str
    path: str | None


@dataclass(slots=True)
class Session:
    """Everything that lasts from `initialize` to `exit`.

    Invariant: a document's text changes only by edits that fit it; anything else marks it as out of step, and no answer
    is given from a text that the editor does not have.
    """

    folders: list[Folder] = field(default_factory=list)
    documents: dict[str, OpenDocument] = field(default_factory=dict)
    #: Settings of the editor as a whole, and those of single folders by their URI.
    settings: dict[str, Any] = field(default_factory=dict)
    folder_settings: dict[str, dict[str, Any]] = field(default_factory=dict)
    #: What the editor does not want to be shown beside the text, likewise.
    turned_off: frozenset[str] = frozenset()
    #: Whether long documents are read only as far as `progress` asks for; else all are read at once.
    sliced: bool = False
    folder_turned_off: dict[str, frozenset[str]] = field(default_factory=dict)
    #: What is kept of reading all documents.
    _memo: Memo = field(default_factory=Memo)
    _projects: dict[tuple[str, str | None], LoadedProject] = field(default_factory=dict)
    #: By the path of a tool file, or of a configuration that others build on, the first project that it is part of.
    _owners: dict[str, LoadedProject] = field(default_factory=dict)

    # Documents

    def open(self, uri: str, language: str, version: int, text: str, notebook: Notebook | None = None) -> OpenDocument:
        """Take a document that the editor has opened, the cell of a notebook where one is given.

        One that is a cell already stays one: some clients open cells both ways.
        """
        before = self.documents.get(uri)
        is_cell = notebook is not None or (before is not None and before.cell)
        path = uris.to_path(uri)
        if notebook is not None:
            path = notebook.path
        elif before is not None and before.cell:
            path = before.path
        document = OpenDocument(uri, path, language, version, TextDocument.from_text(text), self.project_of(path))
        document.cell = is_cell
        self.documents[uri] = document
        self._analyse(document)
        return document

    def edit(self, document: OpenDocument, text: TextDocument, edits: Sequence[Edit], version: int) -> None:
        """Take edits that fit the document, and the text that they lead to."""
        document.text = text
        document.version = version
        if document.rendered:
            from callwright.lint.rendered import after_edit

            for edit in edits:
                document.rendered = after_edit(document.rendered, edit)
        # Where the engine fails on a text, the next one is read from its start.
        before, document.snapshot = document.snapshot, None
        reading, document.progress = document.progress, None
        if reading is None and before is not None and self.sliced and document.is_long:
            from callwright.document.progress import Progress
            from callwright.lint.linter import look

            reading = Progress.of(before, look=look, kept=document.kept)
        document.kept = None
        if document.evidence and not self._look_for_evidence(document):
            self._analyse(document)
        elif reading is not None:
            limit = document.project.max_characters
            if (len(text) > limit) != (document.too_long is not None):
                self._analyse(document)
            else:
                document.progress = reading.edit(edits, version)
        elif before is not None:
            document.snapshot = before.edit(edits, version)
        else:
            self._analyse(document)

    def finish(self, document: OpenDocument) -> None:
        """Take the snapshot of a document that has been read to its end."""
        if document.progress is not None:
            document.kept = document.progress.kept()
            document.snapshot, document.progress = document.progress.snapshot, None

    def replace(self, document: OpenDocument, text: str, version: int) -> None:
        """Take a whole new text: whatever was wrong with the old one is over."""
        document.text = TextDocument.from_text(text)
        document.version = version
        document.out_of_step = None
        document.rendered, document.rendered_text = (), None
        self._analyse(document)

    def close(self, uri: str) -> OpenDocument | None:
        """Forget a document; None where it was not open."""
        return self.documents.pop(uri, None)

    def _analyse(self, document: OpenDocument) -> None:
        """Begin a snapshot of a document that is to be diagnosed, end that of one that is not."""
        document.progress = document.too_long = document.kept = None
        self._look_for_evidence(document)
        if not self.is_covered(document):
            document.snapshot = None
            return
        from callwright.document.snapshot import Origin, Snapshot
        from callwright.lint.opening import triage

        project, host = document.project, self._host_of(document)
        if host is None and document.cell:
            # A language that nothing here reads.
            document.snapshot = None
            return
        boundary = str(project.boundary)
        in_slices = self.sliced and document.is_long
        # Deferred content is read at once, no matter who asks for it.
        at_once = None if in_slices else triage
        origin = Origin(document.uri, document.path, document.language, host, boundary, at_once, self._memo)
        opened = partial(
            Snapshot.open,
            document.text,
            origin,
            registry=project.registry,
            settings=project.settings,
            version=document.version,
        )
        if in_slices:
            from callwright.document.progress import Progress
            from callwright.lint.linter import look

            document.snapshot = None
            document.progress = Progress(opened(budget=None), look=look)
            if len(document.text) > project.max_characters:
                document.too_long = project.max_characters
        else:
            document.snapshot = opened()

    @staticmethod
    def _host_of(document: OpenDocument) -> Host | None:
        """Return the host that a document has whatever its name is, None where that is not settled."""
        if document.cell:
            from callwright.hosts.notebook import cell_host

            return cell_host(document.language)
        return document.project.host_of(document.path) if document.path is not None else None

    def is_covered(self, document: OpenDocument) -> bool:
        """Return whether a document is diagnosed: one that a configuration names, and where none names files a prompt
        by its name or language, and a text that may hold calls."""
        return document.evidence or self._is_named(document)

    def _is_named(self, document: OpenDocument) -> bool:
        """Return whether a document is diagnosed whatever its text is."""
        if document.language == LANGUAGE:
            return True
        path = document.path
        if path is None:
            return document.language in PROMPT_LANGUAGES
        if path.endswith(PROMPT_ENDINGS):
            return True
        project = document.loaded.project
        if project.host_of(path) is not None or project.covers(path):
            return True
        if not project.discovers or project.excludes(path):
            return False
        return document.language in PROMPT_LANGUAGES or self.is_prompt_by_name(path)

    def _look_for_evidence(self, document: OpenDocument) -> bool:
        """Record, and return, whether a text is diagnosed because it may contain calls.

        Data and programs are not searched: a call in them counts only where their author states it.
        """
        document.evidence = False
        project, path = document.loaded.project, document.path
        if document.cell or path is None or not project.discovers or project.excludes(path):
            return False
        if self._is_named(document):
            return False
        from callwright.evidence import holds_evidence
        from callwright.hosts.catalogue import choose_host, head_of

        text = document.text.slice(0, min(_ASKED, len(document.text)))
        host = choose_host(path, document.language, head_of(text))
        document.evidence = (host.texts == "plain" or host.name == "yaml") and holds_evidence(text, path)
        return document.evidence

    def is_prompt_by_name(self, path: str) -> bool:
        """Return whether a file has a name that prompts have, from the folder that holds it on, and is prose: a folder
        of prompts also holds programs and data."""
        from callwright.hosts.catalogue import choose_host

        folder = self.folder_of(path)
        inner = path[len(folder.path) :].lstrip("/\\") if folder is not None and folder.path else Path(path).name
        return is_prompt_name(inner) and choose_host(path).texts == "plain"

    # Projects

    def folder_of(self, path: str | None) -> Folder | None:
        """Return the innermost open folder that holds `path`; the first one for a document that is no file."""
        if path is None:
            return next((folder for folder in self.folders if folder.path is not None), None)
        holding = [folder for folder in self.folders if folder.path is not None and _lies_in(path, folder.path)]
        return max(holding, key=lambda folder: len(folder.path or ""), default=None)

    def project_of(self, path: str | None) -> LoadedProject:
        """Return the project that a document belongs to, read on first use and kept until one of its files changes.

        Nothing above the open folder is read; a file outside every folder has only its own folder.
        """
        folder = self.folder_of(path)
        if path is not None:
            place = str(Path(path).parent)
            root = folder.path if folder is not None and folder.path is not None else place
        elif folder is not None and folder.path is not None:
            place = root = folder.path
        else:
            place, root = "", None
        key = (place, root)
        loaded = self._projects.get(key)
        if loaded is None:
            loaded = self._projects[key] = self._load(place, root, folder)
            for document in self.documents.values():
                self._give_tools(document, loaded)
            for file in (*loaded.project.tool_files, *loaded.project.extended):
                self._owners.setdefault(str(file), loaded)
        # Tool files and configurations that others build on may lie outside the folder of the project they are of.
        owner = self._owners.get(path) if path is not None else None
        return owner if owner is not None and loaded.project.host_of(path or "") is None else loaded

    def _load(self, place: str, root: str | None, folder: Folder | None) -> LoadedProject:
        from callwright.config import CONFIGURATION_NAMES, default_project, find_project, override

        base = default_project() if root is None else find_project(str(Path(place, "untitled.prompt")), root=root)
        settings = {**self.settings, **(self.folder_settings.get(folder.uri, {}) if folder is not None else {})}
        project = override(base, settings) if settings else base
        # One configuration governs many folders: its tool files are read once.
        for other in self._projects.values():
            if other.base.file is not None and other.base.file == base.file and other.base.root == base.root:
                return other
        watched = {str(file) for file in (*project.tool_files, *project.extended)}
        watched |= {str(Path(above, name)) for above in _upwards(place, root) for name in CONFIGURATION_NAMES}
        return LoadedProject(project, base, {file: _stamp(file) for file in watched})

    def is_stale(self) -> bool:
        """Return whether a file that a project was read from has changed since."""
        return any(_stamp(file) != stamp for loaded in self._projects.values() for file, stamp in loaded.stamps.items())

    def concerns(self, path: str) -> bool:
        """Return whether a change of this file can change a project: a configuration, a tool file, a new one, or a file
        that was asked for names."""
        from callwright.config import CONFIGURATION_NAMES

        if Path(path).name in CONFIGURATION_NAMES:
            return True
        known = self._projects.values()
        return self.asks(path) or any(path in loaded.stamps or loaded.project.may_name(path) for loaded in known)

    def asks(self, path: str) -> bool:
        """Return whether names were sought in this file, or would have been: as evidence for what a tag is."""
        return any(loaded.project.asks(path) for loaded in self._projects.values())

    def concerns_folder(self, path: str) -> bool:
        """Return whether a folder holds a file that a project was read from, or may hold new ones."""
        return os.path.isdir(path) or any(  # noqa: PTH112 - `is_dir` raises for a name that is too long
            _lies_in(file, path) and stamp is not None
            for loaded in self.known_projects()
            for file, stamp in loaded.stamps.items()
        )

    def take_tools(self, document: OpenDocument) -> bool:
        """Let projects have the tools of one of their files as it is typed; return whether that changes anything.

        A text that is not in its language is left alone: it is in the middle of an edit, and every call of a tool that
        is missing for that moment would flash.
        """
        from callwright.document.blocks import DIAGNOSTICS
        from callwright.prompt.named import document_of
        from callwright.tools.formats.base import INVALID

        snapshot, path = document.snapshot, document.path
        if path is None or snapshot is None or snapshot.host.holds != "tools" or document.out_of_step is not None:
            return False
        # Of a text that was not judged yet nothing is taken.
        typed = document_of(snapshot) if DIAGNOSTICS.known(snapshot.blocks[0]) else None
        if typed is None or any(problem.kind == INVALID for problem in typed.problems):
            return False
        document.readable = typed.registry
        changed = [self._give_tools(document, loaded) for loaded in self.known_projects()]
        if any(changed):
            self._reread()
        return any(changed)

    @staticmethod
    def _give_tools(document: OpenDocument, loaded: LoadedProject) -> bool:
        """Let a project have the tools of a document, as they could be read last; return whether it had others."""
        tools, path = document.readable, document.path
        if tools is None or path is None or not loaded.project.is_tool_file(path):
            return False
        if _same(tools, loaded.project.tools_in(Path(path))):
            return False
        from callwright.config import with_file

        loaded.project = with_file(loaded.project, Path(path), tools)
        loaded._found_diagnostics = None  # noqa: SLF001 - it belongs to the session
        document.taken = True
        return True

    def is_tool_file(self, document: OpenDocument) -> bool:
        """Return whether a project has tools from this file."""
        path = document.path
        return path is not None and any(loaded.project.is_tool_file(path) for loaded in self.known_projects())

    def reload(self) -> None:
        """Read every project again, and every document under its new settings.

        Of an open tool file the text in the editor counts, or the last version of it that could be read.
        """
        self._projects.clear()
        self._owners.clear()
        for document in self.documents.values():
            document.taken = False
        for document in self.documents.values():
            document.loaded = self.project_of(document.path)
        self._reread()

    def _reread(self) -> None:
        """Read every document under the new settings of its project."""
        for document in self.documents.values():
            project, host = document.project, self._host_of(document)
            before = document.snapshot
            long = self.sliced and document.is_long
            self._look_for_evidence(document)
            if before is None or long or not self.is_covered(document) or before.origin.host is not host:
                self._analyse(document)
            else:
                document.snapshot = before.with_project(project.registry, project.settings)

    def projects(self) -> list[LoadedProject]:
        """Return the projects that open documents belong to, each once."""
        found: dict[int, LoadedProject] = {}
        for document in self.documents.values():
            found.setdefault(id(document.loaded), document.loaded)
        return list(found.values())

    def turned_off_in(self, document: OpenDocument) -> frozenset[str]:
        """Return what is not wanted beside the text of a document."""
        folder = self.folder_of(document.path)
        return self.folder_turned_off.get(folder.uri, self.turned_off) if folder is not None else self.turned_off

    def turned_off_everywhere(self) -> list[frozenset[str]]:
        """Return what is not wanted beside the text, outside the folders and in each of them."""
        return [self.turned_off, *(self.folder_turned_off.get(each.uri, self.turned_off) for each in self.folders)]

    def known_projects(self) -> list[LoadedProject]:
        """Return the projects that were read so far, each once."""
        return list({id(each): each for each in self._projects.values()}.values())

    def holds(self, path: str) -> bool:
        """Return whether a file lies in one of the folders, or is open."""
        return self.folder_of(path) is not None or any(each.path == path for each in self.documents.values())

    # What a person asks about

    def status(self, document: OpenDocument) -> dict[str, Any]:
        """Return what is in force in a document: its tools, its dialect, its configuration; and what was found."""
        project, snapshot = document.project, document.snapshot
        own = snapshot.own_tools.registry if snapshot is not None and snapshot.is_own else None
        tools = own if own is not None else project.registry
        status = {
            "uri": document.uri,
            "tools": len(tools.names),
            "toolSets": list(tools.tool_sets),
            "dialect": project.settings.dialect,
            "host": snapshot.kind if snapshot is not None else None,
            "configuration": str(project.file) if project.file is not None else None,
            "problems": document.diagnostics,
        }
        if own is not None:
            status["own"] = True
        return status if document.too_long is None else {**status, "tooLong": True}

    def add_folder(self, value: Mapping[str, Any]) -> None:
        """Take a folder that the editor has opened."""
        uri = value.get("uri")
        if isinstance(uri, str):
            self.folders.append(Folder(uri, str(value.get("name", "")), uris.to_path(uri)))

    def remove_folder(self, value: Mapping[str, Any]) -> None:
        """Forget a folder that the editor has closed."""
        self.folders = [folder for folder in self.folders if folder.uri != value.get("uri")]


def _same(one: ToolRegistry, other: ToolRegistry) -> bool:
    """Return whether two registries have the same tools, wherever they are defined."""
    return len(one) == len(other) and all(
        replace(mine, origin=its.origin) == its for mine, its in zip(one, other, strict=True)
    )


def _lies_in(path: str, folder: str) -> bool:
    """Return whether a path lies in a folder, by their text."""
    return path == folder or path.startswith(folder.rstrip("/\\") + os.sep)


def _upwards(place: str, root: str | None) -> list[str]:
    """Return `place` and the folders above it, up to `root`."""
    if root is None:
        return []
    found = [place]
    while place != root and _lies_in(place, root):
        above = str(Path(place).parent)
        if above == place:
            break
        place = above
        found.append(place)
    return found


def _stamp(file: str) -> tuple[int, int] | None:
    """Return what differs between two versions of a file, without reading them; None where there is no such file."""
    try:
        state = Path(file).stat()
    except OSError:
        return None
    return (state.st_mtime_ns, state.st_size)
