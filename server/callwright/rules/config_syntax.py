"""The rule `config-syntax`."""

from collections.abc import Iterator

from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import Diagnostic, Rule, Scope, Severity, SyntaxSubject, file_finding


class ConfigSyntax(Rule):
    """The configuration is not valid TOML.

    Why is this bad: none of it is in force.

    Example
        dialect = xml-json
                  ^ TC601 "the file is not valid TOML: Invalid value: correct it here; nothing in the file counts until then"

    Use instead
        dialect = "xml-json"
    """  # noqa: E501  # a finding is quoted on one line

    code = "TC601"
    name = "config-syntax"
    scope = Scope.CONFIG
    fast_path = FastPath.NEEDS_FAULT  # it reports what a reader calls a problem
    severity = Severity.ERROR
    problems = ("config-syntax",)

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Yield the finding for one problem of the file."""
        yield file_finding(self, subject)
