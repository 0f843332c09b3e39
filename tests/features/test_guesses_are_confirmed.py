"""A quick fix that is a guess is confirmed by its author, where the client can ask; every other one is not."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from callwright.features import text_document_code_action as code_action
from callwright.features.base import Client, Request
from callwright.lsp.wire import DocumentEdge
from callwright.text.positions import PositionEncoding
from callwright.text.span import Span
from support.engine import snapshot_of

ASKING = Client(document_changes=True, change_annotations=True, action_resolve=True, preferred=True)
TEXT = "<raed_file><path>a</path></raed_file>\n<read_file></read_file>\n"


def actions(client: Client) -> list[dict[str, Any]]:
    snapshot = snapshot_of(TEXT)
    params = SimpleNamespace(context=SimpleNamespace(only=["quickfix"]))
    result = code_action.handle(snapshot, Request(Span(0, len(TEXT)), client, params))
    edge = DocumentEdge(
        snapshot.document, uri="file:///a.md", version=7, encoding=PositionEncoding.UTF16, client=client
    )
    return code_action.to_lsp(result, edge)


def test_a_guess_asks_and_what_is_certain_does_not() -> None:
    rename, add, *ignoring = actions(ASKING)
    assert rename["isPreferred"] is True
    assert "changeAnnotations" not in rename["edit"]
    (change,) = add["edit"]["documentChanges"]
    assert change["textDocument"] == {"uri": "file:///a.md", "version": 7}
    assert "isPreferred" not in add
    (name,) = {one["annotationId"] for one in change["edits"]}
    assert add["edit"]["changeAnnotations"][name]["needsConfirmation"] is True
    titles = ["Ignore TC301 (unknown-tool) here", "Ignore TC302 (missing-argument) here"]
    assert [one["title"] for one in ignoring] == titles
    for one in ignoring:
        assert not {"edit", "isPreferred"} & one.keys()
        assert (one["data"]["uri"], one["data"]["version"]) == ("file:///a.md", 7)


def test_a_client_that_cannot_ask_is_given_the_plain_edit() -> None:
    add = actions(Client(document_changes=True, action_resolve=True))[1]
    assert "changeAnnotations" not in add["edit"]
    assert all("annotationId" not in one for one in add["edit"]["documentChanges"][0]["edits"])
