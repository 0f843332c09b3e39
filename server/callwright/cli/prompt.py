"""`callwright prompt`: the section of a system prompt that teaches the tools.

Owns: the options, and which tools and dialect they ask for. Must not know: what the section says.
"""

import sys
from typing import TYPE_CHECKING, Literal

from callwright.cli.support.failure import CLEAN, CommandError
from callwright.cli.support.names import unknown, unknown_dialect
from callwright.cli.support.output import write_text
from callwright.cli.support.projects import ProjectOptions, Projects
from callwright.cli.support.terminal import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callwright.config import Project
    from callwright.dialects.base import Dialect
    from callwright.tools.model import ToolSchema


def run(
    *,
    dialect: str | None = None,
    tools: tuple[str, ...] = (),
    shipped: tuple[str, ...] = (),
    style: Literal["full", "terse", "strict", "quoted"] = "full",
    format_: Literal["markdown", "xml", "json", "yaml"] = "markdown",
    only: tuple[str, ...] = (),
    no_examples: bool = False,
    one_call: bool = False,
    deprecated: bool = False,
    heading_level: Literal["0", "1", "2", "3", "4", "5"] = "2",
    isolated: bool = False,
    config: str | None = None,
) -> int:
    """Print the section of a system prompt that teaches a model to call the tools.

    It says how a call is written, describes each tool with its parameters, and gives examples, each of which is read
    back before it is printed. Ends with 2 where there are no tools.

    Parameters
    ----------
    dialect
        The dialect to teach. Without it: the configuration's, that of `--format`, or the one that the tools state.
    tools
        A file that defines tools, in place of the configuration's; may be given several times.
    shipped
        A shipped tool set to teach, such as `cline`; may be given several times.
    style
        `full` describes everything, `terse` takes one line for each tool, `strict` demands the format and shows what
        is rejected, `quoted` writes examples as quoted strings.
    format_
        How the list of tools is written: as prose in Markdown, or as data.
    only
        A tool to teach, the others being left out; may be given several times.
    no_examples
        Print no example calls.
    one_call
        Teach that a reply holds one call.
    deprecated
        Teach tools that are deprecated, too.
    heading_level
        The level of the section's heading; with 0, headings are bold lines.
    isolated
        Heed no configuration file.
    config
        The configuration file to heed, wherever it lies.
    """
    from callwright.teaching.section import teach

    project = Projects(ProjectOptions(tools=tools, shipped=shipped, isolated=isolated, config=config)).here()
    chosen = _chosen(project, only, named=bool(shipped))
    taught = teach(
        _dialect(dialect, project, chosen, format_),
        chosen,
        style=style,
        notation=format_,
        several=not one_call,
        heading_level=int(heading_level),
        examples=not no_examples,
        deprecated=deprecated or bool(only),
    )
    for name, reason in taught.refused:
        about = f"`{name}` has no example here: " if name else ""
        print(f"callwright: {visible(about + reason)}", file=sys.stderr)
    write_text(taught.text)
    return CLEAN


def _chosen(project: "Project", only: "Sequence[str]", *, named: bool) -> "list[ToolSchema]":
    """Return the tools to teach: the project's own, or those that are named. Raises CommandError where there are none.

    The shipped tools that stand in where nothing is configured are taught only where somebody names them.
    """
    registry = project.registry
    if not only:
        tools = list(registry) if registry.closed or named else []
        if not tools:
            raise CommandError(
                "there are no tools to teach: name a file that defines them with `--tools`, a shipped set with"
                " `--shipped`, or write `tools` into callwright.toml"
            )
        return tools
    found: list[ToolSchema] = []
    for name in dict.fromkeys(part.strip() for word in only for part in word.split(",") if part.strip()):
        meant = registry.get(name)
        if not meant:
            near = registry.near(name)
            raise unknown(
                "tool", name, registry.names if near is None else [near], "`callwright tools` lists them all."
            )
        found.append(meant[0])
    return found


def _dialect(wanted: str | None, project: "Project", tools: "Sequence[ToolSchema]", notation: str) -> "Dialect":
    """Return the dialect to teach. Raises CommandError where none is stated."""
    from callwright.dialects.catalogue import find_dialect
    from callwright.teaching.section import DIALECT_OF

    stated = list(dict.fromkeys(tool.dialect for tool in tools if tool.dialect is not None))
    name = wanted or project.settings.dialect or DIALECT_OF.get(notation) or (stated[0] if len(stated) == 1 else None)
    if name is None:
        raise CommandError(
            "no dialect is stated: name one with `--dialect`, or write `dialect` into callwright.toml;"
            " `callwright dialect` lists them"
        )
    found = find_dialect(name)
    if found is None:
        raise unknown_dialect(name)
    return found
