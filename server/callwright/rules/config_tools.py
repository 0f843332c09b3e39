"""The rule `config-tools`."""

from collections.abc import Iterator

from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import Diagnostic, Rule, Scope, Severity, SyntaxSubject, file_finding


class ConfigTools(Rule):
    """The configuration names tool files that are not there or do not load.

    Why is this bad: calls are checked without the tools that were meant.

    Example
        tools = ["tool.json"]
                 ^^^^^^^^^^^ TC604

    Use instead
        tools = ["tools.json"]
    """

    code = "TC604"
    name = "config-tools"
    scope = Scope.CONFIG
    fast_path = FastPath.NEEDS_FAULT  # it reports what a reader calls a problem
    severity = Severity.ERROR
    problems = ("config-tools-missing", "config-tools-failed")

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Yield the finding for one problem of the file."""
        yield file_finding(self, subject)
