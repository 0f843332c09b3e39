"""Output formats by their names; each is loaded on first use.

Owns: their list, read from their folder. Must not know: any single format.
"""

import importlib
import os
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from callwright.cli.formats.base import OutputFormat

_FORMATS: Final = "callwright.cli.formats"


@cache
def format_names() -> tuple[str, ...]:
    """Return the names of all formats: every module of their folder but `base`; `text`, the usual one, first."""
    folder = importlib.import_module(_FORMATS).__path__[0]
    stems = (name.removesuffix(".py") for name in os.listdir(folder) if name.endswith(".py"))  # noqa: PTH208 - pathlib would cost an import
    names = (stem.replace("_", "-") for stem in stems if stem not in {"__init__", "base"})
    return tuple(sorted(names, key=lambda name: (name != "text", name)))


@cache
def find_format(name: str) -> "OutputFormat":
    """Return the format with this name, which must be one of `format_names`."""
    found: OutputFormat = importlib.import_module(f"{_FORMATS}.{name.replace('-', '_')}").FORMAT
    return found
