"""Tests run in forked children, with a changed module.

Owns: the import hook, the limits of a child, what it reports. Must not know: how a module is changed, which are chosen.

The parent has imported what takes long and nothing of the package, so that a child imports the package with the change
in it, as if the file had been so. No file is written.
"""

from __future__ import annotations

import gc
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import pytest

#: What the children would otherwise import each for itself.
HEAVY = [
    "_hypothesis_pytestplugin",
    "hypothesis",
    "hypothesis.strategies",
    "jsonschema",
    "jsonschema_rs",
    "lxml.etree",
    "orjson",
    "pytest_asyncio.plugin",
    "pytest_lsp",
    "rapidfuzz.distance",
    "ruamel.yaml",
    "unittest.mock",
    "xdist.plugin",
]
MEMORY = 6 << 30
#: Seconds of processor time in which the tests are collected.
COLLECTION = 60.0
#: A test may take so much longer than without a change, and in any case so many seconds.
SLOWER = 5.0
PATIENCE = 2.0
#: Seconds until a child that only waits is ended.
WAITING = 1800.0
#: What is imported beforehand is not one of pytest's plugins.
_WARNINGS = ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
#: Exit codes of a child.
SURVIVED, KILLED, INVALID, BROKEN, ELSEWHERE = 0, 1, 3, 4, 5


class Hook(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Gives one module other code than its file has."""

    def __init__(self, module: str, file: Path, code: CodeType) -> None:
        self.module, self.file, self.code = module, file, code

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        del path, target
        if fullname != self.module:
            return None
        return importlib.util.spec_from_file_location(fullname, self.file, loader=self)

    def exec_module(self, module: ModuleType) -> None:
        exec(self.code, module.__dict__)  # noqa: S102


class Chosen:
    """Runs the chosen tests alone, the quickest first, each within its time."""

    def __init__(self, seconds: Mapping[str, float]) -> None:
        self.seconds = seconds
        self.failed = ""
        self.ran = 0

    def pytest_collection(self) -> None:
        from mutation.warm import quiet_hypothesis

        quiet_hypothesis()

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        chosen = [item for item in items if item.nodeid in self.seconds]
        items[:] = sorted(chosen, key=lambda item: self.seconds[item.nodeid])

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        limit(max(PATIENCE, SLOWER * self.seconds[item.nodeid]))
        self.ran += 1
        result = yield
        limit(COLLECTION)
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and not self.failed:
            self.failed = report.nodeid


def state_text(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def limit(seconds: float) -> None:
    """End this process when it has used so much processor time from now on."""
    signal.setitimer(signal.ITIMER_PROF, seconds)


def warm() -> None:
    """Import what every child needs, and nothing of the package."""
    for module in HEAVY:
        with suppress(ImportError):
            importlib.import_module(module)
    loaded = [each for each in sys.modules if each.split(".")[0] == "callwright"]
    assert not loaded, f"already imported: {loaded}"
    gc.collect()
    gc.freeze()


class Child:
    """A forked process that does one job and writes what it found into a file.

    `job` returns the answer and an exit code; what it prints is not shown, unless it is `loud`.
    """

    def __init__(self, answer: Path, job: Callable[[], tuple[Any, int]], *, loud: bool = False) -> None:
        self.answer, self.loud = answer, loud
        answer.unlink(missing_ok=True)
        self.began = time.monotonic()
        sys.stdout.flush()
        self.pid = os.fork()
        if not self.pid:
            self._be(job)

    def _be(self, job: Callable[[], tuple[Any, int]]) -> None:
        code = BROKEN
        try:
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            if not self.loud:
                nothing = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nothing, 1)
                os.dup2(nothing, 2)
            found, code = job()
        except BaseException as error:  # noqa: BLE001
            found = {"error": repr(error)}
        try:
            self.answer.write_text(json.dumps(found), encoding="utf-8")
        finally:
            os._exit(code)

    def outcome(self, patience: float) -> tuple[int, int] | None:
        """Return exit code and signal once it has ended, else None; it is ended when it takes too long."""
        pid, status = os.waitpid(self.pid, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(status), os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        if time.monotonic() - self.began > patience:
            os.kill(self.pid, signal.SIGKILL)
        return None

    def wait(self) -> int:
        """Return the exit code once it has ended, however long that takes."""
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def found(self) -> Any:
        """Return what the child wrote, or None where it could not."""
        if not self.answer.exists():
            return None
        return json.loads(self.answer.read_text(encoding="utf-8"))


def children(
    tasks: Sequence[tuple[Any, Callable[[], tuple[Any, int]]]], folder: Path, jobs: int
) -> Iterator[tuple[Any, int, int, Any]]:
    """Do each task in a child, some at a time; yield its label, exit code, signal and answer as they end."""
    waiting = list(enumerate(tasks))
    running: list[tuple[Any, Child]] = []
    while waiting or running:
        while waiting and len(running) < jobs:
            number, (label, job) = waiting.pop(0)
            running.append((label, Child(folder / f"{number}.json", job)))
        for each in list(running):
            label, child = each
            ended = child.outcome(WAITING)
            if ended is not None:
                running.remove(each)
                yield label, *ended, child.found()
        time.sleep(0.005)


def run_tests(files: Iterable[str], *plugins: object, first: bool) -> int:
    """Run tests in this process; `first` stops at the first failure. Returns pytest's exit code."""
    options = [
        "-q",
        "-s",
        "--whole",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        *_WARNINGS,
        *(["-x"] if first else []),
    ]
    return int(pytest.main([*options, *files], plugins=list(plugins)))


def try_change(
    module: str, file: Path, code: CodeType | None, stages: Sequence[Mapping[str, float]]
) -> tuple[Any, int]:
    """Run the tests of each stage with a module changed, until one fails.

    Without `code` nothing is changed. Returns the test that failed and how many ran; a module that cannot be imported
    any more is `INVALID`.
    """
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    limit(COLLECTION)
    if code is not None:
        sys.meta_path.insert(0, Hook(module, file, code))
    try:
        importlib.import_module(module)
    except Exception as error:  # noqa: BLE001
        return {"error": repr(error)}, INVALID
    ran = 0
    for seconds in stages:
        if not seconds:
            continue
        chosen = Chosen(seconds)
        ended = run_tests(sorted({each.partition("::")[0] for each in seconds}), chosen, first=True)
        ran += chosen.ran
        if ended != pytest.ExitCode.OK:
            return {"test": chosen.failed or f"exit code {ended}", "ran": ran}, KILLED
        if code is None and chosen.ran != len(seconds):
            return {"error": f"{chosen.ran} of {len(seconds)} tests ran"}, BROKEN
    return {"ran": ran}, SURVIVED
