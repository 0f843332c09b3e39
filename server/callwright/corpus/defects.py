"""Defects: diagnostics that repeat one another, grouped.

Owns: when two diagnostics are of one defect, the table of defects. Must not know: how diagnostics came about, commands.

Diagnostics are of one defect where rule, severity and tool are the same, the field is the same but for places in lists
(`messages[2].content` is `messages[*].content`), and the form of what they are about is the same. The **form** is the
raw text in which

1. a word that holds a digit has become `#`: numbers, dates, ids, and what is numbered (`call_8f3a`, `3.14`, `item-2`);
   a word is letters, digits, `_` and `-`, after its first digit `.` and `:`, too;
2. a string in double quotes keeps its first 16 characters, and so does the text between two tags;
3. white space is one blank;
4. the first 120 characters are kept.

The engine does all of it, by an aggregation first within each shard and then over all. So no worker holds more than its
share of the groups, and the table is the same whichever engine makes it, however diagnostics are spread.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from callwright.corpus.engine import Engine, carried_out

if TYPE_CHECKING:
    import pyarrow as pa

    from callwright.corpus.results import Results

DEFECTS: Final = "defects.parquet"
#: What makes one defect.
KEY: Final = ("rule", "severity", "tool", "field", "form")
#: How many characters of a string, and of a whole form, are kept.
_PREFIX: Final = 16
_FORM: Final = 120
#: The replacements that make a form, in order; in the engine's syntax of patterns, which is always linear.
_STEPS: Final = (
    (r"[\p{L}_-]*[0-9][\p{L}0-9_.:-]*", "#"),
    (rf'(?s)("(?:[^"\\]|\\.){{0,{_PREFIX}}}")|("(?:[^"\\]|\\.){{{_PREFIX}}})(?:[^"\\]|\\.)*', "${1}${2}"),
    (rf"(>[^<]{{{_PREFIX}}})[^<]+", "${1}"),
    (r"\s+", " "),
)
#: How many digits the numbers in a place have, so that texts are sorted as numbers are.
_DIGITS: Final = 19
#: The columns of a diagnostic that say where it is, after the source.
_PLACE: Final = ("row", "turn", "call", "start", "end")
#: Those that describe what is there, each with its length in front.
_REPORTED: Final = ("field", "message", "raw")
#: How many defects are in one row group.
_GROUP: Final = 65_536


def schema() -> pa.Schema:
    """Return the columns of a table of defects.

    `count` diagnostics are of the defect, `fixable` of them are fixed by a safe fix, and `share` is the part of all
    diagnostics; they are in `rows` rows of `sources` shards. What begins with `first_` is about the first of them.
    """
    import pyarrow as pa

    counts = [pa.field(name, pa.int64()) for name in ("count", "fixable", "sources", "rows")]
    key = [pa.field(name, pa.string()) for name in KEY]
    firsts = [pa.field("first_source", pa.string())]
    firsts += [pa.field(f"first_{name}", pa.int64()) for name in _PLACE]
    firsts += [pa.field(f"first_{name}", pa.string()) for name in _REPORTED]
    return pa.schema([*key, counts[0], pa.field("share", pa.float64()), *counts[1:], *firsts])


def dedupe(results: Results, engine: Engine, most: int) -> tuple[int, list[dict[str, Any]]]:
    """Write the table of defects into the folder of results; return how many there are, and the `most` frequent ones.

    Raises CorpusError where the engine gives up.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = schema()
    target = results.folder / DEFECTS
    unfinished = target.with_name(f"{DEFECTS}.unfinished")
    named: list[dict[str, Any]] = []
    total = 0
    try:
        with carried_out(engine), pq.ParquetWriter(unfinished, columns, compression="zstd") as writer:
            held: list[dict[str, Any]] = []
            for each in _defects(results):
                total += 1
                if len(named) < most:
                    named.append(each)
                held.append(each)
                if len(held) >= _GROUP:
                    writer.write_table(pa.Table.from_pylist(held, columns))
                    held.clear()
            if held:
                writer.write_table(pa.Table.from_pylist(held, columns))
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)
    return total, named


def _defects(results: Results) -> Iterator[dict[str, Any]]:
    """Yield the defects, the most frequent first."""
    from daft import col

    frame = results.frame()
    found = frame.select(
        *(col(name) for name in ("rule", "severity", "tool", "source", "row", "fixable")),
        _general(col("field")).alias("field"),
        _form(col("raw")).alias("form"),
        _packed().alias("first"),
    )
    one = found.with_column("one", found["row"] * 0 + 1)
    shards = one.groupby(*KEY, "source").agg(
        col("one").sum().alias("count"),
        col("fixable").cast("int64").sum().alias("fixable"),
        col("row").count_distinct().alias("rows"),
        col("first").min().alias("first"),
    )
    whole = shards.groupby(*KEY).agg(
        col("count").sum().alias("count"),
        col("fixable").sum().alias("fixable"),
        col("rows").sum().alias("rows"),
        col("source").count().alias("sources"),
        col("first").min().alias("first"),
    )
    ordered = whole.sort(["count", *KEY], desc=[True, *(False for _ in KEY)])
    total = max(results.summary["diagnostics"], 1)
    for batch in ordered.to_arrow_iter():
        for defect in batch.to_pylist():
            first = _unpacked(defect.pop("first"))
            yield {**defect, "share": defect["count"] / total, **first}


def _general(field: Any) -> Any:
    """Return a field without its places in lists."""
    from daft.functions import regexp_replace

    return regexp_replace(field, r"\[[0-9]+\]", "[*]")


def _form(raw: Any) -> Any:
    """Return the form of raw texts."""
    from daft.functions import left, regexp_replace

    for pattern, become in _STEPS:
        raw = regexp_replace(raw, pattern, become)
    return left(raw, _FORM)


def _packed() -> Any:
    """Return diagnostics as texts of which the smallest is that of the first diagnostic; no name of a file holds a
    NUL."""
    from daft import col, lit
    from daft.functions import concat, length, lpad

    packed = concat(col("source"), lit("\0"))
    for name in _PLACE:
        # What is null is first.
        number = col(name).cast("int64").fill_null(-1) + 1
        packed = concat(packed, lpad(number.cast("string"), _DIGITS, "0"))
    for name in _REPORTED:
        packed = concat(packed, lpad(length(col(name)).cast("string"), _DIGITS, "0"))
    for name in _REPORTED:
        packed = concat(packed, col(name))
    return packed


def _unpacked(packed: str) -> dict[str, Any]:
    """Return the diagnostic that was packed."""
    source, _, rest = packed.partition("\0")
    stated: dict[str, Any] = {"first_source": source}
    numbers = iter(range(0, len(rest), _DIGITS))
    for name, at in zip(_PLACE, islice(numbers, len(_PLACE)), strict=True):
        number = int(rest[at : at + _DIGITS]) - 1
        stated[f"first_{name}"] = None if number < 0 else number
    lengths = [int(rest[at : at + _DIGITS]) for at in islice(numbers, len(_REPORTED))]
    at = _DIGITS * (len(_PLACE) + len(_REPORTED))
    for name, length in zip(_REPORTED, lengths, strict=True):
        stated[f"first_{name}"] = rest[at : at + length]
        at += length
    return stated
