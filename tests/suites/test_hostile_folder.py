"""A folder from a stranger: to open or to check it waits for nothing, runs and fetches nothing, and stays inside."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from callwright.path_patterns import _alternatives
from lsp.conversation import Conversation, conversation
from support.sampling import sampled

pytestmark = pytest.mark.usefixtures("named_sets")

#: How long any command may take, however busy the machine is.
LIMIT = 60
CALL = "<read_file><path>a.py</path></read_file>\n"
CANARY = "canary_in_a_file_outside"
#: What an editor asks of a folder without a word of its user.
ASKED: list[tuple[str, dict[str, Any]]] = [
    ("workspace/symbol", {"query": ""}),
    ("workspace/symbol", {"query": "read"}),
    ("workspace/diagnostic", {"previousResultIds": []}),
]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "opened"
    root.mkdir()
    (root / ".git").mkdir()
    (root / "a.prompt").write_text(CALL)
    return root


@pytest.fixture
def talk() -> Iterator[Conversation]:
    with conversation() as talk:
        yield talk


def run(folder: Path, *words: str, code: int | None = None) -> str:
    """Run a command in a folder and return all that it says; one that waits for anything fails."""
    done = subprocess.run(
        [sys.executable, "-m", "callwright", *words],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=LIMIT,
        check=False,
        env={**os.environ, "NO_COLOR": "1"},
    )
    stated = done.stdout.decode()
    assert "Traceback" not in stated, stated
    assert done.returncode in ((0, 1, 2) if code is None else (code,)), stated
    return stated


def ask_all(talk: Conversation, root: Path, *files: str) -> str:
    """Open a folder and files in it as an editor does, and return all that is answered, as one text."""
    talk.initialize(root=root)
    stated: list[Any] = []
    for name in ("a.prompt", *files):
        uri = (root / name).as_uri()
        talk.open(uri, (root / name).read_text(), "plaintext" if name != "a.prompt" else "callwright-prompt")
        place = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 3}}
        stated.append(talk.request("textDocument/hover", place))
        stated.append(talk.request("textDocument/completion", place))
        stated.append(talk.request("textDocument/definition", place))
        stated.append(talk.request("textDocument/references", {**place, "context": {"includeDeclaration": True}}))
        stated.append(talk.request("textDocument/documentLink", {"textDocument": {"uri": uri}}))
    stated += [talk.request(method, params) for method, params in ASKED]
    return json.dumps([stated, talk.kept])


# What never ends


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
@pytest.mark.parametrize(
    "name", sampled([".gitignore", "callwright.toml", "pyproject.toml", "b.prompt", ".mcp.json", "t.json"], keep=3)
)
def test_a_pipe_is_not_waited_for(name: str, root: Path, talk: Conversation) -> None:
    if name == "t.json":
        (root / "callwright.toml").write_text('tools = ["*.json"]\nshipped = true\n')
    os.mkfifo(root / name)
    reported = run(root, "check", ".")
    assert "Checked 1 file" in reported
    assert ("this is not a regular file" in reported) == (name == "t.json")
    run(root, "tools")
    run(root, "config", "a.prompt")
    assert "read_file" in ask_all(talk, root)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
@pytest.mark.parametrize("key", ["tools", "extend_tools", "extend"])
def test_a_pipe_that_a_configuration_names_is_a_diagnostic(key: str, root: Path, talk: Conversation) -> None:
    os.mkfifo(root / "pipe.toml")
    (root / "callwright.toml").write_text(f'{key} = ["pipe.toml"]\n')
    assert "pipe.toml" in run(root, "check", ".", code=1)
    run(root, "rename", "read_file", "fetch", ".")
    assert "pipe.toml" in ask_all(talk, root)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there are no devices here")
@pytest.mark.parametrize("key", ["tools", "extend"])
def test_a_device_without_an_end_is_not_read(key: str, root: Path, talk: Conversation) -> None:
    (root / "zero.json").symlink_to("/dev/zero")
    (root / "zero.prompt").symlink_to("/dev/zero")
    (root / ".gitignore").symlink_to("/dev/zero")
    (root / "callwright.toml").write_text(f'{key} = ["zero.json"]\n')
    assert "zero.json" in run(root, "check", ".", code=1)
    ask_all(talk, root)


def test_a_tool_file_without_an_end_is_refused_unread(root: Path, talk: Conversation) -> None:
    with (root / "t.json").open("wb") as file:
        file.truncate(1 << 40)
    with (root / ".gitignore").open("wb") as file:
        file.truncate(1 << 40)
    (root / "callwright.toml").write_text('tools = ["t.json"]\n')
    assert "is larger than" in run(root, "check", ".", code=2)
    assert "the file is larger than" in run(root, "tools")
    ask_all(talk, root)


def test_braces_do_not_multiply_a_long_pattern() -> None:
    assert sorted(_alternatives("{a,b}{c,d}")) == ["ac", "ad", "bc", "bd"]
    for pattern in ("{a,b}" * 3_000, "{" * 9_000 + "a,b" + "}" * 9_000, "{a,b}" + "c" * 200_000):
        assert sum(map(len, _alternatives(pattern))) <= 64 * 512 + 2 * len(pattern)


# What lies outside


def test_nothing_outside_is_read_and_nothing_is_fetched(root: Path, tmp_path: Path, talk: Conversation) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    tool = {"name": CANARY, "description": CANARY, "input_schema": {"type": "object"}}
    for name in ("tools.json", "tools.yaml", "a.prompt", "defs.json"):
        (outside / name).write_text(json.dumps([tool]))
    (outside / "callwright.toml").write_text(f'select = ["{CANARY}"]\n')
    for link in ("linked.json", "linked.prompt", "linked.toml", "linked"):
        target = {"linked.json": "tools.json", "linked.prompt": "a.prompt", "linked.toml": "callwright.toml"}.get(
            link, ""
        )
        (root / link).symlink_to(outside / target)
    (root / "loop").symlink_to(root)
    (root / "inner").mkdir()
    (root / "inner" / "up").symlink_to("..")
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0)
        port = server.getsockname()[1]
        references = [
            f"http://127.0.0.1:{port}/x",
            (outside / "defs.json").as_uri(),
            "../outside/defs.json",
            "linked.json",
        ]
        properties = {f"p{index}": {"$ref": one} for index, one in enumerate(references)}
        schema = {"$schema": references[0], "$id": references[0], "type": "object", "properties": properties}
        (root / "own.json").write_text(
            json.dumps([{"name": "read_file", "description": "Reads.", "input_schema": schema}])
        )
        (root / "callwright.toml").write_text(
            'tools = ["own.json", "linked.json", "../outside/*.json", "linked/*.json", "**/*.yaml", '
            f'"{outside}/tools.yaml", "~/tools.json", "http://127.0.0.1:{port}/t.json"]\n'
            'extend = ["linked.toml", "../outside/callwright.toml"]\n'
        )
        servers = {"x": {"command": "touch", "args": [str(root / "ran")]}, "y": {"url": f"http://127.0.0.1:{port}/mcp"}}
        (root / ".mcp.json").write_text(json.dumps({"mcpServers": servers}))
        for words in (("check", "."), ("tools",), ("config", "a.prompt"), ("report", "--output-file", "r.html", ".")):
            assert CANARY not in run(root, *words)
        assert CANARY not in ask_all(talk, root, "own.json", "callwright.toml", ".mcp.json")
        with pytest.raises(BlockingIOError):
            server.accept()
    assert not (root / "ran").exists()


@pytest.mark.whole(reason="thousands of files")
def test_many_files_and_folders_are_scanned_in_bounds(root: Path, talk: Conversation) -> None:
    for number in range(3_000):
        (root / f"f{number}.txt").touch()
    place = root
    for _ in range(60):
        place = place / "deep"
        place.mkdir()
    (place / "b.prompt").write_text(CALL)
    (root / ".gitignore").write_text("**/a/**/b/**/c/**/d*e*f*g*h*i\n" * 5_000)
    assert "Checked 2 of 3003 files" in run(root, "check", ".")
    assert "read_file" in ask_all(talk, root)
