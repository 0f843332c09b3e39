"""The interface of tools that an agent runs, and the result of a call.

Owns: `StrictTool`, `ToolError`, `ToolResult`, which tools are dangerous. Must not know: how calls are run, how results
are written into a conversation, how a tool is described to a registry.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, runtime_checkable

if TYPE_CHECKING:
    from callwright.api import Call
    from callwright.tools.model import ToolSchema

#: The kinds of results: the call succeeded, the tool failed, it took too long, it was not approved, its arguments are
#: invalid, no tool has its name, its output is invalid, it was cancelled.
ResultKind: TypeAlias = Literal["ok", "error", "timeout", "denied", "invalid", "unknown", "output", "cancelled"]


@runtime_checkable
class StrictTool(Protocol):
    """A tool that runs only with validated arguments and, if it is dangerous, only with approval.

    `schema` is the JSON Schema of the arguments object, or a whole definition in any known format (MCP's, OpenAI's, …),
    which may include the output schema and annotations.

    A tool may also have these attributes; a definition in `schema` takes precedence:

    - `description`, `title`: text for the model;
    - `output_schema`: the JSON Schema of what it returns;
    - `annotations`: hints of its behaviour, as in MCP;
    - `examples`: arguments that show a model how to call it;
    - `dangerous`: whether a call needs approval (see `is_dangerous` for the default);
    - `timeout`: how many seconds a call may take, in place of the manager's timeout.
    """

    @property
    def name(self) -> str:
        """The name that calls are made by."""

    @property
    def schema(self) -> Mapping[str, Any]:
        """The JSON Schema of the arguments, or a whole definition."""

    def validate(self, params: Mapping[str, Any]) -> None:
        """Raise where arguments that match the schema are not acceptable; raise `ToolError` to give the reason."""

    def execute(self, params: Mapping[str, Any]) -> Any:
        """Run the tool and return its result, a JSON value, or an awaitable of it."""


class ToolError(Exception):
    """Raised by a tool to report a failure to the model: the message is passed on unchanged."""


class InvalidArgumentsError(ToolError):
    """Raised where arguments that match the schema cannot be converted to the types of a function."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of one call.

    `ok` says whether the call was run and returned a valid result: `kind` is then `"ok"` and `error` None. Otherwise
    `error` says what is wrong, in one or two sentences for the model. `value` is the tool's return value as plain JSON
    data; it is kept for logs where `kind` is `"output"`, and None where nothing was returned. `shown` is the text for
    the model in place of a `value` that is too long. `trace` is the traceback of a tool that raised; it is for logs and
    is never sent to a model.
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
        """The text for the model: the error, a string unchanged, any other value as JSON on one line."""
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


def is_dangerous(tool: StrictTool, schema: ToolSchema) -> bool:
    """Return whether a call of a tool needs approval.

    The tool's own attribute (`dangerous`) takes precedence. Without it, a tool is dangerous if its annotations say that
    it may destroy something (`destructiveHint`) or changes something (`readOnlyHint` is false); without annotations, it
    is not.
    """
    own = getattr(tool, "dangerous", None)
    if own is not None:
        return bool(own)
    hints = schema.annotations
    return hints.get("readOnlyHint") is not True and (
        hints.get("destructiveHint") is True or hints.get("readOnlyHint") is False
    )
