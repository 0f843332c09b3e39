"""Dialects that a test adds while it runs, as a file in `dialects/` would.

Owns: putting dialects into the catalogue and taking them out again. Must not know: how they are written.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Final

import pytest

from callwright import index
from callwright.analysis import deferred
from callwright.dialects import catalogue
from callwright.dialects.base import Dialect

_ROOM: Final = "dialects"


@contextmanager
def added_dialects(*dialects: Dialect) -> Iterator[None]:
    """Let the catalogue know these dialects, too, until the block ends."""
    known = index._index()
    modules = {f"callwright.dialects.added_{dialect.name.replace('-', '_')}": dialect for dialect in dialects}
    entries = [catalogue.entry_of(dialect, module) for module, dialect in modules.items()]
    listed: Callable[[str], list[str]] = index.module_names
    with pytest.MonkeyPatch.context() as patch:
        for name, dialect in modules.items():
            module = ModuleType(name)
            vars(module)["DIALECT"] = dialect
            patch.setitem(sys.modules, name, module)
        patch.setattr(index, "_index", lambda: {**known, _ROOM: [*known[_ROOM], *entries]})
        patch.setattr(index, "module_names", lambda room: listed(room) + [*modules] * (room == _ROOM))
        _forget()
        try:
            yield
        finally:
            patch.undo()
            _forget()


def _forget() -> None:
    """Empty every cache of the product: what is derived from the list of dialects is kept in many of them."""
    for name, module in [*sys.modules.items()]:
        if name.startswith("callwright."):
            for each in vars(module).values():
                clear = getattr(each, "cache_clear", None)
                if clear is not None:
                    clear()
    deferred._latest = None
