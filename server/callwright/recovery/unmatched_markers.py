"""Markers of calls that are in a text and belong to no call that was read.

Owns: what such markers look like, those that are doubled beside a call, text that is read as more of a call, and the
segments between calls. Must not know: messages, any single dialect, what the markers were meant for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from callwright.calls.markers import call_marker
from callwright.calls.scanning import skip_space
from callwright.dialects.catalogue import find_dialect
from callwright.syntax.problem import Problem
from callwright.text.patterns import compile_later
from callwright.text.span import Span, delete

if TYPE_CHECKING:
    from callwright.document.reader import FoundCall

#: How many characters at a call's end are searched for its last closing markers.
_TAIL: Final = 200
#: How much white space may be between a call and a marker that belongs to it.
_SPACE: Final = 20
_CLOSERS: Final = compile_later(
    r"(?:(?:</[^<>\s]{1,80}\s*>|<\|[^<>|\s]{1,80}\|>|<｜[^<>\s]{1,80}>|<[a-z_]{1,40}\|>|\[/[A-Z_]{1,40}\])\s*+)+\Z"
)
_CLOSER: Final = compile_later(
    r"\s*+(</[^<>\s]{1,80}+\s*+>|<\|[^<>|\s]{1,80}+\|>|<｜[^<>\s]{1,80}+>|<[a-z_]{1,40}+\|>|\[/[A-Z_]{1,40}+\])"
)
_TRUNCATED: Final = compile_later(r"</(\s{1,20})([\w.:\-]{1,80})\s*>\Z")
#: What is after a call on its line, up to the next marker.
_REST: Final = compile_later(r"[ \t]*+((?:(?!>>>|<\|)[^\r\n\s]++[ \t]*+)*)")
#: A fence's first line.
_FENCE: Final = compile_later(r"(?:`{3,}+|~{3,}+)[\w\-]*+(?=[ \t]*+[\r\n])")
_PLAIN: Final = compile_later(r"</[A-Za-z_][\w.\-]*>")


def doubled_closers(text: str, calls: Sequence[FoundCall]) -> Iterator[Problem]:
    """Yield the problem of each closing marker that is repeated right after the call that it closed."""
    for found in calls:
        call = found.call
        if not call.complete:
            continue
        start, end = call.place
        if text.startswith(">", end) and text.startswith(">", end - 1) and "<" in text[start : start + 1]:
            yield _unmatched(end, end + 1, ">")
            continue
        after = _CLOSER.match(text, end)
        if after is None:
            own = _own_closer(text, found)
            at = skip_space(text, end)
            if own and text.startswith(own, at):
                yield _unmatched(at, at + len(own), own)
            continue
        tail = _CLOSERS.search(text, max(start, end - _TAIL), end)
        if tail is not None and after[1] in tail[0] and "begin" not in after[1]:
            yield _unmatched(after.start(1), after.end(), after[1])


def doubled_openers(text: str, calls: Sequence[FoundCall]) -> Iterator[Problem]:
    """Yield the problem of each opening marker that is right before the call that begins with it."""
    for found in calls:
        start = found.call.place.start
        end = len(text[max(0, start - _SPACE) : start].rstrip()) + max(0, start - _SPACE)
        if not end:
            continue
        marker = (_FENCE.match(text, start) or call_marker().match(text, start)) if text[start] in "<[`~｜" else None
        opener = marker[0] if marker is not None else _own_opener(text, found)
        if opener and text.startswith(opener, end - len(opener)):
            yield _unmatched(end - len(opener), end, opener, upto=start)


def _own_opener(text: str, found: FoundCall) -> str:
    """Return the dialect's literal marker with which a call begins, empty where it begins with none."""
    start = found.call.place.start
    return next((opener for opener, _ in _markers(found) if text.startswith(opener, start)), "")


def _own_closer(text: str, found: FoundCall) -> str:
    """Return the dialect's literal marker with which a call ends, empty where it ends with none."""
    end = found.call.place.end
    return next((closer for _, closer in _markers(found) if closer and text.endswith(closer, 0, end)), "")


def _markers(found: FoundCall) -> Sequence[tuple[str, str]]:
    dialect = find_dialect(found.call.dialect)
    return () if dialect is None else dialect.pairs


def truncated_closers(text: str, calls: Sequence[FoundCall]) -> Iterator[Problem]:
    """Yield the problem of each call whose closing tag has white space where none is allowed."""
    if not ("</ " in text or "</\t" in text or "</\n" in text):
        return
    for found in calls:
        start, end = found.call.place
        truncated = _TRUNCATED.search(text, max(start, end - _TAIL), end)
        if truncated is not None:
            closer = f"</{truncated[2]}>"
            data = {"reason": "its closing tag contains whitespace", "remedy": f"Write `{closer}`"}
            yield Problem("skipped-call", Span(*truncated.span()), data, (delete(*truncated.span(1)),), certain=True)


def text_after(text: str, calls: Sequence[FoundCall]) -> Iterator[Problem]:
    """Yield the problem of text after a call on its line, where engines read it as more of the call's arguments."""
    reported = -1
    for found in calls:
        end = found.call.place.end
        dialect = find_dialect(found.call.dialect) if found.call.complete and end >= reported else None
        if dialect is not None and dialect.to_line_end:
            rest = _REST.match(text, end)
            if rest is None or not rest[1]:
                continue
            # Further calls in it are part of this text, which is reported once.
            reported = rest.end(1)
            data: dict[str, object] = {"text": rest[1], "after": True}
            # What looks like JSON may be arguments that were closed too early.
            certain = not any(sign in rest[1] for sign in '{}[]"') and rest[1][0] != ","
            yield Problem("unexpected-text", Span(*rest.span(1)), data, (delete(end, rest.end(1)),), certain=certain)


def _unmatched(start: int, end: int, marker: str, *, upto: int | None = None) -> Problem:
    data: dict[str, object] = {"name": marker.strip("</>")}
    if upto is not None:
        data["twice"] = True
    if upto is not None or _PLAIN.fullmatch(marker) is None:
        data["marker"] = marker
    return Problem("unmatched-closing-tag", Span(start, end), data, (delete(start, upto or end),), certain=True)


def has_markers_outside(text: str, calls: Sequence[FoundCall]) -> bool:
    """Return whether a marker of calls is outside of every call."""
    return any(call_marker().search(text, start, end) is not None for start, end in gaps_of(text, calls))


def gaps_of(text: str, calls: Sequence[FoundCall]) -> Iterator[tuple[int, int]]:
    """Yield the segments between calls, with their frames."""
    at = 0
    for start, end in sorted(found.call.place for found in calls):
        if start > at:
            yield at, start
        at = max(at, end)
    if at < len(text):
        yield at, len(text)
