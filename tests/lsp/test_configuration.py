"""Configuration in the server: which documents it diagnoses, with which tools, and changes that need no restart."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lsp.conversation import CAPABILITIES, Conversation, at, between, codes, conversation

TOOL = {
    "name": "launch_probe",
    "description": "Launches a probe.",
    "inputSchema": {
        "type": "object",
        "properties": {"target": {"type": "string", "description": "Where it goes."}},
        "required": ["target"],
        "additionalProperties": False,
    },
}
CALL = "<launch_probe>{}</launch_probe>\n"
UNKNOWN = "<launch_prob>{}</launch_prob>\n"


@pytest.fixture
def talk() -> Iterator[Conversation]:
    with conversation() as talk:
        yield talk


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "work space"
    (root / "tools").mkdir(parents=True)
    (root / "tools" / "probe.json").write_text(json.dumps({"tools": [TOOL]}))
    (root / "callwright.toml").write_text('tools = ["tools/*.json"]\nfiles = ["prompts/**"]\n')
    return root


def changed(talk: Conversation, *files: Path) -> None:
    changes = [{"uri": file.as_uri(), "type": 2} for file in files]
    talk.notify("workspace/didChangeWatchedFiles", {"changes": changes})


def test_the_tools_of_the_configuration_are_in_force(talk: Conversation, root: Path) -> None:
    talk.initialize(root=root)
    uri = (root / "a.prompt").as_uri()
    talk.open(uri, CALL + UNKNOWN)
    assert [(item["severity"], item["code"]) for item in talk.diagnostics(uri)] == [(1, "TC302"), (1, "TC301")]
    status = talk.wait("callwright/status")
    assert status == {
        "uri": uri,
        "tools": 1,
        "toolSets": ["probe"],
        "dialect": None,
        "host": "Prompt",
        "configuration": str(root / "callwright.toml"),
        "problems": 2,
    }
    assert talk.request("callwright/status", {"uri": uri}) == status


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        (
            "a.jsonl",
            '{"messages": [{"role": "user", "content": "hi"}]}\n',
            "JSON Lines transcript, OpenAI chat messages",
        ),
        ("a.md.j2", "Hello {{ name }}\n", "Markdown in Jinja"),
    ],
)
def test_the_status_states_how_a_document_is_read(
    talk: Conversation, root: Path, name: str, text: str, kind: str
) -> None:
    talk.initialize(root=root)
    uri = (root / "prompts" / name).as_uri()
    talk.open(uri, text, language="plaintext" if name.endswith("j2") else "jsonl")
    assert talk.request("callwright/status", {"uri": uri})["host"] == kind


def test_a_configuration_that_changes_counts_at_once(talk: Conversation, root: Path) -> None:
    talk.initialize(root=root)
    uri = (root / "a.prompt").as_uri()
    talk.open(uri, CALL)
    assert codes(talk.diagnostics(uri)) == ["TC302"]
    (root / "callwright.toml").write_text('tools = ["tools/*.json"]\nignore = ["missing-argument"]\n')
    changed(talk, root / "callwright.toml")
    assert talk.diagnostics(uri) == []


def test_a_tool_file_that_changes_counts_at_once(talk: Conversation, root: Path) -> None:
    talk.initialize(root=root)
    uri = (root / "a.prompt").as_uri()
    talk.open(uri, CALL)
    assert codes(talk.diagnostics(uri)) == ["TC302"]
    optional = {**TOOL, "inputSchema": {"type": "object", "properties": {"target": {"type": "string"}}}}
    (root / "tools" / "probe.json").write_text(json.dumps({"tools": [optional]}))
    changed(talk, root / "tools" / "probe.json")
    assert talk.diagnostics(uri) == []


def test_a_tool_file_counts_as_it_is_typed_while_it_can_be_read(talk: Conversation, root: Path) -> None:
    talk.initialize(root=root)
    prompt, tools = (root / "a.prompt").as_uri(), (root / "tools" / "probe.json").as_uri()
    text = json.dumps({"tools": [TOOL]})
    talk.open(prompt, "<launch_probe><target>a</target></launch_probe>\n")
    assert talk.diagnostics(prompt) == []
    talk.open(tools, text, language="json")

    def type_in(typed: str, version: int) -> None:
        document = {"uri": tools, "version": version}
        talk.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": typed}]})

    renamed = text.replace("launch_probe", "launch_probes")
    type_in(renamed, 2)
    assert codes(talk.diagnostics(prompt)) == ["TC301"]
    # In the middle of an edit the tools stay those of a moment ago.
    type_in(renamed[:-3], 3)
    type_in(text, 4)
    assert talk.diagnostics(prompt) == []
    type_in(renamed, 5)
    assert codes(talk.diagnostics(prompt)) == ["TC301"]
    # Closed without being saved.
    talk.notify("textDocument/didClose", {"textDocument": {"uri": tools}})
    assert talk.diagnostics(prompt) == []


def test_a_tool_file_that_is_saved_half_typed_counts_as_it_was(talk: Conversation, root: Path) -> None:
    talk.initialize(root=root)
    place = root / "tools" / "probe.json"
    prompt, tools = (root / "a.prompt").as_uri(), place.as_uri()
    calls = "Words.\n\n<launch_probe><target>a</target></launch_probe>\n"
    talk.open(prompt, calls)
    assert codes(talk.diagnostics(prompt)) == []
    talk.open(tools, json.dumps({"tools": [TOOL]}), language="json")
    text = json.dumps({"tools": [{**TOOL, "name": "launch_probes"}]})

    def type_in(typed: str, version: int) -> None:
        document = {"uri": tools, "version": version}
        talk.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": typed}]})

    type_in(text, 2)
    (before,) = talk.diagnostics(prompt)
    assert before["code"] == "TC301"
    type_in(text[:-3], 3)
    place.write_text(text[:-3])
    talk.notify("textDocument/didSave", {"textDocument": {"uri": tools}})
    (item,) = talk.diagnostics(prompt)
    assert item == before


def test_where_a_tool_is_defined_is_reported_again_when_that_moves(talk: Conversation, root: Path) -> None:
    talk.initialize(root=root)
    place = root / "tools" / "probe.json"
    prompt, tools = (root / "a.prompt").as_uri(), place.as_uri()
    talk.open(prompt, CALL)
    (item,) = talk.diagnostics(prompt)
    (related,) = item["relatedInformation"]
    line = related["location"]["range"]["start"]["line"]
    talk.open(tools, place.read_text(), language="json")
    top = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
    change = {"textDocument": {"uri": tools, "version": 2}, "contentChanges": [{"range": top, "text": "\n\n"}]}
    talk.notify("textDocument/didChange", change)
    (item,) = talk.diagnostics(prompt)
    (related,) = item["relatedInformation"]
    assert related["location"]["range"]["start"]["line"] == line + 2


def test_without_watched_files_a_change_is_seen_when_something_is_saved(talk: Conversation, root: Path) -> None:
    talk.initialize(root=root)
    uri = (root / "a.prompt").as_uri()
    talk.open(uri, CALL)
    assert codes(talk.diagnostics(uri)) == ["TC302"]
    (root / "callwright.toml").write_text('tools = ["tools/*.json"]\nignore = ["missing-argument"]\n')
    talk.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
    assert talk.diagnostics(uri) == []


def test_a_configuration_that_appears_and_goes_again(talk: Conversation, root: Path) -> None:
    (root / "callwright.toml").unlink()
    talk.initialize(root=root)
    uri = (root / "texts" / "a.md").as_uri()
    talk.open(uri, UNKNOWN, language="markdown")
    assert talk.request("callwright/status", {"uri": uri})["host"] is None
    (root / "callwright.toml").write_text('tools = ["tools/*.json"]\nfiles = ["texts/**"]\n')
    changed(talk, root / "callwright.toml")
    assert talk.expect(lambda message: message.get("params", {}).get("diagnostics"))
    (root / "callwright.toml").unlink()
    changed(talk, root / "callwright.toml")
    assert talk.diagnostics(uri) == []


@pytest.mark.parametrize(
    ("name", "language", "is_diagnosed"),
    [
        ("a.prompt", "callwright-prompt", True),
        ("a.toolcall", "", True),
        ("other.txt", "callwright-prompt", True),
        ("prompts/deep/a.md", "markdown", True),
        ("prompts/a.txt", "plaintext", True),
        ("README.md", "markdown", False),
        ("notes.txt", "plaintext", False),
    ],
)
def test_what_check_would_look_at_is_diagnosed(
    talk: Conversation, root: Path, name: str, language: str, is_diagnosed: bool
) -> None:
    talk.initialize(root=root)
    uri = (root / name).as_uri()
    talk.open(uri, UNKNOWN, language=language)
    assert codes(talk.diagnostics(uri)) == (["TC301"] if is_diagnosed else [])


def test_a_document_that_was_never_saved_is_governed_by_the_first_folder(talk: Conversation, root: Path) -> None:
    talk.initialize(root=root)
    talk.open("untitled:Untitled-1", UNKNOWN)
    assert codes(talk.diagnostics("untitled:Untitled-1")) == ["TC301"]


def test_nothing_above_the_open_folder_is_read(talk: Conversation, root: Path) -> None:
    (root / "prompts").mkdir()
    talk.initialize(root=root / "prompts")
    uri = (root / "prompts" / "a.prompt").as_uri()
    talk.open(uri, CALL)
    assert talk.request("callwright/status", {"uri": uri})["configuration"] is None


def test_a_faulty_configuration_is_a_diagnostic_in_it(talk: Conversation, root: Path) -> None:
    file = root / "callwright.toml"
    file.write_text('# é\ntools = ["tools/*.json"]\ndialct = "xml-json"\n')
    talk.initialize(root=root)
    uri = (root / "a.prompt").as_uri()
    talk.open(uri, CALL)
    (item,) = talk.diagnostics(file.as_uri())
    assert item["range"] == between((2, 0), (2, 6))
    assert "dialct" in item["message"]
    file.write_text('tools = ["tools/*.json"]\ndialect = "xml-json"\n')
    changed(talk, file)
    assert talk.diagnostics(file.as_uri()) == []


def test_a_faulty_tool_file_is_a_diagnostic_in_it(talk: Conversation, root: Path) -> None:
    file = root / "tools" / "probe.json"
    file.write_text('{"tools": [{"description": "no name"}]}')
    talk.initialize(root=root)
    talk.open((root / "a.prompt").as_uri(), CALL)
    assert talk.diagnostics(file.as_uri())
    assert talk.diagnostics((root / "callwright.toml").as_uri())


def test_a_configuration_that_is_open_is_checked_as_it_is_written(talk: Conversation, root: Path) -> None:
    talk.initialize(root=root)
    uri = (root / "callwright.toml").as_uri()
    talk.open(uri, 'dialect = "xml-json"\n', language="toml")
    assert talk.diagnostics(uri, 1) == []
    talk.change(uri, 2, {"range": between((0, 11), (0, 19)), "text": "xml-jsn"})
    (item,) = talk.diagnostics(uri, 2)
    assert item["range"]["start"] == at(0, 10)


def test_settings_pushed_by_the_editor_go_before_the_file(talk: Conversation, root: Path) -> None:
    talk.initialize(root=root, initializationOptions={"settings": {"ignore": ["TC301"]}})
    uri = (root / "a.prompt").as_uri()
    talk.open(uri, UNKNOWN)
    assert talk.diagnostics(uri) == []
    settings = {"callwright": {"ignore": [], "dialect": "", "trace": {"server": "off"}, "severity": {"TC301": "hint"}}}
    talk.notify("workspace/didChangeConfiguration", {"settings": settings})
    found = talk.expect(lambda message: message.get("params", {}).get("diagnostics"))["params"]["diagnostics"]
    assert [(item["code"], item["severity"]) for item in found] == [("TC301", 4)]


def test_settings_that_make_no_sense_are_stated_once(talk: Conversation, root: Path) -> None:
    talk.initialize(root=root, initializationOptions={"dialect": "klingon"})
    for name in ("a.prompt", "b.prompt"):
        talk.open((root / name).as_uri(), UNKNOWN)
        assert codes(talk.diagnostics((root / name).as_uri())) == ["TC301"]
    assert "klingon" in talk.wait("window/logMessage")["message"]
    talk.request("callwright/status", {"uri": "file:///x"})
    assert not any("klingon" in str(message) for message in talk.kept)


ASKED = {
    **CAPABILITIES,
    "workspace": {
        **CAPABILITIES["workspace"],
        "configuration": True,
        "didChangeConfiguration": {"dynamicRegistration": True},
        "didChangeWatchedFiles": {"dynamicRegistration": True},
        "diagnostics": {"refreshSupport": True},
    },
}


def test_an_editor_that_can_be_asked_is_asked_before_anything_is_stated(talk: Conversation, root: Path) -> None:
    stated: dict[str, Any] = {"ignore": ["TC301"]}
    talk.settings = lambda _item: stated
    talk.initialize(ASKED, root=root)
    uri = (root / "a.prompt").as_uri()
    talk.open(uri, UNKNOWN)
    assert talk.diagnostics(uri) == []
    registered = talk.wait("client/registerCapability")["registrations"]
    assert {one["method"] for one in registered} == {
        "workspace/didChangeWatchedFiles",
        "workspace/didChangeConfiguration",
    }
    stated["ignore"] = []
    talk.notify("workspace/didChangeConfiguration", {"settings": None})
    assert codes(talk.diagnostics(uri)) == ["TC301"]


def test_a_client_that_fetches_is_reported_to_fetch_again(talk: Conversation, root: Path) -> None:
    capabilities = {**ASKED, "textDocument": {**ASKED["textDocument"], "diagnostic": {}}}
    talk.initialize(capabilities, root=root)
    uri = (root / "a.prompt").as_uri()
    talk.open(uri, UNKNOWN)
    first = talk.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})
    assert codes(first["items"]) == ["TC301"]
    (root / "callwright.toml").write_text('tools = ["tools/*.json"]\nignore = ["unknown-tool"]\n')
    changed(talk, root / "callwright.toml")
    talk.wait("workspace/diagnostic/refresh")
    params = {"textDocument": {"uri": uri}, "previousResultId": first["resultId"]}
    assert talk.request("textDocument/diagnostic", params)["items"] == []


def test_folders_come_and_go(talk: Conversation, root: Path, tmp_path: Path) -> None:
    talk.initialize(root=tmp_path / "elsewhere")
    uri = (root / "prompts" / "a.md").as_uri()
    talk.open(uri, UNKNOWN, language="markdown")
    assert talk.diagnostics(uri) == []
    folder = {"uri": root.as_uri(), "name": "work"}
    talk.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [folder], "removed": []}})
    assert codes(talk.diagnostics(uri)) == ["TC301"]
    talk.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [], "removed": [folder]}})
    assert talk.diagnostics(uri) == []


def test_a_setting_that_is_taken_back_no_longer_counts(talk: Conversation, root: Path) -> None:
    stated: dict[str, Any] = {"ignore": ["TC301"]}
    talk.settings = lambda _item: stated
    talk.initialize(ASKED, root=root, initializationOptions={"settings": dict(stated)})
    uri = (root / "a.prompt").as_uri()
    talk.open(uri, UNKNOWN)
    assert talk.diagnostics(uri) == []
    stated.clear()
    talk.notify("workspace/didChangeConfiguration", {"settings": None})
    assert codes(talk.diagnostics(uri)) == ["TC301"]


def test_a_tool_file_that_appears_counts_and_another_file_does_not(talk: Conversation, root: Path) -> None:
    talk.initialize(root=root)
    uri = (root / "a.prompt").as_uri()
    talk.open(uri, "<land_probe>{}</land_probe>\n")
    assert talk.diagnostics(uri) == []
    (root / "package.json").write_text("{}")
    changed(talk, root / "package.json")
    assert talk.diagnostics(uri) == []
    (root / "tools" / "landing.json").write_text(json.dumps({"tools": [{**TOOL, "name": "land_probe"}]}))
    changed(talk, root / "tools" / "landing.json")
    assert codes(talk.diagnostics(uri)) == ["TC302"]


def test_an_editor_that_answers_with_an_error_is_served_all_the_same(talk: Conversation, root: Path) -> None:
    def fail(_item: dict[str, Any]) -> Any:
        raise ValueError("no settings here")

    talk.settings = fail
    talk.initialize(ASKED, root=root)
    uri = (root / "a.prompt").as_uri()
    talk.open(uri, UNKNOWN)
    assert codes(talk.diagnostics(uri)) == ["TC301"]
    assert "no settings here" in talk.wait("window/logMessage")["message"]
