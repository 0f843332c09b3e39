"""The list of hosts, made by listing this room, and the choice of one for a document.

Owns: finding host modules and choosing by language or file name. Must not know: what any of them reads.
"""

from functools import cache
from importlib import import_module
from pathlib import Path, PurePath

from callwright.hosts.base import Host

_OTHERS = frozenset({"__init__", "base", "catalogue"})
FALLBACK = "plain"


@cache
def all_hosts() -> tuple[Host, ...]:
    """Return every host, in the order of their names."""
    stems = sorted(file.stem for file in Path(__file__).parent.glob("*.py") if file.stem not in _OTHERS)
    return tuple(import_module(f"callwright.hosts.{stem}").HOST for stem in stems)


def find_host(name: str) -> Host | None:
    """Return the host of that name, or None."""
    return next((host for host in all_hosts() if host.name == name), None)


def choose_host(path: str | None, language: str | None = None) -> Host:
    """Return the host for a document: by the file's ending, else by the editor's language, else plain text.

    A language that a host claims goes before the ending where the editor's user has overridden it.
    """
    by_language = next((host for host in all_hosts() if language and language in host.languages), None)
    if by_language is not None:
        return by_language
    suffix = PurePath(path).suffix.lower() if path else ""
    by_suffix = next((host for host in all_hosts() if suffix and suffix in host.suffixes), None)
    if by_suffix is not None:
        return by_suffix
    fallback = find_host(FALLBACK)
    assert fallback is not None, "the plain host is part of the package"
    return fallback
