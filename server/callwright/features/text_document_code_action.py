"""Code actions: the fixes of the diagnostics at a place, and all safe fixes of the document at once.

Owns: `textDocument/codeAction`. Must not know: how a fix is found, positions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callwright.analysis.snapshot import Snapshot
    from callwright.features.base import Edge, Request
    from callwright.rules.base import Diagnostic
    from callwright.text.span import Edit

FIX: Final = "quickfix"
FIX_ALL: Final = "source.fixAll.callwright"
FIX_ALL_TITLE: Final = "Fix everything that can be fixed safely"

METHOD = "textDocument/codeAction"
CAPABILITY = "codeActionProvider"
OPTIONS = {"codeActionKinds": [FIX, FIX_ALL], "resolveProvider": True}


@dataclass(frozen=True, slots=True)
class Action:
    """One offer to change the document; `edits` is None where they are computed only once the offer is taken."""

    title: str
    kind: str
    edits: tuple[Edit, ...] | None
    diagnostic: Diagnostic | None = None
    preferred: bool = False


def handle(snapshot: Snapshot, request: Request) -> list[Action]:
    """Return what can be done about the place asked about: the best fix of each diagnostic first."""
    context = getattr(request.params, "context", None)
    only = getattr(context, "only", None)
    wanted = [str(getattr(kind, "value", kind)) for kind in only] if only is not None else None
    actions: list[Action] = []
    if wanted is None or any(_covers(kind, FIX) for kind in wanted):
        actions += _fixes(snapshot, request)
    if wanted is not None and any(_covers(kind, FIX_ALL) for kind in wanted):
        edits = fix_all_edits(snapshot)
        if edits:
            actions.append(Action(FIX_ALL_TITLE, FIX_ALL, edits))
    elif wanted is None and request.client.action_resolve and _has_findings(snapshot):
        # Computed only when somebody takes it: this is asked at every movement of the cursor.
        actions.append(Action(FIX_ALL_TITLE, FIX_ALL, None))
    return actions


def _has_findings(snapshot: Snapshot) -> bool:
    from callwright.linter import diagnostics

    return bool(diagnostics(snapshot))


def _covers(wanted: str, kind: str) -> bool:
    """Tell whether asking for `wanted` asks for `kind`: kinds are a hierarchy, its steps divided by dots."""
    return wanted in ("", kind) or kind.startswith(wanted + ".")


def _fixes(snapshot: Snapshot, request: Request) -> list[Action]:
    from callwright.linter import diagnostics
    from callwright.rules.base import Applicability

    actions: list[Action] = []
    for diagnostic in diagnostics(snapshot):
        if not diagnostic.span.touches(request.span):
            continue
        fixes = [fix for fix in diagnostic.fixes if fix.applicability is not Applicability.DISPLAY]
        actions += [
            Action(fix.title, FIX, fix.edits, diagnostic, preferred=at == 0 and fix.is_safe)
            for at, fix in enumerate(fixes)
        ]
    return _distinct(actions)


def _distinct(actions: Sequence[Action]) -> list[Action]:
    """Return the actions without those that change the same in the same words: two findings may have one cure."""
    found: dict[tuple[str, tuple[Edit, ...] | None], Action] = {}
    for action in actions:
        found.setdefault((action.title, action.edits), action)
    return list(found.values())


def fix_all_edits(snapshot: Snapshot) -> tuple[Edit, ...]:
    """Return the edits that apply every safe fix; none where there is nothing to fix."""
    from callwright.features.support.differences import edits_between
    from callwright.fixer import fix_all

    before = snapshot.document.text()
    after, _fixed = fix_all(snapshot)
    return edits_between(before, after)


def to_lsp(result: Sequence[Action], edge: Edge) -> list[dict[str, Any]]:
    """Return the actions with their edits; a client that knows no such literals is given none."""
    if not edge.client.action_literals:
        return []
    return [_action(action, edge) for action in result]


def _action(action: Action, edge: Edge) -> dict[str, Any]:
    shown: dict[str, Any] = {"title": action.title, "kind": action.kind}
    if action.edits is not None:
        shown["edit"] = edge.to_lsp_workspace_edit(action.edits)
    else:
        shown["data"] = {"uri": edge.uri, "version": edge.version, "kind": action.kind}
    if action.diagnostic is not None:
        shown["diagnostics"] = [edge.to_lsp_diagnostic(action.diagnostic)]
    if action.preferred and edge.client.preferred:
        shown["isPreferred"] = True
    return shown
