"""The content of a corpus report: its figures, its worst shards, and samples of diagnostics, as plain values.

Owns: `CorpusView` and what it is made of. Must not know: HTML, how a corpus is read, engines, commands.

The content is bounded for a corpus of any size: the largest counts are by name, the rest as a sum.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Named:
    """Counts by name, the largest first; `others` more names have `rest` together."""

    named: tuple[tuple[str, int], ...]
    others: int = 0
    rest: int = 0


@dataclass(frozen=True, slots=True)
class ShardView:
    """One shard. `commonest` is the rule with most diagnostics in it."""

    source: str
    rows: int
    faulty: int
    diagnostics: int
    commonest: str | None


@dataclass(frozen=True, slots=True)
class SampleView:
    """One diagnostic: its message, the text at it, and its place; `command` is the command that shows its row."""

    severity: str
    message: str
    raw: str
    source: str
    row: int
    turn: int | None
    call: int | None
    field: str
    start: int | None
    end: int | None
    dialect: str | None
    fixable: bool
    command: str


@dataclass(frozen=True, slots=True)
class ToolView:
    """What a rule reports in calls of one tool; `tool` is None for no call, or one without a name."""

    tool: str | None
    count: int
    samples: tuple[SampleView, ...]


@dataclass(frozen=True, slots=True)
class RuleView:
    """What a rule reports, with samples of all of it, and the tools that it reports most in.

    `others` more tools have `rest` diagnostics together.
    """

    code: str
    name: str | None
    about: str | None
    count: int
    samples: tuple[SampleView, ...]
    tools: tuple[ToolView, ...]
    others: int = 0
    rest: int = 0


@dataclass(frozen=True, slots=True)
class CorpusView:
    """A corpus: `found_in` of its rows have a diagnostic, `faulty` an error. `shards` are the worst of `all_shards`."""

    rows: int
    found_in: int
    faulty: int
    diagnostics: int
    fixable: int
    severities: Mapping[str, int]
    by_rule: Named
    by_tool: Named
    by_dialect: Named
    by_shard: Named
    shards: tuple[ShardView, ...]
    all_shards: int
    rules: tuple[RuleView, ...]
    other_rules: int = 0
