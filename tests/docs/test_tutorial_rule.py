"""The rule of the tutorial, put into one file of a copy of the package, is asked wherever calls are checked."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import pytest

from lsp.conversation import CAPABILITIES, frame
from support.pages import fences

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "server" / "docs" / "contributing.md"
CODE = "TC390"
CALLS = 400


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a copy of the package in which the tutorial's rule lies."""
    folder = tmp_path_factory.mktemp("package")
    shutil.copytree(ROOT / "server" / "callwright", folder / "callwright", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "schemas", folder / "callwright" / "schemas")
    shown = fences(PAGE.read_text(encoding="utf-8"))
    (rule,) = (fence for fence in shown if fence.words.get("file") == "server/callwright/rules/absolute_path.py")
    (folder / "callwright" / "rules" / "absolute_path.py").write_text(rule.body, encoding="utf-8")
    return folder


def chat(calls: int, start: int = 0, pad: int = 0) -> dict[str, Any]:
    """Return a clean conversation that reads absolute paths."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Read them."}]
    for number in range(start, start + calls):
        function = {"name": "read_file", "arguments": json.dumps({"path": f"/src/{number}.py"})}
        call = {"id": f"call_{number}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        result = f"{number}: " + "import os, sys\n" * (28 + pad)
        messages.append({"role": "tool", "tool_call_id": f"call_{number}", "content": result})
    return {"messages": [*messages, {"role": "assistant", "content": "Done."}]}


TOOL = {
    "name": "read_file",
    "description": "Read a file.",
    "inputSchema": {
        "type": "object",
        "properties": {"path": {"type": "string", "description": "Which file."}},
        "required": ["path"],
    },
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tools.json").write_text(json.dumps([TOOL]), encoding="utf-8")
    (tmp_path / "callwright.toml").write_text('tools = ["tools.json"]\nfiles = ["*.json", "*.jsonl"]\n', "utf-8")
    return tmp_path


def run(package: Path, folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "callwright", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(package)},
        capture_output=True,
        text=True,
        check=False,
        encoding="utf-8",
    )
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def found_in(package: Path, folder: Path, *arguments: str) -> int:
    stated = json.loads(run(package, folder, "check", "--no-cache", "--output-format", "json", *arguments))
    assert {each["code"] for each in stated["diagnostics"]} == {CODE}
    return len(stated["diagnostics"])


def test_a_large_json_file(package: Path, folder: Path) -> None:
    text = json.dumps(chat(CALLS))
    assert 250_000 < len(text) < 320_000
    (folder / "chat.json").write_text(text, encoding="utf-8")
    assert found_in(package, folder, "chat.json") == CALLS


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_file_that_is_read_line_by_line(package: Path, folder: Path, jobs: str) -> None:
    rows = [json.dumps(chat(1, number, pad=1_520)) for number in range(CALLS)]
    (folder / "chats.jsonl").write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    assert (folder / "chats.jsonl").stat().st_size > 9_000_000
    assert found_in(package, folder, "chats.jsonl", "--jobs", jobs) == CALLS


def test_a_corpus(package: Path, folder: Path) -> None:
    pytest.importorskip("daft")
    rows = [json.dumps(chat(1, number)) for number in range(CALLS)]
    (folder / "chats.jsonl").write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    run(package, folder, "corpus", "check", "chats.jsonl", "--tools", "tools.json", "--out", "out")
    summary = json.loads((folder / "out" / "summary.json").read_text(encoding="utf-8"))
    assert summary["rules"] == {CODE: CALLS}


def test_the_server(package: Path, folder: Path) -> None:
    uri = (folder / "chat.json").as_uri()
    document = {"uri": uri, "languageId": "json", "version": 1, "text": json.dumps(chat(CALLS))}
    folders = [{"uri": folder.as_uri(), "name": "a"}]
    pulling = {**CAPABILITIES, "textDocument": {"diagnostic": {}}}
    started = {"processId": None, "rootUri": None, "workspaceFolders": folders, "capabilities": pulling}
    messages: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": started},
        {"method": "initialized", "params": {}},
        {"method": "textDocument/didOpen", "params": {"textDocument": document}},
        {"id": 2, "method": "textDocument/diagnostic", "params": {"textDocument": {"uri": uri}}},
    ]
    server = subprocess.Popen(
        [sys.executable, "-m", "callwright", "server"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(package)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with server as talk:
        assert talk.stdin is not None
        assert talk.stdout is not None
        talk.stdin.write(b"".join(frame({"jsonrpc": "2.0", **message}) for message in messages))
        talk.stdin.flush()
        answer = next(each for each in _messages(talk.stdout) if each.get("id") == 2)
        talk.stdin.write(frame({"jsonrpc": "2.0", "id": 3, "method": "shutdown"}))
        talk.stdin.write(frame({"jsonrpc": "2.0", "method": "exit"}))
        talk.stdin.flush()
    assert [each["code"] for each in answer["result"]["items"]] == [CODE] * CALLS


def _messages(output: IO[bytes]) -> Iterator[dict[str, Any]]:
    """Yield what a server says, message by message."""
    while head := output.readline():
        length = int(head.split(b":")[1]) if head.lower().startswith(b"content-length") else 0
        while output.readline().strip():
            pass
        yield json.loads(output.read(length))
