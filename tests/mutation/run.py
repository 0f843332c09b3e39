"""Mutation testing: small changes of the product, one at a time, and whether a test notices.

    make mutate MUTATE="--sample 300 --seed 1 --only syntax"
    .venv/bin/python tests/mutation/run.py --again artifacts/mutation.json

A sample is drawn at random from all changes of the chosen modules; the same seed draws the same ones from the same
source. First each test of the table is run once, to learn which functions it enters; then each change is tried with the
tests that enter the changed function, the quickest first, until one fails, takes five times as long as before, or the
budget is spent. What no test notices is listed with its line, and written with all else into a file of results.

Owns: the run and its results. Must not know: how a source is changed, how a child works.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import os
import signal
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from random import Random
from types import CodeType
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "server"))
sys.path.insert(1, str(Path(__file__).parents[1]))

from mutation.children import INVALID, KILLED, SURVIVED, Child, run_tests, trace_tests, try_change, warm
from mutation.sites import mutant, sites
from mutation.table import GROUPS, PACKAGE, ROOT, files_of_tests, is_own, modules, name
from mutation.warm import Collected, try_inside

RESULTS = ROOT / "artifacts" / "mutation.json"
KNOWN = ROOT / "artifacts" / "mutation-tests.json"
#: Seconds until a child that only waits is ended.
PATIENCE = 600.0
WORDS = {SURVIVED: "survived", KILLED: "killed", INVALID: "invalid"}


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


class Learnt:
    """Which tests enter which function, and what each takes."""

    def __init__(self, known: Mapping[str, Any]) -> None:
        self.seconds: dict[str, float] = known["seconds"]
        self.failed: list[str] = known["failed"]
        self._entering: dict[str, list[str]] = defaultdict(list)
        self._touching: dict[str, set[str]] = defaultdict(set)
        for test, functions in known["entered"].items():
            if test in self.failed:
                continue
            for function in functions:
                self._entering[function].append(test)
                self._touching[function.rpartition(":")[0]].add(test)

    def tests(self, file: str, line: int) -> set[str]:
        """Return the tests that enter the function at this line of a file; of what is outside of functions, all."""
        return set(self._entering[f"{file}:{line}"]) or self._touching[file]

    def stages(self, group: str, tests: set[str], budget: float) -> tuple[list[dict[str, float]], int]:
        """Return the tests to run, the group's own and then the rest, and how many the budget does not reach."""
        left, stages, out = budget, [], 0
        for own in (True, False):
            stage: dict[str, float] = {}
            for test in sorted((each for each in tests if is_own(group, each) is own), key=self.seconds.__getitem__):
                left -= self.seconds[test]
                if left >= 0:
                    stage[test] = self.seconds[test]
                else:
                    out += 1
            stages.append(stage)
        return stages, out


def learn(folder: Path, jobs: int) -> Learnt:
    """Run the tests of the table once, unless that has been done for these very sources and tests."""
    files = files_of_tests()
    key = hashlib.sha256()
    for file in sorted([*PACKAGE.rglob("*.py"), *(each for each in (ROOT / "tests").rglob("*") if each.is_file())]):
        if "__pycache__" not in file.parts and "mutation" not in file.parts:
            key.update(file.relative_to(ROOT).as_posix().encode() + b"\0" + file.read_bytes())
    if KNOWN.exists():
        known = json.loads(KNOWN.read_text(encoding="utf-8"))
        if known["key"] == key.hexdigest():
            return Learnt(known)
    say(f"learning what {len(files)} files of tests enter")
    found: dict[str, Any] = {"key": key.hexdigest(), "entered": {}, "seconds": {}, "failed": []}
    tasks = [(file, (lambda file=file: trace_tests([file], PACKAGE))) for file in files]
    for file, code, _, answer in _children(tasks, folder, jobs):
        if code or answer is None:
            raise RuntimeError(f"{file} ended with {code}: {answer}")
        found["entered"] |= answer["entered"]
        found["seconds"] |= answer["seconds"]
        found["failed"] += answer["failed"]
    KNOWN.parent.mkdir(exist_ok=True)
    KNOWN.write_text(json.dumps(found), encoding="utf-8")
    return Learnt(found)


def _children(tasks: Sequence[tuple[Any, Any]], folder: Path, jobs: int) -> Iterator[tuple[Any, int, int, Any]]:
    """Do each task in a child, some at a time; yield its label, exit code, signal and answer as they end."""
    waiting = list(enumerate(tasks))
    running: list[tuple[Any, Child]] = []
    while waiting or running:
        while waiting and len(running) < jobs:
            number, (label, job) = waiting.pop(0)
            running.append((label, Child(folder / f"{number}.json", job)))
        for each in list(running):
            label, child = each
            ended = child.outcome(PATIENCE)
            if ended is not None:
                running.remove(each)
                yield label, *ended, child.found()
        time.sleep(0.01)


def drawn(groups: Sequence[str], sample: int, seed: int) -> list[dict[str, Any]]:
    """Return changes drawn at random from all changes of some groups of modules."""
    every = [
        {
            "group": group,
            "file": file.relative_to(PACKAGE).as_posix(),
            "number": number,
            "line": site.line,
            "function": site.function,
            "operator": site.operator,
            "what": site.what,
        }
        for group in groups
        for file in modules(group)
        for number, site in enumerate(sites(ast.parse(file.read_text(encoding="utf-8"))))
    ]
    chosen = every if sample >= len(every) else Random(seed).sample(every, sample)  # noqa: S311 -- it keeps no secret
    say(f"{len(chosen)} of {len(every)} changes")
    # In the order in which they were drawn: what a run that is ended early has tried is a sample as well.
    return chosen


def resumed(changes: list[dict[str, Any]], output: Path) -> None:
    """Take over what an earlier run wrote of the same changes."""
    if not output.exists():
        return
    known = {_key(each): each for each in json.loads(output.read_text(encoding="utf-8"))}
    for change in changes:
        change.update(known.get(_key(change), {}))


def _key(change: Mapping[str, Any]) -> tuple[Any, ...]:
    return change["file"], change["number"], change["line"], change["what"]


def attempt(
    changes: list[dict[str, Any]], learnt: Learnt, folder: Path, jobs: int, budget: float, output: Path, *, anew: bool
) -> None:
    """Try each change, write into it what came of it, and all of it into the file of results."""

    def note(tasks: list[tuple[Any, Any]]) -> None:
        for done, (change, code, killer, answer) in enumerate(_children(tasks, folder, jobs), 1):
            if killer in {signal.SIGPROF, signal.SIGKILL}:
                change["outcome"] = "timeout"
            else:
                # The memory that a child may have is bounded, and so is the stack.
                change["outcome"] = "killed" if killer else WORDS.get(code, "broken")
            change.update(answer or {})
            if done % 20 == 0 or done == len(tasks):
                say(f"{done} of {len(tasks)}")
                # A run that is ended early has its results so far.
                tried = [each for each in changes if "outcome" in each]
                output.write_text(json.dumps(tried, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

    def stages(change: Mapping[str, Any]) -> tuple[list[dict[str, float]], int]:
        return learnt.stages(change["group"], learnt.tests(change["file"], change["function"]), budget)

    def fresh(change: Mapping[str, Any]) -> tuple[Any, int]:
        file = PACKAGE / change["file"]
        return try_change(name(file), file, _code(change), stages(change)[0])

    left = [each for each in changes if "outcome" not in each]
    for each in left:
        each["beyond"] = stages(each)[1]
    note([(each, partial(fresh, each)) for each in left if anew or not each["function"]])

    def work(items: Mapping[str, Any], functions: Mapping[Any, list[Any]]) -> None:
        def inside(change: Mapping[str, Any]) -> tuple[Any, int]:
            file = PACKAGE / change["file"]
            return try_inside(file, _code(change), functions, items, stages(change)[0])

        note([(each, partial(inside, each)) for each in left if "outcome" not in each])

    if any("outcome" not in each for each in left):
        names = sorted({name(PACKAGE / each["file"]) for each in left})
        run_tests(files_of_tests(), Collected(names, work), first=False)


def _code(change: Mapping[str, Any]) -> CodeType:
    file = PACKAGE / change["file"]
    return mutant(file.read_text(encoding="utf-8"), change["number"], str(file))


def report(changes: list[dict[str, Any]]) -> None:
    """Print the survivors, and how many of each module were noticed."""
    changes = sorted(changes, key=_key)
    for each in changes:
        if each["outcome"] in {"survived", "broken"}:
            more = f", {each['beyond']} tests beyond the budget" if each["beyond"] else ""
            place = f"{each['file']}:{each['line']} [{each['number']}]"
            say(f"{each['outcome']}: {place} {each['what']} ({each.get('ran')} tests{more})")
    table: dict[str, Counter[str]] = defaultdict(Counter)
    for each in changes:
        table[each["file"]][each["outcome"]] += 1
    total: Counter[str] = sum(table.values(), Counter())
    for file, counts in [*table.items(), ("all", total)]:
        noticed = counts["killed"] + counts["timeout"]
        valid = noticed + counts["survived"] + counts["broken"]
        say(f"{file:32} {noticed:4} of {valid:4} noticed, {noticed / max(1, valid):6.1%}  {dict(counts)}")


def main() -> int:
    """Run as the arguments say; 0 where every change could be tried."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sample", type=int, default=300, help="how many changes (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="which sample (%(default)s)")
    parser.add_argument("--only", action="append", choices=GROUPS, help="a group of modules; all without it")
    parser.add_argument("--jobs", type=int, default=2, help="children at a time (%(default)s)")
    parser.add_argument("--budget", type=float, default=25, help="seconds of tests for a change (%(default)s)")
    parser.add_argument("--again", type=Path, help="try the survivors of these results once more")
    parser.add_argument("--anew", action="store_true", help="import the package anew for each change, which is slow")
    parser.add_argument("--resume", action="store_true", help="go on with a run that was ended")
    parser.add_argument("--output", type=Path, default=RESULTS, help="where the results go (%(default)s)")
    arguments = parser.parse_args()
    os.chdir(ROOT)
    os.environ |= {"CI": "1", "CALLWRIGHT_NO_CACHE": "1"}
    warm()
    if arguments.again:
        known = json.loads(arguments.again.read_text(encoding="utf-8"))
        changes = [each for each in known if each.pop("outcome") in {"survived", "broken"}]
    else:
        changes = drawn(arguments.only or list(GROUPS), arguments.sample, arguments.seed)
        if arguments.resume:
            resumed(changes, arguments.output)
    with tempfile.TemporaryDirectory(prefix="mutation") as folder:
        learnt = learn(Path(folder), arguments.jobs)
        for each in learnt.failed:
            say(f"left out, since it fails without a change: {each}")
        arguments.output.parent.mkdir(exist_ok=True)
        attempt(changes, learnt, Path(folder), arguments.jobs, arguments.budget, arguments.output, anew=arguments.anew)
    report(changes)
    return int(any(each["outcome"] == "broken" for each in changes))


if __name__ == "__main__":
    sys.exit(main())
