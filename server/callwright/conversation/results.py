"""Results: what a tool returned, read as a value and checked against the schema that the tool declares for it.

Owns: `ReadResult`, `read_result`, whether a result states a failure. Must not know: rules, shapes of transcripts.

A result is written as JSON of the transcript, or as text that may hold JSON. In the second case the text's string is
decoded, so that places and edits go through two formats. Values are checked first; places are computed only when they
are asked for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from callwright.calls.model import NATIVE, JsonValue, ToolCall
from callwright.calls.result_text import FAILURES
from callwright.document.blocks import shifted
from callwright.schema.binding import Binding, bind
from callwright.schema.validation import validate
from callwright.syntax.json import JsonRead, read_json
from callwright.syntax.json_views import JsonView
from callwright.text.projection import Composed, Projection, encode_all
from callwright.text.records import dataclass, field, replace
from callwright.text.span import Edit, Span
from callwright.tools.parameters import types_of
from callwright.tools.registry import ToolRegistry
from callwright.transcripts.support.places import text_of_place

if TYPE_CHECKING:
    from callwright.calls.turns import Located, TurnResult
    from callwright.conversation.conversation import Answer, Conversation
    from callwright.document.snapshot import Snapshot
    from callwright.syntax.problem import Problem
    from callwright.tools.model import ToolSchema

_TEXT_TYPES: Final = frozenset({"text", "output_text", "input_text"})
#: The members of a result in the Model Context Protocol, from any source.
_MCP_RESULT: Final = frozenset({"content", "structuredContent", "isError", "_meta"})
#: Every text that states a failure contains one of these words.
_REPORTING: Final = re.compile(r"error|exception|traceback|fatal|fail|success|\"ok\"", re.IGNORECASE)


@dataclass(slots=True)
class ReadResult:
    """A result as a value. `text` is the result where it is text, `is_json` whether that contains JSON.

    `place` is where `value` is in the transcript, None where that is not known.
    """

    value: Any
    place: Located | None
    text: str | None = None
    is_json: bool = True


def read_result(result: TurnResult) -> ReadResult:
    """Return what a tool returned: a single text block is its text, and text that is JSON is its value."""
    value, place = result.value, result.content
    if place is None and isinstance(result.place, JsonView) and value is result.place.value:
        place = result.place
    if isinstance(value, dict) and isinstance(value.get("content"), list) and value.keys() <= _MCP_RESULT:
        key = "structuredContent" if value.get("structuredContent") is not None else "content"
        value, place = value[key], place.get(key) if isinstance(place, JsonView) else None
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict) and _is_text_block(value[0]):
        value = value[0]["text"]
        inner = next(place.items(), None) if isinstance(place, JsonView) else None
        place = inner.get("text") if inner is not None else None
    if not isinstance(value, str):
        return ReadResult(value, place)
    text = value
    if text.lstrip()[:1] in ("{", "["):
        try:
            return ReadResult(json.loads(text), place, text)
        except (ValueError, RecursionError):
            pass
    return ReadResult(text, place, text, is_json=False)


def _is_text_block(block: Mapping[str, Any]) -> bool:
    kind = block.get("type")
    return isinstance(kind, str) and kind in _TEXT_TYPES and isinstance(block.get("text"), str)


def states_failure(result: TurnResult) -> bool:
    """Return whether a result states that the tool failed: by the transcript's own field, or by what was returned.

    Values that state it: `status` is `"error"`, `isError` or `is_error` is true, `success` or `ok` is false, an `error`
    that is not empty. Texts that state it begin with the words of an error.
    """
    if result.failed is not None:
        return result.failed
    if isinstance(result.value, str) and not _REPORTING.search(result.value):
        return False
    if isinstance(result.value, dict) and result.value.get("isError") is True:
        return True
    return value_states_failure(read_result(result).value)


def value_states_failure(value: Any) -> bool:
    """Return whether a returned value states that the tool failed."""
    if isinstance(value, dict):
        if value.get("isError") is True or value.get("is_error") is True:
            return True
        if value.get("success") is False or value.get("ok") is False:
            return True
        status = value.get("status")
        if isinstance(status, str) and status.lower() in ("error", "failed", "failure"):
            return True
        return isinstance(value.get("error"), str | dict) and bool(value["error"]) and status is None
    return isinstance(value, str) and value[:64].lstrip().lower().startswith(FAILURES)


def output_tool(answer: Answer, snapshot: Snapshot) -> ToolSchema | None:
    """Return the tool that a result is of, where it declares its output."""
    asked = answer.asked
    if asked is not None:
        tools = asked.call.read.registry or snapshot.registry
        if asked.tool is None:
            return None
        candidates = tools.get(asked.tool)
        if not any(tool.output_schema for tool in candidates):
            return None
        bound = asked.call.binding.tool
        return bound if bound is not None and bound.output_schema else None
    if answer.result.tool is None:
        return None
    found = snapshot.registry.get(answer.result.tool)
    return next((tool for tool in found if tool.output_schema), None)


@dataclass(slots=True)
class BoundResult:
    """A result with the tool that declares its shape. `tool` has the declared output as its parameters.

    `binding` is None where the result is text that should be JSON and is not: `problems` are then those of the text as
    JSON. Spans of the binding and of the problems are offsets of `text`, which `projection` maps to the turn's own
    text.
    """

    tool: ToolSchema
    text: str
    projection: Projection
    span: Span
    binding: Binding | None
    problems: list[Problem] = field(default_factory=list)

    def raw_span(self, span: Span) -> Span:
        """Return a span of the text as a span of the turn's text."""
        return self.projection.raw_span(span)

    def encode(self, edits: Iterable[Edit]) -> tuple[Edit, ...] | None:
        """Return edits of the text as edits of the turn's text, None where they cannot be expressed."""
        return encode_all(self.projection, edits)


def faulty_result(answer: Answer, snapshot: Snapshot) -> BoundResult | None:
    """Return a result that does not match its tool's declared output; None where it matches or none is declared.

    Where the transcript states that the call failed, the result is not checked.
    """
    tool = output_tool(answer, snapshot)
    if tool is None or tool.output_schema is None or answer.result.failed:
        return None
    read = read_result(answer.result)
    schema = tool.output_schema
    if (read.is_json or _wants_text(schema)) and not validate(schema, read.value):
        return None
    bound = bound_result(tool, snapshot, read)
    if bound is None or bound.binding is None or bound.problems:
        return bound
    return bound if bound.binding.errors or bound.binding.unknown else None


def _wants_text(schema: Mapping[str, Any]) -> bool:
    types = types_of(schema, schema)
    return types is None or "string" in types


def bound_result(tool: ToolSchema, snapshot: Snapshot, read: ReadResult) -> BoundResult | None:
    """Return a result bound to the output that its tool declares; None where its place is not known."""
    schema = tool.output_schema
    place = read.place
    if schema is None or place is None:
        return None
    own = replace(tool, input_schema=schema, output_schema=None)
    located = text_of_place(place, decode=read.text is not None)
    if located is None:
        return None
    text, projection, within = located
    if read.text is not None and _wants_text(schema) and not read.is_json:
        # The text itself is the value.
        return BoundResult(own, text, projection, within, None)
    if read.text is None and isinstance(place, JsonView):
        value = JsonValue(place.read, place.path)
        return BoundResult(own, text, projection, within, _bound(value, own, text, within, snapshot))
    inner: JsonRead = read_json(text, within.start, within.end)
    if not read.is_json and not isinstance(inner.value, dict | list):
        return BoundResult(own, text, projection, within, None)
    binding = _bound(JsonValue(inner), own, text, within, snapshot)
    return BoundResult(own, text, projection, within, binding, list(inner.problems))


def result_place(conversation: Conversation, answer: Answer) -> tuple[str, Projection, Span] | None:
    """Return the text that a result is in, the projection to the document, and the result's span in it.

    None where its text is nowhere written as it is read.
    """
    read = read_result(answer.result)
    located = text_of_place(read.place, decode=read.text is not None) if read.place is not None else None
    if located is None:
        return None
    text, projection, span = located
    return text, Composed(shifted(answer.turn.projection, conversation.start), projection), span


def _bound(value: JsonValue, tool: ToolSchema, text: str, span: Span, snapshot: Snapshot) -> Binding:
    call = ToolCall(NATIVE, span, tool.name, Span(span.start, span.start), value, span)
    binding = bind(call, text, ToolRegistry([tool]), snapshot.settings)
    if not isinstance(binding.value, dict):
        # Arguments are always an object; a result need not be one.
        binding.errors = validate(tool.input_schema, binding.value)
    return binding


def in_turn(answer: Answer, bound: BoundResult) -> Projection:
    """Return the projection from a bound result's text to the conversation's."""
    projection: Projection = Composed(answer.turn.projection, bound.projection)
    return projection
