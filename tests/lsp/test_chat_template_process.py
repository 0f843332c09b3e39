"""The process that renders chat templates for a server: it ends with it, and without trust there is none."""

from __future__ import annotations

import contextlib
import importlib.util
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from callwright.lsp.frames import Fault, FrameReader
from lsp.conversation import frame
from lsp.test_chat_templates import LOOP, TWICE
from support.chat_templates import ENCODES_TWICE

pytestmark = [
    pytest.mark.skipif(importlib.util.find_spec("jinja2") is None, reason="Jinja is not installed"),
    pytest.mark.skipif(sys.platform != "linux", reason="the children of a process are listed in /proc"),
]
LIMIT = 60
#: Ends with the modules that were imported on standard error.
LISTING = """
import sys
from callwright.lsp.process import run
code = run()
print("\\n".join(sys.modules), file=sys.stderr)
sys.exit(code)
"""


class Talk:
    """A server as a process of its own."""

    def __init__(self, root: Path, options: Any) -> None:
        command = [sys.executable, "-c", LISTING]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert self.process.stdout is not None
        read = self.process.stdout.read1  # type: ignore[attr-defined]
        self._messages = FrameReader(lambda: read(1 << 16)).messages()
        params = {"processId": None, "capabilities": {}, "initializationOptions": options, "rootUri": root.as_uri()}
        self.uri = (root / "chat_template.jinja").as_uri()
        self.send({"id": 1, "method": "initialize", "params": params})
        self.send({"method": "initialized", "params": {}})

    def send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(frame({"jsonrpc": "2.0", **message}))
        self.process.stdin.flush()

    def open(self, text: str) -> None:
        document = {"uri": self.uri, "languageId": "jinja", "version": 1, "text": text}
        self.send({"method": "textDocument/didOpen", "params": {"textDocument": document}})

    def until(self, fits: Callable[[dict[str, Any]], bool]) -> None:
        for message in self._messages:
            assert not isinstance(message, Fault)
            if fits(message):
                return
        raise AssertionError("the server ended")

    def end(self) -> str:
        """End the session as a client should, and return what was written to standard error."""
        self.send({"id": 9, "method": "shutdown"})
        self.send({"method": "exit"})
        _, errors = self.process.communicate(timeout=LIMIT)
        assert self.process.returncode == 0
        return errors.decode()


def children(process: int) -> list[int]:
    found = []
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = file.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(words[1]) == process and words[0] != "Z":
            found.append(int(file.parent.name))
    return found


def is_there(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + LIMIT
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.fixture
def started() -> Iterator[list[Talk]]:
    talks: list[Talk] = []
    yield talks
    for talk in talks:
        talk.process.kill()
        talk.process.wait()
        for pipe in (talk.process.stdin, talk.process.stdout, talk.process.stderr):
            with contextlib.suppress(OSError):
                assert pipe is not None
                pipe.close()


def has_found(message: dict[str, Any]) -> bool:
    return TWICE in str(message.get("params"))


@pytest.mark.parametrize("way", ["shutdown", "exit", "closed", "killed"])
def test_the_process_that_renders_ends_with_the_server(started: list[Talk], tmp_path: Path, way: str) -> None:
    talk = Talk(tmp_path, {"trusted": True})
    started.append(talk)
    talk.send({"id": 2, "method": "callwright/tools", "params": {}})
    talk.until(lambda message: message.get("id") == 2)
    assert children(talk.process.pid) == []
    talk.open(ENCODES_TWICE)
    talk.until(has_found)
    (child,) = children(talk.process.pid)
    if way == "shutdown":
        talk.send({"id": 9, "method": "shutdown"})
    elif way == "exit":
        talk.send({"method": "exit"})
    elif way == "closed":
        assert talk.process.stdin is not None
        talk.process.stdin.close()
    else:
        talk.process.kill()
    wait_until(lambda: not is_there(child))


@pytest.mark.parametrize("way", ["exit", "killed"])
def test_it_ends_with_the_server_in_the_midst_of_a_template(started: list[Talk], tmp_path: Path, way: str) -> None:
    talk = Talk(tmp_path, {"trusted": True})
    started.append(talk)
    talk.open(LOOP)
    wait_until(lambda: bool(children(talk.process.pid)))
    (child,) = children(talk.process.pid)
    begun = time.monotonic()
    if way == "exit":
        talk.end()
        # The server does not wait for the template.
        assert time.monotonic() - begun < LIMIT / 10
    else:
        talk.process.kill()
    wait_until(lambda: not is_there(child))


@pytest.mark.parametrize("options", [{}, {"trusted": True, "chatTemplates": "off"}])
def test_where_nothing_is_rendered_nothing_is_imported_for_it(
    started: list[Talk], tmp_path: Path, options: Any
) -> None:
    talk = Talk(tmp_path, options)
    started.append(talk)
    talk.open(ENCODES_TWICE)
    talk.send({"id": 2, "method": "textDocument/diagnostic", "params": {"textDocument": {"uri": talk.uri}}})
    talk.until(lambda message: message.get("id") == 2)
    assert children(talk.process.pid) == []
    modules = talk.end().split()
    assert "callwright.lsp.chat_templates" in modules
    assert not [each for each in modules if each.startswith(("callwright.chat_templates", "jinja2"))]
