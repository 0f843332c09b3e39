"""Calls as Python writes them: one call reads any text, and returns its problems and all places.

Owns: `read_calls` and its result. Must not know: tools, dialects, rules; the names of a tool's parameters come in as a
function.

A call's arguments are the same tree as for JSON: an object whose keys are the keywords, tuples and sets as arrays.
Problem kinds are those of `callwright.syntax.json`, with the same data, and these:

| kind | data |
|---|---|
| `positional-argument` | `text`; `name`: the parameter whose place it has, None where none is known; `all`: it is all |
| `argument-unpacking` | `text` |
| `not-a-literal` | `text`: a nested call, a variable, an expression |
| `missing-equals` | `key`; `found`: what is in its place, or empty |
| `engines-differ` | `reading`, `others` |
"""

import re
from typing import Final

from callwright.syntax.json import JsonRead
from callwright.syntax.problem import Problem
from callwright.syntax.python_reader import PythonReader
from callwright.syntax.python_text import FaultyError
from callwright.syntax.python_tree import CallDraft, Parameters
from callwright.syntax.searches import Searches
from callwright.syntax.value_tree import Extent
from callwright.text.budget import UNLIMITED, Budget
from callwright.text.span import Span

__all__ = ["MILD", "PROBLEM_KINDS", "CallRead", "CallsRead", "Parameters", "read_calls", "read_clean"]

#: Kinds that are not errors: all parsers read the same, or Python parsers do.
MILD: Final = frozenset({"engines-differ"})
#: Every kind of problem that only `read_calls` reports.
PROBLEM_KINDS: Final = (
    "argument-unpacking",
    "engines-differ",
    "missing-equals",
    "not-a-literal",
    "positional-argument",
)


class CallRead:
    """One call: its dotted name, where that is, the whole span, and the arguments with their parentheses.

    `closed` says whether its closing parenthesis is there. The problems of the call are those of `read`.
    """

    __slots__ = ("closed", "name", "name_span", "read", "span")

    def __init__(self, draft: CallDraft) -> None:
        self.name = draft.name
        self.name_span = draft.name_span
        self.span = Span(draft.name_span.start, draft.end)
        self.closed = draft.closed
        self.read: JsonRead = draft.read

    def __repr__(self) -> str:
        return f"CallRead({self.name!r}, {self.span.start}..{self.span.end})"


class CallsRead:
    """What `read_calls` found: the calls, and problems that belong to none of them.

    `span` covers the list with its brackets, or the calls without; `closed` says whether the list's closing bracket is
    there, or without brackets that of the last call; `end` is where reading stopped, `reach` how far the text was
    scanned. `sketched` says that there is a placeholder instead of a call.
    """

    __slots__ = ("calls", "closed", "end", "problems", "reach", "sketched", "span")

    def __init__(self, reader: PythonReader) -> None:
        self.calls = [CallRead(draft) for draft in reader.calls]
        self.problems: list[Problem] = reader.problems
        self.span = reader.span
        self.closed = reader.closed
        self.end = reader.end
        self.reach = reader.reach
        self.sketched = reader.sketched

    @property
    def clean(self) -> bool:
        """Whether the calls have no problem that all Python parsers would reject."""
        problems = [*self.problems, *(problem for call in self.calls for problem in call.read.problems)]
        return all(problem.kind in MILD for problem in problems)


def read_calls(
    text: str,
    start: int = 0,
    end: int | None = None,
    *,
    stop: re.Pattern[str] | None = None,
    parameters: Parameters | None = None,
    budget: Budget = UNLIMITED,
) -> CallsRead:
    """Read the calls in `text[start:end]`, even if broken; never raises, except for an exhausted budget.

    After space, a bracket opens a list of calls, which the text may continue after; else calls follow each other up to
    the end. `stop` matches what ends the surroundings: the text ends at its first match outside strings. `parameters`
    gives names to positional arguments. Takes time linear in the text.
    """
    limit = len(text) if end is None else min(end, len(text))
    reader = PythonReader(Extent(text, min(start, limit), limit, stop, budget), parameters)
    reader.read()
    return CallsRead(reader)


def read_clean(
    text: str,
    start: int = 0,
    end: int | None = None,
    *,
    parameters: Parameters | None = None,
    searches: Searches | None = None,
    budget: Budget = UNLIMITED,
) -> tuple[CallsRead | None, int]:
    """Return the calls as `read_calls` does, and how far the text was scanned; stop and return None at the first error.

    `searches` are those of the text.
    """
    limit = len(text) if end is None else min(end, len(text))
    reader = PythonReader(Extent(text, min(start, limit), limit, None, budget), parameters, searches, MILD)
    try:
        reader.read()
    except FaultyError:
        reader.look_at_fault()
        return None, reader.reach
    return CallsRead(reader), reader.reach
