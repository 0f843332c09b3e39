"""The pages that document the rules.

Owns: the location of `docs/rules/`, installed or in a checkout, and the address of a rule's page. Must not know: rules,
diagnostics.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path


def pages_folder(package: Path | None = None) -> Path | None:
    """Return the folder of the pages: inside the installed package, else in the checkout; None where there is neither.

    `package` is the folder of the import package.
    """
    package = Path(__file__).resolve().parents[2] if package is None else package
    for folder in (package / "docs" / "rules", package.parent / "docs" / "rules"):
        if (folder / "index.md").is_file():
            return folder
    return None


@cache
def page_of(name: str) -> str | None:
    """Return the address of a rule's page, None where there is none. Needs no network: the pages are installed."""
    folder = pages_folder()
    if folder is None or not name.replace("-", "").isalnum():
        return None
    page = folder / f"{name}.md"
    return page.as_uri() if page.is_file() else None
