"""`callwright tools export`: tools of any file, or of a Python module that is imported, as one JSON tool file.

Owns: the options, importing what the user names, and what becomes of the objects in it. Must not know: how tool files
are read. This is the only place that imports code of the user's, and only with `--import`.
"""

import asyncio
import contextlib
import importlib
import inspect
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from callwright.cli.support.failure import CLEAN, HAS_DIAGNOSTICS, CommandError, require_file
from callwright.cli.support.files import shown_path
from callwright.cli.support.options import Options, option, words
from callwright.cli.support.output import output_to, to_json
from callwright.cli.support.report import plural
from callwright.cli.support.terminal import visible

if TYPE_CHECKING:
    from callwright.tools.model import ToolSchema
    from callwright.tools.registry import ToolRegistry

#: Attributes under which libraries keep the schema of a tool's arguments, as a dictionary.
_SCHEMAS: Final = (
    "params_json_schema",
    "parameters_json_schema",
    "inputSchema",
    "input_schema",
    "json_schema",
    "parameters",
)
#: Attributes that lead to a model of the arguments.
_MODELS: Final = ("tool_call_schema", "args_schema")


class ExportOptions(
    Options,
    examples=("callwright tools export tools.py > tools.json", "callwright tools export --import package.module"),
):
    """What `callwright tools export` takes."""

    files: tuple[str, ...] = words("Files that define tools, in any format.", default=())
    import_: tuple[str, ...] = option(
        "Import this Python module, as in `package.module`, or use one object of it, as in `package.module:name`: a"
        " tool, a list of tools, a model, a function or a FastMCP server. Repeatable.",
        default=(),
        value="MODULE",
    )
    name: str | None = option("The name of the tool set. Default: none.", default=None)
    output: str | None = option("Write to this file instead of standard output.", default=None, value="PATH")


def run(options: ExportOptions) -> int:
    """Convert tool definitions to a JSON tool file.

    Files are only read. `--import` imports a Python module, which runs its code; no other command and no editor does
    so. It finds what reading cannot: types from other modules and computed values.
    """
    if not options.files and not options.import_:
        raise CommandError("no input given; name files that define tools, or a module with `--import`")
    from callwright.declarations.load import load_tools
    from callwright.tools.registry import EMPTY, ToolRegistry

    registry = EMPTY
    for file in options.files:
        require_file(file, visible(file))
        registry = registry.merge(load_tools(file, name=shown_path(Path(file))))
    for wanted in options.import_:
        registry = registry.merge(ToolRegistry.of(_imported(wanted)))
    _report_errors(registry)
    if not registry.tools:
        raise CommandError("no tools are defined in the input; name files that define tools")
    document: dict[str, Any] = {"name": options.name} if options.name is not None else {}
    text = to_json({**document, "tools": [_written(tool) for tool in registry]})
    if options.output is None:
        print(text)
    else:
        with output_to(options.output, None, option="--output", folders=False) as out:
            out.write(text + "\n")
        print(f"Wrote {plural(len(registry.tools), 'tool', 'tools')} to {visible(options.output)}.", file=sys.stderr)
    return HAS_DIAGNOSTICS if any(not tool.checked for tool in registry) else CLEAN


def _report_errors(registry: "ToolRegistry") -> None:
    """Report on standard error what is wrong with definitions, or unknown."""
    for file, problem in registry.problems:
        where = f"{visible(file)}: " if file is not None else ""
        reason, remedy = str(problem.data.get("reason", "")), str(problem.data.get("remedy", ""))
        print(f"{where}{visible(reason)}" + (f"; {visible(remedy)}" if remedy else ""), file=sys.stderr)


def _written(tool: "ToolSchema") -> dict[str, Any]:
    """Return a tool as a definition of our own, which belongs to no system yet."""
    from callwright.tools.used_definitions import written_definition

    return {key: value for key, value in written_definition(tool).items() if key not in ("markup", "dialect")}


# -- importing ---------------------------------------------------------------------------------------------------------


def _imported(wanted: str) -> list[dict[str, Any]]:
    """Return the definitions that a module gives once it runs. Raises CommandError where it cannot."""
    module_name, _, attribute = wanted.partition(":")
    if not all(part.isidentifier() for part in [*module_name.split("."), *(attribute.split(".") if attribute else ())]):
        raise CommandError(f"`--import {visible(wanted)}`: expected `package.module` or `package.module:name`")
    folder = os.getcwd()  # noqa: PTH109 - the import system takes text
    if folder not in sys.path:
        sys.path.insert(0, folder)
    # What the code prints is not the tool file.
    with contextlib.redirect_stdout(sys.stderr):
        try:
            found: Any = importlib.import_module(module_name)
            for step in attribute.split(".") if attribute else ():
                found = getattr(found, step)
            definitions = [*_definitions(found)]
        except (Exception, SystemExit) as error:  # noqa: BLE001 - code of the user's may raise whatever it likes
            stated = f"{type(error).__name__}: {error}".rstrip(": ")
            raise CommandError(f"`--import {visible(wanted)}`: {visible(stated)}") from None
    if not definitions:
        raise CommandError(f"`--import {visible(wanted)}`: no tools are defined in it; name another module or object")
    return definitions


def _definitions(found: Any) -> Iterator[dict[str, Any]]:
    """Yield the definitions that an object means."""
    if isinstance(found, ModuleType):
        yield from _of_module(found)
    elif isinstance(found, list | tuple | set):
        for one in found:
            yield from _definitions(one)
    elif isinstance(found, Mapping):
        yield dict(found)
    elif callable(getattr(found, "list_tools", None)):
        listed = found.list_tools()
        yield from _definitions(asyncio.run(listed) if inspect.iscoroutine(listed) else listed)
    elif _is_model(found):
        yield {"name": found.__name__, "description": _described(found), "inputSchema": found.model_json_schema()}
    else:
        made = _of_tool(found)
        if made is not None:
            yield made
        elif inspect.isroutine(found):
            from callwright.tools.functions import definition_of

            yield definition_of(found)


def _of_module(module: ModuleType) -> Iterator[dict[str, Any]]:
    """Yield the tools of a module: those that a library made, else its functions, else its models."""
    own = {name: value for name, value in vars(module).items() if not name.startswith("_")}
    servers = [
        value for value in own.values() if callable(getattr(value, "list_tools", None)) and not isinstance(value, type)
    ]
    tools = [
        value for value in own.values() if not isinstance(value, type | ModuleType) and _of_tool(value) is not None
    ]
    functions = [
        value
        for value in own.values()
        if inspect.isfunction(value) and value.__module__ == module.__name__ and inspect.getdoc(value)
    ]
    models = [value for value in own.values() if _is_model(value) and value.__module__ == module.__name__]
    for value in servers or tools or functions or models:
        yield from _definitions(value)


def _is_model(value: Any) -> bool:
    return (
        isinstance(value, type)
        and callable(getattr(value, "model_json_schema", None))
        and value.__name__ != "BaseModel"
    )


def _described(value: Any) -> str:
    return inspect.cleandoc(getattr(value, "__doc__", None) or "")


def _of_tool(found: Any) -> dict[str, Any] | None:
    """Return the definition that an object of some library is, None where it is none."""
    name = getattr(found, "name", None)
    if not isinstance(name, str) or isinstance(found, type):
        return None
    schema = next((value for key in _SCHEMAS if isinstance(value := getattr(found, key, None), Mapping)), None)
    if schema is None:
        model = next((value for key in _MODELS if _is_model(value := getattr(found, key, None))), None)
        schema = model.model_json_schema() if model is not None else None
    if schema is None:
        return None
    stated = {
        "title": getattr(found, "title", None),
        "outputSchema": getattr(found, "outputSchema", getattr(found, "output_schema", None)),
        "annotations": getattr(found, "annotations", None),
    }
    dumped = {key: _plain(value) for key, value in stated.items()}
    kept = {key: value for key, value in dumped.items() if isinstance(value, str | Mapping) and value}
    description = getattr(found, "description", None)
    return {"name": name, "description": description or "", "inputSchema": dict(schema), **kept}


def _plain(value: Any) -> Any:
    """Return the data of a model's instance; anything else as it is."""
    dump = getattr(value, "model_dump", None)
    return dump(exclude_none=True, by_alias=True) if callable(dump) and not isinstance(value, type) else value
