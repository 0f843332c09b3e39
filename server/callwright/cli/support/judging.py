"""Judging: the options that every command has which holds replies against a dialect and tools.

Owns: `JudgingOptions`. Must not know: single commands, how a reply is judged.
"""

from callwright.cli.support.failure import CommandError
from callwright.cli.support.files import Source
from callwright.cli.support.option_groups import (
    DialectOptions,
    FormatOptions,
    InputOptions,
    MarkupOptions,
    ProjectOptions,
    ReadingOptions,
    ShippedOptions,
    ToolOptions,
)
from callwright.cli.support.options import option
from callwright.cli.support.projects import Projects
from callwright.config import Project
from callwright.tools.registry import ToolRegistry


class JudgingOptions(
    ToolOptions,
    DialectOptions,
    MarkupOptions,
    ReadingOptions,
    ShippedOptions,
    FormatOptions,
    InputOptions,
    ProjectOptions,
    group=True,
    without=("provider", "template", "max_mistakes"),
    wording={
        "tools": "A file that defines tools, in place of the configuration's; may be given several times. Tools that a"
        " transcript brings along go before them.",
        "dialect": "The dialect that calls are to be written in. Without it: the configuration's, else the one that the"
        " tools are called in, else the one that the reply's own calls use, else that of the other replies. A session"
        " has its own.",
        "accept": "A further dialect that is taken; may be given several times.",
        "strict": "Take the one dialect only, whatever the configuration accepts beside it.",
        "reasoning": "What calls in reasoning blocks such as `<think>` are: `mentions`, which nobody carries out, or"
        " `calls`.",
    },
):
    """How replies are read, whether each must hold a call, what standard input is taken for."""

    require_call: bool = option("Reject a reply without a call, too.", default=False)

    def opened(self, path: str) -> "tuple[Source, Project]":
        """Return the text that `path` names, and the project that governs it. Raises CommandError."""
        projects = Projects(self)
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
