"""A copy of the project in which a test adds and changes what it likes.

Owns: what such a copy holds, and how its programs are run. Must not know: what is added to it.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
_PARTS: Final = (
    *("server", "schemas", "tests", "pyproject.toml", "README.md", "CHANGELOG.md", "Makefile"),
    # What `make docs` reads and writes of the extension.
    *(f"client-vscode/{name}" for name in ("package.json", "package.nls.json", "README.md", "schemas")),
)
#: What others leave; bytecode is kept, since it is half of what a run costs.
_LEFT_OUT: Final = shutil.ignore_patterns("*.pyc.*", ".hypothesis", ".pytest_cache")


def copied(folder: Path) -> Path:
    """Return a copy of the project in a folder; its environment is the one that runs this program."""
    copy = folder / "project"
    copy.mkdir()
    for name in _PARTS:
        source = ROOT / name
        (copy / name).parent.mkdir(exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, copy / name, ignore=_LEFT_OUT)
        else:
            shutil.copy2(source, copy / name)
    (copy / ".venv").symlink_to(sys.prefix)
    # No configuration above the folder counts.
    (copy / ".git").mkdir()
    return copy


def environment_of(copy: Path) -> Mapping[str, str]:
    """Return the environment in which programs run the package of a copy, and the same sample of its tests."""
    return {"PYTHONPATH": str(copy / "server"), "PYTEST_ADDOPTS": "--sample-seed=0"}
