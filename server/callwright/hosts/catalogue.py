"""The list of hosts, made by listing this room, and the choice of one for a document.

Owns: finding host modules and choosing by language or file name. Must not know: what any of them reads.
"""

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pathlib import PurePath

from callwright.hosts.base import Host
from callwright.index import Entry, entries, module_names

ROOM = "hosts"
FALLBACK = "plain"


def describe() -> Sequence[Entry]:
    """Return what every host says of itself, by loading them all."""
    hosts = [(module, _load(module)) for module in module_names(ROOM)]
    return [
        {"name": host.name, "module": module, "suffixes": [*host.suffixes], "languages": [*host.languages]}
        for module, host in hosts
    ]


@cache
def _load(module: str) -> Host:
    host: Host = import_module(module).HOST
    return host


@cache
def _entries() -> tuple[Entry, ...]:
    return tuple(sorted(entries(ROOM, describe), key=lambda entry: str(entry["name"])))


@cache
def all_hosts() -> tuple[Host, ...]:
    """Return every host, in the order of their names."""
    return tuple(_load(entry["module"]) for entry in _entries())


def find_host(name: str) -> Host | None:
    """Return the host of that name, or None."""
    return next((_load(entry["module"]) for entry in _entries() if entry["name"] == name), None)


def choose_host(path: str | None, language: str | None = None) -> Host:
    """Return the host for a document: by the editor's language, else by the file's ending, else plain text.

    A language that a host claims goes before the ending, for that is how an editor's user overrides it.
    """
    by_language = next((entry for entry in _entries() if language and language in entry["languages"]), None)
    if by_language is not None:
        return _load(by_language["module"])
    suffix = PurePath(path).suffix.lower() if path else ""
    by_suffix = next((entry for entry in _entries() if suffix and suffix in entry["suffixes"]), None)
    if by_suffix is not None:
        return _load(by_suffix["module"])
    fallback = find_host(FALLBACK)
    assert fallback is not None, "the plain host is part of the package"
    return fallback
