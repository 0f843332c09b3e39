"""What becomes of a sound call with one fault: whether it is found, located and restored.

Owns: the table of what `benchmarks/repair.py` counts, for so many faults of each kind. Must not know: kinds of faults.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Final

from benchmarks.faults.catalogue import all_kinds
from benchmarks.faults.corpora import samples
from benchmarks.repair import Tally, run
from proof.claim import Claim, share

TITLE: Final = "Faults are found at their place, and restored"
PER_KIND: Final = 12
SEED: Final = "proof"
#: Calls that are written by the dialects themselves, so that a new case of a test changes no figure.
CORPORA: Final = ("hard", "shipped")
#: What the claim asks for. A fault that makes another sound text, or prose, of a call cannot be found.
FOUND, LOCATED = 0.99, 0.95
_GROUPS: Final = {
    "json": "JSON",
    "xml": "XML",
    "python": "Python",
    "frame": "markers around a call",
    "schema": "values that the tool refuses",
}
_ABOUT: Final = f"""\
Sound calls of all dialects are damaged in one place: a quote, brace, comma or closer is lost or misspelt, a value has
another type. Parsers that are none of ours (`json`, `ast`, `lxml`, `jsonschema`) decide whether the damage is a fault.
There are {PER_KIND} faults of each kind, each read twice: with the dialect demanded, and without. *Located*: the first
report touches the place of the fault. *Restored*: the safe fixes give the sound call again, counted where nothing was
lost. *Wrong*: the safe fixes give another call that nothing is reported about. *json-repair*: how many of the same JSON
faults the library of that name restores, and how many it turns into other values without a word."""


def claim() -> Claim:
    """Damage, check and fix."""
    tallies = run(all_kinds(), samples(CORPORA, ()), PER_KIND, SEED)
    groups: dict[str, Tally] = defaultdict(Tally)
    kinds = {kind.name: kind.group for kind in all_kinds()}
    for name, tally in tallies.items():
        groups[kinds[name]].counts.update(tally.counts)
        groups["all"].counts.update(tally.counts)
    rows = tuple(_row(_GROUPS.get(name, "**all**"), groups[name]) for name in (*_GROUPS, "all"))
    total = groups["all"]
    holds = not total.counts["wrong"] and total.share("found") >= FOUND and total.share("located") >= LOCATED
    return Claim(_ABOUT, ("fault in", "read", "found", "located", "restored", "wrong", "json-repair"), rows, holds)


def _row(name: str, tally: Tally) -> tuple[str, ...]:
    counts = tally.counts
    trials, lossless, peer = counts["trials"], counts["lossless"], counts["json-repair"]
    beside = f"{share(counts['json-repair restored'], peer)}, {counts['json-repair wrong']} wrong" if peer else ""
    return (
        name,
        f"{trials:,}",
        share(counts["found"], trials),
        share(counts["located"], trials),
        share(counts["restored"], lossless) if lossless else "",
        f"{counts['wrong']:,}",
        beside,
    )
