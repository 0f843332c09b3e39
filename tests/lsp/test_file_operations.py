"""Files that an editor makes, renames and removes: configurations follow them, and tools are read again at once."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lsp.conversation import CAPABILITIES, Conversation, codes, conversation

TOOL = {"name": "launch_probe", "inputSchema": {"type": "object", "properties": {}}}
CALL = "<launch_probe>{}</launch_probe>\n"
CONFIGURATION = '# Tools\ntools = ["tools/probe.json"]\n'


@pytest.fixture
def talk() -> Iterator[Conversation]:
    with conversation() as talk:
        yield talk


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "work space"
    for place in (root, root / "inner"):
        (place / "tools").mkdir(parents=True)
        (place / "tools" / "probe.json").write_text(json.dumps([TOOL]))
        (place / "callwright.toml").write_text(CONFIGURATION)
    (root / "inner" / "callwright.toml").write_text('tools = ["../tools/probe.json"]\n')
    return root


def renaming(talk: Conversation, old: Path, new: Path) -> Any:
    return talk.request("workspace/willRenameFiles", {"files": [{"oldUri": old.as_uri(), "newUri": new.as_uri()}]})


def reported(talk: Conversation, method: str, **uris: Path) -> None:
    talk.notify(f"workspace/{method}", {"files": [{key: path.as_uri() for key, path in uris.items()}]})


def test_every_configuration_of_the_workspace_follows(talk: Conversation, root: Path) -> None:
    capabilities = talk.initialize(root=root)["capabilities"]["workspace"]["fileOperations"]
    assert capabilities.keys() == {"willRename", "didCreate", "didRename", "didDelete"}
    # One is open, and another line is in it by now.
    talk.open((root / "callwright.toml").as_uri(), "\n" + CONFIGURATION, "toml", 7)
    edit = renaming(talk, root / "tools", root / "my tools")
    changes = {
        each["textDocument"]["uri"]: (each["textDocument"]["version"], each["edits"])
        for each in edit["documentChanges"]
    }
    assert changes.keys() == {(root / name).as_uri() for name in ("callwright.toml", "inner/callwright.toml")}
    version, (one,) = changes[(root / "callwright.toml").as_uri()]
    assert (version, one["newText"]) == (7, '"my tools/probe.json"')
    assert one["range"]["start"] == {"line": 2, "character": 9}
    version, (other,) = changes[(root / "inner" / "callwright.toml").as_uri()]
    assert (version, other["newText"]) == (None, '"../my tools/probe.json"')
    assert renaming(talk, root / "unnamed", root / "other") is None


def test_a_client_without_versioned_edits_is_given_plain_ones(talk: Conversation, root: Path) -> None:
    talk.initialize({}, root=root)
    edit = renaming(talk, root / "tools" / "probe.json", root / "probe.json")
    assert edit.keys() == {"changes"}
    (one,) = edit["changes"][(root / "callwright.toml").as_uri()]
    assert one["newText"] == '"probe.json"'


def test_a_tool_file_that_is_removed_is_missed_at_once(talk: Conversation, root: Path) -> None:
    talk.initialize(root=root)
    uri, configuration = (root / "a.prompt").as_uri(), (root / "callwright.toml").as_uri()
    talk.open(uri, CALL)
    assert talk.diagnostics(uri) == []
    shutil.rmtree(root / "tools")
    reported(talk, "didDeleteFiles", uri=root / "tools")
    (found,) = talk.diagnostics(configuration)
    assert "tools/probe.json" in found["message"]
    # While tools are missing, no name is one that there is not.
    assert talk.diagnostics(uri) == []
    (root / "tools").mkdir()
    (root / "tools" / "probe.json").write_text(json.dumps([{**TOOL, "name": "launch_probes"}]))
    reported(talk, "didCreateFiles", uri=root / "tools")
    assert talk.diagnostics(configuration) == []
    assert codes(talk.diagnostics(uri)) == ["TC301"]


def test_a_renamed_tool_file_is_read_under_its_new_name(talk: Conversation, root: Path) -> None:
    talk.initialize(CAPABILITIES, root=root)
    uri, configuration = (root / "a.prompt").as_uri(), root / "callwright.toml"
    talk.open(uri, CALL)
    assert talk.diagnostics(uri) == []
    edit = renaming(talk, root / "tools" / "probe.json", root / "tools" / "probes.json")
    (one,) = next(
        each["edits"] for each in edit["documentChanges"] if each["textDocument"]["uri"] == configuration.as_uri()
    )
    configuration.write_text(CONFIGURATION.replace('"tools/probe.json"', one["newText"]))
    (root / "tools" / "probe.json").rename(root / "tools" / "probes.json")
    reported(talk, "didRenameFiles", oldUri=root / "tools" / "probe.json", newUri=root / "tools" / "probes.json")
    assert talk.diagnostics(uri) == []
    assert talk.request("callwright/status", {"uri": uri})["toolSets"] == ["probes"]


@pytest.mark.parametrize("params", [None, [], {}, {"files": None}, {"files": [None, {"uri": 5}, {"uri": "x:"}]}])
def test_news_of_files_that_make_no_sense_end_nothing(talk: Conversation, root: Path, params: Any) -> None:
    talk.initialize(root=root)
    for method in ("didCreateFiles", "didRenameFiles", "didDeleteFiles"):
        talk.notify(f"workspace/{method}", params)
    assert talk.request("workspace/symbol", {"query": ""}) is not None
