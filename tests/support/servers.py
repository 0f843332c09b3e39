"""Servers to ask, for tests: how to start the programs in `tests/mcp_servers/programs`, and what is left of them."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from callwright.mcp.configuration import started
from callwright.mcp.servers import Server, Text

PROGRAMS = Path(__file__).parents[1] / "mcp_servers" / "programs"


def words(program: str, *rest: str) -> list[str]:
    """The command of one of the programs."""
    return [sys.executable, "-I", str(PROGRAMS / program), *rest]


def server_of(folder: Path, program: str, *rest: str, **env: str) -> Server:
    command = [Text.plain(word) for word in words(program, *rest)]
    return started("odd", command, folder, os.environ, {name: Text.plain(value) for name, value in env.items()})


def left_running(numbers: Sequence[int], limit: float = 10.0) -> list[int]:
    """Return the processes that still run; one that has been sent a signal ends only when it gets a processor."""
    deadline = time.monotonic() + limit
    while (running := [number for number in numbers if is_running(number)]) and time.monotonic() < deadline:
        time.sleep(0.02)
    return running


def is_running(number: int) -> bool:
    """Whether a process runs; one that has ended and was not collected by its parent does not."""
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    try:
        state = Path(f"/proc/{number}/stat").read_text(encoding="utf-8")
    except FileNotFoundError:
        return not Path("/proc/self/stat").exists()
    return state.rpartition(")")[2].split()[0] != "Z"
