"""The table of the extras: what each adds, and how much is installed with it.

    make extras      measures what is installed in .venv, and writes the table of the page `installation.md`

Owns: measuring, and the table. Must not know: what an extra is for; `pyproject.toml` has no words for it, so they are
here, and a test holds that none is missing.
"""

from __future__ import annotations

import platform
import sys
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import Final

from packages.locked import OWN, ROOT, Locked, locked

PAGE: Final = ROOT / "server" / "docs" / "installation.md"
BEGIN: Final = "<!-- extras -->\n"
END: Final = "<!-- /extras -->\n"
#: What an extra is for.
PURPOSES: Final = {
    "": "`check`, `convert`, all other commands, the language server, the library and the runtime",
    "templates": "`chat-template` and `check --render`; Jinja templates for feedback",
    "mcp": "`tools lock`, which reads the tools of MCP servers",
    "corpus": "`corpus`, for JSON Lines, Parquet and Arrow",
    "corpus-ray": "`corpus` on a Ray cluster",
}
MEGABYTE: Final = 1_000_000


def size(names: list[str]) -> tuple[int, int]:
    """Return how many of these packages are installed here, and the bytes of their files without compiled ones."""
    count = total = 0
    for name in names:
        try:
            found = files(name) or []
        except PackageNotFoundError:
            continue  # for another system
        count += 1
        total += sum(
            path.stat().st_size
            for each in found
            if (path := Path(str(each.locate()))).is_file() and path.suffix != ".pyc"
        )
    return count, total


def own_size() -> int:
    """Return the bytes of our own package, as a wheel installs it."""
    places = (ROOT / "server" / "callwright", ROOT / "schemas", ROOT / "server" / "docs" / "rules")
    inside = (path for place in places for path in place.rglob("*") if path.is_file() and path.suffix != ".pyc")
    return sum(path.stat().st_size for path in inside)


def rows(lock: Locked) -> list[tuple[str, int, int]]:
    """Return for no extra and each one how many packages are installed with it, ours among them, and their bytes."""
    found = []
    for extra in ("", *lock.extras):
        count, total = size([name for name in lock.closure([extra] if extra else []) if name != OWN])
        found.append((extra, count + 1, total + own_size()))
    return sorted(found, key=lambda row: row[2])


def table(lock: Locked) -> str:
    """Return the table as Markdown."""
    lines = ["| Install | For | Packages | Size |", "|---|---|---|---|"]
    for extra, count, total in rows(lock):
        name = f"{OWN}[{extra}]" if extra else OWN
        lines.append(f"| `{name}` | {PURPOSES[extra]} | {count} | {round(total / MEGABYTE):,} MB |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Write the table into the page."""
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    PAGE.write_text(f"{before}{BEGIN}{table(locked())}{END}{after}", encoding="utf-8")
    sys.stdout.write(f"measured on {platform.system()} {platform.machine()}, Python {platform.python_version()}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
