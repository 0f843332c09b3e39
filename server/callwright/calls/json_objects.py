"""Calls written as JSON objects with the tool's name under a key: fenced, bare, single or in a `tool_calls` list.

Owns: distinguishing such an object from other JSON, and reading it. Must not know: dialect modules.

The shapes are Windlass' (`{"tool": …, "arguments": …}`) and RagForge's (`{"tool_calls": [{"tool_name": …, …}]}`).
"""

import re
from collections.abc import Sequence
from typing import Any, Final

from callwright.calls.fences import fence_limit, no_fence_follows
from callwright.calls.json_calls import MISNOMERS, Form, distribute, ends_text, entry_at, object_call
from callwright.calls.json_places import own_problems
from callwright.calls.marker_problems import unclosed_fence
from callwright.calls.model import BARE_OBJECT, Path, ToolCall
from callwright.calls.protocol import ReadContext, Reading
from callwright.calls.provider_json import is_entry
from callwright.calls.scanning import QUOTED, end_of_line, lead_end, next_match
from callwright.syntax.json import JsonRead, read_json
from callwright.syntax.problem import Problem
from callwright.syntax.prose import Fence, fence_closer, fence_line, next_line
from callwright.text.span import Span

LIST_KEY: Final = "tool_calls"
#: The dialect of such a list that is alone; if it is preferred, a fence around the list is only a fence.
LIST_DIALECT: Final = "json"
#: Agent Zero writes `tool_name` and `tool_args`.
_SINGLE: Final = Form(
    "tool",
    name_also=("tool_name",),
    arguments_also=("tool_args",),
    arguments_else=(),
    family=BARE_OBJECT,
    held=False,
)
#: The name's key in such a list: of RagForge, and of llama.cpp for models without a dialect of their own.
LISTED: Final = Form("tool_name", name_also=("tool", "name"), arguments_else=(), family=BARE_OBJECT, held=False)
NAME_KEYS: Final = _SINGLE.name_keys
ARGUMENTS_KEY: Final = _SINGLE.arguments
#: Keys that may be beside a tool's name and its arguments in a call.
_COMPANIONS = frozenset(
    {"tool", "tool_name", "arguments", "tool_args", "id", "call_id", "tool_call_id", "reason", "reasoning", "comment"}
)
LANGUAGES: Final = frozenset({"", "json", "jsonc", "json5", "tool", "tool_call", "toolcall", "text", "txt"})
_MARKED = re.compile(
    r"""\s*+[\[{]\s*+(?:\{\s*+)?(?:(?://|\#)[^\r\n]*+\s*+)*+["'“‘]?(?:tool|tool_name|tool_calls|arguments)["'”’]?\s*+[:=]"""
)
_KEY = re.compile(r"""\s*+[\[{]\s*+(?:\{\s*+)?(?:(?://|\#)[^\r\n]*+\s*+)*+["'“‘]?\w*+["'”’]?\s*+""")
_LISTED = re.compile(r"""\{\s*+["'“]?tool_calls["'”]?\s*+[:=]\s*+(?:\[|$)|\[\s*+\{\s*+["'“]?tool_name["'”]?\s*+[:=]""")
#: A literal first, for a fast search.
_LATER = re.compile(r"""tool(?<=["'“]tool)(?:_name)?["'”]\s*+:\s*+["'“]""")


def begins_like_call(text: str, at: int, context: ReadContext | None = None) -> bool:
    """Return whether the JSON at `at` begins with a key that calls have."""
    key = _KEY.match(text, at)
    if context is not None:
        context.look((key.end() if key is not None else at) + 1)
    return _MARKED.match(text, at) is not None


def read_fenced(text: str, fence: Fence, context: ReadContext, dialect: str) -> Reading | None:
    """Read the fenced block that opens at `fence` as calls; None if its content is not a call."""
    if fence.language not in LANGUAGES:
        return None
    body = fence.content
    closer = fence_closer(fence.char, fence.length)
    first = _first_visible(text, body)
    context.look(first + 1)
    if first >= len(text) or text[first] not in "{[":
        return None
    if context.preferred == LIST_DIALECT and _LISTED.match(text, first) is not None:
        return None
    marked = begins_like_call(text, first, context)
    if not marked and context.preferred != dialect and not _mentions_tool(text, first, fence, context):
        return None
    # A line that opens another fence ends the block as well: JSON has no such line, so the closing fence is missing.
    following = fence_line(fence.char)
    # If no such line follows, the block ends where the object ends.
    open_ended = no_fence_follows(text, body, fence.char, context)
    read = read_json(text, body, stop=following, open_ended=open_ended, budget=context.budget)
    context.look(read.reach)
    paths = call_paths(read.value, context, dialect, read)
    if not paths or (context.preferred != dialect and _is_plain_list(read.value)):
        return None
    ending = None if open_ended else next_line(text, read.end, len(text), following, fence.char * 3)
    closing = closer.match(text, ending.start()) if ending is not None else None
    end = closing.end() if closing else len(text)
    problems: list[Problem] = []
    if closing is None:
        end = max(read.end, fence.content)
        problems.append(unclosed_fence(fence, read.end))
    frame = Span(fence.marker, end)
    calls = _calls(text, read, paths, dialect, frame, _SINGLE)
    # All text up to the closing line must be JSON.
    own = own_problems(read) if closing is None else [p for p in read.problems if p.span.end <= closing.start()]
    distribute(calls, own)
    calls[-1].complete = not ends_text(own)
    calls[0].problems[:0] = problems
    return Reading(calls, end, max(read.reach, end + 1) if closing else len(text))


def _is_plain_list(value: Any) -> bool:
    """Return whether calls are listed with `name` in place of `tool`: the list's own dialect reads them, too."""
    entries = value.get(LIST_KEY) if isinstance(value, dict) else None
    found = [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    return any("name" in entry for entry in found) and not any(key in entry for entry in found for key in NAME_KEYS)


def read_bare(text: str, start: int, context: ReadContext, dialect: str) -> Reading | None:
    """Read the JSON object that begins at `start`, first on its line, as a call; None if it is not a call.

    A list of calls is left to its own dialect, unless this one is preferred.
    """
    if _LISTED.match(text, start) is not None and context.preferred != dialect:
        return None
    read = _bare(text, start, context)
    if read is None:
        return None
    paths = call_paths(read.value, context, dialect, read)
    if not paths:
        if read.problems:
            # The text in a broken object is not read again from each of its lines.
            context.scan.claims.objects = read.end
        return None
    frame = Span(read.span.start, read.end)
    calls = _calls(text, read, paths, dialect, frame, _SINGLE)
    distribute(calls, own_problems(read))
    calls[-1].complete = not ends_text(own_problems(read))
    return Reading(calls, read.end, max(read.reach, end_of_line(text, read.end, context)))


def read_list(text: str, start: int, context: ReadContext, dialect: str) -> Reading | None:
    """Read the list of calls that begins at `start`, first on its line: alone, or in an object under `tool_calls`."""
    listed = _LISTED.match(text, start)
    context.look((listed.end() if listed is not None else start) + len(LIST_KEY) + 8)
    read = _bare(text, start, context) if listed is not None else None
    if read is None:
        return None
    found = read.value.get(LIST_KEY) if isinstance(read.value, dict) else read.value
    entries: list[Any] = found if isinstance(found, list) else []
    above: Path = (LIST_KEY,) if isinstance(read.value, dict) else ()
    objects = [index for index, entry in enumerate(entries) if isinstance(entry, dict)]
    if not any(_names(entries[index]) for index in objects):
        if read.problems:
            context.scan.claims.objects = read.end
        return None
    frame = Span(read.span.start, read.end)
    paths: list[Path] = [(*above, index) for index in objects]
    calls = _calls(text, read, paths, dialect, frame, LISTED)
    if len(calls) == 1:
        calls[0].span = frame
    distribute(calls, own_problems(read))
    cut = any(problem.data.get("truncated") for problem in read.problems) and not text[read.end :].strip()
    calls[-1].complete = not cut
    return Reading(calls, read.end, max(read.reach, end_of_line(text, read.end, context)))


def _names(value: dict[str, Any]) -> bool:
    """Return whether an entry of a list is meant as a call: it has a name, or arguments, and no unknown keys."""
    if any(isinstance(value.get(key), str) for key in LISTED.name_keys):
        return ARGUMENTS_KEY in value or any(key in value for key in MISNOMERS) or value.keys() <= _COMPANIONS
    return ARGUMENTS_KEY in value and value.keys() <= _COMPANIONS


def _bare(text: str, start: int, context: ReadContext) -> JsonRead | None:
    """Return the JSON that begins at `start`, first on its line and with a key that calls have; else None."""
    if lead_end(QUOTED, text, start, context) < start or not begins_like_call(text, start, context):
        return None
    if start < context.scan.claims.objects:
        return None
    limit = fence_limit(text, start, context)
    read = read_json(text, start, limit, open_ended=True, budget=context.budget)
    context.look(read.reach)
    return read


def call_paths(value: Any, context: ReadContext, dialect: str, read: JsonRead) -> list[Path]:
    """Return the paths of the objects in `value` that are calls: itself, the entries of its list, or none."""
    if isinstance(value, dict):
        entries = value.get(LIST_KEY)
        if isinstance(entries, list):
            if any(map(is_entry, entries)):
                # A message of an API has such a list, too.
                return []
            return [(LIST_KEY, index) for index, entry in enumerate(entries) if isinstance(entry, dict)]
        return [()] if is_call(value, context, dialect, read) else []
    if (
        isinstance(value, list)
        and value
        and all(isinstance(e, dict) and is_call(e, context, dialect, read) for e in value)
    ):
        return [(index,) for index in range(len(value))]
    return []


def is_call(value: dict[str, Any], context: ReadContext, dialect: str, read: JsonRead) -> bool:
    """Return whether an object is meant as a call: by its name key with arguments, or with no unknown keys beside
    it."""
    key = next((key for key in NAME_KEYS if key in value), None)
    if key is None:
        # With other names it is another dialect's call, unless this dialect is preferred.
        known = _COMPANIONS | {"name", "function"} if context.preferred == dialect else _COMPANIONS
        return ARGUMENTS_KEY in value and value.keys() <= known
    name = value[key]
    if not isinstance(name, str) and name is not None and not isinstance(name, int | float):
        return False
    if ARGUMENTS_KEY in value or value.keys() <= _COMPANIONS:
        return True
    if isinstance(name, str) and (context.tools.has(name) or context.tools.near(name) is not None):
        return True
    return context.preferred == dialect and bool(read.problems)


def _calls(text: str, read: JsonRead, paths: Sequence[Path], dialect: str, frame: Span, form: Form) -> list[ToolCall]:
    """Return the calls that the objects at `paths` are; a call that is the whole value covers all of the frame."""
    calls = []
    for path in paths:
        entry = entry_at(read, path)
        calls.append(object_call(text, entry, form, dialect, entry.node.span if path else frame))
        calls[-1].frame = frame
    return calls


def _first_visible(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r\n":
        at += 1
    return at


def _mentions_tool(text: str, at: int, fence: Fence, context: ReadContext) -> bool:
    """Return whether the block contains a key of a tool's name, so that long blocks of other JSON are not parsed."""
    end = next_match(text, at, fence_closer(fence.char, fence.length), context, marker=fence.char * 3)
    return next_match(text, at, _LATER, context, end.start() if end is not None else len(text)) is not None
