"""Samples: each kind of diagnostic has some, drawn by lot, the same however diagnostics are spread, and not too
many."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from callwright.corpus import samples
from callwright.corpus.engine import Engine
from callwright.corpus.samples import NAMES, RULES, SAMPLES, SHARDS, TOOLS, view_of
from callwright.corpus_view import CorpusView, SampleView
from callwright.report.corpus_page import corpus_page
from corpus.made_results import diagnostic, results_of


def seen(folder: Path, found: list[dict[str, Any]], group: int = 1_000) -> CorpusView:
    return view_of(results_of(folder, found, group), Engine())


def many(count: int, seed: int = 7) -> list[dict[str, Any]]:
    random = Random(seed)  # noqa: S311 - makes rows up, keeps no secret
    return [
        diagnostic(
            source=f"data/{random.randrange(5)}.jsonl",
            row=number,
            tool=random.choice(["a", "a", "a", "b", None]),
            rule=random.choice(["TC302", "TC302", "TC304"]),
            raw=f"raw {number}",
        )
        for number in range(count)
    ]


def places(given: tuple[SampleView, ...]) -> list[tuple[str, int]]:
    return [(each.source, each.row) for each in given]


def test_each_rule_and_each_of_its_tools_has_samples_of_its_own(tmp_path: Path) -> None:
    found = many(2_000)
    view = seen(tmp_path, found)
    by_place = {(each["source"], each["row"]): each for each in found}
    counts = Counter(each["rule"] for each in found)
    assert [(rule.code, rule.count) for rule in view.rules] == counts.most_common()
    for rule in view.rules:
        assert len(rule.samples) == SAMPLES
        assert all(by_place[place]["rule"] == rule.code for place in places(rule.samples))
        assert {tool.tool for tool in rule.tools} == {"a", "b", None}
        assert sum(tool.count for tool in rule.tools) == rule.count
        for tool in rule.tools:
            own = [by_place[place] for place in places(tool.samples)]
            assert len(own) == SAMPLES
            assert all((each["rule"], each["tool"]) == (rule.code, tool.tool) for each in own)
            assert [each.raw for each in tool.samples] == [each["raw"] for each in own]


def test_a_rare_diagnostic_is_shown_as_often_as_it_is_there(tmp_path: Path) -> None:
    found = [*many(500), *(diagnostic(rule="TC9", row=number, tool="rare") for number in (3, 8))]
    view = seen(tmp_path, found)
    rule = next(rule for rule in view.rules if rule.code == "TC9")
    assert rule.name is None
    assert places(rule.samples) == places(rule.tools[0].samples) == [("data/a.jsonl", 3), ("data/a.jsonl", 8)]


def test_samples_do_not_depend_on_how_diagnostics_are_spread(tmp_path: Path) -> None:
    found = many(3_000)
    one = seen(tmp_path / "one", found)
    assert seen(tmp_path / "groups", found, 37) == one
    Random(1).shuffle(found)  # noqa: S311 - keeps no secret
    assert seen(tmp_path / "shuffled", found, 500) == one


def test_samples_stay_when_other_kinds_come(tmp_path: Path) -> None:
    found = many(1_000)
    one = {rule.code: rule.samples for rule in seen(tmp_path / "one", found).rules}
    more = [*found, *(diagnostic(rule="TC999", row=number, source="data/z.jsonl") for number in range(700))]
    other = {rule.code: rule.samples for rule in seen(tmp_path / "more", more).rules}
    assert {code: other[code] for code in one} == one


def test_no_part_of_a_corpus_is_preferred(tmp_path: Path) -> None:
    # Rules of 1,000 diagnostics each, one in each row: what is drawn of them lies all over the rows.
    kinds = [(f"TC{number % 40}", number // 40) for number in range(40_000)]
    found = [diagnostic(rule=rule, row=row, source=f"data/{rule}") for rule, row in kinds]
    rows = [sample.row for rule in seen(tmp_path, found).rules for sample in rule.samples]
    assert len(rows) == 40 * SAMPLES
    quarters = Counter(row // 250 for row in rows)
    assert all(15 <= quarters[quarter] <= 45 for quarter in range(4)), quarters


def test_of_a_frequent_kind_few_diagnostics_are_passed_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    passed = 0
    plain = samples._sample

    def counted(one: Any) -> SampleView:
        nonlocal passed
        passed += 1
        return plain(one)

    monkeypatch.setattr(samples, "_sample", counted)
    view = seen(tmp_path, [diagnostic(row=number) for number in range(50_000)])
    assert len(view.rules[0].samples) == SAMPLES
    assert passed < 200


def test_what_is_shown_is_bounded(tmp_path: Path) -> None:
    stated = "`x` is wrong. " * 200
    found = [
        diagnostic(
            source=f"data/{number % 150}.jsonl",
            row=number,
            rule=f"TC{number % 70}",
            tool=f"tool_{number % 420}",
            message=stated,
            raw="<" * 400,
            field="a" * 3_000,
        )
        for number in range(8_400)
    ]
    view = seen(tmp_path, found)
    assert (len(view.rules), view.other_rules) == (RULES, 70 - RULES)
    assert all(len(rule.tools) <= TOOLS for rule in view.rules)
    assert all(len(rule.tools) + rule.others == 6 for rule in view.rules)
    assert (len(view.shards), view.all_shards) == (SHARDS, 150)
    assert (len(view.by_tool.named), view.by_tool.others) == (NAMES, 420 - NAMES)
    assert sum(count for _, count in view.by_tool.named) + view.by_tool.rest == 8_400
    # A sample is at most some 6 KB of such text, and there are at most three of a rule and of eight of its tools.
    html = corpus_page(view, title="t")
    assert len(html) < RULES * (TOOLS + 1) * SAMPLES * 6_000
    assert "320 others" in html
    assert "10 more rules have diagnostics." in html


def test_the_other_tools_of_a_rule_are_summed_up(tmp_path: Path) -> None:
    found = [diagnostic(row=number, tool=f"t{number % 11:02}") for number in range(110)]
    [rule] = seen(tmp_path, found).rules
    assert [tool.tool for tool in rule.tools] == [f"t{number:02}" for number in range(TOOLS)]
    assert (rule.others, rule.rest) == (11 - TOOLS, 10 * (11 - TOOLS))


def test_the_worst_shards_are_those_with_the_highest_rate(tmp_path: Path) -> None:
    found = [diagnostic(source="data/small", row=number) for number in range(2)]
    found += [
        diagnostic(source="data/large", row=number, severity="warning" if number % 2 else "error")
        for number in range(50)
    ]
    view = seen(tmp_path, found)
    assert [(each.source, each.rows, each.faulty) for each in view.shards] == [
        ("data/small", 4, 2),
        ("data/large", 100, 25),
    ]
    assert dict(view.by_shard.named) == {"data/large": 25, "data/small": 2}


def test_a_corpus_without_diagnostics_has_no_samples(tmp_path: Path) -> None:
    view = seen(tmp_path, [])
    assert (view.rules, view.shards, view.diagnostics) == ((), (), 0)
