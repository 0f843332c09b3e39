"""Tool files as documents: a text, the definitions in it, and their places.

Owns: `ToolDocument`, `read_tool_document`, and the check whether a text plainly is such a file (`holds_tools`). Must
not know: files on a disk, configuration, rules, any single format.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final

from callwright.text.records import dataclass
from callwright.tools.definitions import NO_NAME, NOT_UNDERSTOOD, Definition, MovedPlaces, Places, locate_definitions
from callwright.tools.file_markers import may_hold_tools
from callwright.tools.formats.catalogue import format_of
from callwright.tools.registry import ToolProblem, ToolRegistry

if TYPE_CHECKING:
    from callwright.syntax.problem import Problem

#: Members that a file of tools may have beside the tools.
_BESIDE: Final = frozenset(
    [
        *("tools", "nextCursor", "_meta", "$schema", "name", "title", "description", "version", "dialect", "markup"),
        *("$defs", "functions", "functionDeclarations", "function_declarations", "toolConfig", "toolChoice"),
        *("tool_choice", "jsonrpc", "id", "result", "lockVersion", "servers", "resultType", "ttlMs", "cacheScope"),
    ]
)
_LISTS: Final = ("tools", "functions", "functionDeclarations", "function_declarations")
_SCHEMAS: Final = ("inputSchema", "input_schema", "parameters", "parametersJsonSchema", "parameters_json_schema")


@dataclass(frozen=True, slots=True)
class ToolDocument:
    """A text that defines tools, and what was read in it.

    `format` names the format of the text. `value` is its content as JSON data; `places` has the spans of its parts, in
    offsets of `text`. `problems` are those of the text and of definitions that are left out or fixed, in the order of
    reading. `apart` are the names of tools that are not among the definitions because only others were read.
    """

    text: str
    file: str
    format: str
    value: Any
    places: Places
    definitions: Sequence[Definition]
    problems: Sequence[Problem]
    apart: frozenset[str] = frozenset()

    @property
    def registry(self) -> ToolRegistry:
        """The tools, as a registry of their own."""
        problems = [ToolProblem(self.file, problem) for problem in self.problems]
        return ToolRegistry([definition.tool for definition in self.definitions], problems=problems)


def read_tool_document(text: str, file: str, *, only: Sequence[int] | None = None) -> ToolDocument:
    """Return the tools that the text of a file defines; `file` is its name, which determines the format.

    Only the first fault of a text is reported, and as much as possible is read: during an edit the other tools stay
    known. The set has its own name or, without one, the file's stem. Never raises.

    With `only`, just these definitions are read, by their indexes in the one list of a file whose other definitions are
    plainly in order.
    """
    language = format_of(file, text)
    parsed = language.parse(text, 1 if text.startswith("\ufeff") else 0)
    places = parsed.places
    found: list[Definition] = []
    more: list[Problem] = []
    if not parsed.broken or isinstance(parsed.value, dict | list):
        stem = PurePath(file).stem
        moved = MovedPlaces(parsed.places)
        found, more = locate_definitions(parsed.value, places=moved, file=file, tool_set=stem, only=only)
        places = moved if moved.used else places
    if parsed.broken:
        # A part that is missing because the text breaks off is not a separate fault.
        more = [each for each in more if each.kind not in (NOT_UNDERSTOOD, NO_NAME) and each.span.start < each.span.end]
    apart = frozenset() if only is None else frozenset(_plain_names(parsed.value)) - {each.tool.name for each in found}
    return ToolDocument(text, file, language.name, parsed.value, places, found, [*parsed.problems, *more], apart)


def _plain_names(value: Any) -> Iterator[str]:
    """Yield the names of definitions that have them in the usual place."""
    for one in value["tools"] if isinstance(value, dict) else value:
        yield one["name"] if "name" in one else one["function"]["name"]


def holds_tools(text: str, file: str) -> bool:
    """Return whether a text that is not configured as a tool file plainly is one: all of it defines tools.

    A request that has messages beside its tools is a transcript, and JSON Lines are rows of data. An OpenAPI document
    describes an interface that may not be for a model; to use its operations as tools, configure the file. Never
    raises.
    """
    if not may_hold_tools(text, file):
        return False
    language = format_of(file, text)
    if language.name == "json-lines":
        return False
    parsed = language.parse(text, 1 if text.startswith("\ufeff") else 0)
    value = parsed.value
    if isinstance(value, dict):
        if _is_definition(value):
            # A single definition must have distinctive keys; a name with parameters may be any configuration.
            return "parameters" not in value
        return value.keys() <= _BESIDE and any(_is_list(part) for part in _lists_in(value))
    return _is_list(value)


def holds_definitions(value: Any) -> bool:
    """Return whether a value in a text plainly is a definition, a list of them, or a wrapper of a list."""
    if isinstance(value, dict):
        return _is_definition(value) or any(_is_list(part) for part in _lists_in(value))
    return _is_list(value)


def _lists_in(value: dict[str, Any]) -> Iterator[Any]:
    """Yield the values where a file may have its tools."""
    for holder in (value, value.get("result"), value.get("toolConfig")):
        if isinstance(holder, dict):
            yield from (holder[key] for key in _LISTS if key in holder)
    servers = value.get("servers")
    for server in servers.values() if isinstance(servers, dict) else ():
        if isinstance(server, dict):
            yield server.get("tools")


def _is_list(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(_is_definition(one) for one in value)


def _is_schema(value: Any) -> bool:
    """Return whether a value is the schema of an object, and not just any value under `parameters`."""
    if not isinstance(value, dict):
        return False
    kind = value.get("type")
    named = isinstance(kind, str) and kind.lower() in ("object", "dict")
    return not value or named or isinstance(value.get("properties"), dict) or "$ref" in value


def _is_definition(value: Any) -> bool:
    """Return whether an object is a definition of a tool in a shape with distinctive keys."""
    if not isinstance(value, dict) or "role" in value:
        return False
    if isinstance(value.get("functionDeclarations", value.get("function_declarations")), list):
        return True
    inner = next((value[key] for key in ("function", "toolSpec") if isinstance(value.get(key), dict)), value)
    return (
        isinstance(inner.get("name"), str)
        and "arguments" not in inner
        and any(
            _is_schema(inner[key]) if key == "parameters" else isinstance(inner[key], dict)
            for key in _SCHEMAS
            if key in inner
        )
    )
