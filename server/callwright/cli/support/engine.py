"""The engine as the commands use it: a source and its project become a snapshot, diagnostics and fixed text.

Owns: the order in which the layers below are called. Must not know: options, output.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from callwright.tools.file_markers import may_hold_tools

if TYPE_CHECKING:
    from callwright.calls.protocol import Disagreement
    from callwright.cli.support.files import InputFile
    from callwright.config import Project
    from callwright.document.snapshot import Snapshot
    from callwright.rules.base import Diagnostic


def open_source(source: InputFile, project: Project) -> Snapshot:
    """Return the snapshot of a source as its project reads it; what plainly is a tool file is read as one."""
    from callwright.lint.opening import open_snapshot

    path = str(source.path) if source.path is not None else None
    host = project.host_of(path) if path is not None else None
    if host is None and path is not None and may_hold_tools(source.text, path):
        from callwright.tools.documents import holds_tools

        if holds_tools(source.text, path):
            from callwright.hosts.catalogue import find_host

            host = find_host("tool-file")
    return open_snapshot(
        source.text,
        path=path,
        registry=project.registry,
        settings=project.settings,
        host=host,
        boundary=str(project.boundary),
    )


def diagnostics_in(snapshot: Snapshot) -> list[Diagnostic]:
    """Return the diagnostics in a snapshot, in the order of their places."""
    from callwright.lint.linter import diagnostics

    return diagnostics(snapshot)


def ignored(snapshot: Snapshot, reason: str) -> tuple[str, list[Diagnostic]]:
    """Return the text with a comment for each diagnostic in it, and the diagnostics that these suppress."""
    from callwright.fix.ignoring import ignore
    from callwright.text.span import apply_edits

    written = ignore(snapshot, reason=reason)
    return apply_edits(snapshot.document.text(), written.edits), written.diagnostics


def fixed_text(
    snapshot: Snapshot, *, unsafe: bool, refused: Callable[[Diagnostic, Disagreement], None]
) -> tuple[str, list[Diagnostic]]:
    """Return the text with every fix applied that may be, and the diagnostics that were fixed.

    `refused` is called with each fix that lxml rejects.
    """
    from callwright.fix.fixer import fix_all

    return fix_all(snapshot, unsafe=unsafe, refused=refused)
