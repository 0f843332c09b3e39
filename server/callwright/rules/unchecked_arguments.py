"""The rule `unchecked-arguments`."""

from collections.abc import Iterator

from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import CallRule, Diagnostic, ErrorType, Severity
from callwright.schema.binding import Binding
from callwright.schema.validation import UNCHECKED


class UncheckedArguments(CallRule):
    """The arguments could not be checked against the tool's schema: that would take too many steps.

    Why is this bad: a validator that takes this schema at its word works for minutes on a short call, or never ends.
    How many steps it would take is counted beforehand, so the answer is the same on every machine.

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
                             ^^^^ TC529 "The arguments were not checked: by the schema of `walk`, a validator would look at them too often. Simplify the schema, where parts refer to each other several times."

    Use instead
        <tool_call>{"name": "walk", "arguments": {"a": {"b": 1}}}</tool_call>
    """  # noqa: E501  # a finding is quoted on one line

    code = "TC529"
    fast_path = FastPath.NEEDS_FAULT  # the binding has a problem for it
    severity = Severity.WARNING
    error_type = ErrorType.SCHEMA_VALIDATION

    def check(self, subject: Binding) -> Iterator[Diagnostic]:
        """Yield a finding where validation was refused, or its errors were."""
        for error in subject.errors:
            if error.keyword != UNCHECKED:
                continue
            span, name = subject.call.tool_span, subject.call.tool
            if error.data.get("invalid"):
                message = f"The arguments do not fit the schema of `{name}`. They have too many parts to say where."
                yield self.diagnostic(span, message, severity=Severity.ERROR)
                continue
            message = (
                f"The arguments were not checked: by the schema of `{name}`, a validator would look at them too "
                "often. Simplify the schema, where parts refer to each other several times."
            )
            yield self.diagnostic(span, message)
