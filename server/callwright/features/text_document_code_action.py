"""Code actions: the fixes of the diagnostics at a place, what else can be done there, and to the document as a whole.

Owns: `textDocument/codeAction`. Must not know: how a fix is found, positions.

Offers that are not fixes are resolved only once they are chosen, because actions are requested at every movement of the
cursor. A client that cannot resolve is given what it asks for by its kind, and how to ignore what is found. Every edit
is bound to the version of the document, and a guess is confirmed by its author, where the client can ask. A fix that is
expected and missing is a disabled action with the reason, for a client that shows such.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from callwright.features.base import Edge, Feature, Request, by_kind, empty_answer
from callwright.features.support.whole_document import (
    CONVERT_ALL,
    EXTRACT,
    FIX_ALL,
    QUICK_FIX,
    REWRITE,
    edits_of,
    title_of,
)
from callwright.text.span import Edit

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot
    from callwright.features.support.offers import Offer
    from callwright.rules.base import Diagnostic

#: How a guess is announced.
GUESS: Final = "guess"


@dataclass(frozen=True, slots=True)
class Action:
    """One offer to change the document; `edits` is None where they are computed only once the offer is taken.

    `key` is what it is then found by. `document` is the one that the edits change, None for the one that was asked
    about. A `guess` is to be confirmed. `disabled` is why it cannot be taken.
    """

    title: str
    kind: str
    edits: tuple[Edit, ...] | None
    diagnostic: Diagnostic | None = None
    preferred: bool = False
    guess: bool = False
    key: Mapping[str, Any] | None = None
    document: Snapshot | None = None
    disabled: str = ""


def handle(snapshot: Snapshot | None, request: Request) -> list[Action]:
    """Return what can be done about the place asked about: the best fix of each diagnostic first.

    In a document that is not read, these are the fixes of its chat templates.
    """
    wanted = _wanted(request)
    actions: list[Action] = []
    if wanted is None or any(_covers(kind, QUICK_FIX) for kind in wanted):
        actions += _fixes(snapshot, request)
    if snapshot is None:
        return actions
    for whole in (FIX_ALL, CONVERT_ALL):
        if wanted is not None and not any(_covers(kind, whole) for kind in wanted):
            continue
        title = title_of(whole, snapshot)
        if title is None:
            continue
        if wanted is not None:
            edits = edits_of(whole, snapshot)
            actions += [Action(title, whole, edits)] if edits else []
        elif request.client.action_resolve:
            # Computed only when it is chosen: actions are requested at every movement of the cursor.
            actions.append(Action(title, whole, None))
    return actions + _offered(snapshot, request, wanted)


def _wanted(request: Request) -> list[str] | None:
    """Return the kinds of actions that are asked for, None where all are."""
    context = getattr(request.params, "context", None)
    only = getattr(context, "only", None)
    return [str(getattr(kind, "value", kind)) for kind in only] if only is not None else None


def _of_text(snapshot: Snapshot, request: Request) -> Sequence[Offer]:
    """Return what is offered in a text with calls; ignoring a diagnostic comes last of all."""
    from callwright.features.support.offers import ignoring_at, literal_at, rewriting_all, rewriting_at

    wanted = _wanted(request)
    offers = [*rewriting_at(snapshot, request.span)]
    if wanted is not None and any(_covers(kind, REWRITE) for kind in wanted):
        offers += rewriting_all(snapshot)
    return [*offers, *literal_at(snapshot, request.span, request.workspace), *ignoring_at(snapshot, request.span)]


def _of_tools(snapshot: Snapshot, request: Request) -> Sequence[Offer]:
    """Return what is offered in a tool file."""
    from callwright.features.support.offers import ignoring_at

    return [*ignoring_at(snapshot, request.span)]


_offers = by_kind(calls=_of_text, tools=_of_tools, configuration=empty_answer)


def _offered(snapshot: Snapshot, request: Request, wanted: list[str] | None) -> list[Action]:
    """Return what is offered beside fixes."""
    offers = _offers(snapshot, request)
    if wanted is not None:
        offers = [one for one in offers if any(_covers(kind, one.kind) for kind in wanted)]
    if request.client.action_resolve:
        return [Action(one.title, one.kind, None, one.diagnostic, key=one.key) for one in offers]
    return [
        action
        for one in offers
        if wanted is not None or one.kind == QUICK_FIX
        for action in _at_once(one, snapshot, request)
    ]


def _at_once(offer: Offer, snapshot: Snapshot, request: Request) -> list[Action]:
    """Return an offer with its edits, as far as there are any."""
    from callwright.features.support.offers import taken

    found = taken(offer.key, snapshot, request.workspace)
    if found is None:
        return []
    if found.refused:
        return _disabled(offer.title, offer.kind, offer.diagnostic, found.refused, request)
    document = None if found.snapshot is snapshot else found.snapshot
    return [Action(offer.title, offer.kind, found.edits, offer.diagnostic, document=document)]


def _covers(wanted: str, kind: str) -> bool:
    """Return whether asking for `wanted` asks for `kind`: kinds are a hierarchy, its steps divided by dots."""
    return wanted in ("", kind) or kind.startswith(wanted + ".")


def _fixes(snapshot: Snapshot | None, request: Request) -> list[Action]:
    from callwright.features.support.offers import disputed
    from callwright.fix.disputes import dispute_after
    from callwright.lint.linter import diagnostics
    from callwright.rules.base import Applicability

    actions: list[Action] = []
    has_calls = snapshot is not None and snapshot.host.holds == "calls"
    found = diagnostics(snapshot) if snapshot is not None else []
    for diagnostic in (*found, *request.rendered):
        if not diagnostic.span.touches(request.span):
            continue
        fixes = [fix for fix in diagnostic.fixes if fix.applicability is not Applicability.DISPLAY]
        for at, fix in enumerate(fixes):
            preferred, guess = at == 0 and fix.is_safe, not fix.is_safe
            dispute = dispute_after(snapshot, fix.edits) if snapshot is not None and has_calls else None
            if dispute is None:
                actions.append(Action(fix.title, QUICK_FIX, fix.edits, diagnostic, preferred=preferred, guess=guess))
            else:
                actions += _disabled(fix.title, QUICK_FIX, diagnostic, disputed(dispute), request)
        if request.client.disabled_actions:
            actions += [
                Action(one.title, QUICK_FIX, None, diagnostic, disabled=one.reason) for one in diagnostic.missing_fixes
            ]
    return _distinct(actions)


def _disabled(title: str, kind: str, diagnostic: Diagnostic | None, reason: str, request: Request) -> list[Action]:
    """Return an action that cannot be taken, for a client that shows such."""
    shown = request.client.disabled_actions
    return [Action(title, kind, None, diagnostic, disabled=reason)] if shown else []


def _distinct(actions: Sequence[Action]) -> list[Action]:
    """Return the actions without those that change the same in the same words: two diagnostics may have the same
    fix."""
    found: dict[tuple[str, tuple[Edit, ...] | None], Action] = {}
    for action in actions:
        found.setdefault((action.title, action.edits), action)
    return list(found.values())


def to_lsp(result: Sequence[Action], edge: Edge) -> list[dict[str, Any]]:
    """Return the actions with their edits; a client that knows no such literals is given none."""
    if not edge.client.action_literals:
        return []
    return [_action(action, edge) for action in result]


def _action(action: Action, edge: Edge) -> dict[str, Any]:
    shown: dict[str, Any] = {"title": action.title, "kind": action.kind}
    if action.disabled:
        from callwright.features.support.offers import not_done

        shown["disabled"] = not_done(action.disabled)
    elif action.edits is not None:
        there = edge if action.document is None else edge.of(action.document)
        edit = there.to_lsp_workspace_edit(action.edits)
        shown["edit"] = confirmed(edit, action.title, edge) if action.guess else edit
    else:
        key = {} if action.key is None else {"key": dict(action.key)}
        shown["data"] = {"uri": edge.uri, "version": edge.version, "kind": action.kind, **key}
    if action.diagnostic is not None:
        shown["diagnostics"] = [edge.to_lsp_diagnostic(action.diagnostic)]
    if action.preferred and edge.client.preferred:
        shown["isPreferred"] = True
    return shown


def confirmed(edit: dict[str, Any], title: str, edge: Edge) -> dict[str, Any]:
    """Return an edit of the workspace that a client asks about before it is applied, where it can."""
    if not (edge.client.document_changes and edge.client.change_annotations):
        return edit
    for document in edit["documentChanges"]:
        document["edits"] = [{**one, "annotationId": GUESS} for one in document["edits"]]
    description = "There is more than one possible change."
    edit["changeAnnotations"] = {GUESS: {"label": title, "description": description, "needsConfirmation": True}}
    return edit


FEATURE: Final = Feature(
    method="textDocument/codeAction",
    capability="codeActionProvider",
    options={"codeActionKinds": [QUICK_FIX, REWRITE, EXTRACT, FIX_ALL, CONVERT_ALL], "resolveProvider": True},
    handle=handle,
    to_lsp=to_lsp,
    of_rendered=True,
)
