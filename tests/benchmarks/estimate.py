"""What a large corpus takes, on paper: worked out from the figures of a run, for `server/docs/corpus-estimate.md`.

Owns: the model, and its table. Must not know: how figures are measured.

The model: workers share units of rows and nothing else, so `N` of them take an `N`th of the time, times what was lost
when two took the place of one beside what a loop loses. To that come the start of the engine and what the one machine
that sends the plan does alone: each unit, and each diagnostic that is put in its place.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from benchmarks.figures import number

PAGE: Final = Path(__file__).parents[2] / "server" / "docs" / "corpus-estimate.md"
BEGIN, END = "<!-- estimate -->", "<!-- end of estimate -->"
#: What an hour of one processor is taken to cost, in dollars.
PRICE: Final = 0.05
SIZES: Final = {"1 TB": 10**12, "100 TB": 10**14}
SHARES: Final = ("clean", "1 % faulty")
WORKERS: Final = (16, 256, 2_048)
#: As `callwright.corpus.units` divides a corpus: so many bytes, and so many units at most.
UNIT, MAX_COUNT = 64 << 20, 1 << 14

Figures = Mapping[str, Any]


class Model(NamedTuple):
    """Bytes of rows as JSON that a worker does in a second, and what is done beside them, in seconds."""

    rate: float
    kept: float
    start: float
    unit: float
    diagnostic: float
    diagnostics_per_byte: float

    def seconds(self, size: int, workers: int) -> float:
        """Return how long a corpus takes."""
        return self.start + size / (self.rate * self.kept * workers) + self.alone(size)

    def alone(self, size: int) -> float:
        """Return how long the machine that sends the plan is at work by itself."""
        return min(size / UNIT, MAX_COUNT) * self.unit + size * self.diagnostics_per_byte * self.diagnostic

    def cost(self, size: int, workers: int) -> float:
        """Return what all processors cost for as long as that takes."""
        return self.seconds(size, workers) / 3600 * workers * PRICE


def model(figures: Figures, share: str) -> Model:
    """Return the model for all shapes in lines, of which a share of the rows is faulty."""
    (row,) = (row for row in figures["rates"] if row["what"] == "all, jsonl" and row["share"] == share)
    (fixed,) = figures["fixed"]
    return Model(
        rate=row["check"] * 1e6,
        # Of twice as much, even where a loop that counts has gained less: what that shows is the machine's noise.
        kept=min(1.0, *(each["gained"] / max(each["possible"], 2.0) for each in figures["scaling"])),
        start=max(each["seconds"] for each in figures["starts"]),
        unit=fixed["unit_ms"] / 1e3,
        diagnostic=fixed["diagnostic_us"] / 1e6,
        diagnostics_per_byte=row["diagnostics"] / (row["mb"] * 1e6),
    )


def lines(found: Figures) -> Iterator[str]:
    """Yield the lines between the page's markers; none where a run has no figures of corpora."""
    figures = found["programs"].get("corpus", {}).get("figures")
    if figures is None:
        return
    models = {share: model(figures, share) for share in SHARES}
    any_model = models[SHARES[0]]
    rates = " and ".join(f"{number(each.rate / 1e6)} MB of {share} rows" for share, each in models.items())
    yield f"- A worker checks {rates} in a second."
    yield (
        f"- Each of two workers reaches {any_model.kept:.0%} of that rate; with a simple counting loop, each would"
        " reach all of it."
    )
    yield f"- The engine starts in {number(any_model.start)} s."
    yield (
        f"- The machine that sends the plan needs {number(any_model.unit * 1e3)} ms for each unit, and"
        f" {number(any_model.diagnostic * 1e6)} µs to place each diagnostic in the results."
    )
    yield ""
    yield "| corpus | workers | time | of which alone | read from storage | cost |"
    yield "|---|---|---|---|---|---|"
    for name, size in SIZES.items():
        for share, each in models.items():
            for workers in WORKERS:
                seconds = each.seconds(size, workers)
                yield (
                    f"| {name}, {share} | {workers:,} | {duration(seconds)} | {duration(each.alone(size))}"
                    f" | {number(size / seconds / 1e9)} GB/s | ${each.cost(size, workers):,.2f} |"
                )


def duration(seconds: float) -> str:
    """Write a time with as much as matters of it."""
    if seconds < 120:
        return f"{number(seconds)} s"
    return f"{seconds / 60:.0f} min" if seconds < 7_200 else f"{seconds / 3600:,.1f} h"


def write_estimate(found: Figures) -> None:
    """Put the table between the page's markers, where the run has what it is made of."""
    page = PAGE.read_text(encoding="utf-8")
    if BEGIN not in page or END not in page:
        raise SystemExit(f"{PAGE.name} has no place for the estimate: `{BEGIN}` and `{END}`")
    reported = list(lines(found))
    if reported:
        before, _, rest = page.partition(BEGIN)
        after = rest.partition(END)[2]
        PAGE.write_text("\n".join([f"{before}{BEGIN}", "", *reported, "", f"{END}{after}"]), encoding="utf-8")
