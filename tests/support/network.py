"""No test reaches a network: connections are refused, and what children would ask for goes to a port that is dead.

Owns: what counts as this machine, and the refusal. Must not know: which tests run.

The editors' tests are left alone (`make e2e`): what they set up comes from the package registries.
"""

from __future__ import annotations

import os
import socket
from ipaddress import ip_address
from typing import Any

#: Where nothing listens; children that read the usual variables ask there for whatever is not on this machine.
NOWHERE = "http://127.0.0.1:9"
HERE = "localhost,127.0.0.1,::1"
_LOCAL_NAMES = {"", "localhost", "localhost.", "ip6-localhost"}

_connect = socket.socket.connect
_connect_ex = socket.socket.connect_ex
_sendto = socket.socket.sendto
_getaddrinfo = socket.getaddrinfo


class NetworkRefusedError(OSError):
    """A test asked for something that is not on this machine."""


def is_here(host: object) -> bool:
    """Say whether a host's name or address is this machine's own."""
    if host is None:
        return True
    name = host.decode("ascii", "replace") if isinstance(host, bytes | bytearray) else str(host)
    if name in _LOCAL_NAMES:
        return True
    try:
        address = ip_address(name.partition("%")[0])
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def _refuse_elsewhere(family: int, address: Any) -> None:
    if family in {socket.AF_INET, socket.AF_INET6} and not is_here(address[0]):
        raise NetworkRefusedError(f"A test may not connect to `{address[0]}`.")


def _guarded_connect(self: socket.socket, address: Any, /) -> None:
    _refuse_elsewhere(self.family, address)
    _connect(self, address)


def _guarded_connect_ex(self: socket.socket, address: Any, /) -> int:
    _refuse_elsewhere(self.family, address)
    return _connect_ex(self, address)


def _guarded_sendto(self: socket.socket, data: Any, *rest: Any) -> int:
    _refuse_elsewhere(self.family, rest[-1])
    return _sendto(self, data, *rest)


def _guarded_getaddrinfo(host: Any, *rest: Any, **named: Any) -> Any:
    if not is_here(host):
        raise NetworkRefusedError(f"A test may not ask for the address of `{host}`.")
    return _getaddrinfo(host, *rest, **named)


def refuse_network() -> None:
    """From now on refuse, in this process, every connection and look-up that leaves the machine.

    Children of it are given the usual variables of a proxy that is not there.
    """
    setattr(socket.socket, "connect", _guarded_connect)  # noqa: B010 -- to a type checker a method is not a variable
    setattr(socket.socket, "connect_ex", _guarded_connect_ex)  # noqa: B010
    setattr(socket.socket, "sendto", _guarded_sendto)  # noqa: B010
    setattr(socket, "getaddrinfo", _guarded_getaddrinfo)  # noqa: B010
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        os.environ[name] = os.environ[name.lower()] = NOWHERE
    os.environ["NO_PROXY"] = os.environ["no_proxy"] = HERE
