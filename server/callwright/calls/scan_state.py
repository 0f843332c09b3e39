"""The scan state: what readers know of one text while it is read from its beginning to its end.

Owns: `ScanState`, `Claims`. Must not know: what calls look like, tools, any single dialect.

It belongs to one reading of one text, which goes from candidate to candidate in rising order, and keeps that reading
linear: nothing is sought, parsed or judged twice.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from callwright.syntax.searches import Searches
from callwright.text.facts import Facts


@dataclass(slots=True)
class Claims:
    """Up to where the text belongs to what was read and is no call: nothing of its kind begins before that place.

    `objects`: broken JSON without a call. `values`: a value that is no call; what is in it is none either. `python`: an
    expression that is no call. `elements`: text beside elements. `unmarked`: JSON without the mark of a provider's
    call. `markers`: a marker that announces nothing.
    """

    objects: int = -1
    values: int = -1
    python: int = -1
    elements: int = -1
    unmarked: int = -1
    markers: int = -1

    def after_growth(self, shift: int, at: int) -> Claims:
        """Return the claims that hold from `at` on in a text that lost its first `shift` characters, and goes on.

        What is claimed for want of a mark is not among them: the mark may come.
        """
        places = (self.objects, self.values, self.python, self.elements)
        return Claims(*(place - shift if place - shift > at else -1 for place in places))


@dataclass(slots=True)
class ScanState:
    """What is known of a text.

    `looked` is how far the text was looked at, `sought` how far something was sought that is not there: to its end.
    `window` is the text's length where it is the beginning of a longer one, None where it is whole. `line` is a place
    with the beginning of its line, `after_call` where the text goes on after a call that is a bare tag. `verdicts` say
    why a bare tag of a name may begin a call, as long as the same fence is open. `facts` are what several readers would
    each derive of the text.
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
        """Go on from `at` with a text that lost its first `shift` characters and goes on further."""
        self.claims = self.claims.after_growth(shift, at)
        self.scanned = self.sought = 0
        self.line, self.after_call = (-1, 0), -1
        self.searches.clear()
        self.facts.clear()
