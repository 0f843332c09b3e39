"""The versions of Python that the package names, and where this machine has them.

Owns: the search. Must not know: what they are tried with.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

_PROJECT: Final = Path(__file__).parents[2] / "pyproject.toml"
#: Versions by their classifiers, as `3.12`.
PYTHONS: Final = re.findall(r'"Programming Language :: Python :: (3\.\d+)"', _PROJECT.read_text(encoding="utf-8"))


def interpreter(version: str) -> str | None:
    """Return an interpreter of this version on this machine, or None."""
    managed = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = [shutil.which(f"python{version}"), *map(str, sorted(managed.glob(f"{version}.*/bin/python")))]
    ask = ["-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
    for python in filter(None, found):
        # What is on the path may be a shim that leads nowhere.
        if subprocess.run([python, *ask], capture_output=True, text=True, check=False).stdout.strip() == version:
            return python
    return None
