"""What a tool is that an agent runs, and what comes of a call.

Owns: `StrictTool`, `ToolError`, `ToolResult`, how a tool is described to a registry. Must not know: how calls are run,
how results are written into a conversation.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, TypeAlias, runtime_checkable

from callwright.tools.model import ToolSchema

if TYPE_CHECKING:
    from callwright.api import Call

#: What came of a call: it went well, the tool failed, it took too long, no one allowed it, its arguments do not fit,
#: no tool has its name, what it returned does not fit, someone stopped it.
ResultKind: TypeAlias = Literal["ok", "error", "timeout", "denied", "invalid", "unknown", "output", "cancelled"]


@runtime_checkable
class StrictTool(Protocol):
    """A tool that is run only with arguments that were validated, and where it is dangerous, only with leave.

    `schema` is the JSON Schema of the arguments object, or a whole definition in a shape that is known anywhere
    (MCP's, OpenAI's, …): it may then say what the tool returns and what hints it gives of its behaviour.

    A tool may also have these attributes; a definition in `schema` comes before them:

    - `description`, `title`: text for the model;
    - `output_schema`: the JSON Schema of what it returns;
    - `annotations`: hints of its behaviour in MCP's words;
    - `examples`: arguments to show a model how it is called;
    - `dangerous`: whether a call needs leave (`is_dangerous` says what holds where it is absent);
    - `timeout`: how many seconds a call may take, in place of the manager's number.
    """

    @property
    def name(self) -> str:
        """The name that calls are made by."""

    @property
    def schema(self) -> Mapping[str, Any]:
        """The JSON Schema of the arguments, or a whole definition."""

    def validate(self, params: Mapping[str, Any]) -> None:
        """Raise where arguments cannot be taken that the schema has nothing against; `ToolError` to say why."""

    def execute(self, params: Mapping[str, Any]) -> Any:
        """Return what the tool does with the arguments, a value that JSON can hold; or an awaitable of it."""


class ToolError(Exception):
    """A tool raises it to tell the model that it failed, and why: the message is passed on as it is."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What came of one call.

    `ok` says whether the call was carried out and returned what it should: `kind` is then `"ok"` and `error` None.
    Otherwise `error` says in a sentence or two what is wrong, for the model. `value` is what the tool returned, as
    plain JSON data; it is kept for logs where `kind` is `"output"`, and None where nothing came back. `shown` is what
    the model is given in place of `value` where that would be too long. `trace` is the traceback of a tool that raised;
    it is for logs, and no model is ever given it.
    """

    call: Call
    ok: bool
    value: Any = None
    error: str | None = None
    kind: ResultKind = "ok"
    shown: str | None = None
    trace: str | None = None

    @property
    def text(self) -> str:
        """What the model is told: the error, a text as it is, any other value as JSON on one line."""
        if self.error is not None:
            return self.error
        if self.shown is not None:
            return self.shown
        return self.value if isinstance(self.value, str) else json.dumps(self.value, ensure_ascii=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data: `tool`, `call_id`, `ok`, `kind`, `value`, `error`, and `trace` if any."""
        data = {
            "tool": self.call.tool,
            "call_id": self.call.id,
            "ok": self.ok,
            "kind": self.kind,
            "value": self.value,
            "error": self.error,
        }
        return data if self.trace is None else {**data, "trace": self.trace}


#: A member of the schema's top level that only a whole definition has.
_DEFINING: Final = ("inputSchema", "input_schema", "parameters", "function")
#: The member of a definition that each attribute of a tool means.
_ATTRIBUTES: Final = (
    ("description", "description"),
    ("title", "title"),
    ("outputSchema", "output_schema"),
    ("annotations", "annotations"),
    ("examples", "examples"),
)


def tool_schema(tool: StrictTool) -> ToolSchema:
    """Return a tool as a registry knows it.

    Raises TypeError where the object is no tool, ValueError where its name or a schema cannot be worked with.
    """
    thing: Any = tool
    if isinstance(thing, type) or not isinstance(thing, StrictTool):
        raise TypeError(
            f"{tool!r} is not a tool: it needs `name`, `schema`, `validate` and `execute`; use `tool_from` to make a "
            "tool from a function"
        )
    name: Any = thing.name
    schema: Any = thing.schema
    if not isinstance(name, str) or not isinstance(schema, Mapping):
        raise TypeError(f"{tool!r} is not a tool: its `name` must be a string and its `schema` an object")
    defined = any(isinstance(schema.get(key), Mapping) for key in _DEFINING)
    stated: dict[str, Any] = {"name": name, "inputSchema": {"type": "object"} if defined else dict(schema)}
    for key, attribute in _ATTRIBUTES:
        value = getattr(tool, attribute, None)
        if value is not None:
            stated[key] = value
    own = _read(name, stated)
    if not defined:
        return own
    found = _read(name, {**schema, "name": name} if "function" not in schema and "name" not in schema else schema)
    if found.name != name:
        raise ValueError(f"the tool `{name}` is defined under the name `{found.name}`")
    return replace(
        found,
        title=found.title or own.title,
        description=found.description or own.description,
        output_schema=own.output_schema if found.output_schema is None else found.output_schema,
        annotations={**own.annotations, **found.annotations},
        examples=found.examples or own.examples,
    )


def _read(name: str, definition: Mapping[str, Any]) -> ToolSchema:
    from callwright.tools.definitions import read_definitions

    found, problems = read_definitions(definition)
    if problems or len(found) != 1 or not found[0].checked:
        reason = problems[0].data.get("reason", "") if problems else "its schema does not define one tool"
        raise ValueError(f"the tool `{name}` cannot be used: {reason}")
    return found[0]


def is_dangerous(tool: StrictTool, schema: ToolSchema) -> bool:
    """Return whether a call of a tool needs leave.

    The tool's own word counts first (`dangerous`). Without one it is dangerous where its annotations say that it may
    destroy something (`destructiveHint`) or that it changes something (`readOnlyHint` is false); where they say
    nothing, it is not.
    """
    own = getattr(tool, "dangerous", None)
    if own is not None:
        return bool(own)
    hints = schema.annotations
    return hints.get("readOnlyHint") is not True and (
        hints.get("destructiveHint") is True or hints.get("readOnlyHint") is False
    )
