"""The list of transcript shapes, made by listing this room, and the choice of one for a JSON value.

Owns: listing shape modules and loading them on demand. Must not know: what any of them reads.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

from callwright.index import Room

if TYPE_CHECKING:
    from callwright.transcripts.base import Shape

SHAPES: Final[Room[Shape]] = Room("transcripts", "SHAPE", "keys", "provider", "has_plain_form")
describe, all_shapes, find_shape = SHAPES.describe, SHAPES.all, SHAPES.find


@cache
def _by_key() -> dict[str, tuple[str, ...]]:
    """Return the modules of the shapes that know a key, in the order of their names."""
    found: dict[str, list[str]] = {}
    for entry in SHAPES.entries:
        for key in entry["keys"]:
            found.setdefault(key, []).append(entry["module"])
    return {key: tuple(modules) for key, modules in found.items()}


@cache
def plain_shapes() -> tuple[Shape, ...]:
    """Return the shapes that declare the plain form of conversations, in the order of their names."""
    return tuple(SHAPES.load(entry["module"]) for entry in SHAPES.entries if entry["has_plain_form"])


@cache
def known_keys() -> frozenset[str]:
    """Return the keys of all shapes: a text without any of them is not a transcript."""
    return frozenset(_by_key())


def detect(value: Any) -> Shape | None:
    """Return the shape that a JSON value has, None where it has none; of those equally certain, the first by name."""
    known = _by_key().keys()
    if isinstance(value, list):
        # A list may begin with something odd, or with an entry that shows little.
        keys = {key for head in value[:8] if isinstance(head, dict) for key in head.keys() & known}
    else:
        keys = value.keys() & known if isinstance(value, dict) else set()
    if not keys:
        return None
    modules = {module for key in keys for module in _by_key()[key]}
    best: Shape | None = None
    most_certain = 0
    for module in sorted(modules):
        shape = SHAPES.load(module)
        certain = shape.matches(value)
        if certain > most_certain:
            best, most_certain = shape, certain
    return best
