"""Workspace diagnostics: the diagnostics of every covered file of the open folders, open or not.

Owns: `workspace/diagnostic`. Must not know: files, positions.

Editors poll, which costs as much as reading every file's date. So it is announced only to a client that wants it: one
whose `initializationOptions` have `workspaceDiagnostics`. The diagnostics of configurations and tool files are pushed,
and not reported here.
"""

from __future__ import annotations

from collections.abc import Generator, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from callwright.features.base import Edge, Feature, Made, Request
from callwright.text.facts import Fact
from callwright.text.records import NamedTuple

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot


class Sent(NamedTuple):
    """What a client was sent of a file: in which state it was, and the result's identity."""

    state: Hashable
    identity: str


#: The files of the last request, by their addresses.
_SENT: Final[Fact[dict[str, Sent]]] = Fact()


@dataclass(frozen=True, slots=True)
class Report:
    """The diagnostics of each document, and what the client has of each already, by its address.

    `same` are the files that are as they were when the client was sent what it has. `states` are those of the files
    that were read, and `sent` is where it is kept what was sent of them.
    """

    found: Sequence[Made]
    known: Mapping[str, str]
    same: Sequence[str] = ()
    states: Mapping[str, Hashable] = field(default_factory=dict)
    sent: dict[str, Sent] = field(default_factory=dict)


def shown(document: Snapshot, edge: Edge) -> list[dict[str, Any]] | None:
    """Return the diagnostics of a document as the client is shown them; None for one that holds no calls."""
    from callwright.lint.linter import diagnostics

    if document.host.holds != "calls":
        return None
    return [edge.to_lsp_diagnostic(diagnostic) for diagnostic in diagnostics(document)]


def handle(_snapshot: None, request: Request) -> Generator[Report | None, None, Report]:
    """Yield the diagnostics of every document, one after another; nothing is left to return."""
    previous = getattr(request.params, "previous_result_ids", None) or ()
    known = {str(each.uri): str(each.value) for each in previous}
    last = _SENT.get(request.memory) or {}
    states: dict[str, Hashable] = {}
    sent: dict[str, Sent] = {}
    same: list[str] = []

    def passed(uri: str, state: Hashable) -> bool:
        states[uri] = state
        before = last.get(uri)
        if before is None or before.state != state or known.get(uri) != before.identity:
            return False
        sent[uri] = before
        same.append(uri)
        return True

    for made in request.workspace.made(shown, passed) if request.workspace is not None else ():
        found = [made] if made is not None and made.value is not None else []
        yield Report(found, known, tuple(same), states, sent) if found or same else None
        same.clear()
    if same:
        yield Report((), known, tuple(same))
    _SENT.keep(request.memory, sent)
    return Report((), known)


def to_lsp(result: Report, _edge: Edge) -> dict[str, Any]:
    """Return a report for each document, of kind `unchanged` where nothing has changed."""
    import hashlib
    import json

    items: list[dict[str, Any]] = [
        {"uri": uri, "version": None, "resultId": result.known[uri], "kind": "unchanged"} for uri in result.same
    ]
    for uri, version, value in result.found:
        identity = hashlib.blake2b(json.dumps(value).encode("ascii"), digest_size=12).hexdigest()
        report: dict[str, Any] = {"uri": uri, "version": version, "resultId": identity}
        if uri in result.states:
            result.sent[uri] = Sent(result.states[uri], identity)
        if result.known.get(uri) == identity:
            items.append({**report, "kind": "unchanged"})
        else:
            items.append({**report, "kind": "full", "items": value})
    return {"items": items}


def join(parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the reports of all parts."""
    return {"items": [item for part in parts for item in part["items"]]}


FEATURE: Final = Feature(
    method="workspace/diagnostic",
    handle=handle,
    to_lsp=to_lsp,
    of_workspace=True,
    nothing=Report((), {}),
    join=join,
)
