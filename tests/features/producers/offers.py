"""What is offered at the cursor beside fixes, to a client that resolves it once it is taken.

- `offers KIND`: one action a line, `kind · title`; `refactor` if no kind is named
- `taken TITLE`: the document after the action was resolved; of an action that changes a tool file, that file
"""

from __future__ import annotations

from types import SimpleNamespace

from callwright.declarations.load import read_tools
from callwright.document.snapshot import Snapshot
from callwright.features import code_action_resolve as resolve
from callwright.features import text_document_code_action as code_action
from callwright.features.base import Client, Request
from callwright.hosts.catalogue import find_host
from callwright.lint.opening import open_snapshot
from callwright.text.span import Span, apply_edits
from support.cases import Case, Fence, Producer
from support.engine import case_snapshot, settings_of

CLIENT = Client(action_resolve=True, preferred=True, document_changes=True)
FILE = "tools.json"


class _Files:
    """A workspace with one tool file, which holds the case's tools."""

    def __init__(self, text: str) -> None:
        self.text = text

    def tool_file(self, path: str) -> Snapshot | None:
        return _tool_file(self.text) if path == FILE else None


def _tool_file(text: str) -> Snapshot:
    host = find_host("tool-file")
    return open_snapshot(text, path=FILE, registry=read_tools(text, FILE), settings=settings_of({}), host=host)


def _opened(case: Case) -> tuple[Snapshot, _Files]:
    given = case.given.get("tools")
    if given is None:
        return case_snapshot(case), _Files("[]")
    path = case.info.get("path", "case.md")
    registry = read_tools(given.body, FILE)
    snapshot = open_snapshot(case.source, path=path, registry=registry, settings=settings_of(case.info))
    return snapshot, _Files(given.body)


def _actions(case: Case, kinds: list[str] | None) -> list[code_action.Action]:
    snapshot, files = _opened(case)
    params = SimpleNamespace(context=SimpleNamespace(only=kinds))
    here = Span(case.cursor, case.cursor)
    return code_action.handle(snapshot, Request(here, CLIENT, params, workspace=files))  # type: ignore[arg-type]


def _offers(case: Case, fence: Fence) -> str:
    actions = [one for one in _actions(case, [fence.about or "refactor"]) if one.edits is None]
    return "\n".join(f"{one.kind} · {one.title}" for one in actions) or "nothing"


def _taken(case: Case, fence: Fence) -> str:
    action = next(one for one in _actions(case, ["refactor", "quickfix"]) if one.title == fence.about)
    assert action.edits is None
    snapshot, files = _opened(case)
    params = SimpleNamespace(title=action.title, kind=action.kind, data={"key": dict(action.key or {})})
    result = resolve.handle(snapshot, Request(Span(0, 0), CLIENT, params, workspace=files))  # type: ignore[arg-type]
    text = case.source if result.document is None else files.text
    return apply_edits(text, result.edits).removesuffix("\n") if result.edits else "nothing"


PRODUCERS: dict[str, Producer] = {"offers": _offers, "taken": _taken}
