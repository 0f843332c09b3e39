"""The rule `unknown-suppression`."""

from callwright.rules.base import ProblemRule, Severity
from callwright.syntax.problem import Problem

_FAULTS = {
    "list": "The list of rules is not closed, so the comment is ignored: add `]`.",
    "bare": "The rules are not in brackets, so the comment is ignored: write them as in `ignore[TC301]`.",
    "end": "This comment does not end on its line, so it is ignored: close it on the same line.",
    "empty": "This comment names no rule, so it suppresses nothing: name one, or remove it.",
}
_NO_VERB = "is not a directive"
_VERBS = "use `ignore`, `expect`, `disable`, `enable` or `ignore-file`."


class UnknownSuppression(ProblemRule):
    """A comment that should suppress diagnostics is invalid.

    Why is this bad: it looks as if something were suppressed, but nothing is. A comment contains `ignore`, `expect`,
    `disable`, `enable` or `ignore-file`, and rules by code, code prefix or name.

    Example
        <!-- callwright: ignore[unknown-tol] -->
                                ^^^^^^^^^^^ TC902 "`unknown-tol` is not a rule; did you mean `unknown-tool`?"
        <raed_file><path>a.py</path></raed_file>
         ^^^^^^^^^ TC301

    Use instead
        <!-- callwright: ignore[unknown-tool] -->
        <raed_file><path>a.py</path></raed_file>

    Example
        <!-- callwright: ignroe[TC301] -->
                         ^^^^^^ TC902 "`ignroe` is not a directive; did you mean `ignore`?"
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
            stated, remedy = ("is not a rule", "remove it.") if fault == "code" else (_NO_VERB, _VERBS)
            message = f"`{text}` {stated}; did you mean `{near}`?" if near else f"`{text}` {stated}: {remedy}"
        title = f"Change to `{near}`" if near else "Remove the comment" if fault == "empty" else f"Remove `{text}`"
        return message, title
