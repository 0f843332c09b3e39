"""Where the time of the tests goes: a plugin that adds up the CPU seconds of each room, and the file that keeps them.

Owns: the file `tests/timings.json` and how it is filled. Must not know: what a test does, how the numbers are shown.

A room is a folder of tests, or a file that lies beside them. The time of a process that a test starts is its own once
the test has waited for it. No test compares these numbers with anything: they are shown, and that is all.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from typing import Any, Final

import pytest

FILE: Final = Path(__file__).parents[1] / "timings.json"
#: The row of all that is not a test: starting, importing, collecting.
COLLECTING: Final = "(collecting)"


def _seconds() -> float:
    """Return the CPU seconds of this process and of those that it has waited for."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


class Timings:
    """Adds up what the tests of each room take, in each worker, and writes the sums at the end."""

    def __init__(self, config: pytest.Config, name: str) -> None:
        self._config = config
        self._name = name
        self._tests: Counter[str] = Counter()
        self._times: Counter[str] = Counter()

    def pytest_collection_finish(self) -> None:
        """Keep the time up to here."""
        self._times[COLLECTING] = _seconds()  # type: ignore[assignment]  # a Counter adds up floats as well

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Add the time of one test to its room's."""
        room = item.nodeid.split("::")[0].split("/")[1]
        before = _seconds()
        try:
            return (yield)
        finally:
            self._tests[room] += 1
            self._times[room] += _seconds() - before  # type: ignore[assignment]  # as above

    def pytest_sessionfinish(self) -> None:
        """Hand the sums of a worker to the process that started it; write the file where there is none above."""
        worker: dict[str, Any] | None = getattr(self._config, "workeroutput", None)
        if worker is not None:
            worker["timings"] = [dict(self._tests), dict(self._times)]
            return
        kept = json.loads(FILE.read_text(encoding="utf-8")) if FILE.is_file() else {}
        rooms = sorted(self._times)
        kept[self._name] = {
            room: {"tests": self._tests[room], "seconds": round(self._times[room], 1)} for room in rooms
        }
        FILE.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", encoding="utf-8", newline="\n")

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Add the sums of a worker that has ended."""
        tests, times = node.workeroutput["timings"]
        self._tests.update(tests)
        self._times.update(times)
