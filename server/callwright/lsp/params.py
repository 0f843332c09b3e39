"""Parameters: which document and which places in it a request is about.

Owns: reading them from the types of the protocol, and in plain data where nothing has checked it. Must not know: what
is done with them, sessions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from callwright.lsp import wire
from callwright.lsp.connection import InvalidParamsError
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.text.document import TextDocument
    from callwright.text.positions import PositionEncoding

#: What is asked about a place or a range, which an edit moves.
_PLACES: Final = ("position", "positions", "range", "ranges")


def named_in(params: Any) -> str | None:
    """Return the document that the parameters of a request name, as they came; None where they name none."""
    document = params.get("textDocument") if isinstance(params, Mapping) else None
    uri = document.get("uri") if isinstance(document, Mapping) else None
    return uri if isinstance(uri, str) else None


def has_place(params: Any) -> bool:
    """Return whether the parameters of a request, as they came, name a place in a document."""
    return isinstance(params, Mapping) and any(place in params for place in _PLACES)


def is_whole_action(action: Any) -> bool:
    """Return whether a code action has its edits: some clients ask to have any action resolved."""
    return (
        isinstance(action, Mapping) and isinstance(action.get("title"), str) and isinstance(action.get("edit"), Mapping)
    )


def uri_of(params: Any) -> str:
    """Return the document that a request is about; an item that the server sent carries it in its data."""
    # Methods of the protocol come in types of lsprotocol's, our own as they were written.
    document = getattr(params, "text_document", None) or getattr(params, "textDocument", None)
    uri = getattr(document, "uri", None)
    if isinstance(uri, str):
        return uri
    item = getattr(params, "item", params)
    data = getattr(item, "data", None)
    if isinstance(data, Mapping) and isinstance(data.get("uri"), str):
        return str(data["uri"])
    raise InvalidParamsError("it names no document")


def span_of(text: TextDocument, params: Any, encoding: PositionEncoding) -> Span:
    """Return the place that a request is about; the whole document where it names none."""
    position, asked = getattr(params, "position", None), getattr(params, "range", None)
    if position is not None:
        offset = wire.from_lsp_position(text, _plain(position), encoding)
        return Span(offset, offset)
    if asked is not None:
        return wire.from_lsp_range(text, _plain_range(asked), encoding)
    return Span(0, len(text))


def offsets_of(text: TextDocument, params: Any, encoding: PositionEncoding) -> tuple[int, ...]:
    """Return the positions of a request that is about several."""
    return tuple(wire.from_lsp_position(text, _plain(each), encoding) for each in _several(params, "positions"))


def spans_of(text: TextDocument, params: Any, encoding: PositionEncoding) -> tuple[Span, ...]:
    """Return the ranges of a request that is about several."""
    return tuple(wire.from_lsp_range(text, _plain_range(each), encoding) for each in _several(params, "ranges"))


def _several(params: Any, key: str) -> Sequence[Any]:
    found = getattr(params, key, None) or ()
    if not isinstance(found, list | tuple):
        raise InvalidParamsError(f"`{key}` must be a list")
    return found


def _plain_range(asked: Any) -> dict[str, Any]:
    return {key: _plain(getattr(asked, key, None)) for key in ("start", "end")}


def _plain(position: Any) -> dict[str, Any]:
    """Return a position as plain data; in a request of our own nothing has checked what it holds."""
    return {key: getattr(position, key, None) for key in ("line", "character")}
