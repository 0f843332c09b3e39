"""Messages as OpenAI's chat completions have them, as many other programs write them, too.

Owns: reading one message, its calls and its result. Must not know: what lies around a message, hosts, dialects.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from callwright.calls.turns import NativeCall, Turn
from callwright.syntax.json import read_json
from callwright.syntax.json_views import JsonView
from callwright.transcripts.support.anthropic_messages import is_native, read_blocks
from callwright.transcripts.support.contents import add_content, add_text, begun_turn, result, returned
from callwright.transcripts.support.text_results import add_text_results

#: The members that name a call, OpenAI's own first; Llama Stack and agents in JavaScript have others.
_IDS: Final = ("id", "call_id", "callId")
_RESULT_IDS: Final = ("tool_call_id", "call_id", "callId")
#: The words for roles that mean one of ours. `ipython` is the role of results in Llama's templates.
ROLES: Final = {"developer": "system", "function": "tool", "ipython": "tool"}
#: The members of which a message has at least one beside its role.
_STATEMENTS: Final = ("content", "tool_calls", "function_call", "refusal", "audio")


def is_message(value: Any) -> bool:
    """Return whether a JSON value is a message: it has a role, and content or calls."""
    if not isinstance(value, Mapping) or not isinstance(value.get("role"), str):
        return False
    return any(key in value and value[key] != [] for key in _STATEMENTS)


def calls_tools(value: Any) -> bool:
    """Return whether a message has calls in OpenAI's own fields, or answers one."""
    if not isinstance(value, Mapping):
        return False
    calls = value.get("tool_calls")
    if isinstance(calls, list) and calls:
        return any(isinstance(entry, Mapping) and isinstance(entry.get("function"), Mapping) for entry in calls[:4])
    return value.get("role") == "tool" and isinstance(value.get("tool_call_id"), str)


def message_turn(message: JsonView) -> Turn:
    """Return the turn of a message, whatever its members."""
    turn = begun_turn(message, ROLES)
    content = message.get("content")
    if turn.role == "tool":
        # Ollama's word for the tool comes second.
        turn.results.append(result(message, _RESULT_IDS, returned(content), tool=("name", "tool_name")))
        return turn
    if content is not None and isinstance(content.value, list) and any(map(is_native, content.value)):
        # Gateways pass messages of Anthropic's form on.
        read_blocks(content, turn)
    else:
        add_content(turn, content, "text", "refusal")
    if turn.role == "user":
        add_text_results(turn)
    add_text(turn, message.get("refusal"))
    turn.calls += tool_calls(message)
    old = message.get("function_call")
    if old is not None and isinstance(old.value, dict):
        turn.calls.append(NativeCall(old, old.get("name"), old.get("arguments")))
    return turn


def tool_calls(message: JsonView) -> Iterator[NativeCall]:
    """Yield the calls under `tool_calls`.

    Data sets also write a call's name and arguments into the entry itself, LangChain with `args` and Llama Stack with
    `tool_name`; logs write the name under `function`, and traces the whole call under `tool_call`.
    """
    for listed in message.list_at("tool_calls"):
        inner = listed.get("tool_call")
        entry = inner if inner is not None and isinstance(inner.value, dict) else listed
        value = entry.value
        if not isinstance(value, dict):
            continue
        if _continues_call(value):
            continue
        call_id = entry.get(*_IDS)
        custom = entry.get("custom")
        if custom is not None and "function" not in value:
            yield NativeCall(entry, custom.get("name"), custom.get("input"), call_id, unparsed=True, key="input")
            continue
        function = entry.get("function")
        if function is None:
            if "args" in value and "arguments" not in value:
                yield NativeCall(entry, entry.get("name"), entry.get("args"), call_id, kept=True, key="args")
            elif "tool_name" in value:
                yield NativeCall(entry, entry.get("tool_name"), entry.get("arguments"), call_id, kept=True)
            elif "name" in value or value.get("type") in (None, "function"):
                yield NativeCall(entry, entry.get("name"), entry.get("arguments"), call_id)
        elif isinstance(function.value, str):
            yield NativeCall(entry, function, entry.get("arguments"), call_id)
        else:
            # The rest of the arguments of a streamed call is in the next pieces.
            begun = _is_streamed(value) and _is_part(function.value.get("arguments"))
            yield NativeCall(entry, function.get("name"), function.get("arguments"), call_id, unparsed=begun)


def is_continuation(message: Any) -> bool:
    """Return whether a message has nothing but further pieces of streamed calls."""
    calls = message.get("tool_calls") if isinstance(message, Mapping) else None
    if not isinstance(calls, list) or not calls or message.get("content"):
        return False
    return all(isinstance(entry, Mapping) and _continues_call(entry) for entry in calls)


def _is_streamed(entry: Mapping[str, Any]) -> bool:
    """Return whether an entry states its place among the calls of a stream."""
    return isinstance(entry.get("index"), int) and isinstance(entry.get("function"), Mapping)


def _continues_call(entry: Mapping[str, Any]) -> bool:
    """Return whether an entry is a piece of a streamed call whose name is in an earlier one."""
    return _is_streamed(entry) and not isinstance(entry["function"].get("name"), str)


def _is_part(arguments: Any) -> bool:
    """Return whether arguments are missing or cut off, as in the first piece of a streamed call."""
    return arguments is None or (isinstance(arguments, str) and not read_json(arguments).clean)
