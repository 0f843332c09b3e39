"""The patterns of schemas: regular expressions of ECMA 262, parsed without running them.

Owns: `Pattern`, `read_pattern`: what a pattern costs, how other engines differ, and the pattern in Python's syntax.
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

#: A longer pattern is not parsed: it was not written by hand.
MAX_LENGTH: Final = 10_000


@dataclass(frozen=True, slots=True)
class Pattern:
    """The result of parsing a pattern.

    `fault` says why it is invalid, None where it is valid. `degree` is the power of the text's length with which a
    search may grow in a backtracking engine, None where it grows exponentially (`exponential` is then true) or is not
    known. `ambiguous` is the part that causes this, as offsets. `inner_degree` is the power for a search with a fixed
    beginning. `python` is the pattern for Python's `re`, None where there is no equivalent. `fancy` says whether it
    needs backtracking, for lookarounds or backreferences.
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
    """Return the result of parsing a pattern; never raises."""
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
