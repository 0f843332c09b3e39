"""The scan state: what parsers know about one text while they read it from beginning to end.

Owns: `ScanState`, `Claims`. Must not know: what calls look like, tools, any single dialect.

It belongs to one reading of one text, which visits candidates in ascending order, and keeps it linear: nothing is
searched or parsed twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from callwright.syntax.searches import Searches
from callwright.text.records import dataclass, field

if TYPE_CHECKING:
    from callwright.text.facts import Facts


@dataclass(slots=True)
class Claims:
    """Up to where the text was read and is not a call: nothing of its kind begins before that place.

    `objects`: broken JSON without a call. `values`: a value that is not a call, and contains none. `python`: an
    expression that is not a call. `elements`: text beside elements. `unmarked`: JSON without the keys of a provider's
    call. `markers`: a marker that no call follows.
    """

    objects: int = -1
    values: int = -1
    python: int = -1
    elements: int = -1
    unmarked: int = -1
    markers: int = -1

    def after_growth(self, shift: int, at: int) -> Claims:
        """Return the claims that hold from `at` on in a text that lost its first `shift` characters, and continues.

        Claims because a marker is missing are not among them: the marker may follow.
        """
        places = (self.objects, self.values, self.python, self.elements)
        return Claims(*(place - shift if place - shift > at else -1 for place in places))


@dataclass(slots=True)
class ScanState:
    """The state of the scan of a text.

    `scanned` is how far the text was scanned, `sought` how far something was searched that is not there: to its end.
    `window` is the text's length if it is the beginning of a longer one, None if it is whole. `line` is a place with
    the beginning of its line, `after_call` where the text after a call that is a bare tag begins. `outcomes` give the
    reason why a bare tag of a name may begin a call, as long as the same fence is open. `facts` are data about the text
    that several parsers share.
    """

    scanned: int = 0
    sought: int = 0
    window: int | None = None
    line: tuple[int, int] = (-1, 0)
    after_call: int = -1
    claims: Claims = field(default_factory=Claims)
    searches: Searches = field(default_factory=Searches)
    outcomes: dict[str, str | None] = field(default_factory=dict)
    facts: Facts = field(default_factory=dict)

    def grow(self, shift: int, at: int) -> None:
        """Continue from `at` with a text that lost its first `shift` characters and has grown."""
        self.claims = self.claims.after_growth(shift, at)
        self.scanned = self.sought = 0
        self.line, self.after_call = (-1, 0), -1
        self.searches.clear()
        self.facts.clear()
