"""Defects: diagnostics from one template are one, others are not, and the table is the same however they are spread."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pyarrow.parquet as pq
import pytest

from callwright.corpus.defects import DEFECTS, dedupe, schema
from callwright.corpus.engine import Engine
from corpus.made_results import diagnostic, results_of
from support.sampling import tries


def defects(folder: Path, *found: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the defects of diagnostics, as they are reported, which must equal what is written."""
    total, named = dedupe(results_of(folder, found), Engine(), 1_000)
    table = pq.read_table(folder / DEFECTS)
    assert table.schema.equals(schema())
    assert table.to_pylist() == named
    assert len(named) == total
    return named


@pytest.mark.parametrize(
    ("one", "other", "form"),
    [
        ("-12", "3.14", "#"),
        ("toolu_f5f1c0944b", "toolu_01ab", "#"),
        ("2024-01-02T10:11:12", "1999-12-31", "#"),
        ('{"id": 17, "on": true}', '{"id":  4,\n "on": true}', None),
        ('"the quick brown fox"', '"the quick brown wolf"', '"the quick brown "'),
        ('"q\\"uick and brown and red"', '"q\\"uick and brown, or blue"', None),
        ("<path>the quick brown fox</path>", "<path>the quick brown wolf</path>", "<path>the quick brown </path>"),
        ("a" * 120 + "b", "a" * 120 + "c", "a" * 120),
        ("Größe_7 ü", "Größe_8 ü", "# ü"),
    ],
)
def test_what_varies_is_one_defect(one: str, other: str, form: str | None, tmp_path: Path) -> None:
    [found] = defects(tmp_path, diagnostic(raw=one), diagnostic(raw=other, row=1))
    assert found["count"] == 2
    assert form is None or found["form"] == form


@pytest.mark.parametrize(
    "change",
    [
        {"raw": "write_file"},
        {"raw": "READ_FILE"},
        {"raw": '"read_file"'},
        {"rule": "TC303"},
        {"severity": "warning"},
        {"tool": "write_file"},
        {"tool": None},
        {"field": "prompt[1].content"},
        {"field": ""},
    ],
)
def test_what_differs_is_another_defect(change: dict[str, Any], tmp_path: Path) -> None:
    assert [each["count"] for each in defects(tmp_path, diagnostic(), diagnostic(**change))] == [1, 1]


def test_short_strings_and_what_is_between_them_count(tmp_path: Path) -> None:
    raws = ('{"a": "one", "b": "two"}', '{"a": "one", "b": "six"}', '{"a": "one", "c": "two"}')
    assert len(defects(tmp_path, *(diagnostic(raw=raw) for raw in raws))) == 3


def test_places_in_lists_do_not_count(tmp_path: Path) -> None:
    [found] = defects(
        tmp_path,
        diagnostic(field="messages[2].tool_calls[0].function.arguments"),
        diagnostic(field="messages[14].tool_calls[3].function.arguments"),
    )
    assert found["field"] == "messages[*].tool_calls[*].function.arguments"


def test_a_defect_states_how_much_it_is_and_where_it_is_first(tmp_path: Path) -> None:
    first = diagnostic(source="b", row=9, turn=None, start=None, end=None, raw="é 7", message="ü\0 `1`", fixable=True)
    found = defects(
        tmp_path,
        diagnostic(source="c", row=1, raw="é 5"),
        diagnostic(source="b", row=10, raw="é 6"),
        first,
        diagnostic(source="b", row=9, raw="é 6"),
        diagnostic(rule="TC999"),
    )
    assert [each["rule"] for each in found] == ["TC302", "TC999"]
    assert (found[0]["count"], found[0]["fixable"], found[0]["rows"], found[0]["sources"]) == (4, 1, 3, 2)
    assert found[0]["share"] == 0.8
    stated = {name.removeprefix("first_"): value for name, value in found[0].items() if name.startswith("first_")}
    assert stated == {name: first[name] for name in stated}
    assert set(stated) == {"source", "row", "turn", "call", "start", "end", "field", "message", "raw"}


def test_the_table_does_not_depend_on_how_diagnostics_are_spread(tmp_path: Path) -> None:
    random = Random(5)  # noqa: S311 - makes rows up, keeps no secret
    found = [
        diagnostic(
            source=f"data/{random.randrange(6)}.jsonl",
            row=number,
            tool=random.choice(["a", "b", None]),
            rule=random.choice(["TC302", "TC304"]),
            field=f"messages[{random.randrange(9)}].content",
            raw=random.choice(["x 1", "x 2", "y"]),
        )
        for number in range(tries(3_000))
    ]
    (one,) = {bytes_of(tmp_path / str(group), found, group) for group in (1, 100, 5_000)}
    random.shuffle(found)
    assert bytes_of(tmp_path / "shuffled", found, 700) == one


def bytes_of(folder: Path, found: list[dict[str, Any]], group: int) -> bytes:
    """Return the table of defects of diagnostics that are `group` by `group`."""
    total, named = dedupe(results_of(folder, found, group), Engine(), 3)
    assert (total, len(named)) == (12, 3)
    assert [each["count"] for each in named] == sorted((each["count"] for each in named), reverse=True)
    return (folder / DEFECTS).read_bytes()


def test_a_corpus_without_diagnostics_has_no_defects(tmp_path: Path) -> None:
    assert defects(tmp_path) == []


def test_a_folder_whose_name_is_a_pattern_is_taken_as_it_is(tmp_path: Path) -> None:
    assert len(defects(tmp_path / "a[1] *?{x}", diagnostic())) == 1
