"""Servers to ask, for tests: how to start the programs in `tests/mcp_servers/programs`, and what is left of them."""

from __future__ import annotations

import os
import sys
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


def is_running(number: int) -> bool:
    """Whether a process runs; one that has ended and was not collected by its parent does not."""
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{number}/stat")
    return not state.exists() or state.read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
