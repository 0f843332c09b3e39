"""Rule TC209: a string in JSON is in single quotes, back quotes or Python's three quotes.

Owns: the words and the fix for what the JSON reader reports as `single-quotes`, `triple-quotes`. Must not know: how it
is detected.
"""

import ast
import re
from collections.abc import Iterator
from typing import Final

from callwright.calls.model import NATIVE, JsonValue
from callwright.rules.base import (
    Applicability,
    Diagnostic,
    ErrorType,
    Fix,
    ProblemRule,
    Severity,
    SyntaxSubject,
)
from callwright.syntax.problem import Problem

#: A longer object is not parsed as Python.
_MAX_LENGTH: Final = 20_000
#: A string in double quotes that Python would print in single ones.
_DOUBLE: Final = re.compile(r'[\[{,:(][ \t\r\n]*+"[^"\'\\\r\n]*+"[ \t\r\n]*+[\]},:)]')


class SingleQuotes(ProblemRule):
    """A string in JSON is in single quotes, backticks or Python's triple quotes.

    Why is this bad: only double quotes make a string in JSON; a call written like a Python dictionary is rejected. In a
    prompt for which no dialect is configured, a call whose whole object is such a dictionary is only an info: its parser
    may accept Python. In a reply of a transcript it is an error. There is one diagnostic per call.

    Example
        <debug_launch>{"program": 'a.py'}</debug_launch>
                                  ^^^^^^ TC209 "Single quotes: JSON requires double quotes, and JSON parsers reject anything else."

    Use instead
        <debug_launch>{"program": "a.py"}</debug_launch>
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC209"
    error_type = ErrorType.MALFORMED_JSON
    problems = ("single-quotes", "triple-quotes")

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Report the problem that the reader met."""
        own = _of_call(subject)
        if subject.problem is not own[0]:
            return
        quote = subject.problem.data["quote"]
        name = {"'": "Single quotes", "`": "Back quotes"}.get(quote, "Three quotes")
        message = f"{name}: JSON requires double quotes, and JSON parsers reject anything else."
        severity = Severity.INFO if _may_be_meant(subject) else Severity.ERROR
        yield self.diagnostic(subject.problem.span, message, lambda: _fixes(own), severity=severity)


def _of_call(subject: SyntaxSubject) -> list[Problem]:
    """Return the problems with quotes in the whole call."""
    problems = subject.call.problems if subject.call is not None else ()
    own = [each for each in problems if each.kind in SingleQuotes.problems]
    return own if any(each is subject.problem for each in own) else [subject.problem]


def _fixes(problems: list[Problem]) -> Iterator[Fix]:
    """Yield one fix for all of them."""
    if all(each.repair for each in problems):
        edits = tuple(edit for each in problems for edit in each.repair)
        applicability = Applicability.SAFE if all(each.certain for each in problems) else Applicability.UNSAFE
        yield Fix("Use double quotes", edits, applicability)


def _may_be_meant(subject: SyntaxSubject) -> bool:
    """Return whether no dialect is configured and the call of a prompt is a dictionary as Python prints it."""
    settings = subject.settings
    return settings.dialect is None and not settings.strict and not subject.is_recorded and _is_python(subject)


def _is_python(subject: SyntaxSubject) -> bool:
    """Return whether the object around the problem is a dictionary as Python prints it: only strings that contain a
    single quote are in double quotes.
    """
    call = subject.call
    arguments = call.arguments if call is not None else None
    if call is None or call.dialect == NATIVE or not isinstance(arguments, JsonValue):
        # The content of a provider's own field is JSON.
        return False
    span = arguments.read.root.span
    text = span.of(subject.text)
    if len(text) > _MAX_LENGTH or not text.startswith("{") or _DOUBLE.search(text) is not None:
        return False
    try:
        return isinstance(ast.literal_eval(text), dict)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return False
