"""Runs of `callwright corpus` as processes, and a Ray cluster for them, which is ended with all that it began."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from callwright.corpus.parts import FOLDER

#: Long beyond all that a machine with much to do takes.
LONG: Final = 500
CLUSTER: Final = Path(__file__).with_name("cluster.py")


@contextmanager
def ray_environment() -> Iterator[dict[str, str]]:
    """Give an environment in which Ray knows no other cluster of this machine, and admits no client without a token."""
    # Its sockets lie below, and their paths may have no more than 107 characters.
    folder = Path(tempfile.mkdtemp(prefix="cw-"))
    try:
        token = folder / "token"
        token.write_text(secrets.token_hex(32), encoding="utf-8")
        yield {
            **{name: value for name, value in os.environ.items() if name != "RAY_ADDRESS"},
            # A cluster of several nodes requires a token only where that is configured.
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN_PATH": str(token),
            "RAY_TMPDIR": str(folder),
            "RAY_USAGE_STATS_ENABLED": "0",
            # What this switch for other systems does on every one: a machine goes by its loopback address.
            "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
        }
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class Nodes:
    """A Ray cluster with several nodes on this machine."""

    def __init__(self, count: int, environment: dict[str, str]) -> None:
        self.environment = environment
        self._process = subprocess.Popen(
            [sys.executable, str(CLUSTER), str(count)],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.address = self._stated()

    def lose_one(self) -> None:
        """Kill all processes of a node that is not the head."""
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        assert self._stated() == "gone"

    def _stated(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline().strip()
        assert line, f"the cluster ended with {self._process.wait(LONG)}"
        return line

    def end(self) -> None:
        """End the cluster."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(LONG)
        assert self._process.stdout is not None
        self._process.stdout.close()


@contextmanager
def nodes(count: int) -> Iterator[Nodes]:
    """Start a cluster, and end it."""
    with ray_environment() as environment:
        cluster = Nodes(count, environment)
        try:
            yield cluster
        finally:
            cluster.end()


def _lives(process: int) -> bool:
    """Return whether there is such a process."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


class Run:
    """One run of a task such as `corpus check` in a folder, as a process; its sources are `data` if none are given."""

    def __init__(
        self,
        folder: Path,
        out: Path,
        *words: str,
        task: str = "check",
        sources: tuple[str, ...] = ("data",),
        environment: dict[str, str] | None = None,
    ) -> None:
        self.out = out
        self.parts = out / FOLDER
        self.process = subprocess.Popen(
            [sys.executable, "-m", "callwright", "corpus", task, *sources, "--out", str(out), "--isolated", *words],
            cwd=folder,
            env=environment or {**os.environ},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def end(self) -> tuple[int, str]:
        """Wait for the end; return the exit code and the text on standard error."""
        _, stated = self.process.communicate(timeout=LONG)
        return self.process.returncode, stated

    def workers(self, count: int = 1) -> list[int]:
        """Wait until so many workers are each at some unit while others are done; return their processes."""
        until = time.monotonic() + LONG
        while time.monotonic() < until and self.process.poll() is None:
            names = [each.name for each in self.parts.iterdir()] if self.parts.is_dir() else []
            at_work = [match for name in names if (match := re.search(r"\.unfinished-(\d+)-", name))]
            found = sorted({number for match in at_work if _lives(number := int(match[1]))})
            if len(found) >= count and len(at_work) < len(names):
                return found[:count]
            time.sleep(0.01)
        raise AssertionError(f"{count} workers were not at work: {self.end()}")

    def kill(self) -> None:
        """Kill the command itself, without a word to its workers, while they are at work."""
        self.workers()
        self.process.kill()
        # Workers that outlive it for a moment may hold its outputs open.
        self.process.wait(LONG)
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()

    def kill_workers(self, count: int = 1) -> None:
        """Kill so many workers while they are at work."""
        for each in self.workers(count):
            # What it left unfinished may be there when it is gone.
            with suppress(ProcessLookupError):
                os.kill(each, signal.SIGKILL)

    def done(self) -> set[str]:
        """Return the names of the parts that are there."""
        return {each.name for each in self.parts.iterdir() if ".unfinished" not in each.name}

    def results(self) -> dict[str, bytes]:
        """Return the files of the folder of results."""
        return {
            each.relative_to(self.out).as_posix(): each.read_bytes() for each in self.out.rglob("*") if each.is_file()
        }
