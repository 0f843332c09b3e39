"""The tool `list_files`: the entries of a folder of the root.

Owns: `ListFiles`. Must not know: other tools, what runs it.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from heapq import nsmallest
from itertools import islice
from typing import Any, Final

from callwright.runtime.tools.base import ToolError
from callwright.runtime.tools.support.confined import ConfinedTool, path_schema
from callwright.runtime.tools.support.folders import WALKS, Entry, Folder
from callwright.runtime.tools.support.paths import is_usable

#: How many entries are listed at most.
MAX_COUNT: Final = 1_000
#: How many levels below the folder are listed.
MAX_DEPTH: Final = 32
#: How the kinds of entries are marked.
_MARKERS: Final = {"file": "", "folder": "/", "link": "@", "else": "="}


class ListFiles(ConfinedTool):
    """Lists a folder, one path from the root on each line, sorted by name; the entries below a folder follow it.

    A folder ends with `/`, a link, which is never followed, with `@`, and what is neither a file with `=`. Hidden
    entries are listed as any other. Entries whose names no path may hold are left out. Where anything is left out, a
    last line in brackets says so.
    """

    name = "list_files"
    description = "List the files and folders in a folder. Folders end with `/`, links with `@`."
    schema: Mapping[str, Any] = {
        "type": "object",
        "properties": {
            "path": path_schema("Path of the folder, relative to the root. The default is the root itself."),
            "recursive": {"type": "boolean", "description": "Whether to list subfolders, too."},
        },
        "additionalProperties": False,
    }
    examples: Sequence[Mapping[str, Any]] = ({"path": "src"}, {})
    annotations: Mapping[str, Any] = {"readOnlyHint": True, "openWorldHint": False}

    def __init__(self, root: str | os.PathLike[str], *, max_entries: int = MAX_COUNT, walks: bool = WALKS) -> None:
        """Set the root, and how many entries are listed at most. Raises ValueError where there is no such folder."""
        super().__init__(root, walks=walks)
        self.max_entries = max_entries

    def execute(self, params: Mapping[str, Any]) -> str:
        """Return the list. Raises ToolError where there is no such folder."""
        parts = self._parts(params)
        listing = _Listing(self.max_entries)
        depth = MAX_DEPTH if params.get("recursive", False) else 0
        with self.root.folder(parts) as folder, closing(listing.of(folder, depth)) as found:
            lines = list(islice(found, self.max_entries + 1))
        notes = []
        if len(lines) > self.max_entries:
            del lines[self.max_entries :]
            notes.append(f"[… only the first {self.max_entries} entries are listed; list a subfolder]")
        if listing.unusable:
            notes.append(f"[… {listing.unusable} with unusable names omitted]")
        if listing.closed:
            notes.append(f"[… {listing.closed} folders could not be listed, or are nested too deep]")
        return "\n".join([*lines, *notes]) or "[The folder is empty.]"


class _Listing:
    """One walk; it counts what is left out."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.unusable = 0
        self.closed = 0

    def of(self, folder: Folder, depth: int) -> Generator[str, None, None]:
        """Yield the lines for a folder, and for the given number of levels below it."""
        for entry in nsmallest(self._most + 1, self._usable(folder)):
            yield folder.path_of(entry.name) + _MARKERS[entry.kind]
            if entry.kind != "folder" or depth == 0:
                continue
            try:
                inner = folder.enter(entry.name)
            except OSError:
                # It was removed meanwhile, or may not be read.
                self.closed += 1
                continue
            with inner:
                try:
                    yield from self.of(inner, depth - 1)
                except ToolError:
                    self.closed += 1

    def _usable(self, folder: Folder) -> Iterator[Entry]:
        for entry in folder.entries():
            if is_usable(entry.name):
                yield entry
            else:
                self.unusable += 1
