"""The files that name servers: their shapes, their variables, and what is shown of what they would run."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from callwright.mcp.configuration import Entry, Input, name_of_command, read_configuration, resolve
from callwright.mcp.servers import (
    Server,
    ServerError,
    Text,
    is_secret_name,
    public_address,
    shown_value,
    without_secrets,
)

PYTHON = sys.executable


def nothing(wanted: Input) -> str:
    raise ServerError(f"nobody answers {wanted.id}")


def entries(folder: Path, text: str, name: str = ".mcp.json") -> list[Entry]:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return read_configuration(path, name)


def one(folder: Path, value: Mapping[str, Any], environment: Mapping[str, str] | None = None) -> Server:
    (entry,) = entries(folder, json.dumps({"mcpServers": {"s": value}}))
    return resolve(entry, environment or {}, nothing)


def one_of_the_editor(folder: Path, value: Mapping[str, Any], **environment: str) -> Server:
    document = {"servers": {"s": value}, "inputs": [{"id": "key", "type": "promptString", "password": True}]}
    (entry,) = entries(folder, json.dumps(document), ".vscode/mcp.json")
    return resolve(entry, environment, lambda wanted: f"answer to {wanted.id}")


def test_a_server_is_a_command_in_the_folder_of_the_file(tmp_path: Path) -> None:
    server = one(tmp_path, {"command": PYTHON, "args": ["-m", "x y", 3], "env": {"A": "b c"}})
    assert server.described() == [
        f"runs         {PYTHON} -m 'x y' 3",
        f"in           {tmp_path}",
        "environment  A='b c'",
    ]
    assert server.written == {"file": ".mcp.json", "command": [PYTHON, "-m", "x y", "3"], "env": ["A"]}


def test_the_editors_file_may_have_comments_and_commas_and_is_one_folder_deeper(tmp_path: Path) -> None:
    text = """{
        // What we use.
        "servers": {
            "a": {"type": "stdio", "command": "python3", /* why not */ "args": ["${workspaceFolder}"],},
        },
    }"""
    (entry,) = entries(tmp_path, text, ".vscode/mcp.json")
    assert (entry.name, entry.folder, entry.editor) == ("a", tmp_path, True)


def test_variables_of_the_editor_are_replaced(tmp_path: Path) -> None:
    args = [
        "${workspaceFolder}${/}x",
        "${workspaceFolderBasename}",
        "${env:HERE}",
        "[${env:NOWHERE}]",
        "${input:key}",
        "$HOME",
    ]
    value = {"command": PYTHON, "args": args, "env": {"API_KEY": "${input:key}", "GONE": None, "N": 1}}
    server = one_of_the_editor(tmp_path, value, HERE="there")
    words = [f"{tmp_path}/x", tmp_path.name, "there", "[]", "answer to key", "$HOME"]
    assert [word.value for word in server.command[1:]] == words
    # What was typed as a password is not shown; everything else is.
    assert [word.shown for word in server.command[1:]] == [*words[:4], "${input:key}", "$HOME"]
    assert {name: text.value for name, text in server.env.items()} == {"API_KEY": "answer to key", "N": "1"}
    assert server.described()[-2:] == ["environment  API_KEY=${input:key}", "environment  N=1"]
    assert server.written["command"] == [PYTHON, *args]


def test_variables_of_the_environment_are_replaced(tmp_path: Path) -> None:
    args = [
        "${HERE}",
        "${NOWHERE:-a b}",
        "${EMPTY:-c}",
        "${MY_TOKEN}",
        "${MY_TOKEN:-d}",
        "$HERE",
        "${env:HERE}",
        "${not a name}x"[:2],
    ]
    server = one(tmp_path, {"command": PYTHON, "args": args}, {"HERE": "there", "EMPTY": "", "MY_TOKEN": "s3cret"})
    words = ["there", "a b", "c", "s3cret", "s3cret", "$HERE", "there", "${"]
    assert [word.value for word in server.command[1:]] == words
    assert [word.shown for word in server.command[1:]] == [*words[:3], "${MY_TOKEN}", "${MY_TOKEN:-d}", *words[5:]]


def test_the_file_of_variables_is_read_and_what_the_entry_states_goes_before_it(tmp_path: Path) -> None:
    lines = "# ours\nexport A=1\nB = 'two words'\nnonsense\nC=3\n"
    (tmp_path / ".env").write_text(lines, encoding="utf-8")
    server = one_of_the_editor(tmp_path, {"command": PYTHON, "envFile": "${workspaceFolder}/.env", "env": {"C": "4"}})
    assert {name: text.value for name, text in server.env.items()} == {"A": "1", "B": "two words", "C": "4"}


def test_a_server_at_an_address(tmp_path: Path) -> None:
    value = {
        "type": "http",
        "url": "https://me:pw@${HOST:-example.org}/mcp?key=abc&plain",
        "headers": {"Authorization": "Bearer ${MY_TOKEN}", "X-Api-Key": "abcdefgh", "X-Kind": "plain text"},
    }
    server = one(tmp_path, value, {"MY_TOKEN": "s3cret"})
    assert server.url is not None
    assert server.url.value == "https://me:pw@example.org/mcp?key=abc&plain"
    assert server.described() == [
        "connects to  https://example.org/mcp?key=…&plain",
        "header       Authorization: Bearer ${MY_TOKEN}",
        "header       X-Api-Key: … (8 characters)",
        "header       X-Kind: plain text",
    ]
    assert server.written["headers"] == ["Authorization", "X-Api-Key", "X-Kind"]
    assert "s3cret" not in str(server.written)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (3, "`s` is not an object"),
        ({}, "`s` has no `command`"),
        ({"command": " "}, "`s` has no `command`"),
        ({"command": ["npx"]}, "`s` has no `command`"),
        ({"command": "x", "args": "-y"}, "`args` must be a list of strings"),
        ({"command": "no-such-program-anywhere"}, "the program `no-such-program-anywhere` was not found"),
        ({"command": "./server.sh"}, "the program `./server.sh` was not found"),
        ({"command": PYTHON, "cwd": "nowhere"}, "there is no such folder; check its `cwd`"),
        ({"command": PYTHON, "args": ["a\0b"]}, "a command cannot contain a NUL character"),
        ({"command": PYTHON, "args": ["${NOWHERE}"]}, "needs the environment variable `NOWHERE`, which"),
        ({"command": PYTHON, "args": ["${command:pick}"]}, "`${command:pick}`, which only an editor"),
        ({"command": PYTHON, "args": ["${input:key}"]}, "nobody answers key"),
        ({"command": PYTHON, "env": ["A"]}, "`env` must be an object of strings"),
        ({"command": PYTHON, "env": {"A=B": "c"}}, "`A=B` is not a valid name for an environment variable"),
        ({"command": PYTHON, "envFile": "nowhere"}, "its `envFile`"),
        ({"type": "sse", "url": "http://x"}, "uses the transport `sse`, which the protocol replaced"),
        ({"type": "carrier-pigeon"}, "has the type `carrier-pigeon`"),
        ({"type": "http"}, "has no `url`"),
        ({"url": "ftp://example.org"}, "`ftp://example.org` is not an HTTP address"),
        ({"url": "http://[example.org"}, "is not an HTTP address"),
        ({"url": "http://example.org/a b"}, "is not an HTTP address"),
        ({"url": "http://x", "headers": ["A: b"]}, "`headers` must be an object of strings"),
        ({"url": "http://x", "headers": {"A": "b\r\nC: d"}}, "`A` is not a valid header"),
        ({"url": "http://x", "headersHelper": "./go"}, "from a program, which Callwright does not run"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_is_reported(value: Any, words: str, tmp_path: Path) -> None:
    with pytest.raises(ServerError) as caught:
        one(tmp_path, value)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the file is not valid JSON"),
        ("[]", "there are no servers"),
        ('{"mcpServers": []}', "there are no servers"),
        ('{"servers": {\n"a": {"command" "x"}}}', ".mcp.json:2: the file is not valid JSON"),
        ("{", "the file is not valid JSON"),
    ],
)
def test_a_file_that_names_no_servers_is_reported(text: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(ServerError) as caught:
        entries(tmp_path, text)
    assert words in str(caught.value)


def test_a_file_that_cannot_be_read_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ServerError, match="there is no such file"):
        read_configuration(tmp_path / "x.json", "x.json")
    (tmp_path / "x.json").write_bytes(b"\xff\xfe{}")
    with pytest.raises(ServerError, match="is not UTF-8"):
        read_configuration(tmp_path / "x.json", "x.json")
    (tmp_path / "x.json").write_bytes(b" " * (1024 * 1024 + 1))
    with pytest.raises(ServerError, match="is larger than 1024 KB"):
        read_configuration(tmp_path / "x.json", "x.json")


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        ("API_KEY", True), ("GITHUB_TOKEN", True), ("githubToken", True), ("X-Api-Key", True), ("DB_PASSWORD", True),
        ("Authorization", True), ("NODE_OPTIONS", False), ("LD_PRELOAD", False), ("PATH", False),
        ("GIT_ASKPASS", False), ("SSH_ASKPASS", False), ("KEYBOARD", False), ("TOKENIZERS_PARALLELISM", False),
        ("PYTHONPATH", False), ("GIT_SSH_COMMAND", False),
    ],
)  # fmt: skip
def test_what_sounds_like_a_secret(name: str, secret: bool) -> None:
    assert is_secret_name(name) is secret


@pytest.mark.parametrize(
    "value", ["/bin/evil", "--require ./evil.js", "-x", "./evil", "a\nb", "$(evil)", "a;b", "`x`", "a'b"]
)
def test_a_value_that_could_decide_what_runs_is_shown_whatever_its_name(value: str) -> None:
    assert shown_value("API_KEY", Text.plain(value)) == value


def test_secrets_of_a_command_are_not_written_down() -> None:
    words = [
        "s",
        "--api-key",
        "abc",
        "--token=def",
        "--port",
        "80",
        "PASSWORD=x",
        "--key=${KEY}",
        "--key",
        "${KEY}",
        "--key",
        "-v",
    ]
    kept = [
        "s",
        "--api-key",
        "…",
        "--token=…",
        "--port",
        "80",
        "PASSWORD=…",
        "--key=${KEY}",
        "--key",
        "${KEY}",
        "--key",
        "-v",
    ]
    assert without_secrets(words) == kept
    assert public_address("https://u:p@h:8/p?a=b&c#d") == "https://h:8/p?a=…&c"


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (["npx", "-y", "@modelcontextprotocol/server-memory@1.2"], "server-memory"),
        (["uvx", "mcp-server-git==1.0"], "mcp-server-git"),
        (["uv", "run", "--quiet", "src/notes.py"], "notes"),
        (["python3.12", "-m", "mcp_server_time"], "mcp_server_time"),
        (["/usr/bin/my-server.exe", "x"], "my-server"),
        (["npx"], "npx"),
    ],
)
def test_a_command_gives_a_server_its_name(words: list[str], name: str) -> None:
    assert name_of_command(words) == name


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=12)
    | st.sampled_from(["${", "${A:-${B}}", "${input:x}"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
KEYS = ("type", "command", "args", "env", "envFile", "cwd", "url", "headers")


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.sampled_from(KEYS), JSON), st.booleans())
def test_no_entry_does_more_than_be_reported(value: dict[str, Any], editor: bool) -> None:
    entry = Entry("s", "f", Path("/"), value, editor)
    try:
        lines = list(resolve(entry, {}, nothing).described())
    except ServerError as error:
        lines = [str(error)]
    assert all(lines)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no named pipes in folders")
def test_pipes_and_devices_are_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for file in ("pipe", "/dev/zero"):
        with pytest.raises(ServerError, match=r"its `envFile` .* cannot be read"):
            one_of_the_editor(tmp_path, {"command": PYTHON, "envFile": file})
        with pytest.raises(ServerError, match="it is not a regular file"):
            read_configuration(tmp_path / file, file)
