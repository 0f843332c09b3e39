"""Texts that define tools: tool files, and prompts that document their tools.

Owns: `read_tools_of`, which takes either; `document_of`, the declarations of a text as a tool file has them. Must not
know: files on a disk, configuration, rules, any single format or style.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from callwright.declarations.reading import Declaration, declarations_in
from callwright.syntax.problem import Problem
from callwright.text.records import replace
from callwright.text.span import Span
from callwright.tools.definitions import DUPLICATE, NOT_UNDERSTOOD, Definition, Nowhere, Places, pointer_of
from callwright.tools.documents import ToolDocument, read_tool_document
from callwright.tools.formats.catalogue import is_claimed
from callwright.tools.model import Origin, ToolSchema

if TYPE_CHECKING:
    from callwright.tools.sources.base import Path

#: No definitions that were made before.
NOTHING_KNOWN: Final[Mapping[tuple[int, int], Sequence[Definition]]] = MappingProxyType({})
#: The format of a text that is not a tool file and documents tools.
PROMPT: Final = "prompt"


def read_tools_of(text: str, file: str, *, only: Sequence[int] | None = None) -> ToolDocument:
    """Return what the text of a file defines: as a tool file in the language of its name, else as a prompt.

    A text in which a tool file's reader finds no tool, and that declares some, is a prompt. `only` is that of
    `read_tool_document`. Never raises.
    """
    first = text[:1_000].lstrip("\ufeff \t\r\n")[:1]
    is_data = only is not None or is_claimed(file) or first in ("", "{", "[")
    document = read_tool_document(text, file, only=only) if is_data else None
    if document is not None and (only is not None or document.definitions):
        return document
    found = [*declarations_in(text)]
    if found:
        return document_of(found, text, file)
    return document if document is not None else _nothing(text, file)


def _nothing(text: str, file: str) -> ToolDocument:
    """Return a prompt that documents no tool."""
    words = {"pointer": "", "reason": "the file documents no tools", "remedy": "document one, or name another file"}
    first = text.find("\n")
    problem = Problem(NOT_UNDERSTOOD, Span(0, first if first >= 0 else len(text)), words)
    return ToolDocument(text, file, PROMPT, [], Nowhere(), [], [problem])


def document_of(found: Iterable[Declaration], text: str, file: str) -> ToolDocument:
    """Return the declarations of a text as one document of tools, in offsets of the text."""
    declarations = [*found]
    definitions = placed(declarations, file)
    problems = [
        replace(each, span=declaration.place(each.span))
        for declaration in declarations
        for each in declaration.read.document.problems
    ]
    problems += contradictions(declarations)
    value: list[Any] = [each.read.document.value for each in declarations]
    return ToolDocument(text, file, PROMPT, value, _Joined(declarations), definitions, problems)


def placed(
    declarations: Sequence[Declaration],
    file: str,
    known: Mapping[tuple[int, int], Sequence[Definition]] = NOTHING_KNOWN,
) -> list[Definition]:
    """Return the definitions of declarations as those of one document: the path of each begins with the number of its
    declaration.

    Where two declarations of a name contradict each other, neither judges: both tools are known by name alone. `known`
    are definitions that were made before, by `number_of`.
    """
    found: list[Definition] = []
    for number, each in enumerate(declarations):
        made = known.get(number_of(number, each))
        found += made if made is not None else [_below(number, one, file) for one in each.read.definitions]
    uncertain = _uncertain(each.tool for each in found)
    return [replace(each, tool=_unjudged(each.tool)) if each.tool.name in uncertain else each for each in found]


def number_of(number: int, declaration: Declaration) -> tuple[int, int]:
    """Return what the placed definitions of a declaration depend on: its number, and what was read."""
    return (number, id(declaration.read))


def contradictions(declarations: Sequence[Declaration]) -> list[Problem]:
    """Return a problem for each declaration of a tool that an earlier one contradicts, at the name, in offsets of the
    document."""
    uncertain = _uncertain(definition.tool for each in declarations for definition in each.read.definitions)
    first: dict[str, tuple[ToolSchema, Span]] = {}
    found: list[Problem] = []
    for each in declarations if uncertain else ():
        for definition in each.read.definitions:
            name = definition.tool.name
            if name not in uncertain:
                continue
            span = each.place(each.read.name_of(definition))
            other, where = first.setdefault(name, (definition.tool, span))
            if differ(other, definition.tool):
                reason = f"`{name}` is documented twice with different parameters, so its calls are not checked"
                words = {"pointer": "", "reason": reason, "remedy": "make both agree, or remove one"}
                found.append(Problem(DUPLICATE, span, {**words, "tool": name, "first": where}))
    return found


def _uncertain(tools: Iterable[ToolSchema]) -> frozenset[str]:
    """Return the names of which two tools contradict each other."""
    first: dict[str, ToolSchema] = {}
    return frozenset(
        tool.name for tool in tools if (other := first.setdefault(tool.name, tool)) is not tool and differ(other, tool)
    )


def differ(one: ToolSchema, other: ToolSchema) -> bool:
    """Return whether two declarations of a name contradict each other in what they say of parameters."""
    if one.parameters.keys() != other.parameters.keys():
        return True
    return any(own.required != other.parameters[name].required for name, own in one.parameters.items())


def _unjudged(tool: ToolSchema) -> ToolSchema:
    return replace(tool, input_schema={"type": "object"}, checked=False)


def _below(number: int, definition: Definition, file: str) -> Definition:
    def longer(path: Path | None) -> Path | None:
        return None if path is None else (number, *path)

    path = (number, *definition.path)
    origin = Origin(PurePath(file).stem, file, pointer_of(path))
    return replace(
        definition,
        tool=replace(definition.tool, origin=origin),
        path=path,
        name_path=(number, *definition.name_path),
        description_path=(number, *definition.description_path),
        schema_path=longer(definition.schema_path),
        output_path=longer(definition.output_path),
        examples_path=longer(definition.examples_path),
    )


class _Joined(Places):
    """The places of several declarations in the text that they are in."""

    def __init__(self, declarations: Sequence[Declaration]) -> None:
        self._declarations = declarations

    def value(self, path: Path) -> Span:
        """Return the span of the value at `path`, or of the nearest value around it."""
        if not path:
            return Span(self._declarations[0].span.start, self._declarations[-1].span.end)
        each = self._declarations[int(path[0])]
        return each.place(each.read.document.places.value(path[1:]))

    def key(self, path: Path) -> Span:
        """Return the span of the key at the end of `path`, or of the value where there is no such key."""
        if len(path) < 2:
            return self.value(path)
        each = self._declarations[int(path[0])]
        return each.place(each.read.document.places.key(path[1:]))
