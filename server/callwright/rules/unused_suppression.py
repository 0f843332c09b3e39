"""The rule `unused-suppression`."""

from collections.abc import Iterator

from callwright.rules.base import Diagnostic, ProblemRule, Severity, SyntaxSubject, repair_fix

_NOTHING = {
    "ignore": "no such diagnostic follows",
    "ignore-file": "this file has no such diagnostic",
    "disable": "no such diagnostic follows before it is enabled again",
    "enable": "it is not disabled here",
}


class UnusedSuppression(ProblemRule):
    """A comment suppresses diagnostics that do not occur.

    Why is this bad: the error has been fixed, or the comment is in the wrong place. Either way it will silently hide
    the next error of this kind. Codes of rules that the settings disable are not reported. Comments inside a fenced
    block without a call after them in that block have no effect.

    Example
        <!-- callwright: ignore[TC301] -->
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ TC901 "This comment ignores `TC301`, but no such diagnostic follows: remove it."
        <read_file><path>a.py</path></read_file>

    Use instead
        <read_file><path>a.py</path></read_file>
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC901"
    severity = Severity.WARNING

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Yield the diagnostic with the part that would be removed."""
        data = subject.problem.data
        verb, names, every = str(data["verb"]), data["names"], data["every"]
        word = "ignores" if verb.startswith("ignore") else f"{verb}s"
        what = ", ".join(f"`{name}`" for name in names) or "everything"
        near = data.get("near")
        if near:
            where = "this file has" if verb == "ignore-file" else "there is" if verb == "disable" else "the call has"
            message = f"This comment {word} {what}, but {where} `{near}`: rename it."
            yield self.diagnostic(subject.problem.span, message, repair_fix(subject, f"Rename to `{near}`"))
            return
        none = _NOTHING[verb]
        if len(names) != 1:
            none = none.replace("it is not", "nothing is")
        if not names:
            none = none.replace("no such diagnostic", "no diagnostic")
        message = f"This comment {word} {what}, but {none}: remove {'it' if every else 'that'}."
        title = "Remove the comment" if every else f"Remove {what} from the comment"
        yield self.diagnostic(subject.problem.span, message, repair_fix(subject, title), tags=("unnecessary",))
