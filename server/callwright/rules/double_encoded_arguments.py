"""The rule `double-encoded-arguments`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from callwright.calls.render import json_text
from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import CallRule, Diagnostic, ErrorType, Fix
from callwright.text.patterns import compile_later
from callwright.text.span import Edit, Span

if TYPE_CHECKING:
    from callwright.schema.binding import Binding

#: How many characters before a call are searched for its field.
_LEAD: Final = 8_192
_FIELD: Final = compile_later(r'"(?:function|tool_calls|function_call)"[ \t\r\n]*+:[ \t\r\n]*+')
_RESPONSES: Final = compile_later(r'"type"[ \t\r\n]*+:[ \t\r\n]*+"function_call"')
_STRING: Final = compile_later(r'"(?:[^"\\\r\n]|\\.)*+"')
_BRACKET: Final = compile_later(r"[\[\]{}]")


class DoubleEncodedArguments(CallRule):
    """The arguments are a string of JSON instead of the object itself.

    Why is this bad: the parser gets text where it expects named values. Models write this after seeing transcripts of
    an API that carries arguments as a string. In the fields of that API (`"function": {…}`, `"tool_calls": […]`,
    `"type": "function_call"`) a string is right.

    Example
        ```json
        {"tool": "read_file", "arguments": "{\\"path\\": \\"a.py\\"}"}
                                           ^^^^^^^^^^^^^^^^^^^^^^ TC309 "The arguments are a string of JSON. Write the object itself."
        ```

    Use instead
        ```json
        {"tool": "read_file", "arguments": {"path": "a.py"}}
        ```
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC309"
    fast_path = FastPath.PLAIN  # the arguments of a plain call are an object, not a text
    error_type = ErrorType.SCHEMA_VALIDATION

    def check(self, subject: Binding) -> Iterator[Diagnostic]:
        """Yield a diagnostic where the arguments were encoded twice."""
        arguments = subject.call.arguments
        if not subject.decoded or arguments is None:
            return
        if not subject.settings.strict and _is_field(subject):
            return
        span = arguments.span

        def fixes() -> Iterator[Fix]:
            text = json_text(subject.value)
            if isinstance(text, str):
                yield Fix("Write the object itself", (Edit(span, text),))

        yield self.diagnostic(span, "The arguments are a string of JSON. Write the object itself.", fixes)


def _is_field(binding: Binding) -> bool:
    """Return whether the call is in a field of an OpenAI API, whose arguments are a string."""
    place = binding.call.details.get("object")
    if not isinstance(place, Span):
        return False
    text = binding.text
    if _RESPONSES.search(text, place.start, place.end) is not None:
        return True
    lead = text[max(0, place.start - _LEAD) : place.start]
    fields = [*_FIELD.finditer(lead)]
    if not fields:
        return False
    # The field is still open where the call begins.
    between = _STRING.sub("", lead[fields[-1].end() :]).strip()
    depth = lowest = 0
    for sign in _BRACKET.findall(between):
        depth += 1 if sign in "[{" else -1
        lowest = min(lowest, depth)
    return lowest == 0 and between[:1] in ("", "[", "{")
