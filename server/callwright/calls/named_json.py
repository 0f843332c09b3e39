"""Calls whose tool's name is in a marker of its own, with the arguments as one JSON text after it.

Owns: what such dialects share: the grammar that a dialect states, the reading of the JSON between its markers, the
section around several calls, and the guard that keeps markers out of rendered JSON. Must not know: dialect modules.

A call is recognised by its header alone, from its opening marker to the marker after the name; what follows is read
tolerantly and never changes which call it is. The JSON ends where it is complete: a closing marker inside one of its
strings does not end it. Broken JSON ends at the next marker outside its strings, or with its paragraph where no marker
follows.
"""

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Final

from callwright.calls.envelopes import scan_json
from callwright.calls.json_places import own_problems
from callwright.calls.marker_problems import differ, half_marker, unclosed, unmatched
from callwright.calls.model import JsonValue, ToolCall
from callwright.calls.protocol import ReadContext, Reading
from callwright.calls.scanning import closes_later, end_of_line, skip_space
from callwright.calls.sketch import is_placeholder_name
from callwright.syntax.json import JsonRead, read_json
from callwright.syntax.problem import Problem
from callwright.syntax.prose import fence_closer, line_start
from callwright.text.holes import HOLE
from callwright.text.records import dataclass, field
from callwright.text.span import Span, insert

FAMILY: Final = "named-json"
#: The maximum length of a marker and of an opening of a marker.
MAX_LENGTH: Final = 40
#: How many closing markers inside strings are reported per call.
_MAX_AMBIGUOUS: Final = 5
#: How far before a call on its line the opener of a section is searched for.
_MAX_BEFORE: Final = 2_000
_FENCE: Final = "```"
_BLANK_LINE: Final = re.compile(r"(?>\r\n|\n|\r)[ \t]*+[\r\n]")


@dataclass(frozen=True, slots=True)
class Grammar:
    """The markers of one dialect, as plain data, which streaming and guarding use, too.

    `header` matches at an opener and continues to where the JSON begins; its group `name` is the tool's name. `closers`
    are the markers that end a call, the proper one first; it is empty where the end of the JSON ends the call. `every`
    matches each marker: what no JSON goes beyond, outside its strings; `closing` those up to which all text belongs to
    the call. `markers` are all of them as they are written.
    """

    header: re.Pattern[str]
    closers: Sequence[str]
    every: re.Pattern[str]
    markers: tuple[str, ...]
    closing: re.Pattern[str] | None = None


@dataclass(slots=True)
class Body:
    """The JSON of a call: `value` is None if there is no JSON, `end` is after its text, `at` is the first visible
    character after that. `cut` says that the text breaks off in the middle of the JSON, `sound` that it has no
    problems."""

    value: JsonValue | None
    read: JsonRead | None
    problems: list[Problem]
    end: int
    at: int
    cut: bool = False
    sound: bool = True


@dataclass(slots=True)
class Header:
    """What is between a call's opening marker and its JSON.

    `tool` is None if no name is written, and may be a part of the name if the text ends before the JSON. `skipped` is
    the problem for which every parser skips the call, None where it is read. `awaited` is the marker before which the
    text ends, empty where the header is whole.
    """

    tool: str | None
    tool_span: Span
    body: int
    call_id: str | None = None
    counted: bool = False
    name_key: str = ""
    problems: list[Problem] = field(default_factory=list)
    skipped: Problem | None = None
    awaited: str = ""
    fence: Span | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """A dialect with a section of marked calls: what opens and closes the section and each call in it.

    `outside` names the parsers that ignore calls outside a section, and is empty if there are none. `bare` says that
    the first call of a section may lack its opening marker. `closer` is all that belongs after a call's JSON, where
    that is more than the counterpart of the call's opening marker.
    """

    grammar: Grammar
    opening: re.Pattern[str]
    call: re.Pattern[str]
    call_end: re.Pattern[str]
    closing: re.Pattern[str]
    header: Callable[[str, int, ReadContext], Header | None]
    outside: str = ""
    bare: bool = False
    closer: str = ""


def look_for(text: str, at: int, markers: tuple[str, ...], context: ReadContext) -> None:
    """Note how far the text has to be scanned to know which of `markers` is at `at`, if any."""
    beginnings = _beginnings(markers)
    # A binary search finds how much of a marker is there: many markers may have the same beginning.
    window = text[at : at + MAX_LENGTH]
    low, high = 0, len(window)
    while low < high:
        middle = (low + high + 1) // 2
        if window[:middle] in beginnings:
            low = middle
        else:
            high = middle - 1
    context.look(at + low + (window[:low] not in markers))


@cache
def _beginnings(markers: tuple[str, ...]) -> frozenset[str]:
    return frozenset(marker[:length] for marker in markers for length in range(1, len(marker) + 1))


def next_marker(text: str, at: int, pattern: re.Pattern[str], context: ReadContext) -> int:
    """Return where `pattern` matches next at or after `at`, -1 if it does not; the search is cached."""
    found = context.scan.searches.search(text, pattern, at)
    context.look(len(text) if found < 0 else found + MAX_LENGTH)
    return found


def body_limit(text: str, at: int, context: ReadContext) -> int:
    """Return where the text ends for a body that begins at `at`: at its fence's last line, or at the end of all."""
    if context.fence is None:
        return len(text)
    found = next_marker(text, at, fence_closer(context.fence.char, context.fence.length), context)
    if found < 0:
        return len(text)
    context.look(end_of_line(text, found, context) + 1)
    return found


def read_body(text: str, at: int, limit: int, grammar: Grammar, context: ReadContext, *, fenced: bool = False) -> Body:
    """Read the JSON that begins at `at`; it ends at its own end, at a marker, or at `limit`.

    `fenced` says that it is in a fence of its own, whose backticks end it as well.
    """
    stop, closing = _with_fence(grammar.every) if fenced else grammar.every, grammar.closing
    visible = min(skip_space(text, at), limit)
    look_for(text, visible, grammar.markers, context)
    if visible >= limit or stop.match(text, visible, limit) is not None:
        return Body(None, None, [], at, visible)
    read = read_alone(text, visible, limit, stop, context)
    after = min(skip_space(text, read.end), limit)
    if after < limit and stop.match(text, after, limit) is None and closing is not None:
        # What is between the JSON and a closing marker belongs to the call, however wrong it is.
        found = next_marker(text, at if read.problems else read.end, stop, context)
        if 0 <= found < limit and closing.match(text, found, limit) is not None:
            read = read_json(text, at, limit, stop=stop, budget=context.budget)
            context.look(read.reach)
            after = min(skip_space(text, read.end), limit)
    look_for(text, after, grammar.markers, context)
    problems = own_problems(read)
    cut = any(problem.kind == "missing-closers" and problem.data.get("truncated") for problem in problems)
    return Body(JsonValue(read), read, problems, read.end, after, cut, sound=not problems)


def read_alone(text: str, at: int, limit: int, stop: re.Pattern[str], context: ReadContext) -> JsonRead:
    """Read the JSON at `at`, which prose may follow: broken JSON ends with its paragraph."""
    scan = scan_json(text, at, context)
    sound = scan.read is not None and scan.end <= limit
    if scan.read is not None and sound:
        after = skip_space(text, scan.end)
        if after >= limit or text[after] not in "}]":
            context.look(after + 1)
            return scan.read
    # The search is cached: there may be as many broken texts as markers.
    blank = -1 if sound else next_marker(text, at, _BLANK_LINE, context)
    paragraph = blank if 0 <= blank < limit else limit
    read = read_json(text, at, paragraph, stop=stop, open_ended=sound, budget=context.budget)
    context.look(read.reach)
    return read


def ambiguous(text: str, body: Body, closing: re.Pattern[str] | None, used: Span) -> list[Problem]:
    """Return the problems of closing markers that are inside the JSON's strings, where other parsers stop."""
    if closing is None or body.read is None:
        return []
    found: list[Problem] = []
    for match in closing.finditer(text, body.read.span.start, body.read.span.end):
        if len(found) == _MAX_AMBIGUOUS:
            break
        data = {"name": match[0], "marker": match[0], "used": used}
        found.append(Problem("ambiguous-closer", Span(match.start(), match.end()), data, certain=True))
    return found


def named_call(dialect: str, header: Header, span: Span, body: Body, body_span: Span, *, complete: bool) -> ToolCall:
    """Return the call that a header and its JSON make."""
    tool = header.tool
    return ToolCall(
        dialect=dialect,
        span=span,
        tool=tool,
        tool_span=header.tool_span,
        arguments=body.value,
        body=body_span,
        name_spans=(header.tool_span,) if tool is not None else (),
        problems=[*header.problems, *body.problems],
        call_id=header.call_id,
        sketch=tool is not None and is_placeholder_name(tool),
        complete=complete,
        details={"family": FAMILY, "name_key": header.name_key or None, "counted": header.counted},
    )


def name_with_holes(name: str) -> str:
    """Return the name of a call: a name with a template's expression becomes that expression alone."""
    return HOLE if HOLE in name and not name.strip(HOLE) else name


# -- sections ----------------------------------------------------------------------------------------------------------

#: Text without meaning that may be between a section's opening marker and its first call.
_NOISE: Final = re.compile(r"[^<`]{1,200}+")
_HALF_FENCE: Final = re.compile(r"`{1,2}\Z")


@dataclass(slots=True)
class _One:
    """One call of a section: the call, None if parsers skip it or the text ends in its header.

    `closer` is the marker that belongs after it; `body_end` is where it is missing, None if it is there or truncated;
    `lead` has to be written before it. `last` says that the text ends in it.
    """

    call: ToolCall | None
    opened: Span
    end: int
    closer: str = ""
    body_end: int | None = None
    lead: str = ""
    problems: list[Problem] = field(default_factory=list)
    last: bool = False


def read_section(text: str, start: int, context: ReadContext, dialect: str, section: Section) -> Reading | None:
    """Read the section that opens at `start`, or the calls that are there without one; None if there is no call."""
    opening = section.opening.match(text, start)
    problems: list[Problem] = []
    at = start if opening is None else _first_call(text, opening.end(), context, section, problems)
    found: list[_One] = []
    while not found or not found[-1].last:
        context.budget.check()
        at = skip_space(text, at)
        look_for(text, at, section.grammar.markers, context)
        one = _read_one(text, at, context, dialect, section, opening, first=not found)
        if one is None:
            break
        found.append(one)
        at = one.end
    if not found:
        return None
    last = found[-1]
    at = skip_space(text, last.end)
    look_for(text, at, section.grammar.markers, context)
    over = at >= body_limit(text, at, context)
    closing = section.closing.match(text, at)
    end = closing.end() if closing is not None else last.end
    if opening is None and not section.outside:
        return Reading([], end, end, [_outside(text, start, end, found, closed=closing is not None)])
    awaited = closer_of(opening[0]) if opening is not None and closing is None else ""
    half = half_marker(text, at, awaited) if not last.last else None
    if half is not None:
        problems.append(half)
        end, awaited = half.span.end, ""
    if closing is not None and opening is None:
        problems.append(unmatched(Span(*closing.span()), closing[0]))
    later = opening is not None and awaited != "" and closes_later(text, at, opening[0], awaited, context)
    for one in found:
        if one.call is None or one.body_end is None:
            continue
        cut = over and one is last
        # At the end of the text, one diagnostic names all missing markers.
        whole = one.closer + (awaited if cut else "")
        certain = all(problem.certain for problem in one.call.problems) and not (later and one is last)
        repair = (insert(one.body_end, one.lead + whole),)
        one.call.problems.append(unclosed(one.opened, whole, one.body_end, repair, cut=cut, certain=certain))
    if opening is not None and awaited and not (over and (last.body_end is not None or last.last)):
        place = Span(opening.start(), opening.end())
        certain = all(one.body_end is None for one in found) and not later
        problems.append(unclosed(place, awaited, last.end, cut=over, certain=certain))
    problems += [problem for one in found for problem in one.problems]
    calls = [one.call for one in found if one.call is not None]
    if opening is not None:
        for call in calls:
            call.frame = Span(start, end)
    elif calls:
        calls[0].problems.append(
            differ(found[0].opened, "This call is read although it is not inside a section", section.outside)
        )
    return Reading(calls, end, end, problems)


def _is_listed(name: str) -> bool:
    """Return whether only punctuation is in the place of a name: prose lists markers, one after another."""
    return bool(name) and HOLE not in name and not any(char.isalnum() or char == "_" for char in name)


def _outside(text: str, start: int, end: int, found: Sequence[_One], *, closed: bool) -> Problem:
    """Return the problem of calls outside a section, where parsers ignore them."""
    first = found[0].opened
    opener = first.of(text).replace("call", "calls")
    data = {"reason": "it is not inside a section", "remedy": f"Write `{opener}` before it"}
    edits = (insert(start, opener),) if closed else (insert(start, opener), insert(end, closer_of(opener)))
    # Other problems are reported once the section is there. One that is open on the line has a call that is not read.
    before = text[max(line_start(text, start), start - _MAX_BEFORE) : start]
    sound = before.rfind(opener) <= before.rfind(closer_of(opener)) and all(
        one.call is not None and one.body_end is None and not one.call.problems for one in found
    )
    return Problem("skipped-call", first, data, edits if sound else (), certain=sound)


def closer_of(opener: str) -> str:
    """Return the marker that closes what `opener` opens, in the same spelling."""
    if "begin" in opener:
        return opener.replace("begin", "end")
    return opener.replace("calls", "calls▁end")


def _first_call(text: str, at: int, context: ReadContext, section: Section, problems: list[Problem]) -> int:
    """Return where the first call of a section may begin, after words that are before it."""
    visible = skip_space(text, at)
    look_for(text, visible, section.grammar.markers, context)
    noise = _NOISE.match(text, visible)
    if noise is None or section.bare:
        return visible
    look_for(text, noise.end(), section.grammar.markers, context)
    if section.call.match(text, noise.end()) is None:
        return visible
    problems.append(
        differ(
            Span(visible, visible + len(noise[0].rstrip())),
            "The text between the section's opening marker and its first call is ignored",
            "parsers that expect the call directly after the opening marker read the section as text",
        )
    )
    return noise.end()


def _read_one(
    text: str,
    at: int,
    context: ReadContext,
    dialect: str,
    section: Section,
    opening: re.Match[str] | None,
    *,
    first: bool,
) -> _One | None:
    """Read the call whose opening marker is at `at`; None if there is no header of a call.

    `opening` is the marker of the section that the call is in, `first` says that it is the first there.
    """
    begin = section.call.match(text, at)
    if begin is None and not (first and opening is not None and section.bare):
        return None
    opened = Span(at, begin.end() if begin is not None else at)
    header = section.header(text, opened.end, context)
    if header is None or (not context.strict and _is_listed(header.tool_span.of(text))):
        return None
    if header.awaited:
        if (opening is None or begin is None) and not header.tool:
            return None
        return _One(None, opened, header.body, problems=[cut_header(opened, header)], last=True)
    closer = section.closer or closer_of(
        begin[0] if begin is not None else opening[0].replace("calls", "call") if opening else ""
    )
    if begin is None:
        header.problems.append(
            differ(
                header.tool_span,
                "This call is read although it has no opening marker of its own",
                "parsers that look for the call's opening marker find no call here",
            )
        )
    fenced = header.fence is not None
    limit = len(text) if fenced else body_limit(text, header.body, context)
    body = read_body(text, header.body, limit, section.grammar, context, fenced=fenced)
    body_end, at = max(body.end, header.body), body.at
    if fenced and text.startswith(_FENCE, at):
        body_end = at + len(_FENCE)
        at = skip_space(text, body_end)
        look_for(text, at, section.grammar.markers, context)
        fenced = False
    lead = f"\n{_FENCE}" if fenced else ""
    if fenced and (half_fence := _HALF_FENCE.match(text, at)) is not None:
        body_end = at = len(text)
        lead = _FENCE[len(half_fence[0]) :]
    closing = section.call_end.match(text, at)
    if closing is not None and fenced and header.fence is not None:
        data = {"insert_at": body_end, "marker": _FENCE}
        body.problems.append(Problem("unclosed-fence", header.fence, data, certain=True))
    end = closing.end() if closing is not None else body_end
    half = half_marker(text, at, closer, closer_of(opening[0]) if opening else "") if closing is None else None
    if half is not None:
        body.problems.append(half)
        body_end, end = at, half.span.end
    if header.skipped is not None:
        skipped = header.skipped
        if body.problems or closing is None:
            # Other problems are reported once the header is right.
            skipped = Problem(skipped.kind, skipped.span, skipped.data)
        return _One(None, opened, end, problems=[skipped], last=half is not None)
    whole, inner = Span(opened.start, end), Span(header.body, body_end)
    call = named_call(dialect, header, whole, body, inner, complete=closing is not None)
    if closing is not None:
        inner_closer = section.grammar.closing or section.call_end
        call.problems += ambiguous(text, body, inner_closer, Span(closing.start(), closing.end()))
    lost = body_end if closing is None and half is None else None
    if begin is None:
        opened = header.tool_span
    return _One(call, opened, end, closer, lost, lead, last=half is not None)


def cut_header(opened: Span, header: Header) -> Problem:
    """Return the problem of a call whose header the text's end cuts off."""
    return unclosed(opened, header.awaited, header.body, (), cut=True, certain=False)


@cache
def _with_fence(every: re.Pattern[str]) -> re.Pattern[str]:
    """Return the pattern of what ends JSON that is in a fence of its own."""
    return re.compile(f"{_FENCE}|{every.pattern}")
