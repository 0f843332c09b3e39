"""JSON in a call: where the characters of a string stand, and which problems are its own.

Owns: `inside_quotes`, `own_problems`. Must not know: how JSON is read, tags, dialect modules.
"""

from callwright.syntax.json import JsonRead
from callwright.syntax.problem import Problem
from callwright.text.span import Span


def own_problems(read: JsonRead) -> list[Problem]:
    """Return the problems of a JSON reading that lie in it; a text that is cut off may end before what was met next."""
    return [problem for problem in read.problems if problem.span.end <= read.end]


def inside_quotes(text: str, span: Span, value: str) -> Span:
    """Return where the characters of a JSON string or key stand that was read as `value`: `span` without its quotes.

    Either quote may be missing, or be one that JSON does not know.
    """
    start, end = span
    if text[start:end] == value:
        return span
    if text[start : start + 1] in ('"', "'", "“", "‘", "`"):
        start += 1
    if text[start:end] != value and end > start and text[end - 1] in "\"'”’`":
        end -= 1
    return Span(start, end)
