"""No false alarms: the files that the environment of the tests contains hold no calls, and nothing is found.

These are the installed packages, the standard library, and the packages of the extension where they are installed:
documentation, data, configuration, and programs, in every kind of file that a host reads and in kinds that none knows.
"""

from __future__ import annotations

import sysconfig
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from zlib import crc32

import pytest

from callwright.document.settings import Settings
from callwright.hosts.catalogue import all_hosts
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.tools.registry import EMPTY
from callwright.tools.shipped import shipped_registry
from support.sampling import sampled

REPOSITORY = Path(__file__).parents[2]
CHUNKS = 16
#: Files that no host claims, and that are read as plain text or by what they begin with.
OTHERS = {"", ".rst", ".html", ".cfg", ".ini", ".css", ".h", ".c", ".vim", ".lua", ".pyi", ".in", ".tmpl", ".tutor"}
LARGEST = 400_000
#: How many characters of one kind of file are read; of more, a choice that is the same everywhere.
MAX_COUNT = 12_000_000


def places() -> list[Path]:
    """Return the folders that are searched."""
    paths = sysconfig.get_paths()
    found = [Path(paths["purelib"]), Path(paths["stdlib"]), REPOSITORY / "client-vscode" / "node_modules"]
    return [place for place in found if place.is_dir()]


@cache
def files() -> tuple[Path, ...]:
    """Return the files that are read, in the order of a checksum of their names."""
    kinds = OTHERS | {suffix for host in all_hosts() for suffix in host.suffixes if suffix.count(".") == 1}
    listed: list[tuple[int, Path]] = []
    for place in places():
        for file in place.rglob("*"):
            inner = file.relative_to(place).as_posix()
            # The packages of an interpreter lie in its standard library's folder.
            if file.suffix.lower() in kinds and "callwright" not in inner and "__pycache__" not in inner:
                if place.name != "site-packages" and "site-packages" in inner:
                    continue
                listed.append((crc32(inner.encode()), file))
    size: Counter[str] = Counter()
    chosen: list[Path] = []
    for _, file in sorted(listed):
        if not file.is_file() or file.stat().st_size > LARGEST or size[file.suffix] > MAX_COUNT:
            continue
        size[file.suffix] += file.stat().st_size
        chosen.append(file)
    return tuple(chosen)


def readable(chunk: int) -> Iterator[tuple[Path, str]]:
    """Yield the files of a chunk that hold text, with it."""
    for file in files()[chunk::CHUNKS]:
        try:
            yield file, file.read_bytes().decode("utf-8")
        except UnicodeDecodeError:
            continue


@pytest.mark.parametrize("chunk", sampled(range(CHUNKS), keep=2))
def test_files_of_the_environment_are_clean(chunk: int, record_property: Callable[[str, object], None]) -> None:
    registry = shipped_registry()
    read: Counter[str] = Counter()
    found: list[str] = []
    for number, (file, text) in enumerate(readable(chunk)):
        snapshot = open_snapshot(text, path=str(file), registry=registry if number % 2 else EMPTY, settings=Settings())
        read[snapshot.host.name] += 1
        found += [f"{file}: {each.code} {each.message} | {each.span.of(text)[:80]!r}" for each in diagnostics(snapshot)]
    for host, count in read.items():
        record_property("counted", ("files of the environment without a finding", host, count))
    assert found == [], f"{len(found)} findings in {read.total()} files, the first:\n" + "\n".join(found[:10])


def test_the_environment_has_thousands_of_files() -> None:
    assert len(files()) > 3_000
