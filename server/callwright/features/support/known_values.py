"""The values that can be foreseen: what schemas list, defaults and examples, and the paths of a workspace's files.

Owns: `KnownValue`, `known_values`, `paths_under`. Must not know: how a dialect writes a value. No file is opened, and
no folder outside the workspace's is listed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any, Final

from callwright.config.tool_files import inside
from callwright.path_patterns import PRUNED
from callwright.text.records import NamedTuple
from callwright.tools.model import ToolSchema
from callwright.tools.parameters import enum_of, types_of

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot

#: How many entries of a folder are offered at most, and how many are read.
_MAX_PATHS: Final = 200
_MAX_ENTRIES: Final = 5_000
#: How long a path may be that is completed.
_MAX_LENGTH: Final = 500
_PATH_NAME: Final = re.compile(r"(?:^|_)(?:path|file|filename|filepath|dir|directory|folder|cwd)s?$")
_WORDS: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|-")
_PATH_FORMATS: Final = frozenset({"path", "file-path", "filepath", "directory-path"})


class KnownValue(NamedTuple):
    """A value, and its relation to its parameter: empty for one that the schema lists."""

    value: Any
    detail: str = ""


def known_values(schemas: Sequence[tuple[Mapping[str, Any], ToolSchema]]) -> list[KnownValue]:
    """Return what the schemas of a value list, booleans among them, then its default and its examples, each once."""
    found: list[KnownValue] = []
    for schema, owner in schemas:
        values: Sequence[Any] = enum_of(schema, owner.input_schema) or ()
        if not values and "boolean" in (types_of(schema, owner.input_schema) or ()):
            values = (True, False)
        found += [KnownValue(value) for value in values]
        if "default" in schema:
            found.append(KnownValue(schema["default"], "default"))
        examples = schema.get("examples")
        shown = examples if isinstance(examples, list) else [schema["example"]] if "example" in schema else []
        found += [KnownValue(value, "example") for value in shown]
    unique: dict[tuple[type, Any], KnownValue] = {}
    for one in found:
        if not isinstance(one.value, Mapping | list):
            unique.setdefault((type(one.value), one.value), one)
    return list(unique.values())


def names_path(name: str, schemas: Sequence[tuple[Mapping[str, Any], ToolSchema]]) -> bool:
    """Return whether an argument is a path, by its name or the format in its schema."""
    texts = [schema for schema, owner in schemas if "string" in (types_of(schema, owner.input_schema) or ("string",))]
    if not texts or any(enum_of(schema, owner.input_schema) for schema, owner in schemas):
        return False
    words = _WORDS.sub("_", name).lower()
    return any(schema.get("format") in _PATH_FORMATS for schema in texts) or _PATH_NAME.search(words) is not None


def paths_under(snapshot: Snapshot, typed: str) -> Iterator[tuple[str, bool]]:
    """Yield the paths, each with whether it is a folder, that lie in the folder to which `typed` leads so far.

    Paths are relative to the workspace's folder, the document's own where there is no other. Nothing is listed where
    the path leads out of it, links followed.
    """
    root = snapshot.origin.boundary or (str(FilePath(snapshot.path).parent) if snapshot.path is not None else None)
    lead = typed[: typed.rfind("/") + 1]
    if root is None or len(lead) > _MAX_LENGTH or "\0" in lead or lead.startswith(("~", "/")) or "\\" in lead:
        return
    folder = os.path.join(root, lead)  # noqa: PTH118  # a Path would drop a leading `./`
    try:
        if not inside(folder, root):
            return
        with os.scandir(folder) as entries:
            listed = [(entry.name, entry.is_dir()) for entry, _ in zip(entries, range(_MAX_ENTRIES), strict=False)]
    except (OSError, ValueError):
        return
    hidden = typed[len(lead) :].startswith(".")
    wanted = [(name, is_dir) for name, is_dir in listed if name not in PRUNED and name.startswith(".") is hidden]
    for name, is_dir in sorted(wanted, key=lambda each: (not each[1], each[0]))[:_MAX_PATHS]:
        if name.isprintable():
            yield f"{lead}{name}{'/' if is_dir else ''}", is_dir
