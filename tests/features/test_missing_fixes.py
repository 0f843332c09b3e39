"""A fix that is expected and missing is a disabled action that says why, for a client that shows such."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from callwright.document.settings import Settings
from callwright.features import code_action_resolve as resolve
from callwright.features import text_document_code_action as code_action
from callwright.features.base import Client, Request
from callwright.lint.linter import diagnostics
from callwright.lsp.wire import DocumentEdge
from callwright.rules.base import MissingFix
from callwright.text.positions import PositionEncoding
from callwright.text.span import Span
from support.engine import snapshot_of

CLIENT = Client(document_changes=True, action_resolve=True, disabled_actions=True)
TWICE = "<read_file><path>a</path><path>b</path></read_file>"
REASON = "an argument is given twice, and one of the values would be lost"
HELD = "the file's format cannot represent the result"
JSON = Settings(dialect="xml-json")


def actions(text: str, client: Client, settings: Settings, only: list[str] | None = None) -> list[dict[str, Any]]:
    snapshot = snapshot_of(text, settings=settings)
    params = SimpleNamespace(context=SimpleNamespace(only=only))
    result = code_action.handle(snapshot, Request(Span(0, 12), client, params))
    edge = DocumentEdge(
        snapshot.document, uri="file:///a.md", version=7, encoding=PositionEncoding.UTF16, client=client
    )
    return [one for one in code_action.to_lsp(result, edge) if "Convert XML children" in one["title"]]


def test_a_conversion_that_would_lose_a_value_is_shown_with_the_reason() -> None:
    (action,) = actions(TWICE, CLIENT, JSON)
    assert action["disabled"] == {"reason": f"The text is unchanged: {REASON}."}
    assert action["kind"] == "quickfix"
    assert [one["code"] for one in action["diagnostics"]] == ["TC401"]
    assert not {"edit", "data", "isPreferred"} & action.keys()


def test_a_conversion_that_there_is_takes_its_place() -> None:
    (action,) = actions("<read_file><path>a</path></read_file>", CLIENT, JSON)
    assert "edit" in action
    assert "disabled" not in action


@pytest.mark.parametrize("only", [["refactor"], ["source.fixAll"]])
def test_it_is_shown_among_quick_fixes_alone(only: list[str]) -> None:
    assert actions(TWICE, CLIENT, JSON, only) == []


def test_a_client_that_does_not_know_disabled_actions_is_given_none() -> None:
    assert actions(TWICE, replace(CLIENT, disabled_actions=False), JSON) == []
    assert not Client.of({}).disabled_actions
    assert Client.of({"textDocument": {"codeAction": {"disabledSupport": True}}}).disabled_actions


@pytest.mark.parametrize(
    ("path", "text", "settings", "missing"),
    [
        ("a.md", f"Prose.\r\n\r\n{TWICE}\r\n", JSON, MissingFix("Convert XML children to JSON", REASON)),
        ("a.py", f'A = "{TWICE}"\n', JSON, MissingFix("Convert XML children to JSON", REASON)),
        (
            "a.py",
            'A = r"<git_status>{force: 1}</git_status>"\n',
            Settings(ignore=("TC303",)),
            MissingFix("Write it in double quotes", HELD),
        ),
    ],
)
def test_the_reason_is_known_wherever_the_call_is(
    path: str, text: str, settings: Settings, missing: MissingFix
) -> None:
    found = diagnostics(snapshot_of(text, path=path, settings=settings))
    assert [fix for each in found for fix in each.missing_fixes] == [missing]
    assert all(not each.fixes for each in found if each.missing_fixes)


DISPUTED = "<read_file><path>a</path><a:b:c>1</a:b:c>"
DISPUTE = "with this change lxml rejects the XML of `read_file`: Failed to parse QName 'a:b:c'"


def shown(text: str, client: Client = CLIENT, at: int = 1) -> dict[str, dict[str, Any]]:
    """Return the actions at a place, by their titles."""
    snapshot = snapshot_of(text)
    request = Request(Span(at, at), client, SimpleNamespace(context=SimpleNamespace(only=None)))
    edge = DocumentEdge(
        snapshot.document, uri="file:///a.md", version=7, encoding=PositionEncoding.UTF16, client=client
    )
    return {one["title"]: one for one in code_action.to_lsp(code_action.handle(snapshot, request), edge)}


def test_a_fix_after_which_lxml_rejects_the_call_is_disabled_with_the_reason() -> None:
    action = shown(DISPUTED)["Insert `</read_file>`"]
    assert action["disabled"] == {"reason": f"The text is unchanged: {DISPUTE}."}
    assert not {"edit", "data", "isPreferred"} & action.keys()
    assert "Insert `</read_file>`" not in shown(DISPUTED, replace(CLIENT, disabled_actions=False))


def test_a_fix_of_a_call_that_lxml_reads_alike_is_not() -> None:
    action = shown(DISPUTED.replace("a:b:c", "a"))["Insert `</read_file>`"]
    assert "edit" in action
    assert "disabled" not in action


def test_an_offer_that_lxml_rejects_is_disabled_once_it_is_taken() -> None:
    title = "Wrap `path` in CDATA"
    text = f"{DISPUTED}</read_file>"
    snapshot = snapshot_of(text)
    offer = shown(text, at=18)[title]
    params = SimpleNamespace(title=title, kind=offer["kind"], data={"key": offer["data"]["key"]})
    result = resolve.handle(snapshot, Request(Span(0, 0), CLIENT, params))
    edge = DocumentEdge(
        snapshot.document, uri="file:///a.md", version=7, encoding=PositionEncoding.UTF16, client=CLIENT
    )
    assert resolve.to_lsp(result, edge)["disabled"] == {"reason": f"The text is unchanged: {DISPUTE}."}
    assert result.edits == ()
