"""The cursor's ends: whether a call may be ended where it is open, or lacks something there that is still to come.

Owns: `reaching`, `is_sound`, `is_whole`, `offends`. Must not know: any single dialect, documents, how a place
is found, what an end looks like.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from callwright.calls.model import JsonValue
from callwright.document.settings import Settings
from callwright.schema.binding import bind

if TYPE_CHECKING:
    from callwright.calls.model import Path, ToolCall
    from callwright.schema.binding import Binding
    from callwright.tools.registry import ToolRegistry

#: Problems of a complete call that engines parse differently; they do not affect where a cursor is.
HARMLESS: Final = frozenset({"engines-differ"})
_CLOSING: Final = ("}", "]", '"', "'")


def reaching(call: ToolCall, text: str, at: int) -> bool:
    """Return whether a problem of a call reaches offset `at` of its text, or is after it; white space is ignored.

    The text that must be edited to fix a problem belongs to it.
    """
    written = len(text[:at].rstrip())
    ends = (
        max(problem.span.end, *(edit.span.end for edit in problem.repair)) if problem.repair else problem.span.end
        for problem in call.problems
        if problem.kind not in HARMLESS
    )
    return any(end >= written for end in ends)


def is_sound(call: ToolCall, text: str, at: int) -> bool:
    """Return whether a call is read without a problem from offset `at` of a text on, where an end was written.

    `call` was read from the text with the end in it. What is wrong with it before is the author's.
    """
    return call.complete and not reaching(call, text, at)


def is_whole(call: ToolCall, text: str, at: int, tools: ToolRegistry) -> bool:
    """Return whether nothing is missing or wrong in what was open at offset `at` of a text, where an end was written.

    The call is sound there, names its tool and has its arguments, and no value that was open offends its schema: not
    the arguments themselves, which may lack a required one, nor an object, array or text among them. What was closed
    before is the author's, whatever is wrong with it.
    """
    if call.tool is None or not is_sound(call, text, at):
        return False
    if call.arguments is None and call.details.get("family") is not None:
        return False
    binding = bind(call, text, tools, Settings())
    return not any(_is_open(binding, error.path, at) for error in binding.errors)


def offends(call: ToolCall, text: str, path: Path, tools: ToolRegistry) -> bool:
    """Return whether the schemas allow no such value as a call has at a path; what it lacks elsewhere is no matter."""
    if call.tool is None or call.arguments is None:
        return False
    binding = bind(call, text, tools, Settings())
    return any(error.path[: len(path)] == path for error in binding.errors)


def _is_open(binding: Binding, path: Path, at: int) -> bool:
    """Return whether the value at a path was open where the end was written."""
    arguments = binding.call.arguments
    if arguments is None or (not path and not isinstance(arguments, JsonValue)):
        return True
    start, end = binding.span_of(path)
    if not path and binding.text[start : start + 1] != "{":
        # Arguments with marks of their own are over where the call is.
        return True
    # What ends a JSON text belongs to it; what ends an element does not.
    is_closed = isinstance(arguments, JsonValue) and binding.text[end - 1 : end] in _CLOSING
    return end > at or (end == at and not is_closed)
