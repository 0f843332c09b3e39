"""Scanning a text that holds calls: each line, tag and marker is sought once, however often it is asked for.

Owns: lines and their leads, closers, literals and patterns, what of them is remembered in the memo. Must not know:
what is a call, dialect modules, documents.
"""

import re
from bisect import bisect_left
from typing import Final

from callwright.calls.protocol import ReadContext
from callwright.calls.scan_state import ScanState
from callwright.syntax.prose import line_end, line_start, next_line
from callwright.syntax.xml import XmlTag
from callwright.text.facts import FactFor, derived
from callwright.text.holes import HOLE
from callwright.text.span import Span

_SPACE = re.compile(r"\s*+")
#: What may lead a line inside of a quotation.
QUOTED: Final = re.compile(r"[ \t>]*+")
#: What may lead a line inside of a quotation or a list.
LISTED: Final = re.compile(r"(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t])*+")
#: Blank lines, in a quotation or not, and what leads the line below them.
LINES: Final = re.compile(r"(?:[ \t>]*+(?>\r\n|\n|\r))*+[ \t>]*+")
_ANY_CLOSER = re.compile(rf"</([A-Za-z_{HOLE}][\w.:\-{HOLE}]*+)")
#: A template's expression has a character for each of its own, and may be spaced otherwise in the closing tag.
_HOLES = re.compile(f"{HOLE}++")


def skip_space(text: str, at: int) -> int:
    """Return the offset of the first character at or behind `at` that is no white space."""
    match = _SPACE.match(text, at)
    return match.end() if match else at


def match_end(pattern: re.Pattern[str], text: str, at: int, limit: int | None = None) -> int:
    """Return where what `pattern` matches at an offset ends, the offset itself where it matches nothing."""
    match = pattern.match(text, at) if limit is None else pattern.match(text, at, limit)
    return match.end() if match is not None else at


def trimmed(text: str, start: int, end: int, space: str | None = None) -> Span:
    """Return the characters between two places, without the white space (or the `space`) around them."""
    kept = text[start:end].rstrip(space)
    return Span(start + len(kept) - len(kept.lstrip(space)), start + len(kept))


def line_of(text: str, start: int, context: ReadContext) -> int:
    """Return where the line that holds `start` begins; the driver says so, for lines can be long."""
    place, begin = context.scan.line
    return begin if place == start else line_start(text, start)


def end_of_line(text: str, at: int, context: ReadContext) -> int:
    """Return what `line_end` does; a line that holds many tags is gone through once."""
    searches = context.scan.searches
    known = searches.known(line_end, at)
    return known if known is not None else searches.keep(line_end, at, line_end(text, at))


#: How far what may lead a line reaches, by its pattern, with where the line begins.
_LEADS: Final[FactFor[str, tuple[int, int]]] = FactFor()


def lead_end(lead: re.Pattern[str], text: str, start: int, context: ReadContext) -> int:
    """Return how far what may lead a line reaches on the line of `start`; each line is asked once."""
    begin = line_of(text, start, context)
    known = _LEADS.get(context.scan, lead.pattern)
    if known is None or known[0] != begin:
        known = _LEADS.keep(context.scan, lead.pattern, (begin, match_end(lead, text, begin)))
    return known[1]


def tag_reach(text: str, tag: XmlTag, context: ReadContext) -> int:
    """Return how far the text had to be looked at to read `tag`: a broken one goes on until something else begins."""
    if not tag.broken:
        return tag.end
    following = text.find("<", tag.end)
    return len(text) if following < 0 else max(following + 1, end_of_line(text, tag.end, context) + 1)


def closer_pattern(name: str) -> re.Pattern[str]:
    """Return the pattern of the closing tag of `name`."""
    written = f"{HOLE}++".join(map(re.escape, _HOLES.split(name)))
    return re.compile(rf"</\s*+{written}\s*+>")


def has_closer(text: str, at: int, name: str, context: ReadContext) -> bool:
    """Return whether a closing tag of `name` stands behind `at`; what is not there is never sought twice."""
    return next_closer(text, at, name, context) >= 0


def next_closer(text: str, at: int, name: str, context: ReadContext) -> int:
    """Return where the next closing tag of `name` at or behind `at` begins, -1 where none does."""
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
    """Return a name as closing tags are known by it: a template's expression is one character."""
    return _HOLES.sub(HOLE, name) if HOLE in name else name


def next_literal(text: str, at: int, literal: str, context: ReadContext, before: int | None = None) -> int:
    """Return where `literal` stands next at or behind `at`, -1 where nowhere; what was sought is remembered.

    With `before`, nowhere in front of that place: what stands behind it is nothing that the reading depends on.
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


def next_match(
    text: str,
    at: int,
    pattern: re.Pattern[str],
    context: ReadContext,
    before: int | None = None,
    *,
    marker: str = "",
) -> re.Match[str] | None:
    """Return the next match of `pattern` that begins at or behind `at`, and in front of `before` where that is given;
    what was sought is remembered.

    The pattern must not depend on where the search begins. Where it is one of lines that hold a `marker` behind their
    lead, that is sought.
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
    """Return whether nothing but space and quotes stands between an offset and the end of its line."""
    while at < len(text) and text[at] in " \t\"'":
        at += 1
    return at >= len(text) or text[at] in "\r\n"
