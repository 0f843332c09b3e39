"""The changes that no test could notice, with the reason for each: `equivalents.toml`.

Owns: the list. Must not know: how a module is changed, which tests are run.

An entry names the module's file, the line as it is there without its indentation, and the change, and says why it is
none. Where a file has the same change in equal lines, or twice in one, the second has a ` #2` after it.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from mutation.table import PACKAGE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mutation.sites import Site

FILE = Path(__file__).with_name("equivalents.toml")


@cache
def reasons() -> dict[tuple[str, str, str], str]:
    """Return the reason by file, line and change."""
    entries = tomllib.loads(FILE.read_text(encoding="utf-8")).get("equivalent", [])
    return {(each["file"], each["line"], each["change"]): each["reason"] for each in entries}


def keys(file: str, found: Sequence[Site]) -> list[tuple[str, str, str]]:
    """Return how each change of a file is named in the list, in the order of the changes."""
    lines = (PACKAGE / file).read_text(encoding="utf-8").split("\n")
    met: Counter[tuple[str, str]] = Counter()
    named = []
    for site in found:
        line, what = lines[site.line - 1].strip(), site.what
        met[line, what] += 1
        again = met[line, what]
        named.append((file, line, what if again == 1 else f"{what} #{again}"))
    return named
