"""Nearest names: which known name a misspelt one was meant to be."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.tools.names import MAX_COMPARED, MAX_LENGTH, Names, fold, nearest, nearest_choice
from support.sampling import tries

TOOLS = ("read_file", "write_file", "list_files", "debug_launch", "step", "up")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("read_file", "read_file"),
        ("raed_file", "read_file"),
        ("red_file", "read_file"),
        ("reead_filee", "read_file"),
        ("readFile", "read_file"),
        ("READ-FILE", "read_file"),
        ("debug_lunch", "debug_launch"),
        ("xead_fxxe", None),
        ("thinking", None),
        ("", None),
        ("_", None),
    ],
)
def test_a_name_is_near_within_two_edits_or_but_for_its_spelling(written: str, meant: str | None) -> None:
    assert nearest(written, TOOLS) == meant


def test_two_equally_near_names_are_no_answer() -> None:
    assert nearest("cat", ["bat", "rat"]) is None
    assert nearest("readfile", ["read_file", "readFile"]) is None


def test_a_nearer_name_beats_a_near_one() -> None:
    assert nearest("read_fil", ["read_file", "read_files"]) == "read_file"


def test_short_names_allow_one_edit_and_keep_something_of_themselves() -> None:
    assert nearest("ups", ["up"]) == "up"
    assert nearest("cpus", ["up"]) is None
    assert nearest("a", ["b"]) is None


def test_an_alias_does_not_compete_with_its_owner() -> None:
    meant = {"list_file": "list_file", "list_fill": "list_file", "other": "other"}
    assert nearest("list_fil", meant) == "list_file"
    assert nearest("exmaine", {"eval": "eval", "examine": "eval"}) == "examine"


def test_endless_names_are_compared_by_spelling_only() -> None:
    long = "a_" * MAX_LENGTH
    assert nearest(long.replace("_", "-"), [long]) == long
    assert nearest(long + "b", [long]) is None


names = st.text(alphabet="abc_-", min_size=1, max_size=8)


@settings(deadline=None, max_examples=tries(300))
@given(names, st.lists(names, max_size=6, unique=True))
def test_what_is_near_is_exactly_what_counting_edits_states(name: str, known: list[str]) -> None:
    def limit(other: str) -> int:
        return min(2 if min(len(name), len(other)) >= 4 else 1, len(name) - 1, len(other) - 1)

    folded = [one for one in known if fold(one) and fold(one) == fold(name)]
    distances = {one: edits(name, one) for one in known}
    near = {one: distance for one, distance in distances.items() if distance <= limit(one)}
    least = [one for one, distance in near.items() if distance == min(near.values())]
    expected = [name] if name in known else folded or least
    assert nearest(name, known) == (expected[0] if len(expected) == 1 else None)


def edits(one: str, other: str) -> int:
    """Count edits by the textbook's table: insertions, deletions, replacements, swaps of neighbours."""
    table = [[i + j if not i * j else 0 for j in range(len(other) + 1)] for i in range(len(one) + 1)]
    for i in range(1, len(one) + 1):
        for j in range(1, len(other) + 1):
            table[i][j] = min(
                table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + (one[i - 1] != other[j - 1])
            )
            if i > 1 and j > 1 and one[i - 1] == other[j - 2] and one[i - 2] == other[j - 1]:
                table[i][j] = min(table[i][j], table[i - 2][j - 2] + 1)
    return table[-1][-1]


def test_so_many_names_are_compared_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = 0

    def counting(*given: object) -> bool:
        nonlocal compared
        compared += 1
        return False

    monkeypatch.setattr("callwright.tools.names._may_be_near", counting)
    alike = [f"name_{number:05}" for number in range(MAX_COMPARED)]
    longer = [f"a_much_longer_name_{number:05}" for number in range(MAX_COMPARED)]
    assert Names([*alike, *longer]).nearest("nmae_012345") is None
    assert 0 < compared <= MAX_COMPARED
    compared = 0
    assert Names([*alike, "name_x1234"]).nearest("nmae_12345") is None
    assert compared == 0


def test_case_and_separators_are_forgiven_among_any_number_of_names() -> None:
    names = [f"name_{number:05}" for number in range(10 * MAX_COMPARED)]
    assert Names(names).nearest("NAME-00007") == "name_00007"
    assert nearest("name_00007", names) == "name_00007"
    assert nearest("nmae_00007", names) is None


def test_a_name_is_found_among_many_that_are_longer() -> None:
    names = [f"a_much_longer_name_{number:05}" for number in range(10 * MAX_COMPARED)]
    assert Names([*names, "read_file"]).nearest("raed_file") == "read_file"


def test_a_choice_is_a_text_among_few() -> None:
    assert nearest_choice(" pytst ", ["pytest", 7, None]) == "pytest"
    assert nearest_choice(7, ["7"]) is None
    assert nearest_choice("pytst", ["pytest"] * (MAX_COMPARED + 1)) is None
