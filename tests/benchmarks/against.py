"""A run of the benchmarks beside an earlier one: what each row costs now, in times of what it cost then.

Owns: which figure of a program is its cost, and by what it is divided so that another day's machine does not count.
Must not know: how anything is measured.

`costs(run)` gives each row of a run by its name; a cost is in units of the row's own control where it has one, which
took turns with it. Less is better for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

Figures = Any
Costs = Iterator[tuple[str, float]]
#: What a row of 10 KB to 1 MB may cost, in times of the baseline.
BUDGET: Final = 1.15


def _check(rows: Figures) -> Costs:
    yield from ((row["program"], row["ratio"]) for row in rows)


def _engine(rows: Figures) -> Costs:
    control = rows[0]["figure"]
    yield from ((row["what"], control / row["figure"]) for row in rows[1:] if row["unit"] == "MB/s")


def _strict(figures: Figures) -> Costs:
    yield from ((f"a reply in {name}", row["ratio"]) for name, row in figures["replies"].items())


def _loop(figures: Figures) -> Costs:
    yield from ((f"a turn, {what}", float(took)) for what, took in figures["turn_us"].items())


def _chat_templates(figures: Figures) -> Costs:
    yield from ((f"a chat template: {row['what']}", row["ratio"]) for row in figures["rows"])


def _lsp(figures: Figures) -> Costs:
    for part in ("keystrokes", "lines"):
        for row in figures.get(part, ()):
            yield f"a keystroke in {row['kind']}, {row.get('size', 'one line')}", row["p50"] / row["echo_p50"]
    yield from ((f"{row['what']} in {row['kind']}, 1 MB", row["p50"]) for row in figures.get("requests", ()))
    yield from ((f"states in {row['kind']}, {row['size']}", row["cpu_per_mb"]) for row in figures.get("states", ()))
    yield from ((f"the start of {row['program']}", row["diagnostics"]) for row in figures.get("starts", ()))


def _documents(rows: Figures) -> Costs:
    yield from ((row["what"], row["control_mb_per_s"] / row["mb_per_s"]) for row in rows)


def _transcripts(rows: Figures) -> Costs:
    yield from ((row["what"], row["control"] / row["check"]) for row in rows if "diagnostics" in row)


def _memory(rows: Figures) -> Costs:
    found = ((row, row.get("rss", row.get("peak"))) for row in rows if row["program"] == "callwright")
    yield from ((f"memory, {row['state']}", float(size)) for row, size in found if size)


def _peers(figures: Figures) -> Costs:
    yield from ((f"{row['what']} ({row['peer']})", row["ratio"]) for row in figures["rows"])


def _features(figures: Figures) -> Costs:
    yield from ((f"{row['what']} in {row['kind']}, {row['size']}", row["p50"]) for row in figures["rows"])


def _corpus(figures: Figures) -> Costs:
    yield from ((f"{row['what']}, {row['share']}", row["control"] / row["check"]) for row in figures["rates"])


def _wild(figures: Figures) -> Costs:
    for row in figures.get("keystrokes", ()):
        yield f"a keystroke in a {row['kind']}, {row['size']}", row["p50"] / row["echo_p50"]
    rows = (row for row in figures.get("processes", ()) if "ratio" in row)
    yield from ((f"{row['what']} ({row['peer']})", 1 / row["ratio"]) for row in rows)
    yield from ((f"tools: {row['what']}", row["cpu_s"]) for row in figures.get("tools", ()))
    for row in figures.get("workspace", ()):
        yield f"CPU time for each MB of {row['files']:,} files", row["cpu_s"] / row["mb"]
        yield f"memory after {row['files']:,} files", row["held_mb"]


PROGRAMS: Final[Mapping[str, Callable[[Figures], Costs]]] = {
    "check": _check,
    "engine": _engine,
    "strict": _strict,
    "chat_templates": _chat_templates,
    "loop": _loop,
    "lsp": _lsp,
    "documents": _documents,
    "transcripts": _transcripts,
    "memory": _memory,
    "peers": _peers,
    "features": _features,
    "corpus": _corpus,
    "wild": _wild,
}


def costs(run: Mapping[str, Any]) -> dict[tuple[str, str], float]:
    """Return what each row of a run costs, by its program and its name."""
    return {
        (program, name): cost
        for program, rows in PROGRAMS.items()
        if "figures" in run["programs"].get(program, ())
        for name, cost in rows(run["programs"][program]["figures"])
    }


def beside(now: Mapping[str, Any], before: Mapping[str, Any]) -> str:
    """Return the rows that both runs have as lines, each with its ratio; those over the budget are marked."""
    own, known = costs(now), costs(before)
    lines = [f"beside {before.get('commit', 'an earlier run')}; a ratio over {BUDGET} is marked", ""]
    over = 0
    for key in (key for key in own if key in known):
        ratio = own[key] / known[key] if known[key] else 1.0
        over += ratio > BUDGET
        lines.append(f"{'!' if ratio > BUDGET else ' '} {ratio:5.2f}  {key[0]}: {key[1]}")
    missing = [f"{program}: {name}" for program, name in known if (program, name) not in own]
    lines += ["", f"{over} of {len(lines) - 2} rows over the budget"]
    lines += [f"not measured this time: {', '.join(missing)}"] if missing else []
    return "\n".join(lines) + "\n"
