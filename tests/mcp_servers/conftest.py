"""HTTP servers on this machine, for tests that ask them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

Respond = Callable[[BaseHTTPRequestHandler], None]


@pytest.fixture
def web() -> Iterator[Callable[[Respond], str]]:
    """Start a server on this machine that answers each request as given; return its address."""
    running: list[ThreadingHTTPServer] = []

    def start(respond: Respond) -> str:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                try:
                    respond(self)
                except OSError:
                    self.close_connection = True

            do_GET = do_DELETE = do_POST  # noqa: N815 - the names that the library asks for

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's signature
                del format, args

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        running.append(server)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return f"http://127.0.0.1:{server.server_port}/mcp"

    yield start
    for server in running:
        server.shutdown()
        server.server_close()
