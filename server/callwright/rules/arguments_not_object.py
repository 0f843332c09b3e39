"""The rule `arguments-not-object`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from callwright.calls.model import JsonValue
from callwright.calls.render import json_text
from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import Applicability, CallRule, Diagnostic, ErrorType, Fix
from callwright.schema.validation import validate
from callwright.text.span import Edit
from callwright.tools.parameters import type_name

if TYPE_CHECKING:
    from callwright.schema.binding import Binding


class ArgumentsNotObject(CallRule):
    """The arguments are not a JSON object but a string, a list or another value.

    Why is this bad: arguments are passed by name. A parser that checks rejects the call; with one that does not, the
    call fails inside the tool.

    Example
        ```json
        {"tool": "run_code", "arguments": "print('hello')"}
                                          ^^^^^^^^^^^^^^^^ TC308 "The arguments must be an object, not a string. Name each value."
        ```

    Use instead
        ```json
        {"tool": "run_code", "arguments": {"code": "print('hello')"}}
        ```
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC308"
    fast_path = FastPath.PLAIN  # plain arguments are an object
    error_type = ErrorType.SCHEMA_VALIDATION
    needs_whole_call = True

    def check(self, subject: Binding) -> Iterator[Diagnostic]:
        """Yield a diagnostic where the arguments are not an object."""
        arguments = subject.call.arguments
        if not isinstance(arguments, JsonValue) or subject.decoded or isinstance(subject.value, dict):
            return
        if subject.tool is None and subject.call.details.get("text"):
            return  # a dialect that takes text for the only argument of a tool that is not known
        if () in subject.coerced.wild or any(problem.kind == "not-json" for problem in subject.call.problems):
            return
        kind = type_name(subject.value)
        article = "an" if kind[0] in "aeio" else "a"
        named = "null" if kind == "null" else f"{article} {kind}"
        yield self.diagnostic(
            arguments.span,
            f"The arguments must be an object, not {named}. Name each value.",
            lambda: _fixes(subject, arguments),
        )


def _fixes(binding: Binding, arguments: JsonValue) -> Iterator[Fix]:
    """Offer to pass the value to the tool's only parameter, or to unwrap the only object of a list."""
    from callwright.syntax.yaml_format import spaced

    value = binding.value
    start, end = arguments.span
    empty = spaced("{}", start, binding.text) if start == end else "{}"
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
        node = arguments.read.locate((*arguments.path, 0))
        if node is not None:
            inner = node.span.of(binding.text)
            yield Fix("Take the object out of the list", (Edit(arguments.span, inner),), Applicability.SAFE)
            return
    if binding.tool is None:
        if value is None:
            yield Fix("Change to `{}`", (Edit(arguments.span, empty),), Applicability.UNSAFE)
        return
    required = [name for name, parameter in binding.tool.parameters.items() if parameter.required]
    if value is None and not required:
        yield Fix("Change to `{}`", (Edit(arguments.span, empty),), Applicability.SAFE)
    names = required if len(required) == 1 else list(binding.tool.parameters)
    if len(names) == 1 and value is not None and not validate(binding.tool.input_schema, {names[0]: value}):
        text = json_text({names[0]: value})
        if isinstance(text, str):
            yield Fix(f"Pass it as `{names[0]}`", (Edit(arguments.span, text),), Applicability.UNSAFE)
