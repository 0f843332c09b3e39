"""What was sought in a text is sought once, and is found as if it were sought again."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from callwright.syntax.searches import Searches


class Counted(str):
    """A text that counts how often it is searched."""

    times = 0

    def find(self, *args: object) -> int:
        """Count, and search."""
        self.times += 1
        return super().find(*args)  # type: ignore[arg-type]


@given(st.text("ab", max_size=12), st.lists(st.integers(0, 13), max_size=8))
def test_a_search_finds_what_is_there_whatever_was_sought_before(text: str, places: list[int]) -> None:
    searches, pattern = Searches(), re.compile("ab?")
    for at in (min(place, len(text)) for place in places):
        assert searches.find(text, "ab", at) == text.find("ab", at)
        match = pattern.search(text, at)
        assert searches.search(text, pattern, at) == (match.start() if match is not None else -1)


def test_what_is_nowhere_and_what_is_far_is_sought_once() -> None:
    searches, text = Searches(), Counted("x" * 50 + "a" + "x" * 49)
    assert [searches.find(text, "a", at) for at in range(50)] == [50] * 50
    assert text.times == 1
    assert [searches.find(text, "a", at) for at in range(51, 100)] == [-1] * 49
    assert text.times == 2
    searches.clear()
    assert searches.find(text, "a", 0) == 50
