"""A folder that holds modules under the names of those that Python and engines import: no process runs one of them,
whichever command is given there and however it starts its workers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from multiprocessing import get_all_start_methods
from pathlib import Path

import pytest

from callwright.children import shut_out_folder, working_folder
from corpus.running import ray_environment
from support.sampling import sampled

LIMIT = 120
#: Where the interpreter of the tests has its commands.
COMMAND = Path(sys.executable).with_name("callwright")
#: All that a process could import, and what Python looks for by itself.
NAMES = sorted(
    {name for name in sys.stdlib_module_names if not name.startswith("_")}
    | {
        "sitecustomize",
        "usercustomize",
        "callwright",
        "cloudpickle",
        "daft",
        "lxml",
        "orjson",
        "pyarrow",
        "ray",
        "rich",
    }
)
#: Names of which `-m` has imported nothing when a package begins to run.
LATER = ("argparse", "cyclopts", "dataclasses", "json", "lxml", "orjson", "rich", "tomllib")
CALL = '<tool_call>{"name": "a", "arguments": {}</tool_call>'
ROW = {"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": CALL}]}


@pytest.fixture
def ran(tmp_path: Path) -> Path:
    """The file in which modules that run write their names."""
    return tmp_path / "ran"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with something to check; it is alone, so that what is written beside it is not part of it."""
    folder = tmp_path / "opened"
    folder.mkdir()
    (folder / ".git").mkdir()
    (folder / "a.prompt").write_text(CALL)
    (folder / "c.jsonl").write_text(f"{json.dumps(ROW)}\n" * 3)
    return folder


def lay(folder: Path, ran: Path, names: tuple[str, ...] | list[str] = NAMES) -> None:
    """Write modules that say so where they run, and then fail."""
    for name in names:
        code = f"with open({str(ran)!r}, 'a') as ran: ran.write({name + chr(10)!r})\nraise ImportError({name!r})\n"
        (folder / f"{name}.py").write_text(code)


def run(folder: Path, *words: str | Path, environment: dict[str, str] | None = None) -> int:
    done = subprocess.run(
        words,
        cwd=folder,
        env=environment or {**os.environ},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode


def seen(ran: Path) -> list[str]:
    return ran.read_text().split() if ran.exists() else []


def test_the_modules_would_run_where_nothing_is_done_about_it(folder: Path, ran: Path) -> None:
    lay(folder, ran)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    subprocess.run([sys.executable, "-m", "callwright"], cwd=folder, env=environment, check=False, capture_output=True)
    assert seen(ran)


def test_engines_workers_run_none(folder: Path, ran: Path, tmp_path: Path) -> None:
    lay(folder, ran)
    assert run(folder, COMMAND, "corpus", "check", ".", "--out", tmp_path / "out", "--jobs", "2") == 1
    assert run(folder, COMMAND, "corpus", "dedupe-diagnostics", tmp_path / "out") == 0
    assert seen(ran) == []


@pytest.mark.whole(reason="it starts Ray, which puts the current folder on the path of its workers")
def test_workers_of_ray_run_none(folder: Path, ran: Path, tmp_path: Path) -> None:
    lay(folder, ran)
    words = ("corpus", "check", ".", "--out", tmp_path / "out", "--engine", "ray", "--jobs", "2")
    with ray_environment() as environment:
        assert run(folder, COMMAND, *words, environment=environment) == 1
    assert seen(ran) == []


#: Checks with two workers that are started in one way, whichever the system prefers.
STARTED = """
import sys
from callwright.cli.main import main
from callwright.cli.support import workers
if __name__ == "__main__":
    workers.start_method = lambda: sys.argv[1]
    sys.exit(main(sys.argv[2:]))
"""


@pytest.mark.parametrize("method", sampled(get_all_start_methods()))
def test_workers_of_a_check_run_none(method: str, folder: Path, ran: Path, tmp_path: Path) -> None:
    for number in range(4):
        (folder / f"{number}.prompt").write_text(CALL)
    lay(folder, ran)
    (tmp_path / "started.py").write_text(STARTED)
    assert run(folder, sys.executable, tmp_path / "started.py", method, "check", ".", "--jobs", "2") == 1
    assert seen(ran) == []


def test_the_package_run_as_a_module_imports_none_once_it_runs(folder: Path, ran: Path) -> None:
    lay(folder, ran, LATER)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    assert run(folder, sys.executable, "-m", "callwright", "check", ".", environment=environment) == 1
    assert seen(ran) == []


@pytest.mark.parametrize("words", [("server",), ("check", "."), ("init", "."), ("mcp",), ("tools",)])
def test_no_other_command_runs_one(words: tuple[str, ...], folder: Path, ran: Path) -> None:
    lay(folder, ran)
    run(folder, COMMAND, *words)
    assert seen(ran) == []


def test_children_take_no_relative_entry_of_the_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONSAFEPATH", "")
    absolute = str(tmp_path / "own")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["", ".", "lib", absolute, "../x", ""]))
    shut_out_folder()
    assert os.environ["PYTHONPATH"] == absolute
    assert os.environ["PYTHONSAFEPATH"] == "1"


def test_a_relative_entry_from_which_callwright_itself_comes_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    home = Path(working_folder.__code__.co_filename).parents[1]
    monkeypatch.chdir(home.parent)
    monkeypatch.setenv("PYTHONSAFEPATH", "")
    monkeypatch.setenv("PYTHONPATH", home.name)
    shut_out_folder()
    assert os.environ["PYTHONPATH"] == str(home)


def test_workers_work_where_everything_is_imported_from_anyway() -> None:
    assert working_folder() in sys.path
