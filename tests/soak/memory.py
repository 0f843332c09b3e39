"""What memory the process holds, and how much more of it is too much.

Owns: the two measures and their margins. Must not know: what the memory is held for.

Blocks are what Python's own allocator has given out, counted exactly: anything that is kept for each edit shows there.
The resident set is what the system sees, with the C libraries' share and what the allocator does not give back; it goes
up and down by itself. It is read from `/proc`, and left out where there is none. The margins leave room for caches that
hold so many entries and no more, whose entries differ in size: in a storm of 100,000 edits less than one block an edit.
"""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path
from typing import Final, NamedTuple

#: By how much the end may exceed the state after the first edits: so many hundredths, and so many blocks or MB.
BLOCKS_MARGIN: Final = (15, 0)
RESIDENT_MARGIN: Final = (15, 16)
_STATUS: Final = Path("/proc/self/statm")


class Memory(NamedTuple):
    """Blocks of Python's allocator, and the resident set in MB, 0 where the system does not say."""

    blocks: int
    resident: float

    def __str__(self) -> str:
        return f"{self.blocks:,} blocks, {self.resident:.0f} MB resident"


def held() -> Memory:
    """Return what is held once everything that is garbage is gone."""
    for _ in range(3):
        gc.collect()
    pages = int(_STATUS.read_text("ascii").split()[1]) if _STATUS.exists() else 0
    return Memory(sys.getallocatedblocks(), pages * (os.sysconf("SC_PAGE_SIZE") if pages else 0) / 2**20)


def growth(before: Memory, after: Memory) -> str | None:
    """Return in words by how much memory has grown beyond the margins, None where it has not."""
    most = before.blocks * (100 + BLOCKS_MARGIN[0]) // 100 + BLOCKS_MARGIN[1]
    if after.blocks > most:
        return f"{after.blocks:,} blocks are held, at most {most:,} may be"
    limit = before.resident * (100 + RESIDENT_MARGIN[0]) / 100 + RESIDENT_MARGIN[1]
    if after.resident > limit:
        return f"{after.resident:.0f} MB are resident, at most {limit:.0f} MB may be"
    return None
