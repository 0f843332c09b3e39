"""The rule `invalid-yaml`."""

from collections.abc import Iterator

from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import Diagnostic, ErrorType, Rule, Scope, SyntaxSubject, repair_fix


class InvalidYaml(Rule):
    """A list of calls is no YAML.

    Why is this bad: a YAML parser rejects the whole answer, so none of its calls is carried out. Models write a colon
    in a value without quotes, lose count of the indentation, or mix tabs and spaces.

    Example
        tool_calls:
          - tool_name: run_code
            arguments:
              code: print("a: b")  # a comment
                    ^^^^^^^^^^^^^ TC223 "A colon and a space in a value without quotes begin another value for YAML. Put it in quotes."

    Use instead
        tool_calls:
          - tool_name: run_code
            arguments:
              code: "print(\\"a: b\\")"  # a comment
    """  # noqa: E501  # a finding is quoted on one line

    code = "TC223"
    name = "invalid-yaml"
    scope = Scope.SYNTAX
    fast_path = FastPath.NEEDS_FAULT  # it reports what a reader calls a problem
    error_type = ErrorType.MALFORMED_JSON
    problems = ("invalid-yaml",)

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Word the problem that the reader met."""
        data = subject.problem.data
        message = f"{data['reason']}. {data['remedy']}."
        yield self.diagnostic(subject.problem.span, message, repair_fix(subject, str(data["title"])))
