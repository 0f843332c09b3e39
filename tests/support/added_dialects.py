"""Dialects that a test adds while it runs, as a file in `dialects/` would.

Owns: putting dialects into the catalogue and taking them out again. Must not know: how they are written.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from callwright.dialects import catalogue
from callwright.dialects.base import Dialect
from callwright.fastpath import triage
from support.added_modules import added_modules


@contextmanager
def added_dialects(*dialects: Dialect) -> Iterator[None]:
    """Let the catalogue know these dialects, too, until the block ends."""
    modules = {f"callwright.dialects.added_{dialect.name.replace('-', '_')}": dialect for dialect in dialects}
    entries = [catalogue.entry_of(dialect, module) for module, dialect in modules.items()]
    held = {name: ("DIALECT", dialect) for name, dialect in modules.items()}
    with added_modules("dialects", held, entries, _forget):
        yield


def _forget() -> None:
    """Empty every cache of the product: what is derived from the list of dialects is kept in many of them."""
    for name, module in [*sys.modules.items()]:
        if name.startswith("callwright."):
            for each in vars(module).values():
                clear = getattr(each, "cache_clear", None)
                if clear is not None:
                    clear()
    triage._latest = None
