"""How rules about tool files word what they find, and the fixes that they share.

Owns: `quoted`, `listed`, `with_edits`, `is_placeholder` and its words, `where`. Must not know: any single rule, how
edits are made.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from callwright.rules.base import Applicability, Fix
from callwright.text.span import Edit

#: Longer names and values are cut in messages.
_LONGEST: Final = 60

#: What people and generators write where a description should stand.
PLACEHOLDER_WORDS: Final = frozenset(
    {"", "description", "description here", "tool description", "parameter description", "no description", "todo"}
    | {"tbd", "fixme", "xxx", "placeholder", "add description", "add a description", "add description here", "n/a"}
    | {"none", "null", "undefined", "no description provided", "no description available", "description goes here"}
)
_TO_DO: Final = re.compile(r"(?:TODO|TBD|FIXME|XXX)(?:\([^()]*+\))?+(?::.*+)?+", re.DOTALL)


def is_placeholder(description: str) -> bool:
    """Return whether a description says nothing: it is empty, or stands for one that is still to be written."""
    said = " ".join(description.split())
    return said.strip("<>[](){}.…-_*#! ").casefold() in PLACEHOLDER_WORDS or _TO_DO.fullmatch(said) is not None


def quoted(text: str) -> str:
    """Return a name or value as messages show it: in back-ticks, on one line, cut where it is long."""
    line = " ".join(text.split()).replace("`", "'") or " "
    return f"`{line if len(line) <= _LONGEST else line[: _LONGEST - 1] + '…'}`"


def listed(words: Iterable[str], joint: str = "or") -> str:
    """Return words as a sentence lists them."""
    every = list(words)
    return every[0] if len(every) == 1 else f"{', '.join(every[:-1])} {joint} {every[-1]}"


def where(path: Sequence[str | int]) -> str:
    """Return a path inside a value as people write it: `files[0].name`."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def with_edits(
    title: str, edits: tuple[Edit, ...] | None, applicability: Applicability = Applicability.SAFE
) -> Iterator[Fix]:
    """Yield the fix, where the file's language can hold its edits."""
    if edits:
        yield Fix(title, edits, applicability)
