"""The rule `unmet-expectation`."""

from callwright.rules.base import ProblemRule
from callwright.syntax.problem import Problem


class UnmetExpectation(ProblemRule):
    """An example that is marked as a bad one turns out to be fine.

    Why is this bad: `expect` marks a call that is wrong on purpose, to show what not to write. If nothing is wrong with
    it any more, as when a tool was given the argument that it lacked, the prompt warns a model off a call that works.

    Example
        Never leave out the path:
        <!-- callwright: expect[TC302] -->
                                ^^^^^ TC903 "`TC302` is expected of the call that follows, and is not found: the example is not bad in that way."
        <read_file><path>a.py</path></read_file>

    Use instead
        Never leave out the path:
        <!-- callwright: expect[TC302] -->
        <read_file></read_file>
    """  # noqa: E501  # a finding is quoted on one line

    code = "TC903"

    def words(self, problem: Problem) -> tuple[str, str]:
        """Return the message, and the title of the repair."""
        text, call = problem.data["text"], problem.data["call"]
        what = f"`{text}`" if text is not None else "Something wrong"
        if call:
            why = "in that way" if text is not None else "in any way"
            message = f"{what} is expected of the call that follows, and is not found: the example is not bad {why}."
        else:
            message = f"{what} is expected of a call that follows, and none does: put the comment in front of one."
        title = "Remove the comment" if text is None else f"Expect no `{text}`"
        return message, title
