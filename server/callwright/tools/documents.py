"""Tool files as documents: a text, the definitions in it, and where everything stands.

Owns: `ToolDocument`, `read_tool_document`. Must not know: files on a disk, configuration, rules, any single format.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from callwright.syntax.problem import Problem
from callwright.tools.definitions import NO_NAME, NOT_UNDERSTOOD, Definition, MovedPlaces, Places, locate_definitions
from callwright.tools.formats.catalogue import format_of
from callwright.tools.registry import ToolProblem, ToolRegistry


@dataclass(frozen=True, slots=True)
class ToolDocument:
    """A text that defines tools, as it was read.

    `format` names the language that it is written in. `value` is what it holds, in JSON's terms; `places` says where
    the parts of that stand, in offsets of `text`. `problems` are those of the text and of definitions that are left out
    or mended, in the order of reading.
    """

    text: str
    file: str
    format: str
    value: Any
    places: Places
    definitions: Sequence[Definition]
    problems: Sequence[Problem]

    @property
    def registry(self) -> ToolRegistry:
        """The tools, as a registry of their own."""
        problems = [ToolProblem(self.file, problem) for problem in self.problems]
        return ToolRegistry([definition.tool for definition in self.definitions], problems=problems)


def read_tool_document(text: str, file: str) -> ToolDocument:
    """Return what the text of a file defines; `file` is its name, which says what language it is in.

    A text with faults is reported at the first of them, and read as far as it goes: an author who is in the middle of
    an edit keeps the other tools. The set is called by its own name or, without one, by the file's stem. Never raises.
    """
    language = format_of(file)
    parsed = language.parse(text, 1 if text.startswith("\ufeff") else 0)
    places = parsed.places
    found: list[Definition] = []
    more: list[Problem] = []
    if not parsed.broken or isinstance(parsed.value, dict | list):
        stem = PurePath(file).stem
        moved = MovedPlaces(parsed.places)
        found, more = locate_definitions(parsed.value, places=moved, file=file, tool_set=stem)
        places = moved if moved.used else places
    if parsed.broken:
        more = [problem for problem in more if problem.kind not in (NOT_UNDERSTOOD, NO_NAME)]
    return ToolDocument(text, file, language.name, parsed.value, places, found, [*parsed.problems, *more])
