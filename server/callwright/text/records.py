"""Dataclasses that cost little to declare: their methods are compiled when they are first needed.

Owns: `dataclass`, which gives a class what `dataclasses.dataclass` gives it. Must not know: what the classes are for.

The standard decorator writes and compiles up to six functions for each class while its module is imported. A process
that checks one small file declares a hundred such classes and uses a third of them. Here `__init__` is compiled when
the class is first instantiated, and is then as fast as any; the other methods read the fields and are not compiled.
`fields`, `replace`, `asdict`, `match` and pickling work as usual. A class and its bases all use this decorator, or all
use the standard one. `InitVar` and comparison by order are not supported.
"""

from __future__ import annotations

from dataclasses import MISSING, Field, FrozenInstanceError, fields
from dataclasses import dataclass as _declare
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import dataclass

__all__ = ("dataclass",)

_set: Final = object.__setattr__


if not TYPE_CHECKING:

    def dataclass(
        cls: type | None = None, /, *, frozen: bool = False, slots: bool = False, eq: bool = True, kw_only: bool = False
    ) -> Any:
        """Return the class with the methods of a dataclass; the options are those of the standard decorator."""

        def made(cls: type) -> type:
            given = dict(vars(cls))
            cls = _declare(init=False, repr=False, eq=False, slots=slots, kw_only=kw_only)(cls)
            for name, method in _methods(cls, frozen=frozen, slots=slots, eq=eq).items():
                # What the class defines itself stays; a class with `__eq__` alone has a hash that Python took away.
                if name not in given or (name == "__hash__" and given[name] is None and "__eq__" in given):
                    setattr(cls, name, method)
            return cls

        return made if cls is None else made(cls)


def _methods(cls: type, *, frozen: bool, slots: bool, eq: bool) -> dict[str, Any]:
    """Return the methods of a dataclass by their names."""
    every = fields(cls)
    methods: dict[str, Any] = {"__init__": _init_later(cls, frozen=frozen), "__repr__": _repr(every)}
    if eq:
        methods["__eq__"] = _eq(tuple(each.name for each in every if each.compare))
        methods["__hash__"] = (
            _hash(tuple(each.name for each in every if (each.compare if each.hash is None else each.hash)))
            if frozen
            else None
        )
    if frozen:
        methods |= _unchanging(cls, frozenset(each.name for each in every))
        if slots:
            methods |= _pickled(tuple(each.name for each in every))
    return methods


def _init_later(cls: type, *, frozen: bool) -> Callable[..., None]:
    """Return an `__init__` that replaces itself by the compiled one."""

    def init_later(self: object, /, *args: Any, **kwargs: Any) -> None:
        compiled = _init(cls, frozen=frozen)
        cls.__init__ = compiled  # type: ignore[misc]
        compiled(self, *args, **kwargs)

    return init_later


def _init(cls: type, *, frozen: bool) -> Callable[..., None]:
    """Return the compiled `__init__` of a dataclass."""
    known: dict[str, Any] = {"_set": _set, "_MISSING": MISSING}
    positional, named, body = list[str](("self",)), list[str](), list[str]()
    for each in fields(cls):
        name, default, value = each.name, "", each.name
        if each.default is not MISSING:
            known[f"_of_{name}"] = each.default
            default = f"=_of_{name}"
            value = name if each.init else f"_of_{name}"
        elif each.default_factory is not MISSING:
            known[f"_of_{name}"] = each.default_factory
            default = "=_MISSING"
            value = f"_of_{name}() if {name} is _MISSING else {name}" if each.init else f"_of_{name}()"
        elif not each.init:
            value = ""
        if each.init:
            (named if each.kw_only else positional).append(f"{name}{default}")
        if value:
            body.append(f"_set(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
    body += ["self.__post_init__()"] if hasattr(cls, "__post_init__") else []
    parameters = ", ".join([*positional, *(["*", *named] if named else [])])
    exec("\n ".join([f"def __init__({parameters}):", *(body or ["pass"])]), known)  # noqa: S102 - of the names of fields alone
    init = known["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.__module__ = cls.__module__
    return init  # type: ignore[no-any-return]


def _repr(every: tuple[Field[Any], ...]) -> Callable[[object], str]:
    names = tuple(each.name for each in every if each.repr)

    @recursive_repr()
    def shown(self: object) -> str:
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__qualname__}({values})"

    return shown


def _eq(names: tuple[str, ...]) -> Callable[[object, object], Any]:
    values = _values(names)

    def equals(self: object, other: object) -> Any:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    return equals


def _hash(names: tuple[str, ...]) -> Callable[[object], int]:
    values = _values(names)

    def hashed(self: object) -> int:
        return hash(values(self))

    return hashed


def _values(names: tuple[str, ...]) -> Callable[[object], tuple[Any, ...]]:
    """Return what gives the values of some fields as a tuple."""
    if len(names) > 1:
        return attrgetter(*names)
    if names:
        value = attrgetter(names[0])
        return lambda self: (value(self),)
    return lambda _: ()


def _unchanging(cls: type[Any], names: frozenset[str]) -> dict[str, Callable[..., None]]:
    """Return the methods that refuse to change a field, and to add an attribute to an instance of the class itself."""

    def refuse_change(self: Any, name: str, value: object) -> None:
        if type(self) is cls or name in names:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    def refuse_removal(self: Any, name: str) -> None:
        if type(self) is cls or name in names:
            raise FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    return {"__setattr__": refuse_change, "__delattr__": refuse_removal}


def _pickled(names: tuple[str, ...]) -> dict[str, Callable[..., Any]]:
    """Return the methods by which an instance without a `__dict__` that cannot be changed is pickled and copied."""

    def state_of(self: object) -> list[Any]:
        return [getattr(self, name) for name in names]

    def restore(self: object, state: list[Any]) -> None:
        for name, value in zip(names, state, strict=True):
            _set(self, name, value)

    return {"__getstate__": state_of, "__setstate__": restore}
