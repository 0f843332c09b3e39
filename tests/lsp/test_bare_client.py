"""A client that says nothing of what it can: every request is answered in the protocol's oldest forms."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lsp.conversation import Conversation, at, between, conversation

TOOL = {
    "name": "read_file",
    "description": "Reads *one* file.",
    "inputSchema": {
        "type": "object",
        "properties": {"path": {"type": "string", "description": "Where it `is`."}, "all": {"default": False}},
        "required": ["path"],
    },
}
TEXT = "Read <read_file>\n  <path>a</path>\n</read_file>\n\n<raed_file><path>a</path></raed_file>\n"


@pytest.fixture
def talk() -> Iterator[Conversation]:
    with conversation() as talk:
        yield talk


@pytest.fixture
def uri(talk: Conversation, tmp_path: Path) -> str:
    (tmp_path / "tools.json").write_text(json.dumps([TOOL]))
    (tmp_path / "callwright.toml").write_text('tools = ["tools.json"]\ndialect = "xml-children"\n')
    capabilities = talk.initialize({}, root=tmp_path)["capabilities"]
    assert capabilities["positionEncoding"] == "utf-16"
    assert capabilities["renameProvider"] is True
    uri = (tmp_path / "a.prompt").as_uri()
    talk.open(uri, TEXT)
    return uri


def keys_in(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set(value).union(*(keys_in(each) for each in value.values()))
    return set().union(*(keys_in(each) for each in value)) if isinstance(value, list) else set()


def test_diagnostics_have_no_links_tags_or_related_places(talk: Conversation, uri: str) -> None:
    (found,) = talk.diagnostics(uri)
    assert found["code"] == "TC301"
    assert not {"codeDescription", "tags", "relatedInformation"} & found.keys()


def test_hovers_are_plain_text(talk: Conversation, uri: str) -> None:
    here = {"textDocument": {"uri": uri}, "position": at(0, 8)}
    contents = talk.request("textDocument/hover", here)["contents"]
    assert "Reads *one* file." in contents["value"]
    assert contents["kind"] == "plaintext"


def test_completions_are_texts_without_markers_to_fill_in(talk: Conversation, uri: str) -> None:
    talk.change(uri, 2, {"text": "<read_file>\n  <\n</read_file>\n"})
    here = {"textDocument": {"uri": uri}, "position": at(1, 3)}
    items = talk.request("textDocument/completion", here)["items"]
    assert {"path", "all"} <= {item["label"] for item in items}
    newer = {"labelDetails", "insertTextMode", "commitCharacters", "tags", "command", "data"}
    for item in items:
        assert item["insertTextFormat"] == 1
        assert "$" not in item["textEdit"]["newText"]
        assert not newer & item.keys()
        assert isinstance(item.get("documentation", ""), str)
        assert item["textEdit"].keys() == {"range", "newText"}


def test_actions_are_left_out_and_edits_have_no_versions(talk: Conversation, uri: str) -> None:
    everywhere = {"range": between((4, 1), (4, 1)), "context": {"diagnostics": []}}
    assert talk.request("textDocument/codeAction", {"textDocument": {"uri": uri}, **everywhere}) == []
    talk.change(uri, 2, {"text": TEXT.partition("<raed")[0]})
    renamed = talk.request(
        "textDocument/rename", {"textDocument": {"uri": uri}, "position": at(0, 8), "newName": "open_file"}
    )
    assert renamed.keys() == {"changes"}
    assert not {"annotationId", "changeAnnotations", "documentChanges"} & keys_in(renamed)


def test_symbols_are_flat_and_ranges_are_of_lines(talk: Conversation, uri: str) -> None:
    document = {"textDocument": {"uri": uri}}
    symbols = talk.request("textDocument/documentSymbol", document)
    assert symbols
    assert all({"name", "kind", "location"} <= symbol.keys() for symbol in symbols)
    assert not {"children", "selectionRange", "tags"} & keys_in(symbols)
    folded = talk.request("textDocument/foldingRange", document)
    assert all("collapsedText" not in each for each in folded)
    help_here = {**document, "position": at(1, 8)}
    signature = talk.request("textDocument/signatureHelp", help_here)
    assert signature is not None
    assert "activeParameter" not in signature["signatures"][0]
    assert all(isinstance(each["label"], str) for each in signature["signatures"][0]["parameters"])


def test_nothing_is_asked_of_it(talk: Conversation, uri: str) -> None:
    talk.notify("workspace/didChangeConfiguration", {"settings": {"callwright": {"inlayHints": False}}})
    talk.request("callwright/status", {"uri": uri})
    asked = [message["method"] for message in talk.kept if "id" in message and "method" in message]
    assert asked == []
