"""The tool `write_file`: writes a text to a file in the root.

Owns: `WriteFile`. Must not know: other tools, what runs it, approvals.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Final

from callwright.runtime.tools.base import ToolError
from callwright.runtime.tools.support.confined import ConfinedTool, file_paths
from callwright.runtime.tools.support.folders import WALKS
from callwright.runtime.tools.support.paths import check_writable

#: How large a file may become, in bytes.
LARGEST: Final = 10 * 1024 * 1024


class WriteFile(ConfinedTool):
    """Writes a text as UTF-8, with its line ends unchanged, and replaces the file. It is dangerous: it needs approval.

    The file is replaced atomically; it keeps its mode, and hard links to the old file are not changed. A
    write-protected file is not replaced. Nothing is written into a folder of version control (`.git`), or to a name
    with invisible characters.
    """

    name = "write_file"
    description = "Write a text file, replacing its content."
    schema: Mapping[str, Any] = {
        "type": "object",
        "properties": {
            **file_paths(),
            "content": {"type": "string", "description": "The complete content of the file."},
        },
        "required": ["file_path", "content"],
        "additionalProperties": False,
    }
    examples: Sequence[Mapping[str, Any]] = ({"file_path": "docs/index.md", "content": "# Index\n"},)
    annotations: Mapping[str, Any] = {
        "readOnlyHint": False,
        "destructiveHint": True,
        "idempotentHint": True,
        "openWorldHint": False,
    }
    dangerous = True

    def __init__(
        self,
        root: str | os.PathLike[str],
        *,
        create_parents: bool = True,
        max_bytes: int = LARGEST,
        walks: bool = WALKS,
    ) -> None:
        """Set the root, whether missing folders are made, and how large a file may become.

        Raises ValueError where there is no such folder.
        """
        super().__init__(root, walks=walks)
        self.create_parents = create_parents
        self.max_bytes = max_bytes

    def validate(self, params: Mapping[str, Any]) -> None:
        """Raise ToolError where the path is not allowed, or the text cannot be written."""
        self._place(params)
        self._data(params)

    def execute(self, params: Mapping[str, Any]) -> str:
        """Write the file and return what was done. Raises ToolError where it cannot be written."""
        folders, name = self._place(params)
        data = self._data(params)
        with self.root.folder(folders, make=self.create_parents) as folder:
            replaced = folder.replace(name, data)
            shown = folder.path_of(name)
        size = "1 byte" if len(data) == 1 else f"{len(data)} bytes"
        return f"Replaced `{shown}` with {size}." if replaced else f"Wrote {size} to the new file `{shown}`."

    def _place(self, params: Mapping[str, Any]) -> tuple[list[str], str]:
        """Return the folders that lead to the file, and its name; raise ToolError where it may not be written."""
        folders, name = self._file_parts(params)
        check_writable([*folders, name])
        return folders, name

    def _data(self, params: Mapping[str, Any]) -> bytes:
        content = params["content"]
        try:
            data: bytes = content.encode()
        except UnicodeEncodeError as error:
            raise ToolError(
                f"`content` cannot be written as UTF-8: character {error.start} is half of a surrogate pair."
            ) from None
        if len(data) > self.max_bytes:
            raise ToolError(f"`content` has {len(data)} bytes, but at most {self.max_bytes} can be written.")
        return data
