"""The rule `config-syntax`."""

from collections.abc import Iterator

from callwright.rules.base import Diagnostic, Rule, Scope, Severity, SyntaxSubject, file_finding


class ConfigSyntax(Rule):
    """The configuration is not valid TOML.

    Why is this bad: none of it is in force.
    """

    code = "TC601"
    name = "config-syntax"
    scope = Scope.CONFIG
    severity = Severity.ERROR
    problems = ("config-syntax",)

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Yield the finding for one problem of the file."""
        yield file_finding(self, subject)
