"""Rule TC220: the text is no JSON, for a reason that no other rule names.

Owns: the words and the fix for what the JSON reader calls `unexpected-text`, `not-json`, `too-deep`,
`too-many-problems`, `extra-opener`, `missing-opener`, `string-concatenation`. Must not know: how it is found.
"""

from collections.abc import Iterator

from callwright.rules.base import Diagnostic, ErrorType, ProblemRule, SyntaxSubject, repair_fix
from callwright.rules.support.holes import behind_opener, with_space
from callwright.rules.support.mixed_arguments import MixedArguments
from callwright.syntax.problem import Problem
from callwright.text.words import quoted


class InvalidJson(ProblemRule):
    """The text is no JSON, for a reason that no other rule names.

    Why is this bad: a parser takes all of the text or nothing. One word before or behind the object and the tool
    gets no arguments.

    Example
        <debug_launch>{"program": "a.py"} as requested</debug_launch>
                                          ^^^^^^^^^^^^ TC220 "Text behind the JSON: `as requested`. Parsers reject the whole call. Remove it."

    Use instead
        <debug_launch>{"program": "a.py"}</debug_launch>
    """  # noqa: E501  # a finding is quoted on one line

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
        """Word the problem that the reader met."""
        problem = subject.problem
        message, title = _words(problem)
        span = problem.span
        if problem.kind == "missing-opener":
            span = with_space(subject.text, span)
        elif problem.kind == "unexpected-text" and problem.data.get("text") == ":":
            span = behind_opener(subject.text, span)
        # Another object is another call; elements may give what the object does not.
        behind = str(problem.data.get("text", "")) if problem.data.get("behind") else ""
        mixed = MixedArguments(subject, behind if behind.startswith("<") else "")
        if mixed.there:
            message = f"{message.removesuffix(' Remove it.')} Write what it gives into the JSON."
            yield self.diagnostic(span, message, mixed.fixes, missing=mixed.missing)
        else:
            yield self.diagnostic(span, message, repair_fix(subject, title))


def _words(problem: Problem) -> tuple[str, str]:
    """Return message and fix title for one kind of problem."""
    data, kind = problem.data, problem.kind
    if kind == "not-json":
        if data["empty"]:
            return "No JSON here: a value such as `{}` is wanted.", ""
        return f"{quoted(data['text'])} is no JSON: a value such as `{{}}` is wanted here.", ""
    if kind == "too-deep":
        return f"Nested more than {data['limit']} levels deep; what is deeper is not read.", ""
    if kind == "too-many-problems":
        where = "these arguments" if data.get("notation") else "this JSON"
        return f"{data['more']} more faults in {where} are not shown. Mend the first ones.", ""
    if kind == "extra-opener":
        return "1 extra opening brace `{`: an object inside an object needs a key. Remove it.", "Remove `{`"
    if kind == "missing-opener":
        return "The opening brace `{` is missing in front of this key.", "Insert `{`"
    if kind == "string-concatenation":
        return "JSON cannot join strings; write them as one.", "Join the strings"
    if data.get("space"):
        return "A character that looks like a space but is none to JSON; parsers reject it.", "Replace it by a space"
    if data.get("json"):
        return "A second JSON value: only the first one is read. Put each in a call of its own.", "Remove it"
    what = quoted(data["text"])
    if data.get("prefix"):
        why = "makes no plain text of it" if data.get("notation") else "is not JSON"
        return f"The prefix {what} in front of a string {why}. Remove it.", "Remove the prefix"
    if data.get("behind"):
        name = "calls" if data.get("notation") else "JSON"
        return f"Text behind the {name}: {what}. Parsers reject the whole call. Remove it.", "Remove the text"
    if data.get("front"):
        return f"Text in front of the JSON: {what}. Parsers reject the whole call. Remove it.", "Remove the text"
    if data.get("notation"):
        return f"{what} has no place here: {data['notation']} knows nothing of the kind.", "Remove the text"
    return f"{what} is no JSON.", "Remove the text"
