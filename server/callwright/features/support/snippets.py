"""Snippets: texts with places for a person to fill in.

Owns: the arguments a call begins with, and the way from a rendered text with slots in it to a snippet or to plain text.
A slot passes through rendering and escaping as a plain word, so a dialect and a projection never learn of it.
Must not know: dialects, places, what is completed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from callwright.tools.parameters import enum_of, required_of, subschemas, types_of

if TYPE_CHECKING:
    from callwright.tools.model import ToolSchema

#: Nesting of required members that a new value is given.
_DEPTH = 3
_IN_CHOICE = re.compile(r"[\\,|]")
_WORD = re.compile(
    r'(?:(?<!\\)\\*+")?+CwBare(\d+)Slot(?:\\*")?|CwText(\d+)Slot|(?:(?<!\\)\\*+")?+CwOpen(\d+)Slot(?:\\*")?'
)


class Slots:
    """The places of one snippet, in the order in which they are made."""

    def __init__(self) -> None:
        self._choices: list[tuple[str, ...]] = []

    def text(self, *choices: str) -> str:
        """Return a value that is a string: empty, or one of `choices`."""
        self._choices.append(choices)
        return f"CwText{len(self._choices) - 1}Slot"

    def bare(self, *choices: str) -> str:
        """Return a value that is not a string; in JSON it is without quotes."""
        self._choices.append(choices)
        return f"CwBare{len(self._choices) - 1}Slot"

    def members(self) -> str:
        """Return an object that is still empty; its braces come with it."""
        self._choices.append(())
        return f"CwOpen{len(self._choices) - 1}Slot"

    def samples(self, slot: Any) -> list[Any]:
        """Return the values that a slot of another type than string means, its first one for the slot; none for any
        other slot."""
        match = _WORD.fullmatch(slot) if isinstance(slot, str) else None
        if match is None or match[2]:
            return []
        if match[3]:
            return [{}]
        return [json.loads(choice) for choice in self._choices[int(match[1])]] or [0]

    def bare_in(self, value: Any) -> list[str]:
        """Return the slots in a value that are no strings, in order."""
        if isinstance(value, dict | list):
            entries = value.values() if isinstance(value, dict) else value
            return [slot for entry in entries for slot in self.bare_in(entry)]
        return [value] if self.samples(value) else []

    def fill(self, text: str, *, snippets: bool, final: bool = True) -> str:
        """Return `text` with its slots as places of a snippet, or filled in plainly; `final` adds where to end."""
        parts: list[str] = []
        at = 0
        for stop, match in enumerate(_WORD.finditer(text), 1):
            choices = self._choices[int(match[1] or match[2] or match[3])]
            before = text[at : match.start()]
            at = match.end()
            filled = _place(stop, choices) if snippets else choices[0] if choices else ""
            parts += [escape(before) if snippets else before, f"{{{filled}}}" if match[3] else filled]
        rest = text[at:]
        parts.append(escape(rest) if snippets else rest)
        return "".join(parts) + ("$0" if snippets and final else "")


def escape(text: str) -> str:
    """Return text that means itself in a snippet; a brace outside a place already does."""
    return re.sub(r"[\\$]", r"\\\g<0>", text)


def _place(number: int, choices: Sequence[str]) -> str:
    if not choices:
        return f"${number}"
    if len(choices) == 1:
        inner = escape(choices[0]).replace("}", r"\}")
        return f"${{{number}:{inner}}}"
    listed = ",".join(_IN_CHOICE.sub(r"\\\g<0>", choice) for choice in choices)
    return f"${{{number}|{listed}|}}"


def arguments_of(tool: ToolSchema, slots: Slots, *, markup: bool) -> dict[str, Any]:
    """Return the arguments that a new call of a tool begins with; `markup` is False where they are written as JSON.

    They are the required ones; where the schema has variants, those of the first; where nothing is required, the first
    parameter, since a call is rarely wanted without any.
    """
    schema = tool.input_schema
    required = required_of(schema, schema)
    if not required:
        for keyword in ("anyOf", "oneOf"):
            variants = schema.get(keyword)
            if isinstance(variants, list) and variants:
                required = required_of(variants[0], schema)
                break
    parameters = tool.parameters
    names = [name for name in parameters if name in required]
    names += sorted(required - set(names))
    if not names:
        names = [name for name, one in parameters.items() if not one.deprecated and one.alias_of is None][:1]
    return {
        name: value_of(parameters[name].schema if name in parameters else {}, schema, slots, markup=markup)
        for name in names
    }


def value_of(
    schema: Mapping[str, Any], root: Mapping[str, Any], slots: Slots, *, markup: bool, depth: int = _DEPTH
) -> Any:
    """Return the value that a new argument begins with: slots in the shape that the schema asks for."""
    values = enum_of(schema, root)
    if values and len(values) == 1:
        return values[0]
    if values and all(isinstance(value, str) for value in values):
        return slots.text(*values)
    if values:
        return slots.bare(*(json.dumps(value, ensure_ascii=False) for value in values))
    types = types_of(schema, root)
    if types is None or "string" in types:
        return slots.text()
    if "object" in types and "array" not in types:
        needed = required_of(schema, root) if depth > 0 else frozenset()
        if not needed:
            return slots.text() if markup else slots.members()
        members = {name: subschemas(schema, root, (name,)) for name in needed}
        return {
            name: value_of(found[0] if found else {}, root, slots, markup=markup, depth=depth - 1)
            for name, found in sorted(members.items())
        }
    if "array" in types:
        items = subschemas(schema, root, (0,)) if depth > 0 else []
        return [value_of(items[0] if items else {}, root, slots, markup=markup, depth=depth - 1)]
    if "boolean" in types:
        return slots.bare("true", "false")
    if types == {"null"}:
        return None
    default = schema.get("default", schema.get("minimum", 0))
    return slots.bare(json.dumps(default) if isinstance(default, int | float) else "0")
