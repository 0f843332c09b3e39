"""The rule `unmet-expectation`."""

from callwright.rules.base import ProblemRule
from callwright.syntax.problem import Problem


class UnmetExpectation(ProblemRule):
    """An example that is marked as wrong has no error.

    Why is this bad: `expect` marks a call that is wrong on purpose, to show what not to write. If it is no longer
    wrong, for example because the tool gained the parameter, the prompt warns a model against a call that works.

    Example
        Never leave out the path:
        <!-- callwright: expect[TC302] -->
                                ^^^^^ TC903 "`TC302` is expected in the call that follows, but was not found: the example is not wrong in that way."
        <read_file><path>a.py</path></read_file>

    Use instead
        Never leave out the path:
        <!-- callwright: expect[TC302] -->
        <read_file></read_file>
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC903"

    def words(self, problem: Problem) -> tuple[str, str]:
        """Return the message, and the title of the repair."""
        text, call = problem.data["text"], problem.data["call"]
        what = f"`{text}`" if text is not None else "Something wrong"
        if call:
            why = "in that way" if text is not None else "in any way"
            message = f"{what} is expected in the call that follows, but was not found: the example is not wrong {why}."
        else:
            message = f"{what} is expected in a call that follows, but there is none: put the comment before one."
        title = "Remove the comment" if text is None else f"Remove `{text}` from the comment"
        return message, title
