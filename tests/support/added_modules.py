"""Modules that a room of the product holds for a while, as if their files lay in its folder.

Owns: the index and the imports that lead to such modules. Must not know: what a module of any room holds, caches.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import pytest

from callwright import index


@contextmanager
def added_modules(
    room: str,
    modules: Mapping[str, tuple[str, object]],
    entries: Sequence[Mapping[str, Any]],
    forget: Callable[[], None],
) -> Iterator[None]:
    """Let a room hold these modules, too, until the block ends.

    `modules` gives for each module's full name the one thing in it with its name, `entries` are theirs in the index.
    `forget` empties what was derived from the modules of the room; it is called at the beginning and at the end.
    """
    known = index._index()
    listed: Callable[[str], list[str]] = index.module_names
    with pytest.MonkeyPatch.context() as patch:
        for name, (attribute, value) in modules.items():
            module = ModuleType(name)
            vars(module)[attribute] = value
            patch.setitem(sys.modules, name, module)
        patch.setattr(index, "_index", lambda: {**known, room: [*known[room], *entries]})
        patch.setattr(index, "module_names", lambda asked: listed(asked) + [*modules] * (asked == room))
        forget()
        try:
            yield
        finally:
            patch.undo()
            forget()
