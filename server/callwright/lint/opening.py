"""Opening a text to be checked: its snapshot, with the fast path that may answer for it.

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
    """Return the snapshot of a text, read by `host`, else by the host that its path or language asks for.

    With `by_shape`, the shape of a call is evidence enough that a tag of no known name is one.
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
    """Return what there may be to say about a long JSON text; the fast path is loaded where there is one."""
    from callwright.fastpath.triage import triage as answer

    return answer(text, registry, settings)
