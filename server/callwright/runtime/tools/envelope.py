"""The envelope: one shape for the results of all tools, with the context at the time.

Owns: `Envelope`, `envelope_schema`. Must not know: single tools, what runs them.

| Member | Content |
|---|---|
| `status` | `"success"` or `"error"` |
| `data` | what this tool returns; for an error, null or partial data |
| `context` | what all tools of a system share, always with a `timestamp`; `operation` if it is named |
| `error` | only for an error: `type`, `message`, and `details` if there are any |
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

#: The prefix of a reference that is relative to its own schema.
_LOCAL: Final = "#/"
_ERROR: Final[Mapping[str, Any]] = {
    "type": "object",
    "description": "What went wrong.",
    "properties": {
        "type": {"type": "string", "description": "The kind of error, for programs."},
        "message": {"type": "string", "description": "A description of the error."},
        "details": {"description": "Details, in any form."},
    },
    "required": ["type", "message"],
}


class Envelope:
    """Makes the envelopes of one system's tools.

    Its envelopes match `envelope_schema` if data and context match their schemas. It may be used by many threads at
    once if `context` may.
    """

    def __init__(
        self,
        context: Mapping[str, Any] | Callable[[], Mapping[str, Any]] | None = None,
        *,
        operation: str | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Set the members of every context, or a callable that returns them; the operation; and the clock.

        `clock` returns seconds since 1970, as `time.time` does.
        """
        self._context = context
        self._operation = operation
        self._clock = clock

    def of(self, operation: str) -> Envelope:
        """Return a maker of envelopes with an operation in their context."""
        return Envelope(self._context, operation=operation, clock=self._clock)

    def success(self, data: Mapping[str, Any] | None = None, **context: Any) -> dict[str, Any]:
        """Return the envelope of a tool's result; keywords are further members of the context."""
        return {"status": "success", "data": {} if data is None else dict(data), "context": self._around(context)}

    def error(
        self,
        message: str,
        *,
        type: str = "error",  # noqa: A002  # the member's name
        details: Any = None,
        data: Mapping[str, Any] | None = None,
        **context: Any,
    ) -> dict[str, Any]:
        """Return the envelope of a failure; `data` is partial data, if any."""
        error = {"type": type, "message": message}
        if details is not None:
            error["details"] = details
        return {
            "status": "error",
            "data": None if data is None else dict(data),
            "context": self._around(context),
            "error": error,
        }

    def _around(self, more: Mapping[str, Any]) -> dict[str, Any]:
        own = self._context() if callable(self._context) else self._context or {}
        named = {} if self._operation is None else {"operation": self._operation}
        moment = datetime.fromtimestamp(self._clock(), UTC)
        stamp = moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        return {**own, **more, **named, "timestamp": stamp}


def envelope_schema(data: Mapping[str, Any] | None = None, context: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the JSON Schema of an envelope: its data matches `data` on success, its context matches `context`.

    Both are separate schemas: their local references are adjusted. For an error, `data` may be null or any object, and
    `error` is required.
    """
    stamped = {
        "type": "object",
        "properties": {
            "operation": {"type": "string", "description": "What was executed."},
            "timestamp": {"type": "string", "description": "When it was executed."},
        },
        "required": ["timestamp"],
    }
    parts = {"data": {"type": "object"} if data is None else data, "context": {} if context is None else context}
    return {
        "type": "object",
        "properties": {
            "status": {"type": "string", "description": "Whether it succeeded.", "enum": ["success", "error"]},
            "data": {"type": ["object", "null"], "description": "What the tool returns."},
            "context": {**stamped, "allOf": [{"$ref": "#/$defs/context"}]},
            "error": dict(_ERROR),
        },
        "required": ["status", "data", "context"],
        "if": {"properties": {"status": {"const": "success"}}, "required": ["status"]},
        "then": {"properties": {"data": {"$ref": "#/$defs/data"}}},
        "else": {"required": ["error"]},
        "$defs": {name: _moved(schema, f"#/$defs/{name}") for name, schema in parts.items()},
    }


def _moved(schema: Mapping[str, Any], to: str) -> dict[str, Any]:
    """Return a schema with its local references adjusted for its place inside another."""
    from callwright.tools.references import with_children

    def moved(part: Any) -> Any:
        if not isinstance(part, Mapping) or "$id" in part:
            # A schema with its own `$id` is the base of its references.
            return part
        copy = with_children(part, lambda _, child: moved(child))
        reference = copy.get("$ref")
        if isinstance(reference, str) and (reference == "#" or reference.startswith(_LOCAL)):
            copy["$ref"] = to + reference[1:]
        return copy

    made: dict[str, Any] = moved({key: value for key, value in schema.items() if key != "$schema"})
    return made
