"""A server that is started here and reached over its standard input and output.

Owns: the process with all that it starts, lines to messages, the limits of both. Must not know: what is asked. The
process group is ended whatever happens, a cancellation included.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

import anyio
import anyio.abc
from mcp.client.stdio import get_default_environment
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from callwright.mcp.limits import Watch, size
from callwright.mcp.servers import Server, ServerError

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

_CHUNK: Final = 64 * 1024
_POLL: Final = 0.02
#: How long what a server wrote may still be read once it has ended: whatever it started may hold its output open.
_DRAIN: Final = 0.5
_CLOSED: Final = (anyio.EndOfStream, anyio.ClosedResourceError, anyio.BrokenResourceError, OSError)


@asynccontextmanager
async def stdio_streams(server: Server, watch: Watch) -> AsyncIterator[tuple[Any, Any]]:
    """Start a server and yield the streams of messages from it and to it; afterwards nothing of it runs any more."""
    process = await _start(server)
    watch.group = process.pid
    # Nothing awaits between the start and the group that guards it: a cancellation there would leave the process alone.
    to_session, from_server = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    to_server, from_session = anyio.create_memory_object_stream[SessionMessage](0)
    try:
        async with anyio.create_task_group() as group:
            group.start_soon(_read, process, to_session, watch)
            group.start_soon(_write, process, from_session)
            group.start_soon(_listen, process, watch)
            group.start_soon(_follow, process, to_session, watch)
            try:
                yield from_server, to_server
            finally:
                with anyio.CancelScope(shield=True):
                    await _end(process, watch)
                group.cancel_scope.cancel()
    finally:
        for stream in (to_session, from_server, to_server, from_session):
            stream.close()
        with anyio.CancelScope(shield=True):
            await _release(process)


async def _start(server: Server) -> anyio.abc.Process:
    environment = {**get_default_environment(), **{name: text.value for name, text in server.env.items()}}
    words = [server.program, *(word.value for word in server.command[1:])]
    try:
        return await anyio.open_process(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=server.cwd,
            env=environment,
            **_own_group(),
        )
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ServerError(f"`{server.name}` cannot be started: {reason} ({server.program})") from None


def _own_group() -> Mapping[str, Any]:
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}


async def _read(
    process: anyio.abc.Process, to_session: MemoryObjectSendStream[SessionMessage | Exception], watch: Watch
) -> None:
    """Pass on each line that is a message; a flood ends the connection."""
    assert process.stdout is not None
    parts: list[bytes] = []
    held = 0
    async with to_session:
        try:
            while True:
                chunk = await process.stdout.receive(_CHUNK)
                if watch.count(len(chunk)):
                    return
                *lines, rest = chunk.split(b"\n")
                for line in lines:
                    whole = b"".join([*parts, line])
                    parts, held = [], 0
                    if not await _pass_on(whole, to_session, watch):
                        return
                held += len(rest)
                parts.append(rest)
                if held > watch.limits.message:
                    watch.abandon(f"sent a line of more than {size(watch.limits.message)}")
                    return
        except _CLOSED:
            # Most that close their output are about to end: how they do is worth a moment.
            with anyio.move_on_after(_DRAIN):
                await _exit_of(process)
            watch.ended(process.returncode)


async def _pass_on(line: bytes, to_session: MemoryObjectSendStream[SessionMessage | Exception], watch: Watch) -> bool:
    """Send the message in a line to the session; return whether to continue."""
    if not line.strip():
        return True
    if len(line) > watch.limits.message:
        watch.abandon(f"sent a line of more than {size(watch.limits.message)}")
        return False
    try:
        message = jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        # Many a server greets people before it speaks to programs; that alone is no reason to give it up.
        watch.rubbish_lines += 1
        if len(watch.rubbish) < 3:
            watch.rubbish.append(line[:200].decode("utf-8", "replace").strip())
        if watch.rubbish_lines > watch.limits.rubbish:
            watch.abandon(f"wrote more than {watch.limits.rubbish:,} lines to standard output that are not messages")
            return False
        return True
    if watch.count_messages(1):
        return False
    await to_session.send(SessionMessage(message))
    return True


async def _write(process: anyio.abc.Process, from_session: MemoryObjectReceiveStream[SessionMessage]) -> None:
    assert process.stdin is not None
    async with from_session:
        with suppress(*_CLOSED):
            async for one in from_session:
                text = one.message.model_dump_json(by_alias=True, exclude_unset=True)
                await process.stdin.send(text.encode() + b"\n")


async def _listen(process: anyio.abc.Process, watch: Watch) -> None:
    """Take what comes on standard error, so that the server never waits for it."""
    assert process.stderr is not None
    with suppress(*_CLOSED):
        while True:
            watch.heard(await process.stderr.receive(_CHUNK))


async def _follow(
    process: anyio.abc.Process, to_session: MemoryObjectSendStream[SessionMessage | Exception], watch: Watch
) -> None:
    """End the connection once the server has ended, though what it started may hold its output open."""
    await _exit_of(process)
    watch.ended(process.returncode)
    await anyio.sleep(_DRAIN)
    to_session.close()


async def _end(process: anyio.abc.Process, watch: Watch) -> None:
    """End the server with all it started: asked by closing its input, where it has answered, then by a signal, then
    killed."""
    assert process.stdin is not None
    watch.closing = True
    with suppress(*_CLOSED):
        await process.stdin.aclose()
    if watch.answered:
        await _ended(process, watch.limits.ending)
    if sys.platform == "win32":
        if process.returncode is None:
            taskkill = ["taskkill", "/PID", str(process.pid), "/T", "/F"]
            with suppress(OSError):
                await anyio.run_process(taskkill, check=False)
    else:
        # The group has the number of its leader, and outlives it where it started others.
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(process.pid, number)
                await _gone(process, watch.limits.ending / 2)
            except ProcessLookupError:
                watch.group = None
                break
            except PermissionError:
                break
    await _ended(process, watch.limits.ending)


async def _ended(process: anyio.abc.Process, seconds: float) -> None:
    with anyio.move_on_after(seconds):
        await _exit_of(process)


async def _exit_of(process: anyio.abc.Process) -> None:
    while process.returncode is None:  # noqa: ASYNC110 - `wait` would wait for the pipes, too
        await anyio.sleep(_POLL)


async def _gone(process: anyio.abc.Process, seconds: float) -> None:
    """Wait until no process is left in the group. Raises ProcessLookupError as soon as that is so."""
    with anyio.move_on_after(seconds):
        while True:
            os.killpg(process.pid, 0)
            await anyio.sleep(_POLL)


async def _release(process: anyio.abc.Process) -> None:
    """Close the pipes, which a survivor may hold open."""
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            with suppress(*_CLOSED):
                await stream.aclose()
    transport = getattr(getattr(process, "_process", None), "_transport", None)
    if transport is not None:
        with suppress(PermissionError):
            transport.close()
