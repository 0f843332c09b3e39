"""The rule `tool-remote-ref`."""

from collections.abc import Iterator

from callwright.rules.base import Diagnostic, Rule, Scope, Severity, SyntaxSubject, file_finding


class ToolRemoteRef(Rule):
    """A tool's schema refers to something outside its own file.

    Why is this bad: nothing is ever fetched while text is checked, so what lies behind the reference is not known;
    a schema that depends on the network is not the same schema tomorrow.
    """

    code = "TC504"
    name = "tool-remote-ref"
    scope = Scope.TOOLS
    severity = Severity.ERROR
    problems = ("tool-remote-ref",)

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Yield the finding for one problem of the file."""
        yield file_finding(self, subject)
