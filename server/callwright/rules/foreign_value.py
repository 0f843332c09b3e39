"""The rule `foreign-value`."""

from callwright.rules.base import ErrorType, ProblemRule
from callwright.syntax.problem import Problem
from callwright.text.words import quoted


class ForeignValue(ProblemRule):
    """A value or a key uses the syntax of another dialect.

    Why is this bad: dialects that resemble JSON have their own markers for strings. A parser of such a dialect reads
    JSON's quotes as part of the text, or rejects the call.

    Example
        <|tool_call>call:read_file{path:"src/main.py"}<tool_call|>
                                        ^^^^^^^^^^^^^ TC222 "`\"src/main.py\"` is the syntax of another dialect. Write `<|\"|>src/main.py<|\"|>`."

    Use instead
        <|tool_call>call:read_file{path:<|"|>src/main.py<|"|>}<tool_call|>
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC222"
    error_type = ErrorType.MALFORMED_JSON

    def words(self, problem: Problem) -> tuple[str, str]:
        """Return the message, and the title of the repair."""
        written, wanted = quoted(str(problem.data["text"])), quoted(str(problem.data["write"]))
        message = f"{written} is the syntax of another dialect. Write {wanted}."
        return message, f"Write {wanted}"
