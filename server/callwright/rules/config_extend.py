"""The rule `config-extend`."""

from collections.abc import Iterator

from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import Diagnostic, Rule, Scope, Severity, SyntaxSubject, file_finding


class ConfigExtend(Rule):
    """The configuration builds on a file that is not there, cannot be used, or builds on this one again.

    Why is this bad: nothing of what that file says counts, and tools that it names are missing.

    Example
        extend = "bas.toml"
                 ^^^^^^^^^^ TC605

    Use instead
        extend = "base.toml"
    """

    code = "TC605"
    name = "config-extend"
    scope = Scope.CONFIG
    fast_path = FastPath.NEEDS_FAULT  # it reports what a reader calls a problem
    severity = Severity.ERROR
    problems = ("config-extend",)

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Yield the finding for one problem of the file."""
        yield file_finding(self, subject)
