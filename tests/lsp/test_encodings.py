"""Positions in every encoding: whatever is answered covers the same text, after characters of several units."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from callwright.text.document import TextDocument
from callwright.text.positions import PositionEncoding, PositionWriter, to_offset
from lsp.conversation import Conversation, conversation

TOOL = {
    "name": "read_file",
    "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}, "limit": {"type": "integer"}}},
}
TEXT = "é😀 <read_file><path>😀é</path><limit> 12 </limit></read_file> 😀 <raed_file><path>😀</path></raed_file>\n"
ASKED = (
    "textDocument/hover",
    "textDocument/documentHighlight",
    "textDocument/selectionRange",
    "textDocument/prepareRename",
    "textDocument/rename",
    "textDocument/linkedEditingRange",
    "textDocument/inlayHint",
    "textDocument/documentSymbol",
    "textDocument/diagnostic",
)


@pytest.fixture
def talk() -> Iterator[Conversation]:
    with conversation() as talk:
        yield talk


def answers(talk: Conversation, root: Path, encoding: str) -> dict[str, Any]:
    """Return what is answered, with offsets in code points in place of positions."""
    talk.initialize({"general": {"positionEncodings": [encoding]}}, root=root)
    uri, document = (root / "a.prompt").as_uri(), TextDocument.from_text(TEXT)
    talk.open(uri, TEXT)
    units = PositionEncoding(encoding)

    def position(offset: int) -> dict[str, int]:
        line, character = PositionWriter(document, units).position(offset)
        return {"line": line, "character": character}

    def offsets(value: Any) -> Any:
        if isinstance(value, dict):
            if value.keys() == {"line", "character"}:
                return to_offset(document, value["line"], value["character"], units)
            return {key: offsets(each) for key, each in value.items() if key not in ("uri", "data", "resultId")}
        return [offsets(each) for each in value] if isinstance(value, list) else value

    here = position(TEXT.index("ad_file"))
    everything = {"start": position(0), "end": position(len(TEXT))}
    found: dict[str, Any] = {}
    for method in ASKED:
        params = {"textDocument": {"uri": uri}, "position": here, "positions": [here], "range": everything}
        if method == "textDocument/rename":
            # Nothing here is misspelt then.
            talk.change(uri, 2, {"text": TEXT.partition(" 😀 <raed")[0] + "\n"})
            params["newName"] = "open_file"
        answer = talk.request(method, params)
        found[method] = offsets(answer["changes"][uri] if method == "textDocument/rename" else answer)
        if method == "textDocument/rename":
            talk.change(uri, 3, {"text": TEXT})
    return found


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_answers_are_the_same_in_every_encoding(tmp_path: Path, talk: Conversation, encoding: str) -> None:
    (tmp_path / "tools.json").write_text(json.dumps([TOOL]))
    (tmp_path / "callwright.toml").write_text('tools = ["tools.json"]\n')
    with conversation() as plain:
        expected = answers(plain, tmp_path, "utf-32")
    found = answers(talk, tmp_path, encoding)
    assert all(found.values())
    assert found == expected
    name = TEXT.index("raed_file")
    (diagnostic,) = found["textDocument/diagnostic"]["items"]
    assert diagnostic["range"] == {"start": name, "end": name + len("raed_file")}
