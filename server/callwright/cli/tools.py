"""`callwright tools`: the tools in force here, and what one of them expects.

Owns: the options and the layout. Must not know: where tools come from, beyond their origin.
"""

import sys
from typing import Any

from callwright.cli.support.failure import CLEAN, CommandError
from callwright.cli.support.files import shown_path
from callwright.cli.support.names import nearest_command, unknown
from callwright.cli.support.option_groups import ColorOptions, JsonOptions, ProjectOptions, ToolOptions
from callwright.cli.support.options import word
from callwright.cli.support.output import json_for_people, to_json
from callwright.cli.support.projects import Projects
from callwright.cli.support.report import plural, text_diagnostic
from callwright.cli.support.terminal import Style, style_for, visible
from callwright.config import Project
from callwright.tools.hints import hint_sentence
from callwright.tools.model import ToolSchema
from callwright.tools.parameters import Parameter


class ToolsOptions(
    ToolOptions,
    JsonOptions,
    ProjectOptions,
    ColorOptions,
    examples=("callwright tools", "callwright tools read_file --tools tools.json"),
):
    """What `callwright tools` takes."""

    name: str | None = word(
        "The name of a tool. Without it, list all tools by the file that defines them.", default=None
    )


def run(options: ToolsOptions) -> int:
    """List the tools that apply in this folder, or show one of them."""
    projects = Projects(options)
    project = projects.here()
    registry = project.registry
    style = style_for(sys.stdout, options.color)
    for path, document, diagnostics in projects.diagnostics():
        for one in diagnostics:
            print(
                text_diagnostic(path, document, one, style_for(sys.stderr, options.color)), end="\n\n", file=sys.stderr
            )
    if options.name is None:
        if options.json:
            print(to_json([_as_json(tool) for tool in registry]))
        else:
            print(_listing(project, style))
        return CLEAN
    found = registry.get(options.name)
    if not found:
        near = registry.near(options.name)
        below = nearest_command(f"tools {options.name}")
        if near is None and below is not None:
            raise CommandError(f"unknown tool `{options.name}`; did you mean the command `callwright {below}`?")
        if near is None and not registry.in_force:
            # Those of the shipped sets are not what the author means.
            raise CommandError(
                f"unknown tool `{options.name}`: only the shipped tools apply here. Name the file that defines it with"
                " `--tools PATH`, or set `tools` in callwright.toml."
            )
        raise unknown(
            "tool", options.name, registry.names if near is None else [near], "`callwright tools` lists all tools."
        )
    if options.json:
        print(to_json([_as_json(tool) for tool in found]))
    else:
        print("\n\n".join(page(tool, style) for tool in found))
    return CLEAN


def _listing(project: "Project", style: Style) -> str:
    """Return all tools by where they come from."""
    groups: dict[str, list[ToolSchema]] = {}
    for tool in project.registry:
        groups.setdefault(_origin(tool), []).append(tool)
    parts: list[str] = []
    for origin, tools in groups.items():
        width = min(max(len(tool.name) for tool in tools), 40)
        rows = (f"  {visible(tool.name):{width}}  {_first_sentence(tool)}".rstrip() for tool in tools)
        parts.append("\n".join([style("bold", origin), *rows]))
    number = plural(len(project.registry.names), "tool", "tools")
    if project.registry.closed:
        stated = f"{number} from `{shown_path(project.file)}`" if project.file and project.configured else number
        parts.append(f"{stated}; a call of any other tool is an error.")
    elif not project.registry.names:
        parts.append(
            'No tools apply here, so no call is reported as unknown. Set `tools = ["…"]` in callwright.toml, or use'
            " `--tools PATH`."
        )
    else:
        parts.append(
            f'{number}, shipped with Callwright. Calls of other tools are not errors. Set `tools = ["…"]` in'
            " callwright.toml, or use `--tools PATH`, for your own, in a tool file or in a prompt that documents them."
        )
    return "\n\n".join(parts)


def _origin(tool: "ToolSchema") -> str:
    """Return where a tool was defined, as a person names it."""
    file = tool.origin.file
    shown = visible(_shown(file)) if file else ""
    if tool.origin.tool_set:
        return f"{visible(tool.origin.tool_set)} ({shown})" if shown else visible(tool.origin.tool_set)
    return shown or "given on the command line"


def _shown(file: str) -> str:
    from pathlib import Path

    return shown_path(Path(file))


def _first_sentence(tool: "ToolSchema") -> str:
    words = visible(tool.description.strip().partition("\n")[0])
    head, stop, _ = words.partition(". ")
    marker = "" if tool.deprecated is None else "(deprecated) "
    return marker + head + stop.rstrip()


def page(tool: "ToolSchema", style: Style) -> str:
    """Return what a tool expects as a person reads it: parameters, examples, origin."""
    parts = [f"{style('bold', visible(tool.name))} — {_origin(tool)}"]
    if tool.deprecated is not None:
        parts.append(style("yellow", "Deprecated") + (f": {visible(tool.deprecated)}" if tool.deprecated else "."))
    if tool.description:
        parts.append("\n".join(visible(line) for line in tool.description.strip().split("\n")))
    if tool.aliases:
        parts.append(f"Also called: {', '.join(visible(alias) for alias in tool.aliases)}")
    hints = hint_sentence(tool.annotations)
    if hints:
        parts.append(hints)
    rows = [_parameter(one, style) for one in tool.parameters.values()]
    parts.append("\n".join([style("bold", "Parameters"), *rows]) if rows else "It takes no parameters.")
    parts += [f"{style('bold', 'Example')}\n{_example(tool, example)}" for example in tool.examples]
    return "\n\n".join(parts)


def _parameter(one: "Parameter", style: Style) -> str:
    kind = _type_words(one.schema)
    flags = [kind] if kind else []
    if one.required:
        flags.append("required")
    if one.alias_of:
        flags.append(f"another name of {visible(one.alias_of)}")
    if one.deprecated:
        flags.append("deprecated")
    head = f"  {style('cyan', visible(one.name))}" + (f" ({', '.join(flags)})" if flags else "")
    return f"{head}: {visible(' '.join(one.description.split()))}" if one.description else head


def _type_words(schema: Any) -> str:
    """Return the kind of value that a schema requires, in a word or two; empty where it is open."""
    if not isinstance(schema, dict):
        return ""
    options = schema.get("enum")
    if isinstance(options, list) and options:
        return "one of " + " | ".join(visible(str(option)) for option in options)
    kind = schema.get("type")
    if isinstance(kind, list):
        return " | ".join(str(one) for one in kind)
    if kind == "array":
        inner = _type_words(schema.get("items"))
        return f"array of {inner}" if inner else "array"
    return str(kind) if isinstance(kind, str) else ""


def _example(tool: "ToolSchema", arguments: Any) -> str:
    """Return an example as a call in the dialect of the tool's own system, or as its arguments in JSON."""
    from callwright.calls.protocol import Refusal, RenderStyle
    from callwright.dialects.catalogue import find_dialect

    dialect = find_dialect(tool.dialect or "")
    text = None if dialect is None else dialect.render(tool.name, arguments, tool, RenderStyle())
    return json_for_people(arguments, sys.stdout) if text is None or isinstance(text, Refusal) else text


def _as_json(tool: "ToolSchema") -> dict[str, Any]:
    from callwright.tools.used_definitions import without_unused

    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "aliases": list(tool.aliases),
        "deprecated": tool.deprecated,
        "dialect": tool.dialect,
        "markup": tool.markup,
        "input_schema": without_unused(tool.input_schema),
        "output_schema": without_unused(tool.output_schema) if tool.output_schema is not None else None,
        "annotations": tool.annotations,
        "examples": list(tool.examples),
        "origin": {"tool_set": tool.origin.tool_set, "file": tool.origin.file, "pointer": tool.origin.pointer},
    }
