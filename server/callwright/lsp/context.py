"""The context: what every answer is made from, the session and what the client can do with it.

Owns: the edges of documents and the workspace around them. Must not know: methods, the order of work.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from callwright.lsp.wire import DocumentEdge
from callwright.lsp.workspace import Files, Workspace, not_checked
from callwright.text.document import TextDocument
from callwright.text.facts import Holder
from callwright.text.positions import PositionEncoding

if TYPE_CHECKING:
    from callwright.lsp.handshake import Handshake
    from callwright.lsp.session import OpenDocument, Session


class Context:
    """One session with one client."""

    def __init__(self, session: Session, handshake: Handshake) -> None:
        self.session = session
        self.client = handshake.client
        self.encoding = PositionEncoding(handshake.encoding)
        self._files = Files()
        #: What features of the workspace remember.
        self.memory = Holder()
        #: Has the chat templates in an open document checked.
        self.check_chat_template: Callable[[str], None] = not_checked

    def workspace(self, document: OpenDocument | None) -> Workspace:
        """Return the documents around one, or around none."""
        check = self.check_chat_template
        return Workspace(self.session, self._files, document, self.encoding, self.client, check)

    def edge(self, document: OpenDocument) -> DocumentEdge:
        """Return the boundary to the protocol for a document as it is now."""
        return self.edge_of(document.text, document.uri, document.version)

    def edge_of(self, text: TextDocument, uri: str = "", version: int | None = None) -> DocumentEdge:
        """Return the boundary to the protocol for a text."""
        return DocumentEdge(
            text, uri=uri, version=version, encoding=self.encoding, client=self.client, versions=self._version_of
        )

    def edge_of_nothing(self) -> DocumentEdge:
        """Return a boundary from which those of other documents are made."""
        return self.edge_of(TextDocument.from_text(""))

    def _version_of(self, uri: str) -> int | None:
        """Return the version of a document that is open, None for any other."""
        document = self.session.documents.get(uri)
        return document.version if document is not None else None
