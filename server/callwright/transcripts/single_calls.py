"""The shape `single-calls`: calls in a provider's own fields that stand in no message.

Owns: recognising such calls by their members, and reading them. Must not know: other shapes, hosts, dialects.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from callwright.calls.turns import NativeCall, Turn
from callwright.syntax.json_views import JsonView
from callwright.transcripts.base import Shape

#: Members that hold a call, or a list of calls, whose entries need not say what they are.
_CALL: Final = ("tool_call", "toolCall", "tool_use", "toolUse", "function_call", "functionCall")
_CALLS: Final = ("tool_calls", "toolCalls", "tool_uses", "toolUses", "function_calls", "functionCalls")
_HOLDERS: Final = (*_CALL, *_CALLS)
#: What the type of a call is where it has one, and where the provider carries it out itself.
_BLOCKS: Final = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
_TYPES: Final = frozenset({"tool_call", "tool-call", "toolCall"})
#: What such a call's tool and its arguments are called.
_NAMES: Final = ("name", "tool_name", "toolName")
_ARGUMENTS: Final = ("arguments", "args", "input", "tool_input", "toolInput", "parameters")
#: The pairs of which both speak of a tool, so that nothing else need say that this is a call.
_PAIRS: Final = (("tool_name", "tool_input"), ("toolName", "toolInput"))
_IDS: Final = ("id", "call_id", "tool_call_id", "toolCallId", "tool_use_id", "toolUseId")
#: What a definition of a tool has and a call has not, and what says that arguments are repeated beside their result.
_DEFINED: Final = frozenset({"description", "input_schema", "inputSchema"})
_RETURNED: Final = frozenset({"result", "output"})
#: How many entries of a list are looked at to tell whether they are calls.
_LOOKED_AT: Final = 16


class SingleCalls(Shape):
    """A call by itself, or an object that holds calls and is no message."""

    name = "single-calls"
    title = "Calls without a conversation"
    keys = (*_HOLDERS, "function", "tool_name", "toolName", "type", "part_kind")
    provider = "none"
    alone = True
    sources = (
        "https://platform.openai.com/docs/api-reference/chat/object",
        "https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/implement-tool-use",
        "https://ai.google.dev/api/caching#FunctionCall",
        "https://google.github.io/adk-docs/evaluate/",
        "https://code.claude.com/docs/en/hooks",
    )
    about = """
        Traces, event logs and evaluation sets keep calls without the messages that they came in. Read are an entry of
        OpenAI's `tool_calls` (`function` with `name` and `arguments`), a block `tool_use`, an object of the type
        `tool_call` or `tool-call`, one with `tool_name` and `tool_input`, and what stands under `function_call`,
        `functionCall`, `toolUse`, `tool_calls` and their like, if it has a name and arguments.

        Such a call is checked against the tools that it comes with, else against those of the project. Nothing is said
        of results or of what stands before and after it. A choice of a tool (a `function_call` without arguments), a
        definition, a result and the pieces of a stream are no calls.
    """

    def matches(self, value: Any) -> int:
        """Return 10 for calls that stand by themselves: whatever is also of another shape is read as that."""
        return 10 if isinstance(value, dict) and (_form_of(value) or any(_held(value, key) for key in _HOLDERS)) else 0

    def others(self, value: dict[str, Any]) -> Iterable[str]:
        """Return what stands beside held calls; what stands in a call is its own."""
        return () if _form_of(value) else [key for key in value if not _held(value, key)]

    def turns(self, root: JsonView) -> Iterator[Turn]:
        """Yield one turn with all calls."""
        yield Turn(root, "assistant", calls=[*_calls(root)], continues=True)


def _calls(root: JsonView) -> Iterator[NativeCall]:
    form = _form_of(root.value)
    if form is not None:
        yield _native(root, *form)
        return
    for key in root.value:
        held = root.get(key) if key in _HOLDERS else None
        if held is None:
            continue
        for entry in held.items() if isinstance(held.value, list) else iter((held,)):
            inner = _unwrapped(entry)
            form = _form_of(inner.value) or _held_form(inner.value, key)
            if form is not None:
                yield _native(inner, *form)


def _native(entry: JsonView, inner: str | None, name: str, arguments: str) -> NativeCall:
    """Return the call that an entry is: name and arguments stand in it, or in its member `inner`."""
    around = entry.get(inner) if inner is not None else entry
    assert around is not None, "the form was read from the value"
    call_id = entry.get(*_IDS)
    if call_id is not None and call_id.value is None:
        call_id = None
    kind = entry.value.get("type")
    hosted = isinstance(kind, str) and kind in _BLOCKS and kind != "tool_use"
    return NativeCall(entry, around.get(name), around.get(arguments), call_id, hosted=hosted, key=arguments)


def _unwrapped(entry: JsonView) -> JsonView:
    """Return the call in an entry that has it under a name of its own, as traces do."""
    inner = entry.get("tool_call")
    return inner if inner is not None and isinstance(inner.value, dict) else entry


def _held(value: Mapping[str, Any], key: str) -> bool:
    """Tell whether a member holds calls."""
    inner = value.get(key) if key in _HOLDERS else None
    if isinstance(inner, dict):
        return _is_held(inner, key)
    return isinstance(inner, list) and any(_is_held(entry, key) for entry in inner[:_LOOKED_AT])


def _is_held(entry: Any, key: str) -> bool:
    if not isinstance(entry, dict):
        return False
    inner = entry.get("tool_call")
    own = inner if isinstance(inner, dict) else entry
    return _form_of(own) is not None or _held_form(own, key) is not None


_Form = tuple[str | None, str, str]


def _form_of(value: Any) -> _Form | None:
    """Return where an object that is plainly a call has its name and arguments; None for any other value."""
    if not isinstance(value, dict):
        return None
    kind = value.get("type", value.get("part_kind"))
    kind = kind if isinstance(kind, str) else ""
    if kind in _BLOCKS:
        return (None, "name", "input") if _is_name(value.get("name")) and isinstance(value.get("input"), dict) else None
    function = value.get("function")
    if isinstance(function, dict):
        known = kind == "function" or (not kind and any(key in value for key in _IDS))
        fits = _is_name(function.get("name")) and isinstance(function.get("arguments"), str | dict)
        return ("function", "name", "arguments") if known and fits and "parameters" not in function else None
    if kind in _TYPES:
        return _flat_form(value, _NAMES, _ARGUMENTS)
    for name, arguments in _PAIRS:
        if _is_name(value.get(name)) and isinstance(value.get(arguments), dict):
            return None, name, arguments
    if kind or "toolCallId" not in value or not _RETURNED.isdisjoint(value):
        return None
    return _flat_form(value, ("toolName",), ("args", "input"))


def _held_form(value: Any, key: str) -> _Form | None:
    """Return where an object that stands under the name of calls has its name and arguments, None where it has none."""
    if not isinstance(value, dict):
        return None
    if key.lower().startswith("function"):
        return _flat_form(value, ("name",), ("arguments", "args"))
    function = value.get("function")
    if isinstance(function, dict):
        return ("function", "name", "arguments") if _flat_form(function, ("name",), ("arguments",)) else None
    return _flat_form(value, ("function",) if function is not None else _NAMES, _ARGUMENTS)


def _flat_form(value: Mapping[str, Any], names: Iterable[str], arguments: Iterable[str]) -> _Form | None:
    name = next((key for key in names if key in value), None)
    given = next((key for key in arguments if key in value), None)
    if name is None or given is None or not _is_name(value[name]) or not _DEFINED.isdisjoint(value):
        return None
    return (None, name, given) if _are_arguments(value[given]) else None


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and bool(value) and not value.isspace()


def _are_arguments(value: Any) -> bool:
    """Tell whether a value may be arguments: an object that is no schema, or text that begins like one."""
    if isinstance(value, str):
        return value.lstrip()[:1] == "{"
    return isinstance(value, dict) and not (value.get("type") == "object" and isinstance(value.get("properties"), dict))


SHAPE = SingleCalls()
