"""Marks of calls that stand in a text and belong to no call that was read.

Owns: closing marks that stand twice behind a call, and calls that nobody reads for one slip in their marks. Must not
know: rules, messages, any single dialect.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from callwright.calls.model import NATIVE
from callwright.syntax import reasoning
from callwright.syntax.problem import Problem
from callwright.text.span import Span, delete

if TYPE_CHECKING:
    from callwright.analysis.reader import FoundCall
    from callwright.analysis.settings import Settings
    from callwright.tools.registry import ToolRegistry

#: How far from its end a call is looked through for its last closing marks.
_TAIL: Final = 200
#: How much white space may stand between a call and a mark that belongs to it.
_SPACE: Final = 20
_CLOSERS: Final = re.compile(
    r"(?:(?:</[^<>\s]{1,80}\s*>|<\|[^<>|\s]{1,80}\|>|<｜[^<>\s]{1,80}>|<[a-z_]{1,40}\|>|\[/[A-Z_]{1,40}\])\s*+)+\Z"
)
_CLOSER: Final = re.compile(
    r"\s*+(</[^<>\s]{1,80}+\s*+>|<\|[^<>|\s]{1,80}+\|>|<｜[^<>\s]{1,80}+>|<[a-z_]{1,40}+\|>|\[/[A-Z_]{1,40}+\])"
)
_PLAIN: Final = re.compile(r"</[A-Za-z_][\w.\-]*>")
#: What marks of calls look like, which stand in no other text.
_STRONG: Final = re.compile(
    r"<\|[^<>|\s\"=]{1,60}\|?>|<[a-z_]{1,40}\|>|</?｜[^<>\n]{1,100}>|\[/?(?:TOOL_[A-Z_]{1,30}|ARGS)\]"
    r"|</?(?:[\w.\-]{1,40}:)?(?:ifm\|)?(?:invoke|function_calls|tool_calls?|TOOLCALL|function|parameter|param|arg_key"
    r"|arg_value|arguments|tool_sep)(?:=[^<>\n]{1,80}|\x20name=[^<>\n]{1,80})?+\s*+>"
)
#: What every such mark holds one of.
_SIGNS: Final = (
    "<|",
    "|>",
    "｜",
    "[TOOL",
    "[/TOOL",
    "[ARGS",
    "invoke",
    "function",
    "tool_",
    "TOOLCALL",
    "param",
    "arg_",
    "arguments",
)
#: What may be such a mark, or a fence, that is damaged.
_WEAK: Final = re.compile(
    r"[<|｜]/?+[A-Za-z_|｜]|[|｜\w]>|\[\s?/?[A-Za-z_]{3}|^[ \t]*+(?:`{1,3}|~{1,3})[\w\-]*+[ \t]*+$", re.MULTILINE
)
#: What follows the name of a tool that is called.
_CALLED: Final = (
    r"(?![\w\-])[\"']?+\s{0,20}+(?::\d{1,9}\s{0,9}+)?+"
    r"(?:[<>|｜\[({]|```|[,:]?+\s{0,40}+[\"']?+[A-Za-z_]{0,20}+(?:\x20Input)?+[\"']?+\s{0,9}+[:=]?+\s{0,20}+[\"\[({<])"
)
#: What follows a tool's name where it is defined.
_DEFINED: Final = re.compile(r"\"properties\"\s*+:|\"description\"\s*+:|\"type\"\s*+:\s*+\"object\"|\s=\s\(_")
#: Marks that stand in calls alone, whatever dialect is asked for.
_CALLING: Final = re.compile(r"tool|function|call|action|ARGS", re.IGNORECASE)
#: The beginning of an object behind a mark.
_BESIDE: Final = re.compile(r"\s{0,20}+\[?+\s{0,20}+\{")
#: What stands behind a mark that names a tool, where it is more than mentioned.
_CONTENT: Final = re.compile(r"\s{0,40}+(?:\[?+\s{0,20}+\{|</?[A-Za-z｜|])")
#: What arguments begin with, and how far behind the name they do.
_ARGUMENTS: Final = re.compile(r"[{(\[]|<[^<>]{0,20}(?:param|arg)|</?+[A-Za-z_]++>")
_SHORTLY: Final = 160
#: How far a mark may stand from the name of the tool.
_NEAR: Final = 600
#: Longer texts are looked through for whole marks alone.
_SHORT: Final = 12_000
#: Code spans, comments and reasoning: what stands there is only spoken of.
_QUIET: Final = re.compile(r"(?<!`)`{1,2}(?!`)|<!--|" + "|".join(map(re.escape, reasoning.OPENERS)))


def doubled_closers(text: str, calls: Sequence[FoundCall]) -> Iterator[Problem]:
    """Yield the problem of each closing mark that stands again right behind the call that it closed."""
    for found in calls:
        call = found.call
        if not call.complete:
            continue
        start, end = call.place
        if text.startswith(">", end) and text.startswith(">", end - 1) and "<" in text[start : start + 1]:
            yield _stray(end, end + 1, ">")
            continue
        behind = _CLOSER.match(text, end)
        if behind is None:
            continue
        tail = _CLOSERS.search(text, max(start, end - _TAIL), end)
        if tail is not None and behind[1] in tail[0] and "begin" not in behind[1]:
            yield _stray(behind.start(1), behind.end(), behind[1])


def doubled_openers(text: str, calls: Sequence[FoundCall]) -> Iterator[Problem]:
    """Yield the problem of each opening mark that stands right in front of the call that begins with it."""
    for found in calls:
        start = found.call.place.start
        end = len(text[max(0, start - _SPACE) : start].rstrip()) + max(0, start - _SPACE)
        if not end or text[end - 1] not in ">]":
            continue
        mark = _STRONG.match(text, start)
        if mark is not None and text.startswith(mark[0], end - len(mark[0])):
            yield _stray(end - len(mark[0]), end, mark[0], upto=start)


def _stray(start: int, end: int, mark: str, *, upto: int | None = None) -> Problem:
    data: dict[str, object] = {"name": mark.strip("</>")}
    if upto is not None:
        data["twice"] = True
    if upto is not None or _PLAIN.fullmatch(mark) is None:
        data["marker"] = mark
    return Problem("stray-closing-tag", Span(start, end), data, (delete(start, upto or end),), certain=True)


def unread_calls(
    text: str, calls: Sequence[FoundCall], stray: Stray, registry: ToolRegistry, settings: Settings
) -> Iterator[Problem]:
    """Yield the problem of a call that nobody reads because of its marks.

    There is one where a tool is named outside of every call as in a call, and a mark of calls stands near it; or what
    may be a damaged mark stands there, and one change makes the text a faultless call.
    """
    # Loaded where something looks like the rest of a call.
    from callwright.analysis.marker_repairs import MarkerRepair, dialects_with, is_mark

    names = [settings.dialect] if settings.dialect is not None else dialects_with(text, registry)
    repair = MarkerRepair(text, [name for name in names if name], stray.tools, registry, settings, more_than=len(calls))
    sole = repair.sole
    if sole is not None:
        first, last = sole.edits[0].span, sole.edits[-1].span
        data = {"reason": "one of its marks is not as it must be", "remedy": sole.title}
        yield Problem("skipped-call", Span(first.start, max(last.end, first.start)), data, sole.edits, certain=True)
        return
    sure = (each for each in stray.marks if settings.dialect is not None or _is_calling(each.of(text)))
    mark = next((each for each in sure if is_mark(each.of(text), settings.dialect, stray.tools, registry)), None)
    if mark is not None:
        data = {
            "reason": f"`{mark.of(text)}` stands outside of every call that is read",
            "remedy": "Write all marks of the call as its notation has them",
        }
        yield Problem("skipped-call", mark, data)


def _is_calling(mark: str) -> bool:
    return _PLAIN.fullmatch(mark.replace("</", "<").replace("<", "</")) is None and _CALLING.search(mark) is not None


class Stray(NamedTuple):
    """What looks like a call and is none: the tools that are named, and the marks near them."""

    tools: tuple[str, ...]
    marks: tuple[Span, ...]

    @property
    def is_named(self) -> bool:
        """Whether a tool's name and a mark stand there, not one of them alone."""
        return bool(self.tools and self.marks)


def stray_call(text: str, calls: Sequence[FoundCall], registry: ToolRegistry, settings: Settings) -> Stray | None:
    """Return what looks like a call in a reply outside of every call that was read, None where nothing does."""
    if settings.placeholders:
        return None  # a document may speak of marks, a reply does not
    if any(found.call.dialect == NATIVE for found in calls):
        return None  # a record of messages, whose texts are looked through one by one
    if not registry or not ("<" in text or "[" in text or "`" in text or "｜" in text or "|" in text or "~~~" in text):
        return None
    weak = settings.dialect is not None and len(text) <= _SHORT
    if not weak and not any(sign in text for sign in _SIGNS):
        return None
    gaps = list(_gaps(text, calls))
    marks = [Span(*match.span()) for start, end in gaps for match in _STRONG.finditer(text, start, end)]
    if not marks and not (weak and any(_WEAK.search(text, start, end) for start, end in gaps)):
        return None
    named = _called(tuple(registry.names))
    quiet = _quiet(text, settings)
    marks = [span for span in marks if not _within(span.start, quiet)]
    starts = [span.start for span in marks]
    tools: dict[str, None] = {}
    near: dict[Span, None] = {}
    for start, end in _near(gaps, starts) if not weak else gaps:
        for match in named.finditer(text, start, end):
            at = match.start()
            if _within(at, quiet) or _DEFINED.search(text, at, min(end, at + _NEAR)):
                continue
            index = bisect_left(starts, at)
            holder = marks[index - 1] if index and marks[index - 1].end > at else None
            behind = match.end(1) if holder is None else holder.end
            if holder is not None and _CONTENT.match(text, behind) is None:
                continue
            if _ARGUMENTS.search(text, behind, min(end, behind + _SHORTLY)) is None:
                continue
            tools[match[1]] = None
            near.update((span, None) for span in marks[max(0, index - 1) : index + 1] if abs(span.start - at) <= _NEAR)
    if weak and not near:
        # The name may have been lost with its mark.
        near.update((span, None) for span in marks if _BESIDE.match(text, span.end) or _ends_object(text, span.start))
        return Stray(tuple(tools), tuple(near)) if near or tools else None
    return Stray(tuple(tools), tuple(sorted(near))) if near else None


def _ends_object(text: str, at: int) -> bool:
    return text[max(0, at - _SPACE) : at].rstrip().endswith(("}", "}]"))


def has_marks_outside(text: str, calls: Sequence[FoundCall]) -> bool:
    """Tell whether a mark of calls stands outside of every call."""
    return any(_STRONG.search(text, start, end) is not None for start, end in _gaps(text, calls))


def _gaps(text: str, calls: Sequence[FoundCall]) -> Iterator[tuple[int, int]]:
    """Yield the stretches between calls, with the frames that hold them."""
    at = 0
    for start, end in sorted(found.call.place for found in calls):
        if start > at:
            yield at, start
        at = max(at, end)
    if at < len(text):
        yield at, len(text)


def _near(gaps: Sequence[tuple[int, int]], starts: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield what lies near marks, nothing of it twice."""
    for start, end in gaps:
        at = start
        for mark in starts[bisect_left(starts, start) : bisect_left(starts, end)]:
            begin, stop = max(at, mark - _NEAR), min(end, mark + _NEAR)
            if begin < stop:
                yield begin, stop
            at = max(at, stop)


@lru_cache(maxsize=64)
def _called(names: tuple[str, ...]) -> re.Pattern[str]:
    longest = sorted(names, key=len, reverse=True)
    return re.compile(rf"(?<![\w\-])({'|'.join(map(re.escape, longest))}){_CALLED}")


def _quiet(text: str, settings: Settings) -> list[tuple[int, int]]:
    """Return where a text only speaks of calls: code spans, comments and what a model thinks aloud."""
    found: list[tuple[int, int]] = []
    vain: set[str] = set()
    at = 0
    while (match := _QUIET.search(text, at)) is not None:
        opener, at = match[0], match.end()
        if opener in vain or (opener in reasoning.BLOCKS and settings.reasoning == "calls"):
            continue
        if opener[0] == "`":
            line = text.find("\n", at)
            end = text.find(opener, at, line if line >= 0 else len(text))
            if end >= 0:
                found.append((match.start(), at := end + len(opener)))
            continue
        closers = reasoning.BLOCKS.get(opener, ("-->",))
        ends = [end + len(closer) for closer in closers if (end := text.find(closer, at)) >= 0]
        if ends:
            found.append((match.start(), at := min(ends)))
        else:
            vain.add(opener)
    return found


def _within(at: int, spans: Sequence[tuple[int, int]]) -> bool:
    index = bisect_right(spans, (at, len(spans) and spans[-1][1] + 1)) - 1
    return index >= 0 and spans[index][0] <= at < spans[index][1]
