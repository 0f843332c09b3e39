"""The rule `tool-without-name`."""

from collections.abc import Iterator

from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import Diagnostic, Rule, Scope, Severity, SyntaxSubject, file_finding


class ToolWithoutName(Rule):
    """A tool definition has no usable name.

    Why is this bad: a call names its tool; a tool without a name can never be called, and is left out.

    Example
        [{"description": "Shows what has changed.", "inputSchema": {"type": "object"}}]
         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ TC502 "the definition has no name that a call could use: add a `name`"

    Use instead
        [{"name": "git_status", "description": "Shows what has changed.", "inputSchema": {"type": "object"}}]
    """  # noqa: E501  # a finding is quoted on one line

    code = "TC502"
    name = "tool-without-name"
    scope = Scope.TOOLS
    fast_path = FastPath.NEEDS_FAULT  # it reports what a reader calls a problem
    severity = Severity.ERROR
    problems = ("tool-without-name",)

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Yield the finding for one problem of the file."""
        yield file_finding(self, subject)
