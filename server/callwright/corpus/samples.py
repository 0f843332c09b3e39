"""Samples: what a report shows of the results of a check.

Owns: which diagnostics are shown, how much of a corpus is shown. Must not know: pages, commands.

Every diagnostic has a number that depends on its place alone (shard, row, turn, call, field), as if it were drawn by
lot: the lowest numbers of a rule, and of a rule and a tool, are its samples. So they do not depend on how the
diagnostics are spread, nor on how many workers look for them, and no shard is preferred.

Invariant: what is held does not grow with the corpus, but for the summary, which a check holds, too. The engine counts;
of a frequent kind of diagnostic it passes only those whose numbers are low enough to be samples.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from heapq import nsmallest
from typing import TYPE_CHECKING, Any, Final

from callwright.corpus.engine import Engine, carried_out
from callwright.corpus_view import CorpusView, Named, RuleView, SampleView, ShardView, ToolView
from callwright.rules.catalogue import find_rule, title_of

if TYPE_CHECKING:
    from callwright.corpus.results import Results

#: How many rules have samples, how many tools of a rule, and how many samples each of them has.
RULES: Final = 60
TOOLS: Final = 8
SAMPLES: Final = 3
#: How many names of a kind are listed with their counts, and how many shards.
NAMES: Final = 100
SHARDS: Final = 50
#: How many diagnostics of a kind are read for its samples, about. That fewer than three are found among them happens
#: less often than once in 10^14 kinds.
_DRAWN: Final = 40
#: How much of a text of the corpus is shown.
_SHOWN: Final = 1_000
#: The columns of a diagnostic that are read.
_COLUMNS: Final = (
    *("severity", "message", "raw", "source", "row", "turn", "call", "field", "start", "end", "dialect", "fixable"),
)
_LOT: Final = "lot"
#: There are as many lots as a whole number of 64 bits has values.
_LOTS: Final = 1 << 64


@dataclass(slots=True)
class _Kind:
    """The diagnostics of a rule, with those of each of the tools that it finds most in."""

    count: int = 0
    tools: dict[str | None, int] = field(default_factory=dict)
    others: int = 0
    rest: int = 0


def view_of(results: Results, engine: Engine) -> CorpusView:
    """Return what a report shows of results. Raises CorpusError where the engine gives up."""
    stated = results.summary
    with carried_out(engine):
        kinds = _kinds(results)
        shown = sorted(kinds, key=lambda rule: (-kinds[rule].count, rule))[:RULES]
        drawn = _drawn(results, {rule: kinds[rule] for rule in shown})
    return CorpusView(
        rows=stated["rows"],
        found_in=stated["found_in"],
        faulty=stated["faulty"],
        diagnostics=stated["diagnostics"],
        fixable=stated["fixable"],
        severities=stated["severities"],
        by_rule=_named({title_of(code): count for code, count in stated["rules"].items()}),
        by_tool=_named(stated["tools"]),
        by_dialect=_named(stated["dialects"]),
        by_shard=_named({each["source"]: each["faulty"] for each in stated["shards"] if each["faulty"]}),
        shards=_worst(stated["shards"]),
        all_shards=len(stated["shards"]),
        rules=tuple(_rule(rule, kinds[rule], drawn) for rule in shown),
        other_rules=len(kinds) - len(shown),
    )


def _named(counts: Mapping[str, int]) -> Named:
    ordered = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    rest = ordered[NAMES:]
    named = tuple((_cut(name), count) for name, count in ordered[:NAMES])
    return Named(named, len(rest), sum(count for _, count in rest))


def _worst(shards: list[dict[str, Any]]) -> tuple[ShardView, ...]:
    """Return the shards with the largest part of rows that have an error."""

    def bad(shard: dict[str, Any]) -> tuple[float, int, int, str]:
        return (-shard["faulty"] / max(shard["rows"], 1), -shard["faulty"], -shard["diagnostics"], shard["source"])

    found = nsmallest(SHARDS, (each for each in shards if each["diagnostics"]), key=bad)
    return tuple(
        ShardView(
            _cut(each["source"]),
            each["rows"],
            each["faulty"],
            each["diagnostics"],
            min(each["rules"], key=lambda code: (-each["rules"][code], code), default=None),
        )
        for each in found
    )


def _kinds(results: Results) -> dict[str, _Kind]:
    """Return how many diagnostics each rule has of each tool."""
    from daft import col

    counted = results.frame().groupby("rule", "tool").agg(col("row").count().alias("count"))
    kinds: dict[str, _Kind] = {}
    # Those of a rule come with the most frequent first, so that no more of them are held than are shown.
    for one in _rows(counted.sort(["rule", "count", "tool"], desc=[False, True, False])):
        kind = kinds.setdefault(one["rule"], _Kind())
        kind.count += one["count"]
        if len(kind.tools) < TOOLS:
            kind.tools[one["tool"]] = one["count"]
        else:
            kind.others += 1
            kind.rest += one["count"]
    return kinds


#: The samples of a rule, and of a rule and a tool, with their lots.
_Drawn = dict[tuple[str, str | None, bool], list[tuple[int, tuple[Any, ...], SampleView]]]


def _drawn(results: Results, kinds: Mapping[str, _Kind]) -> _Drawn:
    """Return the samples by rule, tool, and whether they are those of the tool."""
    drawn: _Drawn = {}
    for one in _candidates(results, kinds):
        kind = kinds[one["rule"]]
        place = tuple((each is not None, each) for each in (one["source"], one["row"], one["start"], one["message"]))
        entry = (one[_LOT], place, _sample(one))
        keys = [(one["rule"], None, False)]
        if one["tool"] in kind.tools:
            keys.append((one["rule"], one["tool"], True))
        for key in keys:
            samples = drawn.setdefault(key, [])
            samples.append(entry)
            samples.sort(key=lambda each: each[:2])
            del samples[SAMPLES:]
    return drawn


def _candidates(results: Results, kinds: Mapping[str, _Kind]) -> Iterator[dict[str, Any]]:
    """Yield the diagnostics that may be samples."""
    from daft import col, lit
    from daft.functions import concat

    limits: dict[str, list[Any]] = {"rule": [], "tool": [], "limit": []}
    for rule, kind in kinds.items():
        for tool, count in kind.tools.items():
            limits["rule"].append(rule)
            limits["tool"].append(tool)
            limits["limit"].append(_limit(count))
    if not limits["rule"]:
        return
    # What is null is like nothing where tables are joined, so each tool goes by a key.
    keys = ["" if tool is None else f"={tool}" for tool in limits.pop("tool")]
    bounds = _table({"of": limits["rule"], "key": keys}, {"limit": limits["limit"]})
    wide = _table({"of": list(kinds)}, {"wide": [_limit(kind.count) for kind in kinds.values()]})
    frame = results.frame().with_column("key", concat(lit("="), col("tool")).fill_null("")).with_column(_LOT, _lot())
    joined = frame.join(wide, left_on="rule", right_on="of").join(
        bounds, left_on=["rule", "key"], right_on=["of", "key"], how="left"
    )
    wanted = joined.where((col(_LOT) <= col("wide")) | (col(_LOT) <= col("limit")))
    yield from _rows(wanted.select("rule", "tool", _LOT, *_COLUMNS))


def _table(texts: Mapping[str, list[str]], limits: Mapping[str, list[int]]) -> Any:
    import daft
    import pyarrow as pa

    columns = {name: pa.array(values, pa.string()) for name, values in texts.items()}
    columns |= {name: pa.array(values, pa.uint64()) for name, values in limits.items()}
    return daft.from_arrow(pa.table(columns))


def _lot() -> Any:
    """Return the lots of diagnostics, which depend on their places alone."""
    from daft import col, lit
    from daft.functions import concat
    from daft.functions import hash as hashed

    place = concat(col("source"), lit("\0"))
    for name in ("row", "turn", "call", "start"):
        place = concat(place, concat(col(name).cast("string").fill_null("-"), lit("\0")))
    return hashed(concat(place, col("field")), hash_function="xxhash64")


def _limit(count: int) -> int:
    """Return below which lot a diagnostic may be a sample where there are `count` of its kind."""
    return _LOTS - 1 if count <= _DRAWN else _LOTS // count * _DRAWN


def _rows(frame: Any) -> Iterator[dict[str, Any]]:
    for batch in frame.to_arrow_iter():
        yield from batch.to_pylist()


def _rule(code: str, kind: _Kind, drawn: _Drawn) -> RuleView:
    rule = find_rule(code)
    return RuleView(
        code,
        rule.name if rule is not None else None,
        (type(rule).__doc__ or "").strip().partition("\n")[0] if rule is not None else None,
        kind.count,
        _in_order(drawn, (code, None, False)),
        tuple(ToolView(tool, count, _in_order(drawn, (code, tool, True))) for tool, count in kind.tools.items()),
        kind.others,
        kind.rest,
    )


def _in_order(drawn: _Drawn, key: tuple[str, str | None, bool]) -> tuple[SampleView, ...]:
    return tuple(sample for _, _, sample in sorted(drawn.get(key, ()), key=lambda each: each[1]))


def _sample(one: Mapping[str, Any]) -> SampleView:
    stated = {name: one[name] for name in _COLUMNS}
    command = f"callwright corpus row {shlex.quote(one['source'])} {one['row']}"
    for name in ("message", "raw", "field"):
        stated[name] = _cut(stated[name])
    return SampleView(**stated, command=command)


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
