"""Notebooks: which cells of which notebook the editor has open, and what their events mean for documents.

Owns: the events of the notebook protocol. To the rest of the server a cell is a document like any other, whose project
is that of the notebook's file. Must not know: how a document is read, checked or answered about, the wire's frames.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, Protocol

from callwright.lsp import uris, wire
from callwright.lsp.connection import InvalidParamsError

#: Sent to a client: cells of any language in notebooks of any kind; the server itself decides which count.
OPTIONS: Final[dict[str, Any]] = {"notebookSelector": [{"notebook": "*"}], "save": True}


class Documents(Protocol):
    """What is done with the document that a cell is."""

    def open_document(self, item: Any, notebook: Notebook | None = None) -> None:
        """Take a document that the client has opened."""

    def change_document(self, params: Any) -> None:
        """Take changes of a document."""

    def close_document(self, uri: str) -> None:
        """Forget a document."""

    def is_open(self, uri: str) -> bool:
        """Return whether there is such a document."""

    def lose_document(self, uri: str, reason: str) -> None:
        """Give no answers about a document any more: its text here is not the client's."""

    def after_saving(self) -> None:
        """Take notice that a file was written."""


@dataclass(slots=True)
class Notebook:
    """A notebook that is open; `path` is None where it is no file."""

    uri: str
    path: str | None
    version: int
    cells: list[str] = field(default_factory=list)


class Notebooks:
    """The notebooks of a session.

    Invariant: each part of an event that can be understood is obeyed, whatever is wrong with the others; what is wrong
    is raised at the end, for the log.
    """

    def __init__(self, documents: Documents) -> None:
        """Keep the cells in `documents`."""
        self._documents = documents
        self._open: dict[str, Notebook] = {}

    def handlers(self) -> Iterator[tuple[str, Callable[[Any], None]]]:
        """Yield the methods of the protocol, each with what obeys it."""
        yield "notebookDocument/didOpen", self._did_open
        yield "notebookDocument/didChange", self._did_change
        yield "notebookDocument/didSave", self._did_save
        yield "notebookDocument/didClose", self._did_close

    def _did_open(self, params: Any) -> None:
        uri = wire.text_member(params, "notebookDocument", "uri")
        version = wire.number_member(params, "notebookDocument", "version")
        before = self._open.get(uri)
        notebook = self._open[uri] = Notebook(uri, uris.to_path(uri), version)
        faults = _Faults()
        notebook.cells = _uris(wire.member(params, "notebookDocument").get("cells"), faults)
        self._open_cells(notebook, params.get("cellTextDocuments"), faults)
        for cell in before.cells if before is not None else ():
            if cell not in notebook.cells:
                self._close_cell(cell)
        if before is not None:
            faults.add(f"{uri} was opened twice; the later cells are used")
        faults.report()

    def _did_change(self, params: Any) -> None:
        notebook = self._known(params)
        version = wire.number_member(params, "notebookDocument", "version")
        if version < notebook.version:
            reason = f"version {version} of its notebook came after version {notebook.version}"
            for cell in notebook.cells:
                self._documents.lose_document(cell, reason)
            return
        notebook.version = version
        cells = wire.member(params, "change").get("cells") if isinstance(params.get("change"), Mapping) else None
        if not isinstance(cells, Mapping):
            # Only metadata.
            return
        faults = _Faults()
        structure = cells.get("structure")
        if isinstance(structure, Mapping):
            self._restructure(notebook, structure, faults)
        for change in _items(cells.get("textContent"), "textContent", faults):
            with_changes = {"textDocument": change.get("document"), "contentChanges": change.get("changes")}
            faults.guard(partial(self._documents.change_document, with_changes))
        faults.report()

    def _restructure(self, notebook: Notebook, structure: Mapping[str, Any], faults: _Faults) -> None:
        """Take the cells that came, went or moved.

        A cell whose language was changed is closed and opened in one event.
        """
        before = list(notebook.cells)
        faults.guard(partial(_splice, notebook.cells, structure.get("array")))
        closed = [
            each["uri"]
            for each in _items(structure.get("didClose"), "didClose", faults)
            if isinstance(each.get("uri"), str)
        ]
        kept = set(notebook.cells)
        for cell in dict.fromkeys([*closed, *(cell for cell in before if cell not in kept)]):
            self._close_cell(cell)
        self._open_cells(notebook, structure.get("didOpen"), faults)

    def _did_save(self, params: Any) -> None:
        self._known(params)
        self._documents.after_saving()

    def _did_close(self, params: Any) -> None:
        uri = wire.text_member(params, "notebookDocument", "uri")
        notebook = self._open.pop(uri, None)
        if notebook is None:
            raise InvalidParamsError(f"{uri} is not open")
        faults = _Faults()
        named = _items(params.get("cellTextDocuments"), "cellTextDocuments", faults)
        own = [each["uri"] for each in named if isinstance(each.get("uri"), str)]
        for cell in dict.fromkeys([*notebook.cells, *own]):
            self._close_cell(cell)
        faults.report()

    def _known(self, params: Any) -> Notebook:
        uri = wire.text_member(params, "notebookDocument", "uri")
        notebook = self._open.get(uri)
        if notebook is None:
            raise InvalidParamsError(f"{uri} is not open")
        return notebook

    def _open_cells(self, notebook: Notebook, items: Any, faults: _Faults) -> None:
        for item in _items(items, "the cells' documents", faults):
            faults.guard(partial(self._documents.open_document, item, notebook))
            uri = item.get("uri")
            if isinstance(uri, str) and uri not in notebook.cells and self._documents.is_open(uri):
                # Cells that are open must be closed with the notebook, wherever they are in it.
                notebook.cells.append(uri)

    def _close_cell(self, uri: str) -> None:
        if self._documents.is_open(uri):
            self._documents.close_document(uri)


class _Faults:
    """What is wrong with the parts of one event."""

    def __init__(self) -> None:
        self._words: list[str] = []

    def add(self, words: str) -> None:
        self._words.append(words)

    def guard(self, work: Callable[[], object]) -> None:
        """Do a piece of work, and note what is wrong with what it was given."""
        try:
            work()
        except InvalidParamsError as error:
            self.add(str(error))

    def report(self) -> None:
        """Raise what was found, if anything was."""
        if self._words:
            raise InvalidParamsError("; ".join(self._words))


def _items(value: Any, name: str, faults: _Faults) -> list[Mapping[str, Any]]:
    """Return the objects of a list, which may be left out."""
    if value is None:
        return []
    items = value if isinstance(value, list) else [value]
    found = [item for item in items if isinstance(item, Mapping)]
    if not isinstance(value, list) or len(found) < len(items):
        faults.add(f"`{name}` must be a list of objects")
    return found


def _uris(cells: Any, faults: _Faults) -> list[str]:
    """Return the documents of cells, in order."""
    found: list[str] = []
    for cell in _items(cells, "cells", faults):
        faults.guard(partial(_take_uri, found, cell))
    return found


def _take_uri(found: list[str], cell: Mapping[str, Any]) -> None:
    found.append(wire.text_member(cell, "document"))


def _splice(cells: list[str], array: Any) -> None:
    """Apply the replacement of a segment of cells that a client reports."""
    start, count = wire.number_member(array, "start"), wire.number_member(array, "deleteCount")
    faults = _Faults()
    put = _uris(array.get("cells"), faults)
    faults.report()
    if start < 0 or count < 0 or start + count > len(cells):
        raise InvalidParamsError(f"cells {start} to {start + count} are not in a notebook of {len(cells)}")
    cells[start : start + count] = put
