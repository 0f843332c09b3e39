"""Rule TC206: a line break or another control character is raw inside a JSON string.

Owns: the words and the fix for what the JSON reader reports as `raw-newline`. Must not know: how it is detected.
"""

from callwright.rules.base import ErrorType, ProblemRule
from callwright.syntax.problem import Problem
from callwright.text.words import counted


class RawNewline(ProblemRule):
    r"""A JSON string contains a raw line break or another control character.

    Why is this bad: JSON allows no control characters in strings. `JSON.parse` rejects the whole call, so the tool gets
    no arguments. It happens most often with code and diffs in a JSON argument.

    Example
        <debug_launch>{"program": "import math
                                  ^^^^^^^^^^^^ TC206 "A raw line break inside a JSON string: JSON parsers reject the whole call, so the tool gets no arguments. Write `\n`."
        print(math.pi)"}</debug_launch>

    Use instead
        <debug_launch>{"program": "import math\nprint(math.pi)"}</debug_launch>
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC206"
    error_type = ErrorType.MALFORMED_JSON

    def words(self, problem: Problem) -> tuple[str, str]:
        """Return the message, and the title of the repair."""
        data = problem.data
        more = len(data["offsets"]) - 1
        others = f" (and {counted(more, 'more control character')})" if more else ""
        where, who = ("JSON string", "JSON parsers") if not data.get("format") else ("string on one line", "parsers")
        message = (
            f"A raw {data['name']}{others} inside a {where}: {who} reject the whole call, "
            f"so the tool gets no arguments. Write `{data['escape']}`."
        )
        title = f"Write `{data['escape']}`" if not more else f"Escape {counted(more + 1, 'control character')}"
        return message, title
