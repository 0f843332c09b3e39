"""The wording that rules about tool files share.

Owns: `quoted`, `quoted_names`, `is_placeholder` and its words, `where`. Must not know: any single rule, how
edits are made.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from callwright.text.patterns import compile_later
from callwright.text.words import listed

#: Longer names and values are shortened in messages.
_MAX_LENGTH: Final = 60

#: What people and generators write where a description should be.
PLACEHOLDER_WORDS: Final = frozenset(
    {"", "description", "description here", "tool description", "parameter description", "no description", "todo"}
    | {"tbd", "fixme", "xxx", "placeholder", "add description", "add a description", "add description here", "n/a"}
    | {"none", "null", "undefined", "no description provided", "no description available", "description goes here"}
)
_TO_DO: Final = compile_later(r"(?:TODO|TBD|FIXME|XXX)(?:\([^()]*+\))?+(?::.*+)?+", re.DOTALL)


def is_placeholder(description: str) -> bool:
    """Return whether a description is empty or a placeholder for one that is still to be written."""
    stated = " ".join(description.split())
    return stated.strip("<>[](){}.…-_*#! ").casefold() in PLACEHOLDER_WORDS or _TO_DO.fullmatch(stated) is not None


def quoted(text: str) -> str:
    """Return a name or value as messages show it: in back-ticks, on one line, shortened where it is long."""
    line = " ".join(text.split()).replace("`", "'") or " "
    return f"`{line if len(line) <= _MAX_LENGTH else line[: _MAX_LENGTH - 1] + '…'}`"


def quoted_names(names: Iterable[str]) -> str:
    """Return names as a person reads them."""
    return listed([f"`{name}`" for name in names])


def where(path: Sequence[str | int]) -> str:
    """Return a path inside a value as people write it: `files[0].name`."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text
