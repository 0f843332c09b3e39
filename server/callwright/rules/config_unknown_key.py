"""The rule `config-unknown-key`."""

from collections.abc import Iterator

from callwright.rules.base import Diagnostic, ProblemRule, Scope, SyntaxSubject, repair_fix


class ConfigUnknownKey(ProblemRule):
    """The configuration has an unknown key.

    Why is this bad: the intended setting has no effect, and nothing else reports it.

    Example
        dialekt = "xml-json"
        ^^^^^^^ TC602 "`dialekt` is not a configuration key: write `dialect`"

    Use instead
        dialect = "xml-json"
    """

    code = "TC602"
    scope = Scope.CONFIG

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Yield the diagnostic for one problem of the file."""
        data, repair = subject.problem.data, subject.problem.repair
        fixes = repair_fix(subject, f"Change to `{repair[0].text}`") if repair else ()
        yield self.diagnostic(subject.problem.span, f"{data['reason']}: {data['remedy']}", fixes)
