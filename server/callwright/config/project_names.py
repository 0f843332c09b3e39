"""The names that the files of a project document: evidence that a tag in one of them is a call.

Owns: `ProjectNames`, and which files of a folder are asked. Must not know: configurations, calls, how a name is
documented.

Nothing is read before a name is asked for that the document itself does not document. Names are evidence that a tag is
a call, never of what its arguments are.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from callwright.document.documented_names import documents
from callwright.text.records import dataclass, field

#: Folders of what others wrote, and of what programs make.
_PASSED: Final = frozenset(
    {".git", ".hg", ".svn", ".tox", ".nox", ".venv", "venv", "node_modules", "site-packages", "__pycache__"}
    | {"dist", "build", "target", "vendor", "out", ".next", ".mypy_cache", ".ruff_cache", ".pytest_cache"}
)
_ENDINGS: Final = (
    *(".md", ".mdx", ".markdown", ".txt", ".prompt", ".prompty", ".poml", ".xml", ".yaml", ".yml", ".json", ".jsonl"),
    *(".j2", ".jinja", ".jinja2", ".hbs", ".py", ".ts", ".tsx", ".js", ".mjs", ".toml"),
)
#: So many files are asked, none that is longer, so many bytes for one name, and so many for all together.
MAX_FILES: Final = 2_000
MAX_FILE: Final = 262_144
MAX_BYTES: Final = 32 << 20
MAX_ALL: Final = 512 << 20
#: So many names are sought.
MAX_NAMES: Final = 200


@dataclass(frozen=True, slots=True)
class ProjectNames:
    """The names that the files below a folder document, each sought once.

    `asked` has every name that was asked for, with the answer.
    """

    root: Path
    asked: dict[str, bool] = field(default_factory=dict, compare=False, repr=False)
    _files: list[Path] = field(default_factory=list, compare=False, repr=False)
    _read: list[int] = field(default_factory=lambda: [0], compare=False, repr=False)

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str):
            return False
        known = self.asked.get(name)
        if known is None:
            known = self.asked[name] = len(self.asked) < MAX_NAMES and self._sought(name)
        return known

    def depends_on(self, file: Path) -> bool:
        """Return whether a name was sought, and would be in this file."""
        return bool(self.asked) and file.is_relative_to(self.root) and _may_document(file.name)

    def _sought(self, name: str) -> bool:
        if not self._files:
            self._files.extend(_files_below(self.root))
        needle = name.encode()
        left = MAX_BYTES
        for file in self._files:
            try:
                data = file.read_bytes()
            except OSError:
                continue
            left -= len(data)
            self._read[0] += len(data)
            if left < 0 or self._read[0] > MAX_ALL:
                return False
            if needle in data and documents(data.decode("utf-8", "replace"), name):
                return True
        return False


def _may_document(name: str) -> bool:
    """Return whether a file of such a name is asked."""
    return name.lower().endswith(_ENDINGS) or "." not in name


def _files_below(root: Path) -> list[Path]:
    """Return the text files below a folder that are asked, in the order of their paths; links are not followed."""
    found: list[Path] = []
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in _PASSED)
        for name in sorted(names):
            if not _may_document(name):
                continue
            file = Path(folder, name)
            try:
                status = file.lstat()
            except OSError:
                continue
            if file.is_file() and not file.is_symlink() and 0 < status.st_size <= MAX_FILE:
                found.append(file)
                if len(found) >= MAX_FILES:
                    return found
    return found
