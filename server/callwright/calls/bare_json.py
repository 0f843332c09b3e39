"""Calls as JSON objects without markers of their own: bare, in a list, in a fence after a word, below a tool's name.

Owns: distinguishing such JSON from other JSON at low cost, and reading it. Must not know: dialect modules, the
registry's class.

Data with a `name` is not a call, and neither is the definition of a tool: a call is an object that has a name and
arguments with no unknown keys beside them.
"""

import re
from typing import Any, Final

from callwright.calls.envelopes import json_stop, scan_json
from callwright.calls.fences import next_fence
from callwright.calls.json_calls import FAMILY, MISNOMERS, Form, calls_of, is_cut
from callwright.calls.json_places import own_problems
from callwright.calls.marker_problems import unclosed_fence
from callwright.calls.model import JsonValue, ToolCall
from callwright.calls.protocol import ReadContext, Reading
from callwright.calls.scanning import QUOTED, end_of_line, lead_end, line_of, next_literal, skip_space
from callwright.calls.sketch import is_placeholder_name
from callwright.calls.tags import is_word
from callwright.syntax.json import JsonRead, read_json
from callwright.syntax.prose import PLAIN_LANGUAGES, fence_at, fence_closer
from callwright.text.span import Span

#: Keys beside a call's name and arguments that are ignored.
_BESIDE: Final = frozenset({"type", "index"})
#: The type of a call object of an API, which has a dialect of its own.
_ITEM: Final = "function_call"
#: On another line, they close the value that the object is in.
CLOSERS: Final = re.compile(r"[ \t]*+[}\]]")
_MISNOMERS: Final = frozenset(MISNOMERS)
#: What is before an object that is part of other JSON.
_INSIDE = re.compile(r'["}\]\d][ \t]*+,[ \t]*+\Z|["\'][ \t]*+:[ \t]*+\Z|[\[{(][ \t]*+\Z')
_KEY = re.compile(r"""["'“‘]?+(\w{0,40}+)["'”’]?+\s*+(:?+)\s*+""")
_SCALAR = re.compile(r""""((?:[^"\\\r\n]|\\[^\r\n]){0,200}+)"?+|'([^'\\\r\n]{0,200}+)'?+|-?[\w.]{0,40}+""")
#: What begins a call of Functionary's below its first.
_MARKER: Final = ">>>"
#: How many characters before an object on its line are checked for other JSON around it.
_MAX_LEAD_LENGTH: Final = 40
#: What may be between a call and one that is joined to it; a line break only around a semicolon.
_GAP: Final = re.compile(r"\s*+([;,]?+)\s*+")
_TOOL_NAME = re.compile(r"[\w.\-:/]{1,200}")


# -- in a fence after a word ------------------------------------------------------------------------------------------


def read_fenced_list(
    text: str, start: int, opener: str, form: Form, context: ReadContext, dialect: str
) -> Reading | None:
    """Read a fenced list of calls after the word `opener`, which begins a line at `start`."""
    if lead_end(QUOTED, text, start, context) < start:
        return None
    begin = line_of(text, start, context)
    at = skip_space(text, start + len(opener))
    context.look(at + 4)
    if not text.startswith("```", at):
        return None
    context.look(end_of_line(text, at, context) + 2)
    line = max(text.rfind("\n", start, at), text.rfind("\r", start, at), begin - 1) + 1
    fence = fence_at(text, line if line > start else at)
    if fence is None or fence.marker != at or fence.language not in ("", "json"):
        return None
    visible = skip_space(text, fence.content)
    context.look(visible + 1)
    if text[visible : visible + 1] not in ("[", "{") or not _first_key(text, visible, form, context):
        return None
    closer = fence_closer(fence.char, fence.length)
    read = read_json(text, fence.content, stop=closer, budget=context.budget)
    context.look(read.reach)
    ending = closer.search(text, read.end)
    context.look(len(text) if ending is None else ending.end() + 1)
    end = ending.end() if ending is not None else read.end
    frame = Span(start, end)
    calls = calls_of(text, [read], form, dialect, frame, context, listed=True)
    if ending is None and calls:
        calls[0].problems.insert(0, unclosed_fence(fence, read.end))
        calls[-1].complete = False
    return Reading(calls, end, max(read.reach, end))


def _first_key(text: str, at: int, form: Form, context: ReadContext) -> bool:
    """Return whether the object at `at`, or the first in the list there, begins with a key that calls of `form`
    have."""
    if text[at] == "[":
        at = skip_space(text, at + 1)
        context.look(at + 1)
        if text[at : at + 1] != "{":
            return text[at : at + 1] == "]"
    key = _KEY.match(text, skip_space(text, at + 1))
    assert key is not None, "the pattern matches nothing at least"
    context.look(key.end() + 1)
    return key[1] in (*form.name_keys, *form.argument_keys, *form.ids)


#: How far a tool's name is searched in JSON whose first keys are malformed.
_NEAR = 240
_QUOTED_WORD = re.compile(r"[\"'“‘`]([\w.:/-]{1,100}+)[\"'”’`]")
_WORD = re.compile(r"\w{1,100}+")


# -- bare --------------------------------------------------------------------------------------------------------------


def read_bare_object(text: str, start: int, form: Form, context: ReadContext, dialect: str) -> Reading | None:
    """Read the JSON object at `start` as a call, with those that follow it on its line, after `;`, `,` or nothing.

    Returns None if it is other JSON.
    """
    lead = _leads(text, start, context, dialect)
    if lead is None or not _looks_called(text, start, form, context, dialect):
        return None
    limit = next_fence(text, start, context)
    reads: list[JsonRead] = []
    at: int | None = start
    while at is not None:
        read = read_value(text, at, limit, context)
        if not _is_bare_call(read, read.value, form, context, dialect, lead=lead or bool(reads)) and (
            reads or not lead or not _is_misnamed(text, read, form, context)
        ):
            if not reads:
                _note_failure(read, context)
            break
        reads.append(read)
        at = _joined(text, read.end, context)
        if at is not None and not _looks_called(text, at, form, context, dialect):
            break
    if not reads:
        return None
    end = reads[-1].end
    frame = Span(start, end)
    calls = calls_of(text, reads, form, dialect, frame, context, listed=len(reads) > 1)
    for call in calls:
        misnamed = call.details.get("misnamed")
        if misnamed:
            # Without a marker any of the keys is read: the one that begins alike is meant.
            alike = [key for key in form.argument_keys if key[:2] == misnamed[0][:2]]
            call.details["arguments_key"] = (alike or ["arguments"])[0]
    if calls:
        calls[-1].complete = not is_cut(reads)
    return Reading(calls, end, max(read.reach for read in reads))


def _joined(text: str, end: int, context: ReadContext) -> int | None:
    """Return where the object begins that is joined to one which ends at `end`; None where none is."""
    gap = _GAP.match(text, end)
    assert gap is not None, "the pattern matches nothing at least"
    context.look(gap.end() + 1)
    if text[gap.end() : gap.end() + 1] != "{" or (gap[1] != ";" and any(each in gap[0] for each in "\r\n")):
        return None
    return gap.end()


def read_bare_list(text: str, start: int, form: Form, context: ReadContext, dialect: str) -> Reading | None:
    """Read the JSON array at `start` as calls; None where it is other JSON."""
    lead = _leads(text, start, context, dialect)
    first = skip_space(text, start + 1)
    context.look(first + 1)
    if lead is None or text[first : first + 1] != "{" or not _looks_called(text, first, form, context, dialect):
        return None
    limit = next_fence(text, start, context)
    read = read_value(text, start, limit, context)
    entries = read.value
    certain = isinstance(entries, list) and all(
        isinstance(entry, dict)
        and (_is_bare_call(read, entry, form, context, dialect, lead=lead) or (index and _is_part(entry, form)))
        for index, entry in enumerate(entries)
    )
    if not certain or not entries:
        _note_failure(read, context)
        return None
    end = read.end
    calls = calls_of(text, [read], form, dialect, Span(read.span.start, end), context, listed=True)
    if calls:
        calls[-1].complete = not is_cut([read])
    return Reading(calls, end, read.reach)


def _leads(text: str, start: int, context: ReadContext, dialect: str) -> bool | None:
    """Return whether `start` begins its line; None if no bare call can be there."""
    if start < context.scan.claims.objects:
        return None
    if context.preferred == "fenced-json" and dialect != context.preferred:
        # If that dialect is expected, such an object is one of its calls with a wrong key.
        return None
    if context.fence is not None and context.fence.language not in PLAIN_LANGUAGES:
        return None
    line = line_of(text, start, context)
    lead = text[max(line, start - _MAX_LEAD_LENGTH) : start]
    if not lead.strip(" \t>"):
        return True
    return None if _INSIDE.search(lead) is not None else False


def _note_failure(read: JsonRead, context: ReadContext) -> None:
    """Note that broken text contains no call, so that it is not read again from each of its lines."""
    if read.problems:
        context.scan.claims.objects = max(context.scan.claims.objects, read.end)


def read_value(text: str, at: int, limit: int, context: ReadContext, marker: str = "") -> JsonRead:
    """Read the JSON at `at`; where it is broken, it ends before the next call that begins with `marker`."""
    scan = scan_json(text, at, context)
    closers = CLOSERS.match(text, scan.end)
    context.look(scan.end + 1 if closers is None else closers.end())
    if scan.read is not None and closers is None:
        return scan.read
    following = next_literal(text, scan.end, marker, context, limit) if marker and scan.end < limit else -1
    read = read_json(
        text,
        at,
        limit if following < 0 else following,
        stop=json_stop(marker, joined=not marker),
        open_ended=scan.end < limit,
        budget=context.budget,
    )
    context.look(read.reach)
    return read


def _looks_called(text: str, at: int, form: Form, context: ReadContext, dialect: str) -> bool:
    """Return whether the object at `at` may be a call, by its first keys, so that other JSON is not read.

    The text after them is scanned only if they are not enough; a stream must wait for it.
    """
    if _begins_as_call(text, at, form, context, dialect):
        return True
    return context.preferred == dialect and _names_tool(text, at, form, context)


def _begins_as_call(text: str, at: int, form: Form, context: ReadContext, dialect: str) -> bool:
    named = False
    tool = ""
    at = skip_space(text, at + 1)
    for _ in range(5):
        key = _KEY.match(text, at)
        assert key is not None, "the pattern matches nothing at least"
        at = key.end()
        context.look(at + 1)
        if not key[2]:
            return False
        word = key[1]
        if word in form.argument_keys:
            return named or text[at : at + 1] in ("{", '"')
        if word in MISNOMERS and tool:
            return text[at : at + 1] == "{" and not context.strict and context.tools.has(tool)
        given = word in form.name_keys or word == "function"
        if given:
            named = True
        elif word not in _BESIDE and word not in form.ids:
            return False
        value = _SCALAR.match(text, at)
        assert value is not None, "the pattern matches nothing at least"
        tool = (value[1] or "") if given else tool
        at = skip_space(text, value.end())
        context.look(at + 1)
        if text[at : at + 1] != ",":
            name = value[1] or value[2]
            return bool(named and name and context.preferred == dialect and context.tools.has(name))
        at = skip_space(text, at + 1)
    return False


def _names_tool(text: str, at: int, form: Form, context: ReadContext) -> bool:
    """Return whether a tool's name is near a key for it: if this dialect is expected, the object is a call even if
    malformed."""
    end = at + _NEAR
    context.look(end)
    words = _QUOTED_WORD.findall(text, at, end)
    keyed = any(word in form.name_keys or word in form.argument_keys for word in _WORD.findall(text, at, end))
    return keyed and any(map(context.tools.has, words))


def _is_bare_call(read: JsonRead, value: Any, form: Form, context: ReadContext, dialect: str, *, lead: bool) -> bool:
    """Return whether a bare object is a call: a name, arguments, and nothing beside them that calls do not have."""
    if not isinstance(value, dict):
        return False
    key = next((key for key in form.name_keys if key in value), None)
    if key is None and isinstance(value.get("function"), str):
        key = "function"
    name = value.get(key) if key is not None else None
    if value.get("type") == _ITEM and context.preferred != dialect:
        return False
    if not isinstance(name, str) or not value.keys() <= {key, *form.argument_keys, *_BESIDE, *form.ids}:
        return False
    if _TOOL_NAME.fullmatch(name) is None and not is_placeholder_name(name):
        return False
    written = next((key for key in form.argument_keys if key in value), None)
    known = context.tools.has(name)
    if written is None:
        return known and context.preferred == dialect
    arguments = value[written]
    if not isinstance(arguments, dict) and context.preferred != dialect:
        # A list says what the arguments are, in the definition of a prompt; a string may contain their JSON.
        encoded = isinstance(arguments, str) and (known or arguments.lstrip().startswith("{"))
        if not encoded and not (arguments is None and (known or read.problems)):
            return False
    if isinstance(arguments, dict) and is_definition(name, arguments, context):
        return False
    if known or context.preferred == dialect:
        return True
    if context.strict:
        # In a fence it is a sample.
        return context.fence is None
    if sum(problem.kind == "unquoted-key" for problem in read.problems) > 1:
        # An object of a program, whose keys have no quotes.
        return False
    if not lead:
        return read.clean and not context.tools.closed
    return written == "arguments" or not context.tools.closed or context.tools.near(name) is not None


def _is_misnamed(text: str, read: JsonRead, form: Form, context: ReadContext) -> bool:
    """Return whether an object that is alone is a known tool's call with its arguments under a key near to theirs.

    Other data has such keys too, so each member under that key must be a parameter of the tool.
    """
    value = read.value
    if context.strict or not read.clean or not isinstance(value, dict) or value.get("type", "function") != "function":
        return False
    name = value.get(form.name_in(value))
    others = value.keys() - {*form.name_keys, *_BESIDE, *form.ids}
    given = value[next(iter(others))] if len(others) == 1 and others <= _MISNOMERS else None
    if not isinstance(name, str) or not isinstance(given, dict) or not given:
        return False
    parameters = context.tools.parameters(name)
    before = text[max(read.span.start - _MAX_LEAD_LENGTH, 0) : read.span.start].rstrip()[-1:]
    return parameters is not None and given.keys() <= parameters.keys() and before not in ("[", "{", "(", ",", ":")


def _is_part(entry: dict[str, Any], form: Form) -> bool:
    """Return whether an object in a list of calls is an incomplete call."""
    return bool(entry) and entry.keys() <= {*form.name_keys, *form.argument_keys, *_BESIDE, *form.ids}


def is_definition(name: str, arguments: dict[str, Any], context: ReadContext) -> bool:
    """Return whether what is in the arguments' place is the schema of a tool's arguments: a definition, not a call."""
    if not isinstance(arguments.get("properties"), dict) or arguments.get("type") not in ("object", "dict", None):
        return False
    return "properties" not in (context.tools.parameters(name) or {})


# -- below the tool's name ---------------------------------------------------------------------------------------------


def read_named_line(text: str, start: int, context: ReadContext, dialect: str) -> Reading | None:
    """Read the object at `start` as the arguments of the tool whose name alone is on the line above."""
    if context.fence is not None or start < context.scan.claims.objects:
        return None
    line = line_of(text, start, context)
    if line != start or line == 0:
        return None
    end = line - (2 if text.startswith("\r\n", line - 2) else 1)
    begin = max(text.rfind("\n", max(end - 200, 0), end), text.rfind("\r", max(end - 200, 0), end)) + 1
    if begin == 0 and end > 200:
        return None
    named = Span(begin, end)
    name = named.of(text)
    if not context.tools.has(name) or is_word(name, context):
        return None
    return read_arguments(text, named, named, start, context, dialect)


def read_arguments(
    text: str, named: Span, opening: Span, begin: int, context: ReadContext, dialect: str
) -> Reading | None:
    """Read the object at `begin` as the arguments of the tool that `named` names; the call begins with `opening`."""
    read = read_value(text, begin, next_fence(text, begin, context), context, _MARKER if opening != named else "")
    if not isinstance(read.value, dict):
        _note_failure(read, context)
        return None
    span = Span(opening.start, read.end)
    value = JsonValue(read)
    name = named.of(text)
    call = ToolCall(
        dialect=dialect,
        span=span,
        tool=name,
        tool_span=named,
        arguments=value,
        body=value.span,
        name_spans=(named,),
        frame=span,
        problems=own_problems(read),
        sketch=is_placeholder_name(name),
        complete=not is_cut([read]),
        details={"family": FAMILY, "named": True},
    )
    return Reading([call], read.end, read.reach)
