"""Renaming tools and parameters across a workspace, and locating who calls them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from callwright.text.document import TextDocument
from callwright.text.positions import PositionEncoding, to_offset
from lsp.conversation import CAPABILITIES, Conversation, at, conversation

pytestmark = pytest.mark.usefixtures("named_sets")

TOOLS = {
    "tools": [
        {
            "name": "read_file",
            "description": "Reads a file.",
            "inputSchema": {
                "type": "object",
                "properties": {"path": {"type": "string", "description": "Which."}},
                "required": ["path"],
            },
            "examples": [{"path": "a.py"}],
        },
        {"name": "write_file", "description": "Writes a file.", "inputSchema": {"type": "object"}},
    ]
}
PROMPT = "Use `read_file` first.\n\n<read_file><path>a.py</path></read_file>\n"
OTHER = '<tool_call>{"name": "read_file", "arguments": {"path": "b.py"}}</tool_call>\n'
CHAT = {
    "messages": [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "call_1",
                    "type": "function",
                    "function": {"name": "read_file", "arguments": '{"path": "c.py"}'},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "call_1", "name": "read_file", "content": "x = 1"},
    ]
}
ABLE: dict[str, Any] = {
    **CAPABILITIES,
    "textDocument": {**CAPABILITIES["textDocument"], "rename": {"prepareSupport": True}},
    "workspace": {"workspaceEdit": {"documentChanges": True, "changeAnnotationSupport": {}}},
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "tools.json").write_text(json.dumps(TOOLS, indent=2))
    (tmp_path / "callwright.toml").write_text('tools = ["tools.json"]\nfiles = ["chats/*.json"]\n')
    (tmp_path / "a.prompt").write_text(PROMPT)
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "b.prompt").write_bytes(b"\xef\xbb\xbf" + OTHER.encode())
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "c.prompt").write_text(OTHER)
    (tmp_path / "chats").mkdir()
    (tmp_path / "chats" / "chat.json").write_text(json.dumps(CHAT))
    return tmp_path


@pytest.fixture
def talk() -> Iterator[Conversation]:
    with conversation() as talk:
        yield talk


def asked(root: Path, line: int, character: int, **more: Any) -> dict[str, Any]:
    return {"textDocument": {"uri": (root / "a.prompt").as_uri()}, "position": at(line, character), **more}


def applied(root: Path, edit: dict[str, Any], *, certain: bool = False) -> dict[str, str]:
    """Return the files after an edit of the workspace, by their paths; with `certain`, without unconfirmed ones."""
    files: dict[str, str] = {}
    for change in edit["documentChanges"]:
        path = Path(change["textDocument"]["uri"].removeprefix("file://"))
        text = path.read_bytes().decode("utf-8-sig")
        document = TextDocument.from_text(text)
        offsets = []
        for one in change["edits"]:
            if certain and "annotationId" in one:
                continue
            ends = (one["range"]["start"], one["range"]["end"])
            start, end = (to_offset(document, end["line"], end["character"], PositionEncoding.UTF16) for end in ends)
            offsets.append((start, end, one["newText"]))
        for start, end, new in sorted(offsets, reverse=True):
            text = text[:start] + new + text[end:]
        files[path.relative_to(root).as_posix()] = text
    return files


def opened(talk: Conversation, root: Path, capabilities: dict[str, Any] = ABLE) -> None:
    talk.initialize(capabilities, root=root)
    talk.open((root / "a.prompt").as_uri(), PROMPT)


def test_a_tool_is_renamed_wherever_it_is_named(talk: Conversation, root: Path) -> None:
    opened(talk, root)
    prepared = talk.request("textDocument/prepareRename", asked(root, 2, 4))
    assert prepared == {"range": {"start": at(2, 1), "end": at(2, 10)}, "placeholder": "read_file"}
    edit = talk.request("textDocument/rename", asked(root, 2, 4, newName="open_file"))
    files = applied(root, edit)
    assert sorted(files) == ["a.prompt", "chats/chat.json", "deep/b.prompt", "tools.json"]
    before = {
        "a.prompt": PROMPT,
        "deep/b.prompt": OTHER,
        "tools.json": json.dumps(TOOLS, indent=2),
        "chats/chat.json": json.dumps(CHAT),
    }
    assert files == {path: text.replace("read_file", "open_file") for path, text in before.items()}
    versions = {change["textDocument"]["uri"]: change["textDocument"]["version"] for change in edit["documentChanges"]}
    assert versions.pop((root / "a.prompt").as_uri()) == 1
    assert set(versions.values()) == {None}


def test_who_renames_is_reported_files_that_were_not_scanned_into(
    talk: Conversation, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("callwright.lsp.workspace.MAX_FILES", 3)
    opened(talk, root)
    edit = talk.request("textDocument/rename", asked(root, 2, 4, newName="open_file"))
    assert "deep/b.prompt" not in applied(root, edit)
    stated = talk.wait("window/showMessage")["message"]
    assert "was not searched and is unchanged: only the first 3 files are scanned." in stated


def test_what_is_not_certain_is_to_be_confirmed(talk: Conversation, root: Path) -> None:
    opened(talk, root)
    edit = talk.request("textDocument/rename", asked(root, 2, 4, newName="open_file"))
    assert all(note["needsConfirmation"] for note in edit["changeAnnotations"].values())
    assert sorted(edit["changeAnnotations"]) == ["prose", "transcript"]
    files = applied(root, edit, certain=True)
    assert files["a.prompt"] == "Use `read_file` first.\n\n<open_file><path>a.py</path></open_file>\n"
    assert files["chats/chat.json"] == json.dumps(CHAT)


def test_a_client_that_cannot_ask_is_given_what_is_certain(talk: Conversation, root: Path) -> None:
    opened(talk, root, CAPABILITIES)
    edit = talk.request("textDocument/rename", asked(root, 2, 4, newName="open_file"))
    assert "changeAnnotations" not in edit
    assert sorted(applied(root, edit)) == ["a.prompt", "deep/b.prompt", "tools.json"]
    reported = talk.wait("window/showMessage")
    assert reported["message"].startswith("Callwright: 3 places are unchanged")


def test_a_parameter_is_renamed_in_schema_examples_and_calls(talk: Conversation, root: Path) -> None:
    opened(talk, root)
    edit = talk.request("textDocument/rename", asked(root, 2, 14, newName="file"))
    files = applied(root, edit)
    assert files["a.prompt"] == "Use `read_file` first.\n\n<read_file><file>a.py</file></read_file>\n"
    assert files["deep/b.prompt"] == OTHER.replace('"path"', '"file"')
    assert files["tools.json"] == json.dumps(TOOLS, indent=2).replace('"path"', '"file"')
    assert files["chats/chat.json"] == json.dumps(CHAT).replace('\\"path\\"', '\\"file\\"')


def test_renaming_in_the_tool_file_renames_the_calls(talk: Conversation, root: Path) -> None:
    talk.initialize(ABLE, root=root)
    text = (root / "tools.json").read_text()
    uri = (root / "tools.json").as_uri()
    talk.open(uri, text, language="json")
    line = next(number for number, each in enumerate(text.split("\n")) if '"read_file"' in each)
    params = {"textDocument": {"uri": uri}, "position": at(line, 17), "newName": "open_file"}
    files = applied(root, talk.request("textDocument/rename", params))
    assert sorted(files) == ["a.prompt", "chats/chat.json", "deep/b.prompt", "tools.json"]


@pytest.mark.parametrize(
    ("place", "new", "words"),
    [
        ((2, 4), "write_file", "There is already a tool named `write_file`."),
        ((2, 4), "read file", "is not a valid name for a tool"),
        ((2, 4), "read_file", "The name is already"),
        ((2, 4), "x" * 129, "longer than 128 characters"),
    ],
)
def test_a_name_that_cannot_be_is_refused(
    talk: Conversation, root: Path, place: tuple[int, int], new: str, words: str
) -> None:
    opened(talk, root)
    error = talk.fails("textDocument/rename", asked(root, *place, newName=new))
    assert error["code"] == -32803
    assert words in error["message"]


def test_a_tool_that_travels_with_callwright_is_read_only(talk: Conversation, tmp_path: Path) -> None:
    (tmp_path / "a.prompt").write_text(PROMPT)
    opened(talk, tmp_path)
    error = talk.fails("textDocument/prepareRename", asked(tmp_path, 2, 4))
    assert "which is shipped with Callwright and is read-only" in error["message"]


def test_a_name_that_a_dialect_cannot_hold_is_refused_as_a_whole(talk: Conversation, root: Path) -> None:
    (root / "deep" / "b.prompt").write_text('[read_file(path="b.py")]\n')
    opened(talk, root)
    error = talk.fails("textDocument/rename", asked(root, 2, 4, newName="open-file"))
    assert error["message"].startswith("Nothing was renamed: `b.prompt`, line 1: ")


def test_every_call_of_a_tool_is_found(talk: Conversation, root: Path) -> None:
    opened(talk, root)
    found = talk.request("textDocument/references", asked(root, 2, 4, context={"includeDeclaration": True}))
    places = [(Path(one["uri"]).name, one["range"]["start"]) for one in found]
    assert [name for name, _ in places] == ["tools.json", "a.prompt", "a.prompt", "chat.json", "chat.json", "b.prompt"]
    assert ("a.prompt", at(2, 1)) in places
    assert ("b.prompt", at(0, 21)) in places
    fewer = talk.request("textDocument/references", asked(root, 2, 4, context={"includeDeclaration": False}))
    assert len(fewer) == len(found) - 1


def test_a_call_leads_to_its_definition(talk: Conversation, root: Path) -> None:
    opened(talk, root)
    lines = (root / "tools.json").read_text().split("\n")
    for character, word in ((4, '"read_file"'), (14, '"path": {')):
        (found,) = talk.request("textDocument/definition", asked(root, 2, character))
        line = next(number for number, each in enumerate(lines) if word in each)
        assert found["uri"] == (root / "tools.json").as_uri()
        assert found["range"]["start"] == at(line, lines[line].index(word) + 1)


def test_the_name_is_highlighted_with_its_closing_tag(talk: Conversation, root: Path) -> None:
    opened(talk, root)
    found = talk.request("textDocument/documentHighlight", asked(root, 2, 4))
    assert [(one["range"]["start"], one["kind"]) for one in found] == [(at(0, 5), 1), (at(2, 1), 2), (at(2, 30), 2)]


def test_progress_is_reported_and_a_search_can_be_cancelled(talk: Conversation, root: Path) -> None:
    for number in range(60):
        (root / f"{number}.prompt").write_text(OTHER * 40)
    opened(talk, root)
    params = asked(root, 2, 4, context={"includeDeclaration": True}, workDoneToken="far")
    first, second = talk.begin("textDocument/references", params), talk.begin("textDocument/references", params)
    talk.notify("$/cancelRequest", {"id": second})
    assert len(talk.answer(first)["result"]) == 60 * 40 + 6
    assert talk.answer(second)["error"]["code"] == -32800
    reported = [message["params"]["value"] for message in talk.kept if message.get("method") == "$/progress"]
    assert reported[0]["kind"] == "begin"
    assert reported[-1]["kind"] == "end"


def test_an_edit_overtakes_the_answer(talk: Conversation, root: Path) -> None:
    for number in range(60):
        (root / f"{number}.prompt").write_text(OTHER * 40)
    opened(talk, root)
    asking = talk.begin("textDocument/rename", asked(root, 2, 4, newName="open_file"))
    talk.change((root / "a.prompt").as_uri(), 2, {"text": "Nothing.\n"})
    assert talk.answer(asking)["error"]["code"] == -32801
