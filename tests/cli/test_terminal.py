"""What reaches the terminal: nothing that it would obey, and carets under the right characters."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.cli.support.terminal import Style, cells, style_for, visible
from support.sampling import tries


class Stream:
    """A substitute for a stream that is a terminal, or is none."""

    def __init__(self, terminal: bool) -> None:
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


@settings(deadline=None, max_examples=tries(200))
@given(st.text(st.characters(exclude_categories=())))
def test_visible_text_has_one_harmless_character_for_each(text: str) -> None:
    shown = visible(text)
    assert len(shown) == len(text)
    assert not any(unicodedata.category(one) in {"Cc", "Cs", "Zl", "Zp"} for one in shown)
    assert not set(shown) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f")
    assert len(cells(shown)) == len(shown)


@pytest.mark.parametrize(
    ("text", "shown"),
    [("\x1b[2Jgone", "␛[2Jgone"), ("a\u202eb", "a�b"), ("\ud800", "�"), ("a\tb", "a b"), ("é 文 😀", "é 文 😀")],
)
def test_visible(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize(
    ("text", "widths"),
    [
        ("abc", [1, 1, 1]),
        ("文字", [2, 2]),
        ("e\u0301x", [1, 0, 1]),
        ("😀!", [2, 1]),
        ("👍🏽!", [2, 0, 1]),
        ("👩\u200d💻!", [2, 0, 0, 1]),
        ("❤\ufe0f!", [2, 0, 1]),
        ("ｱ", [1]),
    ],
)
def test_cells(text: str, widths: list[int]) -> None:
    assert cells(text) == widths


@pytest.mark.parametrize(
    ("color", "terminal", "environment", "on"),
    [
        ("auto", True, {}, True),
        ("auto", False, {}, False),
        ("auto", True, {"NO_COLOR": "1"}, False),
        ("auto", False, {"FORCE_COLOR": "1"}, True),
        ("auto", True, {"TERM": "dumb"}, False),
        ("always", False, {"NO_COLOR": "1"}, True),
        ("never", True, {"FORCE_COLOR": "1"}, False),
    ],
)
def test_colours_follow_the_option_then_the_environment(
    color: str, terminal: bool, environment: dict[str, str], on: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert style_for(Stream(terminal), color).on is on  # type: ignore[arg-type] # it asks for nothing but isatty


def test_a_style_that_is_off_leaves_words_alone() -> None:
    assert Style(on=False)("red", "error") == "error"
    assert Style(on=True)("red", "error") == "\x1b[1;31merror\x1b[0m"
