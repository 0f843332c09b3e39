"""A server that runs already and is reached over streamable HTTP.

Owns: how much is read of its answers, what went wrong on the way. Must not know: what is asked. A redirect is followed
within the server's origin alone, which the SDK sees to, so that headers go nowhere else.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, Final
from urllib.request import getproxies, proxy_bypass

import anyio
import httpx2
from mcp.client.streamable_http import streamable_http_client

from callwright.mcp.limits import Watch, size
from callwright.mcp.servers import Server

_HERE: Final = frozenset({"localhost", "127.0.0.1", "::1"})
#: What each message of a stream of events has.
_EVENT: Final = b"data:"
_REFUSED: Final = {
    401: "requires authentication (HTTP 401); add credentials to `headers`, such as `Authorization`",
    403: "refuses access (HTTP 403); check the permissions of the credentials in `headers`",
    404: "was not found (HTTP 404); check the address",
    407: "needs a proxy with authentication (HTTP 407); correct the proxy's address in the environment",
    429: "received too many requests (HTTP 429); try again later",
}


@asynccontextmanager
async def http_streams(server: Server, watch: Watch) -> AsyncIterator[tuple[Any, Any]]:
    """Connect to a server and yield the streams of messages from it and to it."""
    assert server.url is not None
    url, limits = server.url.value, watch.limits
    # Compressed answers could grow without end, so none is asked for.
    headers = {**{name: text.value for name, text in server.headers.items()}, "Accept-Encoding": "identity"}
    timeout = httpx2.Timeout(limits.start, read=limits.start + limits.listing)
    transport = _Bounded(httpx2.AsyncHTTPTransport(proxy=proxy_for(url)), watch)
    async with (
        httpx2.AsyncClient(headers=headers, timeout=timeout, transport=transport) as client,
        streamable_http_client(url, http_client=client, max_sse_event_size=limits.message) as streams,
    ):
        yield streams


def proxy_for(url: str) -> str | None:
    """Return the proxy that the environment names for an address; what runs on this machine needs none."""
    address = httpx2.URL(url)
    if address.host in _HERE or proxy_bypass(address.host):
        return None
    proxies = getproxies()
    return proxies.get(address.scheme, proxies.get("all"))


class _Bounded(httpx2.AsyncBaseTransport):
    """Carries requests, remembers why one failed, and reads no answer beyond its limit."""

    def __init__(self, inner: httpx2.AsyncBaseTransport, watch: Watch) -> None:
        self._inner = inner
        self._watch = watch

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request; its answer's body counts."""
        watch = self._watch
        if request.method == "DELETE":
            # The session is over and its results are complete; how a server disconnects does not matter.
            with anyio.move_on_after(watch.limits.ending), suppress(httpx2.HTTPError):
                await (await self._inner.handle_async_request(request)).aclose()
            return httpx2.Response(204, request=request)
        try:
            response = await self._inner.handle_async_request(request)
        except httpx2.TimeoutException:
            watch.abandon("did not answer in time")
            raise
        except httpx2.TransportError as error:
            watch.abandon(f"cannot be reached: {_first_line(error)}")
            raise
        if request.method == "POST" and response.status_code >= 400:
            # A server may refuse one greeting and take another: the last refusal is reported, and only if nothing
            # follows.
            watch.refusal = _REFUSED.get(response.status_code, f"answers with HTTP {response.status_code}")
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            watch.abandon("compresses its answer although it was asked not to")
            await response.aclose()
            raise httpx2.ReadError("compressed", request=request)
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _Counted(response.stream, watch, request)
        return response

    async def aclose(self) -> None:
        """Close the connections."""
        await self._inner.aclose()


class _Counted(httpx2.AsyncByteStream):
    """The body of an answer, up to the limit."""

    def __init__(self, inner: httpx2.AsyncByteStream, watch: Watch, request: httpx2.Request) -> None:
        self._inner = inner
        self._watch = watch
        self._request = request

    async def __aiter__(self) -> AsyncIterator[bytes]:
        held = 0
        async for chunk in self._inner:
            held += len(chunk)
            over = self._watch.count(len(chunk)) or self._watch.count_messages(chunk.count(_EVENT))
            if held > self._watch.limits.message and not over:
                self._watch.abandon(f"sent an answer of more than {size(self._watch.limits.message)}")
                over = True
            if over:
                raise httpx2.ReadError("too much", request=self._request)
            yield chunk

    async def aclose(self) -> None:
        """Close the body."""
        await self._inner.aclose()


def _first_line(error: Exception) -> str:
    words = str(error).strip().partition("\n")[0]
    return words or type(error).__name__
