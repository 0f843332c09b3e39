"""The log: the events of an agent's loop, and the sinks that they are written to.

Owns: `LogEvent`, the content of its `data` for each type, the sinks. Must not know: how a loop runs, the messages to a
model.

A log is any callable that takes an event. A log that fails must not stop an agent: `guarded` wraps one so that its
first failure is reported in Python's own logging and the others are ignored; the sinks of this module are guarded
already.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, TextIO, TypeAlias

from callwright.runtime.plain import json_text, plain

if TYPE_CHECKING:
    import logging
    import os

    from callwright.api import Call
    from callwright.runtime.errors import ParseError
    from callwright.runtime.strikes import Strikes

#: The types of events.
NodeType: TypeAlias = Literal[
    "turn", "model_reply", "tool_call", "tool_result", "validation_error", "max_mistakes", "approval", "stop"
]

#: The logger for failures of logs, and for events where no other logger is given.
LOGGER: Final = "callwright.runtime"
#: How many characters of a message a line of Python's logging quotes.
_QUOTED: Final = 500

#: OpenTelemetry's names for members of `data`, and for each type the operation that it belongs to. From "Semantic
#: conventions for generative AI" (https://github.com/open-telemetry/semantic-conventions-genai, docs/gen-ai and
#: docs/registry/attributes/gen-ai.md), status: development.
_OPERATIONS: Final[Mapping[str, str]] = {
    "turn": "chat",
    "model_reply": "chat",
    "validation_error": "chat",
    "tool_call": "execute_tool",
    "tool_result": "execute_tool",
    "approval": "execute_tool",
    "max_mistakes": "invoke_agent",
    "stop": "invoke_agent",
}
_NAMES: Final[Mapping[str, str]] = {
    "model": "gen_ai.request.model",
    "provider": "gen_ai.provider.name",
    "tool": "gen_ai.tool.name",
    "call_id": "gen_ai.tool.call.id",
}
#: Members with content from a model, a user or a tool; the conventions include them only on opt-in. A tool may have
#: returned a number.
_CONTENT: Final[Mapping[str, str]] = {
    "arguments": "gen_ai.tool.call.arguments",
    "value": "gen_ai.tool.call.result",
    "text": "callwright.text",
    "message": "callwright.error.message",
    "details": "callwright.error.details",
    "error": "callwright.error.message",
    "feedback": "callwright.feedback",
    "trace": "callwright.error.trace",
}
#: Callwright's own names. A member that is not listed and not a number may be content, and is treated as such.
_OWN: Final[Mapping[str, str]] = {
    "codes": "callwright.error.codes",
    "call": "callwright.call.number",
    "number": "callwright.call.number",
    "reason": "callwright.stop.reason",
    "kind": "callwright.result.kind",
    "ok": "callwright.result.ok",
    "dialect": "callwright.dialect",
    "span": "callwright.span",
    "spans": "callwright.error.spans",
    "finish_reason": "callwright.finish_reason",
}


@dataclass(frozen=True, slots=True)
class LogEvent:
    """One event of a run: its type, its data, its time and its session.

    `at` is the time, in seconds since 1970 or by the loop's own clock. `data` contains, beside whatever the loop adds:

    | `node_type` | `data` |
    |---|---|
    | `turn` | `turn` (from 1), `messages` (how many the model is given), `model` and `provider` where known |
    | `model_reply` | `turn`, `text` |
    | `tool_call` | `turn`, `number` (from 1 in its reply), `tool`, `arguments`, `call_id`, `dialect`, `span` |
    | `tool_result` | as `tool_call`, and `ok`, `kind`, `value`, `error` |
    | `validation_error` | `turn`, `type`, `message`, `details`, `codes`, `spans`, `call` (its number), `tool`, `dialect`, `strikes` |
    | `max_mistakes` | as `validation_error`; `type` is that of the failure that exceeded the maximum |
    | `approval` | `turn`, `tool`, `arguments`, `call_id`, `approved` |
    | `stop` | `turn`, `reason` |
    """  # noqa: E501 - a table's row is one line

    node_type: str
    data: Mapping[str, Any] = field(default_factory=dict)
    at: float | None = None
    session: str | None = None

    @classmethod
    def of_error(
        cls,
        error: ParseError,
        *,
        turn: int | None = None,
        strikes: Strikes | None = None,
        at: float | None = None,
        session: str | None = None,
        **more: Any,
    ) -> LogEvent:
        """Return the event of a rejected reply: `max_mistakes` where it exceeds the maximum of mistakes, else
        `validation_error`.
        """
        own = error.cause or error
        data = {
            "turn": turn,
            "type": own.type.value,
            "message": own.message,
            "details": own.details,
            "codes": list(own.codes),
            "spans": [[*span] for span in own.spans],
            "call": own.call.number if own.call is not None else None,
            "tool": own.call.tool if own.call is not None else None,
            "dialect": own.dialect,
            "strikes": strikes.to_dict() if strikes is not None else None,
            **more,
        }
        return cls("validation_error" if error.cause is None else "max_mistakes", data, at, session)

    @classmethod
    def of_call(
        cls,
        node_type: Literal["tool_call", "tool_result", "approval"],
        call: Call,
        *,
        turn: int | None = None,
        at: float | None = None,
        session: str | None = None,
        **more: Any,
    ) -> LogEvent:
        """Return an event about a call; further members, such as `approved`, are in `more`."""
        data = {
            "turn": turn,
            "tool": call.tool,
            "arguments": call.arguments,
            "call_id": call.id,
            "dialect": call.dialect,
            "span": [*call.span],
            **more,
        }
        return cls(node_type, data, at, session)

    @property
    def is_error(self) -> bool:
        """Whether something went wrong: a reply was rejected, or a tool failed."""
        if self.node_type == "tool_result":
            return self.data.get("ok") is False
        return self.node_type in ("validation_error", "max_mistakes")

    @property
    def summary(self) -> str:
        """The event on one short line, for people."""
        parts = [str(self.data[key]) for key in ("type", "reason", "tool", "kind") if self.data.get(key) is not None]
        if "approved" in self.data:
            parts.append("approved" if self.data["approved"] else "denied")
        stated = self.data.get("message") or self.data.get("error") if self.is_error else None
        line = f"{self.node_type}: {' '.join(parts)}" if parts else self.node_type
        line = f"{line}: {stated}" if stated else line
        # A model's text must not start a new line in a log.
        return "".join(one if one.isprintable() else " " for one in line[:_QUOTED])

    def to_dict(self) -> dict[str, Any]:
        """Return the event as plain JSON data, whatever is in it."""
        return {"node_type": self.node_type, "session": self.session, "at": plain(self.at), "data": plain(self.data)}

    def attributes(self, *, content: bool = False) -> dict[str, Any]:
        """Return the event under OpenTelemetry's names where it has one, under `callwright.` names else.

        Values are strings, numbers, booleans or lists of one of these, as attributes may be; objects are written as
        JSON. Content from a model, a user or a tool is left out unless `content` is true.
        """
        found: dict[str, Any] = {"callwright.node_type": self.node_type}
        if operation := _OPERATIONS.get(self.node_type):
            found["gen_ai.operation.name"] = operation
        if self.session is not None:
            found["gen_ai.conversation.id"] = self.session
        for key, value in self.data.items():
            name = _NAMES.get(key) or _OWN.get(key)
            if value is None or key == "type" or (key == "id" and "call_id" in self.data):
                continue
            if key == "strikes" and isinstance(value, Mapping):
                found |= {f"callwright.strikes.{each}": _attribute(number) for each, number in value.items()}
            elif name is not None or (isinstance(value, int | float) and key not in _CONTENT):
                found[name or f"callwright.{key}"] = _attribute(value)
            elif content:
                found[_CONTENT.get(key) or f"callwright.{key}"] = _attribute(value)
        if self.node_type in ("tool_call", "tool_result", "approval"):
            found["gen_ai.tool.type"] = "function"
        if self.is_error:
            found["error.type"] = str(self.data.get("type") or self.data.get("kind") or "_OTHER")
        return found


#: A callable that takes events.
Log: TypeAlias = Callable[[LogEvent], None]


def _attribute(value: Any) -> Any:
    value = plain(value)
    if isinstance(value, list):
        kinds = {type(each) for each in value}
        if len(kinds) <= 1 and kinds <= {str, bool, int, float}:
            return value
    return value if isinstance(value, str | int | float) else json_text(value)


class _Guarded:
    """A log whose exceptions are caught; the first one is reported."""

    def __init__(self, log: Log, name: str) -> None:
        self._log = log
        self._name = name
        self._reported = False

    def __call__(self, event: LogEvent) -> None:
        try:
            self._log(event)
        except Exception as error:  # noqa: BLE001 - whatever a log does wrong, the agent continues
            if not self._reported:
                self._reported = True
                import logging

                logging.getLogger(LOGGER).warning(
                    "%s failed and its error is ignored: %s: %s", self._name, type(error).__name__, error
                )


def _nowhere(event: LogEvent) -> None:
    del event


def guarded(log: Log | None) -> Log:
    """Return a log that never raises: the first failure of `log` is reported in Python's logging, later ones are
    ignored.

    None gives a log that ignores all events. Raises TypeError where `log` cannot be called.
    """
    if log is None:
        return _nowhere
    if not callable(log):
        raise TypeError(f"a `{type(log).__name__}` is not a log: pass a callable that accepts an event")
    return log if isinstance(log, _Guarded) or log is _nowhere else _Guarded(log, "The log of the runtime")


def to_all(*logs: Log | None) -> Log:
    """Return a log that passes each event to all of these, in order; one that fails does not affect the others."""
    each = [guarded(log) for log in logs if log is not None]

    def hand(event: LogEvent) -> None:
        for log in each:
            log(event)

    return guarded(hand)


def to_logging(logger: logging.Logger | None = None) -> Log:
    """Return a log into Python's logging: failures as WARNING, everything else as INFO.

    Each record has the attributes `node_type` and `callwright`, the whole event as plain data, so that formatters of
    structured logs find it there.
    """
    import logging

    target = logger if logger is not None else logging.getLogger(LOGGER)

    def note(event: LogEvent) -> None:
        level = logging.WARNING if event.is_error else logging.INFO
        if target.isEnabledFor(level):
            target.log(level, "%s", event.summary, extra={"node_type": event.node_type, "callwright": event.to_dict()})

    return guarded(note)


def to_jsonl(target: str | os.PathLike[str] | TextIO) -> Log:
    """Return a log that writes each event as a line of JSON, unbuffered.

    A path is opened for appending at once, so that one that cannot be written raises OSError here and not during a run;
    it is written as UTF-8. Threads may share the log. Raises TypeError where `target` is neither a path nor an open
    file.
    """
    write = _file_writer(target) if _is_path(target) else _stream_writer(target)
    lock = Lock()

    def note(event: LogEvent) -> None:
        line = json_text(event.to_dict()) + "\n"
        with lock:
            write(line)

    return guarded(note)


def _is_path(target: Any) -> bool:
    return isinstance(target, str) or hasattr(target, "__fspath__")


def _file_writer(path: Any) -> Callable[[str], None]:
    import os
    from weakref import finalize

    # Nothing is buffered: a process that is killed loses no logged event.
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags, 0o666)

    def write(line: str) -> None:
        rest = line.encode("utf-8")
        while rest:
            rest = rest[os.write(descriptor, rest) :]

    finalize(write, os.close, descriptor)
    return write


def _stream_writer(stream: Any) -> Callable[[str], None]:
    if not (callable(getattr(stream, "write", None)) and callable(getattr(stream, "flush", None))):
        raise TypeError(
            f"events cannot be written to a `{type(stream).__name__}`: pass a path or a file opened in text mode"
        )
    if isinstance(stream, io.RawIOBase | io.BufferedIOBase):
        raise TypeError("events are text, but this file is in binary mode: open it in text mode, or pass its path")
    encoding = str(getattr(stream, "encoding", None) or "utf-8")

    def write(line: str) -> None:
        try:
            line.encode(encoding)
        except (UnicodeEncodeError, LookupError):
            import json

            line = json.dumps(json.loads(line)) + "\n"
        stream.write(line)
        stream.flush()

    return write


class SpanLike(Protocol):
    """The part of an OpenTelemetry span's interface that is used here."""

    def add_event(self, name: str, attributes: Any = None) -> None:
        """Add an event to the span."""


def to_span_events(span: SpanLike, *, content: bool = False) -> Log:
    """Return a log that adds each event to an OpenTelemetry span, as `callwright.validation_error` and the like.

    Content from a model, a user or a tool is left out unless `content` is true. Raises TypeError where `span` is not a
    span.
    """
    if not callable(getattr(span, "add_event", None)):
        raise TypeError(f"a `{type(span).__name__}` is not a span: it has no method `add_event`")

    def note(event: LogEvent) -> None:
        span.add_event(f"callwright.{event.node_type}", event.attributes(content=content))

    return guarded(note)
