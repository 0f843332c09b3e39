"""The pages that document the rules: where a reader of a finding learns more.

Owns: where `docs/rules/` lies, installed or in a checkout, and the address of a rule's page; nothing else says where
the documentation is. Must not know: rules, findings.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path


def pages_folder(package: Path | None = None) -> Path | None:
    """Return the folder of the pages: inside the installed package, else in the checkout; None where neither is there.

    `package` is the folder of the import package.
    """
    package = Path(__file__).resolve().parents[2] if package is None else package
    for folder in (package / "docs" / "rules", package.parent / "docs" / "rules"):
        if (folder / "index.md").is_file():
            return folder
    return None


@cache
def page_of(name: str) -> str | None:
    """Return the address of a rule's page, None where there is none. Without a network: the pages travel along."""
    folder = pages_folder()
    if folder is None or not name.replace("-", "").isalnum():
        return None
    page = folder / f"{name}.md"
    return page.as_uri() if page.is_file() else None
