"""Publishing: what is sent to the client about documents and requests without, or before, an answer.

Owns: pushed diagnostics, pulled ones, parts of results and progress, and what was sent to the client last. Must not
know: how a document changes, which requests there are, how a diagnostic is found.

After an edit `touch` schedules the document. Once there is time, `_check` has it read, where that is not done yet, and
its diagnostics found, both in slices if it is long; `_checked` sends them. A client that fetches diagnostics is pushed
none for the documents that it has open.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from callwright.features.base import Request
from callwright.lsp import deadlines, wire
from callwright.lsp.connection import CONTENT_MODIFIED, WARNING, Encoded, ResponseError
from callwright.lsp.scheduler import Steps
from callwright.lsp.uris import from_path

if TYPE_CHECKING:
    from pathlib import Path

    from callwright.features.base import Edge, Feature
    from callwright.lsp.connection import Connection
    from callwright.lsp.context import Context
    from callwright.lsp.handshake import Handshake
    from callwright.lsp.scheduler import Scheduler
    from callwright.lsp.session import OpenDocument
    from callwright.lsp.workspace import Workspace
    from callwright.rules.base import Diagnostic
    from callwright.text.document import TextDocument

DIAGNOSTIC: Final = "textDocument/diagnostic"
STATUS: Final = "callwright/status"
#: Sent to a client that asks for it: tools or settings have changed.
_CHANGED: Final = "callwright/changed"
#: Under which key the files of projects are scheduled; documents are under their addresses.
_PROJECTS: Final = ""
#: How often a client gets the progress of a search, in seconds.
_REPORT: Final = 0.2
_OUT_OF_STEP: Final = "Callwright is out of sync with the editor. Save the document, or close and reopen it."


class Publisher:
    """What is sent to one client."""

    def __init__(
        self,
        connection: Connection,
        scheduler: Scheduler,
        context: Context,
        handshake: Handshake,
        features: Mapping[str, Feature[Any]],
    ) -> None:
        self._connection = connection
        self._scheduler = scheduler
        self._context = context
        self._session = context.session
        self._handshake = handshake
        self._features = features
        #: Documents that are checked again for where it is defined what their diagnostics are held against.
        self._again: set[str] = set()
        self._published: set[str] = set()
        self._of_projects: dict[str, list[dict[str, Any]]] = {}
        self._reported: set[str] = set()
        #: The configurations of the documents that are open, as they were last sent to the view of the tools.
        self._project_files: set[Path | None] = set()

    # Diagnostics of documents

    def touch(self, document: OpenDocument) -> None:
        """Have a document's diagnostics published once there is time; what is under way for it is ended."""
        self._scheduler.abandon(document.uri)
        self._again.discard(document.uri)
        uri = document.uri
        self._scheduler.schedule(uri, "diagnostics", partial(self._check_open, uri))

    def rendered(self, document: OpenDocument) -> None:
        """Publish what was found in a document by rendering its chat templates."""
        self.touch(document)
        self._refresh_diagnostics()

    def forget(self, uri: str) -> None:
        """End what is due or under way for a document that is closed."""
        self._scheduler.forget(uri)
        self._again.discard(uri)

    def take_back(self, uri: str) -> None:
        """Take back what was pushed for a document."""
        if uri in self._published:
            self.send(uri, [], None)

    def _check_open(self, uri: str) -> None:
        document = self._session.documents.get(uri)
        if document is not None:
            self._check(document)

    def _check(self, document: OpenDocument) -> None:
        """Check a document, which is read first where it has not been, and publish its diagnostics."""
        if document.is_being_read:
            if document.progress is not None:
                self._begin(document, "reading", document.progress.run, lambda _snapshot: self._has_read(document))
        elif document.is_long and document.too_long is None:
            self._begin(document, "diagnostics", partial(self.items, document), partial(self._checked, document))
        else:
            self._checked(document, self.items(document))

    def _begin(self, document: OpenDocument, what: str, do: Callable[[], Any], done: Callable[[Any], object]) -> None:
        late = partial(self._report_so_far, document)
        self._scheduler.begin(document.uri, what, do, done=done, about=document, late=late)

    def _has_read(self, document: OpenDocument) -> None:
        """Take up what waited for a document to be read."""
        spare = document.progress.spare if document.progress is not None else ()
        self._session.finish(document)
        if document.kept is None:
            self._scheduler.garbage.drop(spare)
        self.touch(document)
        self._scheduler.take_up()

    def _report_so_far(self, document: OpenDocument) -> None:
        """Push what is known of a document whose analysis takes long, and that more is to come.

        A client that fetches diagnostics keeps those of the version before until it has been answered.
        """
        from callwright.lint.linter import diagnostics_so_far

        if self._handshake.pulls and document.shown is not None:
            return
        progress, size = document.progress, len(document.text)
        snapshot, read = (document.snapshot, size) if progress is None else (progress.so_far(), progress.at)
        found = diagnostics_so_far(snapshot, deadlines.MAX_COUNT) if snapshot is not None else []
        if not found and document.uri in self._published:
            # The diagnostics of the version before are still shown there, which is better than none.
            return
        edge = self._context.edge(document)
        note = _note(deadlines.still_reading(read, size, len(found)))
        self.send(document.uri, [note, *map(edge.to_lsp_diagnostic, found)], document.version)

    def _checked(self, document: OpenDocument, items: list[dict[str, Any]]) -> None:
        """Push the diagnostics of a document to a client that does not fetch them, and send its status."""
        reported_before = document.deadline.met()
        before, document.elsewhere = document.elsewhere, _places_elsewhere(document.uri, items)
        if document.uri in self._again:
            self._again.discard(document.uri)
            if document.elsewhere != before:
                self.send(document.uri, items, document.version)
        elif not self._handshake.pulls:
            self.send(document.uri, items, document.version)
        elif reported_before and document.uri in self._published:
            # The client has fetched it, or is about to.
            self.send(document.uri, [], document.version)
        document.diagnostics = len(items)
        if self._session.take_tools(document):
            for other in self._session.documents.values():
                self.touch(other)
            self.touch_projects()
            self.refresh()
        else:
            self.tools_may_have_moved(document)
        status = self._session.status(document)
        if status != document.shown:
            document.shown = status
            self._connection.notify(STATUS, status)

    def tools_may_have_moved(self, document: OpenDocument) -> None:
        """Publish the documents again whose diagnostics point into a tool file that was changed."""
        if self._handshake.pulls:
            return
        others = [each for each in self._session.documents.values() if each is not document and each.diagnostics]
        if not others or not self._session.is_tool_file(document):
            return
        for other in others:
            if not self._scheduler.is_scheduled(other.uri):
                self.touch(other)
                self._again.add(other.uri)

    def send(self, uri: str, items: list[dict[str, Any]], version: int | None) -> None:
        """Push the diagnostics of a document, in place of all that were pushed for it."""
        if not items:
            self._published.discard(uri)
        else:
            self._published.add(uri)
        params: dict[str, Any] = {"uri": uri, "diagnostics": items}
        if version is not None:
            params["version"] = version
        self._connection.notify("textDocument/publishDiagnostics", params)

    def items(self, document: OpenDocument) -> list[dict[str, Any]]:
        """Return a document's diagnostics as plain data."""
        if document.out_of_step is not None:
            return [_note(_OUT_OF_STEP)]
        if document.too_long is not None:
            return [_note(too_long(document))]
        shown: list[dict[str, Any]] = []
        if document.snapshot is not None:
            feature = self._features[DIAGNOSTIC]
            request = Request(client=self._context.client, workspace=self._context.workspace(document))
            shown = feature.to_lsp(feature.handle(document.snapshot, request), self._context.edge(document))
        if document.rendered:
            edge = self._context.edge(document)
            shown = [*shown, *map(edge.to_lsp_diagnostic, document.rendered)]
        return shown

    # Diagnostics that are fetched

    def pull(self, params: Any) -> dict[str, Any] | Steps:
        """Return a document's diagnostics, or that they are those that the client has already."""
        document = self._session.documents.get(wire.text_member(params, "textDocument", "uri"))
        if document is not None and document.is_long and document.snapshot is not None:
            return Steps(self._pulling(document, params))
        return _pulled(params, self.items(document) if document is not None else [])

    def _pulling(self, document: OpenDocument, params: Any) -> Generator[None, None, dict[str, Any]]:
        """Do what `pull` does, in slices."""
        snapshot = document.snapshot
        items = yield from self._scheduler.in_slices(lambda: self.items(document))
        if document.snapshot is not snapshot:
            raise ResponseError(CONTENT_MODIFIED, f"the document was changed while `{DIAGNOSTIC}` was answered")
        return _pulled(params, items)

    # The files of projects

    def touch_projects(self) -> None:
        """Have the diagnostics in configurations and tool files published once there is time."""
        self._scheduler.schedule(_PROJECTS, "configuration", self._publish_projects)

    def _publish_projects(self) -> None:
        """Publish what is found in configurations and tool files, and take back what no longer is.

        A file that is open is a document like any other, whose diagnostics are pushed or fetched with its own.
        """
        is_open = {document.path for document in self._session.documents.values()}
        shown: dict[str, list[dict[str, Any]]] = {}
        for loaded in self._session.projects():
            for path, found in loaded.diagnostics().items():
                if path not in is_open:
                    shown[from_path(path)] = self._file_items(found)
            for words in loaded.stated_wrongly():
                if words not in self._reported:
                    self._reported.add(words)
                    self._connection.log(WARNING, f"the editor's settings: {words}")
        for uri in self._of_projects.keys() - shown.keys():
            self.send(uri, [], None)
        for uri, items in shown.items():
            if self._of_projects.get(uri) != items:
                self.send(uri, items, None)
        files = {loaded.project.file for loaded in self._session.projects()}
        if (files, shown) != (self._project_files, self._of_projects):
            self._report_changed()
        self._project_files, self._of_projects = files, shown

    def _file_items(self, found: tuple[TextDocument, list[Diagnostic]]) -> list[dict[str, Any]]:
        """Return what is found in one file as a part of a project: its configuration, or one of its tool files."""
        text, diagnostics = found
        edge = self._context.edge_of(text)
        return [edge.to_lsp_diagnostic(diagnostic) for diagnostic in diagnostics]

    # What a client should ask for again

    def refresh(self) -> None:
        """Ask a client that fetches diagnostics itself to do so, and whatever else it may ask for again."""
        self.refresh_views()
        self._report_changed()
        self._refresh_diagnostics()

    def _refresh_diagnostics(self) -> None:
        if self._handshake.pulls and (
            self._handshake.can("workspace.diagnostics.refreshSupport")
            or self._handshake.can("workspace.diagnostic.refreshSupport")
        ):
            self._connection.request("workspace/diagnostic/refresh", None)

    def refresh_views(self) -> None:
        """Ask a client to ask again for what is shown beside the text."""
        for feature in self._features.values():
            capability = f"{feature.refresh.removesuffix('/refresh').replace('/', '.')}.refreshSupport"
            if feature.refresh and self._handshake.can(capability):
                self._connection.request(feature.refresh, None)

    def _report_changed(self) -> None:
        if self._handshake.can("experimental.callwrightChanged"):
            self._connection.notify(_CHANGED, {})

    def status(self, params: Any) -> dict[str, Any] | None:
        """Return the status of a document."""
        uri = params.get("uri") if isinstance(params, Mapping) else None
        if not isinstance(uri, str):
            uri = wire.text_member(params, "textDocument", "uri")
        document = self._session.documents.get(uri)
        if document is None:
            return None
        if not document.is_long:
            document.diagnostics = len(self.items(document))
        return self._session.status(document)


class Reporter:
    """What is sent to a client about one request before the answer: its progress, and parts of its result.

    Each is sent only where the client gave a token for it.
    """

    def __init__(self, connection: Connection, feature: Feature[Any], params: Any, workspace: Workspace) -> None:
        self._connection = connection
        self._feature = feature
        self._workspace = workspace
        self._work: Any = getattr(params, "work_done_token", None)
        self._part: Any = getattr(params, "partial_result_token", None) if feature.nothing is not None else None
        self._stated = 0.0

    @property
    def sends_parts(self) -> bool:
        """Whether the client wants the parts of the result as they are found."""
        return self._part is not None

    def send_part(self, part: Any, edge: Edge) -> None:
        """Send what was found since the last part."""
        if self._part is not None and part is not None:
            value = shown(self._feature, part, edge)
            self._connection.notify("$/progress", {"token": self._part, "value": value})

    def report(self, last: bool) -> None:
        """Send the progress of the request."""
        now = time.monotonic()
        if self._work is None or (not last and now - self._stated < _REPORT):
            return
        value: dict[str, Any] = {"kind": "end"}
        if not last:
            value = {"kind": "report" if self._stated else "begin"}
            if not self._stated:
                value.update(title="Callwright is scanning the workspace", cancellable=True)
            if self._workspace.total:
                value["message"] = f"{self._workspace.done} of {self._workspace.total} files"
                value["percentage"] = 100 * self._workspace.done // self._workspace.total
        elif not self._stated:
            return
        self._stated = now
        self._connection.notify("$/progress", {"token": self._work, "value": value})


def shown(feature: Feature[Any], result: Any, edge: Edge) -> Any:
    """Return a feature's result as it is sent."""
    return feature.to_lsp(result, edge) if feature.to_json is None else Encoded(feature.to_json(result, edge))


def too_long(document: OpenDocument) -> str:
    """Return in words what is not done for a document that is too long."""
    return (
        f"This document has {len(document.text):,} characters, more than the limit of {document.too_long:,}. It is "
        "not checked; completion, hover and signature help use the text around the cursor. `max_characters` in "
        "`callwright.toml` changes the limit."
    )


def _note(words: str) -> dict[str, Any]:
    """Return a diagnostic at the top of a document that is about all of it."""
    place = {"line": 0, "character": 0}
    return {"range": {"start": place, "end": place}, "severity": 3, "source": wire.SOURCE, "message": words}


def _pulled(params: Any, items: list[dict[str, Any]]) -> dict[str, Any]:
    """Return diagnostics, or that they are those that the client has already."""
    import hashlib

    result = hashlib.blake2b(json.dumps(items).encode("ascii"), digest_size=12).hexdigest()
    if params.get("previousResultId") == result:
        return {"kind": "unchanged", "resultId": result}
    return {"kind": "full", "resultId": result, "items": items}


def _places_elsewhere(uri: str, items: Sequence[Mapping[str, Any]]) -> list[tuple[int, Any]]:
    """Return the related places of diagnostics in other documents, each with the number of the diagnostic."""
    return [
        (number, related)
        for number, item in enumerate(items)
        for related in item.get("relatedInformation", ())
        if related["location"]["uri"] != uri
    ]
