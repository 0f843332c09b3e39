"""Calls as JSON objects with a name and arguments between markers: one engine, and envelopes as data.

Owns: `Envelope` and `Form` (the data of one dialect), reading such calls, and writing them. Must not know: dialect
modules, the registry's class.

A marker that is a tag (`<tool_call>`) and one that is not (`<|python_tag|>`) are treated alike. A closing marker counts
only outside of JSON strings: where engines search for the first one, a diagnostic says so.
"""

import json
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Final

from callwright.calls.fences import next_fence
from callwright.calls.json_calls import Form, calls_of, is_cut
from callwright.calls.marker_problems import differ, mismatched, mismatched_tag, unclosed, unclosed_tag
from callwright.calls.markers import call_tags
from callwright.calls.protocol import ReadContext, Reading, Refusal, Rendering, RenderStyle, collected
from callwright.calls.render import json_body
from callwright.calls.scanning import end_of_line, next_closer, next_literal, skip_space
from callwright.syntax.json import JsonRead, read_json
from callwright.syntax.json_fast import MAX_TOKEN_LENGTH, NotCleanError, scan_clean
from callwright.syntax.json_nodes import clean_node
from callwright.syntax.problem import Problem
from callwright.text.records import NamedTuple, dataclass
from callwright.text.span import Edit, Span, apply_edits, insert

#: Names of tags that are written instead of another closing tag, besides those of the dialects.
_KIN: Final = frozenset({"tool-call", "toolcall", "tool", "tool_use", "call", "function", "functions"})
_TAG = re.compile(r"<([A-Za-z_][\w.:\-]*+)>")
#: An opener that consists of words.
_WORDS = re.compile(r"[\w ]++")
_BREAK = re.compile(r"[\r\n]")
#: A JSON string, and its parts.
_STRING = re.compile(r'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_ESCAPE = r"\\(?:u[0-9a-fA-F]{4}|.)"
_CLOSING_TAG = re.compile(r"</\s*+([A-Za-z_][\w.:\-]*+)\s*+>")
_CLOSING_START = re.compile(r"</\s*+[\w.:\-]*+\s*+")
_NAMED = re.compile(r"""(?:\[\s*+)?\{\s*+["'“‘`]""")
_FENCE_LEAD = re.compile(r"`{3,}+\w*+[ \t]*+(?:\r\n|\n|\r)\s*+(?=[{\[])")
#: Where the text around a call continues: any closing tag, any special token of a chat template.
_BOUNDARY = r"</[A-Za-z_][\w.:\-]*+\s*+>|<\|[^\s|<>]{1,40}+\|>"
_DECODER = json.JSONDecoder()
_LOOSE = json.JSONDecoder(strict=False)
#: At most this many closing markers inside one call's strings are reported.
_MAX_CLOSERS: Final = 20


@dataclass(frozen=True, slots=True)
class Envelope:
    """One pair of markers: `opener`, what must follow it (`between`), JSON, and `closer`.

    `array` says whether calls are written as a list between the markers; both are read. `closer` is empty where the
    message itself ends the call; with `lenient` it may be missing without a diagnostic. Well-known engines end the JSON
    at the first `hasty` in it, where that is given. `apart` says that markers are written on lines of their own.

    Markers may begin with any character, but JSON must not contain the closer outside its strings.
    """

    opener: str
    closer: str = ""
    between: str = ""
    array: bool = False
    lenient: bool = False
    hasty: str = ""
    apart: bool = False

    def __post_init__(self) -> None:
        if self.closer and not self.closer.strip("{}[],: \t\r\n"):
            raise ValueError(f"`{self.closer}` cannot end a call, because JSON may contain it too")

    @property
    def tag(self) -> str | None:
        """The opener's name where it is a plain tag whose closing tag is the closer, else None."""
        match = _TAG.fullmatch(self.opener)
        return match[1] if match is not None and self.closer == f"</{match[1]}>" else None

    def unclosed(self, opening: Span, at: int, repair: Edit, *, cut: bool, certain: bool = True) -> Problem:
        """Return the problem of the closer that is missing at `at`; `cut` says that the text ends there."""
        if self.tag is not None:
            return unclosed_tag(opening, self.tag, at, (repair,), cut=cut, certain=certain)
        return unclosed(opening, self.closer, at, (repair,), cut=cut, certain=certain)


# -- between markers ---------------------------------------------------------------------------------------------------


def json_place(text: str, start: int, envelope: Envelope, context: ReadContext) -> int | None:
    """Return where the JSON of the envelope that opens at `start` begins; None where none is there."""
    at = skip_space(text, start + len(envelope.opener))
    context.look(at + max(len(envelope.between), 1))
    if envelope.between:
        if not text.startswith(envelope.between, at):
            return None
        at = skip_space(text, at + len(envelope.between))
        context.look(at + 1)
    char = text[at : at + 1]
    if char in ("[", "{") and _WORDS.fullmatch(envelope.opener) is not None:
        # An opener of words is weaker evidence than a marker: what follows has to resemble a call.
        named = _NAMED.match(text, at)
        context.look(skip_space(text, skip_space(text, at + 1) + 1) + 1 if named is None else named.end())
        return at if named is not None else None
    if char == "[":
        first = skip_space(text, at + 1)
        context.look(first + 1)
        return at if text[first : first + 1] in ("{", "]", ".", "…", '"') else None
    if char == "`":
        lead = _FENCE_LEAD.match(text, at)
        context.look(end_of_line(text, at, context) + 2 if lead is None else lead.end() + 1)
        return at if lead is not None else None
    return at if char == "{" else None


def read_enveloped(
    text: str, start: int, envelope: Envelope, form: Form, context: ReadContext, dialect: str
) -> Reading | None:
    """Read the call or calls between the markers of `envelope`, which opens at `start`; None if it contains no JSON."""
    begin = json_place(text, start, envelope, context)
    if begin is None:
        return None
    opening = Span(start, start + len(envelope.opener))
    limit, scan = _limit(text, opening.end, begin, envelope, context)
    reads, problems = _values(text, begin, limit, envelope, context, scan)
    tail = reads[-1].end
    end, closed, closing = _closing(text, opening, tail, limit, envelope, context)
    problems += closing
    if closed:
        problems += _closers_inside(text, reads, envelope, Span(skip_space(text, tail), end))
    if envelope.hasty:
        problems += _cut_short(text, reads[0], envelope)
    frame = Span(start, end)
    calls = calls_of(text, reads, form, dialect, frame, context, listed=len(reads) > 1)
    if calls:
        calls[0].problems += [problem for problem in problems if problem.span.start < tail]
        calls[-1].problems += [problem for problem in problems if problem.span.start >= tail]
        calls[-1].complete = closed or ((not envelope.closer or envelope.lenient) and not is_cut(reads))
    reach = max([end, *(read.reach for read in reads)])
    return Reading(calls, end, reach)


class Scan(NamedTuple):
    """The scan of a JSON value: its reading if it is well formed, else None; its end; and how far it is valid.

    Well-formed JSON may still have problems, such as a duplicate key.
    """

    read: JsonRead | None
    end: int


def _limit(text: str, after: int, begin: int, envelope: Envelope, context: ReadContext) -> tuple[int, Scan]:
    """Return where the JSON at `begin` must end, and the scan of it.

    Broken JSON ends before the next call, so many broken calls are read in linear time.
    """
    scan = scan_json(text, begin, context)
    if scan.read is not None:
        return len(text), scan
    limit = next_fence(text, begin, context)
    if scan.end >= limit:
        return limit, scan
    following = next_literal(text, after, envelope.opener, context, limit)
    return limit if following < 0 else following, scan


def scan_json(text: str, at: int, context: ReadContext) -> Scan:
    """Scan the JSON value that begins at `at`.

    At most two openers in broken text are scanned across one place: it is inside a string for one and outside for the
    other, and no opener can be outside of strings. So the time is linear.
    """
    if text[at : at + 1] not in ("{", "["):
        return Scan(None, at)
    try:
        value, end = scan_clean(text, at, len(text))
    except NotCleanError as error:
        formed = _formed_end(text, at, error.at)
        if formed is None:
            failed_at = len(text) if error.at is None else error.at
            context.look(min(failed_at + MAX_TOKEN_LENGTH, len(text)))
            return Scan(None, failed_at)
        context.look(formed)
        return Scan(read_json(text, at, formed, budget=context.budget), formed)
    context.look(end)
    return Scan(JsonRead(clean_node(text, Span(at, end), value), end, end, [], [], []), end)


def _formed_end(text: str, at: int, end: int | None) -> int | None:
    """Return where a value ends that the C parser accepts although it has problems; None if the C parser rejects it."""
    if end is not None and text[end - 1] not in "}]":
        return None
    try:
        # The parser's error counts lines in its input, which is the value alone if its end is known.
        if end is None:
            return int(_DECODER.raw_decode(text, at)[1])
        return end if _DECODER.raw_decode(text[at:end])[1] == end - at else None
    except (ValueError, RecursionError):
        return None


def _values(
    text: str, begin: int, limit: int, envelope: Envelope, context: ReadContext, scan: Scan
) -> tuple[list[JsonRead], list[Problem]]:
    """Read the JSON values between the markers: one, or several below each other."""
    reads: list[JsonRead] = []
    problems: list[Problem] = []
    at = begin
    while True:
        context.budget.check()
        if scan.read is None or _needs_repair(text, scan.end, limit, envelope, context):
            reads.append(_tolerant(text, at, limit, envelope, context, scan))
            if envelope.closer:
                return reads, problems
        else:
            reads.append(scan.read)
        after = reads[-1].end
        following = _next_value(text, after, limit, envelope, context)
        if following is None or not (envelope.closer or envelope.lenient):
            return reads, problems
        at = following
        scan = scan_json(text, at, context)
        # Without a closing marker, broken text belongs to the calls before it only after a semicolon.
        if scan.read is None and scan.end < limit and not envelope.closer and ";" not in text[after:at]:
            return reads, problems
        if not envelope.array and envelope.closer:
            # The markers are on lines of their own if the first one is.
            gap = "" if text[begin - 1 : begin] not in ("\n", "\r") else "\n"
            edit = Edit(Span(after, at), f"{gap}{envelope.closer}\n{envelope.opener}{envelope.between}{gap}")
            problems.append(unclosed(Span(at, at + 1), envelope.closer, after, (edit,), again=envelope.opener))


def _next_value(text: str, after: int, limit: int, envelope: Envelope, context: ReadContext) -> int | None:
    """Return where another object begins that is after a value: below it, or after a comma or semicolon."""
    at = skip_space(text, after)
    if envelope.closer.startswith(("{", ",", ";")) and _begins_marker(text, at, limit, envelope, context):
        return None
    if text[at : at + 1] in (",", ";"):
        at = skip_space(text, at + 1)
    context.look(at + 1)
    return at if at < limit and text[at] == "{" else None


def _needs_repair(text: str, after: int, limit: int, envelope: Envelope, context: ReadContext) -> bool:
    """Return whether text after a well-formed value has to be reported: closers, or other text."""
    at = skip_space(text, after)
    context.look(at + 1)
    if envelope.closer[:1] not in ("", "<") and _begins_marker(text, at, limit, envelope, context):
        return False
    if at < limit and text[at] in "}]":
        return True
    # Text that begins like a marker is checked when the call's end is searched.
    if at >= limit or not envelope.closer or text[at] in "<{,;":
        return False
    if envelope.lenient and _BREAK.search(text, after, at) is not None:
        # A closing marker that may be missing belongs to the calls on its line; what is below them is prose.
        return False
    return 0 <= _next_closer(text, at, envelope, context) < limit


def _begins_marker(text: str, at: int, limit: int, envelope: Envelope, context: ReadContext) -> bool:
    """Return whether a marker of the envelope is at `at`, or the part of its closer before the text's end."""
    closer = envelope.closer
    context.look(at + max(len(closer), len(envelope.opener)))
    if text.startswith((closer, envelope.opener), at):
        return True
    return at < limit == len(text) < at + len(closer) and closer.startswith(text[at:limit])


def _next_closer(text: str, at: int, envelope: Envelope, context: ReadContext) -> int:
    """Return where the envelope's closing marker is next, before the next call; -1 if there is none."""
    tag = envelope.tag
    closer = next_closer(text, at, tag, context) if tag else next_literal(text, at, envelope.closer, context)
    return closer if closer < 0 or next_literal(text, at, envelope.opener, context, closer) < 0 else -1


def _tolerant(text: str, at: int, limit: int, envelope: Envelope, context: ReadContext, scan: Scan) -> JsonRead:
    """Read JSON that is broken, or after which text has to be reported."""
    paired = bool(envelope.closer) and 0 <= _next_closer(text, at, envelope, context) < limit
    read = read_json(
        text,
        at,
        limit,
        stop=json_stop(envelope.opener, envelope.closer, joined=envelope.lenient and not envelope.closer),
        open_ended=not paired and scan.end < limit and not _ends_in_string(text, at, limit),
        budget=context.budget,
    )
    context.look(read.reach)
    return read


def _ends_in_string(text: str, at: int, limit: int) -> bool:
    """Return whether the text ends inside a string of the JSON at `at`, with or without raw line breaks."""
    try:
        _LOOSE.raw_decode(text[at:limit])
    except json.JSONDecodeError as error:
        return error.msg.startswith("Unterminated")
    except (ValueError, RecursionError):
        return False
    return False


@lru_cache(maxsize=64)
def json_stop(opener: str = "", closer: str = "", *, joined: bool = False) -> re.Pattern[str]:
    """Return the pattern of what ends JSON, outside of its strings: another call, or what is around calls."""
    markers = [re.escape(marker) for marker in (opener, closer) if marker and not marker.startswith("</")]
    return re.compile("|".join([_BOUNDARY, *markers, *[r";\s*+\{"] * joined]))


def _closing(
    text: str, opening: Span, tail: int, limit: int, envelope: Envelope, context: ReadContext
) -> tuple[int, bool, list[Problem]]:
    """Return where the call ends, whether its closing marker is there, and what is wrong with it."""
    closer = envelope.closer
    if not closer:
        return tail, False, []
    at = skip_space(text, tail)
    for marker in (closer, envelope.opener):
        # The scan stops at the first character that differs from the marker.
        pairs = zip(marker, text[at : at + len(marker)], strict=False)
        context.look(
            at + 1 + next((index for index, (one, other) in enumerate(pairs) if one != other), len(marker) - 1)
        )
    if text.startswith(closer, at):
        return at + len(closer), True, []
    tag = _CLOSING_START.match(text, at, limit)
    context.look(at + 1 if tag is None else tag.end() + 1)
    written = _CLOSING_TAG.match(text, at, limit) if tag is not None else None
    if written is not None:
        if written[1] == envelope.tag:
            return written.end(), True, []
        if (written[1] in _KIN or written[1] in call_tags()) and closer.startswith("</"):
            return written.end(), True, [_mismatched(opening, Span(*written.span()), envelope)]
    if text.startswith(envelope.opener, at) and closer.startswith("</"):
        after = at + len(envelope.opener)
        if json_place(text, at, envelope, context) is None:
            return after, True, [_mismatched(opening, Span(at, after), envelope)]
    rest = text[at:limit] if limit - at < len(closer) else ""
    # For a closer that may be missing, the text must be longer than the beginning of another marker.
    if len(rest) > 2 * envelope.lenient and limit == len(text) and closer.startswith(rest):
        return limit, False, [envelope.unclosed(opening, at, Edit(Span(at, limit), closer), cut=True)]
    if envelope.lenient:
        return tail, False, []
    newline = (
        "\n"
        if envelope.apart or "\n" in text[opening.end : tail].rstrip() or text[opening.end :].startswith("\n")
        else ""
    )
    return tail, False, [envelope.unclosed(opening, tail, insert(tail, newline + closer), cut=at >= len(text))]


def _mismatched(opening: Span, found: Span, envelope: Envelope) -> Problem:
    if envelope.tag is not None:
        return mismatched_tag(found, envelope.tag, opening)
    return mismatched(found, envelope.closer, opening)


def _closers_inside(text: str, reads: Sequence[JsonRead], envelope: Envelope, used: Span) -> list[Problem]:
    """Return a problem for each closing marker inside the JSON: some parsers end the call at the first one."""
    closer = envelope.closer
    found: list[Problem] = []
    for read in reads:
        at = text.find(closer, *read.span)
        while at >= 0 and len(found) < _MAX_CLOSERS:
            place = Span(at, at + len(closer))
            if closer.startswith("</"):
                change = insert(1, "\\")
            else:
                index = _escapable(closer)
                change = Edit(Span(index, index + 1), _escaped(closer[index]))
            data = {"marker": closer, "used": used, "escaped": apply_edits(closer, (change,))}
            edit = Edit(change.span.shift(at), change.text)
            found.append(Problem("ambiguous-closer", place, data, (edit,), certain=True))
            at = text.find(closer, place.end, read.span.end)
    return found


def _cut_short(text: str, read: JsonRead, envelope: Envelope) -> list[Problem]:
    """Return a problem if engines that search for a marker end the JSON too early."""
    at = text.find(envelope.hasty, read.span.start, read.span.end - 1)
    if at < 0 or read.root.kind != "array":
        return []
    others = f"engines that stop at the first `{envelope.hasty}` end the list here and drop the calls"
    return [differ(Span(at, at + 1), "The list is read up to its matching bracket", others, certain=False)]


# -- writing -----------------------------------------------------------------------------------------------------------


def guard(json_text: str, markers: Sequence[str]) -> str:
    """Return JSON in which no string contains one of `markers` literally: one of its characters is escaped.

    Parsers that search for a marker would end or begin a call there.
    """
    for marker in filter(None, markers):
        if marker.startswith("</"):
            json_text = json_text.replace(marker.rstrip(">"), "<\\/" + marker[2:].rstrip(">"))
        elif marker.startswith("<"):
            json_text = json_text.replace(marker, _escaped("<") + marker[1:])
        elif marker in json_text:
            json_text = _STRING.sub(_guarded(marker), json_text)
    return json_text


def _escaped(char: str) -> str:
    """Return JSON's escape of a character."""
    return "".join(f"\\u{int.from_bytes(pair, 'big'):04x}" for pair in _halves(char.encode("utf-16-be")))


def _escapable(marker: str) -> int:
    """Return the index of a character of a marker that an escape can replace, so that the marker is gone."""
    # The escape of a digit ends with that digit.
    return next((at for at, char in enumerate(marker) if marker not in _with_escape(marker, at, char)), 0)


def _with_escape(marker: str, at: int, char: str) -> str:
    return marker[:at] + _escaped(char) + marker[at + 1 :]


def _halves(code: bytes) -> list[bytes]:
    return [code[at : at + 2] for at in range(0, len(code), 2)]


def _guarded(marker: str) -> Callable[[re.Match[str]], str]:
    """Return a function that escapes a marker in the match of a JSON string, and keeps escapes whole."""
    parts = re.compile(f"({_ESCAPE})|{re.escape(marker)}", re.DOTALL)
    at = _escapable(marker)
    written = _with_escape(marker, at, marker[at])
    return lambda string: parts.sub(lambda part: part[1] or written, string[0])


def call_object(call: Rendering, form: Form, index: int) -> dict[str, Any] | Refusal:
    """Return the JSON object of a call; `index` is its position among several in one envelope."""
    if form.keyed:
        if call.call_id is not None:
            return Refusal(f"this dialect has no place for the call's id `{call.call_id}`: remove the id first")
        return {call.tool: call.arguments}
    identifier = call.call_id if call.call_id is not None or not form.counted else str(index)
    head = {form.ids[0]: identifier} if identifier is not None else {}
    return {**head, form.name: call.tool, form.arguments: call.arguments}


def render_enveloped(calls: Sequence[Rendering], envelope: Envelope, form: Form, style: RenderStyle) -> str | Refusal:
    """Return calls as text between the markers of one envelope; a closing one that may be missing is left out."""
    closer = "" if envelope.lenient else envelope.closer
    objects = collected(call_object(call, form, index) for index, call in enumerate(calls))
    if isinstance(objects, Refusal):
        return objects
    around = len(envelope.opener + envelope.between + envelope.closer)
    bodies = collected(json_body(each, style, around) for each in objects)
    if isinstance(bodies, Refusal):
        return bodies
    parts = [guard(body, (envelope.closer, envelope.opener)) for body in bodies]
    line = "\n" + style.margin
    if envelope.array:
        several = len(parts) > 1 and not style.compact
        inner = f",{line}".join(parts) if several else ", ".join(parts)
        content = f"[{line}{inner}{line}]" if several else f"[{inner}]"
        return f"{envelope.opener}{envelope.between}{content}{closer}"
    content = "; ".join(parts)
    if not envelope.apart and (style.compact or not envelope.tag):
        return f"{envelope.opener}{envelope.between}{content}{closer}"
    return f"{envelope.opener}{line}{content}{line}{closer}"
