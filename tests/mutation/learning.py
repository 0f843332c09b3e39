"""Which tests reach which statement, and what each takes: learnt once, and kept until a source or a test is changed.

Owns: what is known of tests, and their order for a change. Must not know: how a module is changed or a test is run.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from mutation.children import Child, children, run_tests, state_text
from mutation.reach import Reach
from mutation.table import GROUPS, PACKAGE, ROOT, files_of_tests, is_own, modules, name
from mutation.warm import Collected

KNOWN = ROOT / "artifacts" / "mutation-tests.json"
#: Seconds of processor time up to which a test that has noticed something nearby is asked first.
_QUICK = 1.0
#: What tests share: it changes what each of them does.
_SHARED = ("support", "conftest.py")


class Learnt:
    """Which tests reach which statement, and what each takes. `failed` are those that fail without a change."""

    def __init__(self, files: Mapping[str, Any], imported: Mapping[str, Sequence[int]]) -> None:
        self._imported = {(module, line) for module, lines in imported.items() for line in lines}
        self.seconds: dict[str, float] = {}
        self.failed: list[str] = []
        self._reaching: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
        #: How many changes of a module, and of a function in it, each test has noticed.
        self._noticed: dict[tuple[str, int], Counter[str]] = defaultdict(Counter)
        for file in files.values():
            for test, what in file["tests"].items():
                self.seconds[test] = what["seconds"]
                if what["failed"]:
                    self.failed.append(test)
                    continue
                for module, lines in what["reached"].items():
                    for line in lines:
                        self._reaching[module][line].append(test)

    def ran_at_import(self, module: str, statement: int) -> bool:
        """Say whether a statement in a function runs when its module is imported, and in no test."""
        return (module, statement) in self._imported and not self._reaching[module][statement]

    def tests(self, module: str, function: int, statement: int) -> Iterable[str]:
        """Return the tests that reach the statement at this line.

        For one that runs when the module is imported, these are all that reach its module; where nothing of that runs
        later than then, any test may notice it.
        """
        if function and not self.ran_at_import(module, statement):
            return self._reaching[module][statement]
        touching = {test for tests in self._reaching[module].values() for test in tests}
        return touching or [each for each in self.seconds if each not in self.failed]

    def noticed(self, module: str, function: int, test: str) -> None:
        """Remember that a test has noticed a change, so that it is asked early about the next one nearby."""
        for place in (0, function):
            self._noticed[module, place][test] += 1

    def stages(
        self, group: str, module: str, function: int, tests: Iterable[str], budget: float
    ) -> tuple[list[dict[str, float]], int]:
        """Return the tests to run, the group's own and then the rest, and how many the budget does not reach.

        In front are those that have noticed changes of the same function, then of the same module or that are named
        after it; else the quickest.
        """
        stem = module.rpartition(".")[2].replace("_", "-")
        here, near = self._noticed[module, function], self._noticed[module, 0]

        def order(test: str) -> tuple[int, float]:
            seconds = self.seconds[test]
            known = 0 if here[test] else 1 if near[test] or stem in test else 2
            return known if seconds < _QUICK else 2, seconds

        left, stages, out = budget, [], 0
        sought = sorted(tests, key=order)
        for own in (True, False):
            stage: dict[str, float] = {}
            for test in sought:
                if is_own(group, test) is not own:
                    continue
                left -= self.seconds[test]
                if left >= 0:
                    stage[test] = self.seconds[test]
                else:
                    out += 1
            stages.append(stage)
        return stages, out


def learn(folder: Path, jobs: int) -> tuple[Learnt, int]:
    """Run the tests of which nothing is known yet; return what is known of all, and how many files were run."""
    keys = _keys(files_of_tests())
    known: dict[str, Any] = {"files": {}, "imported": {}}
    if KNOWN.exists():
        known = json.loads(KNOWN.read_text(encoding="utf-8"))
    files = known["files"]
    files = {file: files[file] for file in keys if file in files and files[file]["key"] == keys[file]}
    missing = [file for file in keys if file not in files]
    if missing:
        within = folder / "learning"
        within.mkdir()
        child = Child(folder / "learning.json", partial(_trace, missing, within, jobs), loud=True)
        code, found = child.wait(), child.found()
        if code or found is None:
            raise RuntimeError(f"the tests could not be traced: {code}, {found}")
        files |= {file: {"key": keys[file], "tests": found["tests"][file]} for file in missing}
        known = {"files": files, "imported": found["imported"]}
        KNOWN.parent.mkdir(exist_ok=True)
        KNOWN.write_text(json.dumps(known), encoding="utf-8")
    return Learnt(files, known["imported"]), len(missing)


def _keys(files: Sequence[str]) -> dict[str, str]:
    """Return for each file of tests what it depends on: the sources, what lies beside it, what all tests share."""
    tests = ROOT / "tests"
    common = hashlib.sha256()
    for file in sorted([*PACKAGE.rglob("*.py"), *(each for shared in _SHARED for each in _below(tests / shared))]):
        common.update(file.relative_to(ROOT).as_posix().encode() + b"\0" + file.read_bytes())
    found = {}
    for test in files:
        key = common.copy()
        path = ROOT / test
        beside = sorted(path.parent.rglob("*")) if path.parent != tests else [path]
        for file in beside:
            # Another file of tests beside this one changes nothing in it.
            if file.is_file() and (file == path or not file.name.startswith("test_")) and file.suffix != ".pyc":
                key.update(file.relative_to(ROOT).as_posix().encode() + b"\0" + file.read_bytes())
        found[test] = key.hexdigest()
    return found


def _below(path: Path) -> list[Path]:
    return [each for each in path.rglob("*.py") if each.is_file()] if path.is_dir() else [path]


def _trace(files: Sequence[str], folder: Path, jobs: int) -> tuple[Any, int]:
    """Collect the tests with probes in the modules, and run each file of them in a child of its own."""
    # A package's own file has no functions.
    sources = {name(file): file for group in GROUPS for file in modules(group) if file.name != "__init__.py"}
    reach = Reach(sources)
    reach.install()
    found: dict[str, Any] = {}
    imported: dict[str, list[int]] = {}

    def work(items: Mapping[str, pytest.Item], functions: object) -> None:
        del functions
        imported.update(reach.taken())
        by_file: dict[str, list[pytest.Item]] = {file: [] for file in files}
        for item in items.values():
            by_file[item.nodeid.partition("::")[0]].append(item)
        tasks = [(file, partial(_traced, each, reach)) for file, each in by_file.items()]
        for file, code, killer, answer in children(tasks, folder, jobs):
            if code or killer or answer is None:
                raise RuntimeError(f"{file} ended with {code}, {killer}: {answer}")
            found[file] = answer
            state_text(f"{len(found)} of {len(files)}: {file}")

    ended = run_tests(files, Collected(sorted(sources), work), first=False)
    answer = {"tests": found, "imported": imported}
    return (answer, 0) if len(found) == len(files) else ({"error": f"exit code {ended}"}, 1)


def _traced(items: Sequence[pytest.Item], reach: Reach) -> tuple[Any, int]:
    found = {}
    for number, item in enumerate(items):
        began = time.process_time()
        following = items[number + 1] if number + 1 < len(items) else None
        reports = runtestprotocol(item, log=False, nextitem=following)
        found[item.nodeid] = {
            "seconds": time.process_time() - began,
            "failed": any(report.failed for report in reports),
            "reached": reach.taken(),
        }
    return found, 0
