"""The rule `unused-suppression`."""

from collections.abc import Iterator

from callwright.rules.base import Diagnostic, ProblemRule, Severity, SyntaxSubject, repair_fix

_NOTHING = {
    "ignore": "nothing of it is found in what follows",
    "ignore-file": "nothing of it is found in this file",
    "disable": "nothing of it is found up to where it is enabled again",
    "enable": "it is not disabled here",
}


class UnusedSuppression(ProblemRule):
    """A comment suppresses findings that are not there.

    Why is this bad: what was wrong has been mended, or the comment stands elsewhere than its author thinks. Either way
    it hides the next fault of the kind, and nobody will notice. A rule that the settings leave out is not asked, so
    nothing is said of its code. Comments that illustrate a fenced block, with no call behind them in it, mean nothing.

    Example
        <!-- callwright: ignore[TC301] -->
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ TC901 "This comment ignores `TC301`, and nothing of it is found in what follows: remove it."
        <read_file><path>a.py</path></read_file>

    Use instead
        <read_file><path>a.py</path></read_file>
    """  # noqa: E501  # a finding is quoted on one line

    code = "TC901"
    severity = Severity.WARNING

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Yield the finding with what would go away."""
        data = subject.problem.data
        verb, names, every = str(data["verb"]), data["names"], data["every"]
        word = "ignores" if verb.startswith("ignore") else f"{verb}s"
        what = ", ".join(f"`{name}`" for name in names) or "everything"
        none = _NOTHING[verb]
        if len(names) != 1:
            none = none.replace("nothing of it is", "nothing is").replace("it is not", "nothing is")
        message = f"This comment {word} {what}, and {none}: remove {'it' if every else 'that'}."
        title = "Remove the comment" if every else f"Remove {what} from the comment"
        yield self.diagnostic(subject.problem.span, message, repair_fix(subject, title), tags=("unnecessary",))
