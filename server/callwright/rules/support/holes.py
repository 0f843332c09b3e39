"""Where something is missing: the place of a closer that is not there, and of the opener that waits for it.

Owns: the span of findings about what is never closed. Must not know: any single rule's words, how readers find it.

Whoever mends such a call writes at the hole, so that is where the finding stands: from the opener to the hole where
both are on one line, else on what stands right before the hole, with the opener as a related place. What is looked at
around a hole is bounded, and the white space behind it was read by whoever found nothing there. Of a problem of a whole
file no text is at hand: its own span stays.
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

#: A stretch longer than this is not marked as a whole, though it is on one line.
_MAX_LENGTH: Final = 2000
#: How far in front of a hole the last thing is looked for.
_LOOK_BACK: Final = 200
_AFTER: Final = re.compile(r"[ \t]{0,200}+(?:(?:\r\n|\r|\n)[ \t]{0,200}+)?+")
_LINE_END: Final = re.compile(r"[\r\n]")
#: What stands before a hole: something like a tag, a word, or one character.
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
    """Return the span of a finding about something that is never closed, and its related places.

    `opened` says in words that the opener is here. Where the problem does not tell of a hole, its own span stays.
    """
    opener = opener or subject.problem.span
    hole = hole_of(subject.problem.repair, subject.problem.data, opener)
    text = subject.text
    if hole is None or hole.end > len(text) or hole.start < opener.end:
        return opener, ()
    before, after = _around(text, hole, opener.end)
    if subject.call is not None and subject.call.dialect == NATIVE:
        # What follows the arguments of such a call is another field of the file.
        after = hole.end
    wanted = subject.problem.data.get("marker") or subject.problem.data.get("name")
    if isinstance(wanted, str) and not hole.of(text).strip():
        after = max(_truncated(text, after, wanted), _begun(text, after, wanted))
    if after - opener.start <= _MAX_LENGTH and _LINE_END.search(text, opener.start, before) is None:
        return Span(opener.start, after), ()
    return Span(_last(text, opener.end, before), after), ((opener, opened),)


def hole_of(repair: Iterable[Edit], data: Mapping[str, Any], opener: Span) -> Span | None:
    """Return where a reader would write what is missing, None where it does not say."""
    places = [span for span, new in repair if new and span.start >= opener.end]
    if places:
        return max(places)
    if "insert_at" in data:
        at = int(data["insert_at"])
        return Span(at, at)
    string: Span | None = data.get("string")
    return Span(string.end, string.end) if string is not None else None


def among_closers(text: str, at: int) -> Span:
    """Return the closers in front of a place where one of them is missing, or the character before it."""
    if at > len(text):
        return Span(max(at - 1, 0), at)
    window = text[max(at - _LOOK_BACK, 0) : at]
    rest = window.rstrip(" \t\r\n" + _CLOSERS)
    start = at - len(window) + len(rest)
    if start == at or text[start].isspace():
        start = max(start - 1, 0)
    after = _AFTER.match(text, at)
    # White space that more of the same JSON follows.
    inside = after is not None and text.startswith((",", "}", "]"), after.end())
    return Span(start, after.end() if after is not None and inside else at)


def without_value(text: str, key: Span) -> Span:
    """Return a key without a value: up to where the value should be, or to the colon that stands too far behind."""
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
    """Return a span and the backslashes in front of it, of which one may be too many or too few."""
    window = text[max(span.start - _LOOK_BACK, 0) : span.start]
    return Span(span.start - len(window) + len(window.rstrip("\\")), span.end)


def with_doubled(text: str, span: Span) -> Span:
    """Return a superfluous closer together with one like it in front of it, where only white space is between them."""
    window = text[max(span.start - _LOOK_BACK, 0) : span.start]
    before = window.rstrip(" \t\r\n")
    if before == window or not before.endswith(text[span.start : span.start + 1]):
        return span
    return Span(span.start - len(window) + len(before) - 1, span.end)


def with_space(text: str, span: Span) -> Span:
    """Return a span and the white space in front of it, where something may be missing as well."""
    window = text[max(span.start - _LOOK_BACK, 0) : span.start]
    return Span(span.start - len(window) + len(window.rstrip()), span.end)


def after_opener(text: str, span: Span) -> Span:
    """Return a colon that may not be where it is, together with the string in front of it and what opens the list."""
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
    """Return where the first signs of a damaged closer end, `at` where none begins there.

    No more is looked at than shows that this is not the closer: `<` without its slash, or a space or backslash in it.
    """
    initial = _INITIAL.search(wanted)
    found = _TRUNCATED.match(text, at)
    if initial is None or found is None or not (found[1].strip("/") or text[found.end() - 1] != "/"):
        return at
    if found[1].strip("/") or text.startswith(initial[0], found.end()):
        return found.end()
    return at


def _begun(text: str, at: int, wanted: str) -> int:
    """Return where the beginning of what is missing ends, `at` where nothing of it stands there.

    No more is looked at than whoever looked for it had to.
    """
    marker = wanted if wanted[:1] in "<[]" else f"</{wanted}>"
    same = 0
    for one, other in zip(marker, text[at : at + len(marker)], strict=False):
        if one != other and one.lower() != other.lower():
            break
        same += 1
    # Other marks of a model begin with the same signs.
    return at + same if any(char.isalnum() for char in marker[:same]) else at


def _last(text: str, limit: int, before: int) -> int:
    """Return where the thing that ends at `before` begins, on its line."""
    start = max(limit, before - _LOOK_BACK)
    found = _LAST.search(text[start:before])
    return start + found.start() if found is not None else before
