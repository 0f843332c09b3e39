"""Arguments: from the words of a command line to the options of a command's `run`.

Owns: the fast path for well-formed words, and the cyclopts application for everything else: help, and messages about
wrong words. The class of a command's options is the only description of its arguments; `run` takes one. An option
`command: tuple[str, ...]` also takes all words after `--`, whatever they look like. A module `tools_lock` is the
command `tools lock`, `corpus_dedupe_diagnostics` is `corpus dedupe-diagnostics`, and `chat_template_check` is
`chat-template check`. Invariant: where the fast path answers at all, cyclopts would give the same answer. It exists
because importing cyclopts costs more than checking a file does. Must not know: what any command does.
"""

import importlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from callwright import __version__
from callwright.cli.support.failure import CLEAN, CommandError
from callwright.cli.support.options import SECTIONS, Option, Options
from callwright.text.records import NamedTuple

if TYPE_CHECKING:
    from cyclopts import App
    from cyclopts import Parameter as Help
    from cyclopts.field_info import FieldInfo

_COMMANDS = "callwright.cli"
#: The groups of commands whose names are two words.
_GROUPS_OF_TWO_WORDS = frozenset({("chat", "template")})
#: The option that takes all words after `--`.
_REST = "command"
#: What replaces a lone `-` on its way through cyclopts, which reads it as an option; no word can contain a NUL.
_STDIN = "\0"


class Command(NamedTuple):
    """What a command's module offers under the name `run`, which returns the exit code, and the class that it takes."""

    run: Callable[[Any], int]
    options: type[Options]


def command_names() -> list[str]:
    """Return the names of all commands: every module of the command room but its entry point."""
    folder = importlib.import_module(_COMMANDS).__path__[0]
    names = (name.removesuffix(".py") for name in os.listdir(folder) if name.endswith(".py"))  # noqa: PTH208 - pathlib would cost an import
    return sorted(_command_name(name) for name in names if name not in {"__init__", "main"})


def _command_name(module: str) -> str:
    """Return the command of a module: the first word of its name is the group, or two words where these are one."""
    words = module.split("_")
    first = "-".join(words[:2]) if tuple(words[:2]) in _GROUPS_OF_TWO_WORDS else words[0]
    rest = "-".join(words[first.count("-") + 1 :])
    return f"{first} {rest}" if rest else first


def about_group(first: str, names: Iterable[str]) -> str:
    """Return the message about a first word that is not a command of its own: which of `names` it begins."""
    return f"Commands: {', '.join(name.partition(' ')[2] for name in names if name.startswith(f'{first} '))}."


def load_command(name: str) -> Command:
    """Return the command with this name."""
    run = importlib.import_module(f"{_COMMANDS}.{name.replace(' ', '_').replace('-', '_')}").run
    return Command(run, run.__annotations__["options"])


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
    command = load_command(name)
    words, rest = _parted(command, words)
    straight = read_straight(command.options, words[name.count(" ") + 1 :])
    if straight is None:
        return _dispatch_with_cyclopts(words, name, rest)
    return command.run(command.options(**_with_rest(straight, rest)))


def _parted(command: Command, words: Sequence[str]) -> tuple[Sequence[str], tuple[str, ...]]:
    """Return the words of a command's own, and those after `--` where it starts another with them."""
    if "--" not in words or all(one.name != _REST for one in command.options.every):
        return words, ()
    at = words.index("--")
    return words[:at], tuple(words[at + 1 :])


def _with_rest(named: dict[str, Any], rest: tuple[str, ...]) -> dict[str, Any]:
    return {**named, _REST: (*named.get(_REST, ()), *rest)} if rest else named


def read_straight(options: type[Options], words: Sequence[str]) -> dict[str, Any] | None:
    """Return the options in `words` by their names, or None where the words need a message."""
    forms = {form: one for one in options.every if one.kind == "option" for form in (one.written, one.short) if form}
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
            one = forms.get(name)
            if one is None or not _take(one, value if equals else None, rest, named):
                return None
    for one in options.every:
        if one.kind == "words":
            named[one.name], positional = tuple(positional), []
        elif one.kind == "word" and positional:
            named[one.name] = positional.pop(0)
    if positional or any(one.required and one.name not in named for one in options.every):
        return None
    return named


def _take(option: Option, value: str | None, rest: Iterator[str], named: dict[str, Any]) -> bool:
    """Record one option, with its value from `rest` where it needs one; return whether it is well-formed."""
    if option.name in named and not option.repeatable:
        return False
    if option.is_flag:
        named[option.name] = True
        return value is None
    if value is None:
        value = next(rest, "-")
        if value.startswith("-"):
            return False
    if option.choices and value not in option.choices:
        return False
    named[option.name] = (*named.get(option.name, ()), value) if option.repeatable else value
    return True


def usage(command: Command) -> str:
    """Return the words that a command takes, as a manual writes them: `[OPTIONS] PATH`."""
    words = ["[OPTIONS]"]
    for one in command.options.every:
        if one.kind == "words":
            words.append(f"{one.placeholder}...")
        elif one.kind == "word":
            words.append(one.placeholder if one.required else f"[{one.placeholder}]")
        elif one.required:
            words.append(f"{one.written} {one.placeholder}")
    return " ".join(words)


def application(names: Sequence[str], words: Callable[[str, Option], tuple[str, ...]] | None = None) -> "App":
    """Return the command line with these commands as cyclopts sees it.

    `words` is for scripts that complete words: it returns those that an option of a command accepts, none where it
    accepts a file or anything else. Wrong words are reported elsewhere.
    """
    from cyclopts import App, Parameter

    app = App(
        name="callwright",
        help="Diagnostics, fixes and completion for tool calls written in text.",
        version=__version__,
        version_flags=["--version", "-V"],
        # Markdown would be read by libraries that take longer to import than all else here.
        help_format="rich",
        default_parameter=Parameter(negative=(), show_default=False),
    )
    app["--help"].group = app["--version"].group = "Options"
    for name in names:
        command = load_command(name)
        run = spread(command, partial(words, name) if words is not None else None)
        default = Parameter(negative=(), show_default=False, short_alias=_short_form(command.options))
        shown = f"Usage: callwright {name} {usage(command)}"
        ending = _examples(command.options)
        first, _, second = name.partition(" ")
        if second:
            if first not in app:
                app.command(App(name=first, help=about_group(first, names), version_flags=[]))
            app[first].command(run, name=second, usage=shown, default_parameter=default, help_epilogue=ending)
        elif any(one.startswith(f"{name} ") for one in names):
            # A command with others below it: its own words are what its application does by default.
            group = App(name=name, usage=shown, version_flags=[], default_parameter=default, help_epilogue=ending)
            group.default(run)
            app.command(group)
        else:
            app.command(run, name=name, usage=shown, default_parameter=default, help_epilogue=ending)
    return app


def _examples(options: type[Options]) -> str | None:
    """Return the end of a command's help: what may be typed."""
    if not options.examples:
        return None
    from rich.markup import escape

    title = "Example:" if len(options.examples) == 1 else "Examples:"
    return escape("\n".join([title, "", *(f"    {line}" for line in options.examples)]))


def _marked_up(text: str) -> str:
    """Return a text for the help: each paragraph on one line, and what is in back-ticks as code."""
    from rich.markup import escape

    paragraphs = (" ".join(each.split()) for each in text.split("\n\n"))
    parts = map(escape, "\n\n".join(paragraphs).split("`"))
    return "".join(f"[markdown.code]{part}[/]" if number % 2 else part for number, part in enumerate(parts))


def _shown(one: Option) -> "Help":
    """Return how the help shows an option or a word."""
    from cyclopts import Group, Parameter

    if one.kind != "option":
        return Parameter(name=one.placeholder, help=_marked_up(one.about))
    section = Group(one.section, sort_key=SECTIONS.index(one.section))
    return Parameter(help=_marked_up(one.about), metavar=None if one.is_flag else one.placeholder, group=section)


def _short_form(options: type[Options]) -> Callable[["FieldInfo", frozenset[str]], str | None]:
    """Return the parameter of cyclopts for a short form."""
    forms = {one.name: one.short or None for one in options.every}
    return lambda field, _: forms[field.name]


def spread(command: Command, words: Callable[[Option], tuple[str, ...]] | None = None) -> Callable[..., dict[str, Any]]:
    """Return a function with a parameter for each option, for cyclopts to read, which returns them by their names.

    It reads classes of options, too, but would be needed to describe them, and would call the parameters otherwise.
    """
    from inspect import Parameter, Signature
    from pathlib import Path
    from typing import Annotated

    kinds = {
        "word": Parameter.POSITIONAL_ONLY,
        "words": Parameter.VAR_POSITIONAL,
        "option": Parameter.KEYWORD_ONLY,
    }
    parameters: list[Parameter] = []
    for one in command.options.every:
        kind = str if one.kind == "words" else one.annotation
        if words is not None and not one.is_flag:
            taken = words(one)
            value: Any = Literal[taken] if taken else Path
            kind = tuple[value, ...] if one.repeatable and one.kind == "option" else value
        default = Parameter.empty if one.required or one.kind == "words" else one.default
        annotation = Annotated[kind, _shown(one)]  # type: ignore[valid-type]
        parameters.append(Parameter(one.name, kinds[one.kind], default=default, annotation=annotation))
    places = [one for one in command.options.every if one.kind == "word"]
    further = [one for one in command.options.every if one.kind == "words"]

    def given(*words: str, **named: Any) -> dict[str, Any]:
        for one, value in zip(places, words, strict=False):
            named[one.name] = value
        return named | {one.name: words[len(places) :] for one in further}

    shown: Any = given
    shown.__signature__ = Signature(parameters)
    shown.__annotations__ = {one.name: one.annotation for one in parameters}
    shown.__doc__ = _marked_up(command.run.__doc__ or "")
    return given


def _dispatch_with_cyclopts(words: Sequence[str], name: str | None, rest: tuple[str, ...]) -> int:
    """Print the requested help, run what only cyclopts understands, or report what is wrong with the words."""
    from cyclopts import CycloptsError, RepeatArgumentError

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
        raise CommandError("no command given; start with `callwright check .`")
    given = [_STDIN if word == "-" else word for word in words]
    try:
        given_to, bound, _ignored = app.parse_args(given, exit_on_error=False, print_error=False)
    except CycloptsError as error:
        if name is None and os.path.exists(words[0]):  # noqa: PTH110 - pathlib would cost an import
            raise CommandError(f"unknown command `{words[0]}`; did you mean `callwright check {words[0]}`?") from None
        page = f"callwright {name} --help" if name else "callwright --help"
        stated = str(error).replace(_STDIN, "-")
        if isinstance(error, RepeatArgumentError):
            stated = f"{stated} {_remedy_of_repeated(error.token.keyword)}"
        raise CommandError(f"{stated} See `{page}`.") from None
    named = given_to(*_restored(bound.args), **{one: _restored(value) for one, value in bound.kwargs.items()})
    if name is None or not isinstance(named, dict):
        return CLEAN
    command = load_command(name)
    return command.run(command.options(**_with_rest(named, rest)))


def _remedy_of_repeated(option: str | None) -> str:
    """Return what to do about an option that is given more than once, though it is one value."""
    if option in ("--output-format", "--output-file", "-o"):
        return "Run the command once for each report, each with its own `--output-format` and `--output-file`."
    return "Remove all but one."


def _restored(value: Any) -> Any:
    """Return what was given before a lone `-` was hidden from cyclopts."""
    if isinstance(value, tuple):
        return tuple(_restored(one) for one in value)
    return "-" if value == _STDIN else value
