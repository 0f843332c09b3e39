"""Lines of fences: the quick search finds what the pattern finds."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.syntax.prose import fence_closer, fence_line, next_line
from support.sampling import tries

PIECES = st.lists(
    st.sampled_from(["`", "```", "````", "~~~", "\n", "\r", "\r\n", " ", "\t", ">", "a", "json"]), max_size=14
)


@settings(max_examples=tries(1500), deadline=None)
@given(
    parts=PIECES, char=st.sampled_from("`~"), length=st.integers(3, 4), at=st.integers(0, 20), left=st.integers(0, 5)
)
def test_the_next_line_is_the_one_that_the_pattern_finds(
    parts: list[str], char: str, length: int, at: int, left: int
) -> None:
    text = "".join(parts)
    end = max(len(text) - left, 0)
    for pattern, marker in ((fence_closer(char, length), char * length), (fence_line(char), char * 3)):
        wanted, found = pattern.search(text, at, end), next_line(text, at, end, pattern, marker)
        assert (found and found.span()) == (wanted and wanted.span())
