"""Frames: whatever comes over the wire, every whole message after it is still read."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.lsp.frames import MAX_BODY, Fault, FrameReader, FrameWriter
from lsp.conversation import frame
from support.sampling import tries

HELLO = {"jsonrpc": "2.0", "method": "hello"}


def read(data: bytes, piece: int = 1 << 16) -> list[dict[str, Any] | Fault]:
    pieces = [data[at : at + piece] for at in range(0, len(data), piece)]
    pieces.append(b"")
    return list(FrameReader(iter(pieces).__next__, max_body=10_000).messages())


def test_messages_are_read_however_they_are_cut() -> None:
    data = frame(HELLO) + frame({**HELLO, "method": "ünï😀"})
    for piece in range(1, len(data) + 1):
        assert [message["method"] for message in read(data, piece) if isinstance(message, dict)] == ["hello", "ünï😀"]


@pytest.mark.parametrize(
    "head",
    [
        b"content-length: %d\r\n\r\n",
        b"CONTENT-LENGTH:%d\r\n\r\n",
        b"Content-Length: %d\n\n",
        b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: %d\r\n\r\n",
        b"Content-Length: %d\r\nContent-Type: application/vscode-jsonrpc\r\n\r\n",
        b"Content-Length: 000000000000000000%d\r\n\r\n",
        b"noise before it\r\nContent-Length: %d\r\n\r\n",
    ],
)
def test_headers_are_read_as_clients_write_them(head: bytes) -> None:
    body = json.dumps(HELLO).encode()
    assert read(head % len(body) + body) == [HELLO]


@pytest.mark.parametrize(
    "length", [b"10995116277760", b"9" * 5_000, b"-5", b"ten", b"", b"1e3", b"5 5", b"99999", "٣".encode()]
)
def test_a_length_that_makes_no_sense_is_answered_and_the_next_message_read(length: bytes) -> None:
    fault, message = read(b"Content-Length: " + length + b"\r\n\r\n" + json.dumps(HELLO).encode() + frame(HELLO))
    assert isinstance(fault, Fault)
    assert fault.code == -32600
    assert message == HELLO


def test_a_body_that_is_no_json_is_answered_and_the_next_message_read() -> None:
    for body in (b"{", b"\xff\xfe\xff", b"[" * 100_00, b"{'a': 1}", b""):
        fault, message = read(b"Content-Length: %d\r\n\r\n%b" % (len(body), body) + frame(HELLO))
        assert isinstance(fault, Fault)
        assert fault.code == -32700
        assert message == HELLO


@pytest.mark.parametrize(
    ("body", "identity"),
    [
        (b'{"jsonrpc": "2.0", "id": 7, "method": "x", "params": ' + b"[" * 9_000, 7),
        (b'{"params": {"id": 1, "a": "\\"id\\": 2"}, "id": "a\\u0041", "method": ', "aA"),
        (b'{"method": "\xff", "id": 3}', 3),
        (b'{"id": null, "method": "x"', None),
        (b'{"id": "\xff", "method": "x"', None),
        (b'{"id', None),
    ],
    ids=["too deep", "cut off", "no UTF-8", "no id", "an id that is no text", "cut off in its id"],
)
def test_a_request_that_is_not_json_is_answered(body: bytes, identity: int | str | None) -> None:
    fault, message = read(b"Content-Length: %d\r\n\r\n%b" % (len(body), body) + frame(HELLO))
    assert isinstance(fault, Fault)
    assert (fault.code, fault.request) == (-32700, identity)
    assert message == HELLO


def test_each_request_of_a_batch_is_answered() -> None:
    first, second, third, message = read(frame([{**HELLO, "id": 1}, {**HELLO, "id": "b"}, 5]) + frame(HELLO))
    assert [fault.request for fault in (first, second, third) if isinstance(fault, Fault)] == [1, "b", None]
    assert message == HELLO


def test_a_body_beyond_the_limit_is_refused_unread() -> None:
    small = json.dumps(HELLO).encode()
    pieces = iter([frame(HELLO), b"Content-Length: %d\r\n\r\n" % (len(small) + 1), small + b" ", frame(HELLO), b""])
    first, fault, last = FrameReader(pieces.__next__, max_body=len(small)).messages()
    assert isinstance(fault, Fault)
    assert (first, last) == (HELLO, HELLO)
    assert MAX_BODY == 64 * 1024 * 1024


def test_a_length_that_is_too_long_costs_no_message() -> None:
    body = json.dumps(HELLO).encode()
    second = {**HELLO, "method": "second"}
    assert read(b"Content-Length: %d\r\n\r\n%b" % (len(body) + 9, body) + frame(second)) == [HELLO, second]


def test_a_length_that_is_too_short_costs_its_own_message_only() -> None:
    body = json.dumps(HELLO).encode()
    fault, message = read(b"Content-Length: %d\r\n\r\n%b" % (len(body) - 3, body) + frame(HELLO))
    assert isinstance(fault, Fault)
    assert message == HELLO


@pytest.mark.parametrize(
    ("message", "identity"),
    [([], None), (1, None), ({"id": 3}, 3), ({"id": 4, "method": 5}, 4), ({"id": {}, "method": "x"}, None)],
)
def test_what_is_json_but_no_message_is_answered(message: Any, identity: int | None) -> None:
    (fault,) = read(frame(message))
    assert isinstance(fault, Fault)
    assert (fault.code, fault.request) == (-32600, identity)


@given(st.lists(st.one_of(st.binary(max_size=40), st.just(b"Content-Length: 7\r\n\r\n"), st.just(b"\r\n\r\n"))))
@settings(deadline=None, max_examples=tries(200))
def test_nothing_that_a_client_sends_raises(pieces: list[bytes]) -> None:
    data = iter([piece for piece in pieces if piece] + [b""])
    for message in FrameReader(data.__next__).messages():
        assert isinstance(message, dict | Fault)


def test_what_is_written_is_one_piece_of_ascii() -> None:
    written: list[bytes] = []
    FrameWriter(written.append).send({"text": "é😀\ud800"})
    (data,) = written
    assert data.isascii()
    assert read(data.replace(b'"text"', b'"text"')) == [Fault(-32600, "a message needs a method, or is an answer")]


def test_a_client_that_is_gone_is_written_to_no_more() -> None:
    def write(_data: bytes) -> None:
        raise BrokenPipeError

    writer = FrameWriter(write)
    writer.send(HELLO)
    assert writer.closed
    writer.send(HELLO)
