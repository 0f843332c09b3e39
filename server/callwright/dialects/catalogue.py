"""The list of dialects, made by listing this room.

Owns: finding dialect modules and loading them on demand. Must not know: what any of them reads.
"""

from functools import cache
from importlib import import_module
from pathlib import Path

from callwright.dialects.base import Dialect

_OTHERS = frozenset({"__init__", "base", "catalogue"})


@cache
def dialect_names() -> tuple[str, ...]:
    """Return the names of all dialects, sorted, without loading one."""
    files = Path(__file__).parent.glob("*.py")
    return tuple(sorted(file.stem.replace("_", "-") for file in files if file.stem not in _OTHERS))


@cache
def find_dialect(name: str) -> Dialect | None:
    """Return the dialect of that name, or None."""
    if name not in dialect_names():
        return None
    dialect: Dialect = import_module(f"callwright.dialects.{name.replace('-', '_')}").DIALECT
    return dialect


@cache
def all_dialects() -> tuple[Dialect, ...]:
    """Return every dialect, in the order of their names."""
    found = (find_dialect(name) for name in dialect_names())
    return tuple(dialect for dialect in found if dialect is not None)
