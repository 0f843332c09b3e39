"""The tool `read_file`: the text of a file in the root, or some lines of it.

Owns: `ReadFile`. Must not know: other tools, what runs it.
"""

from __future__ import annotations

import io
import os
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, Final

from callwright.runtime.tools.base import ToolError
from callwright.runtime.tools.support.confined import ConfinedTool, file_paths
from callwright.runtime.tools.support.folders import WALKS

#: How large a file may be, in bytes.
LARGEST: Final = 10 * 1024 * 1024
_OTHER_ENCODINGS: Final = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)


class ReadFile(ConfinedTool):
    """Returns the text of a UTF-8 file unchanged, without a byte order mark.

    With `offset` or `limit` it returns some of its lines. Where lines are left out after them, a last line in brackets
    says so.
    """

    name = "read_file"
    description = "Read a text file, or some lines of it."
    schema: Mapping[str, Any] = {
        "type": "object",
        "properties": {
            **file_paths(),
            "offset": {
                "type": "integer",
                "description": "How many lines to skip at the beginning.",
                "minimum": 0,
            },
            "limit": {"type": "integer", "description": "The maximum number of lines to read.", "minimum": 1},
        },
        "required": ["file_path"],
        "additionalProperties": False,
    }
    examples: Sequence[Mapping[str, Any]] = (
        {"file_path": "src/main.py"},
        {"file_path": "src/main.py", "offset": 100, "limit": 50},
    )
    annotations: Mapping[str, Any] = {"readOnlyHint": True, "openWorldHint": False}

    def __init__(self, root: str | os.PathLike[str], *, max_bytes: int = LARGEST, walks: bool = WALKS) -> None:
        """Set the root, and how large a file may be. Raises ValueError where there is no such folder."""
        super().__init__(root, walks=walks)
        self.max_bytes = max_bytes

    def validate(self, params: Mapping[str, Any]) -> None:
        """Raise ToolError where the path is not allowed, or names no file."""
        self._file_parts(params)

    def execute(self, params: Mapping[str, Any]) -> str:
        """Return the text. Raises ToolError where it cannot be read."""
        folders, name = self._file_parts(params)
        with self.root.folder(folders) as folder:
            text = _text(folder.read(name, self.max_bytes), folder.path_of(name))
        offset, limit = params.get("offset"), params.get("limit")
        return text if not offset and limit is None else _window(text, offset or 0, limit)


def _text(data: bytes, shown: str) -> str:
    for marker, encoding in _OTHER_ENCODINGS:
        if data.startswith(marker):
            raise ToolError(f"`{shown}` is {encoding}, and only UTF-8 is read.")
    if b"\0" in data:
        raise ToolError(f"`{shown}` is not a text file: it contains NUL bytes.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ToolError(f"`{shown}` is not UTF-8: byte {error.start} is not.") from None


def _window(text: str, offset: int, limit: int | None) -> str:
    # Only LF, CR and CRLF end a line, and they are kept.
    lines = list(io.StringIO(text, newline=""))
    if offset >= len(lines) and offset > 0:
        raise ToolError(f"`offset` is {offset}, but the file has {len(lines)} lines.")
    end = len(lines) if limit is None else min(offset + limit, len(lines))
    shown = "".join(islice(lines, offset, end))
    if end == len(lines):
        return shown
    return f"{shown}[… lines {offset + 1} to {end} of {len(lines)}; continue with `offset` {end}]"
