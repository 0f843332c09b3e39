"""Holes: where a closer is missing, and where its opener is.

Owns: the span of diagnostics about something that is never closed. Must not know: any single rule's words, how readers
find the hole.

A fix is written at the hole, so the diagnostic is there: from the opener to the hole where both are on one line, else
on what is right before the hole, with the opener as a related place. The scan around a hole is bounded; the reader has
read the white space after it already. A problem of a whole file has no text at hand and keeps its own span.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from callwright.calls.model import NATIVE
from callwright.text.span import Edit, Span

if TYPE_CHECKING:
    from callwright.rules.base import SyntaxSubject

Related = tuple[tuple[Span, str], ...]

#: A longer segment is not covered as a whole, even on one line.
_MAX_LENGTH: Final = 2000
#: How many characters before a hole are searched for the last token.
_LOOK_BACK: Final = 200
_AFTER: Final = re.compile(r"[ \t]{0,200}+(?:(?:\r\n|\r|\n)[ \t]{0,200}+)?+")
_LINE_END: Final = re.compile(r"[\r\n]")
#: The token before a hole: something like a tag, a word, or one character.
_LAST: Final = re.compile(
    r"(?:<[ /\\|｜]{0,3}+[^\s<>]{1,80}+>?|<[^<>\r\n]{1,100}+>|[/\\][^\s<>]{1,80}+>?|\w{1,80}+|\S)\Z"
)
_INITIAL: Final = re.compile(r"[^<>/|]")
_TRUNCATED: Final = re.compile(r"<([ /\\]{0,2}+)")
_COLON: Final = re.compile(r"[ \t\r\n]{0,200}+:")
_STRING: Final = r'"(?:[^"\\\r\n]|\\.){0,160}+"'
_SECOND_COLON: Final = re.compile(rf"[ \t\r\n]{{0,200}}+{_STRING}[ \t\r\n]{{0,200}}+:")
_KEY_IN_LIST: Final = re.compile(rf"(?:\[[ \t\r\n]{{0,100}}+)?{_STRING}[ \t\r\n]{{0,100}}+\Z")
_CLOSERS: Final = "}])"


def at_hole(subject: SyntaxSubject, opened: str, opener: Span | None = None) -> tuple[Span, Related]:
    """Return the span of a diagnostic about something that is never closed, and its related places.

    `opened` is the text of the related place at the opener. A problem without a hole keeps its own span.
    """
    opener = opener or subject.problem.span
    hole = hole_of(subject.problem.repair, subject.problem.data, opener)
    text = subject.text
    if hole is None or hole.end > len(text) or hole.start < opener.end:
        return opener, ()
    before, after = _around(text, hole, opener.end)
    if subject.call is not None and subject.call.dialect == NATIVE:
        # After the arguments of such a call comes another field of the file.
        after = hole.end
    wanted = subject.problem.data.get("marker") or subject.problem.data.get("name")
    if isinstance(wanted, str) and not hole.of(text).strip():
        after = max(_truncated(text, after, wanted), _begun(text, after, wanted))
    if after - opener.start <= _MAX_LENGTH and _LINE_END.search(text, opener.start, before) is None:
        return Span(opener.start, after), ()
    return Span(_last(text, opener.end, before), after), ((opener, opened),)


def hole_of(repair: Iterable[Edit], data: Mapping[str, Any], opener: Span) -> Span | None:
    """Return where the reader's repair writes what is missing, None where the problem does not say."""
    places = [span for span, new in repair if new and span.start >= opener.end]
    if places:
        return max(places)
    if "insert_at" in data:
        at = int(data["insert_at"])
        return Span(at, at)
    string: Span | None = data.get("string")
    return Span(string.end, string.end) if string is not None else None


def among_closers(text: str, at: int) -> Span:
    """Return the span of the closers before a missing closer, or of the character before it."""
    if at > len(text):
        return Span(max(at - 1, 0), at)
    window = text[max(at - _LOOK_BACK, 0) : at]
    rest = window.rstrip(" \t\r\n" + _CLOSERS)
    start = at - len(window) + len(rest)
    if start == at or text[start].isspace():
        start = max(start - 1, 0)
    after = _AFTER.match(text, at)
    # More of the same JSON follows the white space.
    inside = after is not None and text.startswith((",", "}", "]"), after.end())
    return Span(start, after.end() if after is not None and inside else at)


def without_value(text: str, key: Span) -> Span:
    """Return the span of a key without a value: up to the value's place, or to a second colon after it."""
    if key.end > len(text):
        return key
    colon = _COLON.match(text, key.end)
    at = colon.end() if colon is not None else key.end
    second = _SECOND_COLON.match(text, at)
    if second is not None:
        return Span(key.start, second.end())
    after = _AFTER.match(text, at)
    return Span(key.start, after.end() if after is not None else at)


def with_backslashes(text: str, span: Span) -> Span:
    """Return a span extended over the backslashes before it, of which one may be superfluous or missing."""
    window = text[max(span.start - _LOOK_BACK, 0) : span.start]
    return Span(span.start - len(window) + len(window.rstrip("\\")), span.end)


def with_doubled(text: str, span: Span) -> Span:
    """Return the span of a superfluous closer, extended over an equal one before it, across white space."""
    window = text[max(span.start - _LOOK_BACK, 0) : span.start]
    before = window.rstrip(" \t\r\n")
    if before == window or not before.endswith(text[span.start : span.start + 1]):
        return span
    return Span(span.start - len(window) + len(before) - 1, span.end)


def with_space(text: str, span: Span) -> Span:
    """Return a span extended over the white space before it, where something may be missing as well."""
    window = text[max(span.start - _LOOK_BACK, 0) : span.start]
    return Span(span.start - len(window) + len(window.rstrip()), span.end)


def after_opener(text: str, span: Span) -> Span:
    """Return the span of a misplaced colon, extended over the string before it and the opener of the list."""
    found = _KEY_IN_LIST.search(text[max(span.start - _LOOK_BACK, 0) : span.start])
    return Span(span.start - len(found[0]), span.end) if found is not None else span


def _around(text: str, hole: Span, limit: int) -> tuple[int, int]:
    """Return where the white space around a hole begins and ends."""
    start = max(limit, hole.start - _LOOK_BACK)
    before = start + len(text[start : hole.start].rstrip())
    missing = not hole.of(text).strip()
    after = _AFTER.match(text, hole.start if missing else hole.end)
    return before, after.end() if after is not None else hole.end


def _truncated(text: str, at: int, wanted: str) -> int:
    """Return where the first characters of a damaged closer end, `at` where none begins there.

    The scan ends where the text cannot be the closer: at `<` without its slash, or at a space or backslash in it.
    """
    initial = _INITIAL.search(wanted)
    found = _TRUNCATED.match(text, at)
    if initial is None or found is None or not (found[1].strip("/") or text[found.end() - 1] != "/"):
        return at
    if found[1].strip("/") or text.startswith(initial[0], found.end()):
        return found.end()
    return at


def _begun(text: str, at: int, wanted: str) -> int:
    """Return the end of a prefix of the missing marker at `at`, or `at` where there is none.

    No more is scanned than the reader scanned in searching for the marker.
    """
    marker = wanted if wanted[:1] in "<[]" else f"</{wanted}>"
    same = 0
    for one, other in zip(marker, text[at : at + len(marker)], strict=False):
        if one != other and one.lower() != other.lower():
            break
        same += 1
    # Other markers of a model begin with the same characters.
    return at + same if any(char.isalnum() for char in marker[:same]) else at


def _last(text: str, limit: int, before: int) -> int:
    """Return where the token that ends at `before` begins, on its line."""
    start = max(limit, before - _LOOK_BACK)
    found = _LAST.search(text[start:before])
    return start + found.start() if found is not None else before
