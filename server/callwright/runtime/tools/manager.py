"""The manager: registers tools, checks arguments and results, asks for approval, keeps time limits.

Owns: `StrictToolManager`, the sentences for the model where a call was not run. Must not know: how calls are read, how
results are written into a conversation.
"""

from __future__ import annotations

import contextlib
import copy
import inspect
import traceback
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, replace
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias, cast

from callwright.runtime.tools.base import (
    InvalidArgumentsError,
    ResultKind,
    StrictTool,
    ToolError,
    ToolResult,
    is_dangerous,
)
from callwright.runtime.tools.support.blocking import Blocking, drive
from callwright.runtime.tools.support.plain import NotJsonError, encodable, plain_json, shortened
from callwright.runtime.tools.support.unfinished import Stopped, TookTooLong
from callwright.runtime.tools.support.workers import Workers
from callwright.tools.objects import MEMBERS_NEEDED, is_tool, tool_schema, what
from callwright.tools.registry import ToolRegistry, refuse_path

if TYPE_CHECKING:
    from callwright.api import Call
    from callwright.runtime.log import Log
    from callwright.tools.model import ToolSchema

#: Decides whether a call may run.
Approve: TypeAlias = "Callable[[Call, StrictTool], bool | Awaitable[bool]]"

#: How many characters of a result are sent to the model.
MAX_RESULT: Final = 50_000
#: How many tools may block in threads at the same time.
MAX_THREADS: Final = 32
#: How many errors of arguments or of a result are reported.
_MAX_FAULTS: Final = 5
#: Characters that dialects use, which no name may contain.
_MARKERS: Final = frozenset("<>\"'`")
#: How many characters of an exception's text are reported.
_MAX_REASON_LENGTH: Final = 1_000


class _Waiting(Protocol):
    async def awaited(self, value: Awaitable[Any]) -> Any: ...

    async def executed(self, execute: Callable[[], Any], seconds: float | None, *, suspends: bool) -> Any: ...


@dataclass(frozen=True, slots=True)
class _Registered:
    tool: StrictTool
    schema: ToolSchema
    dangerous: bool
    timeout: float | None
    suspends: bool


class StrictToolManager:
    """Runs calls with its registered tools, and returns a result for every call.

    A call passes these steps; the first that fails decides the result: its tool is known (`"unknown"`), its arguments
    match the tool's schema and the tool's own `validate` accepts them (`"invalid"`), it is approved where the tool is
    dangerous (`"denied"`), the tool returns (`"error"`, `"timeout"`, `"cancelled"`), and the return value is JSON data
    that matches the tool's output schema (`"output"`). The tool receives an `int` wherever its schema requires an
    integer, even if it is written `5.0`; the call itself is not changed.

    ***Approval.** A dangerous tool (see `is_dangerous`) runs only if `approve` returns True for the call. Without
    `approve` it never runs; an exception in `approve`, or any value but True, denies. `approve` is not called for a
    call with invalid arguments.

    ***Time.** `timeout` is in seconds and includes the wait for a thread; a tool's own `timeout` takes precedence. An
    asynchronous tool that takes too long is cancelled. A blocking one runs in a daemon thread, which cannot be killed:
    it continues, and counts among the `max_threads` until it returns. In `run`, a blocking tool without a timeout runs
    in the caller's thread, where `cancel` cannot reach it. In `arun`, blocking tools always run in a thread; `validate`
    and a plain `approve` are called in the event loop's thread and block it.

    ***Results.** The model receives `max_result` characters of a result, and its length; `value` is kept whole.

    Invariant: `run` and `arun` do not raise because of a tool; KeyboardInterrupt, SystemExit and the cancellation of
    the caller's task are passed on. A manager may be used by many threads and tasks at once. `log` receives each
    `approval`, but not calls and results, which the caller logs.
    """

    def __init__(
        self,
        tools: Iterable[StrictTool | Callable[..., Any]] = (),
        *,
        approve: Approve | None = None,
        timeout: float | None = None,
        log: Log | None = None,
        max_result: int = MAX_RESULT,
        max_threads: int = MAX_THREADS,
    ) -> None:
        """Set the tools, the approval callback, and the limits.

        Raises ValueError for a limit below 1 or a timeout that is not above 0, TypeError where an entry is not a tool
        or `approve` is not callable, and as `register` does.
        """
        if any(type(most) is not int or most < 1 for most in (max_result, max_threads)):
            raise ValueError("`max_result` and `max_threads` must be whole numbers of at least 1")
        if approve is not None and not callable(approve):
            raise TypeError(f"`approve` is a `{type(approve).__name__}`: it must be callable with a call and its tool")
        self.approve = approve
        self.timeout = _seconds(timeout, "the manager")
        self.max_result = max_result
        self._log: Log | None = None
        if log is not None:
            from callwright.runtime.log import guarded

            self._log = guarded(log)
        self._workers = Workers(max_threads, "callwright-tool")
        self._lock = Lock()
        self._tools: dict[str, _Registered] = {}
        self._registry = ToolRegistry()
        self._running: dict[Future[None], Call] = {}
        refuse_path(tools)
        if is_tool(tools) or inspect.isroutine(tools):
            tools = (cast("StrictTool", tools),)
        if isinstance(tools, Mapping | ToolRegistry) or not isinstance(tools, Iterable):
            remedy = "pass a list of tools or functions, which can be run; definitions alone are for a parser"
            raise TypeError(f"`tools` is {what(tools)}: {remedy}")
        for index, tool in enumerate(tools):
            if not is_tool(tool) and not inspect.isroutine(tool):
                raise TypeError(
                    f"`tools[{index}]` is {what(tool)}, not a tool: {MEMBERS_NEEDED}; or pass a function; definitions "
                    "alone are for a parser"
                )
            self.register(tool)

    # -- which tools there are -----------------------------------------------------------------------------------------

    def register(self, tool: StrictTool | Callable[..., Any]) -> None:
        """Add a tool, or a function as `tool_from` converts it. A parser that already has the registry does not see the
        tool.

        Raises TypeError where the object is not a tool, ValueError where its name is used already, or where its name,
        its timeout or a schema is invalid.
        """
        if inspect.isroutine(tool):
            from callwright.runtime.tools.functions import made_tool

            tool = made_tool(tool)
        tool = cast("StrictTool", tool)
        schema = tool_schema(tool)
        for name in (schema.name, *schema.aliases):
            _check_name(name)
        if inspect.iscoroutinefunction(tool.validate):
            raise TypeError(f"`validate` of the tool `{schema.name}` must be a plain function, not a coroutine")
        timeout = _seconds(getattr(tool, "timeout", None), f"the tool `{schema.name}`")
        suspends = inspect.iscoroutinefunction(tool.execute)
        made = _Registered(tool, schema, is_dangerous(tool, schema), timeout, suspends)
        with self._lock:
            for name in (schema.name, *schema.aliases):
                if self._registry.has(name):
                    raise ValueError(
                        f"there is already a tool `{name}`: unregister it first, or give this one another name"
                    )
            self._tools = {**self._tools, schema.name: made}
            self._registry = ToolRegistry(each.schema for each in self._tools.values())

    def unregister(self, name: str) -> StrictTool:
        """Remove a tool and return it; its running calls continue. Raises KeyError where there is none."""
        with self._lock:
            tools = dict(self._tools)
            removed = tools.pop(name)
            self._tools = tools
            self._registry = ToolRegistry(each.schema for each in tools.values())
        return removed.tool

    @property
    def registry(self) -> ToolRegistry:
        """The current tools, for a parser and for prompts."""
        return self._registry

    @property
    def tools(self) -> tuple[StrictTool, ...]:
        """The tools, in the order in which they were registered."""
        return tuple(each.tool for each in self._tools.values())

    def needs_leave(self, name: str) -> bool:
        """Return whether a call of the tool needs approval. Raises KeyError where there is no such tool."""
        return self._tools[name].dangerous

    # -- running -------------------------------------------------------------------------------------------------------

    @property
    def running(self) -> tuple[Call, ...]:
        """The running calls, including those that wait for approval, in the order of their start."""
        with self._lock:
            return tuple(self._running.values())

    def cancel(self) -> None:
        """Stop every running call; may be called by any thread. Later calls run as usual."""
        with self._lock:
            stops = tuple(self._running)
        for stop in stops:
            # Two threads may cancel at the same time.
            with contextlib.suppress(Exception):
                stop.set_result(None)

    def run(self, call: Call) -> ToolResult:
        """Run a call and return its result. Asynchronous tools run in a new event loop."""
        with self._execution(call) as stop:
            result: ToolResult = drive(self._steps(call, Blocking(self._workers, stop), stop))
        return result

    def may_overlap(self, call: Call) -> bool:
        """Return whether a call may run concurrently with others: its tool only reads and needs no approval."""
        known = self._tools.get(call.tool or "")
        return known is not None and known.schema.annotations.get("readOnlyHint") is True and not known.dangerous

    async def arun(self, call: Call) -> ToolResult:
        """Run a call and return its result; where the caller's task is cancelled, so is the tool."""
        from callwright.runtime.tools.support.suspending import Suspending

        with self._execution(call) as stop:
            return await self._steps(call, Suspending(self._workers, stop), stop)

    @contextmanager
    def _execution(self, call: Call) -> Iterator[Future[None]]:
        stop: Future[None] = Future()
        with self._lock:
            self._running[stop] = call
        try:
            yield stop
        finally:
            with self._lock:
                del self._running[stop]

    async def _steps(self, call: Call, waiting: _Waiting, stop: Future[None]) -> ToolResult:
        found = self._registry.get(call.tool) if call.tool is not None else ()
        registered = self._tools.get(found[0].name) if found else None
        if registered is None:
            return self._failed(call, "unknown", self._unknown(call.tool))
        name = registered.schema.name
        # The tool receives a copy of the validated and approved arguments, which other code cannot change meanwhile.
        arguments = _proper(registered.schema, call.arguments)
        refused = self._refused(call, registered, arguments)
        if refused is not None:
            return refused
        try:
            if registered.dangerous and not await self._allowed(call, registered, arguments, waiting):
                why = (
                    "it was not approved" if self.approve is not None else "it needs approval, and no `approve` is set"
                )
                return self._failed(call, "denied", f"`{name}` was not run: {why}. Continue without it.")
            if stop.done():
                return self._stopped(call, name)
            timeout = registered.timeout if registered.timeout is not None else self.timeout
            returned = await waiting.executed(
                lambda: _execute(registered.tool, arguments), timeout, suspends=registered.suspends
            )
        except TookTooLong:
            # A plain function continues in its thread, and its effect may follow.
            rest = "and was cancelled" if registered.suspends else "and may still be running"
            return self._failed(call, "timeout", f"`{name}` took longer than {timeout:g} seconds {rest}.")
        except Stopped:
            return self._stopped(call, name)
        except ToolError as error:
            kind: ResultKind = "invalid" if isinstance(error, InvalidArgumentsError) else "error"
            return self._failed(call, kind, _stated(error) or f"`{name}` failed.", trace=_trace(error))
        except Exception as error:  # noqa: BLE001  # a tool may raise anything
            return self._failed(call, "error", f"`{name}` failed: {_reason(error)}", trace=_trace(error))
        return self._finished(call, registered.schema, returned)

    def _refused(self, call: Call, registered: _Registered, arguments: Any) -> ToolResult | None:
        """Return the result of a call with invalid arguments; None where they are valid."""
        name = registered.schema.name
        faults = _faults(registered.schema.input_schema, arguments)
        if faults:
            return self._failed(call, "invalid", f"The arguments of `{name}` are not valid: {faults}.")
        try:
            returned: Any = registered.tool.validate(copy.deepcopy(arguments))  # type: ignore[func-returns-value]
        except ToolError as error:
            return self._failed(call, "invalid", _stated(error) or f"The arguments of `{name}` are not valid.")
        except Exception as error:  # noqa: BLE001  # as above
            stated = f"The arguments of `{name}` are not valid: {_reason(error)}"
            return self._failed(call, "invalid", stated, trace=_trace(error))
        if inspect.isawaitable(returned):
            # The coroutine has validated nothing.
            if inspect.iscoroutine(returned):
                returned.close()
            return self._failed(call, "error", f"`{name}` cannot be run: its `validate` is a coroutine.")
        return None

    async def _allowed(self, call: Call, registered: _Registered, arguments: Any, waiting: _Waiting) -> bool:
        answer: Any = None
        cause = None
        if self.approve is None:
            cause = "no `approve` function"
        else:
            try:
                answer = self.approve(replace(call, arguments=copy.deepcopy(arguments)), registered.tool)
                if inspect.isawaitable(answer):
                    answer = await waiting.awaited(answer)
            except Stopped:
                self._report(call, approved=False, cause="stopped")
                raise
            except Exception as error:  # noqa: BLE001  # a failed answer is not an approval
                answer, cause = None, _reason(error)
        allowed = answer is True
        self._report(call, approved=allowed, cause=cause)
        return allowed

    def _report(self, call: Call, *, approved: bool, cause: str | None) -> None:
        if self._log is None:
            return
        from callwright.runtime.log import LogEvent

        self._log(LogEvent.of_call("approval", call, approved=approved, cause=cause))

    def _finished(self, call: Call, schema: ToolSchema, returned: Any) -> ToolResult:
        """Return the result of a tool that returned."""
        try:
            value = plain_json(returned)
        except NotJsonError as error:
            return self._failed(call, "output", f"`{schema.name}` returned a value that cannot be passed on: {error}.")
        except Exception as error:  # noqa: BLE001  # a mapping of the tool's own may raise anything
            stated = f"`{schema.name}` returned a value that cannot be passed on: {_reason(error)}"
            return self._failed(call, "output", stated, trace=_trace(error))
        if schema.output_schema is not None:
            faults = _faults(schema.output_schema, value, "the result")
            if faults:
                stated = f"`{schema.name}` returned a result that does not match its output schema: {faults}."
                return self._failed(call, "output", stated, value=value)
        result = ToolResult(call, ok=True, value=value)
        shown = shortened(result.text, self.max_result)
        return result if shown is None else replace(result, shown=shown)

    def _failed(
        self, call: Call, kind: ResultKind, error: str, *, value: Any = None, trace: str | None = None
    ) -> ToolResult:
        stated = encodable(error)
        return ToolResult(
            call, ok=False, value=value, error=shortened(stated, self.max_result) or stated, kind=kind, trace=trace
        )

    def _stopped(self, call: Call, name: str) -> ToolResult:
        return self._failed(call, "cancelled", f"`{name}` was stopped before it finished.")

    def _unknown(self, name: str | None) -> str:
        if name is None:
            return "The call names no tool."
        shown = name if len(name) <= _MAX_REASON_LENGTH else name[:_MAX_REASON_LENGTH] + "…"
        near = self._registry.near(name)
        if near is not None:
            return f"`{shown}` is not a tool; did you mean `{near}`?"
        names = ", ".join(f"`{each}`" for each in self._registry.names)
        return (
            f"`{shown}` is not a tool; there are {names}." if names else f"`{shown}` is not a tool; there are no tools."
        )


def _check_name(name: str) -> None:
    """Raise ValueError for a name that few dialects could write, and that parsers would split."""
    odd = next((char for char in name if char.isspace() or not char.isprintable() or char in _MARKERS), None)
    if odd is None:
        return
    shown = "whitespace" if odd.isspace() else f"`{odd}`" if odd.isprintable() and odd != "`" else repr(odd)
    raise ValueError(
        f"the tool {name!r} cannot be called in most dialects because its name contains {shown}: use only letters, "
        "digits, `_`, `-` and `.`"
    )


def _seconds(timeout: Any, owner: str) -> float | None:
    if timeout is None:
        return None
    if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not timeout > 0:
        raise ValueError(f"the timeout of {owner} is {timeout!r}: it must be a number of seconds greater than 0")
    return float(timeout)


def _execute(tool: StrictTool, arguments: Any) -> Any:
    try:
        return tool.execute(arguments)
    except StopIteration as error:
        # Futures and coroutines cannot raise it.
        raise RuntimeError("StopIteration was raised") from error


def _proper(schema: ToolSchema, arguments: Any) -> Any:
    """Return a copy of the arguments, each under its current name, and each integer as a Python `int`."""
    from callwright.runtime.tools.support.whole_numbers import with_whole_numbers
    from callwright.schema.schema_facts import facts_of
    from callwright.schema.validation import dealiased

    facts = facts_of(schema.input_schema)
    proper, _ = dealiased(facts.aliases, arguments)
    return with_whole_numbers(facts, copy.deepcopy(proper))


def _faults(schema: Any, value: Any, whole: str = "the call") -> str:
    """Return the errors of a value against a schema, one clause for each; empty where there are none."""
    from callwright.schema.errors import value_at
    from callwright.schema.validation import validate

    errors = validate(schema, value)
    if not errors:
        return ""
    from callwright.rules.support.tool_values import problem_of

    clauses = []
    for error in errors[:_MAX_FAULTS]:
        stated = problem_of(error, value_at(value, error.path))
        clause = stated if error.path else f"{whole} {stated}"
        clauses.append(clause if len(clause) <= _MAX_REASON_LENGTH else clause[:_MAX_REASON_LENGTH] + "…")
    if len(errors) > _MAX_FAULTS:
        clauses.append("and more")
    return "; ".join(clauses)


def _stated(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # noqa: BLE001  # a tool's own exception may raise in `__str__`
        return ""


def _reason(error: BaseException) -> str:
    """Return the class and the text of an exception, on one line."""
    stated = " ".join(_stated(error)[: 4 * _MAX_REASON_LENGTH].split())
    if len(stated) > _MAX_REASON_LENGTH:
        stated = stated[:_MAX_REASON_LENGTH] + "…"
    name = type(error).__name__
    return f"{name}: {stated}" if stated else f"{name}."


def _trace(error: BaseException) -> str:
    try:
        return "".join(traceback.format_exception(error))
    except Exception:  # noqa: BLE001  # as above
        return type(error).__name__
