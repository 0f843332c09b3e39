"""The patterns of schemas: regular expressions of ECMA 262, read without running them.

Owns: `Pattern`, `read_pattern`: what a pattern costs, what other engines make of it, and the same in Python's words.
Must not know: schemas, files. No pattern is ever run here; the work is bounded for any text.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from callwright.tools.pattern_cost import Automaton
from callwright.tools.pattern_parser import PatternFaultError, PatternParser

if TYPE_CHECKING:
    from callwright.tools.pattern_parser import Foreign

#: A longer pattern is not read: it is no one's own.
MAX_LENGTH: Final = 10_000


@dataclass(frozen=True, slots=True)
class Pattern:
    """What is known of a pattern.

    `fault` says why it is none (None where it is one). `degree` is the power of the text's length
    with which a search may grow in a backtracking engine, None where it grows exponentially or is not known;
    `exponential` tells the two apart. `ambiguous` is the part that is to blame, as offsets. `inner_degree` leaves out
    that a search may begin anywhere. `python` is the same for Python's `re`, None where it cannot say it. `fancy` tells
    whether it needs backtracking at all: looking around or back.
    """

    source: str
    fault: str | None = None
    degree: int | None = 0
    inner_degree: int | None = 0
    exponential: bool = False
    ambiguous: tuple[int, int] = (0, 0)
    python: str | None = None
    fancy: bool = False
    foreign: tuple[Foreign, ...] = ()


@lru_cache(maxsize=1_024)
def read_pattern(source: str) -> Pattern:
    """Return what is known of a pattern; never raises."""
    if len(source) > MAX_LENGTH:
        return Pattern(source, degree=None, inner_degree=None)
    parser = PatternParser(source)
    try:
        node = parser.whole()
    except PatternFaultError as error:
        return Pattern(source, str(error), degree=None, inner_degree=None, foreign=tuple(parser.foreign))
    cost = Automaton(node).cost()
    return Pattern(
        source,
        degree=None if cost.inner is None or cost.exponential else cost.searching,
        inner_degree=None if cost.exponential else cost.inner,
        exponential=cost.exponential,
        ambiguous=cost.where,
        python="".join(parser.python) if parser.translatable else None,
        fancy=parser.fancy,
        foreign=tuple(parser.foreign),
    )
