"""Rule TC206: a line break or another control character stands raw inside a JSON string.

Owns: the words and the fix for what the JSON reader calls `raw-newline`. Must not know: how it is found.
"""

from collections.abc import Iterator

from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import Diagnostic, ErrorType, Rule, Scope, SyntaxSubject, repair_fix
from callwright.text.words import counted


class RawNewline(Rule):
    r"""A line break or another control character stands raw inside a JSON string.

    Why is this bad: JSON allows no control characters in strings. `JSON.parse` rejects the whole call, so the tool
    gets no arguments at all; it is the usual fate of code and diffs that are passed in a JSON argument.

    Example
        <debug_launch>{"program": "import math
                                  ^^^^^^^^^^^^ TC206 "A raw line break inside a JSON string: JSON parsers reject the whole call, so the tool gets no arguments. Write `\n`."
        print(math.pi)"}</debug_launch>

    Use instead
        <debug_launch>{"program": "import math\nprint(math.pi)"}</debug_launch>
    """  # noqa: E501  # a finding is quoted on one line

    code = "TC206"
    name = "raw-newline"
    scope = Scope.SYNTAX
    fast_path = FastPath.NEEDS_FAULT  # it reports what a reader calls a problem
    error_type = ErrorType.MALFORMED_JSON
    problems = ("raw-newline",)

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Word the problem that the reader met."""
        data = subject.problem.data
        more = len(data["offsets"]) - 1
        others = f" (and {counted(more, 'more control character')})" if more else ""
        where, who = ("JSON string", "JSON parsers") if not data.get("notation") else ("string on one line", "parsers")
        message = (
            f"A raw {data['name']}{others} inside a {where}: {who} reject the whole call, "
            f"so the tool gets no arguments. Write `{data['escape']}`."
        )
        title = f"Write `{data['escape']}`" if not more else f"Escape {counted(more + 1, 'control character')}"
        yield self.diagnostic(subject.problem.span, message, repair_fix(subject, title))
