"""The rule `config-invalid-value`."""

from collections.abc import Iterator

from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import Diagnostic, Rule, Scope, Severity, SyntaxSubject, file_finding


class ConfigInvalidValue(Rule):
    """A setting has a value that it cannot have.

    Why is this bad: the setting is ignored.

    Example
        dialect = "xml-jsn"
                  ^^^^^^^^^ TC603 "`xml-jsn` is not a dialect: write `xml-json`"

    Use instead
        dialect = "xml-json"
    """

    code = "TC603"
    name = "config-invalid-value"
    scope = Scope.CONFIG
    fast_path = FastPath.NEEDS_FAULT  # it reports what a reader calls a problem
    severity = Severity.ERROR
    problems = ("config-invalid-value",)

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Yield the finding for one problem of the file."""
        yield file_finding(self, subject)
