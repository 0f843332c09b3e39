"""Rows as public data sets have them: what was planted in each is found, and nothing else, as lines and as a table."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.corpora.referee import planted, spots
from callwright.tools.registry import EMPTY
from corpus.making import FIXTURES, diagnostics, done, run_options

LEDGERS = sorted(FIXTURES.glob("*.ledger.jsonl"))


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
@pytest.mark.parametrize("ledger", LEDGERS, ids=lambda path: path.name.partition(".")[0])
def test_what_was_planted_is_found_and_nothing_else(ledger: Path, form: str, tmp_path: Path) -> None:
    name = ledger.name.partition(".")[0]
    given = run_options(tmp_path / "out", registry=EMPTY)
    summary = done([FIXTURES / f"{name}.{form}"], given)
    found = spots({**each, "source": name} for each in diagnostics(given))
    assert found == planted(ledger)
    assert summary["rows"] == 24
    assert summary["diagnostics"] == found.total() > 0


def test_a_diagnostic_states_the_same_of_a_line_and_of_a_table(tmp_path: Path) -> None:
    stated = []
    for form in ("jsonl", "parquet"):
        given = run_options(tmp_path / form, registry=EMPTY)
        done(sorted(path for path in FIXTURES.glob(f"*.{form}") if "ledger" not in path.name), given)
        stated.append([{**each, "source": Path(each["source"]).stem} for each in diagnostics(given)])
    # Only where no string is meant, JSON is quoted, and every format has spaces of its own.
    for one, two in zip(*stated, strict=True):
        if one["start"] is None:
            one["raw"] = two["raw"] = ""
    assert stated[0] == stated[1]
    assert {each["field"] for each in stated[0]} > {"messages[2].tool_calls[0].function.arguments"}
