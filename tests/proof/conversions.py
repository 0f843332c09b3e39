"""What a conversion to another dialect and back does to the arguments of a call.

Owns: the choice of calls, the count of what came of them. Must not know: any single dialect.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from enum import Enum
from itertools import permutations
from typing import Any, Final

from callwright.conversion import convert_document, first_difference
from callwright.dialects.catalogue import find_dialect
from invariants.corpus import call_markers_of, seeded
from invariants.test_conversion_keeps_values import NASTY, in_prose, only_call, written
from invariants.texts import EMPTY, REGISTRY, opened
from proof.claim import Claim, share
from support.dialects import general_names

TITLE: Final = "Conversions lose nothing, or refuse"
#: Texts that are drawn for each pair of dialects, of all that are awkward.
DRAWN: Final = 6
_ABOUT: Final = f"""\
Every dialect is converted to every other one and back: calls with values of all types, and calls with {DRAWN} texts
drawn for each pair that are awkward to write, such as quotes, entities, control characters, and the markers of the
dialects themselves. *Kept*: the same arguments with the same types are read in the other dialect and after the way
back. *Refused*: the dialect cannot express the value; the command says why and leaves the text alone. *Changed*:
neither of these."""
_TYPED: Final[tuple[tuple[str, Mapping[str, Any]], ...]] = (
    ("git_status", {}),
    ("read_file", {"path": "src/a.py", "limit": 10}),
    ("debug_launch", {"program": "a", "args": ["-v", "007", ""], "env": {"A": "1"}, "timeout": 1.5}),
    ("edit_file", {"path": "a", "edits": [{"old": "x", "new": "y"}, {"old": "z", "new": ""}]}),
)


class Outcome(Enum):
    """What came of one call."""

    KEPT = "kept"
    REFUSED = "refused"
    CHANGED = "changed"
    UNWRITTEN = "the first dialect cannot write it"


def _outcome(tool: str, arguments: dict[str, Any], one: str, other: str) -> Outcome:
    registry = REGISTRY if REGISTRY.has(tool) else EMPTY
    text = written(tool, arguments, one, registry, compact=True)
    read = only_call(in_prose(text), registry) if text is not None else None
    if text is None or read is None or read[0] != tool or read[2] == other:
        return Outcome.UNWRITTEN
    there = convert_document(opened(in_prose(text), registry=registry, by_shape=True), other)
    if there.refused:
        return Outcome.REFUSED if there.refused[0].reason and there.text == in_prose(text) else Outcome.CHANGED
    back = convert_document(opened(there.text, registry=registry, by_shape=True), one)
    ways = [there.text] if back.refused else [there.text, back.text]
    for converted in ways:
        found = only_call(converted, registry)
        if found is None or found[0] != tool or first_difference(read[1], found[1]) is not None:
            return Outcome.CHANGED
    return Outcome.KEPT


def claim() -> Claim:
    """Convert."""
    typed, awkward = Counter[Outcome](), Counter[Outcome]()
    for one, other in permutations(general_names(), 2):
        assert find_dialect(one) is not None
        typed.update(_outcome(tool, dict(arguments), one, other) for tool, arguments in _TYPED)
        texts = [*NASTY, *call_markers_of(one), *call_markers_of(other)]
        for text in seeded(f"{one} {other}").sample(texts, DRAWN):
            awkward[_outcome("write_file", {"path": "a", "content": text}, one, other)] += 1
    rows = (_row("values of all types", typed), _row("awkward texts", awkward))
    pairs = len(general_names()) * (len(general_names()) - 1)
    head = (f"calls, {pairs:,} pairs of dialects", "converted", "kept", "refused", "changed")
    return Claim(_ABOUT, head, rows, not (typed + awkward)[Outcome.CHANGED] and not typed[Outcome.REFUSED])


def _row(name: str, counts: Counter[Outcome]) -> tuple[str, ...]:
    tried = sum(counts.values()) - counts[Outcome.UNWRITTEN]
    kept, refused, changed = (counts[each] for each in (Outcome.KEPT, Outcome.REFUSED, Outcome.CHANGED))
    return (name, f"{tried:,}", share(kept, tried), share(refused, tried), f"{changed:,}")
