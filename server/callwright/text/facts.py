"""Facts: data derived from an object once, and cached with it under typed keys.

Owns: `Facts`, `Holder`, `Fact`, `FactFor`, `derived`. Must not know: what is derived, and from what.

A fact is valid as long as its owner does not change, so only immutable objects have facts: a block, a run of blocks, a
snapshot. Two facts never share a key: the key is the object that reads and stores them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeAlias, TypeVar

_T = TypeVar("_T")
_K = TypeVar("_K", bound=Hashable)
_P = ParamSpec("_P")

#: The facts of an object; only the classes of facts here read and write it.
Facts: TypeAlias = dict[Hashable, Any]


class Owner(Protocol):
    """An object with facts."""

    @property
    def facts(self) -> Facts: ...  # noqa: D102 - a member of a protocol


_O_contra = TypeVar("_O_contra", bound=Owner, contravariant=True)


class Holder:
    """An owner that has only facts."""

    __slots__ = ("facts",)

    def __init__(self) -> None:
        self.facts: Facts = {}


class Fact(Generic[_T]):
    """One fact of an owner, which callers store."""

    __slots__ = ()

    def get(self, owner: Owner) -> _T | None:
        """Return the value, None if it is unknown."""
        value: _T | None = owner.facts.get(self)
        return value

    def known(self, owner: Owner) -> bool:
        """Return whether it is known."""
        return self in owner.facts

    def keep(self, owner: Owner, value: _T) -> _T:
        """Keep a value, and return it."""
        owner.facts[self] = value
        return value

    def drop(self, owner: Owner) -> _T | None:
        """Remove the value, and return it."""
        value: _T | None = owner.facts.pop(self, None)
        return value


class FactFor(Generic[_K, _T]):
    """Facts of one type of an owner, one for each key."""

    __slots__ = ()

    def get(self, owner: Owner, key: _K) -> _T | None:
        """Return the value for a key, None if it is unknown."""
        value: _T | None = owner.facts.get((self, key))
        return value

    def keep(self, owner: Owner, key: _K, value: _T) -> _T:
        """Keep a value for a key, and return it."""
        owner.facts[self, key] = value
        return value


class Derived(Fact[_T], Generic[_O_contra, _P, _T]):
    """A fact with the one function that derives it; called, it returns the fact, and derives it at the first call."""

    def __init__(self, make: Callable[Concatenate[_O_contra, _P], _T]) -> None:
        """Take the function; its other arguments may speed it up, but must not change its result."""
        self.__wrapped__ = make
        self.__name__ = make.__name__
        self.__doc__ = make.__doc__

    def __call__(self, owner: _O_contra, /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Return the fact, derived now if it is unknown."""
        facts = owner.facts
        if self in facts:
            value: _T = facts[self]
            return value
        value = facts[self] = self.__wrapped__(owner, *args, **kwargs)
        return value


def derived(make: Callable[Concatenate[_O_contra, _P], _T]) -> Derived[_O_contra, _P, _T]:
    """Return a function that derives a fact from its first argument once, and caches it there."""
    return Derived(make)
