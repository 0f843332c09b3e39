"""Calls as the objects of a provider's API: OpenAI's `tool_calls`, Anthropic's `tool_use`, Gemini's `functionCall`.

Owns: the forms as data, distinguishing such objects from other JSON, and reading them anywhere in a JSON value. Must
not know: dialect modules, the registry's class, transcripts as files.

A value is read once for all forms. The first dialect that reads it finds the calls of all forms; only the dialect of
the first call returns them, so each call is returned once.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any, Final

from callwright.calls.bare_json import CLOSERS, is_definition
from callwright.calls.envelopes import scan_json
from callwright.calls.fences import fence_limit
from callwright.calls.json_calls import Form, entry_at, object_call
from callwright.calls.json_places import own_problems
from callwright.calls.marker_problems import differ
from callwright.calls.model import JsonValue, Path, ToolCall
from callwright.calls.protocol import ReadContext, Reading
from callwright.calls.scanning import next_match, skip_space
from callwright.syntax.json import JsonRead, read_json
from callwright.syntax.json_encoded import read_encoded
from callwright.syntax.problem import Problem
from callwright.syntax.prose import PLAIN_LANGUAGES, fence_at, line_start
from callwright.text.facts import Fact
from callwright.text.holes import HOLE
from callwright.text.projection import decode_json_string
from callwright.text.records import NamedTuple, dataclass, replace
from callwright.text.span import Span

FAMILY: Final = "provider-json"
#: The members that give the kind of an object.
TYPE_KEY: Final = "type"


@dataclass(frozen=True, slots=True)
class ApiObject:
    """One object of an API that calls a tool, as data.

    `keys` are those of name, arguments and id. `holder` is the member that holds name and arguments, empty where they
    are the object's own; the id then is beside that member, or with `inner` in it. `type_` is what the object's `type`
    must be; with a `holder` it may be missing. `encoded` says that a string holds the arguments' JSON, `optional` that
    they may be left out, `alone` that the member is the call, in any object.
    """

    dialect: str
    keys: Form
    holder: str = ""
    type_: str = ""
    encoded: bool = False
    optional: bool = False
    inner: bool = False
    alone: bool = False


def _keys(arguments: str, *ids: str, name_also: tuple[str, ...] = (), also: tuple[str, ...] = ()) -> Form:
    form = Form("name", arguments, name_also, also, arguments_else=(), ids=ids or ("id",))
    return replace(form, family=FAMILY, held=False)


OPENAI: Final = "openai-json"
ANTHROPIC: Final = "anthropic-json"
GEMINI: Final = "gemini-json"
#: The forms of a call; the first form that fits an object is used.
FORMS: Final = (
    ApiObject(ANTHROPIC, _keys("input"), type_="tool_use"),
    ApiObject(OPENAI, _keys("arguments", "id", "call_id"), holder="function", type_="function", encoded=True),
    ApiObject(OPENAI, _keys("arguments", "call_id", "id"), type_="function_call", encoded=True),
    ApiObject(OPENAI, _keys("arguments"), holder="function_call", encoded=True, alone=True),
    ApiObject(GEMINI, _keys("args"), holder="functionCall", optional=True, inner=True),
    ApiObject(GEMINI, _keys("args"), holder="function_call", inner=True),
)
_LIVE: Final = ApiObject(GEMINI, _keys("args"), inner=True)
_FLAT: Final = ApiObject(
    OPENAI,
    _keys("arguments", "id", "call_id", "tool_call_id", name_also=("function_name",), also=("args",)),
    encoded=True,
)
#: The calls in a list: of a connection to Gemini, and of frameworks that leave `function` out of OpenAI's entries.
_LISTED: Final = {"functionCalls": _LIVE, "function_calls": _LIVE, "tool_calls": _FLAT}
#: The characters that end a sample which shows only a part.
_LEFT_OUT: Final = ("...", "…")
#: Members of a call's object that other dialects do not need.
_BESIDE: Final = frozenset({"type", "index"})
#: Members that contain no calls: definitions of tools and schemas, and the pieces of a stream.
_NO_CALLS: Final = frozenset(
    {"tools", "functions", "tool_choice", "parameters", "input_schema", "inputSchema", "properties", "$defs"}
    | {"definitions", "delta", "content_block", "functionResponse", "function_response"}
)
#: Messages and parts with the result of a call.
_RESULTS: Final = frozenset({"tool_result", "function_call_output", "tool", "function"})
#: Members of a message that are ignored beside its calls.
_ROLE_OF: Final = frozenset({"role"})
#: The first members of such values: members that contain calls, and members around them.
_FIRST: Final = (
    *("tool_calls", "function_call", "functionCall", "functionCalls", "function_calls", "function", "type", "id"),
    *("call_id", "index", "role", "content", "contents", "parts", "message", "messages", "choices", "candidates"),
    *("model", "object", "output", "finish_reason", "stop_reason", "input", "from", "request", "response", "toolCall"),
)
_GATE: Final = re.compile(
    r"(?:\[\s*+){0,2}+\{\s*+(?:(?://|\#)[^\r\n]*+\s*+)*+"
    rf"""["'“]?(?:{"|".join(_FIRST)})["'”]?\s*+[:=]"""
)
_BEGINS: Final = re.compile(r"""(?:\[\s*+){0,2}+\{\s*+(?:(?://|\#)[^\r\n]*+\s*+)*+["'“]?\w*+["'”]?\s*+""")
#: An object whose first key has no quotes, or single ones, is a program's: a literal of it, or what it prints.
_OF_PROGRAM: Final = re.compile(
    r"(?:\[\s*+|(?://|\#)[^\r\n]*+\s*+)*+\{\s*+(?:(?://|\#)[^\r\n]*+\s*+)*+(?:[A-Za-z_$][\w$]*+|'\w++')\s*+:"
)
#: Every such value contains one of them; each begins with a literal, for a fast search.
_MARKER: Final = re.compile(r"""tool_(?:calls|use)\b|function(?:Calls?\b|_calls?\b|(?<=["'“]function)["'”]\s*+:)""")
#: Fences in which the text around a value may be anything, but the value must be clean.
_COMMANDS: Final = frozenset({"bash", "sh", "shell", "zsh", "curl", "http", "powershell", "sse", "console"})
_DATA: Final = PLAIN_LANGUAGES | {"ndjson", "jsonlines"}
#: Fences whose author says that JSON is in them.
_NAMED_JSON: Final = frozenset({"json", "jsonc", "json5", "ndjson", "jsonlines"})
#: Problems that are allowed in a language that extends JSON.
_ALLOWED: Final = {
    "jsonc": frozenset({"comment", "trailing-comma"}),
    "json5": frozenset({"comment", "trailing-comma", "single-quotes", "unquoted-key"}),
}
#: The latest value that was read, with its text and its place.
_LATEST: Final[Fact[tuple[int, str, Reading | None]]] = Fact()


class _Found(NamedTuple):
    """A call in a value: its form, the path of its object and the path of the object with name and arguments."""

    form: ApiObject
    path: Path
    named: Path


def is_entry(value: Any) -> bool:
    """Return whether an entry of a list of calls is one of a provider's objects, not one of another dialect."""
    return isinstance(value, dict) and any(
        (isinstance(value.get(form.holder), dict) if form.holder else value.get(TYPE_KEY) == form.type_)
        for form in FORMS
    )


def read_provider(text: str, start: int, context: ReadContext, dialect: str) -> Reading | None:
    """Read the JSON value at `start` as calls; None if it contains none, or its first one is of another dialect."""
    known = _LATEST.get(context.scan)
    if known is None or known[0] != start or known[1] is not text:
        known = _LATEST.keep(context.scan, (start, text, _read(text, start, context)))
    reading = known[2]
    return reading if reading is not None and reading.calls[0].dialect == dialect else None


def _read(text: str, start: int, context: ReadContext) -> Reading | None:
    claims = context.scan.claims
    if start < max(claims.objects, claims.values, claims.unmarked) or not _may_begin(text, start, context):
        return None
    language = context.fence.language if context.fence is not None else ""
    read = scan_json(text, start, context).read
    if read is not None and not _is_asked_for(context) and _MARKER.search(text, start, read.end) is None:
        # Checked before the search for the end of its fence, which may be far away.
        claims.unmarked = max(claims.unmarked, read.end)
        return None
    limit = fence_limit(text, start, context)
    if read is not None and (read.end > limit or (_is_asked_for(context) and _goes_on(text, read.end, context))):
        read = None
    if read is None:
        if next_match(text, start, _MARKER, context, limit) is None:
            claims.unmarked = limit
            return None
        inside = limit
        if limit < len(text):
            # The line break in front of a fence's last line is the fence's.
            inside -= text.endswith(("\n", "\r"), start, limit) + text.endswith("\r\n", start, limit)
        read = read_json(text, start, inside, open_ended=True, budget=context.budget)
        context.look(read.reach)
        if language not in _NAMED_JSON and not _is_asked_for(context) and _OF_PROGRAM.match(text, start) is not None:
            claims.values = max(claims.values, read.end)
            return None
    if _MARKER.search(text, start, read.end) is None:
        claims.unmarked = max(claims.unmarked, read.end)
        return None
    found = list(_calls_in(read, context))
    if language not in _DATA and not (
        read.clean and (language in _COMMANDS or _is_whole_fence(text, start, read, limit))
    ):
        found = []
    calls = [call for each in found if (call := _call(text, read, each, context)) is not None]
    if not calls:
        # Nor are there calls in it, without evidence of what it is a part of.
        claims.values = max(claims.values, read.end)
        return None
    _frame(text, read, calls, [each.path for each in found], context)
    _distribute(calls, read, context, language)
    return Reading(calls, read.end, read.reach)


def _is_asked_for(context: ReadContext) -> bool:
    return context.strict or any(form.dialect == context.preferred for form in FORMS)


def _goes_on(text: str, end: int, context: ReadContext) -> bool:
    """Return whether brackets on the same line close more than was opened."""
    closers = CLOSERS.match(text, end)
    context.look(end + 1 if closers is None else closers.end())
    return closers is not None


def _may_begin(text: str, start: int, context: ReadContext) -> bool:
    """Return whether a value may contain calls: by its first member, or because it is the data of a fence."""
    begun = _BEGINS.match(text, start)
    end = start if begun is None else begun.end()
    context.look(end + 1)
    if context.fence is None or context.fence.language not in _DATA:
        return _GATE.match(text, start) is not None
    return begun is not None and text[end : end + 1] in (":", "=")


def _is_whole_fence(text: str, start: int, read: JsonRead, limit: int) -> bool:
    """Return whether a value is all that a fence holds, which ends at `limit`."""
    if skip_space(text, read.end) < limit:
        return False
    at = start
    while at > 0 and text[at - 1] in " \t\r\n":
        at -= 1
    fence = fence_at(text, line_start(text, at)) if at > 0 else None
    return fence is not None and fence.content <= start and not text[fence.content : start].strip()


# -- from a value to its calls -----------------------------------------------------------------------------------------


def _calls_in(read: JsonRead, context: ReadContext) -> Iterator[_Found]:
    """Yield the calls in a value, in the order of the text; calls do not nest."""
    waiting: list[tuple[Any, Path, ApiObject | None]] = [(read.value, (), None)]
    while waiting:
        value, path, wanted = waiting.pop()
        context.budget.check()
        if isinstance(value, list):
            waiting += [(item, (*path, index), wanted) for index, item in reversed([*enumerate(value)])]
        if not isinstance(value, dict):
            continue
        found = _of_object(value, path, wanted, context, broken=bool(read.problems))
        if found is not None:
            yield found
        if (found is not None and not found.form.alone) or _is_result(value):
            continue
        inner = [
            (item, (*path, key), _LISTED.get(key) if isinstance(item, list) and (path or len(value) > 1) else None)
            for key, item in value.items()
            if isinstance(item, dict | list) and key not in _NO_CALLS and (found is None or key != found.form.holder)
        ]
        waiting += reversed(inner)


def _is_result(value: dict[str, Any]) -> bool:
    kind, role = value.get(TYPE_KEY), value.get("role")
    return (isinstance(kind, str) and kind in _RESULTS) or (isinstance(role, str) and role in _RESULTS)


def _of_object(
    value: dict[str, Any], path: Path, wanted: ApiObject | None, context: ReadContext, *, broken: bool
) -> _Found | None:
    """Return the call that an object is, None if it is not a call."""
    for form in FORMS if wanted is None else (*FORMS, wanted):
        kind = value.get(TYPE_KEY)
        if form.holder:
            named = value.get(form.holder)
            if not isinstance(named, dict) or (form.type_ and kind not in (None, form.type_)):
                continue
            inside = (*path, form.holder)
        else:
            if form.type_ and kind != form.type_:
                continue
            named, inside = value, path
        if not _is_call(named, form, context, broken=broken):
            continue
        begun = "index" in value or value.get("status") == "in_progress"
        if begun and form.encoded and _is_piece(named.get(form.keys.arguments_in(named))):
            return None
        whole = not form.alone and (not form.inner or len(value) == 1 or not form.holder)
        return _Found(form, path if whole else inside, inside)
    return None


def _is_piece(arguments: Any) -> bool:
    """Return whether arguments are a piece of a stream: a string with the beginning of JSON, or empty."""
    return isinstance(arguments, str) and not arguments.rstrip().endswith("}")


def _is_call(named: dict[str, Any], form: ApiObject, context: ReadContext, *, broken: bool) -> bool:
    """Return whether an object with a name and arguments is a call, neither a definition nor a choice of a tool."""
    meant = context.preferred == form.dialect or context.strict
    name, key = named.get(form.keys.name_in(named)), form.keys.arguments_in(named)
    if not isinstance(name, str):
        return name is None and meant and key in named
    if "parameters" in named or "description" in named:
        return False
    if key not in named:
        # Where a request may choose a tool by its name alone, that is not a call.
        return form.optional or (bool(form.type_) and not form.holder and meant)
    arguments = named[key]
    if isinstance(arguments, dict):
        return not is_definition(name, arguments, context)
    return meant or broken or isinstance(arguments, str) or HOLE in name


def _call(text: str, read: JsonRead, found: _Found, context: ReadContext) -> ToolCall | None:
    """Return the call that was found; None if it may only be a sample."""
    form, outer = found.form, entry_at(read, found.path)
    entry = outer if found.named == found.path else entry_at(read, found.named)
    call = object_call(text, entry, form.keys, form.dialect, outer.node.span, entry if form.inner else outer)
    details, given = call.details, call.arguments
    meant = context.preferred == form.dialect or context.strict
    if call.tool is not None and not meant and not _is_written(text, call):
        return None
    sample = context.strict and context.fence is not None and context.preferred != form.dialect
    if sample and (call.tool is None or not context.tools.has(call.tool)):
        # In a fence only a tool's name makes a call.
        return None
    if not isinstance(given, JsonValue):
        if form.optional:
            details["family"] = None
    elif given.node.kind == "string":
        _read_string(text, call, given, form, context)
    elif form.encoded and given.node.kind == "object" and context.preferred == form.dialect:
        key_span = entry.node.locate_key((details["arguments_key"],))
        call.problems.append(_differ(key_span or given.span))
    known = {form.holder, details["name_key"], details["arguments_key"], *form.keys.ids, *_BESIDE}
    if isinstance(outer.node.value, dict) and not outer.node.value.keys() <= known:
        details["stays"] = "the call has other members, which other dialects cannot represent"
    return call


def _read_string(text: str, call: ToolCall, given: JsonValue, form: ApiObject, context: ReadContext) -> None:
    """Replace the arguments of a call that are a string by the JSON in the string."""
    arguments, call.problems = _from_string(text, given, form, context)
    call.arguments = arguments
    if arguments is not None:
        call.body = arguments.span
        if arguments.read is not given.read:
            call.details["encoded"] = _content(text, given.span)
        return
    call.body = call.details.pop("object")
    if form.encoded and not str(given.python).strip():
        call.details["empty"] = True
    else:
        # A placeholder for arguments says nothing about them.
        call.details["family"], call.sketch = None, True


def _is_written(text: str, call: ToolCall) -> bool:
    """Return whether a name is written as a string, or means one; a word without quotes is a type."""
    at = call.tool_span.start
    quoted = text[at - 1 : at] in ('"', "'", "“", "‘") or text.startswith("\\", at)
    return quoted or call.tool == HOLE or call.tool in _LEFT_OUT


def _from_string(
    text: str, whole: JsonValue, form: ApiObject, context: ReadContext
) -> tuple[JsonValue | None, list[Problem]]:
    """Return the arguments that a string holds, with the problems in it; None if it is a placeholder or empty."""
    stated = str(whole.python).strip()
    meant = context.preferred == form.dialect or context.strict
    left_out = not stated.startswith("{") or stated.endswith(_LEFT_OUT)
    if (left_out and not meant) or (form.encoded and not stated):
        return None, []
    if not form.encoded:
        return whole, []
    content = _content(text, whole.span)
    if not text.startswith('"', whole.span.start) or decode_json_string(content.of(text)) != whole.python:
        # The string is corrected JSON without positions of its own.
        return whole, []
    inner = read_encoded(text, content, context.budget)
    closed = content.end < whole.span.end
    # Where the text ends in the string, that is reported once.
    return JsonValue(inner), [each for each in inner.problems if closed or not each.data.get("truncated")]


def _content(text: str, span: Span) -> Span:
    """Return what is between the quotes of a string, of which the second may be missing."""
    start, end = span
    before = text[start + 1 : end - 1]
    # A quote after a backslash ends nothing.
    closed = end - start > 1 and text[end - 1] == '"' and (len(before) - len(before.rstrip("\\"))) % 2 == 0
    return Span(start + 1, end - closed)


def _differ(span: Span) -> Problem:
    others = "OpenAI's API writes a string of JSON there"
    return differ(span, "The arguments are read as an object", others, certain=False)


# -- what a call is in ---------------------------------------------------------------------------------------------

_WITHIN: Final = "it is part of a JSON value that contains more than calls"


def _frame(text: str, read: JsonRead, calls: list[ToolCall], paths: list[Path], context: ReadContext) -> None:
    """Make the value the frame of its calls if it contains nothing else; otherwise leave the calls as they are."""
    after = skip_space(text, read.end)
    context.look(after + 1)
    alone = text[after : after + 1] not in (",", "]", "}")
    if not alone or len(paths) != len(calls) or not _is_pure(read.value, (), frozenset(paths)):
        for call in calls:
            call.details.setdefault("stays", _WITHIN)
    else:
        frame = Span(read.span.start, read.end)
        for call in calls:
            call.frame = frame
        if len(calls) == 1:
            calls[0].span = frame


def _is_pure(value: Any, path: Path, paths: frozenset[Path]) -> bool:
    """Return whether a value consists of calls, and of members without meaning of their own."""
    while path not in paths:
        if isinstance(value, list):
            return bool(value) and all(_is_pure(item, (*path, index), paths) for index, item in enumerate(value))
        if not isinstance(value, dict):
            return False
        full = [key for key in value if key not in _ROLE_OF and value[key]]
        if len(full) != 1:
            return False
        value, path = value[full[0]], (*path, full[0])
    return True


def _distribute(calls: list[ToolCall], read: JsonRead, context: ReadContext, language: str) -> None:
    """Give each problem of the value to the call that begins last before it.

    If these calls are not expected, only problems inside them are reported: the rest belongs to the document.
    """
    starts = [call.span.start for call in calls]
    allowed = _ALLOWED.get(language, frozenset())
    cut = False
    for problem in own_problems(read):
        call = calls[max(bisect_right(starts, problem.span.start) - 1, 0)]
        ends = bool(problem.data.get("truncated"))
        cut = cut or ends
        meant = context.strict or context.preferred == call.dialect or call.frame is not None
        if (meant or call.span.start <= problem.span.start < call.span.end) and problem.kind not in allowed:
            call.problems.append(problem)
    last = calls[-1]
    last.complete = not (cut and (last.frame is not None or last.span.end >= read.root.span.end))


__all__ = ["ANTHROPIC", "FAMILY", "FORMS", "GEMINI", "OPENAI", "ApiObject", "is_entry", "read_provider"]
