"""File patterns: which patterns a configuration states for files, so that they match the next files of a folder, too.

Owns: when a folder is matched as a whole, and how a single file is. Must not know: what is in a file, how a
configuration is written.

A file that a pattern matches is checked whatever is in it. So a folder is matched as a whole only if nearly all texts
in it are wanted, and only the files with an ending of wanted ones. Programs, YAML and files in the root are named one
by one.
"""

from collections.abc import Collection, Iterator
from typing import Final

from callwright.cli.support.discovery import is_prose
from callwright.evidence import DATA

#: How large a part of the texts in a folder must be wanted.
_NEARLY_ALL: Final = 0.8
#: How many files of data show what a folder holds; one file may be there by chance.
_SEVERAL: Final = 2


def patterns_for(wanted: Collection[str], scanned: Collection[str]) -> list[str]:
    """Return patterns that match the wanted files among those that were scanned, sorted; paths have `/`."""
    return sorted({*_patterns("", frozenset(wanted), scanned)})


def file_pattern(name: str) -> str:
    """Return a pattern for one file: with a leading `/` it does not match the same name in another folder."""
    return literal(name if "/" in name else f"/{name}")


def literal(name: str) -> str:
    """Return a pattern that fits a name; where a character would mean something in a pattern, any one may be there."""
    return "".join("?" if one in "*?[]{}\\" else one for one in name)


def _patterns(folder: str, wanted: frozenset[str], below: Collection[str]) -> Iterator[str]:
    """Yield patterns for the wanted files in a folder, whose path ends with `/`; `below` are all files in it."""
    if folder and _share(wanted, below) >= _NEARLY_ALL:
        for ending in sorted({_ending(name) for name in wanted}):
            files = [name for name in below if _ending(name) == ending]
            if ending and _is_whole(wanted, files):
                yield f"{literal(folder)}**/*{literal(ending)}"
            else:
                yield from (file_pattern(name) for name in files if name in wanted)
        return
    folders: dict[str, list[str]] = {}
    for name in below:
        step, slash, _ = name[len(folder) :].partition("/")
        if slash:
            folders.setdefault(f"{folder}{step}/", []).append(name)
        elif name in wanted:
            yield file_pattern(name)
    for inner, names in folders.items():
        yield from _patterns(inner, wanted.intersection(names), names)


def _is_whole(wanted: Collection[str], files: Collection[str]) -> bool:
    """Return whether the files of one ending in a folder are so often wanted that the next one is wanted, too."""
    if all(map(is_prose, files)):
        return _share(wanted, files) >= _NEARLY_ALL
    return len(files) >= _SEVERAL and all(name.endswith(DATA) and name in wanted for name in files)


def _share(wanted: Collection[str], files: Collection[str]) -> float:
    return sum(name in wanted for name in files) / len(files) if files else 0.0


def _ending(name: str) -> str:
    """Return the ending of a file's name with its dot; empty where it has none."""
    stem, dot, ending = name.rpartition("/")[2].rpartition(".")
    return dot + ending if stem else ""
