"""The tables of the benchmarks: outcomes beside targets, medians of passes, and the place of it all in the page."""

from typing import Any

import pytest

from benchmarks import against, estimate, figures, lsp, run
from benchmarks.editing import KINDS, LINES, OPENERS, SIZES
from callwright.corpus import units

MACHINE = {"python": "3.11.7", "cpus": 2, "system": "Linux on x86_64", "load before": 0.2, "load after": 1.0}


def a_run(**programs: Any) -> dict[str, Any]:
    return {"command": "python run.py", "quick": False, "machine": MACHINE, "programs": programs}


def keystroke(p95: float, echo: float) -> dict[str, Any]:
    row = {"kind": "Markdown", "size": "1 MB", "p50": 1.0, "p95": p95, "echo_p50": echo, "echo_p95": 9.0, "cpu": 1.0}
    return {**row, "multiple": p95 / echo}


@pytest.mark.parametrize(
    ("p95", "echo", "outcome"),
    [(7.0, 0.1, "met"), (16.0, 0.1, "missed: 2.00 times"), (16.0, 0.4, "met"), (32.0, 0.4, "missed: 2.00 times")],
)
def test_a_keystroke_may_take_its_time_or_as_many_echoes(p95: float, echo: float, outcome: str) -> None:
    reported = figures.tables(a_run(lsp={"figures": {"keystrokes": [keystroke(p95, echo)]}}))
    (line,) = (line for line in reported.splitlines() if line.startswith("| Markdown, 1 MB"))
    assert line.endswith(f"| 8 ms or 40 echoes | {outcome} |")


def test_a_share_that_is_wanted_is_reported_as_a_share() -> None:
    assert figures.at_least(0.5, 1.0) == "missed: 50% of it"
    assert figures.at_least(1.0, 1.0) == figures.at_most(1.0, 1.0) == "met"


def test_what_failed_is_named_and_has_no_table() -> None:
    reported = figures.tables(a_run(check={"failed": "no time was left"}))
    assert "Without figures in this run: `check` (no time was left)." in reported
    assert "### Whole processes" not in reported


def test_a_peer_that_is_faster_is_called_so() -> None:
    rows = [
        {"what": "validation", "peer": "other 1.0", "ms": 6.0, "peer_ms": 2.0, "ratio": 3.0},
        {"what": "an edit", "peer": "other 1.0", "ms": 1.0, "peer_ms": 2.0, "ratio": 0.5},
    ]
    reported = figures.tables(a_run(peers={"figures": {"rows": rows, "left out": ["agnix"]}}))
    assert "| validation | 6.00 | other 1.0 | 2.00 | 3.00 (the peer is faster) |" in reported
    assert "| an edit | 1.00 | other 1.0 | 2.00 | 0.50 |" in reported
    assert "Left out, since they were not fetched or cannot be installed here: agnix." in reported


def test_passes_are_merged_by_their_medians() -> None:
    passes = [[{"what": "a", "ms": ms, "more": [ms, 1]}] for ms in (3.0, 1.0, 2.0)]
    assert run.merged(passes) == [{"what": "a", "ms": 2.0, "more": [2.0, 1]}]


def test_every_program_exists_and_most_have_a_table() -> None:
    names = [program.name for program in run.PROGRAMS]
    assert sorted(names) == sorted(figures.LAYOUTS)
    assert all((run.HERE / f"{name}.py").is_file() for name in names)


def test_the_page_has_a_place_for_the_tables() -> None:
    page = run.PAGE.read_text(encoding="utf-8")
    assert page.count(run.BEGIN) == page.count(run.END) == 1
    assert page.index(run.BEGIN) < page.index(run.END)


def test_the_programs_fit_into_a_whole_run() -> None:
    assert sum(program.seconds for program in run.PROGRAMS) <= run.MAX_LENGTH


def test_no_program_takes_what_others_need() -> None:
    first, second, third = (run.Program(name, "", "", 100) for name in "abc")
    whole = float(run.MAX_LENGTH)
    assert run.allowed(first, (second, third), whole, whole) == whole - 200
    # What earlier ones left over is there for later ones, and the last has all of it.
    assert run.allowed(second, (third,), 900.0, whole) == 800
    assert run.allowed(third, (), 800.0, whole) == 800
    # Where there is too little for all, each has its part of it.
    assert run.allowed(second, (third,), 120.0, whole) == 60
    # A run of half the time has shares of half the size.
    assert run.allowed(first, (second, third), whole / 2, whole / 2) == whole / 2 - 100


def test_rows_share_what_time_is_left() -> None:
    now = 0.0
    shares = lsp.Shares(100.0, [1.0, 1.0, 2.0], lambda: now)
    assert shares.until() == 25
    now = 10.0
    # The first took less than it had.
    assert shares.until() == 40
    now = 90.0
    # The second took longer, and the last has the rest.
    assert shares.until() == 100
    now = 120.0
    late = lsp.Shares(-5.0, [1.0], lambda: now)
    assert late.until() == 120


def test_every_row_of_the_language_server_has_its_weight() -> None:
    sizes = list(SIZES)
    found = lsp.weights(lsp.PARTS, sizes)
    assert len(found) == 1 + 4 * len(KINDS) + len(LINES) + 2 * len(OPENERS) + len(KINDS)
    assert all(weight > 0 for weight in found)
    assert lsp.weights(["lines"], sizes) == [lsp.SIZE_WEIGHTS["1 MB"] * lsp.WEIGHTS["lines"]] * len(LINES)


def test_the_first_edit_that_changes_a_state_is_reported_apart_from_those_after_it() -> None:
    row = {"kind": "Markdown", "size": "1 MB", "ms_per_mb": 500.0, "cpu_per_mb": 400.0, "again_ms_per_mb": 20.0}
    waits = {"waited_p50": 5.0, "waited_p95": 9.0}
    reported = figures.tables(a_run(lsp={"figures": {"states": [{**row, **waits}]}}))
    (line,) = (line for line in reported.splitlines() if line.startswith("| Markdown, 1 MB"))
    assert line == "| Markdown, 1 MB | 500 | 400 | 40.0 | missed: 12.5 times | 20.0 | 5.00 / 9.00 ms | 10.0 | met |"


def corpora() -> dict[str, Any]:
    def row(share: str, check: float, diagnostics: int) -> dict[str, Any]:
        peaks = {"peak_mb": 130.0, "control_peak_mb": 120.0}
        rate = {
            "mb": 30.0,
            "control": 40.0,
            "check": check,
            "ratio": check / 40,
            "rows": 5_000,
            "diagnostics": diagnostics,
        }
        return {"what": "all, jsonl", "share": share, **rate, "finish": 0.1, **peaks}

    return {
        "rates": [row("clean", 30.0, 0), row("1 % faulty", 20.0, 60)],
        "starts": [{"what": "local", "seconds": 2.0}, {"what": "ray", "seconds": 10.0}],
        "scaling": [{"what": "local", "mb": 120.0, "one": 6.0, "two": 3.2, "gained": 1.8, "possible": 2.0}],
        "fixed": [{"unit_ms": 2.0, "diagnostic_us": 5.0}],
    }


def test_a_corpus_is_held_against_its_own_targets() -> None:
    reported = figures.tables(a_run(corpus={"figures": corpora()}))
    assert "| all, jsonl, clean | 30.0 | 40.0 | 0.75 | 0.70 | met | 130 / 120 |" in reported
    assert "| all, jsonl, 1 % faulty | 20.0 | 40.0 | 0.50 | 0.40 | met | 130 / 120 |" in reported
    assert "| two workers of local to one, 120 MB, 1 % faulty | 1.80 (6.00 to 3.20 s) | 2.00 |" in reported


def test_an_estimate_adds_up() -> None:
    each = estimate.model(corpora(), "1 % faulty")
    # 1 TB: 60 diagnostics in 30 MB make 2 million, at 5 µs; 14,901 units at 2 ms.
    assert each.alone(10**12) == pytest.approx(2e6 * 5e-6 + 10**12 / (64 << 20) * 0.002)
    # However large a corpus is, there are so many units and no more.
    assert each.alone(10**14) == pytest.approx(2e8 * 5e-6 + (1 << 14) * 0.002)
    work = 10**12 / (20e6 * 0.9 * 16)
    assert each.seconds(10**12, 16) == pytest.approx(10.0 + work + each.alone(10**12))
    assert each.cost(10**12, 16) == pytest.approx(each.seconds(10**12, 16) / 3600 * 16 * estimate.PRICE)


def test_an_estimate_divides_a_corpus_as_a_run_does() -> None:
    assert (estimate.UNIT, estimate.MAX_COUNT) == (units.UNIT, units.MAX_COUNT)


def test_the_page_has_a_place_for_the_estimate() -> None:
    page = estimate.PAGE.read_text(encoding="utf-8")
    assert page.count(estimate.BEGIN) == page.count(estimate.END) == 1
    reported = "\n".join(estimate.lines(a_run(corpus={"figures": corpora()})))
    assert "| 1 TB, clean | 16 | 39 min |" in reported
    assert list(estimate.lines(a_run())) == []


def wild() -> dict[str, Any]:
    typed = {"kind": "chat template", "size": "20 KB", "opened": 20.0, "echo_opened": 0.5, "p50": 2.0, "p95": 3.0}
    rows = {"what": "20 files: YAML prompts", "peer": "yamllint 1.0", "install": "pip install yamllint==1.0"}
    folder = {"files": 3_000, "mb": 85.0, "seconds": 10.0, "cpu_s": 9.0, "idle_mb": 60.0, "held_mb": 100.0}
    return {
        "keystrokes": [{**typed, "echo_p50": 0.2, "echo_p95": 0.3, "cpu": 2.0}],
        "processes": [
            {**rows, "ms": 100.0, "cpu": 90.0, "peer_ms": 250.0, "peer_cpu": 240.0, "ratio": 2.5},
            {**rows, "what": "20 files: Markdown page", "ms": 100.0, "cpu": 90.0},
        ],
        "workspace": [
            {
                **folder,
                "peak_mb": 120.0,
                "beside_mb": 180.0,
                "typed": 50,
                "typed_p50": 3.0,
                "typed_p95": 9.0,
                "alone_p50": 2.0,
                "alone_p95": 4.0,
                "again_s": 0.3,
                "reports": 3_000,
                "unchanged": 2_999,
            }
        ],
        "tools": [{"what": "YAML", "mb": 0.5, "s": 0.4, "cpu_s": 0.35}],
    }


def test_what_people_have_is_held_against_its_targets() -> None:
    reported = figures.tables(a_run(wild={"figures": wild()}))
    assert "| chat template, 20 KB | 20.0 | 0.50 | 2.00 / 3.00 | 0.20 / 0.30 | 10.0 | 2.00 |" in reported
    assert "| 3,000 files, 85.0 MB | 10.0 s (9.00 s of CPU time) | 8.00 s | missed: 1.25 times |" in reported
    assert "| held after it | 100 MB | 150 MB | met |" in reported
    assert "| held meanwhile by the processes beside it | 180 MB |  |  |" in reported
    assert "| the same request again, 2,999 of 3,000 unchanged | 0.30 s |  |  |" in reported
    assert "| YAML, 0.50 MB | 0.40 | 0.35 | 0.50 | met |" in reported


def test_a_linter_that_is_missing_is_named_with_its_installation() -> None:
    reported = figures.tables(a_run(wild={"figures": wild()}))
    assert "| 20 files: YAML prompts | 100 | 90.0 | yamllint 1.0 | 250 | 240 | 2.50 |" in reported
    missing = "not installed (`pip install yamllint==1.0`)"
    assert f"| 20 files: Markdown page | 100 | 90.0 | yamllint 1.0 | {missing} |  |  |" in reported
    costs = against.costs(a_run(wild={"figures": wild()}))
    assert ("wild", "20 files: Markdown page (yamllint 1.0)") not in costs
    assert costs["wild", "20 files: YAML prompts (yamllint 1.0)"] == pytest.approx(0.4)


def test_tables_that_are_measured_apart_replace_those_of_the_page_and_say_so() -> None:
    one = a_run(wild={"figures": {"tools": [{"what": "YAML", "mb": 0.5, "s": 0.4, "cpu_s": 0.35}]}})
    other = a_run(wild={"figures": {"tools": [{"what": "YAML", "mb": 0.5, "s": 0.2, "cpu_s": 0.15}]}})
    page = "\n\n    python run.py\n\n### Another\n\n| a |\n|---|\n| b |\n"
    first = run.with_sections(page, one)
    assert first.startswith(page)
    assert first.count("### ") == 2
    again = run.with_sections(first, other)
    assert again.count("### ") == 2
    assert "| YAML, 0.50 MB | 0.20 |" in again
    assert "| YAML, 0.50 MB | 0.40 |" not in again
    assert "Measured apart from the other tables, with `python run.py`, at a load of 0.2 to 1.0." in again


def test_a_run_is_reported_in_times_of_an_earlier_one() -> None:
    before = a_run(documents={"figures": [document(10.0, 100.0)]}) | {"commit": "abc"}
    reported = against.beside(a_run(documents={"figures": [document(5.0, 100.0)]}), before)
    assert "beside abc" in reported
    assert "!  2.00  documents: Markdown, 1 MB" in reported
    assert "1 of 1 rows over the budget" in reported


def test_a_slower_day_does_not_count() -> None:
    before, now = (a_run(documents={"figures": [document(*speeds)]}) for speeds in ((10.0, 100.0), (5.0, 50.0)))
    assert against.costs(before) == against.costs(now)


def test_a_row_that_was_not_measured_is_named() -> None:
    before = a_run(documents={"figures": [document(10.0, 100.0)]})
    assert "not measured this time: documents: Markdown, 1 MB" in against.beside(a_run(), before)


def document(speed: float, control: float) -> dict[str, Any]:
    return {"what": "Markdown, 1 MB", "mb_per_s": speed, "control_mb_per_s": control, "ratio": 1.0, "target": None}
