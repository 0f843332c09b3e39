"""The forms of calls that are in no message: which members have the tool's name and its arguments.

Owns: distinguishing a call from other objects by its members, and where its parts are. Must not know: the language that
the value is written in, hosts, dialects.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from callwright.text.records import NamedTuple

#: Members that contain a call, or a list of calls, whose entries need no type.
_CALL: Final = ("tool_call", "toolCall", "tool_use", "toolUse", "function_call", "functionCall")
_CALLS: Final = ("tool_calls", "toolCalls", "tool_uses", "toolUses", "function_calls", "functionCalls")
HOLDERS: Final = (*_CALL, *_CALLS)
#: Under this key a list of calls may be a dialect of its own.
LIST: Final = "tool_calls"
#: What the type of a call is where it has one, and where the provider carries it out itself.
BLOCKS: Final = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
_TYPES: Final = frozenset({"tool_call", "tool-call", "toolCall"})
#: The keys of such a call's tool and its arguments.
_NAMES: Final = ("name", "tool_name", "toolName")
_ARGUMENTS: Final = ("arguments", "args", "input", "tool_input", "toolInput", "parameters")
#: The pairs of keys that both belong to tools, so that nothing else is needed to recognise a call.
_PAIRS: Final = (
    *(("tool_name", "tool_input"), ("toolName", "toolInput"), ("tool", "arguments")),
    *(("tool_name", "arguments"), ("toolName", "arguments")),
)
#: An object without any of these keys is no call.
NAMING: Final = frozenset({"function", *_NAMES, *(name for name, _ in _PAIRS)})
IDS: Final = ("id", "call_id", "callId", "tool_call_id", "toolCallId", "tool_use_id", "toolUseId")
#: What a definition of a tool has and a call does not, and what shows that arguments are repeated beside their result.
_DEFINED: Final = frozenset({"description", "input_schema", "inputSchema"})
_RETURNED: Final = frozenset({"result", "output"})


class Form(NamedTuple):
    """Where a call has its name and its arguments: in members of itself, or of its member `inner`."""

    inner: str | None
    name: str
    arguments: str


def form_of(value: Any) -> Form | None:
    """Return where an object that is plainly a call has its name and arguments; None for any other value."""
    if not isinstance(value, dict):
        return None
    kind = value.get("type", value.get("part_kind"))
    kind = kind if isinstance(kind, str) else ""
    if kind in BLOCKS:
        return (
            Form(None, "name", "input")
            if _is_name(value.get("name")) and isinstance(value.get("input"), dict)
            else None
        )
    function = value.get("function")
    if isinstance(function, dict):
        known = kind == "function" or (not kind and any(key in value for key in IDS))
        fits = _is_name(function.get("name")) and isinstance(function.get("arguments"), str | dict)
        return Form("function", "name", "arguments") if known and fits and "parameters" not in function else None
    if kind in _TYPES:
        return _flat_form(value, _NAMES, _ARGUMENTS)
    for name, arguments in _PAIRS:
        if isinstance(value.get(arguments), dict) and _flat_form(value, (name,), (arguments,)) is not None:
            return Form(None, name, arguments)
    if kind or "toolCallId" not in value or not _RETURNED.isdisjoint(value):
        return None
    return _flat_form(value, ("toolName",), ("args", "input"))


def held_form(value: Any, key: str) -> Form | None:
    """Return where an object under a name for calls has its name and arguments, None where it has none."""
    if not isinstance(value, dict):
        return None
    if key.lower().startswith("function"):
        return _flat_form(value, ("name",), ("arguments", "args"))
    function = value.get("function")
    if isinstance(function, dict):
        return Form("function", "name", "arguments") if _flat_form(function, ("name",), ("arguments",)) else None
    return _flat_form(value, ("function",) if function is not None else _NAMES, _ARGUMENTS)


def are_of_dialect(entries: Iterable[Any]) -> bool:
    """Return whether the entries of a list of calls are as the dialect for such lists has them, and no provider."""
    return not any(
        isinstance(each, dict) and each.get("tool_name") is None and form_of(each) is not None for each in entries
    )


def _flat_form(value: Mapping[str, Any], names: Iterable[str], arguments: Iterable[str]) -> Form | None:
    name = next((key for key in names if key in value), None)
    given = next((key for key in arguments if key in value), None)
    if name is None or given is None or not _is_name(value[name]) or not _DEFINED.isdisjoint(value):
        return None
    return Form(None, name, given) if _are_arguments(value[given]) else None


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and bool(value) and not value.isspace()


def _are_arguments(value: Any) -> bool:
    """Return whether a value may be arguments: an object that is no schema, or text that begins like one."""
    if isinstance(value, str):
        return value.lstrip()[:1] == "{"
    return isinstance(value, dict) and not (value.get("type") == "object" and isinstance(value.get("properties"), dict))
