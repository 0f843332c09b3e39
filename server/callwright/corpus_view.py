"""What a report shows of a corpus: its figures, its worst shards, and samples of what is wrong, as plain values.

Owns: `CorpusView` and what it is made of. Must not know: HTML, how a corpus is read, engines, commands.

What is shown is bounded, however large the corpus is: the largest counts stand by name, the rest in a sum.
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
    """One shard. `commonest` is the rule that it has most findings of."""

    source: str
    rows: int
    faulty: int
    diagnostics: int
    commonest: str | None


@dataclass(frozen=True, slots=True)
class SampleView:
    """One finding: what is said, what stands there, and where; `command` is what shows its row."""

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
    """What a rule finds in calls of one tool; `tool` is None where no call is meant, or one without a name."""

    tool: str | None
    count: int
    samples: tuple[SampleView, ...]


@dataclass(frozen=True, slots=True)
class RuleView:
    """What a rule finds, with samples of it all, and of the tools that it finds most in.

    `others` more tools have `rest` findings together.
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
    """A corpus: `found_in` of its rows have a finding, `faulty` an error. `shards` are the worst of `all_shards`."""

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
