"""Compares what was planted in a corpus with what was found.

Owns: `compare`. Must not know: how either came to be.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple


class Spot(NamedTuple):
    """Where a diagnostic is, and of which rule."""

    source: str
    row: int
    turn: int | None
    call: int | None
    tool: str | None
    rule: str


class Judgement(NamedTuple):
    """What was planted and not found, and what was found and not planted; both with how often."""

    missing: Counter[Spot]
    invented: Counter[Spot]


def spots(records: Iterable[Mapping[str, Any]]) -> Counter[Spot]:
    """Return where records say that something is; a source counts by the last part of its path."""
    return Counter(
        Spot(
            str(each["source"]).replace("\\", "/").rpartition("/")[2],
            each["row"],
            each["turn"],
            each["call"],
            each["tool"],
            each["rule"],
        )
        for each in records
    )


def planted(ledger: Path) -> Counter[Spot]:
    """Return what a ledger says."""
    with ledger.open(encoding="utf-8") as file:
        return spots(map(json.loads, file))


def compare(ledger: Path, diagnostics: Iterable[Mapping[str, Any]]) -> Judgement:
    """Return how diagnostics differ from a ledger: both parts are empty if every fault was found and none invented."""
    wanted, found = planted(ledger), spots(diagnostics)
    return Judgement(wanted - found, found - wanted)
