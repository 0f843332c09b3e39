"""The collector: it goes through everything in a quiet moment, not while someone waits."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from callwright.lsp import garbage
from callwright.lsp.garbage import Garbage
from callwright.lsp.scheduler import QUIET
from lsp.driven import Driven


@pytest.fixture
def everything(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """The collections there were, by their generation; those of the oldest go through everything."""
    monkeypatch.setattr(garbage, "_OFTEN", 1)
    monkeypatch.setattr(garbage, "_FEW", -1)
    monkeypatch.setattr(gc, "get_count", lambda: (0, garbage._YOUNG, 0))
    seen: list[int] = []

    def note(phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            seen.append(info["generation"])

    gc.callbacks.append(note)
    yield seen
    gc.callbacks.remove(note)
    gc.unfreeze()


def test_it_waits_for_a_quiet_moment(everything: list[int], tmp_path: Path) -> None:
    server = Driven(tmp_path).server
    for _ in range(3):
        server.scheduler.garbage.after_slice()
    assert 2 not in everything
    assert server.scheduler.garbage.overdue
    assert server.scheduler.timeout() == QUIET
    server.scheduler.idle()
    assert everything.count(2) == 1
    assert server.scheduler.timeout() is None


@pytest.mark.whole(reason="it waits for three seconds")
def test_it_does_not_wait_for_ever(everything: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1_000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    held = Garbage()
    held.after_slice()
    now += garbage._PATIENCE
    held.after_slice()
    assert 2 not in everything
    now += 1
    held.after_slice()
    assert everything.count(2) == 1
