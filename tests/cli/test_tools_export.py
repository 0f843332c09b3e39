"""`callwright tools export`: files are read, and only what `--import` names is run."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from callwright.cli.main import main

KIT = '''
print("this is not JSON")
from pydantic import BaseModel, Field
from mcp.server import MCPServer

LIMIT = int("5")


class Order(BaseModel):
    """An order."""

    number: int = Field(ge=1, le=LIMIT, description="Its number.")


def find(order: Order, limit: int = LIMIT) -> str:
    """Find an order.

    Args:
        order: Which.
    """
    return ""


server = MCPServer("shop")


@server.tool(annotations={"readOnlyHint": True})
def count(city: str) -> int:
    """Count orders."""
    return 0


TOOLS = [find, {"name": "plain", "parameters": {"type": "object"}}]


def leave() -> None:
    raise SystemExit(3)
'''


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "kit_to_export.py").write_text(KIT, encoding="utf-8")
    (tmp_path / "leaves.py").write_text("raise SystemExit(3)", encoding="utf-8")
    yield tmp_path
    for name in ("kit_to_export", "leaves"):
        sys.modules.pop(name, None)


def exported(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert main(["tools", "export", *words]) == 0
    return {tool["name"]: tool for tool in json.loads(capsys.readouterr().out)["tools"]}


def test_files_are_read_and_not_run(capsys: pytest.CaptureFixture[str]) -> None:
    tools = exported(capsys, "kit_to_export.py")
    assert "kit_to_export" not in sys.modules
    assert tools["count"]["annotations"] == {"readOnlyHint": True}
    assert tools["find"]["inputSchema"]["properties"]["limit"] == {"type": "integer"}


def test_a_function_that_is_imported_is_known_whole(capsys: pytest.CaptureFixture[str]) -> None:
    schema = exported(capsys, "--import", "kit_to_export:find")["find"]["inputSchema"]
    assert schema["properties"]["limit"]["default"] == 5
    assert schema["properties"]["order"]["description"] == "Which."
    assert schema["$defs"]["Order"]["properties"]["number"]["maximum"] == 5


@pytest.mark.parametrize(
    ("wanted", "names"),
    [
        ("kit_to_export", ["count"]),
        ("kit_to_export:server", ["count"]),
        ("kit_to_export:Order", ["Order"]),
        ("kit_to_export:TOOLS", ["find", "plain"]),
    ],
)
def test_what_a_module_holds_is_found(capsys: pytest.CaptureFixture[str], wanted: str, names: list[str]) -> None:
    tools = exported(capsys, "--import", wanted)
    assert [*tools] == names
    assert all(tool["inputSchema"]["type"] == "object" for tool in tools.values())


def test_the_file_that_is_written_is_a_tool_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tools", "export", "kit_to_export.py", "--output", "kit.json", "--name", "shop"]) == 0
    assert json.loads((folder / "kit.json").read_text(encoding="utf-8"))["name"] == "shop"
    assert main(["tools", "count", "--tools", "kit.json"]) == 0
    assert "Its annotations say that it changes nothing." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "stated"),
    [
        ([], "name files that define tools, or a module with `--import`"),
        (["none.py"], "none.py: file not found; check the path"),
        (["."], ".: this is a folder; name a file in it"),
        (["--import", "no_such_module"], "ModuleNotFoundError: No module named 'no_such_module'"),
        (["--import", "leaves"], "`--import leaves`: SystemExit: 3"),
        (["--import", "kit_to_export:nothing"], "AttributeError"),
        (["--import", "a b"], "expected `package.module` or `package.module:name`"),
    ],
)
def test_what_cannot_be_exported_is_stated_in_a_sentence(
    capsys: pytest.CaptureFixture[str], words: list[str], stated: str
) -> None:
    assert main(["tools", "export", *words]) == 2
    assert stated in capsys.readouterr().err
