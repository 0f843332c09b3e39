"""Asking servers: what a good one says, and that no bad one costs more time, memory or processes than it may."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from callwright.mcp.client import ask
from callwright.mcp.configuration import connected
from callwright.mcp.http import proxy_for
from callwright.mcp.limits import Limits
from callwright.mcp.servers import Server, ServerError, Text
from support.servers import left_running, server_of, words

#: Enough for any program here to start, and to be given up for soon.
PATIENT = Limits(start=30, listing=30, ending=1)
SHORT = Limits(start=30, listing=1, ending=0.3)
HASTY = Limits(start=4, listing=30, ending=0.3)


def failure(server: Server, limits: Limits = PATIENT) -> str:
    with pytest.raises(ServerError) as caught:
        ask(server, limits, "0")
    return str(caught.value)


def test_a_server_of_the_official_sdk_lists_its_tools(tmp_path: Path) -> None:
    answer = ask(server_of(tmp_path, "real.py", "stdio"), PATIENT, "0")
    assert [tool["name"] for tool in answer.tools] == ["add_note", "list_notes"]
    assert answer.tools[0]["inputSchema"]["properties"]["title"]["description"] == "What it is about."
    assert answer.tools[0]["outputSchema"]["required"] == ["title"]
    assert (answer.server_name, answer.server_version, answer.protocol) == ("notes", "1.2.3", "2025-11-25")
    assert answer.sdk.startswith("mcp ")


def test_a_server_of_the_official_sdk_lists_its_tools_over_http(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(words("real.py", "http", str(port)), stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        # It says so on standard error when it listens.
        assert any("Uvicorn running" in line for line in process.stderr)
        server = connected("notes", Text.plain(f"http://127.0.0.1:{port}/mcp"), tmp_path, {})
        answer = ask(server, PATIENT, "0")
    finally:
        process.kill()
        process.communicate()
    assert [tool["name"] for tool in answer.tools] == ["add_note", "list_notes"]
    assert answer.protocol == "2025-11-25"


@pytest.mark.parametrize(("kind", "protocol"), [("old", "2024-11-05"), ("rubbish", "2025-06-18")])
def test_an_old_revision_and_words_before_the_first_message_do_no_harm(
    kind: str, protocol: str, tmp_path: Path
) -> None:
    answer = ask(server_of(tmp_path, "odd.py", kind), PATIENT, "0")
    assert answer.protocol == protocol
    # As it was sent: the order of its members, too.
    assert list(answer.tools[0]["inputSchema"]["properties"]) == ["b", "a"]


def test_a_later_revision_is_greeted_in_its_own_way(tmp_path: Path) -> None:
    answer = ask(server_of(tmp_path, "odd.py", "late"), PATIENT, "0")
    assert (answer.protocol, answer.server_name, len(answer.tools)) == ("2026-07-28", "late", 1)


def test_a_server_that_talks_much_on_standard_error_is_heard_to_the_end(tmp_path: Path) -> None:
    assert len(ask(server_of(tmp_path, "odd.py", "noisy"), PATIENT, "0").tools) == 1


def test_all_pages_are_read(tmp_path: Path) -> None:
    answer = ask(server_of(tmp_path, "odd.py", "pages"), PATIENT, "0")
    assert [tool["name"] for tool in answer.tools] == ["read_0", "read_1", "read_2"]


def test_a_server_without_tools_has_none(tmp_path: Path) -> None:
    assert ask(server_of(tmp_path, "odd.py", "toolless"), PATIENT, "0").tools == ()


def test_tools_are_taken_with_their_faults(tmp_path: Path) -> None:
    tools = ask(server_of(tmp_path, "odd.py", "bad-tools"), PATIENT, "0").tools
    assert [tool.get("name", "-") if isinstance(tool, dict) else tool for tool in tools] == [
        "bad_schema", "null_schema", "no_schema", "-", "hidden", 17, "read",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "limits", "words"),
    [
        pytest.param(
            "silent",
            HASTY,
            "`odd` did not answer `initialize` within 4 seconds; raise `--timeout`",
            marks=pytest.mark.whole(reason="it waits for four seconds"),
        ),
        ("hang", SHORT, "`odd` did not list its tools within 1 seconds"),
        ("stubborn", SHORT, "`odd` did not list its tools within 1 seconds"),
        ("grandchild", SHORT, "`odd` did not list its tools within 1 seconds"),
        ("flood", replace(PATIENT, total=200_000), "`odd` sent more than 200,000 bytes."),
        ("long-line", replace(PATIENT, message=1_000_000), "`odd` sent a line of more than 1,000,000 bytes."),
        ("long-line", PATIENT, "`odd` sent a line of more than 16 MB."),
        ("endless-pages", replace(PATIENT, pages=5), "`odd` lists its tools on more than 5 pages."),
        ("same-page", PATIENT, "`odd` gives the same next page twice (`again`), so its list would never end."),
        ("many-tools", replace(PATIENT, tools=199), "`odd` lists more than 199 tools."),
        ("no-list", PATIENT, "`odd` answers the request for its tools without a list."),
        ("bad-cursor", PATIENT, "`odd` answers with something that the protocol does not allow."),
        ("requests", replace(PATIENT, messages=200), "`odd` sent more than 200 messages."),
        ("other-ids", SHORT, "`odd` did not list its tools within 1 seconds"),
        ("drip", SHORT, "`odd` did not list its tools within 1 seconds"),
        ("deep", SHORT, "It wrote one line to standard output that are not messages; the first: {"),
        ("error", PATIENT, "`odd` answers with an error: out of paper"),
        ("strange", PATIENT, "`odd` failed: Unsupported protocol version from the server: 1999-01-01"),
        ("dies", PATIENT, "`odd` ended (exit code 3) before it had listed its tools."),
        ("dies", PATIENT, "Its standard error ends with:\n  cannot find my pencil"),
        ("dies-in-answer", PATIENT, "`odd` ended (exit code 7) before it had listed its tools."),
        ("dies-in-answer", PATIENT, "\n  no more ink"),
        ("only-rubbish", PATIENT, "`odd` wrote more than 1,000 lines to standard output that are not messages."),
        ("only-rubbish", PATIENT, "It wrote 1,001 lines to standard output that are not messages; the first: All"),
    ],
)
def test_a_bad_server_is_reported_and_leaves_nothing_over(
    kind: str, limits: Limits, words: str, tmp_path: Path
) -> None:
    numbers = tmp_path / "numbers"
    assert words in failure(server_of(tmp_path, "odd.py", kind, str(numbers)), limits)
    started = [int(line) for line in numbers.read_text(encoding="utf-8").split()]
    assert started
    assert left_running(started) == []


def test_what_a_good_server_started_is_ended_too(tmp_path: Path) -> None:
    numbers = tmp_path / "numbers"
    ask(server_of(tmp_path, "odd.py", "grandchild-left", str(numbers)), PATIENT, "0")
    started = [int(line) for line in numbers.read_text(encoding="utf-8").split()]
    assert len(started) == 2
    assert left_running(started) == []


def test_a_server_gets_what_is_usual_for_a_program_and_what_it_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_SECRET", "no business of theirs")
    program = tmp_path / "show.py"
    program.write_text("import os, sys; print(sorted(os.environ), file=sys.stderr)", encoding="utf-8")
    command = [Text.plain(word) for word in (sys.executable, str(program))]
    stated = failure(
        Server("odd", tmp_path, program=sys.executable, command=tuple(command), env={"GIVEN": Text.plain("1")})
    )
    assert "'GIVEN'" in stated
    assert "'PATH'" in stated
    assert "MY_SECRET" not in stated


def test_a_program_that_cannot_be_started_is_reported(tmp_path: Path) -> None:
    program = tmp_path / "server"
    program.write_bytes(b"\x00\x01")
    program.chmod(0o755)
    stated = failure(Server("odd", tmp_path, program=str(program), command=(Text.plain("server"),)))
    assert stated == f"`odd` cannot be started: Exec format error ({program})"


def respond(status: int, body: bytes = b"", **headers: str) -> Callable[[BaseHTTPRequestHandler], None]:
    def answer(request: BaseHTTPRequestHandler) -> None:
        request.rfile.read(int(request.headers.get("Content-Length", 0)))
        request.send_response(status)
        for name, value in {"Content_Type": "application/json", **headers}.items():
            request.send_header(name.replace("_", "-"), value)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    return answer


def endless(request: BaseHTTPRequestHandler) -> None:
    request.rfile.read(int(request.headers.get("Content-Length", 0)))
    request.send_response(200)
    request.send_header("Content-Type", "text/event-stream")
    request.end_headers()
    while True:
        request.wfile.write(b": still here\n\n" * 1000)


def silent_stream(request: BaseHTTPRequestHandler) -> None:
    request.rfile.read(int(request.headers.get("Content-Length", 0)))
    request.send_response(200)
    request.send_header("Content-Type", "text/event-stream")
    request.end_headers()
    request.wfile.write(b": wait\n\n")
    request.wfile.flush()
    request.connection.settimeout(30)
    request.rfile.read(1)


def begin(request: BaseHTTPRequestHandler, kind: str) -> None:
    request.rfile.read(int(request.headers.get("Content-Length", 0)))
    request.send_response(200)
    request.send_header("Content-Type", kind)
    request.end_headers()


def events(request: BaseHTTPRequestHandler) -> None:
    """Send requests of its own without end, and an answer never."""
    begin(request, "text/event-stream")
    while True:
        request.wfile.write(b'event: message\ndata: {"jsonrpc": "2.0", "method": "notifications/message"}\n\n')


def drip(request: BaseHTTPRequestHandler) -> None:
    """Send a byte now and then, so that each read succeeds."""
    begin(request, "application/json")
    while True:
        request.wfile.write(b" ")
        time.sleep(0.05)


def headers(request: BaseHTTPRequestHandler) -> None:
    request.rfile.read(int(request.headers.get("Content-Length", 0)))
    request.send_response(200)
    request.flush_headers()
    while True:
        request.wfile.write(b"X-More: " + b"x" * 1000 + b"\r\n")


LARGE = b'{"jsonrpc": "2.0", "id": 1, "result": "' + b"x" * 300_000 + b'"}'


@pytest.mark.parametrize(
    ("answer", "limits", "words"),
    [
        (respond(401), PATIENT, "requires authentication (HTTP 401); add credentials to `headers`"),
        (respond(403), PATIENT, "refuses access (HTTP 403)"),
        (respond(404), PATIENT, "was not found (HTTP 404)"),
        (respond(500), PATIENT, "answers with HTTP 500"),
        (
            respond(307, Location="http://127.0.0.2:9/mcp"),
            PATIENT,
            "redirects to another address. Redirect to http://127.0.0.2:9/mcp",
        ),
        (respond(307, Location="file:///etc/passwd"), PATIENT, "redirects to another address. Redirect to file://"),
        (
            respond(307, Location="//127.0.0.2:9/mcp"),
            PATIENT,
            "redirects to another address. Redirect to http://127.0.0.2:9/mcp",
        ),
        (respond(302, Location="/other"), PATIENT, "redirects to another address. Redirect to http://127.0.0.1"),
        (respond(200, b"<html>", Content_Type="text/html"), PATIENT, "answers with an error: Unexpected content type"),
        (respond(200, b"no json"), PATIENT, "answers with something that is not a message of the protocol."),
        (respond(200, b"x", Content_Encoding="gzip"), PATIENT, "compresses its answer although it was asked not to"),
        (respond(200, LARGE), replace(PATIENT, message=100_000), "sent an answer of more than 100,000 bytes"),
        (endless, replace(PATIENT, total=200_000), "sent more than 200,000 bytes"),
        (endless, replace(PATIENT, message=200_000), "sent an answer of more than 200,000 bytes"),
        (events, replace(PATIENT, messages=200), "sent more than 200 messages"),
        (headers, PATIENT, "cannot be reached: "),
        (drip, replace(HASTY, start=1.5), "did not answer `initialize` within 1.5 seconds"),
        (silent_stream, replace(HASTY, start=1.5), "did not answer `initialize` within 1.5 seconds"),
    ],
)
def test_a_bad_web_server_is_reported(
    answer: Callable[[BaseHTTPRequestHandler], None],
    limits: Limits,
    words: str,
    web: Callable[[Callable[[BaseHTTPRequestHandler], None]], str],
    tmp_path: Path,
) -> None:
    server = connected("web", Text.plain(web(answer)), tmp_path, {})
    assert f"`web` {words}" in failure(server, limits)


def test_a_redirect_to_another_host_is_given_no_header(
    web: Callable[[Callable[[BaseHTTPRequestHandler], None]], str], tmp_path: Path
) -> None:
    asked: list[str] = []

    def elsewhere(request: BaseHTTPRequestHandler) -> None:
        asked.append(request.path)
        respond(200)(request)

    target = web(elsewhere)
    address = web(respond(308, Location=target))
    server = connected("web", Text.plain(address), tmp_path, {"Authorization": Text.plain("Bearer abc")})
    assert "redirects to another address" in failure(server)
    assert asked == []


def test_a_web_server_that_is_not_there_is_reported(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    stated = failure(connected("web", Text.plain(f"http://127.0.0.1:{port}/mcp"), tmp_path, {}))
    assert stated.startswith("`web` cannot be reached: ")


def test_the_proxy_of_the_environment_is_used_for_other_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("all_proxy", "http_proxy", "https_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    assert proxy_for("https://example.org/mcp") is None
    monkeypatch.setenv("https_proxy", "http://proxy:8080")
    monkeypatch.setenv("no_proxy", "inside.example.org")
    assert proxy_for("https://example.org/mcp") == "http://proxy:8080"
    assert proxy_for("http://example.org/mcp") is None
    assert proxy_for("https://inside.example.org/mcp") is None
    monkeypatch.setenv("all_proxy", "http://all:1")
    assert proxy_for("http://example.org/mcp") == "http://all:1"
    assert proxy_for("http://127.0.0.1:3000/mcp") is None
    assert proxy_for("http://[::1]:3000/mcp") is None


def serve(request: BaseHTTPRequestHandler, **more: str) -> None:
    """Answer as a good server does; `more` are headers of its answers."""
    message = json.loads(request.rfile.read(int(request.headers.get("Content-Length", 0))) or b"{}")
    request.headers.replace_header("Content-Length", "0")
    info = {"name": "w", "version": "1"}
    greeting = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": info}
    result = greeting if message.get("method") == "initialize" else {"tools": [{"name": "a"}]}
    if "id" in message:
        body = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode()
        respond(200, body, **more)(request)
    else:
        respond(202)(request)


def test_a_web_server_that_never_takes_leave_is_not_waited_for(
    web: Callable[[Callable[[BaseHTTPRequestHandler], None]], str], tmp_path: Path
) -> None:
    """The end of a session is asked for, and its answer never comes: the list is there all the same."""
    asked: list[str] = []
    waited: list[str] = []
    over = threading.Event()

    def stubborn(request: BaseHTTPRequestHandler) -> None:
        asked.append(request.command)
        if request.command != "DELETE":
            serve(request, Mcp_Session_Id="abc")
        elif not over.wait(10):
            waited.append(request.command)

    try:
        tools = ask(connected("web", Text.plain(web(stubborn)), tmp_path, {}), replace(PATIENT, ending=0.3), "0").tools
        assert (tools, waited) == (({"name": "a"},), [])
    finally:
        over.set()
    assert "DELETE" in asked


def test_headers_are_sent(web: Callable[[Callable[[BaseHTTPRequestHandler], None]], str], tmp_path: Path) -> None:
    seen: list[str | None] = []

    def noting(request: BaseHTTPRequestHandler) -> None:
        seen.append(request.headers["Authorization"])
        serve(request)

    server = connected("web", Text.plain(web(noting)), tmp_path, {"Authorization": Text.plain("Bearer abc")})
    assert ask(server, PATIENT, "0").tools == ({"name": "a"},)
    assert set(seen) == {"Bearer abc"}
