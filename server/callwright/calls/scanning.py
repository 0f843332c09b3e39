"""Scanning a text that holds calls: each line, tag and marker is sought once, however often it is asked for.

Owns: lines and their leads, closers, literals and patterns, what of them is remembered in the memo. Must not know:
what is a call, dialect modules, documents.
"""

import re
from bisect import bisect_left
from typing import Final

from callwright.calls.protocol import ReadContext
from callwright.syntax.prose import line_end, line_start, next_line
from callwright.syntax.xml import XmlTag
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
    if context.memo.get("line of") == start:
        return context.memo["line"]
    return line_start(text, start)


def end_of_line(text: str, at: int, context: ReadContext) -> int:
    """Return what `line_end` does; a line that holds many tags is gone through once."""
    memo = context.memo
    if not memo.get("line end from", 1) <= at <= memo.get("line end", 0):
        memo["line end from"], memo["line end"] = at, line_end(text, at)
    return memo["line end"]


def lead_end(lead: re.Pattern[str], text: str, start: int, context: ReadContext) -> int:
    """Return how far what may lead a line reaches on the line of `start`; each line is asked once."""
    begin, memo, name = line_of(text, start, context), context.memo, lead.pattern
    if memo.get(name + " of") != begin:
        match = lead.match(text, begin)
        memo[name + " of"], memo[name] = begin, begin if match is None else match.end()
    return memo[name]


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
    closers = context.closers
    if not closers:
        # All of them at once: there may be as many names as tags, and each would search the text to its end.
        closers[""] = []
        for match in _ANY_CLOSER.finditer(text):
            closers.setdefault(_closed(match[1]), []).append(match.start())
    places = closers.get(_closed(name), ())
    index = bisect_left(places, at)
    found = places[index] if index < len(places) else -1
    if found < 0:
        context.seek(len(text))
    else:
        context.look(found + len(name) + 3)
    return found


def _closed(name: str) -> str:
    """Return a name as closing tags are known by it: a template's expression is one character."""
    return _HOLES.sub(HOLE, name) if HOLE in name else name


def next_literal(text: str, at: int, literal: str, context: ReadContext, before: int | None = None) -> int:
    """Return where `literal` stands next at or behind `at`, -1 where nowhere; what was sought is remembered.

    With `before`, nowhere in front of that place: what stands behind it is nothing that the reading depends on.
    """
    # No other literal and nothing else that is remembered has these names.
    from_there, there = f"literal from {literal}", f"literal at {literal}"
    since, found = context.memo.get(from_there, -1), context.memo.get(there, -1)
    if since < 0 or at < since or (0 <= found < at):
        found = text.find(literal, at)
        context.memo[from_there], context.memo[there] = at, found
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
    since = f"since {pattern.pattern}"
    known, found = context.memo.get(since, -1), context.memo.get(pattern.pattern, -1)
    match = None
    if known < 0 or at < known or found < at:
        match = next_line(text, at, len(text), pattern, marker) if marker else pattern.search(text, at)
        found = len(text) if match is None else match.start()
        context.memo[since], context.memo[pattern.pattern] = at, found
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
