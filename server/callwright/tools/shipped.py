"""The tool sets that are shipped with Callwright.

Owns: the location of `schemas/`, installed or in a checkout, and the registry of the sets in it. Must not know:
configuration. Tests check the files, so they are loaded here without a check.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from callwright.tools.registry import ToolRegistry

if TYPE_CHECKING:
    from collections.abc import Iterable

    from callwright.tools.model import ToolSchema

#: Files in the folder that are schemas of files, not tool sets.
DESCRIPTIONS = frozenset({
    "tool-set.schema.json", "callwright.schema.json", "pyproject-callwright.schema.json", "tools-lock.schema.json",
    "session.schema.json",
})  # fmt: skip


def schemas_folder(package: Path | None = None) -> Path:
    """Return the folder of the shipped files: inside the installed package, else at the root of the checkout.

    `package` is the folder of the import package. Raises FileNotFoundError where neither exists: the installation is
    broken.
    """
    package = Path(__file__).resolve().parents[1] if package is None else package
    for folder in (package / "schemas", package.parents[1] / "schemas"):
        if (folder / "tool-set.schema.json").is_file():
            return folder
    raise FileNotFoundError(f"the shipped tool sets are missing from {package}; reinstall callwright")


def shipped_sets(folder: Path | None = None) -> tuple[str, ...]:
    """Return the names of the shipped tool sets, sorted."""
    folder = schemas_folder() if folder is None else folder
    return tuple(sorted(file.stem for file in folder.glob("*.json") if file.name not in DESCRIPTIONS))


def shipped_registry(names: Iterable[str] | None = None) -> ToolRegistry:
    """Return the tools of the shipped sets, or of the named ones.

    All sets together are an open registry; named sets are closed. A name that no set has is ignored.
    """
    known = shipped_sets()
    if names is None:
        return _registry(known, closed=False)
    return _registry(tuple(name for name in dict.fromkeys(names) if name in known), closed=True)


@cache
def offered_registry() -> ToolRegistry:
    """Return the tools of all shipped sets, as only offered: a check needs none of them."""
    return ToolRegistry(_all_tools, closed=False, offered=True)


def _all_tools() -> tuple[ToolSchema, ...]:
    return shipped_registry().tools


@cache
def is_shipped(name: str) -> bool:
    """Return whether a tool of a shipped set has this name, and it is more than a plain word such as `step`."""
    return not (name.isalpha() and name.islower()) and shipped_registry().has(name)


@cache
def _registry(names: tuple[str, ...], *, closed: bool) -> ToolRegistry:
    # Cached for the life of the process: shipped files do not change.
    import json

    from callwright.tools.definitions import read_definitions

    folder = schemas_folder()
    tools = []
    for name in names:
        file = folder / f"{name}.json"
        found, _ = read_definitions(json.loads(file.read_bytes()), file=str(file), tool_set=name, trusted=True)
        tools.extend(found)
    return ToolRegistry(tools, closed=closed)
