"""JSON as people and models write it: one call reads any text, and returns its problems and all places.

Owns: `read_json` and its result. The C parser reads valid text, and its spans are computed on demand; the tolerant
reader reads all other text. Must not know: calls, tools, dialects, rules.

Problem kinds, with what their `data` holds:

| kind | data | |---|---| | `extra-closers` | `braces`, `brackets`, `text`: how many of each are superfluous;
`complete`: nothing follows | |
`missing-closers` | `braces`, `brackets`, `text`; `truncated`: nothing follows; `dangling`: a value is cut short | |
`mismatched-bracket` | `found`, `expected`, `opener` (span) | | `extra-opener`, `missing-opener` | `text` | |
`missing-comma`, `missing-colon` | `found`: what is in its place, or empty; `key` | | `trailing-comma`, `extra-comma` |
| | `missing-key`, `missing-value` | `text`; `key`, `colon` | | `single-quotes`, `smart-quotes`, `triple-quotes` |
`quote`: the character found | | `escaped-quotes` | `text` of the first, `spans` of all: strings whose own quotes have
backslashes | | `string-concatenation` | | | `unmatched-quote` | `missing`: `"closing"` or `"opening"`; `truncated`;
`string` (span) | | `unescaped-quote` | `offsets`, `string` | | `raw-newline` | `char`, `name`, `escape` of the first
control character, `offsets` of all, `string` | | `bad-escape`, `lone-surrogate` | `text` of the first, `spans` of all,
`string` | | `python-literal` | `text`, `json` | | `unquoted-key`, `unquoted-string` | `key`; `text` | | `comment` |
`text`, `closed` | | `duplicate-key` | `key`, `first` (span) | | `non-finite-number` | `text` | | `bad-number` | `text`,
`json`, `reason`: `"form"`, `"too-long"`, `"incomplete"` | | `unexpected-text` | `text`; `space`, `prefix`, `after`,
`front`, `json`: what it is, where it is | | `not-json` | `text`, `empty` | | `too-deep` | `limit` | |
`too-many-problems` | `more`: how many were left out |
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from callwright.syntax.json_fast import MAX_DEPTH, MAX_TOKEN_LENGTH, NotCleanError, scan_clean
from callwright.syntax.json_nodes import SPACE, JsonKind, JsonMember, JsonNode, JsonPath, clean_node
from callwright.syntax.json_stops import MAX_PROBLEMS, stop_between
from callwright.syntax.value_format import JSON, ValueFormat
from callwright.text.budget import UNLIMITED, Budget
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.syntax.problem import Problem

__all__ = [
    "MAX_DEPTH",
    "MAX_PROBLEMS",
    "PROBLEM_KINDS",
    "JsonKind",
    "JsonMember",
    "JsonNode",
    "JsonPath",
    "JsonRead",
    "read_json",
]

#: Every kind of problem that `read_json` reports.
PROBLEM_KINDS: Final = (
    "bad-escape",
    "bad-number",
    "comment",
    "duplicate-key",
    "escaped-quotes",
    "extra-closers",
    "extra-comma",
    "extra-opener",
    "lone-surrogate",
    "mismatched-bracket",
    "missing-closers",
    "missing-colon",
    "missing-comma",
    "missing-key",
    "missing-opener",
    "missing-value",
    "non-finite-number",
    "not-json",
    "python-literal",
    "raw-newline",
    "single-quotes",
    "smart-quotes",
    "string-concatenation",
    "too-deep",
    "too-many-problems",
    "trailing-comma",
    "triple-quotes",
    "unescaped-quote",
    "unexpected-text",
    "unmatched-quote",
    "unquoted-key",
    "unquoted-string",
)


_GAP = re.compile(r"\s*+")
_BLANK_LINES = re.compile(r"(?:\r\n|\n|\r(?!\n))(?:[ \t]*+(?:\r\n|\n|\r))++[ \t]*+")


class JsonRead:
    """What `read_json` found; offsets are code points of the text that was read.

    `value` is what `json.loads` would return with all errors corrected; of duplicate keys the last wins. `span` covers
    the JSON text without space around it and without superfluous closers; `end` is where reading stopped, `reach` the
    offset up to which text was scanned (an edit after it changes nothing). `wild` lists the paths of values that fit
    any schema: template expressions, strings that hold one, placeholders by syntax (`{...}`, `[...]`, `...`), and
    places where a value is missing. `elided` lists the paths of objects and arrays in which more may be than is
    written. `value_format` says how a fix writes values beside these: parsers of other dialects return the same tree,
    with their own format. `text` is what was read, empty where the reader did not keep it.
    """

    __slots__ = ("elided", "end", "problems", "reach", "root", "span", "text", "value", "value_format", "wild")

    def __init__(
        self,
        root: JsonNode,
        end: int,
        reach: int,
        problems: list[Problem],
        wild: list[JsonPath],
        elided: list[JsonPath],
        value_format: ValueFormat = JSON,
        text: str = "",
    ) -> None:
        self.text = text
        self.root = root
        self.value: Any = root.value
        self.span = root.span
        self.end = end
        self.reach = reach
        self.problems = problems
        self.wild = wild
        self.elided = elided
        self.value_format = value_format

    def __repr__(self) -> str:
        return f"JsonRead({self.span.start}..{self.span.end}, {[problem.kind for problem in self.problems]})"

    @property
    def clean(self) -> bool:
        """Whether the text has no problems."""
        return not self.problems

    def locate(self, path: Sequence[str | int]) -> JsonNode | None:
        """Return the node of the value at `path`, or None where there is none; of duplicate keys the last counts."""
        return self.root.locate(path)

    def locate_key(self, path: Sequence[str | int]) -> Span | None:
        """Return the span of the key token, quotes included, of the last step of `path`; None for items of arrays."""
        return self.root.locate_key(path)

    def detach(self, own: str, whole: str) -> None:
        """Refer to `own` in place of `whole`, which begins with it and may be far longer."""
        if self.text is whole:
            self.text = own
        self.root.detach(own, whole)


def clean_read(text: str, value: Any) -> JsonRead:
    """Return what `read_json` finds in a text that is JSON, of this value, without a problem."""
    end = len(text.rstrip(_JSON_SPACE))
    return _clean(text, Span(len(text) - len(text.lstrip(_JSON_SPACE)), end), len(text), value)


def _clean(text: str, span: Span, reach: int, value: Any) -> JsonRead:
    return JsonRead(clean_node(text, span, value), span.end, reach, [], [], [], text=text)


_JSON_SPACE: Final = " \t\n\r"

#: The number of characters of junk after which a value without an end of its surroundings ends: other such values may
#: begin there, and each would read all the text after it.
PATIENCE: Final = 400


def read_json(
    text: str,
    start: int = 0,
    end: int | None = None,
    *,
    stop: re.Pattern[str] | None = None,
    open_ended: bool = False,
    budget: Budget = UNLIMITED,
) -> JsonRead:
    """Read the JSON value in `text[start:end]`, even if it is broken; never raises, except for an exhausted budget.

    `stop` matches what ends the surroundings (a closing tag, a closing fence): the text ends at its first match outside
    strings. With `open_ended`, prose may follow the value: a clean one ends where it ends, a broken one with its
    paragraph, or after too much junk. Takes time linear in the text.
    """
    limit = len(text) if end is None else min(end, len(text))
    start = min(start, limit)
    space = SPACE.match(text, start, limit)
    begin = space.end() if space is not None else start
    try:
        value, after = scan_clean(text, begin, limit)
    except NotCleanError as error:
        failed_at = error.at
    else:
        reach = _reach_of_clean(text, after, limit, stop)
        if reach is None and open_ended:
            gap = _GAP.match(text, after, limit)
            follows = gap.end() if gap is not None else after
            if text[follows : min(follows + 1, limit)] not in ("}", "]"):
                reach = min(follows + 1, limit)
        if reach is not None:
            return _clean(text, Span(begin, after), reach, value)
        failed_at = after
    scanned = limit if failed_at is None else min(failed_at + MAX_TOKEN_LENGTH, limit)
    blank = _end_of_paragraph(text, begin, limit) if open_ended else None
    if blank is not None:
        limit = blank.start()
    # Invalid text is rare, and the patterns of its errors are slow to compile.
    from callwright.syntax.json_reader import Reader
    from callwright.syntax.value_tree import Extent

    reader = Reader(Extent(text, begin, limit, stop, budget), failed_at, PATIENCE if open_ended else None)
    reader.read()
    root = reader.root
    reach = max(reader.reach, scanned)
    if blank is not None and reach >= limit:
        # The blank lines and what follows them were scanned to find the paragraph's end.
        reach = max(reach, min(blank.end() + 1, len(text)))
    if root is None:
        root = JsonNode("missing", Span(begin, begin), None)
        return JsonRead(root, max(reader.end, begin), max(reach, begin), reader.problems, [()], [], text=text)
    wild, elided = reader.paths()
    return JsonRead(root, max(reader.end, root.span.end), reach, reader.problems, wild, elided, text=text)


def _end_of_paragraph(text: str, begin: int, limit: int) -> re.Match[str] | None:
    """Return the blank lines that end a paragraph; those in front of a closing bracket are inside the value."""
    blanks = _BLANK_LINES.finditer(text, begin, limit)
    return next((each for each in blanks if text[each.end() : min(each.end() + 1, limit)] not in ("}", "]")), None)


def _reach_of_clean(text: str, after: int, limit: int, stop: re.Pattern[str] | None) -> int | None:
    """Return how far the text has to be scanned to know that only the end follows the value; None if other text
    does."""
    space = SPACE.match(text, after, limit)
    at = space.end() if space is not None else after
    if at >= limit:
        return limit
    if stop is None:
        return None
    found = stop_between(text, stop, after, at, limit)
    return None if found is None else min(found.end() + 1, limit)
