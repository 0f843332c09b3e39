"""The wire: offsets become positions and positions offsets, and our records become the protocol's plain data.

Owns: `to_lsp_*` and `from_lsp_*`; nothing else speaks of lines and characters. Must not know: sessions, methods.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from callwright.lsp.connection import InvalidParamsError
from callwright.rules.support.pages import page_of
from callwright.text.span import Edit, Span

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot
    from callwright.features.base import Client
    from callwright.rules.base import Diagnostic
    from callwright.text.document import TextDocument
    from callwright.text.positions import LinesOf, PositionEncoding, PositionWriter

SEVERITIES = {"error": 1, "warning": 2, "info": 3, "hint": 4}
TAGS = {"unnecessary": 1, "deprecated": 2}
SOURCE = "callwright"
_DIAGNOSTICS = ("publishDiagnostics", "diagnostic")
#: What the protocol calls the largest number: a character this large means the end of its line, whatever that is.
_LARGEST = 2**31 - 1


class OutOfStepError(Exception):
    """An edit does not fit the document: the client and this server no longer hold the same text."""


def choose_encoding(capabilities: Mapping[str, Any]) -> str:
    """Return the position encoding of a session: the first of the client's that is known here, UTF-16 without any."""
    general = capabilities.get("general")
    offered = general.get("positionEncodings") if isinstance(general, Mapping) else None
    for name in offered if isinstance(offered, list) else ():
        if name in ("utf-8", "utf-16", "utf-32"):
            return str(name)
    return "utf-16"


def member(params: Any, *path: str) -> Any:
    """Return what is at `path` in a message's parameters; refuse the message where nothing does."""
    value = params
    for at, step in enumerate(path):
        if not isinstance(value, Mapping) or step not in value:
            raise InvalidParamsError(f"`{'.'.join(path[: at + 1])}` is missing")
        value = value[step]
    return value


def text_member(params: Any, *path: str) -> str:
    """Return the string at `path`; refuse the message where there is none."""
    value = member(params, *path)
    if not isinstance(value, str):
        raise InvalidParamsError(f"`{'.'.join(path)}` must be a string, not {type(value).__name__}")
    return value


def number_member(params: Any, *path: str) -> int:
    """Return the whole number at `path`; refuse the message where there is none."""
    value = member(params, *path)
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidParamsError(f"`{'.'.join(path)}` must be a whole number, not {type(value).__name__}")
    return value


def from_lsp_position(document: TextDocument, position: Any, encoding: PositionEncoding) -> int:
    """Return the offset of a position, or of the nearest one that exists."""
    from callwright.text.positions import to_offset

    line, character = _position(position)
    return to_offset(document, line, character, encoding)


def from_lsp_range(document: TextDocument, value: Any, encoding: PositionEncoding) -> Span:
    """Return the span of a range that is asked about; ends that do not exist move to the nearest, in either order."""
    ends = (
        from_lsp_position(document, member(value, "start"), encoding),
        from_lsp_position(document, member(value, "end"), encoding),
    )
    return Span(min(ends), max(ends))


def from_lsp_change(document: TextDocument, change: Any, encoding: PositionEncoding) -> Edit:
    """Return one content change as an edit of `document`.

    Raises OutOfStepError where its range is reversed or ends inside a character: then both sides hold different texts,
    and an edit at the nearest place would spoil ours unnoticed.
    """
    text = text_member(change, "text")
    if not isinstance(change, Mapping) or change.get("range") is None:
        return Edit(Span(0, len(document)), text)
    start = _strict_offset(document, member(change, "range", "start"), encoding)
    end = _strict_offset(document, member(change, "range", "end"), encoding)
    if end < start:
        raise OutOfStepError("the end of its range is before the start")
    return Edit(Span(start, end), text)


def _position(position: Any) -> tuple[int, int]:
    line, character = number_member(position, "line"), number_member(position, "character")
    if line < 0 or character < 0:
        raise InvalidParamsError(f"a position cannot be negative, as {line}:{character} is")
    return line, character


def _strict_offset(document: TextDocument, position: Any, encoding: PositionEncoding) -> int:
    """Return the offset of a position that an edit gives, which must not lie inside a character.

    As the protocol has it, a character past the end of its line means that end, and a line past the last one the end of
    the text.
    """
    from callwright.text.positions import locate

    line, character = _position(position)
    found = locate(document, line, character, encoding)
    if not found.in_bounds and found.offset < locate(document, line, _LARGEST, encoding).offset:
        raise OutOfStepError(f"line {line}, character {character} lies inside a character")
    return found.offset


class DocumentEdge:
    """The boundary for one version of one document."""

    def __init__(
        self,
        document: TextDocument,
        *,
        uri: str,
        version: int | None,
        encoding: PositionEncoding,
        client: Client,
        versions: Callable[[str], int | None] = lambda _uri: None,
    ) -> None:
        """Take the version of the document, and `versions` to ask for those of others; None for a closed one."""
        self._versions = versions
        self._document = document
        self.uri = uri
        self.version = version
        self._encoding = encoding
        self.client = client
        self._writer: PositionWriter | None = None
        self._links = any(client.promises(f"textDocument.{key}.codeDescriptionSupport") for key in _DIAGNOSTICS)

    def of(self, snapshot: Snapshot) -> DocumentEdge:
        """Return the boundary for another document."""
        return DocumentEdge(
            snapshot.document,
            uri=snapshot.uri,
            version=self._versions(snapshot.uri),
            encoding=self._encoding,
            client=self.client,
            versions=self._versions,
        )

    def to_lsp_range(self, span: Span) -> dict[str, Any]:
        """Return a span as a range in the client's position encoding."""
        if self._writer is None:
            from callwright.text.positions import PositionWriter

            self._writer = PositionWriter(self._document, self._encoding)
        line, character = self._writer.position(span.start)
        start = {"line": line, "character": character}
        if span.end != span.start:
            line, character = self._writer.position(span.end)
        return {"start": start, "end": {"line": line, "character": character}}

    def lines(self, span: Span) -> LinesOf:
        """Return the lines of a segment of the document."""
        from callwright.text.positions import LinesOf

        return LinesOf(self._document, span, self._encoding)

    def to_lsp_edit(self, edit: Edit) -> dict[str, Any]:
        """Return an edit as a text edit."""
        return {"range": self.to_lsp_range(edit.span), "newText": edit.text}

    def to_lsp_workspace_edit(self, edits: Sequence[Edit]) -> dict[str, Any]:
        """Return edits as an edit of the workspace; a client that can refuses it for any other version of the text."""
        changes = [self.to_lsp_edit(edit) for edit in edits]
        if not self.client.document_changes:
            return {"changes": {self.uri: changes}}
        return {"documentChanges": [{"textDocument": {"uri": self.uri, "version": self.version}, "edits": changes}]}

    def to_lsp_diagnostic(self, diagnostic: Diagnostic) -> dict[str, Any]:
        """Return a diagnostic as the client is shown it."""
        shown: dict[str, Any] = {
            "range": self.to_lsp_range(diagnostic.span),
            "severity": SEVERITIES[diagnostic.severity],
            "code": diagnostic.code,
            "source": SOURCE,
            "message": diagnostic.message,
            "data": {"name": diagnostic.name},
        }
        page = page_of(diagnostic.name) if self._links else None
        if page is not None:
            shown["codeDescription"] = {"href": page}
        tags = [TAGS[tag] for tag in diagnostic.tags if TAGS.get(tag) in self.client.tags]
        if tags:
            shown["tags"] = tags
        if diagnostic.related and self.client.related_information:
            shown["relatedInformation"] = [
                {"location": {"uri": self.uri, "range": self.to_lsp_range(span)}, "message": message}
                for span, message in diagnostic.related
            ]
        return shown
