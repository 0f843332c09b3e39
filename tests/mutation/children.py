"""Tests run in forked children: with a changed module, or to learn which functions each test enters.

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
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import CodeType, FrameType, ModuleType
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
PATIENCE = 3.0
#: What is imported beforehand is not one of pytest's plugins.
_WARNINGS = ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
#: Exit codes of a child.
SURVIVED, KILLED, INVALID, BROKEN = 0, 1, 3, 4


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


class Tracer:
    """Notes which functions of the package each test enters, how long it takes, and which tests fail."""

    def __init__(self, package: Path) -> None:
        self.package = f"{package}{os.sep}"
        self.entered: dict[str, list[str]] = {}
        self.seconds: dict[str, float] = {}
        self.failed: list[str] = []

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        codes: dict[int, CodeType] = {}

        def trace(frame: FrameType, event: str, argument: object) -> None:
            code = frame.f_code
            codes[id(code)] = code

        began = time.process_time()
        sys.settrace(trace)
        try:
            result = yield
        finally:
            sys.settrace(None)
        self.seconds[item.nodeid] = time.process_time() - began
        self.entered[item.nodeid] = sorted(
            {
                f"{code.co_filename.removeprefix(self.package)}:{code.co_firstlineno}"
                for code in codes.values()
                if code.co_filename.startswith(self.package)
            }
        )
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.append(report.nodeid)


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

    `job` gets the place of its answer, and returns the answer and an exit code.
    """

    def __init__(self, answer: Path, job: Callable[[], tuple[Any, int]]) -> None:
        self.answer = answer
        self.began = time.monotonic()
        sys.stdout.flush()
        self.pid = os.fork()
        if not self.pid:
            self._be(job)

    def _be(self, job: Callable[[], tuple[Any, int]]) -> None:
        code = BROKEN
        try:
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
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

    def found(self) -> Any:
        """Return what the child wrote, or None where it could not."""
        if not self.answer.exists():
            return None
        return json.loads(self.answer.read_text(encoding="utf-8"))


def run_tests(files: Iterable[str], *plugins: object, first: bool) -> int:
    """Run tests in this process; `first` stops at the first failure. Returns pytest's exit code."""
    options = ["-q", "-s", "-p", "no:cacheprovider", "-p", "no:xdist", *_WARNINGS, *(["-x"] if first else [])]
    return int(pytest.main([*options, *files], plugins=list(plugins)))


def trace_tests(files: Sequence[str], package: Path) -> tuple[Any, int]:
    """Return which functions each test of these files enters, what it takes, and which fail."""
    tracer = Tracer(package)
    run_tests(files, tracer, first=False)
    return {"entered": tracer.entered, "seconds": tracer.seconds, "failed": tracer.failed}, 0


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
