"""The rule `foreign-value`."""

from callwright.rules.base import ErrorType, ProblemRule
from callwright.syntax.problem import Problem
from callwright.text.words import quoted


class ForeignValue(ProblemRule):
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
    error_type = ErrorType.MALFORMED_JSON

    def words(self, problem: Problem) -> tuple[str, str]:
        """Return the message, and the title of the repair."""
        written, wanted = quoted(str(problem.data["text"])), quoted(str(problem.data["write"]))
        message = f"{written} is written as in another notation. Write {wanted}."
        return message, f"Write {wanted}"
