"""Calls in a YAML list under `tool_calls:`, each with `tool_name` and `arguments`.

Owns: distinguishing such a list from other YAML, its calls, and writing one. Must not know: dialect modules.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from callwright.calls.fences import fence_limit
from callwright.calls.json_calls import distribute, entry_at, object_call
from callwright.calls.json_objects import ARGUMENTS_KEY, LIST_KEY, LISTED
from callwright.calls.model import JsonValue, Path, ToolCall
from callwright.calls.protocol import ReadContext, Reading, Refusal, Rendering, RenderStyle
from callwright.calls.render import first_non_finite
from callwright.calls.scanning import end_of_line, lead_end, line_of, skip_space
from callwright.syntax.problem import Problem
from callwright.syntax.prose import PLAIN_LANGUAGES, line_end
from callwright.syntax.yaml_format import MAX_DEPTH, YamlFormat, block_lines, depth_of, plain_key, quoted
from callwright.syntax.yaml_lexer import lines_below
from callwright.syntax.yaml_values import YamlRead, read_yaml
from callwright.text.records import replace
from callwright.text.span import Span

OPENER: Final = f"{LIST_KEY}:"
#: The languages of fences that such a list may be in, beside those of plain text.
LANGUAGES: Final = frozenset({"yaml", "yml"})
_FORM: Final = replace(LISTED, family="yaml", bare=True)
_INDENT: Final = re.compile(r" *+")
#: The first item of a list of calls: a dash and a key that calls have, or a list in brackets.
_ABOVE = re.compile(r"(?:[ \t]*+(?:\#[^\r\n]*+)?(?>\r\n|\n|\r))*+[ \t]*+(?:[-\[][\s{]*+)?+(?:[&!][^\s]*+\s*+)*+")
_FIRST = re.compile(
    r"[ \t]*+(?:\#[^\r\n]*+)?(?:(?>\r\n|\n|\r)[ \t]*+(?:\#[^\r\n]*+)?(?=[\r\n]))*+(?>\r\n|\n|\r)[ ]*+-[ \t\r\n]++"
    r"(?:[&!][^\s]*+[ \t]++)*+(?:\{\s*+)?[\"']?(?:tool_name|tool|name|arguments|id|call_id|tool_call_id)[\"']?[ \t]*+:"
    r"|[ \t]*+\[\s*+\{\s*+[\"']?(?:tool_name|tool|name|arguments|id|call_id|tool_call_id)[\"']?[ \t]*+:"
)


def read_yaml_calls(text: str, start: int, context: ReadContext, dialect: str) -> Reading | None:
    """Read the list whose key is at `start`, first on its line; None if it contains no calls."""
    begin = line_of(text, start, context)
    first = _FIRST.match(text, start + len(OPENER))
    context.look(first.end() + 1 if first is not None else _scanned(text, start + len(OPENER), context))
    if first is None or lead_end(_INDENT, text, start, context) < start:
        return None
    if context.fence is not None and context.fence.language not in PLAIN_LANGUAGES | LANGUAGES:
        return None
    limit = fence_limit(text, start, context)
    read = read_yaml(text, start + len(OPENER), start - begin, limit, budget=context.budget)
    if read is None:
        return None
    context.look(read.reach)
    end = read.root.span.end
    after = skip_space(text, end)
    context.look(after + 1)
    if not context.strict and text[end - 1 : end] == "]" and text[after : after + 1] in (",", "}"):
        return None  # a member of an object in some program
    entries = read.value if isinstance(read.value, list) else []
    calls = [
        _call(text, read, (index,), dialect)
        for index, entry in enumerate(entries)
        if isinstance(entry, dict) and _is_call(entry)
    ]
    if not calls:
        return None
    end = _block_end(text, read.end, start - begin, limit, context) if read.failed else read.end
    frame = Span(start, max(end, calls[-1].span.end))
    for call in calls:
        call.frame = frame
    if len(calls) == 1:
        calls[0].span = frame
    distribute(calls, read.problems)
    calls[-1].complete = not (read.cut or _cut_in_key(text, calls[-1], read))
    return Reading(calls, frame.end, max(read.reach, frame.end + 1))


def _scanned(text: str, at: int, context: ReadContext) -> int:
    """Return how far the text has to be scanned to know that no list of calls follows the opener that ends at `at`."""
    above = _ABOVE.match(text, at)
    return end_of_line(text, above.end() if above is not None else at, context) + 2


def _cut_in_key(text: str, call: ToolCall, read: YamlRead) -> bool:
    """Return whether the text ends in an incomplete key or before the arguments, and report it."""
    if read.end < len(text) or read.failed:
        return False
    node = read.root.items[-1] if read.root.kind == "array" and read.root.items else None
    if node is not None and node.kind == "object":
        if call.arguments is None:
            return True
        node = call.arguments.node if isinstance(call.arguments, JsonValue) else None
    if node is None or node.kind != "string" or node.span.end < len(text) or text[node.span.start] in "\"'|>":
        return False
    data = {"reason": "The text ends inside a key", "remedy": "Write the key, a colon and the value"}
    call.problems.append(Problem("invalid-yaml", node.span, {**data, "title": "", "truncated": True}))
    return True


def _is_call(value: dict[str, Any]) -> bool:
    """Return whether an item is meant as a call."""
    return any(key in value for key in LISTED.name_keys) or ARGUMENTS_KEY in value


def _call(text: str, read: YamlRead, path: Path, dialect: str) -> ToolCall:
    entry = entry_at(read, path)
    node = entry.node
    call = object_call(text, entry, _FORM, dialect, node.span)
    call.details["key_text"] = ARGUMENTS_KEY
    if call.arguments is None and call.details["misnamed"] is None and call.details["named"]:
        separator = YamlFormat(read.root, text).separator(node)
        at = call.tool_span.end
        call.details["insert_arguments"] = (at, f"{', ' if separator is None else separator}{ARGUMENTS_KEY}: ")
    return call


def _block_end(text: str, at: int, column: int, limit: int, context: ReadContext) -> int:
    """Return where the lines of a list end whose reading stopped at `at`."""
    after = lines_below(text, at, column, limit, comments=False)
    context.look(min(line_end(text, after), limit) + 2)
    last = at + len(text[at:after].rstrip())
    return min(line_end(text, last), limit) if last > at else at


def render_yaml_calls(calls: Sequence[Rendering], style: RenderStyle) -> str | Refusal:
    """Return calls as a list under `tool_calls:`."""
    lines = [OPENER]
    for index, call in enumerate(calls):
        refusal = _refusal(call.arguments)
        if refusal is not None:
            return refusal
        name = plain_key(call.tool)
        if name is None:
            return Refusal("the tool's name cannot be written in YAML")
        lines.append(f"  - tool_name: {name}")
        if call.call_id is not None:
            written = quoted(call.call_id)
            if written is None:
                return Refusal("the call's id cannot be written in YAML")
            lines.append(f"    id: {written}")
        below = block_lines(dict(call.arguments), last=index == len(calls) - 1)
        if below is None:
            return Refusal("a string contains two surrogates that YAML reads as one character")
        lines.append(f"    {ARGUMENTS_KEY}:{below[0]}")
        lines += [f"      {line}" if line else line for line in below[1:]]
    margin = "\n" + style.margin
    return lines[0] + "".join(margin + line if line else "\n" for line in lines[1:])


def _refusal(arguments: Mapping[str, Any]) -> Refusal | None:
    bad = first_non_finite(arguments)
    if bad is not None:
        return Refusal("JSON Schema has no NaN and no infinity", bad)
    if depth_of(arguments) > MAX_DEPTH:
        return Refusal(f"YAML nested more than {MAX_DEPTH} levels deep is not supported")
    return None
