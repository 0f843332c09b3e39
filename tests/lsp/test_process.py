"""The server as a process: what it writes where, when it ends, and with which code."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from callwright.lsp.frames import Fault, FrameReader
from lsp.conversation import frame

pytestmark = pytest.mark.usefixtures("named_sets")

COMMAND = [sys.executable, "-m", "callwright", "server", "--stdio"]
LIMIT = 60
URI = "file:///nowhere/a.prompt"
#: The part of a program that has its function `handle` answer hovers.
HOVER_BY_HANDLE = """
from dataclasses import replace
from callwright.features import all_features
from callwright.lsp import server
features = [replace(each, handle=handle) if each.method == "textDocument/hover" else each for each in all_features()]
server.all_features = lambda: features
"""


@contextmanager
def started(command: list[str] = COMMAND) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def run(messages: list[Any], command: list[str] = COMMAND) -> tuple[int, list[dict[str, Any]], str]:
    """Send messages and close the input; return the exit code, what came back, and what was written to the side."""
    data = b"".join(frame({"jsonrpc": "2.0", **message}) for message in messages)
    done = subprocess.run(command, input=data, capture_output=True, timeout=LIMIT, check=False)
    answers: list[dict[str, Any]] = []
    pieces = iter([done.stdout, b""])
    for message in FrameReader(pieces.__next__).messages():
        assert not isinstance(message, Fault), message
        answers.append(message)
    # Nothing but frames: what was read, written again, is all there was.
    assert sum(len(frame(answer)) for answer in answers) >= len(done.stdout) > 0
    return done.returncode, answers, done.stderr.decode()


def initialize(**more: Any) -> dict[str, Any]:
    return {"id": 1, "method": "initialize", "params": {"processId": None, "capabilities": {}, **more}}


INITIALIZED = {"method": "initialized", "params": {}}
SHUTDOWN = {"id": 2, "method": "shutdown"}
EXIT = {"method": "exit"}
OPEN = {
    "method": "textDocument/didOpen",
    "params": {"textDocument": {"uri": URI, "languageId": "callwright-prompt", "version": 1, "text": "<read_file>"}},
}
FAULTY = '<read_file>{"path": "a",}</read_file>'
HOVER = {
    "id": 3,
    "method": "textDocument/hover",
    "params": {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 3}},
}


@pytest.mark.parametrize(
    ("messages", "code"),
    [
        ([initialize(), INITIALIZED, SHUTDOWN, EXIT], 0),
        ([initialize(), INITIALIZED, EXIT], 1),
        ([EXIT], 1),
        ([initialize(), INITIALIZED], 1),
        ([initialize(), INITIALIZED, SHUTDOWN], 0),
    ],
    ids=["shutdown and exit", "exit alone", "exit at once", "input closed", "input closed after shutdown"],
)
def test_the_exit_code_reports_whether_the_session_was_ended(messages: list[Any], code: int) -> None:
    if messages == [EXIT]:
        done = subprocess.run(COMMAND, input=frame({"jsonrpc": "2.0", **EXIT}), timeout=LIMIT, check=False)
        assert done.returncode == code
    else:
        assert run(messages)[0] == code


def test_what_is_printed_does_not_reach_the_wire() -> None:
    program = f"""
import os, sys
from callwright.lsp.process import run
def handle(*_):
    print("printed")
    os.write(1, b"written")
    os.system("echo from a child")
    assert sys.stdin.read() == ""
{HOVER_BY_HANDLE}
sys.exit(run())
"""
    code, answers, side = run([initialize(), OPEN, HOVER, SHUTDOWN, EXIT], [sys.executable, "-c", program])
    assert code == 0
    assert {"jsonrpc": "2.0", "id": 3, "result": None} in answers
    for words in ("printed", "written", "from a child"):
        assert words in side


def test_initialize_is_answered_before_anything_heavy_is_imported() -> None:
    program = """
import sys
from callwright.lsp import server
answer = server.Server._initialize
def initialize(self, params):
    heavy = {"pygls", "lsprotocol", "lxml", "jsonschema", "callwright.lint.linter", "callwright.document.snapshot"}
    assert not heavy & set(sys.modules), heavy & set(sys.modules)
    return answer(self, params)
server.Server._initialize = initialize
from callwright.lsp.process import run
sys.exit(run())
"""
    code, answers, side = run([initialize(), SHUTDOWN, EXIT], [sys.executable, "-c", program])
    assert code == 0, side
    assert "capabilities" in answers[0]["result"]


def test_what_is_typed_does_not_pass_through_pygls() -> None:
    """The path of every keystroke: opened, changed, diagnosed, all without the 0.5 s that importing pygls takes."""
    change = {
        "method": "textDocument/didChange",
        "params": {"textDocument": {"uri": URI, "version": 2}, "contentChanges": [{"text": FAULTY}]},
    }
    pull = {"id": 4, "method": "textDocument/diagnostic", "params": {"textDocument": {"uri": URI}}}
    program = """
import sys
from callwright.lsp import server
from callwright.lsp.process import run
server.Server._prepare = lambda self: None
code = run()
assert "pygls" not in sys.modules and "lsprotocol" not in sys.modules
sys.exit(code)
"""
    named = initialize(initializationOptions={"shipped": True})
    code, answers, side = run([named, OPEN, change, pull, SHUTDOWN, EXIT], [sys.executable, "-c", program])
    assert code == 0, side
    (result,) = (answer["result"] for answer in answers if answer.get("id") == 4)
    assert result["items"]


@pytest.mark.skipif(os.name == "nt", reason="a process is killed and awaited the POSIX way")
def test_the_server_ends_with_the_process_that_started_it() -> None:
    # The input stays open, as it does when another child of the dead client has inherited it.
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as parent, started() as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(frame({"jsonrpc": "2.0", **initialize(processId=parent.pid)}))
        server.stdin.flush()
        assert server.stdout.readline().startswith(b"Content-Length")
        parent.kill()
        parent.wait(LIMIT)
        assert server.wait(LIMIT) == 1


@pytest.mark.skipif(os.name == "nt", reason="process ids are given out another way")
def test_a_client_that_is_dead_already_is_not_waited_for() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        gone.wait(LIMIT)
    with started() as server:
        assert server.stdin is not None
        server.stdin.write(frame({"jsonrpc": "2.0", **initialize(processId=gone.pid)}))
        server.stdin.flush()
        assert server.wait(LIMIT) == 1


def test_a_client_that_closes_its_ears_ends_the_server() -> None:
    with started() as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdout.close()
        server.stdin.write(b"".join(frame({"jsonrpc": "2.0", **message}) for message in (initialize(), OPEN)))
        server.stdin.flush()
        assert server.wait(LIMIT) == 1


def test_a_whole_session_leaves_nothing_over(tmp_path: Path) -> None:
    before = sorted(tmp_path.iterdir())
    done = subprocess.run(
        COMMAND,
        input=b"".join(
            frame({"jsonrpc": "2.0", **message})
            for message in (initialize(rootUri=tmp_path.as_uri()), INITIALIZED, OPEN, HOVER, SHUTDOWN, EXIT)
        ),
        capture_output=True,
        cwd=tmp_path,
        timeout=LIMIT,
        check=False,
    )
    assert done.returncode == 0
    assert done.stderr == b""
    assert json.loads(done.stdout.partition(b"\r\n\r\n")[2].partition(b"Content-Length")[0])
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signal that stands for a fault of a program")
def test_a_fault_below_python_states_where_it_came_from() -> None:
    # The thread that faults holds the interpreter's lock, so that no other one changes what is written of it. A signal
    # from outside may come while a thread runs: then writing may itself fault.
    program = f"""
import ctypes, sys
from callwright.lsp.process import run
def handle(*_):
    ctypes.string_at(0)
{HOVER_BY_HANDLE}
sys.exit(run())
"""
    with started([sys.executable, "-c", program]) as process:
        messages = (initialize(), OPEN, HOVER)
        stated = process.communicate(b"".join(frame({"jsonrpc": "2.0", **each}) for each in messages), LIMIT)[
            1
        ].decode()
        assert process.returncode == -signal.SIGSEGV
    assert "Fatal Python error: Segmentation fault" in stated
    thread = stated.partition("Current thread")[2].partition("\n\n")[0]
    assert re.search(r"line 5 in handle", thread)
    assert re.search(r"callwright.lsp.\w+\.py\", line \d+ in \w+", thread)
