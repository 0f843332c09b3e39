"""What the tools on files share: the root, the parameter for a path.

Owns: `ConfinedTool`, `path_schema`, `file_paths`. Must not know: single tools.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from callwright.runtime.tools.base import ToolError
from callwright.runtime.tools.support.folders import WALKS, Root
from callwright.runtime.tools.support.paths import parts_of


class ConfinedTool:
    """A tool that never reads, writes or lists anything outside a root; a `StrictTool` but for `execute`.

    Paths are relative to the root and separated by `/`; `..`, absolute paths and names with a special meaning on some
    system are rejected, and links are never followed.
    """

    name: str
    description: str
    schema: Mapping[str, Any]
    annotations: Mapping[str, Any]
    examples: Sequence[Mapping[str, Any]]
    dangerous: bool = False

    def __init__(self, root: str | os.PathLike[str], *, walks: bool = WALKS) -> None:
        """Set the root. `walks` is False where folders are to be opened by their paths, as on Windows.

        Raises ValueError where there is no such folder.
        """
        self.root = Root(root, walks=walks)

    def validate(self, params: Mapping[str, Any]) -> None:
        """Raise ToolError where the path is not allowed."""
        self._parts(params)

    def _parts(self, params: Mapping[str, Any]) -> list[str]:
        if "file_path" in params and "path" in params:
            # The person who approves the call might read one path while the tool uses the other.
            raise ToolError("`file_path` and `path` mean the same. Pass only one of them.")
        return parts_of(params.get("file_path", params.get("path", ".")))

    def _file_parts(self, params: Mapping[str, Any]) -> tuple[list[str], str]:
        """Return the folders that lead to a file, and its name."""
        parts = self._parts(params)
        if not parts or params.get("file_path", params.get("path", ".")).endswith(("/", "/.")):
            raise ToolError("The path is a folder. Give the path of a file.")
        return parts[:-1], parts[-1]


def file_paths() -> dict[str, Any]:
    """Return the parameters that name a file; the second is another name of the first."""
    return {
        "file_path": path_schema("Path of the file, relative to the root."),
        "path": {**path_schema("Another name of `file_path`."), "x-alias-of": "file_path"},
    }


def path_schema(description: str) -> dict[str, Any]:
    """Return the schema of a path."""
    return {"type": "string", "description": description}
