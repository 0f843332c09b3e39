"""Settings for some files and configurations that build on others, in the server."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from lsp.conversation import Conversation, codes, conversation

UNKNOWN = "<open_flie><path>a</path></open_flie>\n"


def tool(name: str) -> str:
    schema = {"type": "object", "properties": {"path": {"type": "string", "description": "Which."}}}
    return json.dumps({"name": name, "description": "Opens.", "inputSchema": schema})


@pytest.fixture
def talk() -> Iterator[Conversation]:
    with conversation() as talk:
        yield talk


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("public", "package/old", "package/new"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "public" / "kit.json").write_text(tool("open_file"))
    (tmp_path / "public" / "base.toml").write_text('tools = ["kit.json"]\n')
    (tmp_path / "package" / "callwright.toml").write_text(
        'extend = "../public/base.toml"\n'
        '[[overrides]]\nfiles = ["old/**"]\nignore = ["unknown-tool"]\n'
        '[[overrides]]\nfiles = ["new/**"]\nseverity = { TC3 = "hint" }\n'
    )
    return tmp_path


def changed(talk: Conversation, file: Path) -> None:
    talk.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": file.as_uri(), "type": 2}]})


def test_each_document_has_the_settings_of_its_path(talk: Conversation, root: Path) -> None:
    talk.initialize(root=root)
    for name, severities in (("a", [1]), ("old/a", []), ("new/a", [4])):
        uri = (root / "package" / f"{name}.prompt").as_uri()
        talk.open(uri, UNKNOWN)
        assert [item["severity"] for item in talk.diagnostics(uri)] == severities


def test_an_override_that_changes_counts_at_once(talk: Conversation, root: Path) -> None:
    talk.initialize(root=root)
    uri = (root / "package" / "old" / "a.prompt").as_uri()
    talk.open(uri, UNKNOWN)
    assert talk.diagnostics(uri) == []
    file = root / "package" / "callwright.toml"
    file.write_text(file.read_text().replace("old/**", "older/**"))
    changed(talk, file)
    assert codes(talk.diagnostics(uri)) == ["TC301"]


def test_a_file_that_is_built_on_and_changes_counts_at_once(talk: Conversation, root: Path) -> None:
    talk.initialize(root=root)
    uri = (root / "package" / "a.prompt").as_uri()
    talk.open(uri, UNKNOWN)
    assert codes(talk.diagnostics(uri)) == ["TC301"]
    (root / "public" / "base.toml").write_text('tools = ["kit.json"]\nignore = ["TC301"]\n')
    changed(talk, root / "public" / "base.toml")
    assert talk.diagnostics(uri) == []


def test_a_file_that_is_built_on_and_appears_counts_at_once(talk: Conversation, root: Path) -> None:
    (root / "public" / "base.toml").unlink()
    talk.initialize(root=root)
    configuration = (root / "package" / "callwright.toml").as_uri()
    uri = (root / "package" / "a.prompt").as_uri()
    talk.open(uri, UNKNOWN)
    assert talk.diagnostics(uri) == []
    assert codes(talk.diagnostics(configuration)) == ["TC605"]
    (root / "public" / "base.toml").write_text('tools = ["kit.json"]\n')
    changed(talk, root / "public" / "base.toml")
    assert codes(talk.diagnostics(uri)) == ["TC301"]
    assert talk.diagnostics(configuration) == []


def test_a_fault_in_a_file_that_is_built_on_is_shown_there(talk: Conversation, root: Path) -> None:
    base = root / "public" / "base.toml"
    base.write_text('dialekt = "xml-json"\ntools = ["kit.json"]\n')
    talk.initialize(root=root)
    uri = (root / "package" / "a.prompt").as_uri()
    talk.open(uri, UNKNOWN)
    assert codes(talk.diagnostics(base.as_uri())) == ["TC602"]
    # Open in the editor it is a configuration, though its name says nothing of the kind.
    talk.open(base.as_uri(), 'provider = "antropic"\ntools = ["kit.json"]\n', language="toml")
    assert codes(talk.diagnostics(base.as_uri(), 1)) == ["TC603"]


def test_a_tool_file_of_another_folder_is_judged_by_the_project_that_names_it(talk: Conversation, root: Path) -> None:
    talk.initialize(root=root)
    uri = (root / "package" / "a.prompt").as_uri()
    talk.open(uri, UNKNOWN)
    assert codes(talk.diagnostics(uri)) == ["TC301"]
    kit = (root / "public" / "kit.json").as_uri()
    talk.open(kit, '[{"name": "open_file", "description": "Opens.", "inputSchema": 3}]', language="json")
    assert codes(talk.diagnostics(kit, 1)) == ["TC503"]
