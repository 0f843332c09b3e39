"""The list of transcript shapes, made by listing this room, and the choice of one for a JSON value.

Owns: finding shape modules and loading them on demand. Must not know: what any of them reads.
"""

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Any

from callwright.index import Entry, entries, module_names
from callwright.transcripts.base import Shape

ROOM = "transcripts"


def describe() -> Sequence[Entry]:
    """Return what every shape says of itself, by loading them all."""
    shapes = [(module, _load(module)) for module in module_names(ROOM)]
    return [
        {"name": shape.name, "module": module, "keys": [*shape.keys], "provider": shape.provider}
        for module, shape in shapes
    ]


@cache
def _load(module: str) -> Shape:
    shape: Shape = import_module(module).SHAPE
    return shape


@cache
def _entries() -> tuple[Entry, ...]:
    return tuple(sorted(entries(ROOM), key=lambda entry: str(entry["name"])))


@cache
def _by_key() -> dict[str, tuple[str, ...]]:
    """Return the modules of the shapes that know a key, in the order of their names."""
    found: dict[str, list[str]] = {}
    for entry in _entries():
        for key in entry["keys"]:
            found.setdefault(key, []).append(entry["module"])
    return {key: tuple(modules) for key, modules in found.items()}


@cache
def all_shapes() -> tuple[Shape, ...]:
    """Return every shape, in the order of their names."""
    return tuple(_load(entry["module"]) for entry in _entries())


def find_shape(name: str) -> Shape | None:
    """Return the shape of that name, or None."""
    return next((_load(entry["module"]) for entry in _entries() if entry["name"] == name), None)


@cache
def known_keys() -> frozenset[str]:
    """Return the keys of all shapes: a text in which none of them stands is no transcript."""
    return frozenset(_by_key())


def detect(value: Any) -> Shape | None:
    """Return the shape that a JSON value has, None where it has none; of those equally sure, the first by name."""
    heads = [value]
    if isinstance(value, list):
        # A list may begin with something odd, or with an entry that says little.
        heads = [entry for entry in value[:8] if isinstance(entry, dict)]
    known = _by_key()
    modules = dict.fromkeys(
        module for head in heads if isinstance(head, dict) for key in head if key in known for module in known[key]
    )
    best: Shape | None = None
    surest = 0
    for module in sorted(modules):
        shape = _load(module)
        sure = shape.matches(value)
        if sure > surest:
            best, surest = shape, sure
    return best
