"""The rule `double-encoded-arguments`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from callwright.analysis.fast_paths import FastPath
from callwright.calls.render import json_text
from callwright.rules.base import Diagnostic, ErrorType, Fix, Rule, Scope, Severity
from callwright.text.span import Edit

if TYPE_CHECKING:
    from callwright.analysis.binding import Binding


class DoubleEncodedArguments(Rule):
    """The arguments are a JSON string that holds the object, instead of the object itself.

    Why is this bad: the reader gets text where it expects named values. Models write this where they have seen
    transcripts of an API that carries arguments as a string.

    Example
        ```json
        {"tool": "read_file", "arguments": "{\\"path\\": \\"a.py\\"}"}
                                           ^^^^^^^^^^^^^^^^^^^^^^ TC309 "The arguments are a string that holds JSON. Write the object itself."
        ```

    Use instead
        ```json
        {"tool": "read_file", "arguments": {"path": "a.py"}}
        ```
    """  # noqa: E501  # a finding is quoted on one line

    code = "TC309"
    name = "double-encoded-arguments"
    scope = Scope.CALL
    fast_path = FastPath.PLAIN  # a plain value that is an object is no text
    severity = Severity.ERROR
    error_type = ErrorType.SCHEMA_VALIDATION

    def check(self, subject: "Binding") -> Iterator[Diagnostic]:
        """Yield a finding where the arguments were encoded twice."""
        arguments = subject.call.arguments
        if not subject.decoded or arguments is None:
            return
        span = arguments.span

        def fixes() -> Iterator[Fix]:
            text = json_text(subject.value)
            if isinstance(text, str):
                yield Fix("Write the object itself", (Edit(span, text),))

        yield self.diagnostic(span, "The arguments are a string that holds JSON. Write the object itself.", fixes)
