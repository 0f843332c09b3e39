"""Searches: what was sought in one text from some place on, so that it is sought once.

Owns: `Searches`. Must not know: who searches, and for what.

Places are asked about in rising order, as a rule. A search that found something answers for every place up to there;
one that found nothing, for all places after the one where it began. So all searches for one thing take time linear in
the text, however many there are.
"""

from __future__ import annotations

import re
from collections.abc import Hashable


class Searches(dict[Hashable, tuple[int, int]]):
    """The latest search in a text for each thing that was sought. The text must not change under it.

    A value says from where on it was sought, and where the next one is: the text's length where there is none.
    """

    __slots__ = ()

    def known(self, key: Hashable, at: int) -> int | None:
        """Return where the next `key` at or after `at` is, None where that has to be sought."""
        since, found = self.get(key, (0, -1))
        return found if since <= at <= found else None

    def keep(self, key: Hashable, at: int, found: int) -> int:
        """Keep that the next `key` at or after `at` is at `found`, and return it."""
        self[key] = (at, found)
        return found

    def find(self, text: str, literal: str, at: int) -> int:
        """Return where a literal is next at or after `at`, -1 where nowhere."""
        found = self.known(literal, at)
        if found is None:
            found = text.find(literal, at)
            self.keep(literal, at, found if found >= 0 else len(text))
            return found
        return found if found < len(text) else -1

    def search(self, text: str, pattern: re.Pattern[str], at: int) -> int:
        """Return where a pattern matches next at or after `at`, -1 where nowhere.

        It must not depend on where the search begins.
        """
        # A pattern is hashed by its code each time, a string once.
        key = (re.Pattern, pattern.pattern)
        found = self.known(key, at)
        if found is None:
            match = pattern.search(text, at)
            found = self.keep(key, at, match.start() if match is not None else len(text))
        return found if found < len(text) else -1
