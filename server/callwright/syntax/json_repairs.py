"""The interaction of repairs of JSON: which of them are no longer certain.

Owns: repairs that join braces to a template's expression, parts that are both removed and corrected. Must not know: how
JSON is read.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from callwright.text.records import replace

if TYPE_CHECKING:
    from callwright.syntax.problem import Problem

#: A word in a template's expression, and a helper with named arguments, which may be strings.
_WORDS: Final = r"[A-Za-z_@][^{}\"':\r\n]{0,200}+"
_HELPER: Final = (
    r"[A-Za-z_@][\w.@/\-]{0,60}+(?:[ \t]{1,9}+[\w.\-]{1,40}+="
    r"(?:\"[^\"{}\r\n]{0,60}+\"|'[^'{}\r\n]{0,60}+'|[\w.@/\-]{1,60}+)){1,4}+[ \t]{0,9}+"
)
#: A template's expression where a value or a member could be: `{{ path }}`, `{{{ now format="Y" }}}`, `${path}`.
EXPRESSION: Final = re.compile(
    rf"\{{\{{\{{[ \t]{{0,30}}+(?:{_HELPER}|{_WORDS})\}}\}}\}}|\{{\{{-?[ \t]{{0,30}}+(?:{_HELPER}|{_WORDS})\}}\}}"
    r"|\$\{[A-Za-z_][^{}\"':\r\n]{0,200}+\}"
)


#: More than the length of any recognised expression, with its braces.
_MAX_EXPRESSION_LENGTH: Final = 640
#: Kinds about how brackets, separators and quotes belong together; a guess at one may be wrong about those after it.
_STRUCTURAL: Final = frozenset(
    {
        "extra-opener",
        "mismatched-bracket",
        "missing-closers",
        "missing-colon",
        "missing-key",
        "missing-opener",
        "missing-value",
        "not-json",
        "unescaped-quote",
        "unexpected-text",
        "unmatched-quote",
    }
)
#: The kinds that depend on which brackets are open.
_NESTED: Final = frozenset({"duplicate-key", "extra-closers", "mismatched-bracket"})
#: The kinds whose certain repair removes or inserts text between values, and so may join braces.
_BETWEEN_VALUES: Final = frozenset(
    {
        "comment",
        "extra-closers",
        "extra-comma",
        "mismatched-bracket",
        "missing-closers",
        "trailing-comma",
        "unexpected-text",
    }
)


def yields_expression(text: str, start: int, stop: int, problems: Iterable[Problem]) -> bool:
    """Return whether the certain repairs together create a template's expression: `{{{x}}` with a brace more.

    Checks the characters around each repair between the values; `text[start:stop]` is what was read.
    """
    edits = sorted(
        edit
        for problem in problems
        if problem.certain and problem.kind in _BETWEEN_VALUES
        for edit in problem.repair
        if edit.span.end <= stop
    )
    fixed = ""
    seams: list[int] = []
    done = start
    for edit in edits:
        if edit.span.start < done and seams:
            continue
        if edit.span.start - done > 2 * _MAX_EXPRESSION_LENGTH:
            fixed += text[done : done + _MAX_EXPRESSION_LENGTH]
            if _crosses(fixed, seams):
                return True
            fixed, seams = "", []
            done = edit.span.start - _MAX_EXPRESSION_LENGTH
        fixed += text[done : edit.span.start]
        seams.append(len(fixed))
        fixed += edit.text
        seams.append(len(fixed))
        done = edit.span.end
    return _crosses(fixed + text[done : min(done + _MAX_EXPRESSION_LENGTH, stop)], seams)


def _crosses(fixed: str, seams: list[int]) -> bool:
    """Return whether an expression crosses a seam; `seams` ascend."""
    if not seams:
        return False
    return any(
        bisect_right(seams, found.start()) < bisect_left(seams, found.end()) for found in EXPRESSION.finditer(fixed)
    )


def with_room(problem: Problem, every: Iterable[Problem]) -> Problem:
    """Return a problem; that of a duplicate key is no longer certain if the part to remove is corrected, too.

    Text inserted after the part, such as a missing comma, would remain without it.
    """
    if problem.kind != "duplicate-key" or not problem.certain:
        return problem
    start, end = problem.repair[0].span
    inside = any(
        start < edit.span.start <= end
        if edit.span.start == edit.span.end
        else edit.span.start < end and start < edit.span.end
        for other in every
        if other is not problem and other.certain
        for edit in other.repair
    )
    return replace(problem, certain=False) if inside else problem


def without_guesses(problems: list[Problem]) -> list[Problem]:
    """Return problems; those that rest on a guess at another are no longer certain.

    A closing bracket may belong to a value that the guess ended, equal keys to two objects that it joined, and what is
    inside a string whose end is a guess may be outside of it.
    """
    guessed = [problem for problem in problems if not problem.certain and problem.kind in _STRUCTURAL]
    if not guessed:
        return problems
    strings = {problem.data.get("string") for problem in guessed} - {None}
    return [
        replace(problem, certain=False)
        if problem.certain and (problem.kind in _NESTED or problem.data.get("string") in strings)
        else problem
        for problem in problems
    ]
