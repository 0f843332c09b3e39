"""Trying a change of a text: the calls that it leads to, if they are clean and their tools accept them.

Owns: `Trials`, what every search for the single error in a text has in common. Must not know: which changes are tried,
rules, messages, how a fix is offered, any single dialect.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from callwright.calls.model import JsonValue
from callwright.document.reader import read_context, read_segment
from callwright.schema.binding import bind

if TYPE_CHECKING:
    from callwright.calls.model import ToolCall
    from callwright.calls.protocol import ReadContext
    from callwright.document.reader import ReadResult
    from callwright.document.settings import Settings
    from callwright.schema.binding import Binding
    from callwright.syntax.problem import Problem
    from callwright.tools.registry import ToolRegistry

#: Keys that may be beside the arguments, whatever the names of the tool's parameters.
_ENVELOPE = frozenset({"name", "type", "id", "tool", "function"})


class Trials(ABC):
    """A text with the tools and settings that it is read with; nothing is read before a change is tried."""

    def __init__(self, text: str, registry: ToolRegistry, settings: Settings) -> None:
        self.text = text
        self.registry = registry
        self.settings = settings

    @cached_property
    def _context(self) -> ReadContext:
        return read_context(self.registry, self.settings)

    def _read(self, text: str) -> ReadResult:
        return read_segment(text, self._context)

    @abstractmethod
    def _is_fault(self, problem: Problem) -> bool:
        """Return whether a call with such a problem may not be the call that it is read as."""

    def _meant(self, text: str, segment: ReadResult, wanted: Callable[[ToolCall], bool]) -> str | None:
        """Return the wanted calls of a text, None where there is none, one has a problem or its tool rejects it."""
        calls = []
        for found in segment.calls:
            call = found.call
            if not wanted(call):
                continue
            if not call.complete:
                return None
            binding = bind(call, text, self.registry, self.settings, fence=found.fence, peers=[call])
            if not binding.fits or (self.registry and binding.tool is None) or _has_argument_outside(call, binding):
                return None
            if isinstance(call.arguments, JsonValue) and not (binding.decoded or isinstance(binding.value, dict)):
                return None
            if any(map(self._is_fault, (*call.problems, *binding.problems))):
                return None
            calls.append([call.tool, call.dialect, binding.value])
        return json.dumps(calls, sort_keys=True, default=str) if calls else None


def _has_argument_outside(call: ToolCall, binding: Binding) -> bool:
    """Return whether a parameter of the tool is beside the arguments instead of among them."""
    value = call.arguments
    if not isinstance(value, JsonValue) or not value.path or binding.tool is None:
        return False
    around = JsonValue(value.read, value.path[:-1]).python
    beside = set(around) - {value.path[-1]} if isinstance(around, dict) else set()
    return bool(beside & set(binding.tool.parameters) - _ENVELOPE)
