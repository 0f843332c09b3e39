"""What is derived of an object is derived once, and kept apart from what else is known of it."""

from callwright.text.facts import Fact, FactFor, Holder, derived


def test_a_fact_is_derived_once() -> None:
    asked: list[Holder] = []

    @derived
    def number(owner: Holder, first: int) -> int | None:
        """Return a number."""
        asked.append(owner)
        return first or None

    one, two = Holder(), Holder()
    assert not number.known(one)
    assert [number(one, 7), number(one, 8), number(two, 0), number(two, 9)] == [7, 7, None, None]
    assert asked == [one, two]
    assert number.__doc__ == "Return a number."
    assert number.drop(one) == 7
    assert number(one, 8) == 8


def test_facts_of_the_same_type_are_apart() -> None:
    owner, first, second = Holder(), Fact[int](), Fact[int]()
    assert first.keep(owner, 1) == 1
    assert (first.get(owner), second.get(owner), second.known(owner)) == (1, None, False)
    assert (first.drop(owner), first.drop(owner)) == (1, None)


def test_facts_for_keys_are_apart() -> None:
    owner, first, second = Holder(), FactFor[str, int](), FactFor[str, int]()
    first.keep(owner, "a", 1)
    assert [fact.get(owner, key) for fact in (first, second) for key in "ab"] == [1, None, None, None]
