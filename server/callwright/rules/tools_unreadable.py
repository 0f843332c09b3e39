"""The rule `tools-unreadable`."""

from collections.abc import Iterator

from callwright.rules.base import Diagnostic, Rule, Scope, Severity, SyntaxSubject, file_finding


class ToolsUnreadable(Rule):
    """A tool file cannot be read.

    Why is this bad: none of its tools is known, so every call of them is reported as unknown or goes unchecked.
    """

    code = "TC501"
    name = "tools-unreadable"
    scope = Scope.TOOLS
    severity = Severity.ERROR
    problems = ("tools-unreadable", "tools-invalid-json", "tools-not-understood")

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Yield the finding for one problem of the file."""
        yield file_finding(self, subject)
