"""The tables of a run of all benchmarks: figures beside their controls and targets, and whether these are met.

Owns: the targets, and how a run is laid out for `server/docs/performance.md`. Must not know: how anything is measured.

`tables(run)` takes what `run.py` writes: `programs` has what each program measured, by its name. A program that was not
run, or a part of one, has no table.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

#: Milliseconds from a keystroke to its diagnostics at the 95th percentile, by the document's size.
KEYSTROKE = {"10 KB": 3.0, "100 KB": 4.0, "1 MB": 8.0, "10 MB": 15.0}
#: What an echo takes, in the median, on a quiet machine: the unit in which a target holds on any machine.
ECHO_MS = 0.2
LINE_MS = 30.0
STATE_MS_PER_MB = 40.0
WAITED_MS = 10.0
REQUEST_MS = 5.0
START_MS = 600.0
OVER_BARE_MS = {"callwright --version": 60.0, "check, clean file": 80.0}
CLEAN_RATIO = 1.0
TWO_PROCESSES, POSSIBLE = 1.6, 1.8
#: Of the rate at which the same engine decodes the rows of a corpus, by the share of rows that are faulty.
CORPUS_RATIOS = {"clean": 0.7, "1 % faulty": 0.4}
IDLE_MB, LARGE_MB = 60.0, 110.0
#: A folder of 3,000 files: its megabytes, the seconds until all diagnostics are there, what the server holds then.
MANY_SIZE, MANY_SECONDS, MANY_MB = 85.0, 8.0, 150.0
TOOLS_SECONDS = 0.5

Figures = Mapping[str, Any]
Table = Iterator[str]


def at_most(figure: float, target: float) -> str:
    """Say whether a figure that should be small meets its target."""
    return "met" if figure <= target else f"missed: {number(figure / target)} times"


def at_least(figure: float, target: float) -> str:
    """Say whether a figure that should be large meets its target."""
    return "met" if figure >= target else f"missed: {figure / target:.0%} of it"


def number(figure: float | None, unit: str = "") -> str:
    """Write a figure with three digits that mean something."""
    if figure is None:
        return ""
    digits = 0 if abs(figure) >= 100 else 1 if abs(figure) >= 10 else 2 if abs(figure) >= 0.1 or not figure else 3
    return f"{figure:,.{digits}f}{unit}"


def table(title: str, head: Sequence[str], rows: Iterable[Sequence[str]], note: str = "") -> Table:
    """Yield the lines of a section with one table, of none where there is no row."""
    lines = [f"| {' | '.join(row)} |" for row in rows]
    if not lines:
        return
    yield f"### {title}"
    yield ""
    if note:
        yield note
        yield ""
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    yield from lines
    yield ""


def tables(run: Figures) -> str:
    """Return all tables of a run, as Markdown."""
    found: Figures = run["programs"]
    lines = [*_head(run)]
    for program, layout in LAYOUTS.items():
        if "figures" in found.get(program, ()):
            lines += layout(found[program]["figures"])
    return "\n".join(lines).rstrip("\n") + "\n"


def _head(run: Figures) -> Table:
    """Say what was run, and where."""
    machine = run["machine"]
    low, high = sorted((machine["load before"], machine["load after"]))
    yield f"    {run['command']}"
    yield ""
    quick = " In the quick form: few repeats and no large documents, so good for trying alone." if run["quick"] else ""
    where = f"Python {machine['python']}, {machine['cpus']} cores, {machine['system']}"
    yield f"{where}, load {low:.1f} to {high:.1f}.{quick}"
    yield ""
    missing = [f"`{name}` ({each['failed']})" for name, each in run["programs"].items() if "failed" in each]
    if missing:
        yield f"Without figures in this run: {', '.join(missing)}."
        yield ""


def apart(run: Figures) -> str:
    """Return the line that says of a table in which run it was made."""
    machine = run["machine"]
    low, high = sorted((machine["load before"], machine["load after"]))
    return f"Measured apart from the other tables, with `{run['command']}`, at a load of {low:.1f} to {high:.1f}."


def _lsp(figures: Figures) -> Table:
    yield from table(
        "From a keystroke to its diagnostics",
        ("document", "p50, ms", "p95, ms", "echo p50 / p95", "p95 in echoes", "CPU, ms", "target", ""),
        (_keystroke(row) for row in figures.get("keystrokes", ())),
        f"The target is in milliseconds, or as many times the echo's median as it is of {ECHO_MS} ms; either will do.",
    )
    stock = [row for row in figures.get("keystrokes", ()) if "pygls_p95" in row]
    yield from table(
        "The same in a stock pygls server that judges nothing",
        ("document", "Callwright p95, ms", "stock p95, ms", "ratio"),
        (
            (
                f"{row['kind']}, {row['size']}",
                number(row["p95"]),
                number(row["pygls_p95"]),
                number(row["p95"] / row["pygls_p95"]),
            )
            for row in stock
        ),
    )
    yield from table(
        "One line of 1 MB",
        ("a line of", "p50, ms", "p95, ms", "echo p50 / p95", "p95 in echoes", "CPU, ms", "target", ""),
        (_keystroke({**row, "size": ""}, LINE_MS) for row in figures.get("lines", ())),
    )
    yield from table(
        "A line at the top that changes the state of all that follows",
        (
            "document",
            "ms for each MB",
            "CPU ms for each MB",
            "target",
            "",
            "such edits after it, ms for each MB",
            "completion meanwhile, p50 / p95",
            "target",
            "",
        ),
        (
            (
                f"{row['kind']}, {row['size']}",
                number(row["ms_per_mb"]),
                number(row["cpu_per_mb"]),
                number(STATE_MS_PER_MB),
                at_most(row["ms_per_mb"], STATE_MS_PER_MB),
                number(row["again_ms_per_mb"]) if "again_ms_per_mb" in row else "",
                f"{number(row['waited_p50'])} / {number(row['waited_p95'])} ms",
                number(WAITED_MS),
                at_most(row["waited_p95"], WAITED_MS),
            )
            for row in figures.get("states", ())
        ),
    )
    yield from table(
        "Completion and hover at 1 MB",
        ("document", "request", "p50, ms", "p95, ms", "echo p95", "target", ""),
        (
            (
                row["kind"],
                row["what"],
                number(row["p50"]),
                number(row["p95"]),
                number(row["echo_p95"]),
                number(REQUEST_MS),
                at_most(row["p95"], REQUEST_MS),
            )
            for row in figures.get("requests", ())
        ),
    )
    yield from table(
        "The server's start",
        ("program", "to the first answer, ms", "to the first diagnostics (10 KB), ms", "target", ""),
        (
            (
                row["program"],
                number(row["answer"]),
                number(row["diagnostics"]),
                number(START_MS) if row["program"] == "callwright" else "",
                at_most(row["diagnostics"], START_MS) if row["program"] == "callwright" else "",
            )
            for row in figures.get("starts", ())
        ),
    )


def _keystroke(row: Figures, target: float | None = None) -> Sequence[str]:
    aim = KEYSTROKE[row["size"]] if target is None else target
    times = aim / ECHO_MS
    met = row["p95"] <= aim or row["multiple"] <= times
    outcome = "met" if met else at_most(min(row["p95"] / aim, row["multiple"] / times), 1.0)
    return (
        f"{row['kind']}, {row['size']}".rstrip(", "),
        number(row["p50"]),
        number(row["p95"]),
        f"{number(row['echo_p50'])} / {number(row['echo_p95'])}",
        number(row["multiple"]),
        number(row["cpu"]),
        f"{aim:.0f} ms or {times:.0f} echoes",
        outcome,
    )


def _check(rows: Sequence[Figures]) -> Table:
    bare = rows[0]["median_ms"]
    yield from table(
        "Whole processes",
        ("process", "median, ms", "over bare Python, ms", "times bare Python", "target", ""),
        (
            (
                f"`{row['program']}`" if "callwright" in row["program"] else row["program"],
                number(row["median_ms"]),
                number(row["median_ms"] - bare),
                number(row["ratio"]),
                number(OVER_BARE_MS.get(row["program"])),
                at_most(row["median_ms"] - bare, OVER_BARE_MS[row["program"]])
                if row["program"] in OVER_BARE_MS
                else "",
            )
            for row in rows
        ),
    )


def _documents(rows: Sequence[Figures]) -> Table:
    def outcome(row: Figures) -> str:
        if row["target"] is None:
            return ""
        # Of Markdown a share of the control's speed is wanted, of JSON a multiple of its time.
        return (at_least if row["target"] < 1 else at_most)(row["ratio"], row["target"])

    yield from table(
        "Whole documents",
        ("document", "MB/s", "control MB/s", "ratio", "target", ""),
        (
            (
                row["what"],
                number(row["mb_per_s"]),
                number(row["control_mb_per_s"]),
                f"{row['ratio']:.3f}",
                "" if row["target"] is None else f"{row['target']:.3g}",
                outcome(row),
            )
            for row in rows
        ),
        'Markdown: the share of the speed of `re.finditer("<")`. JSON: times the time of `json.loads`. CPU time.',
    )


def _engine(rows: Sequence[Figures]) -> Table:
    yield from table(
        "The engine",
        ("", "", "times the control"),
        (
            (
                row["what"],
                f"{number(row['figure'])} {row['unit']}",
                number(row["figure"] / rows[0]["figure"]) if row["unit"] == "MB/s" else "",
            )
            for row in rows
        ),
    )


def _transcripts(rows: Sequence[Figures]) -> Table:
    yield from table(
        "Large transcripts",
        ("JSONL", "`check`, MB/s", "`json.loads`, MB/s", "ratio", "target", ""),
        (
            (
                row["what"],
                number(row["check"]),
                number(row["control"]),
                number(row["ratio"]),
                number(CLEAN_RATIO) if "clean" in row["what"] else "",
                at_least(row["ratio"], CLEAN_RATIO) if "clean" in row["what"] else "",
            )
            for row in rows
            if "diagnostics" in row
        ),
    )
    sizes = [row for row in rows if "peak_mb" in row]
    yield from table(
        "Memory and processes",
        ("", "figure", "target", ""),
        [
            *((row["what"], f"{number(row['seconds'])} s, {number(row['peak_mb'])} MB", "", "") for row in sizes),
            *(_flat(sizes) if len(sizes) > 1 else ()),
            *(
                (
                    row["what"],
                    f"{number(row['check'])}; a loop that counts: {number(row['control'])}",
                    f"{TWO_PROCESSES} where that is {POSSIBLE}",
                    at_least(row["check"], TWO_PROCESSES)
                    if row["control"] >= POSSIBLE
                    else f"cannot be told here; {row['of_possible']:.0%} of what is possible",
                )
                for row in rows
                if "of_possible" in row
            ),
        ],
    )


def _flat(sizes: Sequence[Figures]) -> Iterator[Sequence[str]]:
    growth = sizes[-1]["peak_mb"] / sizes[0]["peak_mb"]
    yield ("peak memory of the largest, times that of the smallest", number(growth), "1.1", at_most(growth, 1.1))


def _memory(rows: Sequence[Figures]) -> Table:
    aims = {"idle": IDLE_MB, "10 MB Markdown": LARGE_MB, "10 MB JSON": LARGE_MB}

    def aim(row: Figures) -> float | None:
        return aims.get(row["state"]) if row["program"] == "callwright" else None

    yield from table(
        "Memory",
        ("process", "RSS, MB", "PSS, MB", "target (RSS)", ""),
        (
            (
                f"{row['program']}, {row['state']}",
                number(row.get("rss", row.get("peak"))),
                number(row.get("pss")),
                number(aim(row)),
                "" if (target := aim(row)) is None else at_most(row["rss"], target),
            )
            for row in rows
        ),
    )


def _peers(figures: Figures) -> Table:
    yield from table(
        "Beside others",
        ("", "Callwright, ms", "peer", "its ms", "ratio"),
        (
            (row["what"], number(row["ms"]), row["peer"], number(row["peer_ms"]), _faster(row["ratio"]))
            for row in figures["rows"]
        ),
        "CPU time, both warm. A ratio above 1 says by how much the peer is faster.",
    )
    if figures["left out"]:
        yield f"Left out, since they were not fetched or cannot be installed here: {', '.join(figures['left out'])}."
        yield ""


def _faster(ratio: float) -> str:
    return f"{number(ratio)} (the peer is faster)" if ratio > 1 else number(ratio)


def _parsers(figures: Figures) -> Table:
    cells: dict[tuple[str, str], dict[str, str]] = {}
    for row in figures.get("beside", ()):
        if "ratio" in row:
            own = cells.setdefault((row["dialect"], row["parser"]), {})
            own[row["size"]] = f"{row['ours µs']:,.0f} / {row['theirs µs']:,.0f} ({number(row['ratio'])})"
    sizes = ("small", "ten in prose", "100 KB")
    yield from table(
        "Beside vLLM's parsers",
        ("dialect", "vLLM's parser", "one small call", "ten calls, in prose where it may be", "one call with 100 KB"),
        (
            (f"`{dialect}`", f"`{parser}`", *(own.get(size, "") for size in sizes))
            for (dialect, parser), own in cells.items()
        ),
        "Ours / vLLM's in µs of CPU time, and the ratio; below 1, ours is faster.",
    )


def _strict(figures: Figures) -> Table:
    yield from table(
        "The strict parser, a reply of two thousand characters",
        ("dialect", "µs", "times `json.loads` of the arguments"),
        ((f"`{name}`", number(row["us"]), number(row["ratio"])) for name, row in figures["replies"].items()),
    )


def _chat_templates(figures: Figures) -> Table:
    yield from table(
        "A chat template with all its probes",
        ("", "ms", "plain rendering, ms", "ratio"),
        ((row["what"], number(row["ms"]), number(row["control"]), number(row["ratio"])) for row in figures["rows"]),
        "Every conversation rendered in a process of its own and read back, beside rendering it with Jinja alone.",
    )


def _features(figures: Figures) -> Table:
    rows = [row for row in figures["rows"] if row["size"] == "1 MB"]
    kinds = list(dict.fromkeys(row["kind"] for row in rows))
    cells: dict[str, dict[str, str]] = {}
    for row in rows:
        cells.setdefault(row["what"], {})[row["kind"]] = f"{number(row['p50'])} / {number(row['p95'])}"
    yield from table(
        "What an editor asks, at 1 MB",
        ("p50 / p95, ms", *kinds),
        ((what, *(own.get(kind, "") for kind in kinds)) for what, own in cells.items()),
    )


def _loop(figures: Figures) -> Table:
    rows = ((what, number(took)) for what, took in figures["turn_us"].items())
    yield from table("A turn of the feedback loop", ("", "µs"), rows)


def _streams(lines: Sequence[str]) -> Table:
    yield from table(
        "Many streams at once",
        ("", ""),
        ([part.strip() for part in line.split(":", 1)] for line in lines if ":" in line),
    )


def _corpus(figures: Figures) -> Table:
    yield from table(
        "Corpora",
        ("rows", "`corpus check`, MB/s", "decoding alone, MB/s", "ratio", "target", "", "peak / of decoding, MB"),
        (
            (
                f"{row['what']}, {row['share']}",
                number(row["check"]),
                number(row["control"]),
                number(row["ratio"]),
                number(CORPUS_RATIOS.get(row["share"])),
                at_least(row["ratio"], CORPUS_RATIOS[row["share"]]) if row["share"] in CORPUS_RATIOS else "",
                f"{number(row['peak_mb'])} / {number(row['control_peak_mb'])}",
            )
            for row in figures["rates"]
        ),
        "One worker, by what its units take of the processor once all is loaded; MB are those of the rows as JSON,"
        " however they are stored.",
    )
    yield from table(
        "Corpora: workers and engines",
        ("", "figure", "a loop that counts"),
        [
            *((f"a corpus of one row, {row['what']}", f"{number(row['seconds'])} s", "") for row in figures["starts"]),
            *(
                (
                    f"two workers of {row['what']} to one, {number(row['mb'])} MB, 1 % faulty",
                    f"{number(row['gained'])} ({number(row['one'])} to {number(row['two'])} s)",
                    number(row["possible"]),
                )
                for row in figures["scaling"]
            ),
            *(("what a unit costs beside its rows", f"{number(row['unit_ms'])} ms", "") for row in figures["fixed"]),
            *(
                ("to put a diagnostic in its place", f"{number(row['diagnostic_us'])} µs", "")
                for row in figures["fixed"]
            ),
        ],
    )


def _wild(figures: Figures) -> Table:
    yield from table(
        "What people have: opening and a keystroke",
        ("document", "opening, ms", "echo", "keystroke p50 / p95, ms", "echo", "p50 in echoes", "CPU, ms"),
        (
            (
                f"{row['kind']}, {row['size']}",
                number(row["opened"]),
                number(row["echo_opened"]),
                f"{number(row['p50'])} / {number(row['p95'])}",
                f"{number(row['echo_p50'])} / {number(row['echo_p95'])}",
                number(row["p50"] / row["echo_p50"]),
                number(row["cpu"]),
            )
            for row in figures.get("keystrokes", ())
        ),
    )
    yield from table(
        "What people have: beside linters",
        ("files", "`callwright check`, ms", "CPU, ms", "linter", "its ms", "its CPU, ms", "times as fast"),
        (
            (
                row["what"],
                number(row["ms"]),
                number(row["cpu"]),
                row["peer"],
                *(
                    (number(row["peer_ms"]), number(row["peer_cpu"]), number(row["ratio"]))
                    if "ratio" in row
                    else (f"not installed (`{row['install']}`)", "", "")
                ),
            )
            for row in figures.get("processes", ())
        ),
        "Whole processes in turns, on the same files: the median of the time, the least of the CPU time. The linters"
        " have rules of their own.",
    )
    yield from table(
        "What people have: a folder of many files",
        ("", "figure", "target", ""),
        (line for row in figures.get("workspace", ()) for line in _folder(row)),
        "`workspace/diagnostic`, while someone types in another document.",
    )
    yield from table(
        "What people have: a thousand tools",
        ("`callwright tools`", "s", "CPU, s", "target", ""),
        (
            (
                f"{row['what']}, {number(row['mb'])} MB",
                number(row["s"]),
                number(row["cpu_s"]),
                number(TOOLS_SECONDS),
                at_most(row["s"], TOOLS_SECONDS),
            )
            for row in figures.get("tools", ())
        ),
        "Whole processes.",
    )


def _folder(row: Figures) -> Iterator[Sequence[str]]:
    # Fewer files, as in the quick form, are to take their part of it.
    aim = MANY_SECONDS * min(1.0, row["mb"] / MANY_SIZE)
    yield (
        f"{row['files']:,} files, {number(row['mb'])} MB",
        f"{number(row['seconds'])} s ({number(row['cpu_s'])} s of CPU time)",
        f"{number(aim)} s",
        at_most(row["seconds"], aim),
    )
    yield "held after it", f"{number(row['held_mb'])} MB", f"{number(MANY_MB)} MB", at_most(row["held_mb"], MANY_MB)
    yield "held at most; before it", f"{number(row['peak_mb'])} MB; {number(row['idle_mb'])} MB", "", ""
    yield "held meanwhile by the processes beside it", f"{number(row['beside_mb'])} MB", "", ""
    typed = f"{number(row['typed_p50'])} / {number(row['typed_p95'])} ms ({row['typed']:.0f} keystrokes)"
    yield "a keystroke meanwhile, p50 / p95", typed, "", ""
    yield "a keystroke without it, p50 / p95", f"{number(row['alone_p50'])} / {number(row['alone_p95'])} ms", "", ""
    unchanged = f"{row['unchanged']:,.0f} of {row['reports']:,.0f} unchanged"
    yield f"the same request again, {unchanged}", f"{number(row['again_s'])} s", "", ""


LAYOUTS: Mapping[str, Callable[[Any], Table]] = {
    "lsp": _lsp,
    "check": _check,
    "documents": _documents,
    "engine": _engine,
    "transcripts": _transcripts,
    "memory": _memory,
    "peers": _peers,
    "parsers": _parsers,
    "features": _features,
    "strict": _strict,
    "loop": _loop,
    "chat_templates": _chat_templates,
    "corpus": _corpus,
    "streams": _streams,
    "wild": _wild,
}
