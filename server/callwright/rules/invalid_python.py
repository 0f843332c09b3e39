"""Rule TC221: a call in Python is not made of keyword arguments with literal values.

Owns: the words and the fix for what the reader of Python calls reports as `positional-argument`, `argument-unpacking`,
`not-a-literal`, `missing-equals`. Must not know: how it is detected.
"""

from callwright.rules.base import ErrorType, ProblemRule
from callwright.syntax.problem import Problem
from callwright.text.words import quoted


class InvalidPython(ProblemRule):
    """A call in Python syntax has something other than keyword arguments with literal values.

    Why is this bad: the call is not run as a program. Its arguments are read by name, and each value must be a literal.
    Parsers drop a positional argument or an expression, or reject the whole call.

    Example
        <|tool_call_start|>[read_file('src/main.py')]<|tool_call_end|>
                                      ^^^^^^^^^^^^^ TC221 "`'src/main.py'` is a positional argument, but parsers accept only keyword arguments. Write `path=` before it."

    Use instead
        <|tool_call_start|>[read_file(path='src/main.py')]<|tool_call_end|>

    Example
        <|tool_call_start|>[read_file(path=str('a.py'))]<|tool_call_end|>
                                           ^^^^^^^^^^^ TC221 "`str('a.py')` is not a literal: it is not evaluated, and parsers reject the call. Write the value itself."

    Use instead
        <|tool_call_start|>[read_file(path='a.py')]<|tool_call_end|>
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC221"
    error_type = ErrorType.MALFORMED_JSON
    problems = ("positional-argument", "argument-unpacking", "not-a-literal", "missing-equals")

    def words(self, problem: Problem) -> tuple[str, str]:
        """Return the message, and the title of the repair."""
        data = problem.data
        if problem.kind == "missing-equals":
            key = quoted(f"{data['key']}=")
            return f"The argument {quoted(data['key'])} is written as a dictionary entry. Write {key}.", f"Write {key}"
        text = quoted(data["text"])
        if problem.kind == "not-a-literal":
            return (
                f"{text} is not a literal: it is not evaluated, and parsers reject the call. Write the value itself.",
                "",
            )
        if problem.kind == "argument-unpacking":
            return f"{text} unpacks arguments, which no parser supports. Write each argument by name.", ""
        if data["all"]:
            return (
                "The arguments are one dictionary, but parsers accept only keyword arguments. Name each value.",
                "Name each value",
            )
        if data["name"] is None:
            return (
                (
                    f"{text} is a positional argument, and its parameter is not known. Write the parameter's name"
                    " before it."
                ),
                "",
            )
        name = quoted(f"{data['name']}=")
        return (
            f"{text} is a positional argument, but parsers accept only keyword arguments. Write {name} before it.",
            f"Insert {name}",
        )
