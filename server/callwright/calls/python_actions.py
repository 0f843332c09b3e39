"""Calls in a program that is an action: functions of Python which are tools, called anywhere in the program.

Owns: locating the calls in a program, and what is known of them without running it. Must not know: where the program
is, dialect modules, the registry's class.

A value that the program computes fits any schema. Errors of Python elsewhere in the program are not reported, as long
as the calls can be found. In strict reading a program must consist of calls with literal values, since it is not run.
"""

import builtins
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from callwright.calls.model import Path, ToolCall
from callwright.calls.protocol import ReadContext, parameter_names
from callwright.calls.python_lists import python_call
from callwright.syntax.json import JsonNode
from callwright.syntax.problem import Problem
from callwright.syntax.python_calls import CallRead, Parameters, read_calls
from callwright.text.holes import HOLE
from callwright.text.records import NamedTuple
from callwright.text.span import Span, delete, insert

FAMILY: Final = "python-action"
#: Why a call is not converted.
STAYS: Final = "it is part of a program, which does more than call tools"
_TRIPLE: Final = r'"""(?:[^"\\]++|\\.|"(?!""))*+(?:"""|\Z)' + r"|'''(?:[^'\\]++|\\.|'(?!''))*+(?:'''|\Z)"
_TOKEN: Final = re.compile(
    rf"(?P<text>{_TRIPLE}|\"(?:[^\"\\\r\n]++|\\.)*+\"?+|'(?:[^'\\\r\n]++|\\.)*+'?+)|(?P<remark>\#[^\r\n]*+)"
    r"|(?P<called>(?<![\w.])[^\W\d]\w{0,100}+)(?=[ \t]{0,8}+\()|(?P<word>[\w.]++)|[()\[\]{}]",
    re.DOTALL,
)
#: Words before a parenthesis that are not functions.
_KEYWORDS: Final = frozenset(
    {"if", "elif", "while", "for", "in", "and", "or", "not", "is", "return", "yield", "lambda"}
)
_MORE_KEYWORDS: Final = frozenset(
    {"assert", "del", "await", "except", "with", "else", "print", "raise", "def", "class"}
)
_BUILT_IN: Final = frozenset(dir(builtins)) | _KEYWORDS | _MORE_KEYWORDS
#: Statements that define a name in the program.
_DEFINES: Final = re.compile(
    r"(?<![\w.])(?:def|class|as|for|global)[ \t]{1,8}+([^\W\d]\w*+)"
    r"|(?:^|(?<=[\r\n;]))[ \t]*+(?:([^\W\d]\w*+)[ \t]{0,8}+(?::[^=\r\n()]{0,80}+)?=(?!=)"
    r"|(?:from[ \t]{1,8}+[\w.]++[ \t]{1,8}+)?import[ \t]{1,8}+([^\r\n;#]++))"
)
_WORD: Final = re.compile(r"[^\W\d]\w*+")
#: Expressions that a program computes, and values that it may write without a name.
_COMPUTED: Final = frozenset({"not-a-literal", "unquoted-string", "positional-argument", "engines-differ"})
_REMARKS: Final = re.compile(r"(?:\s++|#[^\r\n]*+)*+")
_BETWEEN: Final = re.compile(r"(?:[\s;]++|#[^\r\n]*+)*+")


class _Place(NamedTuple):
    """A function that is called: its name, where that begins, and where the call ends, -1 if it is not closed."""

    name: str
    start: int
    end: int


def calls_in(
    text: str, content: Span, frame: Span, context: ReadContext, dialect: str, *, closed: bool
) -> list[ToolCall]:
    """Return the calls of tools in the program at `content`, in order; `frame` is what exists only to contain it."""
    parameters = parameter_names(context.tools)
    if context.strict:
        return _strict_calls(text, content, frame, context, dialect, parameters)
    names = _wanted(text, content, context)
    calls: list[ToolCall] = []
    at, whole = content.start, closed
    for place in _called(text, content, names):
        end = content.end if place.end < 0 else place.end
        read = read_calls(text, place.start, end, parameters=parameters, budget=context.budget)
        if len(read.calls) != 1:
            whole = False
            continue
        one = read.calls[0]
        call = _call(one, frame, dialect, closed=place.end >= 0)
        call.complete = place.end >= 0 or closed
        calls.append(call)
        whole = (
            whole
            and place.end >= 0
            and not one.read.wild
            and not one.read.problems
            and _is_between(text, at, place.start)
        )
        at = call.span.end
    if not (whole and calls and _is_between(text, at, content.end)):
        for call in calls:
            call.frame = None
            call.details["stays"] = STAYS
    return calls


def _is_between(text: str, start: int, end: int) -> bool:
    """Return whether only space, ends of statements and comments are between two places."""
    found = _BETWEEN.match(text, start, end)
    return found is not None and found.end() == end and "#" not in text[start:end]


def _strict_calls(
    text: str, content: Span, frame: Span, context: ReadContext, dialect: str, parameters: Parameters
) -> list[ToolCall]:
    """Return the program as calls that follow each other, with a problem for all other text.

    A line end, `;` or `,` separates two calls.
    """
    read = read_calls(text, content.start, content.end, parameters=parameters, budget=context.budget)
    calls = [_call(each, frame, dialect, closed=each.closed, strict=True) for each in read.calls]
    for last, call in pairwise(calls):
        at = last.span.end
        if not text[at : call.span.start].strip(" \t"):
            edits = (insert(at, ";"),)
            call.problems.append(Problem("missing-comma", Span(at, at), {"found": "", "key": ""}, edits))
    if calls:
        remarks = _REMARKS.match(text, content.start, calls[0].span.start)
        at = content.start if remarks is None else remarks.end()
        if text[at] in ",;":
            data = {"text": text[at], "format": "Python"}
            calls[0].problems.append(Problem("unexpected-text", Span(at, at + 1), data, (delete(at, at + 1),)))
        calls[0].problems += read.problems
    return calls


class _Names:
    """Which functions of a program are tools: those with the name of a tool, and if not all tools are known, those that
    the program does not define."""

    def __init__(self, own: frozenset[str], context: ReadContext) -> None:
        self.own = own
        self.tools = context.tools

    def __contains__(self, name: str) -> bool:
        tools = self.tools
        if tools.has(name):
            return name not in self.own
        if name in _BUILT_IN or name in self.own or HOLE in name:
            return False
        return tools.near(name) is not None if tools.closed else True


def _wanted(text: str, content: Span, context: ReadContext) -> _Names:
    own: set[str] = set()
    for found in _DEFINES.finditer(text, content.start, content.end):
        own.update(_WORD.findall(found[3]) if found[3] is not None else [found[1] or found[2]])
    return _Names(frozenset(own), context)


def _called(text: str, content: Span, names: _Names) -> Iterator[_Place]:
    """Yield the outermost calls of functions that are tools; calls in their arguments belong to them."""
    open_: list[str] = []
    start, name, depth = -1, "", 0
    waiting: tuple[str, int] | None = None
    defines = False
    for token in _TOKEN.finditer(text, content.start, content.end):
        kind, written = token.lastgroup, token[0]
        if kind == "called":
            if start < 0 and not defines and written in names:
                waiting = (written, token.start())
            defines = False
        elif kind == "word":
            defines = written in ("def", "class")
        elif kind is None and written in "([{":
            if waiting is not None:
                name, start, depth = *waiting, len(open_)
                waiting = None
            open_.append(written)
        elif kind is None:
            if open_:
                open_.pop()
            if start >= 0 and len(open_) <= depth:
                yield _Place(name, start, token.end())
                start = -1
    if start >= 0:
        yield _Place(name, start, -1)


def _call(one: CallRead, frame: Span, dialect: str, *, closed: bool, strict: bool = False) -> ToolCall:
    read = one.read
    if not strict:
        read.wild += _computed(read.root, read.problems)
        # A call that is not closed is reported in any case.
        read.problems = [each for each in read.problems if not closed and each.kind not in _COMPUTED]
    call = python_call(one, FAMILY, dialect, frame)
    call.complete = closed
    return call


def _computed(root: JsonNode, problems: Sequence[Problem]) -> list[Path]:
    """Return the paths of the arguments that a program computes, all of them if that is unknown."""
    faults = [each.span for each in problems if each.kind not in ("positional-argument", "engines-differ")]
    if not faults:
        return []
    if any(problem.kind not in _COMPUTED for problem in problems):
        return [()]
    return [
        (member.key,)
        for member in root.members
        if any(member.value.span.start <= span.start < member.value.span.end for span in faults)
    ]
