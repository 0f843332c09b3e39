"""The rule `unchecked-arguments`."""

from collections.abc import Iterator

from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import CallRule, Diagnostic, ErrorType, Severity
from callwright.schema.binding import Binding
from callwright.schema.validation import UNCHECKED


class UncheckedArguments(CallRule):
    """The arguments were not checked against the tool's schema, because that would take too many steps.

    Why is this bad: a validator would take minutes on a short call with this schema, or never finish. Callwright counts
    the steps beforehand, so the result is the same on every machine.

    Tools
        [
          {
            "name": "walk",
            "inputSchema": {
              "type": "object",
              "properties": {"a": {"allOf": [{"$ref": "#"}, {"$ref": "#"}]}},
              "minProperties": 1
            }
          }
        ]

    Example
        <tool_call>{"name": "walk", "arguments": {"a": {"a": {"a": {"a": {"a": {"a": {"a": {"a": {"a": {"a": {"a": {"a": {"a": {"a": {"a": {"a": {"a": {"a": {"a": {"b": 1}}}}}}}}}}}}}}}}}}}}}</tool_call>
                             ^^^^ TC529 "The arguments were not checked: validation against the schema of `walk` would take too many steps. Simplify the schema where its parts refer to each other several times."

    Use instead
        <tool_call>{"name": "walk", "arguments": {"a": {"b": 1}}}</tool_call>
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC529"
    fast_path = FastPath.NEEDS_FAULT  # the binding has a problem for it
    severity = Severity.WARNING
    error_type = ErrorType.SCHEMA_VALIDATION

    def check(self, subject: Binding) -> Iterator[Diagnostic]:
        """Yield a diagnostic where the arguments were not validated, or the errors were dropped."""
        for error in subject.errors:
            if error.keyword != UNCHECKED:
                continue
            span, name = subject.call.tool_span, subject.call.tool
            if error.data.get("invalid"):
                message = f"The arguments do not match the schema of `{name}`. They are too large to say where."
                yield self.diagnostic(span, message, severity=Severity.ERROR)
                continue
            message = (
                f"The arguments were not checked: validation against the schema of `{name}` would take too many "
                "steps. Simplify the schema where its parts refer to each other several times."
            )
            yield self.diagnostic(span, message)
