"""The rule `tool-schema-invalid`."""

from collections.abc import Iterator

from callwright.rules.base import Diagnostic, Rule, Scope, Severity, SyntaxSubject, file_finding


class ToolSchemaInvalid(Rule):
    """A tool's schema is no valid JSON Schema for an arguments object.

    Why is this bad: calls of this tool cannot be checked against it; some validators refuse the whole tool list.

    Example
        [
          {
            "name": "git_log",
            "description": "Shows commits.",
            "inputSchema": {
              "type": "object",
              "properties": {"limit": {"type": "int", "description": "How many commits."}}
                                               ^^^^^ TC503 "`int` is no JSON type: write `integer`"
            }
          }
        ]

    Use instead
        [
          {
            "name": "git_log",
            "description": "Shows commits.",
            "inputSchema": {
              "type": "object",
              "properties": {"limit": {"type": "integer", "description": "How many commits."}}
            }
          }
        ]
    """

    code = "TC503"
    name = "tool-schema-invalid"
    scope = Scope.TOOLS
    severity = Severity.ERROR
    problems = ("tool-schema-invalid",)

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Yield the finding for one problem of the file."""
        yield file_finding(self, subject)
