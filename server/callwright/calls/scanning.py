"""Scanning a text with calls: each line, tag and marker is searched once, even if it is requested often.

Owns: lines and their leads, closers, literals and patterns, their results in the memo. Must not know: what is a call,
dialect modules, documents.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING, Final

from callwright.syntax.prose import line_end, line_start, next_line
from callwright.text.facts import FactFor, derived
from callwright.text.holes import HOLE
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.calls.protocol import ReadContext
    from callwright.calls.scan_state import ScanState
    from callwright.syntax.xml import XmlTag

_SPACE = re.compile(r"\s*+")
#: What may lead a line inside of a quotation.
QUOTED: Final = re.compile(r"[ \t>]*+")
#: What may lead a line inside of a quotation or a list.
LISTED: Final = re.compile(r"(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t])*+")
#: Blank lines, in a quotation or not, and what leads the line below them.
LINES: Final = re.compile(r"(?:[ \t>]*+(?>\r\n|\n|\r))*+[ \t>]*+")
#: How far after a section that is not closed its closer is searched for.
_MAX_UNREAD: Final = 2_000
_ANY_CLOSER = re.compile(rf"</([A-Za-z_{HOLE}][\w.:\-{HOLE}]*+)")
#: A template's expression is masked character by character, and may have other spaces in the closing tag.
_HOLES = re.compile(f"{HOLE}++")


def skip_space(text: str, at: int) -> int:
    """Return the offset of the first character at or after `at` that is not whitespace."""
    match = _SPACE.match(text, at)
    return match.end() if match else at


def match_end(pattern: re.Pattern[str], text: str, at: int, limit: int | None = None) -> int:
    """Return the end of the match of `pattern` at an offset, the offset itself if there is no match."""
    match = pattern.match(text, at) if limit is None else pattern.match(text, at, limit)
    return match.end() if match is not None else at


def trimmed(text: str, start: int, end: int, space: str | None = None) -> Span:
    """Return the characters between two places, without the whitespace (or the `space`) around them."""
    kept = text[start:end].rstrip(space)
    return Span(start + len(kept) - len(kept.lstrip(space)), start + len(kept))


def line_of(text: str, start: int, context: ReadContext) -> int:
    """Return where the line of `start` begins; the driver provides it, since lines can be long."""
    place, begin = context.scan.line
    return begin if place == start else line_start(text, start)


def end_of_line(text: str, at: int, context: ReadContext) -> int:
    """Return what `line_end` does; a line with many tags is scanned once."""
    searches = context.scan.searches
    known = searches.known(line_end, at)
    return known if known is not None else searches.keep(line_end, at, line_end(text, at))


#: The end of a line's lead, by its pattern, with the beginning of the line.
_LEADS: Final[FactFor[str, tuple[int, int]]] = FactFor()


def lead_end(lead: re.Pattern[str], text: str, start: int, context: ReadContext) -> int:
    """Return the end of the lead on the line of `start`; each line is scanned once."""
    begin = line_of(text, start, context)
    known = _LEADS.get(context.scan, lead.pattern)
    if known is None or known[0] != begin:
        known = _LEADS.keep(context.scan, lead.pattern, (begin, match_end(lead, text, begin)))
    return known[1]


def tag_reach(text: str, tag: XmlTag, context: ReadContext) -> int:
    """Return how far the text had to be scanned to read `tag`: a malformed one continues until something else
    begins."""
    if not tag.broken:
        return tag.end
    following = text.find("<", tag.end)
    return len(text) if following < 0 else max(following + 1, end_of_line(text, tag.end, context) + 1)


def closer_pattern(name: str) -> re.Pattern[str]:
    """Return the pattern of the closing tag of `name`."""
    written = f"{HOLE}++".join(map(re.escape, _HOLES.split(name)))
    return re.compile(rf"</\s*+{written}\s*+>")


def has_closer(text: str, at: int, name: str, context: ReadContext) -> bool:
    """Return whether a closing tag of `name` is after `at`; a missing one is searched only once."""
    return next_closer(text, at, name, context) >= 0


def next_closer(text: str, at: int, name: str, context: ReadContext) -> int:
    """Return where the next closing tag of `name` at or after `at` begins, -1 if there is none."""
    places = _closers_in(context.scan, text).get(_closed(name), ())
    index = bisect_left(places, at)
    found = places[index] if index < len(places) else -1
    if found < 0:
        context.seek(len(text))
    else:
        context.look(found + len(name) + 3)
    return found


@derived
def _closers_in(_scan: ScanState, text: str) -> dict[str, list[int]]:
    """Return where the closing tags of each name begin: all at once, since there may be as many names as tags, and each
    would search the text to its end."""
    closers: dict[str, list[int]] = {}
    for match in _ANY_CLOSER.finditer(text):
        closers.setdefault(_closed(match[1]), []).append(match.start())
    return closers


def _closed(name: str) -> str:
    """Return the key of a name among closing tags: a template's expression is one character."""
    return _HOLES.sub(HOLE, name) if HOLE in name else name


def next_literal(text: str, at: int, literal: str, context: ReadContext, before: int | None = None) -> int:
    """Return where `literal` is next at or after `at`, -1 if it is not; the search is cached.

    With `before`, only before that place: the reading does not depend on the text after it.
    """
    found = context.scan.searches.find(text, literal, at)
    limit = len(text) if before is None else min(before + len(literal), len(text))
    if before is not None and found >= before:
        found = -1
    if found < 0 and limit == len(text):
        context.seek(limit)
    else:
        context.look(limit if found < 0 else found + len(literal))
    return found


def closes_later(text: str, at: int, opener: str, closer: str, context: ReadContext, call: str = "") -> bool:
    """Return whether a section of calls that should be closed at `at` is closed further on.

    Then something in it is not read as a call, and where it ends cannot be known. Another section begins with `opener`
    and `call`.
    """
    if not text.startswith(opener[0], at):
        return False
    opens = text.startswith(opener, at)
    if opens:
        begin = skip_space(text, at + len(opener))
        context.look(begin + len(call))
        if text.startswith(call, begin):
            return False
    end = next_literal(text, at, closer, context, at + _MAX_UNREAD)
    return end >= 0 and next_literal(text, at + opens, opener, context, end) < 0


def next_match(
    text: str,
    at: int,
    pattern: re.Pattern[str],
    context: ReadContext,
    before: int | None = None,
    *,
    marker: str = "",
) -> re.Match[str] | None:
    """Return the next match of `pattern` that begins at or after `at`, and before `before` if that is given; the search
    is cached.

    The pattern must not depend on where the search begins. For a pattern of lines with a `marker` after their lead, the
    marker is searched.
    """
    searches, key = context.scan.searches, (re.Pattern, pattern.pattern)
    found = searches.known(key, at)
    match = None
    if found is None:
        match = next_line(text, at, len(text), pattern, marker) if marker else pattern.search(text, at)
        found = searches.keep(key, at, len(text) if match is None else match.start())
    elif found < len(text):
        match = pattern.match(text, found)
    if before is not None and found >= before:
        match = None
    context.look(match.end() + 1 if match is not None else len(text) if before is None else before + 1)
    return match


def line_ends(text: str, at: int) -> bool:
    """Return whether only space and quotes are between an offset and the end of its line."""
    while at < len(text) and text[at] in " \t\"'":
        at += 1
    return at >= len(text) or text[at] in "\r\n"
