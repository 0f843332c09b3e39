"""Bounds: how large a reply may be.

Owns: `Bounds`, how deep arguments are nested. Must not know: who rejects a reply, how a failure is reported.

Whether a call exceeds a bound depends on the call and on what is before it: once too much has begun, nothing after that
place changes it. Every check takes time linear in the text, and no recursion, however deeply a value is nested.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Final

from callwright.calls.model import JsonValue, MarkupValue, arguments_of

if TYPE_CHECKING:
    from callwright.calls.model import ToolCall, Value
    from callwright.syntax.xml import XmlElement

_BRACKET: Final = re.compile(r"[\[\]{}]")


@dataclass(frozen=True, slots=True)
class Bounds:
    """The limits of a reply; None where there is no limit.

    `max_text` counts the code points of the reply, `max_call` those of one call, its markers included. `max_depth`
    counts how deeply objects, arrays and elements are nested; the arguments object is the first level. `max_calls`
    counts the calls of a reply.
    """

    max_text: int | None = 4_000_000
    max_call: int | None = 1_000_000
    max_depth: int | None = 100
    max_calls: int | None = 1_000

    def __post_init__(self) -> None:
        for each in fields(Bounds):
            value = getattr(self, each.name)
            if value is not None and (type(value) is not int or value < 1):
                raise ValueError(f"`{each.name}` is {value!r}: it must be a whole number of 1 or more, or None")

    def too_long(self, text: str) -> str | None:
        """Return what is wrong with a reply that exceeds `max_text`; else None."""
        if self.max_text is None or len(text) <= self.max_text:
            return None
        message = f"The reply is longer than {self.max_text} characters (`max_text`); the rest was ignored."
        return f"{message} Write a shorter reply."

    def exceeded(self, number: int, call: ToolCall, text: str) -> str | None:
        """Return what is wrong with a call, the `number`th of a reply, that exceeds a limit; else None."""
        if self.max_calls is not None and number > self.max_calls:
            return f"There are more than {self.max_calls} calls in one reply (`max_calls`). Make fewer at once."
        start, end = call.span
        if self.max_call is not None and end - start > self.max_call:
            message = f"The call is longer than {self.max_call} characters (`max_call`)."
            return f"{message} Split it into several calls."
        if self.max_depth is not None and call.arguments is not None:
            # A value is nested no deeper than the number of characters that open one.
            count = text.count
            markers = count("{", start, end) + count("[", start, end) + count("(", start, end) + count("<", start, end)
            if markers > self.max_depth and depth_of(call.arguments, self.max_depth) > self.max_depth:
                message = f"The arguments are nested more than {self.max_depth} levels deep (`max_depth`)."
                return f"{message} Flatten them."
        return None


def depth_of(value: Value, most: int) -> int:
    """Return how deeply objects, arrays and elements are nested; `most` + 1 for anything deeper than `most`."""
    if isinstance(value, JsonValue):
        return _depth(value.python, most)
    deepest = 1
    for argument in arguments_of(value):
        inner = argument.value
        if isinstance(inner, MarkupValue):
            deepest = max(deepest, 1 + _markup_depth(inner.element, most - 1))
        else:
            deepest = max(deepest, 1 + _depth(inner.python, most))
        if deepest > most:
            return most + 1
    return deepest


def _depth(value: Any, most: int) -> int:
    deepest, level = 0, [value]
    while level and deepest <= most:
        within = [each for each in level if isinstance(each, Mapping | list | tuple)]
        deepest += bool(within)
        level = [inner for each in within for inner in (each.values() if isinstance(each, Mapping) else each)]
    return deepest


def _markup_depth(root: XmlElement, most: int) -> int:
    """Return how deeply the values of an element are nested: its elements, and JSON that its text may be."""
    deepest, level = 0, [root]
    while level and deepest <= most:
        deeper = [element for element in level if element.has_elements]
        leaves = [element for element in level if not element.has_elements]
        left = most - deepest
        written = max((_written_depth(element.source[slice(*element.content)], left) for element in leaves), default=0)
        if deepest + written > most:
            return most + 1
        deepest += bool(deeper)
        level = [inner for element in deeper for inner in element.elements]
    return deepest


def _written_depth(text: str, most: int) -> int:
    """Return how deeply brackets are nested in a text that begins and ends with some, as a JSON value does."""
    if text.count("[") + text.count("{") <= most:
        return 0
    text = text.strip()
    if text[:1] not in ("[", "{") or text[-1:] not in ("]", "}"):
        return 0
    depth = deepest = 0
    for found in _BRACKET.finditer(text):
        depth += 1 if found[0] in "[{" else -1
        deepest = max(deepest, depth)
        if deepest > most:
            break
    return deepest
