"""Opening: a file of a folder as it is read for an answer, in this process or in one beside it.

Owns: what is asked of a file before it is parsed, and how it becomes a snapshot. Must not know: sessions, which files
belong to a workspace, features.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from callwright.lsp import uris
from callwright.text.records import NamedTuple

if TYPE_CHECKING:
    from callwright.config import Project
    from callwright.document.snapshot import Snapshot


class Task(NamedTuple):
    """A file to read, its size in bytes, and the project that it is read under."""

    path: str
    size: int
    project: Project


class LeftOutError(Exception):
    """A file is not looked into; the text is the reason."""


def text_of(path: str, sought: Iterable[bytes] = (b"",)) -> str | None:
    """Return the text of a file that contains one of the words; None for any other and for one that cannot be read.

    Raises LeftOutError where it is no text.
    """
    try:
        data = Path(path).read_bytes()
    except (OSError, ValueError):
        return None
    if not any(word in data for word in sought):
        return None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise LeftOutError("it is not UTF-8") from None


def open_file(
    path: str, text: str, project: Project, *, tools: bool = False, checked: bool = False
) -> Generator[None, None, Snapshot]:
    """Return a file as it is read; one that is only `checked` is read as far as that needs."""
    from callwright.document.snapshot import Origin
    from callwright.hosts.catalogue import choose_host, find_host, head_of
    from callwright.lint.opening import triage
    from callwright.prompt.renaming import open_in_steps
    from callwright.tools.formats.catalogue import is_claimed

    host = find_host("tool-file") if tools and is_claimed(path) else project.host_of(path)
    return (
        yield from open_in_steps(
            text,
            Origin(
                uris.from_path(path),
                path,
                host=host or choose_host(path, None, head_of(text)),
                boundary=str(project.boundary),
                triage=triage if checked else None,
            ),
            registry=project.registry,
            settings=project.settings,
        )
    )
