"""The version: every place that states it, whether they agree, and what sets them all.

    make bump VERSION=0.2.0

sets the version in every place, and dates the sections of both changelogs. The truth is `project.version` in
`pyproject.toml`.

Owns: where a version is stated, and how a section of a changelog begins. Must not know: how anything is built.
"""

from __future__ import annotations

import datetime
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
NUMBER: Final = r"\d+\.\d+\.\d+(?:(?:a|b|rc)\d+)?"
TRUTH: Final = ("pyproject.toml", r'^version = "({})"$')
#: Files with the version at one place or two: the pattern, and how often it matches.
STATED: Final[dict[str, tuple[str, int]]] = {
    "pyproject.toml": (TRUTH[1], 1),
    "uv.lock": (r'^name = "callwright"\nversion = "({})"$', 1),
    "server/callwright/__init__.py": (r'^__version__ = "({})"$', 1),
    "client-vscode/package.json": (r'^  "version": "({})",$', 1),
    "client-vscode/package-lock.json": (r'^(?:  |      )"name": "callwright",\n +"version": "({})",$', 2),
}
#: How a page, a workflow or a file to copy names a version of Callwright.
NAMED: Final = (
    r"(?<!\w)callwright(?:/callwright)?(?:\[[\w,-]+\])?(?:@v?|==)({})",
    r"callwright/callwright/(?:blob|tree|releases/download)/v({})/",
    r"repo: https://github\.com/callwright/callwright\n\s+rev: v({})",
    r"^callwright ({})$",
    r"^Version ({}) ",
)
#: Where these are looked for: endings of files that git knows, and folders whose files are about other versions.
_ENDINGS: Final = (".md", ".yml", ".yaml", ".toml", ".lua", ".json", ".el", ".nix")
CHANGELOGS: Final = ("CHANGELOG.md", "client-vscode/CHANGELOG.md")
_OTHERS: Final = ("tests/", "client-vscode/package", "client-vscode/test/", "uv.lock", *CHANGELOGS)
_SECTION: Final = re.compile(r"^## (.+?)[ \t]*$", re.MULTILINE)
_DATED: Final = re.compile(rf"({NUMBER}) - (\d{{4}}-\d{{2}}-\d{{2}})")


@dataclass(frozen=True)
class Place:
    """A version that is stated: where, and which."""

    file: str
    line: int
    version: str
    start: int


def _found(root: Path, file: str, pattern: str) -> Iterator[Place]:
    text = (root / file).read_text(encoding="utf-8")
    for match in re.finditer(pattern.replace("{}", NUMBER), text, re.MULTILINE):
        yield Place(file, text.count("\n", 0, match.start(1)) + 1, match[1], match.start(1))


def current(root: Path = ROOT) -> str:
    """Return the version of the project."""
    (place,) = _found(root, *TRUTH)
    return place.version


def places(root: Path, files: list[str]) -> list[Place]:
    """Return every place of these files, as git lists them, that states the version."""
    found = [place for file, (pattern, _) in STATED.items() for place in _found(root, file, pattern)]
    for file in files:
        if file.endswith(_ENDINGS) and not file.startswith(_OTHERS) and (root / file).is_file():
            found += (place for pattern in NAMED for place in _found(root, file, pattern))
    return sorted(set(found), key=lambda place: (place.file, place.start))


def disagreements(root: Path, files: list[str]) -> Iterator[str]:
    """Yield what states another version than the project's, or none where one is expected."""
    version = current(root)
    for file, (pattern, times) in STATED.items():
        if len(list(_found(root, file, pattern))) != times:
            yield f"{file}: states the version not {times} times; the pattern is {pattern}"
    for place in places(root, files):
        if place.version != version:
            yield f"{place.file}:{place.line}: states {place.version}, and the version is {version}"


def undated(root: Path) -> Iterator[str]:
    """Yield what a changelog lacks for a release: a first section with the version and a date, and no open one."""
    version = current(root)
    for file in CHANGELOGS:
        titles = _SECTION.findall((root / file).read_text(encoding="utf-8"))
        first = _DATED.fullmatch(titles[0]) if titles else None
        if first is None or first[1] != version:
            yield f"{file}: the first section is not `## {version} - YYYY-MM-DD`"
        for title in titles:
            if re.search(r"unreleased", title, re.IGNORECASE):
                yield f"{file}: the section `{title}` is open"


def bump(root: Path, files: list[str], version: str, day: datetime.date) -> list[str]:
    """State a version in every place, and date the first section of both changelogs; return the files written.

    A first section without a version, with this one or with a candidate of it, becomes that of the version.
    """
    written = set()
    for file in {place.file for place in places(root, files)}:
        text = (root / file).read_text(encoding="utf-8")
        for place in reversed([each for each in places(root, files) if each.file == file]):
            text = text[: place.start] + version + text[place.start + len(place.version) :]
        written.add(_write(root, file, text))
    for file in CHANGELOGS:
        text = (root / file).read_text(encoding="utf-8")
        title = f"## {version} - {day.isoformat()}"
        first = _SECTION.search(text)
        if first is None or not _is_open(first[1], version):
            start = first.start() if first else len(text)
            text = f"{text[:start]}{title}\n\n{text[start:]}"
        else:
            text = text[: first.start()] + title + text[first.end() :]
        written.add(_write(root, file, text))
    return sorted(written)


def _is_open(title: str, version: str) -> bool:
    stated = re.match(NUMBER, title)
    return stated is None or _final(stated[0]) == _final(version)


def _final(version: str) -> str:
    return re.split(r"[abr]", version)[0]


def _write(root: Path, file: str, text: str) -> str:
    (root / file).write_text(text, encoding="utf-8", newline="\n")
    return file


def tracked(root: Path = ROOT) -> list[str]:
    """Return the files that git knows, or would add."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=root, check=True, capture_output=True, encoding="utf-8").stdout
    return sorted(set(filter(None, listed.split("\0"))))


def main(arguments: list[str]) -> int:
    """Set the version that the only argument names; without one, print the version and what disagrees with it."""
    if len(arguments) > 1 or (arguments and not re.fullmatch(NUMBER, arguments[0])):
        sys.stderr.write("usage: versions.py [VERSION], as in 0.2.0 or 0.2.0rc1\n")
        return 2
    if arguments:
        today = datetime.datetime.now(tz=datetime.UTC).date()
        sys.stdout.writelines(f"{file}\n" for file in bump(ROOT, tracked(), arguments[0], today))
    found = [*disagreements(ROOT, tracked()), *undated(ROOT)]
    sys.stdout.writelines(f"{each}\n" for each in found)
    sys.stdout.write(f"version {current()}: {'does not agree' if found else 'agrees everywhere'}\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
