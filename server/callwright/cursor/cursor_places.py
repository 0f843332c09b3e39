"""The places of a cursor: what can be written at one, and its schemas.

Owns: `Role`, `Place`, `JsonSurroundings`, `Schemas`. Must not know: how a place is found, dialect modules, protocols.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from callwright.text.holes import HOLE
from callwright.text.records import NamedTuple
from callwright.text.span import Span
from callwright.tools.parameters import subschemas, types_of

if TYPE_CHECKING:
    from callwright.calls.model import Path
    from callwright.tools.model import ToolSchema
    from callwright.tools.registry import ToolRegistry

#: A character of a name, as a pattern.
NAME_CHARACTER: Final = rf"[\w.:\-{HOLE}]"


class Role(enum.Enum):
    """What can be written at a place."""

    #: A tag's name where a call may begin.
    CALL_TAG = enum.auto()
    #: A tag's name inside a frame: `tool_name` or `arguments`, or `tool_call` in a list of them.
    FRAME_TAG = enum.auto()
    #: A tag's name among the arguments: a parameter, a member, an item.
    CHILD_TAG = enum.auto()
    #: The name in a closing tag.
    CLOSING_TAG = enum.auto()
    #: The content of a call's element or of `arguments`, where neither an element nor JSON has begun.
    BODY = enum.auto()
    #: The text of an argument's element.
    TEXT = enum.auto()
    #: The tool's name, as the text of an element or as a JSON string.
    TOOL_NAME = enum.auto()
    #: A key of a JSON object among the arguments.
    KEY = enum.auto()
    #: A key of the JSON object that holds the tool's name and the arguments.
    FRAME_KEY = enum.auto()
    #: A JSON value among the arguments.
    VALUE = enum.auto()
    #: Where an argument can be written with all that its dialect writes around it.
    ARGUMENT = enum.auto()
    #: Where a tool's name can be written with what its dialect writes before it.
    CALL = enum.auto()
    #: Where a call can only be ended.
    END = enum.auto()
    #: Ordinary text.
    PROSE = enum.auto()
    #: A place where nothing of ours can be: a comment, an attribute, a CDATA section.
    NOTHING = enum.auto()


@dataclass(frozen=True, slots=True)
class JsonSurroundings:
    """What is around a JSON key or value that is to be inserted.

    `colon` and `comma` are whether one follows already. `value_follows` is True where another member or item follows
    without a comma, `after` is the end of the value before the cursor where a comma is missing there, else None.
    """

    colon: bool = False
    comma: bool = False
    value_follows: bool = False
    after: int | None = None


#: Around a place that lies in no JSON text.
_BARE: Final = JsonSurroundings()


class Writing(NamedTuple):
    """How the dialect of a call writes what is at a place.

    `alone` is whether a name or key is all that is missing, because the call continues after it. `lead` is what is
    written before the name or key, where the place's span covers what of it is typed. `closer` ends what is open here,
    and `closer_typed` is how much of it is before the cursor. `faults` is the number of other faults in the call.
    `frame_keys` are the keys of the name and of the arguments, in an object that has both. `twin` is where the name is
    repeated, None where it is not. `margin` is the white space before the call on its first line. `around` is written
    before and after a name that is alone. `quote` is a quote before the name that the dialect writes as a double one,
    None where there is none. `tail` is what ends the call, where it began with less than its dialect writes.
    """

    dialect: str
    alone: bool = False
    lead: str = ""
    closer: str = ""
    closer_typed: int = 0
    faults: int = 0
    frame_keys: tuple[str, str] = ("", "")
    twin: Span | None = None
    margin: str = ""
    around: tuple[str, str] = ("", "")
    quote: Span | None = None
    tail: str | None = None


@dataclass(frozen=True, slots=True)
class CursorPlace:
    """What is at the cursor; offsets are those of the passage's text.

    `span` covers the name, key or value that the cursor is in (quotes included), or is empty; `typed` is what of it is
    before the cursor, `name` all of it, both without quotes. `tool` is the tool of the surrounding call and `path`
    leads from its arguments to the container that the name belongs to or, for TEXT and VALUE, to the value itself.
    `present` has the names in the container besides this one. `open_names` are the elements of a call that are open
    here, innermost first. `in_code` is true where the place is in a code span; `fence` is the language of the fenced
    block around it, None outside. `closes` is, for a CLOSING_TAG, what the element is that it closes. `writing` is how
    the call's dialect writes here, None where the markup or the JSON around the place is enough.
    """

    role: Role
    span: Span
    typed: str = ""
    name: str = ""
    tool: str | None = None
    path: Path = ()
    present: frozenset[str] = frozenset()
    open_names: tuple[str, ...] = ()
    in_code: bool = False
    fence: str | None = None
    json: JsonSurroundings = _BARE
    closes: Role = Role.NOTHING
    writing: Writing | None = None

    @property
    def faults(self) -> int:
        """The number of other faults in the call, as far as `writing` is known."""
        return self.writing.faults if self.writing is not None else 0

    @property
    def json_text(self) -> bool:
        """Whether what is written here is part of a JSON text, with its quotes and commas."""
        return self.json is not _BARE

    def shift(self, by: int) -> CursorPlace:
        """Return the same place in a text that has so much more before it."""
        after = self.json.after
        around = self.json if after is None else replace(self.json, after=after + by)
        return replace(self, span=self.span.shift(by), json=around)


class Schemas:
    """The schemas of the values in a tool's arguments, by a registry."""

    def __init__(self, tools: ToolRegistry) -> None:
        self._tools = tools
        self._types: dict[tuple[str, Path], frozenset[str] | None] = {}

    def at(self, tool: str, path: Path) -> list[tuple[Mapping[str, Any], ToolSchema]]:
        """Return every schema that may apply to the value at `path`, each with the tool that it belongs to."""
        return [
            (schema, candidate)
            for candidate in self._tools.get(tool)
            for schema in subschemas(candidate.input_schema, candidate.input_schema, path)
        ]

    def types(self, tool: str, path: Path) -> frozenset[str] | None:
        """Return the types that the value at `path` may have, None where any or where nothing is known of it."""
        if (tool, path) not in self._types:
            every = [types_of(schema, candidate.input_schema) for schema, candidate in self.at(tool, path)]
            known = [types for types in every if types is not None]
            self._types[tool, path] = frozenset().union(*known) if known else None
        return self._types[tool, path]

    def is_array(self, tool: str, path: Path) -> bool:
        """Return whether the value at `path` is an array and nothing else but null."""
        types = self.types(tool, path)
        return types is not None and types - {"null"} == {"array"}

    def is_text(self, tool: str, path: Path) -> bool:
        """Return whether the value at `path` is written as plain text: a string, a number, not an object or array."""
        types = self.types(tool, path)
        return types is not None and not types & {"object", "array"}

    def has(self, tool: str, path: Path, name: str) -> bool:
        """Return whether the object at `path` names a property `name`."""
        return any(
            isinstance(properties := schema.get("properties"), Mapping) and name in properties
            for schema, _ in self.at(tool, path)
        )

    def step(self, tool: str, path: Path, name: str) -> Path:
        """Return the path of an element `name` inside the value at `path`: an item of an array, else a member."""
        return (*path, 0) if self.is_array(tool, path) else (*path, name)


def end_of(pattern: re.Pattern[str], text: str, start: int, stop: int | None = None) -> int:
    """Return where a pattern that matches everywhere ends."""
    match = pattern.match(text, start) if stop is None else pattern.match(text, start, stop)
    return match.end() if match is not None else start


def skip_space(text: str, start: int, stop: int) -> int:
    """Return the first offset from `start` on that holds no white space, at most `stop`."""
    while start < stop and text[start].isspace():
        start += 1
    return start


def word_before(text: str, cursor: int) -> int:
    """Return where the name that ends at the cursor begins."""
    at = cursor
    while at > 0 and (text[at - 1].isalnum() or text[at - 1] in "_-.") and cursor - at < 200:
        at -= 1
    return at
