"""Units and joins that an engine leaves undone are planned again, as long as that gets some of them done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from callwright.corpus import run
from callwright.corpus.engine import Engine
from callwright.corpus.failure import CorpusError
from callwright.corpus.joining import Join, join_rows
from callwright.corpus.judging import RowJudge
from callwright.corpus.parts import UnitPart
from callwright.corpus.shards import Shard
from callwright.corpus.tasks.base import task_of
from callwright.corpus.units import LEAST, MAX_COUNT, UNIT, RunOptions, Unit, divide, suitable
from callwright.corpus.work import do_unit
from corpus.making import LOST, SOUND, chat, diagnostics, lines_of, run_options


class Losing:
    """An engine that does a part of what it is given, and forgets the rest or gives up."""

    def __init__(self, most: int, failure: str | None) -> None:
        self.plans: list[int] = []
        self._most = most
        self._failure = failure

    def __call__(self, units: Sequence[Unit | Join], given: RunOptions, _: Engine, __: Callable[[], None]) -> None:
        self.plans.append(len(units))
        judge = RowJudge(given)
        for unit in units[: self._most]:
            if isinstance(unit, Join):
                join_rows(unit, given)
            else:
                do_unit(unit, given, judge)
        if self._failure is not None and len(units) > self._most:
            raise CorpusError(self._failure)


class Broken(Losing):
    """An engine that puts no rows together."""

    def __call__(
        self, units: Sequence[Unit | Join], given: RunOptions, engine: Engine, done: Callable[[], None]
    ) -> None:
        super().__call__([unit for unit in units if isinstance(unit, Unit)], given, engine, done)


class Deadly:
    """An engine whose workers die of some units, while others of them are at work: as many as there are workers."""

    def __init__(self, deadly: set[int], workers: int) -> None:
        self.plans: list[list[int]] = []
        self._deadly = deadly
        self._workers = workers

    def __call__(self, units: Sequence[Unit | Join], given: RunOptions, _: Engine, __: Callable[[], None]) -> None:
        own = [unit for unit in units if isinstance(unit, Unit)]
        self.plans.append([unit.index for unit in own])
        judge = RowJudge(given)
        for start in range(0, len(own), self._workers):
            at_work = own[start : start + self._workers]
            if any(unit.index in self._deadly for unit in at_work):
                for unit in at_work:
                    UnitPart(unit, given, task_of(given.task))
                raise CorpusError("a worker died")
            for unit in at_work:
                do_unit(unit, given, judge)


def corpus(tmp_path: Path) -> tuple[str, RunOptions]:
    path = tmp_path / "a.jsonl"
    path.write_bytes(lines_of([chat(LOST)] * 70))
    return str(path), run_options(tmp_path / "out", unit=path.stat().st_size // 7 + 1)


@pytest.mark.parametrize("failure", [None, "a worker died"])
def test_what_is_left_is_planned_again(failure: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, given = corpus(tmp_path)
    engine = Losing(3, failure)
    monkeypatch.setattr(run, "run_plan", engine)
    summary = run.carry_out([path], given, Engine())
    assert engine.plans == [7, 4, 1]
    assert summary["rows"] == 70
    assert [each["row"] for each in diagnostics(given)] == list(range(70))


@pytest.mark.parametrize(
    ("failure", "stated"),
    [(None, "7 units are not finished, for example of `.*a.jsonl`"), ("a worker died", "^a worker died$")],
)
def test_a_plan_that_gets_nothing_done_is_the_last(
    failure: str | None, stated: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, given = corpus(tmp_path)
    engine = Losing(0, failure)
    monkeypatch.setattr(run, "run_plan", engine)
    with pytest.raises(CorpusError, match=stated):
        run.carry_out([path], given, Engine())
    assert engine.plans == [7]


@pytest.mark.parametrize(
    ("deadly", "plans", "stated"),
    [
        # The first two are at work when a worker dies; then all others are done, then both again, then each alone.
        ({0}, [[0, 1, 2, 3, 4, 5, 6], [2, 3, 4, 5, 6], [0, 1], [0], [1]], "a part of `.*a.jsonl` ended"),
        ({3}, [[0, 1, 2, 3, 4, 5, 6], [4, 5, 6], [2, 3], [2], [3]], "a part of `.*a.jsonl` ended"),
        (
            {0, 5},
            [[0, 1, 2, 3, 4, 5, 6], [2, 3, 4, 5, 6], [6], [0, 1, 4, 5], [0, 1], [0], [1], [4], [5]],
            "2 parts, of `.*a.jsonl` and others, ended",
        ),
    ],
)
def test_a_unit_that_kills_its_worker_holds_up_no_other(
    deadly: set[int], plans: list[list[int]], stated: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, given = corpus(tmp_path)
    engine = Deadly(deadly, 2)
    monkeypatch.setattr(run, "run_plan", engine)
    with pytest.raises(CorpusError, match=f"^{stated} every worker that processed it: a worker died$"):
        run.carry_out([path], given, Engine())
    assert engine.plans == plans
    # The next run has nothing but these to do.
    again = Deadly(set(), 2)
    monkeypatch.setattr(run, "run_plan", again)
    assert run.carry_out([path], given, Engine())["rows"] == 70
    assert again.plans == [sorted(deadly)]


def test_rows_of_a_shard_are_put_together_by_the_engine_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.jsonl").write_bytes(lines_of([chat(SOUND), chat(LOST)] * 5))
    given = run_options(tmp_path / "out", clean=True, fixed=True, unit=(tmp_path / "a.jsonl").stat().st_size // 3 + 1)
    monkeypatch.setattr(run, "run_plan", Broken(9, None))
    with pytest.raises(CorpusError, match="6 units are not finished"):
        run.carry_out([str(tmp_path)], given, Engine())
    engine = Losing(4, None)
    monkeypatch.setattr(run, "run_plan", engine)
    run.carry_out([str(tmp_path)], given, Engine())
    # The units were done; each shard has a join for either collection.
    assert engine.plans == [6, 2]
    for name in ("a", "b", "c"):
        for kind in ("clean", "fixed"):
            [written] = (tmp_path / "out" / kind).rglob(f"{name}.jsonl")
            assert written.read_bytes() == lines_of([chat(SOUND)] * 5)


def test_units_of_a_large_corpus_are_longer() -> None:
    size = 64 << 20
    shard = Shard("/a.jsonl", "a.jsonl", "jsonl", 40_000 * size, 0)
    units = list(divide([shard], size))
    assert len(units) == 40_000 // 4 <= MAX_COUNT
    assert {unit.weight for unit in units} == {4 * size}
    more = Shard("/b.jsonl", "b.jsonl", "jsonl", 1_000 * size, 0)
    assert list(divide([shard, more], size))[: len(units)] == units


def test_units_of_a_small_corpus_are_many_enough_for_all_workers() -> None:
    shard = Shard("/a.jsonl", "a.jsonl", "jsonl", 50 << 20, 0)
    sizes = [unit.weight for unit in divide([shard], suitable([shard], 2))]
    assert len(sizes) == 50
    assert max(sizes) <= LEAST
    # With more of everything they grow, up to what they have at most.
    large = Shard("/b.jsonl", "b.jsonl", "jsonl", 1 << 40, 0)
    assert suitable([large], 2) == UNIT
    assert suitable([Shard("/c.jsonl", "c.jsonl", "jsonl", 1 << 30, 0)], 0) == 16 << 20
    assert suitable([Shard("/c.jsonl", "c.jsonl", "jsonl", 1 << 30, 0)], 100) == 2 << 20


def test_a_shard_that_is_added_leaves_the_units_of_the_others() -> None:
    shards = [
        Shard(f"/{name}.jsonl", f"{name}.jsonl", "jsonl", mb << 20, 0)
        for name, mb in (("a", 200), ("b", 200), ("c", 10))
    ]
    before = list(divide(shards[:2], suitable(shards[:2], 2)))
    assert list(divide(shards, suitable(shards, 2)))[: len(before)] == before


def test_progress_states_what_is_done_however_seldom_it_looks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, given = corpus(tmp_path)
    reported: list[run.Progress] = []
    monkeypatch.setattr(run, "run_plan", Losing(7, None))
    run.carry_out([path], given, Engine(), reported.append)
    assert (reported[-1].units, reported[-1].all_units, reported[-1].before) == (7, 7, 0)
    assert reported[-1].bytes == reported[-1].all_bytes == Path(path).stat().st_size
