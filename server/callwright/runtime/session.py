"""The session: the record of an agent's conversation, and the one file that it is dumped to.

Owns: `Session`, the format of a dump. Must not know: how a loop runs, the messages to a model.

A dump is one JSON file that `callwright check` and `callwright replay` read as a transcript: they check its replies as
the session's parser did, with its tools and in its dialect.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from callwright.runtime.plain import plain
from callwright.text.records import NamedTuple
from callwright.transcripts.support.session_head import KEY, VERSION, form_fault

if TYPE_CHECKING:
    import os

    from callwright.runtime.log import LogEvent
    from callwright.runtime.strict import StrictParser
    from callwright.runtime.strikes import Strikes
    from callwright.runtime.turns import LoopResult


class SessionError(ValueError):
    """A file, or a value, is not a dump of a session; the message says why."""


@dataclass
class Session:
    """The record of one session, as plain data; also a log, which records the events that it receives.

    `dialect`, `accept` (further accepted dialects), `markup`, `reasoning`, `require_call`, `max_mistakes` and `limits`
    (the members of `Limits`, None where unknown) are the options that replies were read with, `tools` the offered
    definitions. `messages` is the whole conversation; the first `history` of them precede the first request to the
    model. `calls` has each call that was run, with its turn and result (`ok` is None where there is none yet), `errors`
    each rejected reply with its turn, its spans in code points of the reply, and the feedback; `approvals` the
    decisions about calls. Turns are the model's replies, from 1. `strikes` is the counter, `stop` the reason and the
    turn of the end, None where unknown. `versions` names the programs that wrote the session.

    Invariant: `Session.from_dict(session.to_dict()) == session`; the same holds for `dump` and `load`.
    """

    dialect: str | None = None
    accept: list[str] = field(default_factory=list)
    markup: str | None = None
    reasoning: str = "mentions"
    answer_tags: list[str] = field(default_factory=list)
    require_call: bool = False
    max_mistakes: int | None = None
    limits: dict[str, int | None] | None = None
    history: int = 0
    id: str | None = None
    tools: list[dict[str, Any]] = field(default_factory=list)
    messages: list[dict[str, Any]] = field(default_factory=list)
    calls: list[dict[str, Any]] = field(default_factory=list)
    errors: list[dict[str, Any]] = field(default_factory=list)
    approvals: list[dict[str, Any]] = field(default_factory=list)
    strikes: dict[str, Any] | None = None
    stop: dict[str, Any] | None = None
    versions: dict[str, str] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock, init=False, repr=False, compare=False)

    @classmethod
    def begin(
        cls,
        parser: StrictParser,
        messages: Iterable[Mapping[str, Any]] = (),
        *,
        strikes: Strikes | None = None,
        id: str | None = None,  # noqa: A002  # the name of the member
    ) -> Session:
        """Return a session of replies that `parser` reads, in a conversation that begins with `messages`.

        Pass it to a loop as (one of) its logs to record the run. `strikes` are the loop's, if it counts.
        """
        written = [plain(message) for message in messages]
        session = cls(history=len(written), id=id, messages=written)
        session.read_by(parser, strikes)
        return session

    def read_by(self, parser: StrictParser, strikes: Strikes | None = None) -> None:
        """Record how replies are read, with which tools and which counter, as `begin` does."""
        from callwright import __version__
        from callwright.tools.used_definitions import written_definition

        counter = strikes if strikes is not None else parser.strikes
        self.dialect, self.accept = parser.dialect, list(parser.dialects[1:])
        self.markup, self.reasoning = parser.settings.markup, parser.settings.reasoning
        self.answer_tags = [*parser.settings.answer_tags]
        self.require_call = parser.require_call
        self.max_mistakes = counter.maximum if counter is not None else None
        self.limits = asdict(parser.limits)
        self.tools = [plain(written_definition(tool)) for tool in parser.registry]
        self.strikes = counter.to_dict() if counter is not None else None
        self.versions = {"callwright": __version__}

    @classmethod
    def of(cls, parser: StrictParser, result: LoopResult, *, id: str | None = None) -> Session:  # noqa: A002  # as above
        """Return the session of a finished run for which no log was kept.

        The replies are read again to find out why they were rejected, and which of them contain the calls that were
        run.
        """
        replies = [index for index, message in enumerate(result.messages) if message.get("role") == "assistant"]
        began = replies[-result.turns] if 0 < result.turns <= len(replies) else len(result.messages)
        session = cls.begin(parser, result.messages[:began], strikes=result.strikes, id=id)
        session.messages = [plain(message) for message in result.messages]
        session.stop = {"reason": result.stop, "turn": result.turns}
        _read_again(session, parser, result)
        return session

    def __getstate__(self) -> dict[str, Any]:
        # A copy, here or in another process, has its own lock.
        with self._lock:
            return {name: value for name, value in self.__dict__.items() if name != "_lock"}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update(state, _lock=Lock())

    def __call__(self, event: LogEvent) -> None:
        """Record an event; any thread may call this."""
        data = plain(event.data)
        with self._lock:
            self._take(event.node_type, data)

    def _take(self, node_type: str, data: dict[str, Any]) -> None:
        if node_type == "model_reply":
            self.messages.append({"role": "assistant", "content": data.get("text", "")})
        elif node_type in ("validation_error", "max_mistakes"):
            self.errors.append({"final": node_type == "max_mistakes", **data})
            if isinstance(data.get("strikes"), dict):
                self.strikes = dict(data["strikes"])
            if isinstance(data.get("feedback"), str):
                self.messages.append({"role": "user", "content": data["feedback"]})
        elif node_type == "tool_call":
            self.calls.append({**data, "ok": None})
        elif node_type == "tool_result":
            self._came(data)
        elif node_type == "approval":
            self.approvals.append(data)
        elif node_type == "stop":
            self.stop = {"reason": data.get("reason"), "turn": data.get("turn")}
            if isinstance(data.get("strikes"), dict):
                self.strikes = dict(data["strikes"])

    def _came(self, data: dict[str, Any]) -> None:
        """Add a result to the record of its call, which is searched from the end."""
        for index in range(len(self.calls) - 1, -1, -1):
            call = self.calls[index]
            if call.get("turn") != data.get("turn"):
                break
            if call["ok"] is None and all(call.get(key) == data.get(key) for key in ("tool", "span", "call_id")):
                self.calls[index] = {**call, **data}
                return
        self.calls.append({"ok": None, **data})

    # -- the file ------------------------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return the session as plain JSON data, whatever is in it.

        The first member, `callwright_session`, has the version of the format and the options that replies are read
        with; it must stay the first one.
        """
        found: dict[str, Any] = plain(
            {
                KEY: {"version": VERSION, **{name: getattr(self, name) for name in _HEAD}},
                **{name: getattr(self, name) for name in _MEMBERS},
            }
        )
        return found

    @classmethod
    def from_dict(cls, data: Any) -> Session:
        """Return the session from the result of `to_dict`. Raises SessionError where `data` is something else."""
        from callwright.document.sessions import bounds_of

        if not isinstance(data, Mapping):
            raise SessionError("a session must be an object")
        head = data.get(KEY)
        if not isinstance(head, Mapping):
            raise SessionError(f"this is not a dump of a session: it has no object `{KEY}`")
        fault = form_fault(head.get("version"))
        if fault is not None:
            raise SessionError(fault)
        stated = {**_checked(head, _HEAD, f"{KEY}."), **_checked(data, _MEMBERS, "")}
        if stated["limits"] is not None and bounds_of(stated["limits"]) is None:
            raise SessionError(f"`{KEY}.limits` must each be a whole number of 1 or more, or null")
        stated["reasoning"] = stated["reasoning"] or "mentions"
        stated["history"] = stated["history"] or 0
        stated["versions"] = {str(name): str(each) for name, each in (stated["versions"] or {}).items()}
        return cls(**stated)

    def dump(self, path: str | os.PathLike[str]) -> None:
        """Write the session to a file atomically: an existing file stays unchanged until it is replaced.

        Raises OSError where it cannot be written.
        """
        import os
        from contextlib import suppress

        target = Path(path)
        data = json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=2) + "\n"
        beside = target.with_name(f".{target.name}.{os.getpid()}.{id(self):x}.tmp")
        try:
            with beside.open("xb") as file:
                # Half of a surrogate pair is written as a JSON escape.
                file.write(data.encode("utf-8", "backslashreplace"))
            beside.replace(target)
        except BaseException:
            with suppress(OSError):
                beside.unlink()
            raise

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Session:
        """Return the session in a file.

        Raises OSError where the file cannot be read, SessionError where it is not a dump of a session.
        """
        file = Path(path)
        try:
            data = json.loads(file.read_bytes().decode("utf-8-sig"))
        except UnicodeDecodeError as error:
            raise SessionError(f"{file}: it is not UTF-8: byte {error.start} is invalid") from None
        except RecursionError:
            raise SessionError(f"{file}: it is nested too deeply") from None
        except ValueError as error:
            raise SessionError(f"{file}: it is not JSON: {error}") from None
        try:
            return cls.from_dict(data)
        except SessionError as error:
            raise SessionError(f"{file}: {error}") from None


class _Form(NamedTuple):
    """The form of a member of a dump: its check, the words for it in errors, and the default where it is missing."""

    takes: Callable[[Any], bool]
    wanted: str
    otherwise: Any = None


def _all_are(kind: type, value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, kind) for each in value)


_TEXT: Final = _Form(lambda value: value is None or isinstance(value, str), "a string or null")
_TEXTS: Final = _Form(partial(_all_are, str), "a list of strings", [])
_OBJECT: Final = _Form(lambda value: value is None or isinstance(value, dict), "an object or null")
_OBJECTS: Final = _Form(partial(_all_are, dict), "a list of objects", [])
_NUMBER: Final = _Form(
    lambda value: value is None or (type(value) is int and value >= 0), "a whole number of 0 or more, or null"
)
#: The members of a dump: first those for how its replies are read, then the others.
_HEAD: Final = {
    "dialect": _TEXT,
    "accept": _TEXTS,
    "markup": _TEXT,
    "reasoning": _TEXT,
    "answer_tags": _TEXTS,
    "require_call": _Form(lambda value: isinstance(value, bool), "true or false", False),
    "max_mistakes": _NUMBER,
    "limits": _OBJECT,
    "history": _NUMBER,
}
_MEMBERS: Final = {
    "id": _TEXT,
    **dict.fromkeys(("versions", "stop", "strikes"), _OBJECT),
    **dict.fromkeys(("tools", "messages", "calls", "errors", "approvals"), _OBJECTS),
}


def _checked(data: Mapping[str, Any], forms: Mapping[str, _Form], where: str) -> dict[str, Any]:
    """Return members of a dump. Raises SessionError where one is invalid."""
    found: dict[str, Any] = {}
    for name, form in forms.items():
        value = data.get(name, form.otherwise)
        if not form.takes(value):
            raise SessionError(f"`{where}{name}` must be {form.wanted}")
        found[name] = list(value) if isinstance(value, list) else value
    return found


def _read_again(session: Session, parser: StrictParser, result: LoopResult) -> None:
    """Find the errors and calls of a run in its conversation."""
    from callwright.runtime.log import LogEvent
    from callwright.runtime.strict import StrictParser as Reader
    from callwright.runtime.strikes import Strikes as Counter

    strikes = Counter(result.strikes.maximum)
    reader = Reader(
        tools=parser.registry,
        dialect=parser.dialects,
        require_call=parser.require_call,
        markup=parser.settings.markup,
        reasoning=parser.settings.reasoning,
        answer_tags=parser.settings.answer_tags,
        strikes=strikes,
        limits=parser.limits,
    )
    results = iter(result.results)
    turn = 0
    for index, message in enumerate(result.messages[session.history :], session.history + 1):
        if message.get("role") != "assistant":
            continue
        turn += 1
        calls, error = reader.parse(str(message.get("content") or ""))
        if error is not None:
            reported = result.messages[index]["content"] if index < len(result.messages) else None
            event = LogEvent.of_error(error, turn=turn, strikes=strikes, feedback=reported)
            session.errors.append({"final": event.node_type == "max_mistakes", **plain(event.data)})
        for number, call in enumerate(calls, 1):
            came = next(results, None)
            if came is not None:
                more = {"turn": turn, "number": number, **came.to_dict()}
                session.calls.append(plain(LogEvent.of_call("tool_result", call, **more).data))
