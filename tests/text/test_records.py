"""Dataclasses and named tuples whose methods are compiled later behave as those of the standard library."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import re
from collections.abc import Callable
from typing import Any, ClassVar
from typing import NamedTuple as StandardTuple

import pytest

from callwright.text.patterns import compile_later
from callwright.text.records import NamedTuple, dataclass, field, replace


def _declare(decorate: Callable[..., Any], field: Callable[..., Any] = field, **options: Any) -> Any:
    """Return a class with fields of all kinds, declared by a decorator."""

    @decorate(**options)
    class Declared:
        """A class."""

        first: int
        second: str = "two"
        listed: list[int] = field(default_factory=list)
        unseen: int = field(default=3, repr=False, compare=False)
        own: int = field(default=4, init=False)
        made: dict[str, int] = field(default_factory=dict, init=False, hash=False)
        named: int = field(default=5, kw_only=True)

        @property
        def doubled(self) -> int:
            return 2 * self.first

    return Declared


REFUSALS = (AttributeError, dataclasses.FrozenInstanceError)
OPTIONS: tuple[dict[str, bool], ...] = (
    {},
    {"slots": True},
    {"frozen": True},
    {"frozen": True, "slots": True},
    {"slots": True, "eq": False},
    {"frozen": True, "slots": True, "kw_only": True},
)


def _outcome(work: Callable[[], Any]) -> Any:
    """Return what a call gives, or the type of what it raises."""
    try:
        return work()
    except (TypeError, AttributeError) as error:
        return type(error)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_a_class_behaves_as_a_standard_dataclass(options: dict[str, bool]) -> None:
    def seen(decorate: Callable[..., Any], field: Callable[..., Any], replace: Callable[..., Any]) -> list[Any]:
        declared = _declare(decorate, field, **options)
        one, other = declared(first=1), declared(first=1, unseen=9)
        third = declared(first=1, second="2", listed=[1], named=6)
        changed, again = replace(third, first=7), dataclasses.replace(third, first=7)
        return [
            [again == changed, _outcome(lambda: replace(third, missing=1))],
            [(each.name, each.init, each.default) for each in dataclasses.fields(declared)],
            [dataclasses.asdict(each) for each in (one, other, third, changed)],
            [repr(each).rpartition(".")[2] for each in (one, third)],
            [one == other, one == third, one == object(), one != other],
            one.listed is other.listed,
            _outcome(lambda: hash(one) == hash(other)) if options.get("eq", True) else hash(one) == hash(other),
            _outcome(lambda: setattr(one, "first", 2)),
            # The standard one without a `__dict__` raises TypeError where it means that nothing can be changed.
            _outcome(lambda: setattr(one, "unknown", 2)) in (*REFUSALS, TypeError),
            _outcome(lambda: delattr(copy.copy(third), "second")),
            _outcome(declared),
            _outcome(lambda: declared(first=1, missing=2)),
            _outcome(lambda: declared(1, "two", [], 3, 6)),
            _outcome(lambda: declared(1, "two").doubled),
            [dataclasses.asdict(copy.copy(third)), dataclasses.asdict(copy.deepcopy(third))],
            third.first,
            declared.__match_args__,
            hasattr(third, "__dict__"),
            [getattr(declared, name, None) for name in ("second", "unseen", "own")] if "slots" not in options else [],
            hasattr(declared, "listed"),
        ]

    assert seen(dataclass, field, replace) == seen(dataclasses.dataclass, dataclasses.field, dataclasses.replace)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two values."""

    left: int
    right: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.left < 0:
            raise ValueError("negative")


@dataclass(frozen=True)
class Named(Pair):
    """Two values with a name, and an own representation."""

    name: str = ""

    def __repr__(self) -> str:
        return self.name


def test_values_of_a_frozen_class_without_a_dict_are_pickled_and_hashed() -> None:
    pair = Pair(1, (2, 3))
    assert pickle.loads(pickle.dumps(pair)) == pair  # noqa: S301 - it was written the moment before
    assert len({pair, Pair(1, (2, 3)), Pair(2)}) == 2


def test_fields_of_bases_come_first() -> None:
    assert [each.name for each in dataclasses.fields(Named)] == ["left", "right", "name"]
    assert [each.name for each in dataclasses.fields(Pair(1))] == ["left", "right"]
    assert dataclasses.is_dataclass(Named)
    assert replace(Named(1, (2,), "it"), left=3) == Named(3, (2,), "it")


def test_an_instance_of_a_standard_dataclass_is_replaced_too() -> None:
    declared = _declare(dataclasses.dataclass, dataclasses.field)
    assert replace(declared(1), first=2) == declared(2)


def test_an_attribute_of_the_class_is_no_field() -> None:
    @dataclass(frozen=True, slots=True)
    class Counted:
        made: ClassVar[int] = 0
        first: int = 1

    assert [each.name for each in dataclasses.fields(Counted)] == ["first"]
    assert Counted.made == 0


def test_a_default_that_can_be_changed_and_a_field_of_the_standard_library_are_refused() -> None:
    with pytest.raises(ValueError, match="`listed` can be changed"):

        @dataclass
        class Shared:
            listed: list[int] = []  # noqa: RUF012 - what is refused

    with pytest.raises(TypeError, match="`first` is a field of the standard library"):

        @dataclass
        class Standard:
            first: int = dataclasses.field(default=1)


def test_what_a_class_defines_itself_stays() -> None:
    assert repr(Named(1, (), "it")) == "it"
    assert Named(1) != Pair(1)
    with pytest.raises(ValueError, match="negative"):
        Named(-1)


def test_the_first_instance_is_made_as_all_others_are() -> None:
    declared = _declare(dataclass, slots=True)
    later = declared.__init__
    assert declared(1) == declared(1)
    assert declared.__init__ is not later
    assert declared.__init__.__code__.co_varnames[:2] == ("self", "first")


def test_a_value_that_contains_itself_has_a_representation() -> None:
    declared = _declare(dataclass)
    one = declared(1)
    one.listed.append(one)
    assert "listed=[...]" in repr(one)


def test_a_pattern_is_compiled_when_it_is_used() -> None:
    wrong = compile_later("(")
    with pytest.raises(re.error):
        wrong.match("")
    right = compile_later(r"(?P<name>a+)", re.IGNORECASE)
    found = right.fullmatch("AA")
    assert found is not None
    assert found["name"] == "AA"
    assert right.sub("b", "xAy") == "xby"
    assert right.groups == 1
    assert right.fullmatch is right.fullmatch


class Later(NamedTuple):
    """A named tuple."""

    first: int
    second: str = "two"
    third: tuple[int, ...] = (3,)

    @property
    def doubled(self) -> int:
        return 2 * self.first

    def shown(self) -> str:
        return f"{type(self).__name__} {super().__len__()}"


class Standard(StandardTuple):
    """A named tuple."""

    first: int
    second: str = "two"
    third: tuple[int, ...] = (3,)

    @property
    def doubled(self) -> int:
        return 2 * self.first


class LaterChild(Later):
    """A named tuple with more methods."""


class StandardChild(Standard):
    """A named tuple with more methods."""


def _of_tuples(made: Any) -> list[Any]:
    """Return what can be asked of the tuples of a class, as plain values."""
    one, other = made(1), made(2, third=(), second="b")
    shown = repr(one).removeprefix(made.__name__)
    again = pickle.loads(pickle.dumps(other))  # noqa: S301 - our own
    return [
        (*one, *other, shown, one.first, other.second, one.third, one.doubled),
        (one < other, one == (1, "two", (3,)), hash(one) == hash((1, "two", (3,)))),
        (made._fields, made._field_defaults, made.__match_args__, made.__doc__),
        (one._asdict(), tuple(one._replace(first=5)), type(one._replace()) is made, tuple(made._make("abc"))),
        [_outcome(made), _outcome(lambda: made(1, 2, 3, 4)), _outcome(lambda: made(fourth=4))],
        [_outcome(lambda: made._make((1,))), _outcome(lambda: setattr(one, "first", 2))],
        (type(again) is made, again == other),
        (copy.copy(one) == one, copy.deepcopy(other) == other, isinstance(one, tuple)),
    ]


@pytest.mark.parametrize(("later", "standard"), [(Later, Standard), (LaterChild, StandardChild)], ids=["own", "child"])
def test_a_named_tuple_behaves_as_a_standard_one(later: Any, standard: Any) -> None:
    assert _of_tuples(later) == _of_tuples(standard)
    # Once more, with what was compiled.
    assert _of_tuples(later) == _of_tuples(standard)


def test_a_named_tuple_has_no_dictionary() -> None:
    with pytest.raises(AttributeError):
        Later(1).other = 2  # type: ignore[attr-defined]
    assert not hasattr(Later(1), "__dict__")
    assert Later(1).shown() == "Later 3"
    with pytest.raises(TypeError, match="fourth"):
        Later(1)._replace(fourth=4)  # type: ignore[call-arg]


def test_a_named_tuple_is_matched_by_position() -> None:
    match Later(1, "b"):
        case Later(first, "b", third=third):
            assert (first, third) == (1, (3,))
        case other:
            raise AssertionError(other)
