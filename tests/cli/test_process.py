"""Whole processes: exit codes, streams that break, and what is imported. Few, for each costs a start of Python."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import callwright
from callwright import __version__
from callwright.cli.support.arguments import command_names

SERVER = Path(callwright.__file__).parents[1]
CLEAN = b'<debug_launch>{"program": "a.py"}</debug_launch>\n'


def environment(**more: str) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "FORCE_COLOR")}
    return {**kept, "PYTHONPATH": os.pathsep.join([str(SERVER), *kept.get("PYTHONPATH", "").split(os.pathsep)]), **more}


def callwright_process(*words: str, **options: object) -> "subprocess.Popen[bytes]":
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": environment()}
    return subprocess.Popen([sys.executable, "-m", "callwright", *words], **{**streams, **options})  # type: ignore[call-overload, no-any-return] # the options are Popen's own


def run(*words: str, stdin: bytes = b"", **options: object) -> tuple[bytes, bytes, int]:
    process = callwright_process(*words, **options)
    out, err = process.communicate(stdin, timeout=60)
    return out, err, process.returncode


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "clean.prompt").write_bytes(CLEAN)
    (tmp_path / "faulty.prompt").write_bytes(b'<debug_launch>{"program": "a.py",}</debug_launch>\n')
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_exit_codes(folder: Path) -> None:
    (folder / "callwright.toml").write_text("shipped = true\n", encoding="utf-8")
    assert run("check", "clean.prompt")[2] == 0
    assert run("check", "faulty.prompt")[2] == 1
    out, err, code = run("check", "nowhere.prompt", "clean.prompt")
    assert (out, code) == (b"Checked 1 file: no diagnostics.\n", 2)
    assert err == b"callwright: nowhere.prompt: file or folder not found; check the path\n"


def imported(*words: str) -> set[str]:
    """The top-level modules that a command imports, in a process of its own."""
    program = (
        "import sys; from callwright.cli.main import main; code = main(sys.argv[1:]); "
        "print('\\n'.join({name.partition('.')[0] for name in sys.modules}), file=sys.stderr); sys.exit(code)"
    )
    result = subprocess.run(
        [sys.executable, "-c", program, *words], env=environment(), capture_output=True, text=True, check=False
    )
    assert result.returncode in (0, 1), result.stderr
    return set(result.stderr.split())


HEAVY = {
    "pygls", "lsprotocol", "cyclopts", "rich", "jsonschema", "jsonschema_rs", "lxml", "rapidfuzz",
    "asyncio", "difflib", "unicodedata",
}  # fmt: skip


def test_checking_a_clean_file_imports_nothing_heavy(folder: Path) -> None:
    assert not imported("check", "clean.prompt") & HEAVY


def test_showing_diagnostics_in_colour_imports_nothing_heavy(folder: Path) -> None:
    assert not imported("check", "faulty.prompt", "--color", "always") & (HEAVY - {"unicodedata"})


def test_the_version_imports_next_to_nothing() -> None:
    assert not imported("--version") & (HEAVY | {"json", "pathlib"})
    assert run("--version")[:2] == (f"callwright {__version__}\n".encode(), b"")


def test_help_is_asked_for_or_given_with_an_error() -> None:
    out, err, code = run("--help")
    assert (err, code) == (b"", 0)
    assert all(name.split()[0].encode() in out for name in command_names())
    out, err, code = run()
    assert (out, code) == (b"", 2)
    assert b"convert" in err
    assert err.endswith(b"callwright: no command given; start with `callwright check .`\n")


def test_standard_input_is_fixed_to_standard_output(folder: Path) -> None:
    (folder / "callwright.toml").write_text("shipped = true\n", encoding="utf-8")
    faulty = b"\xef\xbb\xbf" + b'<debug_launch>{"program": "a.py",}</debug_launch>\r\n'
    out, err, code = run("check", "-", "--fix", stdin=faulty)
    assert (out, code) == (faulty.replace(b",}", b"}"), 0)
    assert err == b"Checked 1 file: no diagnostics. Fixed 1.\n"


def test_a_terminal_that_lacks_a_character_gets_an_escape(folder: Path) -> None:
    (folder / "callwright.toml").write_text("shipped = true\n", encoding="utf-8")
    (folder / "é😀.prompt").write_bytes('<debug_launch>{"program": "é",}</debug_launch>'.encode())
    out, err, code = run("check", "é😀.prompt", env=environment(PYTHONIOENCODING="ascii"))
    assert (err, code) == (b"", 1)
    assert out.startswith(b"\\xe9\\U0001f600.prompt:1:")


def test_a_closed_pipe_ends_the_run(folder: Path) -> None:
    (folder / "callwright.toml").write_text("shipped = true\n", encoding="utf-8")
    (folder / "many.prompt").write_bytes(b'<debug_launch>{"program": "a.py",}</debug_launch>\n' * 2_000)
    with callwright_process("check", "many.prompt") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
def test_a_full_disk_is_reported(folder: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        _, err, code = run("check", "faulty.prompt", stdout=full)
    assert (err, code) == (b"callwright: No space left on device\n", 2)


def test_closed_streams_do_no_harm(folder: Path) -> None:
    (folder / "callwright.toml").write_text("shipped = true\n", encoding="utf-8")
    closed = subprocess.run(
        ["sh", "-c", f'"{sys.executable}" -m callwright check faulty.prompt >&- 2>&- <&-; echo $?'],
        env=environment(),
        capture_output=True,
        check=False,
    )
    assert closed.stdout == b"1\n"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows interrupts a process group only")
def test_an_interrupt_ends_with_a_word_and_130(folder: Path) -> None:
    with callwright_process("check", "clean.prompt", "-") as process:
        assert process.stdin is not None
        # The process is certainly up once it has taken more than a pipe holds.
        process.stdin.write(b" " * 300_000)
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        assert (err, process.returncode) == (b"callwright: interrupted\n", 130)


def test_nothing_is_imported_before_an_interrupt_can_be_reported() -> None:
    program = "import os, sys; known = {*sys.modules}; import callwright.cli.main; print(*{*sys.modules} - known)"
    result = subprocess.run(
        [sys.executable, "-c", program], env=environment(), capture_output=True, text=True, check=True
    )
    assert {*result.stdout.split()} <= {"callwright", "callwright.cli", "callwright.cli.main"}


@pytest.mark.parametrize("module", ["failure", "arguments", "projects"])
def test_an_interrupt_while_a_command_is_imported_ends_with_a_word_and_130(module: str) -> None:
    program = (
        "import sys\n"
        "class Interrupting:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == 'callwright.cli.support.{module}': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupting())\n"
        "from callwright.cli.main import main\n"
        "sys.exit(main(['feedback', '-']))"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], env=environment(), capture_output=True, text=True, check=False
    )
    assert (result.stdout, result.stderr, result.returncode) == ("", "callwright: interrupted\n", 130)


@pytest.mark.parametrize("words", [["--help"], ["feedback", "--help"], ["tools", "lock", "--help"]])
def test_help_on_a_closed_pipe_ends_as_any_output_does(words: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as unread:
        _, err, code = run(*words, stdout=unread)
    assert (err, code) == (b"", 141)


def test_a_fault_of_ours_is_reported_without_a_traceback(folder: Path) -> None:
    program = (
        "import sys; from callwright.lint import linter; from callwright.cli.main import main\n"
        "whole = linter.diagnostics\n"
        "linter.diagnostics = lambda snapshot: whole(snapshot) if 'clean' in snapshot.path else {}['oops']\n"
        "sys.exit(main(['check', '.']))"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], env=environment(), capture_output=True, text=True, check=False
    )
    assert result.returncode == 2
    assert result.stdout == "Checked 1 of 2 files: no diagnostics.\n"
    assert result.stderr.startswith("callwright: faulty.prompt: internal error: KeyError: 'oops' at <string>:3. ")
    assert "CALLWRIGHT_TRACEBACK=1" in result.stderr
    assert "Traceback" not in result.stderr
