"""A prompt that declares its tools, in a folder without a configuration: what the server says of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from lsp.conversation import Conversation, conversation

PROMPT = """## read_file
Description: Reads a file.
Parameters:
- path: (required) The path of the file
Usage:
<read_file>
<path>File path here</path>
</read_file>

# Examples

<read_file>
<pth>a.txt</pth>
</read_file>
"""


@pytest.fixture
def talk() -> Iterator[Conversation]:
    with conversation() as talk:
        yield talk


def test_the_status_states_that_tools_are_the_files_own(talk: Conversation, tmp_path: Path) -> None:
    talk.initialize(root=tmp_path)
    uri = (tmp_path / "system.prompt").as_uri()
    talk.open(uri, PROMPT)
    assert [item["code"] for item in talk.diagnostics(uri)] == ["TC303"]
    assert talk.wait("callwright/status") == {
        "uri": uri,
        "tools": 1,
        "toolSets": ["system"],
        "dialect": None,
        "host": "Prompt",
        "configuration": None,
        "problems": 1,
        "own": True,
    }


def test_a_prompt_that_is_a_tool_file_is_where_definitions_lead(talk: Conversation, tmp_path: Path) -> None:
    (tmp_path / "prompts").mkdir()
    system = tmp_path / "prompts" / "system.md"
    system.write_text(PROMPT.replace("pth", "path"))
    (tmp_path / "callwright.toml").write_text('tools = ["prompts/system.md"]\n')
    talk.initialize(root=tmp_path)
    uri = (tmp_path / "a.prompt").as_uri()
    talk.open(uri, "<read_file>\n<path>b.txt</path>\n</read_file>\n")
    assert talk.diagnostics(uri) == []
    status = talk.request("callwright/status", {"uri": uri})
    assert (status["tools"], status["toolSets"], status.get("own")) == (1, ["system"], None)
    for line, character, wanted in ((0, 3, 0), (1, 3, 3)):
        place = {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}
        (found,) = talk.request("textDocument/definition", place)
        assert (found["uri"], found["range"]["start"]["line"]) == (system.as_uri(), wanted)
    place = {"textDocument": {"uri": uri}, "position": {"line": 1, "character": 3}}
    changes = talk.request("textDocument/rename", {**place, "newName": "file"})["documentChanges"]
    lines = {
        change["textDocument"]["uri"]: sorted(edit["range"]["start"]["line"] for edit in change["edits"])
        for change in changes
    }
    assert lines == {system.as_uri(): [3, 6, 6, 12, 12], uri: [1, 1]}
