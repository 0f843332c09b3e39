"""What a client is sent of completions: paths that stay in the folder, commit characters, descriptions when asked."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from callwright.document.settings import Settings
from callwright.document.snapshot import Snapshot
from callwright.features import text_document_completion as completion
from callwright.features.base import Client, Request
from callwright.lint.opening import open_snapshot
from callwright.lsp.wire import DocumentEdge
from callwright.text.positions import PositionEncoding
from callwright.text.span import Span
from callwright.tools.registry import ToolRegistry
from support.cases import CURSOR

TOOLS = ToolRegistry.of(
    [
        {
            "name": "read_file",
            "description": "Reads one file.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "filePath": {"type": "string", "description": "Where the file is."},
                    "profile": {"type": "string"},
                    "mode": {"enum": ["fast", "careful"]},
                    "paths": {"type": "array", "items": {"type": "string"}},
                },
            },
        }
    ]
)
ITEM = {"snippetSupport": True, "documentationFormat": ["markdown"]}


def opened(marked: str, folder: Path, *, dialect: str | None = None) -> tuple[Snapshot, int]:
    path = str(folder / "a.prompt")
    text, settings = marked.replace(CURSOR, ""), Settings(dialect=dialect)
    snapshot = open_snapshot(text, path=path, registry=TOOLS, settings=settings, boundary=str(folder))
    return snapshot, marked.index(CURSOR)


def labels(marked: str, folder: Path, *, dialect: str | None = None) -> list[str]:
    snapshot, offset = opened(marked, folder, dialect=dialect)
    return [item.label for item in completion.handle(snapshot, Request(Span(offset, offset), Client()))]


def sent(marked: str, folder: Path, item: dict[str, Any]) -> list[dict[str, Any]]:
    client = Client.of({"textDocument": {"completion": {"completionItem": item}}})
    snapshot, offset = opened(marked, folder)
    found = completion.handle(snapshot, Request(Span(offset, offset), client))
    edge = DocumentEdge(snapshot.document, uri="file:///a", version=1, encoding=PositionEncoding.UTF16, client=client)
    items: list[dict[str, Any]] = completion.to_lsp(found, edge)["items"]
    return items


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    inside = tmp_path / "inside"
    (inside / "src").mkdir(parents=True)
    (inside / ".git").mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.txt").write_text("")
    for name in ("b.py", "a.py", ".hidden", "src/main.py"):
        (inside / name).write_text("")
    (inside / "link").symlink_to(tmp_path / "outside")
    return inside


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ('<read_file>{"filePath": "‸"}</read_file>', ["link/", "src/", "a.py", "b.py"]),
        ('<read_file>{"filePath": "src/‸"}</read_file>', ["src/main.py"]),
        ('<read_file>{"filePath": ".‸"}</read_file>', [".hidden"]),
        ('<read_file>{"filePath": "../outside/‸"}</read_file>', []),
        ('<read_file>{"filePath": "link/‸"}</read_file>', []),
        ('<read_file>{"filePath": "/‸"}</read_file>', []),
        ('<read_file>{"filePath": "~/‸"}</read_file>', []),
        ('<read_file>{"paths": ["src/‸"]}</read_file>', ["src/main.py"]),
        ('<read_file>{"profile": "‸"}</read_file>', []),
        ("<read_file><filePath>src/‸</filePath></read_file>", ["src/main.py"]),
    ],
)
def test_paths_are_those_of_the_folder_and_of_no_other(marked: str, expected: list[str], folder: Path) -> None:
    assert labels(marked, folder) == expected


def test_paths_are_offered_in_every_format(folder: Path) -> None:
    marked = '<invoke name="read_file"><parameter name="filePath">src/‸</parameter></invoke>'
    assert labels(marked, folder, dialect="invoke") == ["src/main.py"]
    assert labels("[read_file(filePath='src/‸')]", folder, dialect="pythonic") == ["src/main.py"]


def test_no_folder_is_listed_that_cannot_be(folder: Path) -> None:
    assert labels('<read_file>{"filePath": "a.py/‸"}</read_file>', folder) == []
    assert labels('<read_file>{"filePath": "none/‸"}</read_file>', folder) == []
    (folder / "src").chmod(0)
    if os.geteuid():
        assert labels('<read_file>{"filePath": "src/‸"}</read_file>', folder) == []
    (folder / "src").chmod(0o755)


def test_commit_characters_are_sent_to_who_knows_them(folder: Path) -> None:
    marked = '<read_file>{"mode": ‸}</read_file>'
    plain = sent(marked, folder, ITEM)
    assert [item["label"] for item in plain] == ["fast", "careful"]
    assert all("commitCharacters" not in item for item in plain)
    known = sent(marked, folder, ITEM | {"commitCharactersSupport": True})
    assert [item["commitCharacters"] for item in known] == [[",", "}", "]"]] * 2
    in_text = sent("<read_file><mode>f‸</mode></read_file>", folder, ITEM | {"commitCharactersSupport": True})
    assert in_text[0]["commitCharacters"] == ["<"]


def test_descriptions_come_at_once_or_when_asked_for(folder: Path) -> None:
    marked = "<read_file><‸</read_file>"
    (at_once, *_) = sent(marked, folder, ITEM)
    assert at_once["label"] == "filePath"
    assert "Where the file is" in at_once["documentation"]["value"]
    (later, *_) = sent(marked, folder, ITEM | {"resolveSupport": {"properties": ["documentation"]}})
    assert "documentation" not in later
    assert later["data"] == {"uri": "file:///a", "tool": "read_file", "path": ["filePath"], "required": False}
    assert json.dumps(later)
