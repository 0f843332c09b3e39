"""Resolving a completion: what is known of the tool or the parameter that is offered.

Owns: `completionItem/resolve`. Must not know: what is offered where, how a description is worded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from callwright.features.base import Edge, Feature, Request

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Resolved:
    """The completion as it was offered, of the protocol's own type, and its documentation."""

    item: Any
    markdown: str


def handle(snapshot: Snapshot, request: Request) -> Resolved:
    """Return the completion's documentation by the project's tools as they are now; nothing where it is about none of
    them any more."""
    from callwright.features.support.call_drafts import description_of

    data = getattr(request.params, "data", None)
    tool = data.get("tool") if isinstance(data, Mapping) else None
    if not isinstance(tool, str) or not isinstance(data, Mapping):
        return Resolved(request.params, "")
    steps = data.get("path")
    path = [step for step in steps if isinstance(step, str | int)] if isinstance(steps, list) else []
    required = data.get("required") is True
    text = description_of(tool, path, snapshot.offered, relation="argument of", required=required)
    return Resolved(request.params, text)


def to_lsp(result: Resolved, edge: Edge) -> dict[str, Any]:
    """Return the completion with its description."""
    from callwright.features.support.markdown import markup_content, plain
    from callwright.features.support.plain import plain_data

    item: dict[str, Any] = plain_data(result.item)
    if result.markdown:
        formats = edge.client.documentation_formats
        item["documentation"] = markup_content(result.markdown, formats) if formats else plain(result.markdown)
    return item


FEATURE: Final = Feature(
    method="completionItem/resolve",
    # Announced with the completions themselves.
    capability="",
    handle=handle,
    to_lsp=to_lsp,
    at_once=True,
)
