"""Calls written in Python: between markers, in a fence, or as a bare list.

Owns: distinguishing such calls from similar brackets and text, and reading them. Must not know: dialect modules, the
registry's class.
"""

import re
from functools import lru_cache
from typing import Final

from callwright.calls.envelopes import Envelope
from callwright.calls.fences import next_fence
from callwright.calls.json_calls import distribute
from callwright.calls.marker_problems import unclosed_fence
from callwright.calls.model import JsonValue, ToolCall
from callwright.calls.protocol import ReadContext, Reading, Refusal, Rendering, parameter_names
from callwright.calls.render import first_non_finite
from callwright.calls.scanning import LISTED, line_of, next_literal, next_match, skip_space
from callwright.calls.sketch import is_placeholder_name
from callwright.syntax.problem import Problem
from callwright.syntax.prose import PLAIN_LANGUAGES, Fence, fence_closer, line_end
from callwright.syntax.python_calls import CallRead, CallsRead, Parameters, read_calls, read_clean
from callwright.syntax.python_format import is_argument_name, literal
from callwright.text.holes import HOLE
from callwright.text.span import Edit, Span, insert

FAMILY: Final = "pythonic"
#: The delimiter on both sides of a list that is written as a fence on one line.
SPAN: Final = "```"
_PYTHON: Final = frozenset({"python", "py"})
_MAX_LABEL_LENGTH: Final = 80
#: What follows the brackets of a link: its target, a label, or a definition's colon.
_LINK: Final = re.compile(rf"[(:]|\[[^\[\]()\r\n]{{0,{_MAX_LABEL_LENGTH}}}+\]")

_OPEN: Final = re.compile(r"\[[ \t\r\n]{0,64}+")
_NAME: Final = re.compile(rf"[A-Za-z_{HOLE}][\w.{HOLE}]{{0,200}}+[ \t]{{0,8}}+")
_BLANK: Final = re.compile(r"(?>\r\n|\n|\r)[ \t>]*+(?=[\r\n]|\Z)")
_EMPTY: Final = re.compile(r"\[[ \t\r\n]{0,64}+\]")
#: How Llama 3.1 calls its built-in tools.
_METHOD: Final = ".call"
#: The text around calls continues at any special token of a chat template.
_SPECIAL: Final = r"<\|[^\s|<>]{1,40}+\|>"
#: At most this many closing markers inside strings are reported.
_MAX_CLOSERS: Final = 20
#: Functions that only print the result of the call in them, and objects that only hold the tools.
_SHOWS: Final = frozenset({"print", "display", "await"})
_HOLDERS: Final = ("default_api.", "tools.", "functions.")


@lru_cache(maxsize=16)
def _stop(opener: str, closer: str) -> re.Pattern[str]:
    """Return the pattern of what ends calls between markers: their end, another beginning, any special token."""
    return re.compile("|".join([*[re.escape(marker) for marker in (closer, opener) if marker], _SPECIAL]))


def read_marked(
    text: str, start: int, markers: Envelope, context: ReadContext, dialect: str, *, method: bool = False
) -> Reading | None:
    """Read the calls between markers, the first of which is at `start`; None where no call follows it.

    `method` says that `.call` after a name is part of the dialect, and that other text after the first marker is
    program text.
    """
    begin = skip_space(text, start + len(markers.opener))
    name = _first_name(text, begin, context)
    if name is None or (method and not _is_built_in(name, text.startswith("[", begin), context)):
        empty = _EMPTY.match(text, begin)
        end = skip_space(text, empty.end()) if empty is not None else -1
        if empty is None or not markers.closer:
            return None
        context.look(end + len(markers.closer) + 1)
        return Reading([], end + len(markers.closer), end) if text.startswith(markers.closer, end) else None
    read = _between(text, begin, markers, context)
    if not read.calls:
        return None
    end, closed, problems = _end_of(text, start, read, markers, context)
    frame = Span(start, end)
    # Text after the last call belongs to it only if a marker ends it.
    read.problems = [each for each in read.problems if each.kind != "unexpected-text" or each.span.start < end]
    calls = _calls_of(read, dialect, frame, context, method=method)
    calls[-1].problems += problems
    calls[-1].complete = calls[-1].complete and (closed or (markers.lenient and read.closed))
    if closed and markers.closer:
        calls[0].problems += _closers_inside(text, read, markers.closer, Span(end - len(markers.closer), end))
    return Reading(calls, end, max(read.reach, end))


def _first_name(text: str, at: int, context: ReadContext) -> str | None:
    """Return the name in front of the first parenthesis of calls that begin at `at`, None if there is none."""
    opened = _OPEN.match(text, at)
    place = opened.end() if opened is not None else at
    name = _NAME.match(text, place)
    end = name.end() if name is not None else place
    context.look(end + 1)
    if name is None or not text.startswith("(", end):
        return None
    called = name[0].rstrip()
    # In prose, words are followed by remarks in parentheses: `tools (of both kinds)`.
    is_remark = len(called) < len(name[0]) and not context.strict and not context.tools.has(called)
    return None if is_remark else called


def _is_built_in(name: str, listed: bool, context: ReadContext) -> bool:
    return listed or name.endswith(_METHOD) or context.tools.has(name)


def _between(text: str, begin: int, markers: Envelope, context: ReadContext) -> CallsRead:
    """Read the calls after the first marker: up to the second, or if there is none, as far as they are valid."""
    limit = next_fence(text, begin, context)
    stop = _stop(markers.opener, markers.closer)
    parameters = parameter_names(context.tools)
    closing = next_literal(text, begin, markers.closer, context, limit) if markers.closer else -1
    if closing < 0:
        sound, reach = read_clean(
            text, begin, limit, parameters=parameters, searches=context.scan.searches, budget=context.budget
        )
        context.look(reach)
        if sound is not None and text.startswith("[", begin):
            return sound
        # Text after an empty line is not part of the calls, even if another marker follows.
        limit = _paragraph_end(text, begin, limit, context)
    if limit == len(text) and markers.closer:
        limit -= next(
            (size for size in range(len(markers.closer) - 1, 1, -1) if text.endswith(markers.closer[:size])), 0
        )
    read = read_calls(text, begin, limit, stop=stop, parameters=parameters, budget=context.budget)
    context.look(read.reach)
    return read


def _end_of(
    text: str, start: int, read: CallsRead, markers: Envelope, context: ReadContext
) -> tuple[int, bool, list[Problem]]:
    """Return where the calls with their markers end, whether the second one is there, and what is wrong with it."""
    tail = read.span.end
    closer = markers.closer
    if not closer:
        return tail, read.closed, []
    at = skip_space(text, tail)
    context.look(at + len(closer))
    if text.startswith(closer, at):
        return at + len(closer), True, []
    problems: list[Problem] = []
    found = _stop(markers.opener, closer).search(text, at, next_fence(text, at, context))
    if found is not None and found[0] == closer:
        unmatched = text[at : found.start()].rstrip()
        context.look(found.end())
        stated = {"text": unmatched, "after": True, "format": "Python"}
        span = Span(at, at + len(unmatched))
        problems.append(Problem("unexpected-text", span, stated, (Edit(span, ""),)))
        return found.end(), True, problems
    rest = text[at:] if 1 < len(text) - at < len(closer) else ""
    partial = bool(rest) and closer.startswith(rest)
    if markers.lenient and not partial:
        return tail, False, []
    opening = Span(start, start + len(markers.opener))
    newline = "\n" if markers.tag is not None and "\n" in text[opening.end : tail] else ""
    repair = Edit(Span(at, len(text)), closer) if partial else insert(tail, newline + closer)
    cut, certain = at >= len(text) or partial, read.closed or partial
    problem = markers.unclosed(opening, tail, repair, cut=cut, certain=certain)
    return len(text) if partial else tail, False, [problem]


def _closers_inside(text: str, read: CallsRead, closer: str, used: Span) -> list[Problem]:
    """Return a problem for each closing marker inside a string: some parsers end the calls at the first one."""
    found: list[Problem] = []
    at = text.find(closer, read.span.start, read.span.end)
    while at >= 0 and len(found) < _MAX_CLOSERS:
        place = Span(at, at + len(closer))
        raw = "r'" in text[read.span.start : at] or 'r"' in text[read.span.start : at]
        repair = () if raw else (Edit(Span(at, at + 1), "\\x3c"),)
        data = {"marker": closer, "used": used, "escaped": f"\\x3c{closer[1:]}"}
        found.append(Problem("ambiguous-closer", place, data, repair, certain=bool(repair)))
        at = text.find(closer, place.end, read.span.end)
    return found


# -- bare lists --------------------------------------------------------------------------------------------------------


def read_bare(text: str, start: int, context: ReadContext, dialect: str) -> Reading | None:
    """Read the list of calls whose bracket is at `start`; None if the brackets are something else.

    With a tool's name after the bracket it is a list of calls anywhere, even if broken, as far as it begins its line.
    Other names make one only if a valid list is alone on its lines.
    """
    name = _first_name(text, start, context)
    if name is None:
        return None
    known = context.tools.has(name)
    line = line_of(text, start, context)
    lead = LISTED.match(text, line)
    leads = lead is not None and lead.end() >= start
    plain = context.fence is None or context.fence.language in PLAIN_LANGUAGES
    wanted = context.preferred == dialect
    evident = plain or wanted or _is_documented(name, context)
    if not known and not (leads and evident and _may_name_a_tool(name, context, wanted=wanted)):
        return None
    if not leads and not plain:
        return None
    limit = next_fence(text, start, context)
    parameters = parameter_names(context.tools)
    read, reach = read_clean(
        text, start, limit, parameters=parameters, searches=context.scan.searches, budget=context.budget
    )
    context.look(reach)
    if read is not None:
        after = skip_blank(text, read.end)
        context.look(after + 1)
        alone = after >= len(text) or text[after] in "\r\n"
        if not read.calls or _is_link(text, read.end, context) or not (known or alone):
            return None
    elif not leads or not (known or wanted or (context.strict and plain and context.scan.window is None)):
        return None
    else:
        limit = _paragraph_end(text, start, limit, context)
        read = read_calls(text, start, limit, parameters=parameters, budget=context.budget)
        if not read.calls or (read.closed and _is_link(text, read.end, context)):
            return None
        if not (known or wanted) and not _is_written_alone(text, read, limit, context):
            return None
    end = read.end
    if not read.closed:
        end = max(read.span.end, start + 1)
    calls = _calls_of(read, dialect, Span(start, end), context)
    return Reading(calls, end, max(min(read.reach, limit), end))


def _is_documented(name: str, context: ReadContext) -> bool:
    """Return whether the document documents a name that is in a fence of Python, and no list names all tools."""
    in_python = context.fence is not None and context.fence.language in _PYTHON
    return in_python and not context.tools.closed and name in (context.documented or ())


def read_spanned(text: str, start: int, context: ReadContext, dialect: str) -> Reading | None:
    """Read the list of calls between back-ticks on one line that begins at `start`; None where it is other text.

    The back-ticks make it a code span, so the name must be a tool's, or one that the document documents.
    """
    begin = start + len(SPAN)
    name = _first_name(text, begin, context)
    if name is None or not (context.tools.has(name) or name in (context.documented or ())):
        return None
    limit = line_end(text, begin)
    parameters = parameter_names(context.tools)
    read, reach = read_clean(
        text, begin, limit, parameters=parameters, searches=context.scan.searches, budget=context.budget
    )
    context.look(max(reach, limit) + 1)
    if read is None or not read.calls or text[read.end : limit].strip() != SPAN:
        return None
    end = text.index(SPAN, read.end) + len(SPAN)
    return Reading(_calls_of(read, dialect, Span(start, end), context), end, end + 1)


def _is_written_alone(text: str, read: CallsRead, limit: int, context: ReadContext) -> bool:
    """Return whether a list of calls with values is alone on its lines, or is cut off at the end of the text."""
    problems = [*read.problems, *(each for call in read.calls for each in call.read.problems)]
    if any(each.kind in ("unexpected-text", "not-a-literal") for each in problems):
        return False
    after = skip_blank(text, read.end)
    context.look(after + 1)
    return (after >= len(text) or text[after] in "\r\n") if read.closed else limit == len(text)


def _is_link(text: str, at: int, context: ReadContext) -> bool:
    """Return whether what is after a closing bracket makes the brackets a link of Markdown, or its definition."""
    context.look(at + (_MAX_LABEL_LENGTH + 3 if text.startswith("[", at) else 1))
    return _LINK.match(text, at) is not None


def _paragraph_end(text: str, at: int, limit: int, context: ReadContext) -> int:
    """Return where the next blank line begins, at most `limit`."""
    found = _BLANK.search(text, at, limit)
    context.look(limit + 1 if found is None else found.end() + 1)
    return limit if found is None else found.start()


def skip_blank(text: str, at: int) -> int:
    """Return the offset of the first character at or after `at` that is not a space or tab."""
    while at < len(text) and text[at] in " \t":
        at += 1
    return at


def _may_name_a_tool(name: str, context: ReadContext, *, wanted: bool) -> bool:
    """Return whether an unknown name may be meant as a tool's."""
    if context.strict and context.fence is not None:
        # It is a sample.
        return wanted
    if wanted or context.strict or not context.tools.closed or is_placeholder_name(name):
        return True
    return "_" in name or "." in name or context.tools.near(name) is not None


# -- fences ------------------------------------------------------------------------------------------------------------


def read_fenced(text: str, fence: Fence, context: ReadContext, dialect: str) -> Reading | None:
    """Read the block of program text that opens at `fence` as calls; None if it contains anything else."""
    closer = next_match(text, fence.content, fence_closer(fence.char, fence.length), context, marker=fence.char * 3)
    limit = len(text) if closer is None else closer.start()
    begin = skip_space(text, fence.content)
    if begin >= limit or _first_name(text, begin, context) is None:
        return None
    if closer is None:
        limit = _paragraph_end(text, begin, limit, context)
    parameters = parameter_names(context.tools)
    read = read_calls(text, begin, limit, parameters=parameters, budget=context.budget)
    shown = [_shown(text, call, parameters, context) for call in read.calls]
    # What only prints a value calls no tool.
    read.calls = [call for call in shown if context.strict or call.name not in _SHOWS or context.tools.has(call.name)]
    if not read.calls or any(problem.kind == "unexpected-text" for problem in read.problems):
        return None
    end = closer.end() if closer is not None else max(read.span.end, fence.content)
    calls = _calls_of(read, dialect, Span(fence.marker, end), context)
    if closer is None:
        calls[0].problems.insert(0, unclosed_fence(fence, read.span.end))
        calls[-1].complete = False
    return Reading(calls, end, end)


def _shown(text: str, call: CallRead, parameters: Parameters, context: ReadContext) -> CallRead:
    """Return the inner call if the outer call only prints its result, else the call itself."""
    spans = {problem.span for problem in call.read.problems if problem.kind in ("not-a-literal", "positional-argument")}
    if call.name not in _SHOWS or context.tools.has(call.name) or len(spans) != 1:
        return call
    span = spans.pop()
    inner = read_calls(text, *span, parameters=parameters, budget=context.budget)
    return inner.calls[0] if len(inner.calls) == 1 and inner.calls[0].span == span else call


# -- calls -------------------------------------------------------------------------------------------------------------


def _calls_of(
    read: CallsRead, dialect: str, frame: Span, context: ReadContext, *, method: bool = False
) -> list[ToolCall]:
    """Convert parsed Python calls to calls; problems between calls go to the call before them."""
    calls = [_call(each, dialect, frame, context, method=method) for each in read.calls]
    distribute(calls, read.problems)
    if not read.closed and any(problem.data.get("truncated") for problem in read.problems):
        calls[-1].complete = False
    return calls


def _call(read: CallRead, dialect: str, frame: Span, context: ReadContext, *, method: bool) -> ToolCall:
    name, start = read.name, read.name_span.start
    if method and name.endswith(_METHOD):
        name = name.removesuffix(_METHOD)
    holder = next((each for each in _HOLDERS if name.startswith(each)), "")
    if holder and not context.tools.has(name) and (context.tools.has(name[len(holder) :]) or holder == _HOLDERS[0]):
        name, start = name[len(holder) :], start + len(holder)
    span = Span(start, start + len(name)) if read.name_span.end - start >= len(name) else read.name_span
    call = python_call(read, FAMILY, dialect, frame)
    call.tool, call.tool_span, call.name_spans = name, span, (span,)
    return call


def python_call(one: CallRead, family: str, dialect: str, frame: Span | None) -> ToolCall:
    """Convert one parsed Python call to a call, with the name as written."""
    read = one.read
    return ToolCall(
        dialect=dialect,
        span=one.span,
        tool=one.name,
        tool_span=one.name_span,
        arguments=JsonValue(read),
        body=read.span,
        name_spans=(one.name_span,),
        frame=frame,
        problems=list(read.problems),
        sketch=is_placeholder_name(one.name) or () in read.elided,
        complete=one.closed,
        details={"family": family, "named": True},
    )


# -- writing -----------------------------------------------------------------------------------------------------------


def written_call(call: Rendering) -> str | Refusal:
    """Return a call as Python writes it, with keyword arguments, or the reason why it cannot be written."""
    if not call.tool or not all(map(is_argument_name, call.tool.split("."))):
        return Refusal(f"`{call.tool}` is not a valid Python function name")
    members: list[str] = []
    for name, value in call.arguments.items():
        if not is_argument_name(name):
            return Refusal(f"`{name}` is not a valid Python argument name", (name,))
        text = literal(value)
        if text is None:
            bad = first_non_finite(value, (name,))
            if bad is not None:
                return Refusal("Python has no literals for NaN and infinity", bad)
            return Refusal("a string contains two surrogates that would be read as one character", (name,))
        members.append(f"{name}={text}")
    return f"{call.tool}({', '.join(members)})"
