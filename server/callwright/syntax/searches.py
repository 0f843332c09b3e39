"""Cached searches in one text, so that each is made once.

Owns: `Searches`. Must not know: the callers, and what they search.

Places are usually requested in ascending order. A search that found something is valid for all places up to there; one
that found nothing, for all places after its start. So all searches for one key take time linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Hashable


class Searches(dict[Hashable, tuple[int, int]]):
    """The latest search in a text for each key. The text must not change.

    A value gives the start of the search, and where the next match is: the text's length if there is none.
    """

    __slots__ = ()

    def known(self, key: Hashable, at: int) -> int | None:
        """Return where the next `key` at or after `at` is, None if that has to be searched."""
        since, found = self.get(key, (0, -1))
        return found if since <= at <= found else None

    def keep(self, key: Hashable, at: int, found: int) -> int:
        """Store that the next `key` at or after `at` is at `found`, and return it."""
        self[key] = (at, found)
        return found

    def find(self, text: str, literal: str, at: int) -> int:
        """Return where a literal is next at or after `at`, -1 if there is none."""
        found = self.known(literal, at)
        if found is None:
            found = text.find(literal, at)
            self.keep(literal, at, found if found >= 0 else len(text))
            return found
        return found if found < len(text) else -1

    def search(self, text: str, pattern: re.Pattern[str], at: int) -> int:
        """Return where a pattern matches next at or after `at`, -1 if there is none.

        It must not depend on where the search begins.
        """
        # The hash of a pattern is computed each time, that of a string once.
        key = (re.Pattern, pattern.pattern)
        found = self.known(key, at)
        if found is None:
            match = pattern.search(text, at)
            found = self.keep(key, at, match.start() if match is not None else len(text))
        return found if found < len(text) else -1
