"""Judging: the options that every command has which holds replies against a dialect and tools.

Owns: `Judging`, those options with what the help says of them, how a command takes them (`judges`). Must not know:
single commands, how a reply is judged.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from typing import TYPE_CHECKING, Any, Final

from callwright.cli.support.failure import CommandError
from callwright.cli.support.projects import ProjectOptions, Projects

if TYPE_CHECKING:
    from callwright.cli.support.files import Source
    from callwright.config import Project
    from callwright.tools.registry import ToolRegistry

_HEADING: Final = "\n\nParameters\n----------\n"
#: The parameter of a command that the options stand for.
_PLACE: Final = "judging"


@dataclass(frozen=True, slots=True)
class Judging:
    """What the options say: how replies are read, whether each must hold a call, what standard input is taken for."""

    options: ProjectOptions
    require_call: bool
    stdin_filename: str | None

    def opened(self, path: str, *, max_mistakes: str | None = None) -> "tuple[Source, Project]":
        """Return the text that `path` names, and the project that governs it. Raises CommandError."""
        projects = Projects(replace(self.options, max_mistakes=max_mistakes))
        source = projects.one_source(path, self.stdin_filename)
        project = projects.of(source)
        strict_tools(project)
        return source, project


def strict_tools(project: "Project") -> "ToolRegistry":
    """Return the tools of a project for a strict reader. Raises CommandError where one of them cannot be used."""
    from callwright.tools.given import tools_given

    try:
        return tools_given(project.registry)
    except ValueError as error:
        raise CommandError(str(error)) from None


def _judging(
    *,
    tools: tuple[str, ...] = (),
    dialect: str | None = None,
    accept: tuple[str, ...] = (),
    strict: bool = False,
    markup: str | None = None,
    reasoning: str | None = None,
    shipped: tuple[str, ...] = (),
    require_call: bool = False,
    stdin_filename: str | None = None,
    isolated: bool = False,
    config: str | None = None,
) -> Judging:
    """Return what the options say.

    Parameters
    ----------
    tools
        A file that defines tools, in place of the configuration's; may be given several times. Tools that a transcript
        brings along go before them.
    dialect
        The dialect that calls are to be written in. Without it: the configuration's, else the one that the tools are
        called in, else the one that the reply's own calls use, else that of the other replies. A session has its own.
    accept
        A further dialect that is taken; may be given several times.
    strict
        Take the one dialect only, whatever the configuration accepts beside it.
    markup
        How element text is written: `xml`, with entities and CDATA, or `raw`, literally.
    reasoning
        What calls in reasoning blocks such as `<think>` are: `mentions`, which nobody carries out, or `calls`.
    shipped
        A shipped tool set to use beside the tools given, or `all`; may be given several times.
    require_call
        Reject a reply without a call, too.
    stdin_filename
        The file that standard input is to be taken for.
    isolated
        Heed no configuration file.
    config
        The configuration file to heed, wherever it lies.
    """
    options = ProjectOptions(
        tools=tools,
        dialect=dialect,
        accept=accept,
        strict=strict,
        markup=markup,
        reasoning=reasoning,
        shipped=shipped,
        isolated=isolated,
        config=config,
    )
    return Judging(options, require_call, stdin_filename)


def judges(run: Callable[..., int]) -> Callable[..., int]:
    """Return a command whose parameter `judging` is what the options of this module say, with these options of its own.

    The signature and the docstring of what is returned are those that the command would have with all options written
    out: they stand where `judging` stood.
    """
    own = inspect.signature(run)
    options = inspect.signature(_judging).parameters

    @wraps(run)
    def judging(*words: str, **named: Any) -> int:
        given = {name: named.pop(name) for name in options if name in named}
        return run(*words, **named, **{_PLACE: _judging(**given)})

    parameters: list[inspect.Parameter] = []
    for one in own.parameters.values():
        parameters += options.values() if one.name == _PLACE else [one]
    shown: Any = judging
    shown.__signature__ = own.replace(parameters=parameters)
    shown.__annotations__ = {one.name: one.annotation for one in parameters} | {"return": int}
    # What is wrapped has another signature, which nobody is to find.
    del shown.__wrapped__
    about, _, described = (inspect.getdoc(run) or "").partition(_HEADING)
    _, _, shared = (inspect.getdoc(_judging) or "").partition(_HEADING)
    shown.__doc__ = "".join((about, _HEADING, described, "\n" * bool(described), shared))
    return judging
