"""The cursor in calls of any dialect: which name, key or value is written at a place, and what is missing around it.

Owns: `call_place`, and where calls begin around a place. Must not know: any single dialect, documents, protocols.

A probe is put at the cursor, with nothing after it or with what the dialect writes after a name, a key, a value. The
dialect's own reader then finds where the probe is in the call. So half-typed text needs no reader of its own, and each
attempt reads no more than one call.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

from callwright.calls.json_objects import begins_like_call
from callwright.calls.protocol import ReadContext
from callwright.cursor.cursor_forms import form_of
from callwright.cursor.cursor_json import json_over
from callwright.cursor.cursor_marked import MarkedAttempt
from callwright.cursor.cursor_object import ObjectAttempt
from callwright.cursor.cursor_probe import NEAR, READINGS, ProbeTools
from callwright.dialects.catalogue import dialect_openers, find_dialect
from callwright.syntax.prose import line_start
from callwright.text.line_ends import LINE_START

if TYPE_CHECKING:
    from callwright.cursor.cursor_places import CursorPlace
    from callwright.tools.registry import ToolRegistry

#: The dialects whose places are found by walking through their markup.
WALKED: Final = frozenset({"xml-children", "xml-json", "tool-call-json", "tool-call-xml"})
#: How far after its beginning the opener of a call is sought that was read.
_HEAD: Final = 200
#: The opening tag of a call up to the cursor.
_IN_TAG: Final = re.compile(r"""<([^\W\d][\w.:\-]*+)\s(?:[^<>"']++|"[^"<]*+(?:"|\Z)|'[^'<]*+(?:'|\Z))*+""")
_LINE_BRACKET: Final = re.compile(r"[\r\n][ \t>]*+[\[{]")
_FIRST_BRACKET: Final = re.compile(r"[ \t>]*+[\[{]")
#: How many openers before the cursor are tried.
_OPENERS: Final = 4
#: How many dialects are asked whether a call continues.
_HOLDERS_ASKED: Final = 3


def call_place(
    text: str,
    offset: int,
    tools: ToolRegistry,
    *,
    stated: str | None = None,
    near: str | None = None,
    known: int | None = None,
) -> CursorPlace | None:
    """Return what is at `offset` of a text, if it is in a call of a dialect that `markup_place` does not know.

    `stated` is the dialect that calls should be written in, `near` that of a call nearby: where a text may begin calls
    of several, they are asked first. `known` is the start of the call that the reader found around the place; one that
    it gave up is searched nearby. None where no such call is open there. Time is bounded whatever the text's length.
    """
    readings = [0]
    wanted = (stated, near)
    in_tag = _in_tag(text, offset, tools, wanted, readings)
    if in_tag is not None:
        return in_tag
    fence = _fence_before(text, offset)
    found = [
        (start, opener)
        for start, opener in _openers_before(text, max(0, offset - NEAR), offset)
        # JSON that begins before the line of a fence is over there.
        if start > fence or opener[0] not in "{["
    ]
    for start in {known, fence}:
        if start is not None and 0 <= start < offset - NEAR:
            found += _openers_before(text, start, min(start + _HEAD, offset))[-1:]
    outer = open_bracket(text, max(fence, offset - NEAR, 0), offset)
    if outer is not None and outer not in found and any(outer[0] < start and len(one) == 1 for start, one in found):
        found = sorted([*found, outer], reverse=True)
    best: CursorPlace | None = None
    for start, opener in _outermost(text, found, offset, tools, wanted, readings):
        place, is_over = _place_from(text, start, opener, offset, tools, wanted, readings)
        if is_over:
            break
        if place is not None and (best is None or place.faults < best.faults):
            best = place
        if (best is not None and not best.faults) or readings[0] > READINGS:
            break
    return best


@cache
def _bare() -> frozenset[str]:
    """Return the dialects whose calls begin with a tag of any name, and have their arguments in it."""
    owners: dict[str, set[str]] = {}
    for opener, name in dialect_openers():
        owners.setdefault(name, set()).add(opener)
    return frozenset(name for name, openers in owners.items() if openers == {"<"} and name not in WALKED)


def _in_tag(
    text: str,
    offset: int,
    tools: ToolRegistry,
    wanted: tuple[str | None, str | None],
    readings: list[int],
) -> CursorPlace | None:
    """Return what is at a cursor in the opening tag of a tool's call, where it is written with attributes."""
    start = text.rfind("<", max(0, offset - NEAR), offset)
    tag = _IN_TAG.fullmatch(text, start, offset) if start >= 0 else None
    if tag is None or not tools.has(tag[1]):
        return None
    name = next((each for each in (tools.dialect(tag[1]), *wanted) if each is not None), next(iter(_bare()), None))
    form = form_of(name) if name in _bare() else None
    return None if form is None else MarkedAttempt(text, start, "<", offset, form, tools, readings).place()


@cache
def _openers() -> tuple[re.Pattern[str], re.Pattern[str], dict[str, tuple[str, ...]]]:
    """Return the pattern of what begins a call, or ends the line before it, the same for where a text begins, and the
    dialects of each opener."""
    found: dict[str, dict[str, None]] = {}
    for opener, name in sorted(dialect_openers(), key=lambda pair: pair[1]):
        if name not in WALKED and name not in _bare():
            found.setdefault(opener, {})[name] = None
    words = sorted((opener for opener in found if len(opener) > 1), key=len, reverse=True)
    begins = "|".join(map(re.escape, words))
    line = rf"[ \t>]*+[{''.join(re.escape(opener) for opener in found if len(opener) == 1)}]"
    # Each alternative begins with one character, so that the search stops at no other.
    pattern = re.compile("|".join([begins, *(rf"{end}(?!{begins}){line}" for end in (r"\n", r"\r"))]))
    first = re.compile(rf"{begins}|{LINE_START}{line}", re.MULTILINE)
    return pattern, first, {opener: tuple(names) for opener, names in found.items()}


def _openers_before(text: str, begin: int, offset: int) -> list[tuple[int, str]]:
    """Return what may begin a call before the cursor, the nearest first."""
    pattern, first, _ = _openers()
    at_once = first.match(text, begin, offset)
    later = [*pattern.finditer(text, at_once.end() if at_once is not None else begin, offset)]
    matches = [at_once, *later] if at_once is not None else later
    found: list[tuple[int, str]] = []
    counts = [0, 0]
    for match in reversed(matches):
        opener = match[0].lstrip("\r\n")
        # A bracket is found with what is before it on its line.
        bracket = opener.strip(" \t>")
        is_bracket = len(bracket) == 1
        # The arguments of a call may begin lines with as many brackets as they like: they hide no marker.
        counts[is_bracket] += 1
        if counts[is_bracket] <= _OPENERS:
            opener = bracket if is_bracket else opener
            found.append((match.end() - len(opener), opener))
        elif min(counts) >= _OPENERS:
            break
    return found


def _fence_before(text: str, offset: int) -> int:
    """Return where the last line before the cursor begins that opens or ends a fence, -1 without one."""
    at = max(text.rfind(f"{end}{marker}", 0, offset) for end in "\r\n" for marker in ("```", "~~~"))
    return at + 1 if at >= 0 or text.startswith(("```", "~~~")) else -1


def open_bracket(text: str, begin: int, offset: int) -> tuple[int, str] | None:
    """Return the first bracket that begins a line before the cursor and is not closed there; None without one."""
    over = begin
    first = _FIRST_BRACKET.match(text, 0, offset) if begin == 0 else None
    for match in (*([first] if first is not None else []), *_LINE_BRACKET.finditer(text, begin, offset)):
        start = match.end() - 1
        if start >= over:
            end = json_over(text[start:offset], 0)
            if end is None:
                return start, text[start]
            over = start + end
    return None


def _outermost(
    text: str,
    found: list[tuple[int, str]],
    offset: int,
    tools: ToolRegistry,
    wanted: tuple[str | None, str | None],
    readings: list[int],
) -> Iterator[tuple[int, str]]:
    """Yield the openers that are found, those first that begin what another is in."""
    yielded: set[int] = set()
    for index, inner in enumerate(found):
        holders = [
            outer for outer in found[index + 1 :] if _holds(text, outer, inner[0], offset, tools, wanted, readings)
        ]
        for each in (*reversed(holders), inner):
            if each[0] not in yielded:
                yielded.add(each[0])
                yield each


def _holds(
    text: str,
    outer: tuple[int, str],
    inner: int,
    offset: int,
    tools: ToolRegistry,
    wanted: tuple[str | None, str | None],
    readings: list[int],
) -> bool:
    """Return whether what begins with an opener reaches beyond another."""
    start, opener = outer
    if opener in ("{", "["):
        return json_over(text[start:inner], 0) is None
    if len(opener) > 1 and not text[start + len(opener) : inner].strip():
        return True
    for name in _dialects_at(text, start, opener, wanted)[0][:_HOLDERS_ASKED] if len(opener) > 1 else ():
        dialect = find_dialect(name)
        if dialect is None:
            continue
        readings[0] += 1
        begin = line_start(text, start)
        reading = dialect.read(text[begin:offset], start - begin, ReadContext(ProbeTools(tools), preferred=name))
        if reading is not None and reading.end + begin > inner:
            return True
    return False


@cache
def _longest_opener() -> int:
    return max(map(len, _openers()[2]))


@lru_cache(maxsize=1024)
def _owners_at(text: str) -> tuple[str, ...]:
    """Return the dialects whose opener a text begins with."""
    owners = _openers()[2].items()
    return tuple(dict.fromkeys(name for opener, names in owners if text.startswith(opener) for name in names))


def _dialects_at(text: str, start: int, opener: str, wanted: tuple[str | None, str | None]) -> tuple[list[str], bool]:
    """Return the dialects whose opener is at a place, wanted ones first, and whether one is wanted."""
    owners = _openers()[2]
    names = _owners_at(text[start : start + _longest_opener()])
    for name in filter(None, wanted):
        if name in WALKED and name != "xml-children":
            dialect = find_dialect(name)
            if dialect is not None and any(text.startswith(one, start) for one in dialect.openers if len(one) > 1):
                return [], False
    first = [name for name in wanted if name is not None and name in names]
    exact = list(owners.get(opener, ()))
    return list(dict.fromkeys([*first, *exact, *names])), bool(first)


def _place_from(
    text: str,
    start: int,
    opener: str,
    offset: int,
    tools: ToolRegistry,
    wanted: tuple[str | None, str | None],
    readings: list[int],
) -> tuple[CursorPlace | None, bool]:
    """Return what is at a cursor in the call that begins at `start`, and whether that call was over before it."""
    names, is_wanted = _dialects_at(text, start, opener, wanted)
    if len(opener) == 1 and not is_wanted:
        # A bracket alone can begin anything, except the object that a fence would contain, by its first key.
        marked = begins_like_call(text, start)
        names = [name for name in names if text.startswith(_long_openers(name), start) or (marked and _is_fenced(name))]
    best: CursorPlace | None = None
    for name in names:
        form = form_of(name)
        if form is None:
            continue
        kind = ObjectAttempt if form.is_json else MarkedAttempt
        attempt = kind(text, start, opener, offset, form, tools, readings)
        place = attempt.place()
        if place is None:
            if attempt.is_over:
                return None, True
            continue
        if not (is_wanted or len(names) == 1 or place.name or attempt.is_certain):
            continue
        if not place.faults:
            return place, False
        if best is None or place.faults < best.faults:
            best = place
    return best, False


@cache
def _is_fenced(name: str) -> bool:
    dialect, form = find_dialect(name), form_of(name)
    return dialect is not None and dialect.placement == "fence" and form is not None and form.name_key is not None


@cache
def _long_openers(name: str) -> tuple[str, ...]:
    dialect = find_dialect(name)
    return tuple(one for one in dialect.openers if len(one) > 1) if dialect is not None else ()
