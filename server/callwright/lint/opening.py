"""Opening a text to check: its snapshot, with the fast path that may apply.

Owns: `open_snapshot`, `triage`. Must not know: rules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from callwright.document.documented_names import AnyName
from callwright.document.snapshot import Origin, Snapshot
from callwright.text.document import TextDocument

if TYPE_CHECKING:
    from callwright.document.contents import TriageResult
    from callwright.document.settings import Settings
    from callwright.hosts.base import Host
    from callwright.tools.registry import ToolRegistry


def open_snapshot(
    text: str,
    *,
    path: str | None,
    registry: ToolRegistry,
    settings: Settings,
    language: str | None = None,
    host: Host | None = None,
    boundary: str | None = None,
    by_shape: bool = False,
) -> Snapshot:
    """Return the snapshot of a text, read by `host`, else by the host of its path or language.

    With `by_shape`, a tag of an unknown name with the shape of a call is read as one.
    """
    document = TextDocument.from_text(text)
    return Snapshot.open(
        document,
        Origin(path or "", path, language, host, boundary, triage),
        registry=registry,
        settings=settings,
        documented=AnyName(document) if by_shape else None,
    )


def triage(text: str, registry: ToolRegistry, settings: Settings) -> TriageResult | None:
    """Return which parts of a long JSON text may have diagnostics; the fast path is loaded only for such a text."""
    from callwright.fastpath.triage import triage as answer

    return answer(text, registry, settings)
