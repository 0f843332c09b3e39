"""Arguments: from the words of a command line to the parameters of a command's `run`.

Owns: the straight reading of well-formed words, and the cyclopts application for everything else: help, and telling a
person what is wrong. A command's signature is the only description of its arguments: positional-only parameters are
words, `*names: str` all further ones, keyword-only parameters are options; `bool` is a flag, `str`, `str | None` and
`Literal` take one value, `tuple[str, ...]` may be repeated. An option `command: tuple[str, ...]` also takes all words
behind `--`, whatever they look like. What a module calls `SHORT` says which options have a short form, as in
`{"-o": "output_file"}`. A module `tools_lock` is the command `tools lock`, and `corpus_dedupe_findings` is
`corpus dedupe-findings`.
Invariant: where the straight reading answers at all, cyclopts would give the same answer. It exists because importing
cyclopts costs more than checking a file does.
Must not know: what any command does.
"""

import importlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, get_args, get_origin

from callwright import __version__
from callwright.cli.support.failure import CLEAN, CommandError

if TYPE_CHECKING:
    from cyclopts import App
    from cyclopts.field_info import FieldInfo

#: What a command's module offers under the name `run`: it does the work and returns the exit code.
Run: TypeAlias = Callable[..., int]

_COMMANDS = "callwright.cli"
#: What code says of itself where it has a parameter such as `*names`.
_VARIADIC = 0x04
#: The parameter that takes all words behind `--`.
_REST = "command"
#: What stands for a lone `-` on its way through cyclopts, which takes it for an option; no word can hold a NUL.
_STDIN = "\0"


class _Parameter(NamedTuple):
    """A parameter of a command: a word, all further words, or an option."""

    name: str
    kind: Literal["word", "words", "option"]
    annotation: Any
    required: bool


def _parameters(run: Run) -> Iterator[_Parameter]:
    """Yield the parameters of a command, as `inspect` would tell them, which takes a while to import."""
    said = getattr(run, "__signature__", None)
    if said is not None:
        kinds: dict[Any, Any] = {0: "word", 2: "words", 3: "option"}
        for one in said.parameters.values():
            yield _Parameter(one.name, kinds[int(one.kind)], one.annotation, one.default is one.empty)
        return
    code, kinds = run.__code__, run.__annotations__
    names, places = code.co_varnames, code.co_argcount
    options = names[places : places + code.co_kwonlyargcount]
    needed = places - len(run.__defaults__ or ())
    for number, name in enumerate(names[:places]):
        yield _Parameter(name, "word", kinds.get(name), number < needed)
    if code.co_flags & _VARIADIC:
        name = names[places + len(options)]
        yield _Parameter(name, "words", kinds.get(name), required=True)
    for name in options:
        yield _Parameter(name, "option", kinds.get(name), name not in (run.__kwdefaults__ or {}))


def command_names() -> list[str]:
    """Return the names of all commands: every module of the command room but its entry point."""
    folder = importlib.import_module(_COMMANDS).__path__[0]
    names = (name.removesuffix(".py") for name in os.listdir(folder) if name.endswith(".py"))  # noqa: PTH208 - pathlib would cost an import
    spaced = (name.replace("_", " ", 1).replace("_", "-") for name in names if name not in {"__init__", "main"})
    return sorted(spaced)


def about_group(first: str, names: Iterable[str]) -> str:
    """Return what is said of a first word that is no command of its own: which of `names` it begins."""
    return f"Commands: {', '.join(name.partition(' ')[2] for name in names if name.startswith(f'{first} '))}."


def load_command(name: str) -> Run:
    """Return what the command with this name runs."""
    run: Run = importlib.import_module(f"{_COMMANDS}.{name.replace(' ', '_').replace('-', '_')}").run
    return run


def command_of(words: Sequence[str]) -> str | None:
    """Return the command that words begin with, the longest name first, or None where they begin with none."""
    names = command_names()
    return next((name for name in (" ".join(words[:2]), " ".join(words[:1])) if name in names), None)


def dispatch(words: Sequence[str]) -> int:
    """Run the command that `words` ask for and return its exit code.

    Raises CommandError where the words make no sense, with what is wrong and where help is.
    """
    name = command_of(words)
    if name is None:
        return _dispatch_with_cyclopts(words, None, ())
    run = load_command(name)
    words, rest = _parted(run, words)
    straight = read_straight(run, words[name.count(" ") + 1 :])
    if straight is None:
        return _dispatch_with_cyclopts(words, name, rest)
    return run(*straight[0], **_with_rest(straight[1], rest))


def _parted(run: Run, words: Sequence[str]) -> tuple[Sequence[str], tuple[str, ...]]:
    """Return the words of a command's own, and those behind `--` where it starts another with them."""
    if "--" not in words or all(one.name != _REST for one in _parameters(run)):
        return words, ()
    at = words.index("--")
    return words[:at], tuple(words[at + 1 :])


def _with_rest(named: dict[str, Any], rest: tuple[str, ...]) -> dict[str, Any]:
    return {**named, _REST: (*named.get(_REST, ()), *rest)} if rest else named


def read_straight(run: Run, words: Sequence[str]) -> tuple[list[str], dict[str, Any]] | None:
    """Return the positional and named arguments that `words` mean for `run`, or None where a person needs an answer."""
    parameters = [*_parameters(run)]
    options = {option_name(one.name): one for one in parameters if one.kind == "option"}
    options |= {short: options[option_name(name)] for short, name in short_options(run).items()}
    places = [one for one in parameters if one.kind == "word"]
    required = [one for one in places if one.required]
    unbounded = any(one.kind == "words" for one in parameters)
    positional: list[str] = []
    named: dict[str, Any] = {}
    rest = iter(words)
    for word in rest:
        if word == "--":
            positional.extend(rest)
        elif word == "-" or not word.startswith("-"):
            positional.append(word)
        else:
            name, equals, value = word.partition("=")
            option = options.get(name)
            if option is None or not _take(option, value if equals else None, rest, named):
                return None
    if len(positional) < len(required) or (len(positional) > len(places) and not unbounded):
        return None
    if any(one.required and one.name not in named for one in options.values()):
        return None
    return positional, named


def _take(option: _Parameter, value: str | None, rest: Any, named: dict[str, Any]) -> bool:
    """Note what one option says, taking its value from `rest` if need be; tell whether it is well-formed."""
    kind = option.annotation
    repeatable = get_origin(kind) is tuple
    if option.name in named and not repeatable:
        return False
    if kind is bool:
        named[option.name] = True
        return value is None
    if value is None:
        value = next(rest, "-")
        if value.startswith("-"):
            return False
    if get_origin(kind) is Literal and value not in get_args(kind):
        return False
    named[option.name] = (*named.get(option.name, ()), value) if repeatable else value
    return True


def option_name(parameter: str) -> str:
    """Return how the parameter of a command is written as an option: `output_format` is `--output-format`."""
    return "--" + parameter.strip("_").replace("_", "-")


def short_options(run: Run) -> dict[str, str]:
    """Return the parameters of a command that have a short form, by that form."""
    found: dict[str, str] = getattr(sys.modules.get(run.__module__), "SHORT", {})
    return found


def _short_form(run: Run) -> Callable[["FieldInfo", frozenset[str]], str | None]:
    """Return what tells cyclopts the short form of a parameter."""
    forms = {parameter: short for short, parameter in short_options(run).items()}
    return lambda field, _: forms.get(field.name)


def application(names: Sequence[str]) -> "App":
    """Return the command line with these commands as cyclopts sees it."""
    from cyclopts import App, Parameter

    app = App(
        name="callwright",
        help="Diagnostics, fixes and completion for tool calls written in text.",
        version=__version__,
        version_flags=["--version", "-V"],
        default_parameter=Parameter(negative=(), show_default=False),
    )
    app["--help"].group = app["--version"].group = "Options"
    for name in names:
        run = load_command(name)
        default = Parameter(negative=(), show_default=False, short_alias=_short_form(run))
        usage = f"Usage: callwright {name} {_usage(run)}"
        first, _, second = name.partition(" ")
        if second:
            if first not in app:
                app.command(App(name=first, help=about_group(first, names), version_flags=[]))
            app[first].command(run, name=second, usage=usage, default_parameter=default)
        elif any(one.startswith(f"{name} ") for one in names):
            # A command with others below it: its own words are what its application does by default.
            group = App(name=name, usage=usage, version_flags=[], default_parameter=default)
            group.default(run)
            app.command(group)
        else:
            app.command(run, name=name, usage=usage, default_parameter=default)
    return app


def _usage(run: Run) -> str:
    """Return the words that a command takes, as a manual writes them: `[OPTIONS] PATH`."""
    words: list[str] = []
    for one in _parameters(run):
        word = one.name.strip("_").upper()
        if one.kind == "option":
            words += [f"{option_name(one.name)} {word}"] if one.required else []
        elif one.kind == "words":
            words.append(f"{word.removesuffix('S')}...")
        else:
            words.append(word if one.required else f"[{word}]")
    return " ".join(["[OPTIONS]", *words])


def _dispatch_with_cyclopts(words: Sequence[str], name: str | None, rest: tuple[str, ...]) -> int:
    """Print the help that is asked for, run what only cyclopts understands, or say what is wrong with the words."""
    from cyclopts import CycloptsError

    from callwright.cli.support.terminal import unguarded

    # The help of a command that has others below it lists them; run, it is by itself.
    asks = not {"--help", "-h"}.isdisjoint(words)
    others = [one for one in command_names() if asks and name and one.startswith(f"{name} ")]
    app = application([name, *others] if name else command_names())
    out = unguarded(sys.stdout)
    if out is not sys.stdout:
        from rich.console import Console

        # Help is our own, and in colours and frames.
        app.console = Console(file=out)
    if not words:
        from rich.console import Console

        app.help_print([], console=Console(file=unguarded(sys.stderr)))
        raise CommandError("say what to do, as in `callwright check .`")
    given = [_STDIN if word == "-" else word for word in words]
    try:
        run, bound, _ignored = app.parse_args(given, exit_on_error=False, print_error=False)
    except CycloptsError as error:
        if name is None and os.path.exists(words[0]):  # noqa: PTH110 - pathlib would cost an import
            raise CommandError(f"`{words[0]}` is no command; did you mean `callwright check {words[0]}`?") from None
        page = f"callwright {name} --help" if name else "callwright --help"
        raise CommandError(f"{str(error).replace(_STDIN, '-')} `{page}` shows what can be given.") from None
    named = {one: _restored(value) for one, value in bound.kwargs.items()}
    code = run(*_restored(bound.args), **_with_rest(named, rest))
    return code if isinstance(code, int) else CLEAN


def _restored(value: Any) -> Any:
    """Return what was given before a lone `-` was hidden from cyclopts."""
    if isinstance(value, tuple):
        return tuple(_restored(one) for one in value)
    return "-" if value == _STDIN else value
