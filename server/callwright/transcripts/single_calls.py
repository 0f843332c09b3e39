"""The shape `single-calls`: calls in a provider's own fields that are in no message.

Owns: recognising such calls by their members, and reading them. Must not know: other shapes, hosts, dialects.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from callwright.calls.turns import NativeCall, Turn
from callwright.syntax.json_views import JsonView
from callwright.transcripts.base import Shape
from callwright.transcripts.support.call_forms import BLOCKS, HOLDERS, IDS, Form, form_of, held_form

#: How many entries of a list are checked for being calls.
_SCANNED_AT: Final = 16


class SingleCalls(Shape):
    """A single call, or an object that contains calls and is not a message."""

    name = "single-calls"
    title = "Calls without a conversation"
    keys = (*HOLDERS, "function", "tool", "tool_name", "toolName", "type", "part_kind")
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
        Traces, event logs and evaluation sets store calls without their messages. Callwright reads an entry of OpenAI's
        `tool_calls` (`function` with `name` and `arguments`), a block `tool_use`, an object of the type `tool_call` or
        `tool-call`, and an object with `tool_name` and `tool_input` or with `tool` and `arguments`. It also reads the
        values of `function_call`, `functionCall`, `toolUse`, `tool_calls` and similar members, if they have a name and
        arguments.

        Such a call is checked against the tools next to it, or else against those of the project. Results and the order
        of calls are not checked. A tool choice (a `function_call` without arguments), a definition, a result and the
        pieces of a stream are not calls.
    """

    def matches(self, value: Any) -> int:
        """Return 10 for calls that are by themselves: a value of another shape is read as that."""
        return 10 if isinstance(value, dict) and (form_of(value) or any(_held(value, key) for key in HOLDERS)) else 0

    def others(self, value: dict[str, Any]) -> Iterable[str]:
        """Return the members beside the calls; the content of a call belongs to the call."""
        return () if form_of(value) else [key for key in value if not _held(value, key)]

    def turns(self, root: JsonView) -> Iterator[Turn]:
        """Yield one turn with all calls."""
        yield Turn(root, "assistant", calls=[*_calls(root)], continues=True)


def _calls(root: JsonView) -> Iterator[NativeCall]:
    form = form_of(root.value)
    if form is not None:
        yield _native(root, form)
        return
    for key in root.value:
        held = root.get(key) if key in HOLDERS else None
        if held is None:
            continue
        for entry in held.each():
            inner = _unwrapped(entry)
            form = form_of(inner.value) or held_form(inner.value, key)
            if form is not None:
                yield _native(inner, form)


def _native(entry: JsonView, form: Form) -> NativeCall:
    """Return the call that an entry is."""
    inner, name, arguments = form
    around = entry.get(inner) if inner is not None else entry
    assert around is not None, "the form was read from the value"
    kind = entry.text("type")
    hosted = kind in BLOCKS and kind != "tool_use"
    return NativeCall(entry, around.get(name), around.get(arguments), entry.given(*IDS), hosted=hosted, key=arguments)


def _unwrapped(entry: JsonView) -> JsonView:
    """Return the call in an entry that has it under a name of its own, as traces do."""
    inner = entry.get("tool_call")
    return inner if inner is not None and isinstance(inner.value, dict) else entry


def _held(value: Mapping[str, Any], key: str) -> bool:
    """Return whether a member contains calls."""
    inner = value.get(key) if key in HOLDERS else None
    if isinstance(inner, dict):
        return _is_held(inner, key)
    return isinstance(inner, list) and any(_is_held(entry, key) for entry in inner[:_SCANNED_AT])


def _is_held(entry: Any, key: str) -> bool:
    if not isinstance(entry, dict):
        return False
    inner = entry.get("tool_call")
    own = inner if isinstance(inner, dict) else entry
    return form_of(own) is not None or held_form(own, key) is not None


SHAPE = SingleCalls()
