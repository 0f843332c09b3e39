"""`callwright tools lock`: nothing runs unseen or unasked, and the lock file says what was answered."""

from __future__ import annotations

import io
import json
import os
import signal
import socket
import subprocess
import sys
import time
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any

import pytest

from callwright.cli.main import main
from support.sampling import sampled
from support.servers import left_running, words

REAL = words("real.py", "stdio")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    return tmp_path


def name_servers(folder: Path, file: str = ".mcp.json", **servers: list[str]) -> None:
    path = folder / file
    path.parent.mkdir(exist_ok=True)
    entries = {name: {"command": command[0], "args": command[1:]} for name, command in servers.items()}
    path.write_text(json.dumps({"mcpServers" if file == ".mcp.json" else "servers": entries}), encoding="utf-8")


def odd(kind: str, folder: Path) -> list[str]:
    return words("odd.py", kind, str(folder / "numbers"))


def lock(*given: str) -> int:
    return main(["tools", "lock", *given])


def kept(folder: Path) -> Any:
    return json.loads((folder / "tools.lock.json").read_text(encoding="utf-8"))["servers"]


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """Let there be a terminal; what is put into the stream that is returned was typed."""
    typed = io.StringIO()
    monkeypatch.setattr(sys, "stdin", typed)
    monkeypatch.setattr("callwright.cli.tools_lock._is_terminal", lambda: True)
    return typed


def test_a_real_server_is_locked_and_its_tools_are_tools(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name_servers(folder, notes=REAL)
    assert lock("--yes") == 0
    out, err = capsys.readouterr()
    assert out == "notes: 2 tools, 2 added\n  + add_note\n  + list_notes\nWrote tools.lock.json.\n"
    assert f"runs         {REAL[0]} -I " in err
    origin = kept(folder)["notes"]["origin"]
    assert origin["file"] == ".mcp.json"
    assert origin["command"] == REAL
    assert origin["server"] == {"name": "notes", "version": "1.2.3"}
    assert origin["protocol"] == "2025-11-25"
    assert origin["hash"].startswith("sha256:")
    (folder / "callwright.toml").write_text('tools = ["tools.lock.json"]\n', encoding="utf-8")
    assert main(["tools", "add_note"]) == 0
    assert capsys.readouterr().out.startswith("add_note — notes (tools.lock.json)\n\nWrite a note down.\n")
    (folder / "a.prompt").write_text("<add_note><titel>x</titel></add_note>\n", encoding="utf-8")
    assert main(["check", "a.prompt"]) == 1
    assert "`title`" in capsys.readouterr().out


def test_asking_again_changes_nothing_and_a_change_is_shown(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name_servers(folder, odd=odd("pages", folder))
    lock("--yes")
    first = (folder / "tools.lock.json").read_bytes()
    capsys.readouterr()
    assert lock("--yes") == 0
    assert capsys.readouterr().out == "odd: 3 tools, nothing changed\n"
    assert (folder / "tools.lock.json").read_bytes() == first
    assert lock("--yes", "--check") == 0
    # As if the server had answered otherwise at first.
    text = first.decode().replace("Reads.", "Writes.", 1).replace('"read_2"', '"read_9"')
    (folder / "tools.lock.json").write_text(text, encoding="utf-8")
    capsys.readouterr()
    assert lock("--yes", "--check") == 1
    out, err = capsys.readouterr()
    assert out.startswith(
        "odd: 3 tools, 1 added, 1 removed, 1 changed\n  + read_2\n  - read_9\n  ~ read_0: description\n"
    )
    assert '  -  "description": "Writes.",\n  +  "description": "Reads.",\n' in out
    assert "the tools of `odd` in the lock file were edited" in err
    assert (folder / "tools.lock.json").read_text(encoding="utf-8") == text
    assert lock("--yes") == 0
    assert [(tool["name"], tool["description"]) for tool in kept(folder)["odd"]["tools"]] == [
        ("read_0", "Reads."), ("read_1", "Reads."), ("read_2", "Reads."),
    ]  # fmt: skip


def test_without_a_terminal_nothing_runs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name_servers(folder, one=odd("pages", folder), two=odd("old", folder))
    assert lock("--all") == 2
    err = capsys.readouterr().err
    # Each of them is shown all the same.
    assert err.count(f"runs         {REAL[0]} -I ") == 2
    assert "nothing was run because there is no terminal for the confirmation; use `--yes`" in err
    assert not (folder / "numbers").exists()
    assert not (folder / "tools.lock.json").exists()


def test_without_a_terminal_nothing_is_connected_to(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as there:
        address = f"http://127.0.0.1:{there.getsockname()[1]}/mcp"
        assert lock("--url", address) == 2
        there.setblocking(False)
        with pytest.raises(BlockingIOError):
            there.accept()
    err = capsys.readouterr().err
    assert address in err
    assert "nothing was run because there is no terminal" in err
    assert not (folder / "tools.lock.json").exists()


@pytest.mark.parametrize("answer", ["", "\n", "n\n", "no\n", "yep\n"])
def test_anything_but_yes_is_no(
    answer: str, folder: Path, terminal: io.StringIO, capsys: pytest.CaptureFixture[str]
) -> None:
    name_servers(folder, odd=odd("pages", folder))
    terminal.write(answer)
    terminal.seek(0)
    assert lock("odd") == 2
    err = capsys.readouterr().err
    assert "Run this command? [y/N] " in err
    assert "Skipped `odd`." in err
    assert not (folder / "numbers").exists()


def test_yes_is_asked_for_each_server(folder: Path, terminal: io.StringIO, capsys: pytest.CaptureFixture[str]) -> None:
    name_servers(folder, one=odd("pages", folder), two=odd("old", folder))
    terminal.write("n\nY\n")
    terminal.seek(0)
    assert lock("--all") == 2
    assert list(kept(folder)) == ["two"]
    assert capsys.readouterr().err.count("[y/N]") == 2


def test_a_command_can_neither_command_the_terminal_nor_look_like_two(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name_servers(folder, odd=[*odd("pages", folder), "\x1b[2J\u202ecod.exe", "a\n  runs         true"])
    assert lock("odd") == 2
    err = capsys.readouterr().err
    assert err.count("\n  runs  ") == 1
    assert "a␊  runs         true" in err
    assert "\x1b" not in err
    assert "\u202e" not in err
    assert "␛[2J\ufffdcod.exe" in err


def test_what_a_file_asks_for_is_asked_on_the_terminal_or_given(
    folder: Path, terminal: io.StringIO, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / ".vscode").mkdir()
    document = {
        "inputs": [{"id": "kind", "type": "promptString", "description": "Which one", "default": "pages"}],
        "servers": {"odd": {"command": REAL[0], "args": [*words("odd.py")[1:], "${input:kind}", "numbers"]}},
    }
    (folder / ".vscode" / "mcp.json").write_text(json.dumps(document), encoding="utf-8")
    terminal.write("\ny\n")
    terminal.seek(0)
    assert lock() == 0
    assert "Which one [pages]: " in capsys.readouterr().err
    assert len(kept(folder)["odd"]["tools"]) == 3
    assert lock("--yes", "--input", "kind=old") == 0
    assert "Which one" not in capsys.readouterr().err
    assert len(kept(folder)["odd"]["tools"]) == 1


def test_a_command_is_given_after_two_hyphens(folder: Path) -> None:
    assert lock("--yes", "--", *odd("old", folder)) == 0
    assert list(kept(folder)) == ["odd"]
    assert kept(folder)["odd"]["origin"]["protocol"] == "2024-11-05"
    assert lock("--yes", "--name", "mine", "--", *odd("pages", folder)) == 0
    assert list(kept(folder)) == ["mine", "odd"]


def test_the_environment_of_a_server_can_be_added_to(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PASSED_ON", "1 2")
    program = folder / "show.py"
    program.write_text("import os, sys; sys.exit(os.environ.get('PASSED_ON', '') + os.environ['B'])", encoding="utf-8")
    assert lock("--yes", "--env", "PASSED_ON", "--env=B=c", "--", sys.executable, "show.py") == 2
    err = capsys.readouterr().err
    assert "environment  PASSED_ON='1 2'\n  environment  B=c\n" in err
    assert "  1 2c\n" in err


def test_one_bad_server_does_not_keep_the_others_from_being_locked(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = ["no-such-program"]
    name_servers(folder, a=odd("dies", folder), b=missing, c=odd("infinite", folder), d=odd("bad-tools", folder))
    assert lock("--all", "--yes") == 2
    err = capsys.readouterr().err
    assert "`a` ended (exit code 3) before it had listed its tools." in err
    assert "the program `no-such-program` was not found" in err
    assert "`c` " in err
    assert list(kept(folder)) == ["d"]
    # What cannot be seen is written as an escape.
    assert '"Reads.\\u202e\\udb40\\udc41"' in (folder / "tools.lock.json").read_text(encoding="utf-8")


def test_which_servers_are_meant(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert lock() == 2
    assert "no servers are configured: there is neither .mcp.json nor .vscode/mcp.json" in capsys.readouterr().err
    name_servers(folder, one=odd("old", folder), two=odd("old", folder))
    assert lock("--yes") == 2
    assert "name one of `one`, `two`, or use `--all`" in capsys.readouterr().err
    assert lock("--yes", "tow") == 2
    assert "unknown server `tow`. Did you mean `two`?" in capsys.readouterr().err
    assert lock("--yes", "two") == 0
    # Without a name: those that are locked already.
    capsys.readouterr()
    assert lock("--yes") == 0
    assert capsys.readouterr().out == "two: 1 tool, nothing changed\n"
    name_servers(folder, ".vscode/mcp.json", two=odd("pages", folder))
    assert lock("--yes", "two") == 2
    assert (
        "`two` is configured in both .mcp.json and .vscode/mcp.json; choose one with `--file`"
        in capsys.readouterr().err
    )
    assert lock("--yes", "--file", ".vscode/mcp.json") == 0
    assert len(kept(folder)["two"]["tools"]) == 3


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["--url", "http://x", "--", "npx"], "a command after `--` and `--url` cannot be combined"),
        (["a", "--", "npx"], "cannot be combined with server names"),
        (["--name", "a"], "`--name` needs a command after `--` or `--url`"),
        (["--all", "a"], "server names and `--all` cannot be combined"),
        (["--timeout", "soon"], "`--timeout soon`: expected a number of seconds"),
        (["--timeout", "0"], "`--timeout 0`: expected a number of seconds"),
        (["--timeout", "nan"], "`--timeout nan`: expected a number of seconds"),
        (["--output", ""], "the path is empty"),
        (["--output", "../tools.lock.json"], "the lock file must be in this folder"),
        (["--output", "."], "the lock file must be in this folder"),
        (["--output", "nowhere/tools.lock.json"], "not found; create it first"),
        (["--input", "key"], "`--input key`: expected `ID=VALUE`"),
        (["--env", "NO_SUCH_VARIABLE"], "`--env NO_SUCH_VARIABLE`: this variable is not set"),
        (["--header", "A: b"], "`--header` needs `--url`"),
        (["--url", "http://x", "--header", "Ab"], "expected `NAME: VALUE`"),
        (["--url", "mailto:x"], "`mailto:x` is not an HTTP address"),
        (["--", "no-such-program"], "the program `no-such-program` was not found"),
        (["--file", "x.json"], "x.json: there is no such file; check the path"),
    ],
)
def test_wrong_words_are_reported(
    given: list[str], words: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name_servers(folder, a=odd("old", folder))
    assert lock(*given) == 2
    assert words in capsys.readouterr().err
    assert not (folder / "numbers").exists()


def test_the_lock_file_does_not_leave_the_folder_by_a_link(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    outside = tmp_path_factory.mktemp("outside") / "target.json"
    outside.write_text("{}", encoding="utf-8")
    (folder / "tools.lock.json").symlink_to(outside)
    assert lock("--yes", "--", *odd("old", folder)) == 2
    assert "the lock file must be in this folder" in capsys.readouterr().err
    assert outside.read_text(encoding="utf-8") == "{}"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no named pipes in folders")
def test_a_lock_file_that_is_a_pipe_is_not_waited_for(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(folder / "tools.lock.json")
    assert lock("--yes", "--", *odd("old", folder)) == 2
    assert "tools.lock.json" in capsys.readouterr().err
    assert not (folder / "numbers").exists()


def test_names_that_a_server_gives_command_no_terminal_and_are_seen_in_a_review(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(folder.iterdir())
    for stated in ("7 tools, 6 added", "7 tools, nothing changed"):
        assert lock("--yes", "--", *odd("hostile-tools", folder)) == 0
        out, err = capsys.readouterr()
        assert stated in out
        assert not set("\x1b\x07\x7f\u202e") & set(out + err)
    text = (folder / "tools.lock.json").read_text(encoding="utf-8")
    assert not set("\x1b\x07\x7f\u202e\u200b\ufe01") & set(text)
    # What looks like a path is a name, and a name that comes twice stays for the rules to judge.
    assert sorted(folder.iterdir()) == sorted([*before, folder / "numbers", folder / "tools.lock.json"])
    (locked,) = kept(folder).values()
    names = [tool["name"] for tool in locked["tools"]]
    assert "../../etc/passwd" in names
    assert names.count("twice") == 2


def test_another_file_is_not_written_over(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "package.json").write_text('{"name": "mine"}', encoding="utf-8")
    assert lock("--yes", "--output", "package.json", "--", *odd("old", folder)) == 2
    assert "package.json: is not a lock file; choose another file with `--output`" in capsys.readouterr().err
    assert not (folder / "numbers").exists()


def test_without_the_sdk_there_is_a_remedy(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    remedy = "run `pip install 'callwright[mcp]'`"

    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr("importlib.metadata.version", missing)
    assert lock("--yes", "--", *odd("old", folder)) == 2
    assert f"needs the package `mcp`, which is not installed; {remedy}" in capsys.readouterr().err
    monkeypatch.setattr("importlib.metadata.version", {"mcp": "1.27.0"}.__getitem__)
    assert lock("--yes", "--", *odd("old", folder)) == 2
    assert f"needs version 2 of the package `mcp`, but 1.27.0 is installed; {remedy}" in capsys.readouterr().err
    assert not (folder / "numbers").exists()


def test_checking_and_listing_run_no_server(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name_servers(folder, odd=odd("old", folder))
    name_servers(folder, ".vscode/mcp.json", odd=odd("old", folder))
    (folder / "a.prompt").write_text("Nothing.\n", encoding="utf-8")
    assert main(["check", "."]) == 0
    assert main(["tools"]) == 0
    assert not (folder / "numbers").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
@pytest.mark.parametrize(
    ("number", "code"), sampled([(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
)
def test_an_interrupt_ends_the_server_and_what_it_started(number: signal.Signals, code: int, folder: Path) -> None:
    command = [sys.executable, "-m", "callwright", "tools", "lock", "--yes", "--", *odd("grandchild", folder)]
    process = subprocess.Popen(
        command, cwd=folder, stderr=subprocess.PIPE, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    )
    numbers = folder / "numbers"
    for _ in range(1_500):
        if numbers.exists() and numbers.read_text(encoding="utf-8").count("\n") == 2:
            break
        time.sleep(0.02)
    started = [int(line) for line in numbers.read_text(encoding="utf-8").split()]
    assert len(started) == 2
    process.send_signal(number)
    _, err = process.communicate(timeout=30)
    assert process.returncode == code
    assert b"Traceback" not in err
    assert left_running(started) == []
