"""`callwright stream`: events while the text arrives, bytes that are not text, strict replies, and how it ends."""

from __future__ import annotations

import io
import json
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from callwright.cli.main import main
from callwright.cli.stream import run
from cli.test_process import callwright_process

CALL = '<debug_launch>{"program": "a.py"}</debug_launch>'
STRICT = ("--strict", "--dialect", "xml-json")
Stream = Callable[..., tuple[int, list[dict[str, Any]]]]


class Slow(io.BytesIO):
    """An input that gives one byte at a time."""

    def read1(self, size: int | None = -1) -> bytes:
        assert size
        return super().read1(1)


@pytest.fixture
def stream(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Stream:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)

    def streamed(data: bytes, *words: str, slow: bool = False) -> tuple[int, list[dict[str, Any]]]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(Slow(data) if slow else io.BytesIO(data)))
        code = main(["stream", *words])
        stated = capsys.readouterr()
        assert stated.err == ""
        return code, [json.loads(line) for line in stated.out.splitlines()]

    return streamed


def test_a_call_with_text_around_it(stream: Stream) -> None:
    code, lines = stream(f"So: {CALL}\nDone.".encode())
    assert code == 0
    assert [line["event"] for line in lines] == [
        *("text", "call_opened", "argument_opened", "argument_text", "argument_closed", "call_closed", "text", "end"),
    ]
    opened, closed = lines[1], lines[5]
    assert opened == {"event": "call_opened", "index": 0, "tool": "debug_launch", "dialect": "xml-json", "offset": 4}
    assert closed["call"] == {
        "tool": "debug_launch",
        "arguments": {"program": "a.py"},
        "dialect": "xml-json",
        "span": [4, 4 + len(CALL)],
        "id": None,
    }
    assert lines[-1] == {"event": "end", "calls": 1, "errors": 0, "warnings": 0}
    assert "".join(line["text"] for line in lines if line["event"] == "text") == "So: \nDone."


def test_a_diagnostic_ends_with_one(stream: Stream) -> None:
    code, lines = stream(CALL.replace("program", "progrm").encode())
    (diagnostic,) = (line for line in lines if line["event"] == "diagnostic")
    assert (diagnostic["code"], diagnostic["severity"], diagnostic["span"]) == ("TC303", "error", [15, 23])
    assert (code, lines[-1]["errors"]) == (1, 1)


def test_what_scanned_like_a_call_is_taken_back(stream: Stream) -> None:
    code, lines = stream(b"Write the [TOOL_CALLS] token { and so on }.", slow=True)
    assert [line["event"] for line in lines if line["event"] != "text"] == ["call_opened", "call_dropped", "end"]
    assert (code, lines[-1]["calls"]) == (0, 0)


@pytest.mark.parametrize("slow", [False, True])
def test_bytes_that_are_no_text_are_reported_and_replaced(stream: Stream, slow: bool) -> None:
    code, lines = stream("é ".encode() + b"\xff\xfe and \xed\xa0\x80" + "é".encode() + b" \xc3", slow=slow)
    notes = [(line["offset"], line["bytes"]) for line in lines if line["event"] == "invalid_bytes"]
    whole = [(2, "ff fe"), (9, "ed a0 80"), (14, "c3")]
    assert " ".join(shown for _, shown in notes) == " ".join(shown for _, shown in whole)
    assert slow or notes == whole
    text = "".join(line["text"] for line in lines if line["event"] == "text")
    assert text == "é \ufffd\ufffd and \ufffd\ufffd\ufffdé \ufffd"
    assert code == 1


def test_a_marker_of_byte_order_is_no_text(stream: Stream) -> None:
    _, lines = stream(b"\xef\xbb\xbf" + CALL.encode())
    assert lines[0]["offset"] == 0


def test_an_empty_input(stream: Stream) -> None:
    assert stream(b"") == (0, [{"event": "end", "calls": 0, "errors": 0, "warnings": 0}])
    assert stream(b"", *STRICT) == (0, [{"event": "result", "calls": [], "error": None}])


def test_a_strict_reply_that_is_sound(stream: Stream) -> None:
    code, lines = stream(f"{CALL}\n".encode(), *STRICT)
    assert code == 0
    assert [call["arguments"] for call in lines[-1]["calls"]] == [{"program": "a.py"}]
    assert lines[-1]["error"] is None


def test_a_strict_reply_is_rejected_at_once(stream: Stream) -> None:
    data = CALL.replace("debug_launch", "debug_lunch") + " and " + "more. " * 40_000 + CALL
    code, lines = stream(data.encode(), *STRICT)
    assert code == 1
    assert [line["event"] for line in lines if line["event"] not in ("text", "call_opened", "call_dropped")][-2:] == [
        "error",
        "result",
    ]
    assert {line["type"] for line in lines if line["event"] == "error"} == {"UNKNOWN_TOOL"}
    assert lines[-1]["calls"] == []
    assert not any("more" in line.get("text", "") for line in lines)


def test_a_strict_reply_without_a_call(stream: Stream) -> None:
    assert stream(b"No.", *STRICT)[0] == 0
    code, lines = stream(b"No.", *STRICT, "--require-call")
    assert (code, lines[-1]["error"]["type"]) == (1, "NO_XML_BLOCKS")


@pytest.mark.parametrize(
    ("words", "stated"),
    [
        (["--strict"], "needs a dialect; name one, as in `--dialect hermes`"),
        (["--require-call"], "add it, or remove"),
        (["--dialect", "xmll"], "xmll"),
        (["--tools", "none.json"], "file not found"),
    ],
)
def test_misuse(words: list[str], stated: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stream", "--isolated", *words]) == 2
    assert stated in capsys.readouterr().err


def test_the_help_page_reports_every_event() -> None:
    page = run.__doc__ or ""
    kinds = [
        *("text", "call_opened", "argument_opened", "argument_text", "argument_closed", "call_closed", "call_dropped"),
        *("diagnostic", "invalid_bytes", "end", "error", "result"),
    ]
    assert all(f"`{kind}`" in page for kind in kinds)


# -- processes ---------------------------------------------------------------------------------------------------------


def streaming(folder: Path, *words: str) -> subprocess.Popen[bytes]:
    return callwright_process("stream", "--isolated", *words, cwd=folder, bufsize=0)


def reported(process: subprocess.Popen[bytes]) -> dict[str, Any]:
    """Return the next line, waiting for it."""
    assert process.stdout is not None
    assert select.select([process.stdout], [], [], 60)[0], "nothing was said"
    line: dict[str, Any] = json.loads(process.stdout.readline())
    return line


def send(process: subprocess.Popen[bytes], data: bytes) -> None:
    assert process.stdin is not None
    process.stdin.write(data)
    process.stdin.flush()


def test_each_event_comes_before_the_next_piece_is_sent(tmp_path: Path) -> None:
    with streaming(tmp_path, "--tools", str(tools_file(tmp_path))) as process:
        send(process, b"Hello. \xc3")
        assert reported(process) == {"event": "text", "text": "Hello. "}
        send(process, b"\xa9 ")
        assert reported(process) == {"event": "text", "text": "é "}
        send(process, b'<debug_launch>{"program": "a')
        assert reported(process)["tool"] == "debug_launch"
        assert reported(process) == {"event": "argument_opened", "index": 0, "name": "program"}
        assert reported(process)["text"] == "a"
        send(process, b".p")
        assert reported(process)["text"] == ".p"
        send(process, b'y"}')
        assert reported(process)["text"] == "y"
        assert reported(process)["event"] == "argument_closed"
        send(process, b"</debug_launch>, ")
        assert reported(process)["call"]["arguments"] == {"program": "a.py"}
        assert reported(process) == {"event": "text", "text": ", "}
        assert process.stdin is not None
        process.stdin.close()
        assert reported(process)["event"] == "end"
        assert process.wait(60) == 0


def tools_file(folder: Path) -> Path:
    schema = {"type": "object", "properties": {"program": {"type": "string"}}}
    path = folder / "tools.json"
    path.write_text(json.dumps([{"name": "debug_launch", "description": "Start.", "inputSchema": schema}]), "utf-8")
    return path


def test_a_rejected_reply_is_not_waited_for(tmp_path: Path) -> None:
    with streaming(tmp_path, *STRICT, "--tools", str(tools_file(tmp_path))) as process:
        send(process, b'<debug_launch>{"program": 1}</debug_launch> and')
        events = [reported(process)["event"]]
        while events[-1] != "result":
            events.append(reported(process)["event"])
        # Nothing states that the text ends here.
        assert "error" in events
        assert process.wait(60) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="another way to interrupt")
def test_an_interrupt_ends_it_without_a_trace(tmp_path: Path) -> None:
    with streaming(tmp_path) as process:
        send(process, b"Hello ")
        assert reported(process)["text"] == "Hello "
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        assert process.stderr is not None
        assert process.stderr.read() == b"callwright: interrupted\n"


def test_a_closed_pipe_ends_the_run(tmp_path: Path) -> None:
    with streaming(tmp_path) as process:
        send(process, b"Hello ")
        assert reported(process)["text"] == "Hello "
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        send(process, b"there. ")
        assert process.wait(60) == 141
        assert process.stderr.read() == b""
