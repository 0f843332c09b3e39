"""`callwright dialect`: the dialects in which a call can be written.

Owns: the options and the layout of a page. Must not know: any single dialect.
"""

import sys
from typing import TYPE_CHECKING, Any

from callwright.cli.support.failure import CLEAN
from callwright.cli.support.names import unknown_dialect
from callwright.cli.support.option_groups import ColorOptions, JsonOptions, ProjectOptions, ToolOptions
from callwright.cli.support.options import word
from callwright.cli.support.output import to_json
from callwright.cli.support.projects import Projects
from callwright.cli.support.terminal import Style, style_for
from callwright.tools.model import ToolSchema

if TYPE_CHECKING:
    from callwright.dialects.base import Dialect

#: How many tools a page uses as examples.
_EXAMPLES = 2


class ShownOptions(
    ToolOptions,
    JsonOptions,
    ProjectOptions,
    ColorOptions,
    wording={"tools": "Use the tools defined in this file as examples instead of the configured ones. Repeatable."},
    examples=("callwright dialect", "callwright dialect xml-json --tools tools.json"),
):
    """What `callwright dialect` takes."""

    name: str | None = word("The dialect, such as `xml-json`. Without it, list all dialects.", default=None)


def run(options: ShownOptions) -> int:
    """Show a dialect: its syntax, the models that write it, and instructions for a prompt."""
    from callwright.dialects.catalogue import all_dialects, find_dialect

    style = style_for(sys.stdout, options.color)
    if options.name is None:
        if options.json:
            print(to_json([_as_json(one) for one in all_dialects()]))
            return CLEAN
        width = max(len(one.name) for one in all_dialects())
        for one in all_dialects():
            print(f"{style('bold', f'{one.name:{width}}')}  {one.summary}")
        print("\n`callwright dialect NAME` shows a dialect with an example.")
        return CLEAN
    found = find_dialect(options.name)
    if found is None:
        raise unknown_dialect(options.name)
    shown = _example_tools(found, Projects(options))
    if options.json:
        print(to_json({**_as_json(found), "example": example(found, shown), "teach": instructions(found, shown)}))
    else:
        print(page(found, shown, style))
    return CLEAN


def _example_tools(dialect: "Dialect", projects: Projects) -> "list[ToolSchema]":
    """Return a few tools to show the dialect with: the project's own, else shipped ones that are called this way."""
    project = projects.here()
    tools = list(project.registry)
    if not project.registry.closed:
        tools = [tool for tool in tools if tool.dialect == dialect.name] or tools
    with_examples = [tool for tool in tools if tool.examples and any(tool.examples)]
    return list((with_examples or tools)[:_EXAMPLES])


def example(dialect: "Dialect", tools: "list[ToolSchema]") -> str | None:
    """Return a call of the first tool that can be written in the dialect, or None where there is none."""
    from callwright.calls.protocol import RenderStyle
    from callwright.teaching.section import examples_in

    return next((text for _, text in examples_in(dialect, tools, RenderStyle())), None)


def instructions(dialect: "Dialect", tools: "list[ToolSchema]") -> str:
    """Return the text of a prompt that asks for the dialect."""
    from callwright.teaching.section import SectionOptions, section

    return section(dialect, tools, SectionOptions(style="terse", heading_level=0))


def page(dialect: "Dialect", tools: "list[ToolSchema]", style: Style) -> str:
    """Return a dialect's page as a person reads it."""
    parts = [
        f"{style('bold', f'{dialect.title} ({dialect.name})')}\n{dialect.summary}",
        f"Written by: {', '.join(dialect.used_by)}.",
        "Values carry their type." if dialect.typed else "Values are text; the tool's schema gives them their type.",
    ]
    shown = example(dialect, tools)
    if shown is not None:
        parts.append(f"{style('bold', 'A call')}\n{shown}")
    parts.append(f"{style('bold', 'How to ask a model for it')}\n{instructions(dialect, tools).rstrip()}")
    return "\n\n".join(parts)


def _as_json(dialect: "Dialect") -> dict[str, Any]:
    return {
        "name": dialect.name,
        "title": dialect.title,
        "summary": dialect.summary,
        "used_by": list(dialect.used_by),
        "typed": dialect.typed,
        "cdata": dialect.cdata,
    }
