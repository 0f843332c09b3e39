"""Dataclasses and named tuples that cost little to declare: their methods are compiled when they are first needed.

Owns: `dataclass`, `field`, `replace` and `NamedTuple`, which do what those of `dataclasses` and `typing` do. Must not
know: what the classes are for.

The standard decorator writes and compiles up to six functions for each class while its module is imported, and its
module imports the inspection of programs. A process that checks one small file declares a hundred such classes and uses
a third of them. Here `__init__` is compiled when the class is first instantiated, and is then as fast as any; the other
methods read the fields and are not compiled. The standard library is asked only where something reads the fields in its
way: its `fields`, `replace` and `asdict` work as usual, and so do `match` and pickling. A class and its bases all use
this decorator, with this `field`, or all use the standard ones. `InitVar`, metadata and comparison by order are not
supported.

A named tuple of the standard library compiles its `__new__`, and the annotation of each field. Here `__new__` is
compiled when the first tuple is made. Generic named tuples are not supported.
"""

from __future__ import annotations

# What reads a field of a named tuple fastest.
from collections import _tuplegetter  # type: ignore[attr-defined]
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, ClassVar, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from dataclasses import dataclass, field, replace
    from typing import NamedTuple

__all__ = ("NamedTuple", "dataclass", "field", "replace")

_set: Final = object.__setattr__
#: What is stated where a field has no default.
_MISSING: Final = object()
#: Where a class keeps its fields, those of its bases first.
_FIELDS: Final = "__record_fields__"


class _Field:
    """A field of a class, as the class states it."""

    __slots__ = ("annotation", "compare", "default", "factory", "hash", "init", "kw_only", "name", "repr")

    def __init__(
        self,
        *,
        default: Any = _MISSING,
        default_factory: Any = _MISSING,
        init: bool = True,
        repr: bool = True,  # noqa: A002 - the standard name
        hash: bool | None = None,  # noqa: A002 - the standard name
        compare: bool = True,
        kw_only: bool | None = None,
    ) -> None:
        self.default = default
        self.factory = default_factory
        self.init = init
        self.repr = repr
        self.hash = compare if hash is None else hash
        self.compare = compare
        self.kw_only = kw_only
        self.name = ""
        self.annotation: Any = None


#: The type of what a class without a `__dict__` has in the place of each field.
_SLOT: Final = type(vars(_Field)["name"])

if not TYPE_CHECKING:
    field = _Field

    def replace(instance: Any, /, **changes: Any) -> Any:
        """Return a new instance with some fields changed."""
        every = getattr(type(instance), _FIELDS, None)
        if every is None:
            from dataclasses import replace as replace_in_standard

            return replace_in_standard(instance, **changes)
        for each in every:
            if each.init and each.name not in changes:
                changes[each.name] = getattr(instance, each.name)
        return type(instance)(**changes)

    def dataclass(
        cls: type | None = None, /, *, frozen: bool = False, slots: bool = False, eq: bool = True, kw_only: bool = False
    ) -> Any:
        """Return the class with the methods of a dataclass; the options are those of the standard decorator."""

        def made(cls: type) -> type:
            given = dict(vars(cls))
            own = _own_fields(cls, kw_only=kw_only)
            bases = (base for base in cls.__mro__[:0:-1] if _FIELDS in vars(base))
            every = tuple(({each.name: each for base in bases for each in vars(base)[_FIELDS]} | own).values())
            if slots:
                cls = _with_slots(cls, own)
            else:
                _keep_defaults(cls, own)
            for name, value in _methods(cls, every, frozen=frozen, slots=slots, eq=eq).items():
                # What the class defines itself stays; a class with `__eq__` alone has a hash that Python took away.
                if name not in given or (name == "__hash__" and given[name] is None and "__eq__" in given):
                    setattr(cls, name, value)
            return cls

        return made if cls is None else made(cls)


class _Row(tuple):  # type: ignore[type-arg]
    """What all named tuples have in common."""

    __slots__ = ()
    _fields: ClassVar[tuple[str, ...]] = ()
    _field_defaults: ClassVar[dict[str, Any]] = {}

    def __new__(cls, /, *args: Any, **kwargs: Any) -> Any:
        owner = next(each for each in cls.__mro__ if "_fields" in vars(each))
        owner.__new__ = staticmethod(_new(owner))  # type: ignore[method-assign]
        return owner.__new__(cls, *args, **kwargs)

    @classmethod
    def _make(cls, values: Any) -> Any:
        """Return a tuple of as many values as there are fields."""
        made = tuple.__new__(cls, values)
        if len(made) != len(cls._fields):
            raise TypeError(f"expected {len(cls._fields)} values, got {len(made)}")
        return made

    def _replace(self, /, **changes: Any) -> Any:
        """Return the tuple with some fields changed."""
        made = self._make(map(changes.pop, self._fields, self))
        if changes:
            raise TypeError(f"no fields: {', '.join(changes)}")
        return made

    __replace__ = _replace

    def _asdict(self) -> dict[str, Any]:
        """Return the values by the names of the fields."""
        return dict(zip(self._fields, self, strict=True))

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self)

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
        return f"{type(self).__name__}({values})"


class _Declared(type):
    """Makes a named tuple of a class statement."""

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> Any:
        if not bases:
            return super().__new__(cls, name, bases, namespace)
        made: Any = type(name, (_Row,), {"__slots__": (), **namespace})
        fields = tuple(made.__annotations__)
        for stated in ("_fields", "__match_args__"):
            setattr(made, stated, fields)
        made._field_defaults = {each: namespace[each] for each in fields if each in namespace}
        for index, each in enumerate(fields):
            setattr(made, each, _tuplegetter(index, ""))
        return made


def _new(owner: type[_Row]) -> Callable[..., Any]:
    """Return the compiled `__new__` of a named tuple."""
    known = {f"_of_{name}": value for name, value in owner._field_defaults.items()}
    parameters = ", ".join(f"{name}=_of_{name}" if f"_of_{name}" in known else name for name in owner._fields)
    values = "".join(f"{name}, " for name in owner._fields)
    source = f"lambda _cls, {parameters}: _new(_cls, ({values}))"
    new = eval(source, {"_new": tuple.__new__, **known})  # noqa: S307 - of the names of fields alone
    new.__name__, new.__qualname__, new.__module__ = "__new__", f"{owner.__qualname__}.__new__", owner.__module__
    return new  # type: ignore[no-any-return]


if not TYPE_CHECKING:

    class NamedTuple(metaclass=_Declared):
        """The base of a class statement that makes a named tuple."""


def _own_fields(cls: type, *, kw_only: bool) -> dict[str, _Field]:
    """Return the fields that a class itself states."""
    found: dict[str, _Field] = {}
    for name, annotation in cls.__annotations__.items():
        if _is_of_class(annotation):
            continue
        stated = getattr(cls, name, _MISSING)
        if not isinstance(stated, _Field):
            stated = _Field(default=_MISSING if isinstance(stated, _SLOT) else stated)
        if type(stated.default).__hash__ is None:
            raise ValueError(f"the default of `{name}` can be changed; use `default_factory`")
        if type(stated.default).__module__ == "dataclasses":
            raise TypeError(f"`{name}` is a field of the standard library; use `field` of this module")
        stated.name, stated.annotation = name, annotation
        stated.kw_only = kw_only if stated.kw_only is None else stated.kw_only
        found[name] = stated
    return found


def _keep_defaults(cls: type, own: Mapping[str, _Field]) -> None:
    """Leave the defaults of fields in a class, and not what states them."""
    for name, stated in own.items():
        if vars(cls).get(name) is stated:
            if stated.default is _MISSING:
                delattr(cls, name)
            else:
                setattr(cls, name, stated.default)


def _is_of_class(annotation: Any) -> bool:
    """Return whether an annotation is that of an attribute of the class, and of no field."""
    if isinstance(annotation, str):
        return annotation.startswith("ClassVar")
    return getattr(annotation, "__origin__", annotation) is ClassVar


def _with_slots(cls: type, own: Mapping[str, _Field]) -> type:
    """Return the same class with its fields in place of a `__dict__`."""
    inherited = {name for base in cls.__mro__[1:] for name in vars(base).get("__slots__", ())}
    left = {name: value for name, value in vars(cls).items() if name not in own}
    left["__slots__"] = tuple(name for name in own if name not in inherited)
    left.pop("__dict__", None)
    left.pop("__weakref__", None)
    made = type(cls)(cls.__name__, cls.__bases__, left)
    made.__qualname__ = cls.__qualname__
    return made


class _Standard:
    """What the standard library reads of a class's fields: made when it is first read."""

    def __init__(self, every: tuple[_Field, ...]) -> None:
        self._every = every
        self._made: Mapping[str, Any] | None = None

    def __get__(self, instance: object, owner: type) -> Mapping[str, Any]:
        if self._made is None:
            self._made = _in_standard(self._every)
        return self._made


def _in_standard(every: tuple[_Field, ...]) -> Mapping[str, Any]:
    """Return fields as the standard decorator describes them."""
    from dataclasses import field, make_dataclass

    stated: list[tuple[str, Any, Any]] = []
    for each in every:
        default = {} if each.default is _MISSING else {"default": each.default}
        factory = {} if each.factory is _MISSING else {"default_factory": each.factory}
        options: dict[str, Any] = {
            "init": each.init,
            "repr": each.repr,
            "hash": each.hash,
            "compare": each.compare,
            "kw_only": each.kw_only,
        }
        stated.append((each.name, each.annotation, field(**default, **factory, **options)))
    made: Any = make_dataclass("_", stated, init=False, repr=False, eq=False)
    return made.__dataclass_fields__  # type: ignore[no-any-return]


def _methods(cls: type, every: tuple[_Field, ...], *, frozen: bool, slots: bool, eq: bool) -> dict[str, Any]:
    """Return the methods of a dataclass, and what is kept with them, by their names."""
    methods: dict[str, Any] = {
        _FIELDS: every,
        "__dataclass_fields__": _Standard(every),
        "__match_args__": tuple(each.name for each in every if each.init and not each.kw_only),
        "__init__": _init_later(cls, every, frozen=frozen),
        "__repr__": _repr(every),
    }
    if eq:
        methods["__eq__"] = _eq(tuple(each.name for each in every if each.compare))
        methods["__hash__"] = _hash(tuple(each.name for each in every if each.hash)) if frozen else None
    if frozen:
        methods |= _unchanging(cls, frozenset(each.name for each in every))
        if slots:
            methods |= _pickled(tuple(each.name for each in every))
    return methods


def _init_later(cls: type, every: tuple[_Field, ...], *, frozen: bool) -> Callable[..., None]:
    """Return an `__init__` that replaces itself by the compiled one."""

    def init_later(self: object, /, *args: Any, **kwargs: Any) -> None:
        compiled = _init(cls, every, frozen=frozen)
        cls.__init__ = compiled  # type: ignore[misc]
        compiled(self, *args, **kwargs)

    return init_later


def _init(cls: type, every: tuple[_Field, ...], *, frozen: bool) -> Callable[..., None]:
    """Return the compiled `__init__` of a dataclass."""
    known: dict[str, Any] = {"_set": _set, "_MISSING": _MISSING}
    positional, named, body = list[str](("self",)), list[str](), list[str]()
    for each in every:
        name, default, value = each.name, "", each.name
        if each.default is not _MISSING:
            known[f"_of_{name}"] = each.default
            default = f"=_of_{name}"
            value = name if each.init else f"_of_{name}"
        elif each.factory is not _MISSING:
            known[f"_of_{name}"] = each.factory
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


def _repr(every: tuple[_Field, ...]) -> Callable[[object], str]:
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
            from dataclasses import FrozenInstanceError

            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    def refuse_removal(self: Any, name: str) -> None:
        if type(self) is cls or name in names:
            from dataclasses import FrozenInstanceError

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
