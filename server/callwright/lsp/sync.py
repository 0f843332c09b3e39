"""Synchronisation: documents, notebooks, settings and files change here as they do in the editor.

Owns: what each notification that changes something means for the session, and which documents become stale by it. Must
not know: requests, how a document is read, what is found in it.

An edit goes to the session, which edits the snapshot, and `Publisher.touch` has the diagnostics found in time.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from callwright.lsp import settings as editor_settings
from callwright.lsp import wire
from callwright.lsp.connection import ERROR, INFO, WARNING, InvalidParamsError
from callwright.lsp.publish import too_long
from callwright.lsp.session import Session
from callwright.lsp.uris import to_path

if TYPE_CHECKING:
    from callwright.lsp.chat_templates import ChatTemplates
    from callwright.lsp.connection import Connection
    from callwright.lsp.context import Context
    from callwright.lsp.handshake import Handshake
    from callwright.lsp.notebooks import Notebook
    from callwright.lsp.publish import Publisher
    from callwright.lsp.scheduler import Scheduler
    from callwright.lsp.session import OpenDocument
    from callwright.text.span import Edit

#: How long the first documents wait for the editor's settings, in seconds: diagnostics without them would flash up.
SETTINGS_WAIT: Final = 1.0
#: The title under which a client shows the first load.
_LOADING: Final = "callwright-loading"


def begin_session(handshake: Handshake) -> Session:
    """Return a new session for the parameters of `initialize`."""
    session = Session(settings=handshake.settings, turned_off=handshake.turned_off, sliced=True)
    folders = handshake.params.get("workspaceFolders")
    root = handshake.params.get("rootUri")
    if isinstance(folders, list):
        for folder in folders:
            if isinstance(folder, Mapping):
                session.add_folder(folder)
    elif isinstance(root, str):
        session.add_folder({"uri": root})
    return session


class Sync:
    """The documents and settings of one client."""

    def __init__(
        self,
        connection: Connection,
        scheduler: Scheduler,
        context: Context,
        handshake: Handshake,
        publisher: Publisher,
        chat_templates: ChatTemplates,
    ) -> None:
        self._connection = connection
        self._scheduler = scheduler
        self._session = context.session
        self._encoding = context.encoding
        self._handshake = handshake
        self._publisher = publisher
        self._chat_templates = chat_templates
        self._loaded = False

    # Documents

    def did_open(self, params: Any) -> None:
        """Take a document that the client has opened."""
        self.open_document(wire.member(params, "textDocument"))

    def open_document(self, item: Any, notebook: Notebook | None = None) -> None:
        """Take a document that the client has opened, the cell of a notebook where one is given."""
        uri = wire.text_member(item, "uri")
        text = wire.text_member(item, "text")
        language = wire.text_member(item, "languageId")
        version = wire.number_member(item, "version")
        if uri in self._session.documents:
            self._connection.log(WARNING, f"{uri} was opened twice; the later text is used")
        if self._session.is_stale():
            self._reload()
        with self._reported_of_the_first_load():
            document = self._session.open(uri, language, version, text, notebook)
        self._publisher.touch(document)
        self._publisher.touch_projects()
        self._chat_templates.take(document)
        if document.too_long is not None:
            self._connection.notify(
                "window/showMessage", {"type": INFO, "message": f"Callwright: {too_long(document)}"}
            )

    @contextlib.contextmanager
    def _reported_of_the_first_load(self) -> Iterator[None]:
        """Let a client that shows progress show that tools and settings are being read, which the first document waits
        for."""
        if self._loaded or self._handshake.can("window.workDoneProgress") is not True:
            yield
            return
        self._loaded = True
        self._connection.request("window/workDoneProgress/create", {"token": _LOADING})
        begin = {"kind": "begin", "title": "Callwright is loading tools and settings"}
        self._connection.notify("$/progress", {"token": _LOADING, "value": begin})
        try:
            yield
        finally:
            self._connection.notify("$/progress", {"token": _LOADING, "value": {"kind": "end"}})

    def is_open(self, uri: str) -> bool:
        """Return whether there is such a document."""
        return uri in self._session.documents

    def change_document(self, params: Any) -> None:
        """Take changes of a document, one after another."""
        uri = wire.text_member(params, "textDocument", "uri")
        document = self._session.documents.get(uri)
        if document is None:
            raise InvalidParamsError(f"{uri} is not open")
        changes = wire.member(params, "contentChanges")
        if not isinstance(changes, list):
            raise InvalidParamsError("`contentChanges` must be a list")
        given = wire.member(params, "textDocument").get("version")
        version = wire.number_member(params, "textDocument", "version") if given is not None else document.version + 1
        whole = [at for at, change in enumerate(changes) if isinstance(change, Mapping) and change.get("range") is None]
        if version < document.version and not whole:
            self._lose_step(document, f"version {version} came after version {document.version}")
            return
        if whole and (document.out_of_step is not None or version < document.version):
            # A whole text needs nothing from before it.
            self._session.replace(document, wire.text_member(changes[whole[-1]], "text"), version)
            changes = changes[whole[-1] + 1 :]
            self._connection.log(INFO, f"{uri} is in sync again")
        if document.out_of_step is not None:
            document.version = version
            return
        text = document.text
        edits: list[Edit] = []
        try:
            for change in changes:
                edit = wire.from_lsp_change(text, change, self._encoding)
                text = text.replace(edit.span, edit.text)
                edits.append(edit)
        except (wire.OutOfStepError, InvalidParamsError) as error:
            document.version = version
            self._lose_step(document, str(error))
            return
        self._session.edit(document, text, edits, version)
        self._publisher.touch(document)

    def lose_document(self, uri: str, reason: str) -> None:
        """Stop answering from a text that is not the editor's."""
        document = self._session.documents.get(uri)
        if document is not None:
            self._lose_step(document, reason)

    def _lose_step(self, document: OpenDocument, reason: str) -> None:
        """Stop answering from a text that is not the editor's, and report how to repair it."""
        first = document.out_of_step is None
        document.out_of_step = reason
        words = (
            f"{document.uri}: a change does not fit the server's copy of the text ({reason}), so this document is "
            "not checked until it is saved or reopened"
        )
        self._connection.log(ERROR, words)
        if first:
            self._connection.notify("window/showMessage", {"type": WARNING, "message": f"Callwright: {words}."})
        self._publisher.touch(document)

    def did_save(self, params: Any) -> None:
        """Handle a saved document; its text repairs one that is out of step."""
        uri = wire.text_member(params, "textDocument", "uri")
        document = self._session.documents.get(uri)
        text = params.get("text")
        if document is not None and document.out_of_step is not None and isinstance(text, str):
            self._session.replace(document, text, document.version)
            self._connection.log(INFO, f"{uri} is in sync again")
            self._publisher.touch(document)
            self._publisher.refresh()
        self.after_saving(to_path(uri))
        if document is not None:
            self._chat_templates.take(document)

    def after_saving(self, path: str | None = None) -> None:
        """Take notice that a file was written, the one at `path` where that is known."""
        if self._session.is_stale() or (path is not None and self._session.asks(path)):
            self._reload()

    def did_close(self, params: Any) -> None:
        """Forget a document that the client has closed."""
        self.close_document(wire.text_member(params, "textDocument", "uri"))

    def close_document(self, uri: str) -> None:
        """Forget a document, and clear its diagnostics."""
        document = self._session.close(uri)
        self._publisher.forget(uri)
        self._chat_templates.forget(uri)
        if document is None:
            raise InvalidParamsError(f"{uri} is not open")
        self._publisher.take_back(uri)
        if document.taken:
            # What was not saved is gone, and the file counts again.
            self._reload()
        else:
            self._publisher.tools_may_have_moved(document)
        self._publisher.touch_projects()
        self._scheduler.take_up()
        if document.snapshot is not None:
            self._scheduler.garbage.drop(document.snapshot.blocks)
        if document.kept is not None:
            self._scheduler.garbage.drop(block for tail in document.kept.waiting for block in tail.blocks)
        if document.is_long and not any(each.is_long for each in self._session.documents.values()):
            self._scheduler.garbage.rest()

    # Files and settings

    def did_change_watched_files(self, params: Any) -> None:
        """Take notice of files that have changed on disk."""
        changes = wire.member(params, "changes")
        paths = [to_path(wire.text_member(change, "uri")) for change in changes if isinstance(change, Mapping)]
        if any(path is not None and self._session.concerns(path) for path in paths):
            self._reload()

    def did_move_files(self, params: Any) -> None:
        """Handle files or folders that the editor has created, moved or removed, without waiting for a watcher."""
        files = wire.member(params, "files")
        keys = ("uri", "oldUri", "newUri")
        moved = [file for file in files if isinstance(file, Mapping)] if isinstance(files, list) else []
        paths = [to_path(file[key]) for file in moved for key in keys if isinstance(file.get(key), str)]
        if self._session.is_stale() or any(
            path is not None and (self._session.concerns(path) or self._session.concerns_folder(path)) for path in paths
        ):
            self._reload()

    def did_change_configuration(self, params: Any) -> None:
        """Take the settings that the client pushes, or ask for them."""
        if self._handshake.can("workspace.configuration"):
            self.ask_for_settings()
            return
        pushed = params.get("settings") if isinstance(params, Mapping) else None
        stated = editor_settings.is_stated(pushed)
        self._session.settings = editor_settings.from_section(pushed) if stated else self._handshake.settings
        self._session.turned_off = editor_settings.turned_off(pushed) if stated else self._handshake.turned_off
        self._reload()

    def did_change_workspace_folders(self, params: Any) -> None:
        """Take folders that came or went."""
        for kind, take in (("removed", self._session.remove_folder), ("added", self._session.add_folder)):
            folders = wire.member(params, "event", kind)
            for folder in folders if isinstance(folders, list) else ():
                if isinstance(folder, Mapping):
                    take(folder)
        self._reload()
        if self._handshake.can("workspace.configuration"):
            self.ask_for_settings()

    def await_settings(self) -> None:
        """Ask for the settings, and hold back what comes before they do."""
        self._scheduler.hold(SETTINGS_WAIT)
        self.ask_for_settings()

    def ask_for_settings(self) -> None:
        """Ask the editor for its settings: of the whole, then of each folder."""
        folders = [folder.uri for folder in self._session.folders]
        items: list[dict[str, Any]] = [{"section": editor_settings.SECTION}]
        items += [{"scopeUri": uri, "section": editor_settings.SECTION} for uri in folders]

        def take(result: Any) -> None:
            values = result if isinstance(result, list) else []
            before = (self._session.settings, self._session.folder_settings)
            shown = self._session.turned_off_everywhere()
            if values:
                own, *others = [editor_settings.from_section(value) for value in values]
                # An answer counts, even one that sets nothing any more; null is none.
                self._session.settings = own if isinstance(values[0], Mapping) else self._handshake.settings
                # Nothing set is nothing new: what was read before the first answer need not be read again.
                self._session.folder_settings = {uri: one for uri, one in zip(folders, others, strict=False) if one}
                off, *others_off = [
                    editor_settings.turned_off(value) if isinstance(value, Mapping) else None for value in values
                ]
                self._session.turned_off = off if off is not None else self._handshake.turned_off
                self._session.folder_turned_off = {
                    uri: one for uri, one in zip(folders, others_off, strict=False) if one is not None
                }
            if before != (self._session.settings, self._session.folder_settings):
                self._reload()
            elif shown != self._session.turned_off_everywhere():
                self._publisher.refresh_views()
                self._chat_templates.settings_changed()
            self._scheduler.release()

        self._connection.request("workspace/configuration", {"items": items}, take)

    def _reload(self) -> None:
        """Read the projects again and publish what has changed."""
        self._session.reload()
        for document in self._session.documents.values():
            self._publisher.touch(document)
        self._publisher.touch_projects()
        self._publisher.refresh()
        self._chat_templates.settings_changed()
