"""Where a cursor is in a TOML text, however far that is written."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.syntax.toml_places import Role, TomlSpot, toml_spot
from support.sampling import tries


def spot(text: str) -> TomlSpot | None:
    return toml_spot(text.replace("‸", ""), text.index("‸"))


@pytest.mark.parametrize(
    ("text", "role", "path", "stated"),
    [
        ("‸", Role.KEY, (), ""),
        ("\ufeff‸a", Role.KEY, (), "a"),
        ("dia‸", Role.KEY, (), "dia"),
        ("a.‸", Role.KEY, ("a",), ""),
        ("a.'b c'.d‸ = 1", Role.KEY, ("a", "b c"), "d"),
        ("a = ‸", Role.VALUE, ("a",), ""),
        ("a =‸\nb = 1", Role.VALUE, ("a",), ""),
        ('a = "xm‸l"', Role.VALUE, ("a",), "xml"),
        ('a = "xm‸', Role.VALUE, ("a",), "xm"),
        ("a = '‸", Role.VALUE, ("a",), ""),
        ('a = """x\n‸y"""', Role.VALUE, ("a",), "x\ny"),
        ("a = [‸]", Role.VALUE, ("a",), ""),
        ('a = [\n  "x", # why\n  ‸\n]', Role.VALUE, ("a",), ""),
        ('a = [["x"], ["y‸"]]', Role.VALUE, ("a",), "y"),
        ("a = { b‸ }", Role.KEY, ("a",), "b"),
        ("a = { b = 1, ‸", Role.KEY, ("a",), ""),
        ("a = { b = ‸ }", Role.VALUE, ("a", "b"), ""),
        ("a = [{ b = 'c‸' }]", Role.VALUE, ("a", "b"), "c"),
        ("[sev‸", Role.HEADER, (), "sev"),
        ("[a.b‸]", Role.HEADER, ("a",), "b"),
        ("[[‸]]", Role.HEADER, (), ""),
        ("[a]\nb‸", Role.KEY, ("a",), "b"),
        ("[[a]]\n[a.b]\nc = ‸", Role.VALUE, ("a", "b", "c"), ""),
        ("x y z\na‸", Role.KEY, (), "a"),
        ("a = [1,\n2]\n[b]\n\n‸", Role.KEY, ("b",), ""),
    ],
)
def test_a_cursor_is_placed(text: str, role: Role, path: tuple[str, ...], stated: str) -> None:
    found = spot(text)
    assert found is not None
    assert (found.role, found.path, found.text) == (role, path, stated)


@pytest.mark.parametrize("text", ["# x‸", "a = 1 # ‸", "a = 1 ‸", "a = [1] ‸", "[a] ‸", "a ‸ = 1", "a = [ # ‸\n]"])
def test_where_nothing_can_be_written_there_is_no_place(text: str) -> None:
    assert spot(text) is None


def test_what_is_around_is_reported() -> None:
    key, written = spot("a‸"), spot("a‸ = 1")
    assert key is not None
    assert written is not None
    assert (key.ended, written.ended) == (False, True)
    single, double, listed = spot("[a‸]"), spot("[[a‸"), spot("a = ['‸']")
    assert single is not None
    assert double is not None
    assert listed is not None
    assert (single.list_header, single.ended) == (False, True)
    assert (double.list_header, double.ended) == (True, False)
    assert listed.in_list


parts = st.lists(
    st.sampled_from(
        ["a", "b", " = ", "[", "]", "[[", "]]", '"', "'", '"""', "\n", "1", "{", "}", ".", ",", "#", "\\", "é"]
    )
)


@settings(deadline=None, max_examples=tries(300))
@given(parts, st.integers(0, 60))
def test_any_text_has_a_place_around_the_cursor_or_none(pieces: list[str], offset: int) -> None:
    text = "".join(pieces)
    offset = min(offset, len(text))
    found = toml_spot(text, offset)
    if found is not None:
        assert 0 <= found.span.start <= offset <= found.span.end <= len(text)


@pytest.mark.parametrize("piece", ["[", "{", "a = {", '"', "'", "a.", "[[a]]\n", "a = 1\n", '"""', "#\n", "a = [1,"])
def test_a_long_text_is_gone_through_once(piece: str) -> None:
    text = piece * 20_000
    found = toml_spot(text, len(text))
    assert found is None or found.span.end <= len(text)
