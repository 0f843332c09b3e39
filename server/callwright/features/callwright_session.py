"""The session dump: the transcript that a document holds, as the file that the runtime would have dumped of it.

Owns: `callwright/session`, a request of our own: `{textDocument: {uri}, conversation?: number}` gives `{json}`, or null
where the document holds no conversation with a reply. Must not know: what a session holds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from callwright.features.base import Edge, Feature, Request

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot


def handle(snapshot: Snapshot, request: Request) -> dict[str, Any] | None:
    """Return the dump as plain data."""
    from callwright.runtime.exported import session_of

    number = getattr(request.params, "conversation", 1)
    session = session_of(snapshot, number if type(number) is int else 1)
    return session.to_dict() if session is not None else None


def to_lsp(result: dict[str, Any], _edge: Edge) -> dict[str, Any]:
    """Return the text of the file."""
    import json

    return {"json": json.dumps(result, ensure_ascii=False, indent=2) + "\n"}


FEATURE: Final = Feature(
    method="callwright/session",
    capability="experimental.callwrightSession",
    handle=handle,
    to_lsp=to_lsp,
)
