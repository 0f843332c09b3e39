"""Mutation testing: small changes of the product, one at a time, and whether a test notices.

    make mutate MUTATE="--sample 300 --seed 1 --only syntax"
    .venv/bin/python tests/mutation/run.py --again artifacts/mutation.json

A sample is drawn at random from all changes of the chosen modules; the same seed draws the same ones from the same
source. First each test of the table is run once, to learn which statements it reaches; then each change is tried with
the tests that reach the changed statement, until one fails, takes five times as long as before, or the budget is spent.
In front are tests that have noticed something nearby, then the quickest. What no test notices is listed with its line,
and written with all else into a file of results. What is known to alter nothing is not tried, and not counted.

Owns: the run and its results. Must not know: how a source is changed, how a child works.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import signal
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from random import Random
from types import CodeType
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "server"))
sys.path.insert(1, str(Path(__file__).parents[1]))

from mutation.children import (
    ELSEWHERE,
    INVALID,
    KILLED,
    SURVIVED,
    Child,
    children,
    run_tests,
    state_text,
    try_change,
    warm,
)
from mutation.equivalents import keys, reasons
from mutation.learning import Learnt, learn
from mutation.sites import mutant, sites
from mutation.table import GROUPS, PACKAGE, ROOT, files_of_tests, modules, name
from mutation.warm import Collected, try_inside, try_values

RESULTS = ROOT / "artifacts" / "mutation.json"
WORDS = {SURVIVED: "survived", KILLED: "killed", INVALID: "invalid"}


def drawn(groups: Sequence[str], sample: int, seed: int) -> list[dict[str, Any]]:
    """Return changes drawn at random from all changes of some groups of modules."""
    every = []
    for group in groups:
        for path in modules(group):
            file = path.relative_to(PACKAGE).as_posix()
            found = sites(ast.parse(path.read_text(encoding="utf-8")))
            for number, (site, key) in enumerate(zip(found, keys(file, found), strict=True)):
                change: dict[str, Any] = {
                    "group": group,
                    "file": file,
                    "number": number,
                    "line": site.line,
                    "function": site.function,
                    "statement": site.statement,
                    "operator": site.operator,
                    "source": key[1],
                    "what": key[2],
                }
                every.append(change)
    chosen = every if sample >= len(every) else Random(seed).sample(every, sample)  # noqa: S311 -- it keeps no secret
    state_text(f"{len(chosen)} of {len(every)} changes")
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
    changes: list[dict[str, Any]], learnt: Learnt, folder: Path, jobs: int, budget: float, output: Path, *, reload: bool
) -> None:
    """Try each change, write into it what came of it, and all of it into the file of results."""

    def note(tasks: list[tuple[Any, Any]], *, last: bool) -> None:
        for done, (change, code, killer, answer) in enumerate(children(tasks, folder, jobs), 1):
            if killer in {signal.SIGPROF, signal.SIGKILL}:
                outcome = "timeout"
            else:
                # The memory that a child may have is bounded, and so is the stack.
                outcome = "killed" if killer else WORDS.get(code, "broken")
            # What the values alone do not show, and what they cannot be made of, a fresh import may.
            if (last and code != ELSEWHERE) or outcome in {"killed", "timeout"}:
                change["outcome"] = outcome
                change.update(answer or {})
            if outcome == "killed" and answer:
                learnt.noticed(name(PACKAGE / change["file"]), change["function"], answer["test"])
            if done % 20 == 0 or done == len(tasks):
                state_text(f"{done} of {len(tasks)}")
                # A run that is ended early has its results so far.
                tried = [each for each in changes if "outcome" in each]
                output.write_text(json.dumps(tried, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

    def stages(change: Mapping[str, Any]) -> tuple[list[dict[str, float]], int]:
        module = name(PACKAGE / change["file"])
        tests = learnt.tests(module, change["function"], change["statement"])
        return learnt.stages(change["group"], module, change["function"], tests, budget)

    def fresh(change: Mapping[str, Any]) -> tuple[Any, int]:
        file = PACKAGE / change["file"]
        return try_change(name(file), file, _code(change), stages(change)[0])

    def work(items: Mapping[str, Any], functions: Mapping[Any, list[Any]]) -> None:
        def warmly(change: Mapping[str, Any]) -> tuple[Any, int]:
            file = PACKAGE / change["file"]
            if change["function"]:
                return try_inside(file, _code(change), functions, items, stages(change)[0])
            return try_values(name(file), _code(change), items, stages(change)[0])

        inside = [
            each
            for each in left
            if each["function"] and not learnt.ran_at_import(name(PACKAGE / each["file"]), each["statement"])
        ]
        note([(each, partial(warmly, each)) for each in inside], last=True)
        note([(each, partial(warmly, each)) for each in left if not each["function"]], last=False)

    left = [each for each in changes if "outcome" not in each]
    for each in left:
        each["beyond"] = stages(each)[1]
    if left and not reload:
        names = sorted({name(PACKAGE / each["file"]) for each in left})

        def warmed() -> tuple[Any, int]:
            code = run_tests(files_of_tests(), Collected(names, work), first=False)
            return changes, code if any("outcome" in each for each in left) else 0

        # The tests are collected in a child, so that nothing of the package is loaded here.
        child = Child(folder / "warm.json", warmed, loud=True)
        if child.wait() or child.found() is None:
            raise RuntimeError(f"the tests could not be collected: {child.found()}")
        for each, tried in zip(changes, child.found(), strict=True):
            each.update(tried)
    note([(each, partial(fresh, each)) for each in left if "outcome" not in each], last=True)


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
            state_text(f"{each['outcome']}: {place} {each['what']} ({each.get('ran')} tests{more})")
    table: dict[str, Counter[str]] = defaultdict(Counter)
    for each in changes:
        table[each["file"]][each["outcome"]] += 1
    total: Counter[str] = sum(table.values(), Counter())
    for file, counts in [*table.items(), ("all", total)]:
        noticed = counts["killed"] + counts["timeout"]
        valid = noticed + counts["survived"] + counts["broken"]
        state_text(f"{file:32} {noticed:4} of {valid:4} noticed, {noticed / max(1, valid):6.1%}  {dict(counts)}")


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
    for each in changes:
        if (each["file"], each["source"], each["what"]) in reasons():
            each["outcome"] = "equivalent"
    with tempfile.TemporaryDirectory(prefix="mutation") as folder:
        learnt, files = learn(Path(folder), arguments.jobs)
        state_text(f"{len(learnt.seconds)} tests; {files} files of them were run to learn what they reach")
        for each in learnt.failed:
            state_text(f"left out, since it fails without a change: {each}")
        arguments.output.parent.mkdir(exist_ok=True)
        attempt(
            changes, learnt, Path(folder), arguments.jobs, arguments.budget, arguments.output, reload=arguments.reload
        )
    report(changes)
    return int(any(each["outcome"] == "broken" for each in changes))


if __name__ == "__main__":
    sys.exit(main())
