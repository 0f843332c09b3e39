"""JSON in a call: where the characters of a string are, and which problems are its own.

Owns: `inside_quotes`, `own_problems`. Must not know: how JSON is read, tags, dialect modules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.syntax.json import JsonRead
    from callwright.syntax.problem import Problem

_QUOTES: Final = "\"'`“”„‟‘’‚‛«»"


def own_problems(read: JsonRead) -> list[Problem]:
    """Return the problems of a JSON reading that are in it; a truncated text may end before a problem that was
    found."""
    return [problem for problem in read.problems if problem.span.end <= read.end]


def inside_quotes(text: str, span: Span, value: str) -> Span:
    """Return the span of the characters of a JSON string or key that was read as `value`: `span` without its quotes.

    Either quote may be missing, or be one that JSON does not have.
    """
    start, end = span
    if end - start == len(value) + 2 and text.startswith(value, start + 1):
        return Span(start + 1, end - 1)
    is_value = value.startswith(text[start : start + 1]) and text.startswith(value, start)
    if start < end and text[start] in _QUOTES and not (value and is_value):
        start += 1
    if start < end and text[end - 1] in _QUOTES and text[start:end] != value:
        before = text[start : end - 1]
        # A quote after a backslash is part of the text.
        end -= (len(before) - len(before.rstrip("\\"))) % 2 == 0
    return Span(start, end)
