"""Watching files, and showing how far a run has come. Time is a list of events here."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path

import pytest

import callwright.lint.linter
from callwright.cli.main import main
from callwright.cli.support import watch as watch_module
from callwright.cli.support.progress import Progress
from callwright.cli.support.terminal import cells
from callwright.document.snapshot import Snapshot
from cli.test_process import callwright_process, environment

pytestmark = pytest.mark.usefixtures("named_sets")

FAULTY = '<debug_launch>{"program": "a.py",}</debug_launch>\n'
CLEAN = '<debug_launch>{"program": "a.py"}</debug_launch>\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    for name in ("a.prompt", "b.prompt"):
        (tmp_path / name).write_text(CLEAN, encoding="utf-8")
    return tmp_path


def watched(monkeypatch: pytest.MonkeyPatch, events: list[Callable[[], object]], *words: str) -> int:
    """Run `check --watch` and let one event happen at each look; then someone hits Ctrl-C."""
    happening: Iterator[Callable[[], object]] = iter(events)

    def sleep(_: float) -> None:
        event = next(happening, None)
        if event is None:
            raise KeyboardInterrupt
        event()

    whole = watch_module.watch
    monkeypatch.setattr(watch_module, "watch", lambda *given: whole(*given, sleep=sleep))
    return main(["check", "--watch", "--output-format", "concise", *words])


def writes(path: Path, text: str) -> Callable[[], object]:
    return lambda: path.write_text(text, encoding="utf-8")


def test_each_change_is_checked_and_only_what_changed_is_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    scanned: list[str] = []
    whole = callwright.lint.linter.diagnostics

    def diagnostics(snapshot: Snapshot) -> object:
        scanned.append(Path(str(snapshot.path)).name)
        return whole(snapshot)

    monkeypatch.setattr(callwright.lint.linter, "diagnostics", diagnostics)
    events = [
        lambda: None,
        writes(folder / "a.prompt", FAULTY),
        lambda: None,
        writes(folder / "c.prompt", CLEAN),
        (folder / "a.prompt").unlink,
    ]
    assert watched(monkeypatch, events, ".") == 0
    out, err = capsys.readouterr()
    assert [line for line in out.splitlines() if line.startswith("Checked")] == [
        "Checked 2 files: no diagnostics.",
        "Checked 2 files: 1 error. 1 fixable with `--fix`.",
        "Checked 3 files: 1 error. 1 fixable with `--fix`.",
        "Checked 2 files: no diagnostics.",
    ]
    assert scanned == ["a.prompt", "b.prompt", "a.prompt", "c.prompt"]
    assert [line for line in err.splitlines() if "changed" in line] == [
        "callwright: changed: a.prompt",
        "callwright: changed: c.prompt",
        "callwright: changed: a.prompt",
    ]


def test_a_configuration_that_makes_no_sense_is_reported_and_waited_for(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    known = folder / "known.json"
    known.write_text("no baseline", encoding="utf-8")
    configuration = folder / "callwright.toml"

    def fix() -> None:
        known.write_text('{"version": 1, "files": {}}', encoding="utf-8")
        configuration.write_text("max_mistakes = 2\n", encoding="utf-8")

    assert watched(monkeypatch, [fix], ".", "--baseline", "known.json") == 0
    out, err = capsys.readouterr()
    assert "not a baseline" in err
    assert "changed: known.json, callwright.toml" in err
    assert out == "Checked 2 of 3 files: no diagnostics.\n"


def test_what_is_fixed_is_fixed_again_after_each_change(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = folder / "a.prompt"
    assert watched(monkeypatch, [writes(file, FAULTY), lambda: None, lambda: None], ".", "--fix") == 0
    assert file.read_text(encoding="utf-8") == CLEAN


def test_standard_input_never_changes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "-", "--watch"]) == 2
    assert "does not work with standard input" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="Windows interrupts a process group only")
def test_an_interrupt_ends_a_watch_well(folder: Path) -> None:
    with callwright_process("check", "a.prompt", "--watch", "--shipped", "all") as process:
        assert process.stderr is not None
        assert process.stderr.readline() == b"callwright: watching for changes; Ctrl-C ends\n"
        (folder / "a.prompt").write_text(FAULTY, encoding="utf-8")
        assert process.stderr.readline() == b"callwright: changed: a.prompt\n"
        assert process.stderr.readline() == b"callwright: watching for changes; Ctrl-C ends\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert (err, process.returncode) == (b"", 0)
        assert b"1 error" in out


class Clock:
    """Time that stops until it is moved."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_bar_shows_itself_in_long_runs_only() -> None:
    out, clock = StringIO(), Clock()
    asked: list[int] = []

    def total() -> int:
        asked.append(1)
        return 4

    bar = Progress(out, total, 40, clock=clock)
    bar.advance("a")
    clock.now = 0.9
    bar.advance("b")
    bar.clear()
    assert (out.getvalue(), asked) == ("", [])
    clock.now = 1.0
    bar.advance("c" * 60)
    clock.now = 1.05
    bar.advance("too soon")
    bar.clear()
    bar.clear()
    clock.now = 2.0
    bar.advance("one more than there were")
    drawn = [one for one in out.getvalue().split("\r\x1b[2K") if one]
    assert drawn[0].startswith("━" * 18 + "╌" * 6 + " 3/4 ccc")
    assert drawn[1].startswith("━" * 24 + " 5/5 one")
    assert all(sum(cells(one)) <= 39 for one in drawn)
    assert out.getvalue().count("\r\x1b[2K") == 3
    assert asked == [1]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_on_a_terminal_the_screen_is_cleared_and_colours_are_used(folder: Path) -> None:
    import pty

    (folder / "a.prompt").write_text(FAULTY, encoding="utf-8")
    ours, theirs = pty.openpty()
    given = environment(TERM="xterm")
    with callwright_process("check", "a.prompt", "--watch", "--shipped", "all", stdout=theirs, env=given) as process:
        os.close(theirs)
        assert process.stderr is not None
        assert process.stderr.readline() == b"callwright: watching for changes; Ctrl-C ends\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
    shown = os.read(ours, 10_000)
    os.close(ours)
    assert shown.startswith(b"\x1b[2J\x1b[3J\x1b[H\x1b[1ma.prompt:1:33:")
