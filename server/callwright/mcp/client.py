"""Asking a server for its tools, with the official SDK.

Owns: the greeting, the pages of the list, the message for a failure. Must not know: files, terminals, what a tool's
definition should look like: the list is taken as it comes, faults and all.
"""

from __future__ import annotations

import logging
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Final

import anyio
from mcp import ClientSession, MCPError
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from mcp_types import (
    METHOD_NOT_FOUND,
    UNSUPPORTED_PROTOCOL_VERSION,
    Implementation,
    PaginatedRequestParams,
)
from pydantic import ValidationError

from callwright.mcp.http import http_streams
from callwright.mcp.limits import Limits, Watch
from callwright.mcp.servers import Server, ServerError
from callwright.mcp.stdio import stdio_streams

#: The methods whose results are taken as they come: the SDK would refuse a list for one bad tool.
_LIST: Final = "tools/list"
_NAME: Final = 200
#: What is raised where the watch reports the fault.
_FAULT: Final = "a limit is reached"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server states about itself, and its tools as it sent them."""

    tools: tuple[Any, ...]
    protocol: str
    server_name: str
    server_version: str

    @property
    def sdk(self) -> str:
        """What asked."""
        return f"mcp {version('mcp')}"


def ask(server: Server, limits: Limits, release: str) -> Answer:
    """Start or connect to a server, ask it for its tools, and end it. Raises ServerError where that fails.

    `release` is Callwright's own, which is sent to the server. Nothing that was started runs any more when this returns
    or raises, an interrupt included.
    """
    watch = Watch(limits)
    logging.getLogger("mcp").setLevel(logging.CRITICAL)
    stopped: list[int] = []
    try:
        answer = anyio.run(_guarded, server, watch, release, stopped)
    except ServerError as error:
        raise _failure(server, watch, error) from None
    except BaseExceptionGroup as group:
        raise _failure(server, watch, _leaf(group)) from None
    except (MCPError, ValidationError, OSError, RuntimeError, TimeoutError, ValueError) as error:
        raise _failure(server, watch, error) from None
    finally:
        watch.kill()
    if answer is None:
        if stopped == [signal.SIGINT]:
            raise KeyboardInterrupt
        raise SystemExit(128 + stopped[0])
    return answer


async def _guarded(server: Server, watch: Watch, release: str, stopped: list[int]) -> Answer | None:
    """Ask, unless a signal ends the process meanwhile: it is then in `stopped`, and what was started has ended."""
    answer: Answer | None = None
    async with anyio.create_task_group() as group:
        group.start_soon(_on_signal, group.cancel_scope, stopped)
        answer = await _ask(server, watch, release)
        group.cancel_scope.cancel()
    return answer


async def _on_signal(scope: anyio.CancelScope, stopped: list[int]) -> None:
    """Cancel on the first signal; further ones change nothing, for what follows is bounded."""
    numbers = [signal.SIGINT] if sys.platform == "win32" else [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
    # Where signals cannot be waited for (in a thread, on Windows), Python's own way must do.
    with suppress(NotImplementedError, RuntimeError, ValueError), anyio.open_signal_receiver(*numbers) as signals:
        async for number in signals:
            if not stopped:
                stopped.append(number)
                scope.cancel()


async def _ask(server: Server, watch: Watch, release: str) -> Answer:
    streams = stdio_streams if server.url is None else http_streams
    limits = watch.limits
    # The ends of everything are bounded by themselves; this is for the unforeseen.
    with anyio.fail_after(limits.start + limits.listing + 10):
        async with streams(server, watch) as (from_server, to_server):
            dispatcher = _Verbatim(from_server, to_server, watch)
            client = Implementation(name="callwright", version=release)
            async with ClientSession(dispatcher=dispatcher, client_info=client) as session:
                with anyio.fail_after(limits.start):
                    await _greet(session)
                watch.stage = "listing"
                watch.refusal = None
                with anyio.fail_after(limits.listing):
                    tools = await _list(session, dispatcher, watch)
                watch.answered = True
                return _answer(session, tools)


async def _greet(session: ClientSession) -> None:
    """Agree on a revision of the protocol: with the greeting of all revisions before 2026, else with the later one."""
    try:
        await session.initialize()
    except MCPError as error:
        if error.code not in (METHOD_NOT_FOUND, UNSUPPORTED_PROTOCOL_VERSION):
            raise
        try:
            await session.discover()
        except MCPError:
            raise error from None


async def _list(session: ClientSession, dispatcher: _Verbatim, watch: Watch) -> tuple[Any, ...]:
    """Follow the pages of the list; raises ServerError where they do not end."""
    greeted = session.initialize_result or session.discover_result
    if greeted is not None and greeted.capabilities.tools is None:
        return ()
    limits = watch.limits
    cursor: str | None = None
    seen: set[str] = set()
    for _ in range(limits.pages):
        params = PaginatedRequestParams(cursor=cursor) if cursor is not None else None
        page = await session.list_tools(params=params)
        if len(dispatcher.tools) > limits.tools:
            watch.abandon(f"lists more than {limits.tools:,} tools")
            raise ServerError(_FAULT)
        cursor = page.next_cursor
        if cursor is None:
            return tuple(dispatcher.tools)
        if cursor in seen:
            watch.abandon(f"gives the same next page twice (`{cursor[:40]}`), so its list would never end")
            raise ServerError(_FAULT)
        seen.add(cursor)
    watch.abandon(f"lists its tools on more than {limits.pages} pages")
    raise ServerError(_FAULT)


def _answer(session: ClientSession, tools: tuple[Any, ...]) -> Answer:
    info = session.server_info
    protocol = session.protocol_version or ""
    name, release = (info.name, info.version) if info is not None else ("", "")
    return Answer(tools, protocol, name[:_NAME], release[:_NAME])


class _Verbatim(JSONRPCDispatcher[Any]):
    """Keeps the tools of each page as they came, and hands the session a page without them."""

    tools: list[Any]

    def __init__(self, from_server: Any, to_server: Any, watch: Watch) -> None:
        super().__init__(from_server, to_server)
        self.tools = []
        self._watch = watch

    async def send_raw_request(
        self, method: str, params: Mapping[str, Any] | None, opts: Any = None, **more: Any
    ) -> dict[str, Any]:
        """Send a request and return its result."""
        result = await super().send_raw_request(method, params, opts, **more)
        if method == _LIST:
            tools = result.get("tools")
            if not isinstance(tools, list):
                self._watch.abandon("answers the request for its tools without a list")
                raise ServerError(_FAULT)
            self.tools += tools
            return {**result, "tools": []}
        return result


def _leaf(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return the one exception of a group that says most: ours before any other."""
    pending: list[BaseException] = [group]
    leaves: list[BaseException] = []
    while pending:
        one = pending.pop()
        if isinstance(one, BaseExceptionGroup):
            pending.extend(reversed(one.exceptions))
        else:
            leaves.append(one)
    return next((one for one in leaves if isinstance(one, ServerError)), leaves[0])


def _failure(server: Server, watch: Watch, error: BaseException) -> ServerError:
    """Return the message about a server that gave no list."""
    if isinstance(error, ServerError) and watch.fault is None:
        return error
    if not isinstance(error, Exception):
        raise error
    parts = [f"`{server.name}` {_reason(watch, error)}"]
    if watch.rubbish_lines:
        first = watch.rubbish[0]
        number = f"{watch.rubbish_lines:,} lines" if watch.rubbish_lines > 1 else "one line"
        parts.append(f"It wrote {number} to standard output that are not messages; the first: {first}")
    stated = watch.stated()
    if stated:
        parts.append("Its standard error ends with:")
        parts += [f"  {line[:300]}" for line in stated]
    return ServerError("\n".join(parts))


def _reason(watch: Watch, error: BaseException) -> str:
    if watch.fault is not None:
        return f"{watch.fault}."
    if watch.refusal is not None:
        detail = str(error) if isinstance(error, MCPError) and "Redirect" in str(error) else ""
        return f"{watch.refusal}.{' ' + detail if detail else ''}"
    if isinstance(error, TimeoutError):
        seconds = watch.limits.start if watch.stage == "start" else watch.limits.listing
        what = "did not answer `initialize`" if watch.stage == "start" else "did not list its tools"
        return f"{what} within {seconds:g} seconds; raise `--timeout`, or check that the server works."
    if watch.exit_code is not None:
        ending = f"exit code {watch.exit_code}" if watch.exit_code >= 0 else f"signal {-watch.exit_code}"
        return f"ended ({ending}) before it had listed its tools."
    if isinstance(error, MCPError):
        words = str(error).strip().partition("\n")[0]
        if "Redirect to" in words:
            return f"redirects to another address. {words}"
        if words == "Connection closed":
            return "closed the connection before it had listed its tools."
        if words.startswith("Failed to parse"):
            return "answers with something that is not a message of the protocol."
        return f"answers with an error: {words[:300]}"
    if isinstance(error, ValidationError):
        return "answers with something that the protocol does not allow."
    return f"failed: {str(error).partition(chr(10))[0] or type(error).__name__}"
