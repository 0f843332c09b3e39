"""Deadlines: how long the analysis of a document may take before what is known of it is reported.

Owns: `DEADLINE`, `Deadline`, and the text that says that more is to come. Must not know: messages, what is analysed.

An analysis continues after its deadline, in slices as before. What has been found until then is shown meanwhile, with a
diagnostic that says so; the final result replaces it.
"""

from __future__ import annotations

from typing import Final

#: How long the slices of one analysis may take together before what is known is reported, in seconds.
DEADLINE: Final = 0.5
#: How many diagnostics are reported at most before all are known, so that no message waits long while they are sent.
MAX_COUNT: Final = 500


class Deadline:
    """The deadline of one document's analysis.

    Invariant: for each version of the document it passes once at most, until the analysis has ended.
    """

    __slots__ = ("_spent", "_version", "reported")

    def __init__(self) -> None:
        """Begin with nothing spent."""
        self._version: int | None = None
        self._spent = 0.0
        #: Whether what is known of this version has been reported.
        self.reported = False

    def passes(self, version: int, seconds: float, limit: float) -> bool:
        """Record how long a slice for a version took; return whether the deadline has passed with this slice.

        `limit` is how long all slices may take. A newer version has a deadline of its own.
        """
        if version != self._version:
            self._version, self._spent, self.reported = version, 0.0, False
        self._spent += seconds
        if self.reported or self._spent < limit:
            return False
        self.reported = True
        return True

    def met(self) -> bool:
        """Record that the analysis has ended; return whether what was known had been reported before."""
        reported, self.reported = self.reported, False
        self._spent = 0.0
        return reported


def still_reading(read: int, size: int, found: int) -> str:
    """Return in words that a document of `size` characters is still being read, `found` diagnostics being shown."""
    share = 100 * read // size if size else 100
    shown = "No diagnostics so far" if not found else f"The {found:,} diagnostics found so far are shown"
    if found == 1:
        shown = "The one diagnostic found so far is shown"
    return f"This document is still being read: {share} % of it so far. {shown}; the others follow."
