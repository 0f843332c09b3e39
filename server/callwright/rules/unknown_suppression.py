"""The rule `unknown-suppression`."""

from callwright.rules.base import ProblemRule, Severity
from callwright.syntax.problem import Problem

_FAULTS = {
    "list": "The list of rules has no end, so the comment is not heeded: add `]`.",
    "end": "This comment does not end on its line, so it is not heeded: end it there.",
    "empty": "This comment names no rule, so nothing is suppressed: name one, or remove it.",
}
_NO_VERB = "is nothing that a comment can ask for"
_VERBS = "say `ignore`, `expect`, `disable`, `enable` or `ignore-file`."


class UnknownSuppression(ProblemRule):
    """A comment is meant to suppress findings and cannot be heeded.

    Why is this bad: it looks as if something were suppressed, and nothing is. A comment says `ignore`, `expect`,
    `disable`, `enable` or `ignore-file`, and names rules by their codes, the beginnings of codes, or their names.

    Example
        <!-- callwright: ignore[unknown-tol] -->
                                ^^^^^^^^^^^ TC902 "`unknown-tol` is no rule; did you mean `unknown-tool`?"
        <raed_file><path>a.py</path></raed_file>
         ^^^^^^^^^ TC301

    Use instead
        <!-- callwright: ignore[unknown-tool] -->
        <raed_file><path>a.py</path></raed_file>

    Example
        <!-- callwright: ignroe[TC301] -->
                         ^^^^^^ TC902 "`ignroe` is nothing that a comment can ask for; did you mean `ignore`?"
        <raed_file><path>a.py</path></raed_file>
         ^^^^^^^^^ TC301

    Use instead
        <!-- callwright: ignore[TC301] -->
        <raed_file><path>a.py</path></raed_file>
    """

    code = "TC902"
    severity = Severity.WARNING

    def words(self, problem: Problem) -> tuple[str, str]:
        """Return the message, and the title of the repair."""
        data = problem.data
        fault, text, near = str(data["fault"]), data.get("text"), data.get("near")
        message = _FAULTS.get(fault)
        if message is None:
            said, remedy = ("is no rule", "remove it.") if fault == "code" else (_NO_VERB, _VERBS)
            message = f"`{text}` {said}; did you mean `{near}`?" if near else f"`{text}` {said}: {remedy}"
        title = f"Change to `{near}`" if near else "Remove the comment" if fault == "empty" else f"Remove `{text}`"
        return message, title
