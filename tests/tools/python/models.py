"""Models of every kind that pydantic reads, for the comparison with what it says of them."""

# mypy: ignore-errors
from __future__ import annotations

import collections.abc
import datetime
import decimal
import enum
import pathlib
import typing as t
import uuid
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal, NotRequired, Required

import annotated_types as at
from pydantic import (
    AliasChoices,
    BaseModel,
    ConfigDict,
    Field,
    HttpUrl,
    PositiveInt,
    RootModel,
    StringConstraints,
    conint,
    conlist,
    constr,
)
from pydantic.alias_generators import to_camel
from typing_extensions import TypedDict

Unit = Literal["celsius", "fahrenheit"]
MAX = 10
Name = Annotated[str, Field(min_length=1, max_length=MAX, description="A name.")]


class Color(enum.Enum):
    """The colours."""

    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Point(BaseModel):
    """A point.

    In the plane.
    """

    x: int
    y: int = 0


class Node(BaseModel):
    value: int
    children: list[Node] = []
    parent: Node | None = None


class Everything(BaseModel):
    a: int
    b: int | None = None
    c: str | None = Field(default=None, description="c", max_length=5)
    d: Annotated[int, Field(ge=1, le=10)] = 3
    e: list[str] = Field(default_factory=list, max_length=4)
    f: dict[str, Point]
    g: dict[str, Any] = {}
    h: tuple[int, str]
    i: tuple[float, ...] = (1.5,)
    j: set[Color] = set()
    k: Color = Color.RED
    level: Level = Level.LOW
    m: Unit = "celsius"
    n: Literal["only"] = "only"
    o: int | str | None = Field(None, examples=[1, "a"])
    p: Point = Field(description="where")
    q: Point | None = None
    r: datetime.datetime
    s: datetime.date | None = None
    t_: decimal.Decimal = Field(ge=0)
    u: uuid.UUID
    v: pathlib.Path
    w: HttpUrl
    x: PositiveInt = 1
    y: conint(ge=1, lt=5) = 2
    z: constr(pattern=r"^a+$") = "a"
    aa: conlist(int, min_length=1)
    bb: Annotated[str, StringConstraints(min_length=2)]
    cc: Annotated[int, at.Gt(1), at.Le(9)]
    dd: Name
    ee: list[Name]
    ff: Name | None = None
    gg: int | list[Point] = 3
    hh: bytes
    ii: collections.abc.Sequence[int] = ()
    jj: Any
    kk: Any = None
    ll: object = None
    mm: t.Mapping[str, list[int]] = {}
    nn: bool = Field(default=True, deprecated=True)
    oo: float = Field(-1.5, gt=-2, multiple_of=0.5)
    pp: int = Field(alias="PP")
    qq: int = Field(validation_alias="qqq", alias="no")
    rr: int = Field(validation_alias=AliasChoices("r1", "r2"))
    ss: str = Field(pattern="^x", json_schema_extra={"format": "hostname"})
    tt: frozenset[int] = Field(frozenset(), min_length=2)
    uu: dict[Color, int] = Field({}, max_length=3)
    vv: dict[Literal["a", "b"], int] = {}
    ww: list[dict[str, list[int | None]]] = []
    xx: Literal[1, "a", None] = None
    yy: list = []
    zz: dict = {}
    const: ClassVar[int] = 3
    _hidden: int = 5
    title: str = "x"


class Strict(BaseModel):
    model_config = ConfigDict(
        extra="forbid", title="T", json_schema_extra={"examples": [{"some_name": 1}]}, alias_generator=to_camel
    )
    some_name: int
    other: int = Field(alias="Other")


class Open(BaseModel, extra="allow"):
    x: int


class Settled(BaseModel):
    model_config = {"extra": "forbid"}
    x: int


class Documented(BaseModel):
    model_config = ConfigDict(use_attribute_docstrings=True)
    x: int
    """The x."""
    y: int = Field(description="mine")
    """Not this."""


class Base(BaseModel):
    """Base doc."""

    a: int
    b: int = 1


class Derived(Base):
    c: str
    a: str


class Cat(BaseModel):
    kind: Literal["cat"]


class Dog(BaseModel):
    kind: Literal["dog", "wolf"] = "dog"


class Zoo(BaseModel):
    a: Cat | Dog = Field(discriminator="kind")
    b: list[Annotated[Cat | Dog, Field(discriminator="kind")]]
    c: Annotated[Cat | Dog, Field(discriminator="kind")] | None = None
    d: Cat | Dog


class Numbers(RootModel[list[int]]):
    """Numbers."""


class UsesRoot(BaseModel):
    n: Numbers


@dataclass
class Data:
    x: int
    y: str = "a"
    z: list[int] = field(default_factory=list)


@dataclass
class Documented2:
    """Data doc."""

    p: Point
    q: Data | None = None


class Movie(TypedDict):
    """A film."""

    name: str
    year: NotRequired[int]


class Partial(TypedDict, total=False):
    name: Required[str]
    year: Annotated[int, Field(ge=1900)]


class Uses(BaseModel):
    m: Movie
    p: list[Partial]
    c: Color | Level
    n: Node
    d: Documented2


class Loose(BaseModel):
    """Text — ünïcode 🙂."""

    umlaut: Annotated[str, "no description to pydantic"] = "🙂"
    after: int = Field(2**10 - 1, description="one two")
    neg: list[int] = [-1, *[2, 3]]
    deep: dict[str, dict[str, list[Point | None]]] = Field(default={}, description="plain")
    either: Point | list[Point] | None = None
    same: int | int | None = None
    nested: int | str | None | None = None


class A(BaseModel):
    b: B | None = None


class B(BaseModel):
    a: A
