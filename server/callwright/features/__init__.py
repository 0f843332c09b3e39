"""Features: one language-server feature a file, on spans and snapshots; positions are converted at the edge."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from callwright.features.base import Feature


@cache
def all_features() -> tuple[Feature[Any], ...]:
    """Return the features in the order of their files' names; every file of this folder has one, but for `base`."""
    import importlib
    import pkgutil

    names = sorted(info.name for info in pkgutil.iter_modules(__path__) if not info.ispkg)
    modules = (importlib.import_module(f"{__name__}.{name}") for name in names if name != "base")
    return tuple(module.FEATURE for module in modules)
