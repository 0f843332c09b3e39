"""The tool sets that are shipped with Callwright.

Owns: the location of `schemas/`, installed or in a checkout, and the registry of the sets in it. Must not know:
configuration. Tests check the files, so they are loaded here without a check.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from callwright.tools.registry import ToolRegistry

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

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


class _Offered(ToolRegistry):
    """The tools of all shipped sets, as only offered: a check needs none, so they are loaded when one is asked for."""

    def __init__(self, elsewhere: Container[str] | None = None) -> None:
        super().__init__(closed=False, offered=True, elsewhere=elsewhere)
        for name in _OF_TOOLS:
            delattr(self, name)

    def __getattr__(self, name: str) -> Any:
        if name not in _OF_TOOLS:
            raise AttributeError(f"a registry has no attribute `{name}`")
        super().__init__(shipped_registry(), closed=False, offered=True, elsewhere=self.elsewhere)
        return getattr(self, name)

    def beside(self, elsewhere: Container[str]) -> ToolRegistry:
        """Return the same tools with the names that other files of the project document."""
        return _Offered(elsewhere)


#: What a registry derives of its tools.
_OF_TOOLS = frozenset({"_by_name", "_meant", "_names", "_spellings", "_tools"})


@cache
def offered_registry() -> ToolRegistry:
    """Return the tools of all shipped sets, as only offered."""
    return _Offered()


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
