"""The table of the extras: it has each one, and sizes that were measured."""

from __future__ import annotations

import platform
import re
import sys

import pytest

from packages.extras import BEGIN, END, MEGABYTE, PAGE, PURPOSES, rows
from packages.locked import locked

TABLE = PAGE.read_text(encoding="utf-8").split(BEGIN)[1].split(END)[0]


def test_the_table_has_every_extra() -> None:
    assert set(PURPOSES) == {"", *locked().extras}
    assert re.findall(r"^\| `callwright(?:\[([\w-]+)\])?`", TABLE, re.MULTILINE) == [
        name for name, _, _ in rows(locked())
    ]
    for name, purpose in PURPOSES.items():
        assert f"{name}]` | {purpose} |" in TABLE or (not name and f"| `callwright` | {purpose} |" in TABLE)


@pytest.mark.skipif(
    (platform.system(), platform.machine(), sys.version_info[:2]) != ("Linux", "x86_64", (3, 11)),
    reason="the page states the sizes on Linux x86-64 with Python 3.11",
)
def test_the_sizes_are_those_of_what_is_installed() -> None:
    stated = re.findall(r"\| (\d+) \| ([\d,]+) MB \|$", TABLE, re.MULTILINE)
    measured = rows(locked())
    assert len(stated) == len(measured)
    for (packages, megabytes), (name, count, size) in zip(stated, measured, strict=True):
        assert int(packages) == count, name
        assert abs(int(megabytes.replace(",", "")) - size / MEGABYTE) <= max(1, size / MEGABYTE / 50), name
