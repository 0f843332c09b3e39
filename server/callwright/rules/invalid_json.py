"""Rule TC220: the text is not valid JSON, for a reason that no other rule covers.

Owns: the words and the fix for what the JSON reader reports as `unexpected-text`, `not-json`, `too-deep`,
`too-many-problems`, `extra-opener`, `missing-opener`, `string-concatenation`. Must not know: how it is detected.
"""

from collections.abc import Iterator

from callwright.rules.base import Diagnostic, ErrorType, ProblemRule, SyntaxSubject, repair_fix
from callwright.rules.support.holes import after_opener, with_space
from callwright.rules.support.mixed_arguments import MixedArguments
from callwright.syntax.problem import Problem
from callwright.text.words import quoted


class InvalidJson(ProblemRule):
    """The text is not valid JSON, for a reason that no other rule covers.

    Why is this bad: a parser accepts the whole text or nothing. With one word before or after the object, the tool gets
    no arguments.

    Example
        <debug_launch>{"program": "a.py"} as requested</debug_launch>
                                          ^^^^^^^^^^^^ TC220 "Unexpected text after the JSON: `as requested`. Parsers reject the whole call. Remove it."

    Use instead
        <debug_launch>{"program": "a.py"}</debug_launch>
    """  # noqa: E501  # a diagnostic is quoted on one line

    code = "TC220"
    error_type = ErrorType.MALFORMED_JSON
    problems = (
        "unexpected-text",
        "not-json",
        "too-deep",
        "too-many-problems",
        "extra-opener",
        "missing-opener",
        "string-concatenation",
    )

    def check(self, subject: SyntaxSubject) -> Iterator[Diagnostic]:
        """Report the problem that the reader met."""
        problem = subject.problem
        message, title = _words(problem)
        span = problem.span
        if problem.kind == "missing-opener":
            span = with_space(subject.text, span)
        elif problem.kind == "unexpected-text" and problem.data.get("text") == ":":
            span = after_opener(subject.text, span)
        # Another object is another call; elements may contain what the object lacks.
        after = str(problem.data.get("text", "")) if problem.data.get("after") else ""
        mixed = MixedArguments(subject, after if after.startswith("<") else "")
        if mixed.there:
            message = f"{message.removesuffix(' Remove it.')} Move its value into the JSON."
            yield self.diagnostic(span, message, mixed.fixes, missing=mixed.missing)
        else:
            yield self.diagnostic(span, message, repair_fix(subject, title))


def _words(problem: Problem) -> tuple[str, str]:
    """Return message and fix title for one kind of problem."""
    data, kind = problem.data, problem.kind
    if kind == "not-json":
        if data["empty"]:
            return "Expected JSON here, such as `{}`.", ""
        return f"{quoted(data['text'])} is not JSON; expected a value such as `{{}}`.", ""
    if kind == "too-deep":
        return f"Nested more than {data['limit']} levels deep; deeper values are not read.", ""
    if kind == "too-many-problems":
        where = "these arguments" if data.get("format") else "this JSON"
        return f"{data['more']} more errors in {where} are not shown. Fix the first ones.", ""
    if kind == "extra-opener":
        return "1 extra opening brace `{`: an object inside an object needs a key. Remove it.", "Remove `{`"
    if kind == "missing-opener":
        return "The opening brace `{` is missing before this key.", "Insert `{`"
    if kind == "string-concatenation":
        return "JSON cannot join strings; write them as one.", "Join the strings"
    if data.get("space"):
        return (
            "This character looks like a space, but JSON does not allow it; parsers reject it.",
            "Replace it with a space",
        )
    if data.get("json"):
        return "Unexpected second JSON value: only the first is read. Put each in its own call.", "Remove it"
    what = quoted(data["text"])
    if data.get("prefix"):
        why = "makes it something other than plain text" if data.get("format") else "is not JSON"
        return f"The prefix {what} before a string {why}. Remove it.", "Remove the prefix"
    if data.get("after"):
        name = "calls" if data.get("format") else "JSON"
        return f"Unexpected text after the {name}: {what}. Parsers reject the whole call. Remove it.", "Remove the text"
    if data.get("front"):
        return f"Unexpected text before the JSON: {what}. Parsers reject the whole call. Remove it.", "Remove the text"
    if data.get("format"):
        return f"Unexpected {what}: it is not part of {data['format']}.", "Remove the text"
    return f"{what} is not JSON.", "Remove the text"
