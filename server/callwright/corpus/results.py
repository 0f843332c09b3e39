"""Results: a folder that a check of a corpus has written, opened again.

Owns: what such a folder must hold, its summary, its diagnostics as a frame of the engine. Must not know: what is made
of them, engines' addresses.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from callwright.corpus.diagnostics import CorpusDiagnostic, columns_of
from callwright.corpus.failure import CorpusError

#: What a check calls its files.
SUMMARY: Final = "summary.json"
HAS_DIAGNOSTICS: Final = "diagnostics.parquet"
#: Characters with another meaning in a pattern.
_SPECIAL: Final = re.compile(r"[*?\[{}]")
#: What a summary must contain: counts, and counts by name.
_COUNTS: Final = ("rows", "diagnostics", "faulty", "found_in", "fixable")
_NAMED: Final = ("rules", "tools", "dialects", "severities")


@dataclass(frozen=True, slots=True)
class Results:
    """A folder of results: its `summary`, and the table of diagnostics."""

    folder: Path
    summary: dict[str, Any]

    @property
    def diagnostics(self) -> Path:
        """Where the table of diagnostics lies."""
        return self.folder / HAS_DIAGNOSTICS

    def frame(self) -> Any:
        """Return the diagnostics as a frame of the engine, whose runner is chosen already."""
        import daft

        # A path is taken for a pattern.
        return daft.read_parquet(_SPECIAL.sub(r"[\g<0>]", str(self.diagnostics.absolute())))


def open_results(folder: str) -> Results:
    """Open a folder of results. Raises CorpusError where it is none, or one that is not whole."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = Path(folder)
    for name in (SUMMARY, HAS_DIAGNOSTICS):
        if not (path / name).is_file():
            raise CorpusError(
                f"`{folder}`: no `{name}` in this folder; name the output folder of `callwright corpus check`, or check"
                " the corpus first"
            )
    try:
        summary = json.loads((path / SUMMARY).read_text(encoding="utf-8"))
        columns = pq.read_schema(path / HAS_DIAGNOSTICS)
    except (OSError, ValueError, pa.ArrowException) as error:
        raise CorpusError(
            f"`{folder}`: the results cannot be read: {_first_line(error)}. Check the corpus again."
        ) from None
    lacking = [
        *_lacking(summary),
        *(each.name for each in columns_of(CorpusDiagnostic) if each.name not in columns.names),
    ]
    if lacking:
        raise CorpusError(
            f"`{folder}`: the results have no `{lacking[0]}`: they were written by another version of Callwright or by"
            " another command. Check the corpus again."
        )
    return Results(path.absolute(), summary)


def _lacking(summary: Any) -> list[str]:
    """Return what is missing in a summary."""
    stated = summary if isinstance(summary, dict) else {}
    shards = stated.get("shards")
    if not isinstance(shards, list) or not all(isinstance(each, dict) and "source" in each for each in shards):
        return ["shards"]
    return [
        name
        for each in (stated, *shards)
        for names, kind in ((_COUNTS, int), (_NAMED, dict))
        for name in names
        if not isinstance(each.get(name), kind)
    ]


def _first_line(error: Exception) -> str:
    stated = str(error).strip().splitlines()
    return stated[0].rstrip(".") if stated else type(error).__name__
