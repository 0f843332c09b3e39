"""A command that changes files is killed at each of its steps: every file is the old one or the new one, whole.

The folder is as unkind as can be: its configuration takes every file for a prompt or for a definition of tools, so that
whatever a killed run leaves would be seen by the next one.
"""

import errno
import json
import os
import shutil
import signal
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Any, Final, NoReturn

import pytest

from callwright.cli.main import main
from callwright.cli.support import cache as cache_module
from callwright.cli.support import files as files_module
from callwright.cli.support import large, pieces
from callwright.cli.support import output as output_module
from callwright.corpus.joining import Join, join_rows
from callwright.corpus.parts import FOLDER as PARTS
from callwright.corpus.tasks.base import task_of
from callwright.corpus.units import RunOptions, Unit
from callwright.corpus.work import do_unit
from callwright.mcp.lock import Locked, digest, render
from callwright.path_patterns import UNFINISHED
from support.disk import Steps, stepping
from support.sampling import sampled

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="a process is killed between two of its own steps")

MARKER: Final = b"\xef\xbb\xbf"
PATH: Final = {"type": "object", "properties": {"path": {"type": "string", "description": "Which."}}}
TOOLS: Final = [
    {"name": name, "description": "Works on a file.", "input_schema": {**PATH, "required": ["path"]}}
    for name in ("read_file", "delete_file")
]
CALL: Final = '<tool_call>\n{"name": "read_file", "arguments": {"path": "%s",}}\n</tool_call>\n'
PLAIN: Final = CALL.replace(",}}", "}}")
RECORD: Final = {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": CALL % "é😀"}]}
LOCKED: Final = [{"name": "find", "description": "Finds.", "inputSchema": PATH}]
TAUGHT: Final = "# Tools\n<!-- callwright:tools style=terse -->\nold\n<!-- /callwright:tools -->\nEnd.\n"
CONFIGURATION: Final = """\
files = ["**/*"]
tools = ["tools/*"]
exclude = ["out", "kept", "kept.lock.json", "callwright.toml"]
dialect = "hermes"
"""


def fill(folder: Path) -> None:
    """Write a folder with a file of every kind that must keep something."""
    files = {
        "callwright.toml": CONFIGURATION.encode(),
        "tools/tools.json": json.dumps(TOOLS, indent=1).encode(),
        "a.prompt": MARKER + ("One.\n" + CALL % "a" * 3).replace("\n", "\r\n").encode(),
        "b.prompt": (CALL % "é😀\u2028" + "Last." * 9).encode(),
        "sub/c.prompt": (CALL % "c").encode(),
        "plain.prompt": (PLAIN % "a" * 5).encode(),
        "taught.md": MARKER + TAUGHT.replace("\n", "\r\n").encode(),
        "log.jsonl": (json.dumps(RECORD) + "\n").encode() * 5,
        "out/known.json": b'{"version": 1, "files": {}}\n',
        "out/found.json": b"old " * 500,
        "out/report.html": b"old " * 500,
        "out/tools.json": b"old " * 500,
        "out/corpus/diagnostics.parquet": b"old " * 500,
        "out/corpus/summary.json": b"old " * 500,
        "out/corpus/clean/log.jsonl": b"old " * 500,
        "out/rows/refusals.parquet": b"old " * 500,
        "out/rows/converted/log.jsonl": b"old " * 500,
        "kept.lock.json": render({"one": Locked("one", {"hash": digest(LOCKED)}, LOCKED)}).encode(),
        "fresh/d.prompt": (PLAIN % "d").encode(),
    }
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    (folder / "a.prompt").chmod(0o640)
    (folder / "b.prompt").chmod(0o755)
    (folder / "taught.md").chmod(0o600)
    (folder / "linked.prompt").symlink_to("sub/c.prompt")
    (folder / ".git").mkdir()


#: Units of about a row.
IN_UNITS: Final = ("--unit-size", "1KB", "--jobs", "1", "--quiet")
#: Each way to change files, as the words of a command.
WAYS: Final = {
    "fixing": ["check", ".", "--fix"],
    "fixing a large file": ["check", "log.jsonl", "--fix"],
    "ignoring": ["check", ".", "--add-ignore"],
    "a baseline": ["check", "sub", "--baseline", "out/known.json", "--write-baseline"],
    "a first baseline": ["check", "sub", "--baseline", "new/known.json", "--write-baseline"],
    "an output": ["check", "sub", "--output-format", "json", "--output-file", "out/found.json"],
    "a first output": ["check", "sub", "--output-file", "new/found.txt"],
    "remembering": ["check", "sub", "--cache-dir", "kept"],
    "converting": ["convert", ".", "--to", "xml-json", "--write"],
    "renaming": ["rename", "read_file", "open_file", "--write"],
    "teaching": ["prompt", "--write", "."],
    "locking": ["tools", "lock", "--yes", "--output", "kept.lock.json", "--name", "one", "--", sys.executable],
    "locking first": ["tools", "lock", "--yes", "--output", "tools.lock.json", "--name", "one", "--", sys.executable],
    "beginning": ["init", "fresh"],
    "reporting": ["report", "log.jsonl", "--output-file", "out/report.html"],
    "exporting": ["tools", "export", "tools/tools.json", "--output", "out/tools.json"],
    "checking a corpus": ["corpus", "check", "log.jsonl", "--out", "out/corpus", "--clean", "--fixed", *IN_UNITS],
    "converting a corpus": ["corpus", "convert", "log.jsonl", "--out", "out/rows", "--to", "xml-json", *IN_UNITS],
}
#: Those whose disk is that of workers, who say nothing of it themselves.
OF_WORKERS: Final = ("checking a corpus", "converting a corpus")
#: What a folder holds: bytes and modes.
State = dict[str, tuple[bytes, int]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(cache_module, "_engine", lambda: "")
    fill(tmp_path / "first")
    return tmp_path


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """One way to change files, made ready."""
    name = str(request.param)
    if name == "remembering":
        monkeypatch.delenv("CALLWRIGHT_NO_CACHE")
    if name == "fixing a large file":
        monkeypatch.setattr(large, "LARGE", 400)
        monkeypatch.setattr(pieces, "PIECE", 700)
    if name in OF_WORKERS:
        monkeypatch.setattr("callwright.corpus.run.run_plan", _do_here)
    monkeypatch.setattr("callwright.cli.tools_lock._need_sdk", lambda: None)
    monkeypatch.setattr("callwright.cli.tools_lock._ask", _answer)
    return name


def _answer(server: Any, _seconds: float, _locked: Any) -> Locked:
    tools = [{"name": f"find_{number}", "inputSchema": PATH} for number in range(9)]
    return Locked(server.name, {"hash": digest(tools)}, tools)


def _do_here(units: Sequence[Unit | Join], run_options: RunOptions, _: Any, done: Callable[[], None]) -> None:
    """Do units of a corpus in this process, whose steps are counted, and not in those of an engine."""
    judge = task_of(run_options.task).judge(run_options)
    for each in units:
        if isinstance(each, Join):
            join_rows(each, run_options)
        else:
            do_unit(each, run_options, judge)
        done()


def state(folder: Path) -> State:
    """Every file with its bytes and its mode, those left aside that are unfinished, as parts of a corpus are."""
    return {
        str(file.relative_to(folder)): (file.read_bytes(), stat.S_IMODE(file.stat().st_mode))
        for file in sorted(folder.rglob("*"))
        if file.is_file() and not file.name.endswith((UNFINISHED, ".unfinished")) and PARTS not in file.parts
    }


def left(folder: Path) -> list[Path]:
    return sorted(file for file in folder.rglob(f"*{UNFINISHED}"))


class Run:
    """A way to change files, with the folder before and after it, and the steps in between."""

    def __init__(self, way: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.words = WAYS[way]
        self._folder = folder
        self._monkeypatch = monkeypatch
        self._number = 0
        self.old = state(folder / "first")
        place = self.again()
        # What is loaded on the way is loaded now, and no step has to wait for it.
        main(self.words)
        place = self.again()
        with stepping(place) as steps:
            self.code = main(self.words)
        self.steps: Steps = steps
        self.new = state(place)
        self.rest = left(place)

    def again(self) -> Path:
        """Go to a fresh copy of the folder."""
        self._monkeypatch.chdir(self._folder)
        shutil.rmtree(self._folder / "work", ignore_errors=True)
        place = self._folder / "work"
        shutil.copytree(self._folder / "first", place, symlinks=True)
        self._monkeypatch.chdir(place)
        return place

    @staticmethod
    def end_quietly(command: Callable[[], int]) -> NoReturn:
        """End this process with the exit code of a command that is silent."""
        code = 99
        try:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, 1)
            os.dup2(nowhere, 2)
            sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - the process ends soon
            sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - as above
            code = command()
        finally:
            os._exit(code)

    def killed(self, number: int) -> Path:
        """Let a process of its own do it, which is killed before a step; return the folder that it leaves."""
        place = self.again()

        def kill(at: int, _name: str) -> None:
            if at == number:
                os.kill(os.getpid(), signal.SIGKILL)

        child = os.fork()
        if not child:

            def command() -> int:
                with stepping(place, kill):
                    return main(self.words)

            self.end_quietly(command)
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status), (number, os.waitstatus_to_exitcode(status))
        assert os.WTERMSIG(status) == signal.SIGKILL
        return place


@pytest.fixture
def run(way: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Run]:
    made = Run(way, folder, monkeypatch)
    capsys.readouterr()
    yield made
    monkeypatch.chdir(folder)


_counted: dict[str, int] = {}


def test_a_run_that_is_killed_leaves_each_file_old_or_new(
    run: Run, way: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run.old != run.new
    assert run.rest == []
    assert run.steps.past == []
    same: set[object] = set()
    for number in sampled(range(1, len(run.steps.names) + 1), keep=3):
        place = run.killed(number)
        after = state(place)
        at = f"{number} of {len(run.steps.names)}, before {run.steps.names[number - 1]}"
        assert set(run.old) <= set(after) <= set(run.new), at
        for name, kept in after.items():
            assert kept in (run.old.get(name), run.new[name]), (at, name)
        assert (place / "linked.prompt").is_symlink(), at
        rest = left(place)
        assert len(rest) <= 1, at
        # The same command, once more, continues as if nothing had happened, and does not see what was left.
        seen = (tuple(sorted(name for name in after if after[name] == run.new[name])), *map(_kind, rest))
        if seen in same:
            continue
        same.add(seen)
        capsys.readouterr()
        kept_aside = [one.read_bytes() for one in rest]
        main(run.words)
        stated = "".join(capsys.readouterr())
        assert [one.read_bytes() for one in rest] == kept_aside, at
        assert UNFINISHED not in stated, at
        assert "internal error" not in stated, at
        assert state(place) == run.new, at
    _counted[way] = len(run.steps.names)


#: How often each of these ways is killed in a whole run, spread over the lines of Python that write files.
KILLS: Final = 100
WRITING: Final = frozenset({files_module.__file__, output_module.__file__, cache_module.__file__})


def tracing(happening: Callable[[int], None]) -> Callable[[Any, str, Any], Any]:
    """Return what counts the lines that are run where files are written; `happening` gets each before it is run."""
    number = 0

    def in_line(_frame: Any, event: str, _argument: Any) -> Any:
        nonlocal number
        if event == "line":
            number += 1
            happening(number)
        return in_line

    return lambda frame, _event, _argument: in_line if frame.f_code.co_filename in WRITING else None


def traced(trace: Callable[[Any, str, Any], Any], words: list[str]) -> int:
    """Run a command line under a trace."""
    sys.settrace(trace)
    return main(words)


@pytest.mark.parametrize(
    "way", ["fixing", "renaming", "teaching", "reporting", "beginning", "remembering"], indirect=True
)
def test_a_run_that_is_killed_at_any_line_leaves_each_file_old_or_new(run: Run) -> None:
    """Also between two steps, where bytes wait that no step has written."""
    run.again()
    seen: list[int] = []
    sys.settrace(tracing(seen.append))
    try:
        main(run.words)
    finally:
        sys.settrace(None)
    points = [len(seen) * each // KILLS + 1 for each in range(KILLS)]
    assert len({*points}) == KILLS
    for number in sampled(points, keep=2):
        place = run.again()
        child = os.fork()
        if not child:

            def kill(at: int, when: int = number) -> None:
                if at == when:
                    os.kill(os.getpid(), signal.SIGKILL)

            run.end_quietly(partial(traced, tracing(kill), run.words))
        assert os.WIFSIGNALED(os.waitpid(child, 0)[1]), number
        after = state(place)
        assert set(run.old) <= set(after) <= set(run.new), number
        for name, kept in after.items():
            assert kept in (run.old.get(name), run.new[name]), (number, name)
        assert len(left(place)) <= 1, number
        main(run.words)
        assert state(place) == run.new, number


def _kind(rest: Path) -> int:
    """What an unfinished file may be: empty, or with something in it."""
    return bool(rest.stat().st_size)


def test_these_were_two_hundred_points() -> None:
    if len(_counted) < len(WAYS):
        pytest.skip("only some of the ways were tried")
    assert sum(_counted.values()) >= 200, _counted


@pytest.mark.parametrize("way", [name for name in WAYS if name not in OF_WORKERS], indirect=True)
def test_a_disk_that_is_full_from_some_step_on_loses_nothing(
    run: Run, way: str, capsys: pytest.CaptureFixture[str]
) -> None:
    filling = [(number, step) for number, step in enumerate(run.steps.names, 1) if step in FILLING]
    for number, step in sampled(filling, by=itemgetter(1)):
        place = run.again()

        def full(at: int, name: str, first: int = number) -> None:
            if at >= first and name in FILLING:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        capsys.readouterr()
        with stepping(place, full):
            code = main(run.words)
        out, err = capsys.readouterr()
        at = f"{number} of {len(run.steps.names)}, at {step}: {out}{err}"
        after = state(place)
        assert left(place) == [], at
        for name, kept in after.items():
            assert kept in (run.old.get(name), run.new[name]), (at, name)
        assert set(run.old) <= set(after), at
        if after == run.new or way == "remembering":
            # Only the folder could not be synchronised, or only the next run uses what was not kept.
            assert (code, "No space" in err) == (run.code, False), at
        else:
            assert code == 2, at
            reported = [line for line in err.splitlines() if "not written: No space left on device" in line]
            assert reported, at
            assert all(line.startswith("callwright: ") and UNFINISHED not in line for line in reported), at
            assert "internal error" not in err, at
        main(run.words)
        assert state(place) == run.new, at


#: Steps that take room on a disk.
FILLING: Final = ("write", "os.fsync", "os.mkdir", "os.open")


@pytest.mark.parametrize(
    "way",
    ["fixing a large file", "a baseline", "an output", "remembering", "renaming", "teaching", "locking"],
    indirect=True,
)
def test_two_runs_at_once_end_with_what_one_would_have_written(run: Run) -> None:
    for number in sampled(range(1, len(run.steps.names) + 1), keep=3):
        place = run.again()
        codes: list[int] = []

        def meanwhile(at: int, _name: str, when: int = number, codes: list[int] = codes) -> None:
            if at == when:
                child = os.fork()
                if not child:
                    run.end_quietly(lambda: main(run.words))
                codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

        with stepping(place, meanwhile) as steps:
            code = main(run.words)
        at = f"{number} of {len(run.steps.names)}, before {run.steps.names[number - 1]}"
        assert steps.past == [], at
        assert state(place) == run.new, at
        assert left(place) == [], at
        assert len(codes) == 1, at
        assert {code, *codes} <= {0, run.code, 2}, at


@pytest.mark.parametrize("way", ["fixing", "ignoring", "converting", "renaming", "teaching"], indirect=True)
def test_markers_modes_and_line_ends_stay(run: Run, way: str) -> None:
    file = "taught.md" if way == "teaching" else "a.prompt"
    (old, mode), (new, after) = run.old[file], run.new[file]
    assert old != new
    assert mode == after
    assert mode != stat.S_IMODE((run.again() / "sub" / "c.prompt").stat().st_mode)
    assert new.startswith(MARKER)
    assert new.count(MARKER) == 1
    assert old.count(b"\n") == old.count(b"\r\n")
    assert new.count(b"\n") == new.count(b"\r\n") > 0
    assert b"\r" not in new.replace(b"\r\n", b"")
