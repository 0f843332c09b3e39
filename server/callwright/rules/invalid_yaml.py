"""The rule `invalid-yaml`."""

from callwright.rules.base import ErrorType, ProblemRule
from callwright.syntax.problem import Problem


class InvalidYaml(ProblemRule):
    """A list of calls is not valid YAML.

    Why is this bad: a YAML parser rejects the whole answer, so none of its calls is executed. Models write a colon in a
    value without quotes, get the indentation wrong, or mix tabs and spaces.

    Example
        tool_calls:
          - tool_name: run_code
            arguments:
              code: print("a: b")  # a comment
                    ^^^^^^^^^^^^^ TC223 "In a value without quotes, a colon and a space begin another value. Write it in quotes."

    Use instead
        tool_calls:
          - tool_name: run_code
            arguments:
              code: "print(\\"a: b\\")"  # a comment
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC223"
    error_type = ErrorType.MALFORMED_JSON

    def words(self, problem: Problem) -> tuple[str, str]:
        """Return the message, and the title of the repair."""
        data = problem.data
        message = f"{data['reason']}. {data['remedy']}."
        return message, str(data["title"])
