"""Rule TC211: a literal is written as another language writes it.

Owns: the words and the fix for what the readers of JSON and of Python call `python-literal`. Must not know: how it is
found.
"""

from collections.abc import Iterator

from callwright.fastpath.fast_paths import FastPath
from callwright.rules.base import Diagnostic, ErrorType, Rule, Scope, SyntaxSubject, repair_fix
from callwright.text.words import quoted


class PythonLiteral(Rule):
    """A literal is written as Python or JavaScript writes it.

    Why is this bad: JSON knows `true`, `false` and `null` only; `True` or `None` is a syntax error that costs the
    whole call.

    Example
        <debug_launch>{"program": "a.py", "stopOnEntry": True}</debug_launch>
                                                         ^^^^ TC211 "`True` is not JSON; write `true`."

    Use instead
        <debug_launch>{"program": "a.py", "stopOnEntry": true}</debug_launch>
    """

    code = "TC211"
    name = "python-literal"
    scope = Scope.SYNTAX
    fast_path = FastPath.NEEDS_FAULT  # it reports what a reader calls a problem
    error_type = ErrorType.MALFORMED_JSON
    problems = ("python-literal",)

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Word the problem that the reader met."""
        data = subject.problem.data
        found, written = data["text"], data["json"]
        message = f"{quoted(found)} is not {data.get('notation', 'JSON')}; write `{written}`."
        yield self.diagnostic(
            subject.problem.span, message, repair_fix(subject, f"Replace {quoted(found)} by `{written}`")
        )
