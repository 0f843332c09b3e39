"""What an installation brings, as the lock file has it.

Owns: following the locked packages from one to the next. Must not know: licences, files, registries.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[2]
OWN: Final = "callwright"


@dataclass(frozen=True)
class Locked:
    """The packages of the lock file by name, our own among them."""

    packages: Mapping[str, Mapping[str, Any]]

    @property
    def extras(self) -> list[str]:
        """The extras that a user can ask for."""
        return sorted(self.packages[OWN].get("optional-dependencies", {}))

    def dependencies(self, name: str, extras: Iterable[str] = ()) -> list[Mapping[str, Any]]:
        """Return the entries of what a package needs, with these extras."""
        package = self.packages[name]
        optional = package.get("optional-dependencies", {})
        return [*package.get("dependencies", []), *(each for extra in extras for each in optional.get(extra, []))]

    def needs(self, extras: Iterable[str] = ()) -> dict[str, list[str]]:
        """Return what our package with these extras, and each package that it brings, needs itself."""
        waiting, found = [(OWN, tuple(extras))], dict[tuple[str, tuple[str, ...]], set[str]]()
        while waiting:
            asked = waiting.pop()
            if asked not in found:
                entries = self.dependencies(*asked)
                found[asked] = {each["name"] for each in entries}
                waiting += [(each["name"], tuple(each.get("extra", ()))) for each in entries]
        needed: dict[str, set[str]] = {}
        for (name, _), names in found.items():
            needed[name] = needed.get(name, set()) | names
        return {name: sorted(needed[name]) for name in sorted(needed)}

    def closure(self, extras: Iterable[str] = ()) -> list[str]:
        """Return the names of all that our package brings with these extras, itself left out."""
        return [name for name in self.needs(extras) if name != OWN]


def locked(file: Path = ROOT / "uv.lock") -> Locked:
    """Read the lock file."""
    packages = tomllib.loads(file.read_text(encoding="utf-8"))["package"]
    return Locked({each["name"]: each for each in packages})
