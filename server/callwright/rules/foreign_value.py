"""The rule `foreign-value`."""

from collections.abc import Iterator

from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import Diagnostic, ErrorType, Rule, Scope, SyntaxSubject, repair_fix
from callwright.text.words import quoted


class ForeignValue(Rule):
    """A value or a key is written as another notation writes it.

    Why is this bad: notations that are nearly JSON have markers of their own for strings. A reader of the notation takes
    JSON's quotes for characters of the text, or rejects the call.

    Example
        <|tool_call>call:read_file{path:"src/main.py"}<tool_call|>
                                        ^^^^^^^^^^^^^ TC222 "`\"src/main.py\"` is written as in another notation. Write `<|\"|>src/main.py<|\"|>`."

    Use instead
        <|tool_call>call:read_file{path:<|"|>src/main.py<|"|>}<tool_call|>
    """  # noqa: E501  # a finding is quoted on one line

    code = "TC222"
    name = "foreign-value"
    scope = Scope.SYNTAX
    fast_path = FastPath.NEEDS_FAULT  # it reports what a reader calls a problem
    error_type = ErrorType.MALFORMED_JSON
    problems = ("foreign-value",)

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Word the problem that the reader met."""
        written, wanted = quoted(str(subject.problem.data["text"])), quoted(str(subject.problem.data["write"]))
        message = f"{written} is written as in another notation. Write {wanted}."
        yield self.diagnostic(subject.problem.span, message, repair_fix(subject, f"Write {wanted}"))
