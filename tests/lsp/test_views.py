"""The requests of our own that an editor's views are made of: the preview, the session, the tools."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lsp.conversation import Conversation, conversation

CHAT = {
    "messages": [
        {"role": "user", "content": "Read it 🐞."},
        {"role": "assistant", "content": "<read_file>{}</read_file>"},
    ]
}


@pytest.fixture
def talk() -> Iterator[Conversation]:
    with conversation() as talk:
        yield talk


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "callwright.toml").write_text('tools = ["tools.json"]\nfiles = ["*.json"]\n', encoding="utf-8")
    schema = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
    (tmp_path / "tools.json").write_text(
        json.dumps([{"name": "read_file", "description": "Reads.", "input_schema": schema}], indent=2), encoding="utf-8"
    )
    (tmp_path / "chat.json").write_text(json.dumps(CHAT, ensure_ascii=False), encoding="utf-8")
    return tmp_path


def opened(talk: Conversation, root: Path, **experimental: Any) -> str:
    capabilities = {"experimental": experimental} if experimental else {}
    talk.initialize(capabilities, workspaceFolders=[{"uri": root.as_uri(), "name": "root"}])
    file = root / "chat.json"
    talk.open(file.as_uri(), file.read_text(encoding="utf-8"), language="json")
    return file.as_uri()


def test_the_preview_is_a_page_whose_places_are_the_editors(talk: Conversation, root: Path) -> None:
    uri = opened(talk, root)
    html = talk.request("callwright/preview", {"textDocument": {"uri": uri}})["html"]
    assert "Turn 2 · assistant" in html
    text = (root / "chat.json").read_text(encoding="utf-8")
    start = len(text[: text.index("<read_file>")].encode("utf-16-le")) // 2
    assert f'data-range="0,{start},0,{start + len("<read_file>{}</read_file>")}"' in html


@pytest.mark.parametrize(
    ("locale", "words"), [("fr", "Tour 2 · assistant"), ("de", "Turn 2"), (None, "Turn 2"), (7, "Turn 2")]
)
def test_the_preview_speaks_the_clients_language(talk: Conversation, root: Path, locale: object, words: str) -> None:
    talk.initialize({}, workspaceFolders=[{"uri": root.as_uri(), "name": "root"}], locale=locale)
    file = root / "chat.json"
    talk.open(file.as_uri(), file.read_text(encoding="utf-8"), language="json")
    assert words in talk.request("callwright/preview", {"textDocument": {"uri": file.as_uri()}})["html"]


def test_the_session_is_a_dump(talk: Conversation, root: Path) -> None:
    uri = opened(talk, root)
    dumped = json.loads(talk.request("callwright/session", {"textDocument": {"uri": uri}})["json"])
    assert next(iter(dumped)) == "callwright_session"
    assert [error["type"] for error in dumped["errors"]] == ["SCHEMA_VALIDATION"]
    assert talk.request("callwright/session", {"textDocument": {"uri": uri}, "conversation": 7}) is None


def test_a_document_that_is_not_open_has_no_views(talk: Conversation, root: Path) -> None:
    opened(talk, root)
    for method in ("callwright/preview", "callwright/session"):
        assert talk.request(method, {"textDocument": {"uri": "file:///nowhere.json"}}) is None
        assert talk.fails(method, {})["code"] == -32602


def test_the_tools_are_reported_with_the_place_of_each(talk: Conversation, root: Path) -> None:
    opened(talk, root)
    (project,) = talk.request("callwright/tools", {})["projects"]
    assert project["file"] == str(root / "callwright.toml")
    (source,) = project["sources"]
    (tool,) = source["tools"]
    assert (source["uri"], source["errors"]) == ((root / "tools.json").as_uri(), 0)
    assert (tool["name"], tool["description"], tool["range"]["start"]) == (
        "read_file",
        "Reads.",
        {"line": 1, "character": 2},
    )
    assert tool["parameters"] == [
        {"name": "path", "detail": "string", "description": "", "required": True, "deprecated": False}
    ]


def test_a_client_that_wants_to_know_is_reported_a_project_that_a_document_brings(
    talk: Conversation, root: Path
) -> None:
    opened(talk, root, callwrightChanged=True)
    talk.wait("callwright/changed")
    other = root / "other"
    other.mkdir()
    (other / "callwright.toml").write_text("", encoding="utf-8")
    uri = (other / "b.prompt").as_uri()
    talk.notify(
        "textDocument/didOpen",
        {"textDocument": {"uri": uri, "languageId": "callwright-prompt", "version": 1, "text": "Nothing.\n"}},
    )
    talk.wait("callwright/changed")
    files = [project["file"] for project in talk.request("callwright/tools", {})["projects"]]
    assert str(other / "callwright.toml") in files
    talk.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    talk.wait("callwright/changed")
    assert len(talk.request("callwright/tools", {})["projects"]) == len(files) - 1


def test_a_client_that_wants_to_know_is_reported_that_tools_have_changed(talk: Conversation, root: Path) -> None:
    opened(talk, root, callwrightChanged=True)
    talk.wait("callwright/changed")
    (root / "tools.json").write_text("[]", encoding="utf-8")
    change = {"uri": (root / "tools.json").as_uri(), "type": 2}
    talk.notify("workspace/didChangeWatchedFiles", {"changes": [change]})
    assert talk.wait("callwright/changed") == {}
    after = talk.request("callwright/tools", {})["projects"]
    assert not any(source["tools"] for project in after for source in project["sources"])
