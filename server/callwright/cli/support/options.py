"""Options: what a command takes from its command line, each written once: name, kind, choices, default, help, setting.

Owns: `Options`, which a command's class of options derives from, `option`, `word` and `words`, which its fields are
made with, `Option`, what is known of one, and the sections of the help. Must not know: any single option, any command,
how words are read.

The parser, the help, the completion of shells, the page of the documentation and what overrides the configuration are
all made from `Options.every`. A field of `bool` is a flag, `str`, `str | None` and `Literal` take one value,
`tuple[str, ...]` may be repeated.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Final, Literal, dataclass_transform, get_args, get_origin

from callwright.text.records import NamedTuple, dataclass, field

#: The sections of the help, in their order; the first is for options of groups and commands that state none.
SECTIONS: Final = (
    "Options",
    "Input",
    "Tools and dialect",
    "Rules",
    "Fixes",
    "Output",
    "Cache and jobs",
    "Engine and jobs",
)
#: The default of what must be given.
_NONE: Final = object()


class Option(NamedTuple):
    """What is known of one option, or of the words that a command takes beside its options."""

    name: str
    kind: Literal["word", "words", "option"]
    annotation: Any
    #: What it is where nothing is given; `_NONE` where something must be.
    default: Any
    about: str
    short: str = ""
    #: How what is given becomes the value of the setting of that name; None where it overrides none.
    setting: Callable[[Any], Any] | None = None
    #: The metavariable of its value in the help, as `PATH` in `--config PATH`; empty: its name.
    value: str = ""
    #: The section of the help that lists it.
    section: str = SECTIONS[0]

    @property
    def required(self) -> bool:
        """Whether it must be given; further words may always be none."""
        return self.default is _NONE

    @property
    def is_flag(self) -> bool:
        """Whether no value follows."""
        return self.annotation is bool

    @property
    def repeatable(self) -> bool:
        """Whether it may be given several times."""
        return get_origin(self.annotation) is tuple

    @property
    def choices(self) -> tuple[str, ...]:
        """The words that it takes; empty where it takes any."""
        return get_args(self.annotation) if get_origin(self.annotation) is Literal else ()

    @property
    def written(self) -> str:
        """How it is written: `output_format` is `--output-format`."""
        return "--" + self.name.strip("_").replace("_", "-")

    @property
    def placeholder(self) -> str:
        """The metavariable of a word, or of its value, in the help and in a line of usage."""
        return self.value or self.name.strip("_").upper().removesuffix("S" if self.kind == "words" else "")


def option(
    about: str = "",
    *,
    default: Any = _NONE,
    short: str = "",
    setting: Callable[[Any], Any] | None = None,
    value: str = "",
) -> Any:
    """Return the field of an option; without `about` it is that of a group with another default or short form."""
    return Option("", "option", None, default, about, short, setting, value)


def word(about: str, *, default: Any = _NONE, value: str = "") -> Any:
    """Return the field of a word that a command takes beside its options."""
    return Option("", "word", None, default, about, value=value)


def words(about: str, *, default: tuple[str, ...], value: str = "") -> Any:
    """Return the field of all further words that a command takes."""
    return Option("", "words", None, default, about, value=value)


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(option, word, words))
class Options:
    """The options of one command, a frozen dataclass; or a group that commands share, which derives with `group=True`.

    The help lists words first, then options by section; within one, in the order of the bases, then the class's own.
    `section` is that of the options that the class itself declares. `without` names options of the bases that are not
    offered: they keep their defaults. `wording` is the help of options of the bases where the command has a text of its
    own. `examples` are command lines for the end of the help. A group alone is no dataclass: making one takes a
    noticeable part of a short run.
    """

    every: ClassVar[tuple[Option, ...]] = ()
    examples: ClassVar[tuple[str, ...]] = ()
    #: All fields, those that are not offered too.
    _fields: ClassVar[Mapping[str, Option]] = {}

    def __init_subclass__(
        cls,
        *,
        group: bool = False,
        section: str = SECTIONS[0],
        without: Sequence[str] = (),
        wording: Mapping[str, str] | None = None,
        examples: tuple[str, ...] = (),
    ) -> None:
        super().__init_subclass__()
        bases = [base for base in cls.__bases__ if issubclass(base, Options)]
        offered = {one.name: one for base in bases for one in base.every}
        fields = {name: one for base in bases for name, one in base._fields.items()}
        for one in _own(cls, fields, section):
            offered[one.name] = fields[one.name] = one
        for name in without:
            del offered[name]
        for name, about in (wording or {}).items():
            offered[name] = offered[name]._replace(about=about)
        cls.every = tuple(sorted(offered.values(), key=_rank))
        cls._fields = fields
        cls.examples = examples
        if not group:
            _make(cls)

    def __init__(self) -> None:
        raise TypeError(f"`{type(self).__name__}` is a group of options, and no command takes it alone")


def _rank(one: Option) -> int:
    return -1 if one.kind != "option" else SECTIONS.index(one.section)


def _own(cls: type[Options], known: Mapping[str, Option], section: str) -> list[Option]:
    """Return the options that a class itself declares."""
    found: list[Option] = []
    for name, annotation in cls.__annotations__.items():
        stated: Option = cls.__dict__[name]
        if stated.about:
            found.append(stated._replace(name=name, annotation=annotation, section=section))
        else:
            inherited = known[name]
            found.append(inherited._replace(default=stated.default, short=stated.short or inherited.short))
    return found


def _make(cls: type[Options]) -> None:
    """Make a class with all its fields, inherited ones too, a dataclass."""
    cls.__annotations__ = {name: one.annotation for name, one in cls._fields.items()}
    for name, one in cls._fields.items():
        setattr(cls, name, field() if one.required else one.default)
    dataclass(frozen=True, kw_only=True)(cls)
