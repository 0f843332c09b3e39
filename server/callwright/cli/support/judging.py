"""Judging: the options that every command has which holds replies against a dialect and tools.

Owns: `JudgingOptions`. Must not know: single commands, how a reply is judged.
"""

from callwright.cli.support.failure import CommandError
from callwright.cli.support.files import InputFile
from callwright.cli.support.option_groups import (
    DialectOptions,
    InputOptions,
    JsonOptions,
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
    JsonOptions,
    InputOptions,
    ProjectOptions,
    group=True,
    without=("provider", "template", "max_mistakes"),
    wording={
        "tools": "Use the tools defined in this file instead of the configured ones. Tools in a transcript take"
        " precedence. Repeatable.",
        "dialect": "Expect calls in this dialect. Default: the dialect of the session, of the configuration, of the"
        " tools, of the calls in the reply, or of the other replies, in this order.",
        "strict": "Allow only the expected dialect, whatever else the configuration accepts.",
        "reasoning": "How to treat calls in reasoning such as `<think>`: `mentions` (ignore them) or `calls`.",
    },
):
    """How replies are read, whether each must hold a call, what standard input is taken for."""

    require_call: bool = option("Also reject a reply without a call.", default=False)

    def opened(self, path: str) -> "tuple[InputFile, Project]":
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
