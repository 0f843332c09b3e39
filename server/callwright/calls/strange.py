"""Calls on lines of their own in no dialect: objects with a call's keys, Python calls, markers of results.

Owns: distinguishing such text from data and programs, and reading it, for strict reading. Must not know: dialect
modules, the registry's class.

A call that is read here always has a problem: no parser of any dialect would run it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from callwright.calls.bare_json import is_definition, read_value
from callwright.calls.fences import next_fence
from callwright.calls.json_places import inside_quotes, own_problems
from callwright.calls.model import JsonValue, Path, ToolCall
from callwright.calls.protocol import ReadContext, Reading, parameter_names
from callwright.calls.python_lists import python_call
from callwright.calls.result_text import RESULT_MARKER
from callwright.calls.scanning import LISTED, line_of
from callwright.syntax.json import JsonRead
from callwright.syntax.problem import Problem
from callwright.syntax.prose import PLAIN_LANGUAGES
from callwright.syntax.python_calls import read_calls
from callwright.text.records import NamedTuple
from callwright.text.shown import is_hidden
from callwright.text.span import Span

FAMILY: Final = "strange"
#: The dialects that such calls are most like.
_OBJECT_DIALECT: Final = "llama-json"
_PYTHON_DIALECT: Final = "pythonic"
_RESULT_DIALECT: Final = "mistral"

#: Keys whose value names the tool: of a call wherever they are, or beside arguments.
_NAMING: Final = (
    *("tool", "tool_name", "toolName", "function", "function_name", "functionName", "function_call"),
    *("action", "recipient_name"),
)
_NAMING_BESIDE: Final = ("name", "method", "command")
#: Keys whose value is the call, or holds several.
_HOLDING: Final = ("function_call", "functionCall", "tool_call", "toolCall", "tool_use", "toolUse", "function", "call")
_LISTING: Final = ("tool_calls", "toolCalls", "function_calls", "tool_uses", "calls", "actions")
_ARGUMENTS: Final = (
    *("arguments", "args", "parameters", "params", "input", "kwargs", "action_input", "tool_input", "toolInput"),
    "argument",
)
#: The keys of a call.
_OF_CALLS: Final = (*_NAMING, *_NAMING_BESIDE, *_ARGUMENTS, "id", "type")
_NAME: Final = re.compile(r"[A-Za-z_][\w.\-:/]{0,200}")
#: How an object begins: other text that begins with a brace has no key there.
_KEYED: Final = re.compile(r"""(?:\[\s*+)?+\{\s*+["'“‘]?+[\w.\-/$]{1,80}+["'”’]?+\s*+(:?+)""")
_FENCES: Final = PLAIN_LANGUAGES | {"json"}
_ENDS_LINE: Final = re.compile(r"[ \t]*+;?+[ \t]*+")

#: The text before the parenthesis of a call on a line of its own.
_CALL_HEAD: Final = re.compile(
    r"[ \t>]*+(?:await[ \t]{1,4})?+(?:default_api\.|tools\.|functions\.)?+([A-Za-z_]\w{0,80}+)"
)
_TOKEN: Final = re.compile(
    r'''"""(?:[^\\]|\\.)*?"""|\'\'\'(?:[^\\]|\\.)*?\'\'\'|"(?:[^"\\\r\n]|\\.)*+"|'(?:[^'\\\r\n]|\\.)*+\''''
    r"""|[()\[\]{}]|(?>\r\n|\n|\r)[ \t>]*+(?=[\r\n])""",
    re.DOTALL,
)
#: Syntax of programs and signatures that calls of models do not contain.
_NO_VALUES: Final = frozenset({"not-a-literal", "unexpected-text"})


class _Found(NamedTuple):
    """Where a call is in JSON, what it names, and where its arguments are."""

    path: Path
    name: str
    name_path: Path
    arguments: Path | None


def read_strange_object(text: str, start: int, context: ReadContext) -> Reading | None:
    """Read the JSON at `start`, which is alone on its lines, as calls; None where it is data."""
    if context.fence is not None and context.fence.language not in _FENCES:
        return None
    lead = LISTED.match(text, line_of(text, start, context))
    if lead is None or lead.end() != start:
        return None
    keyed = _KEYED.match(text, start)
    context.look((start if keyed is None else keyed.end()) + 2)
    if keyed is None or not (keyed[1] or keyed.end() == len(text)):
        return None
    read = read_value(text, start, next_fence(text, start, context), context)
    end = read.end
    following = _ENDS_LINE.match(text, end)
    after = end if following is None else following.end()
    context.look(after + 1)
    alone = after >= len(text) or text[after] in "\r\n"
    cut = any(problem.data.get("truncated") for problem in read.problems)
    found = list(_calls_in(read.value, (), context, cut=cut)) if alone else []
    if context.fence is not None:
        # A sample may show any call; one with the name of a tool is read.
        found = [each for each in found if context.tools.has(each.name)]
    if not found:
        context.scan.claims.values = max(context.scan.claims.values, end)
        return None
    calls = [_object_call(text, read, each, context) for each in found]
    calls[-1].problems += own_problems(read)
    calls[-1].complete = not cut
    return Reading(calls, end, max(read.reach, end))


def _calls_in(value: Any, path: Path, context: ReadContext, *, cut: bool, held: bool = False) -> Iterator[_Found]:
    """Yield the calls in a JSON value; `cut` says that it is truncated, `held` that its key already makes it a call."""
    if isinstance(value, list):
        found = [[*_calls_in(item, (*path, index), context, cut=cut, held=held)] for index, item in enumerate(value)]
        if all(found):
            yield from (each for entry in found for each in entry)
    elif isinstance(value, dict):
        listed = next((key for key in _LISTING if isinstance(value.get(key), list) and value[key]), None)
        inner = [*_calls_in(value[listed], (*path, listed), context, cut=cut, held=True)] if listed is not None else []
        if inner:
            yield from inner
            return
        key = next((key for key in _HOLDING if isinstance(value.get(key), dict)), None)
        named = _named(value[key], (*path, key), context, held=True) if key is not None else None
        if named is None:
            named = _named(value, path, context, held=held or (cut and all(map(_may_be_key, value))))
        if named is not None:
            yield named


def _may_be_key(key: str) -> bool:
    """Return whether a key, which may be truncated, is one of a call."""
    return any(known.startswith(key) for known in _OF_CALLS)


def _named(value: Mapping[str, Any], path: Path, context: ReadContext, *, held: bool) -> _Found | None:
    """Return the call that an object is, None if it is not a call; `held` says that its key already makes it one."""
    given = next((key for key in _ARGUMENTS if key in value), None)
    arguments = value[given] if given is not None else None
    written = isinstance(arguments, dict) or (isinstance(arguments, str) and arguments.lstrip().startswith("{"))
    where = (*path, given) if given is not None else None
    for key in (*_NAMING, *_NAMING_BESIDE):
        name = value.get(key)
        if not isinstance(name, str) or _NAME.fullmatch(_seen(name)) is None:
            continue
        if isinstance(arguments, dict) and (is_definition(name, arguments, context) or _describes(value, arguments)):
            return None
        if held or key in _NAMING or written or context.tools.has(name) or context.offered(name):
            return _Found(path, name, (*path, key), where)
    if len(value) == 1:
        name, only = next(iter(value.items()))
        if isinstance(only, dict) and (context.tools.has(name) or context.offered(name)):
            return _Found(path, name, path, (*path, name))
    return None


def _seen(name: str) -> str:
    """Return a name as it is seen, without characters that are not shown."""
    return name if name.isascii() and name.isprintable() else "".join(one for one in name if not is_hidden(one))


def _describes(value: Mapping[str, Any], parameters: Mapping[str, Any]) -> bool:
    """Return whether an object describes a tool and the types of its arguments."""
    return isinstance(value.get("description"), str) and isinstance(parameters.get("type"), str)


def _object_call(text: str, read: JsonRead, found: _Found, context: ReadContext) -> ToolCall:
    node = read.locate(found.path)
    assert node is not None, "the path was taken from the value"
    key = read.locate_key(found.arguments) if found.arguments and found.name_path == found.path else None
    named = key or (read.locate(found.name_path) or node).span
    tool_span = inside_quotes(text, named, found.name)
    arguments = JsonValue(read, found.arguments) if found.arguments is not None else None
    span = node.span if found.path else Span(read.span.start, read.end)
    return ToolCall(
        dialect=_OBJECT_DIALECT,
        span=span,
        tool=found.name,
        tool_span=tool_span,
        arguments=arguments,
        body=arguments.span if arguments is not None else node.span,
        name_spans=(tool_span,),
        frame=Span(read.span.start, read.end),
        problems=[_in_no_dialect(span, context, json=True)],
        details={"family": FAMILY},
    )


def read_strange_python(text: str, start: int, context: ReadContext) -> Reading | None:
    """Read the call of Python whose parenthesis is at `start`, alone on its lines; None where it is other text."""
    if context.fence is not None:
        return None
    begin = line_of(text, start, context)
    head = _CALL_HEAD.fullmatch(text, begin, start) if start - begin <= _MAX_HEAD_LENGTH else None
    if head is None or not (context.tools.has(head[1]) or context.offered(head[1])):
        return None
    if start < context.scan.claims.python:
        return None
    end, closed = _closing(text, start, context)
    call = _python_call(text, Span(*head.span(1)), end, context, closed=closed)
    if call is None:
        context.scan.claims.python = max(context.scan.claims.python, end)
        return None
    return Reading([call], max(end, start + 1), end)


def _python_call(text: str, named: Span, end: int, context: ReadContext, *, closed: bool) -> ToolCall | None:
    """Return the call of Python that begins with a name and ends at `end`; None where that is other text."""
    following = _ENDS_LINE.match(text, end)
    after = end if following is None else following.end()
    context.look(after + 1)
    if not closed and (after < len(text) or context.scan.window is not None):
        return None
    if after < len(text) and text[after] not in "\r\n":
        return None

    parameters = parameter_names(context.tools)
    read = read_calls(text, named.start, end, parameters=parameters, budget=context.budget)
    kinds = {problem.kind for call in read.calls for problem in call.read.problems}
    if len(read.calls) != 1 or kinds & _NO_VALUES:
        return None
    one = read.calls[0]
    span = Span(named.start, max(one.span.end, named.end))
    context.look(read.reach)
    call = python_call(one, FAMILY, _PYTHON_DIALECT, None)
    call.span, call.tool, call.tool_span, call.name_spans = span, named.of(text), named, (named,)
    call.problems = [_in_no_dialect(span, context), *read.problems, *one.read.problems]
    call.sketch, call.complete = False, closed
    return call


#: The maximum length of the text before a parenthesis on its line.
_MAX_HEAD_LENGTH: Final = 120


def _closing(text: str, start: int, context: ReadContext) -> tuple[int, bool]:
    """Return where the parenthesis at `start` is closed, and whether it is: a blank line ends an unclosed one."""
    depth = 0
    at = start
    while (token := _TOKEN.search(text, at)) is not None:
        at = token.end()
        if token[0] in "([{":
            depth += 1
        elif token[0] in ")]}":
            depth -= 1
            if depth == 0:
                context.look(at + 1)
                return at, True
        elif token[0][0] in "\r\n":
            context.look(at + 1)
            return at, False
    context.seek(len(text))
    return len(text), False


def read_result_marker(text: str, start: int, context: ReadContext) -> Reading | None:
    """Read a result that a model writes between markers that are not tags; None if it is other text."""
    if context.fence is not None or not text.startswith(RESULT_MARKER, start):
        return None
    end = start + len(RESULT_MARKER)
    context.look(end)
    span = Span(start, end)
    call = ToolCall(
        dialect=_RESULT_DIALECT,
        span=span,
        tool=RESULT_MARKER,
        tool_span=span,
        arguments=None,
        body=Span(end, end),
        name_spans=(span,),
        problems=[_in_no_dialect(span, context)],
        details={"family": FAMILY},
    )
    return Reading([call], end, end)


def _in_no_dialect(span: Span, context: ReadContext, *, json: bool = False) -> Problem:
    wanted = f"`{context.preferred}`" if context.preferred is not None else "a dialect"
    data = {
        "reason": "it is in no dialect that is accepted here",
        "remedy": f"Write it in {wanted}",
        "json": json,
        "strange": True,
    }
    return Problem("skipped-call", span, data)
