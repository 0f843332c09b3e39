"""The tests reach no network: what would leave the machine is refused before a packet is sent."""

from __future__ import annotations

import asyncio
import re
import socket
import subprocess
import sys
from contextlib import closing

import pytest

from support.network import NetworkRefusedError, is_here

#: Addresses that are kept for documents: they are never assigned.
ELSEWHERE = ("192.0.2.1", "2001:db8::1")
NAME = "callwright.invalid"


@pytest.mark.parametrize("address", ELSEWHERE)
def test_a_connection_is_refused(address: str) -> None:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family) as outside:
        outside.settimeout(0.1)
        with pytest.raises(NetworkRefusedError, match="may not connect"):
            outside.connect((address, 80))
        with pytest.raises(NetworkRefusedError, match="may not connect"):
            outside.connect_ex((address, 80))
    with socket.socket(family, socket.SOCK_DGRAM) as outside, pytest.raises(NetworkRefusedError):
        outside.sendto(b"", (address, 53))


def test_a_name_is_not_scanned_up() -> None:
    with pytest.raises(NetworkRefusedError, match=f"address of `{re.escape(NAME)}`"):
        socket.create_connection((NAME, 80), timeout=0.1)
    with pytest.raises(NetworkRefusedError):
        asyncio.run(asyncio.wait_for(asyncio.open_connection(ELSEWHERE[0], 80), 1))


def test_this_machine_may_be_reached() -> None:
    assert all(map(is_here, ["localhost", "127.0.0.1", "127.3.2.1", "::1", b"localhost", None]))
    assert not any(map(is_here, [NAME, "10.0.0.1", "169.254.0.1", *ELSEWHERE]))
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        closing(socket.create_connection(server.getsockname(), timeout=5)) as near,
    ):
        assert near.getpeername() == server.getsockname()


def test_a_child_asks_where_nothing_answers() -> None:
    program = f"import urllib.request\nurllib.request.urlopen('https://{NAME}/', timeout=5)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1
    assert "refused" in done.stderr, done.stderr
    # The name was not looked up: that is the proxy's work.
    assert "resolution" not in done.stderr
