"""The cache: what was found in files that have not changed since.

Owns: the folder, what an entry depends on, how findings are kept and come back. Must not know: options, how anything is
found, output.

A finding depends on the text and its path, the settings and tools that govern it, and the version of Callwright; all of
them are in the key, so that nothing ever has to be declared stale. One file of the folder holds the entries of one
version, one set of settings and tools. A file that cannot be read or makes no sense is as good as none, and one that
cannot be written is left unwritten: the cache may make a run faster, never wrong, and never fail.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from callwright import __version__
from callwright.cli.support.failure import CommandError
from callwright.cli.support.files import Source, absolute
from callwright.cli.support.output import output_to
from callwright.path_patterns import UNFINISHED
from callwright.rules.base import SETTLED, Applicability, Diagnostic, ErrorType, Fix, MissingFix, Severity
from callwright.rules.catalogue import rule_names
from callwright.text.span import Edit, Span

if TYPE_CHECKING:
    from callwright.config import Project

FOLDER: Final = ".callwright_cache"
#: How many files of entries are kept, the newest ones: one for each set of settings and tools.
_KEPT: Final = 12
_PACKAGE: Final = Path(__file__).parents[2]
_TAG: Final = "Signature: 8a477f597d28d172789f06886806bc55\n# See https://bford.info/cachedir/\n"


class Fresh(NamedTuple):
    """What was found in one text, for the file of entries that it belongs in."""

    file: str
    path: str
    digest: str
    findings: list[Any]


class Cache:
    """The entries of one run, read where they are first asked for."""

    def __init__(self, folder: str | None = None, *, lasting: bool = True) -> None:
        """Keep entries in `folder`, or in a folder of its own in each project; unless `lasting`, in memory alone."""
        self._lasting = lasting
        self._folder = absolute(Path(folder)) if folder else None
        self._files: dict[int, tuple[Project, Path]] = {}
        self._known: dict[str, dict[str, Any]] = {}
        self._fresh: dict[str, dict[str, Any]] = {}

    def get(self, source: Source, project: Project) -> list[Diagnostic] | None:
        """Return what was found in a text when it was checked last; None where nobody knows."""
        if not _may_be_kept(source, project):
            return None
        file = self._file_of(project)
        entries = self._known.get(str(file))
        if entries is None:
            entries = self._known[str(file)] = _load(file) if self._lasting and self._is_ours(file) else {}
        entry = entries.get(_name(source, file))
        try:
            if entry is None or entry[0] != _digest(source.data):
                return None
            return [_diagnostic(*one) for one in entry[1]]
        except (TypeError, ValueError, KeyError, IndexError):
            return None

    def fresh(self, source: Source, project: Project, found: Sequence[Diagnostic]) -> Fresh | None:
        """Return what is to be kept of a text that was checked; None where it may change though the text does not."""
        if not _may_be_kept(source, project):
            return None
        file = self._file_of(project)
        return Fresh(str(file), _name(source, file), _digest(source.data), [_plain(one) for one in found])

    def keep(self, fresh: Fresh) -> None:
        """Keep an entry until it is saved."""
        self._fresh.setdefault(fresh.file, {})[fresh.path] = [fresh.digest, fresh.findings]

    def save(self) -> None:
        """Write what is new."""
        # A watched project is another one after each change.
        self._files.clear()
        if not self._lasting:
            for name, entries in self._fresh.items():
                self._known.setdefault(name, {}).update(entries)
            self._fresh.clear()
            return
        for name, entries in self._fresh.items():
            file = Path(name)
            if not self._is_ours(file):
                continue
            with suppress(OSError, CommandError):
                # Somebody may have written meanwhile.
                known = _load(file)
                held = {path: entry for path, entry in known.items() if (file.parent / path).exists()}
                _prepare(file.parent.parent)
                with output_to(name, None, ours=True) as out:
                    json.dump({**held, **entries}, out, separators=(",", ":"))
                _forget(file.parent)
        self._fresh.clear()
        self._known.clear()

    def _is_ours(self, file: Path) -> bool:
        """Tell whether a file of entries really lies in its folder; one that the user named may lie anywhere.

        What is there and no file, such as a pipe that nobody reads, is none.
        """
        if file.exists() and not file.is_file():
            return False
        if self._folder is not None:
            return True
        home = os.path.realpath(file.parents[2])
        return os.path.realpath(file) == os.path.join(home, FOLDER, *file.parts[-2:])  # noqa: PTH118 - as realpath has it

    def _file_of(self, project: Project) -> Path:
        """Return the file with the entries that hold under a project's settings and tools."""
        known = self._files.get(id(project))
        if known is None:
            folder = self._folder or _home(project) / FOLDER
            # The project is kept beside it, so that no other one gets its identity.
            known = self._files[id(project)] = (project, folder / __version__ / f"{_stamp(project)}.json")
        return known[1]


def _may_be_kept(source: Source, project: Project) -> bool:
    """Tell whether findings depend on nothing but what is in the key; a configuration names other files."""
    return source.path is not None and not source.stdin and project.host_of(source.path) is None


def _home(project: Project) -> Path:
    """Return the folder that a cache belongs in: the project's where it has one."""
    if project.file is not None or (project.root / ".git").exists():
        return project.root
    return Path.cwd()


def _stamp(project: Project) -> str:
    """Return what is different wherever the same text might be judged differently."""
    registry = project.registry
    seen = blake2b(digest_size=16)
    parts: list[object] = [__version__, sys.version, _engine(), sorted(rule_names()), repr(project.settings)]
    parts += [registry.closed, registry.tool_sets]
    seen.update(repr([*parts, list(registry.names)]).encode("utf-8", "surrogatepass"))
    if project.tool_files:
        from callwright.declarations.load import content_of
    for file in project.tool_files:
        try:
            data = content_of(file)
        except OSError:
            data = b""
        seen.update(f"\0{file}\0{len(data)}\0".encode("utf-8", "surrogateescape"))
        seen.update(data)
    return seen.hexdigest()


def _engine() -> str:
    """Return what changes with the code where that has no version of its own: in a checkout of Callwright."""
    if "site-packages" in _PACKAGE.parts:
        return ""
    newest = 0
    for place, folders, files in os.walk(_PACKAGE):
        folders[:] = [name for name in folders if name != "__pycache__"]
        newest = max([newest, *(os.stat(os.path.join(place, name)).st_mtime_ns for name in files)])  # noqa: PTH116, PTH118 - some hundred files
    return str(newest)


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()


def _name(source: Source, file: Path) -> str:
    """Return the path of a text from the folder of the entries, so that both may move together."""
    assert source.path is not None
    try:
        return os.path.relpath(source.path, file.parent)
    except ValueError:
        # Another drive.
        return str(absolute(source.path))


def _load(file: Path) -> dict[str, Any]:
    try:
        # A pipe would keep us waiting.
        data = json.loads(file.read_bytes()) if file.is_file() else None
    except (OSError, ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def _prepare(folder: Path) -> None:
    """Make the folder, with a word to git and to those who make backups that it is none of their concern."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in ((".gitignore", "# Made by callwright.\n*\n"), ("CACHEDIR.TAG", _TAG)):
        if not (folder / name).exists():
            with output_to(str(folder / name), None, ours=True) as out:
                out.write(text)


def _forget(folder: Path) -> None:
    # What a killed run left behind goes with time, as entries do.
    for kind in (".json", UNFINISHED):
        files = sorted(folder.glob(f"*{kind}"), key=lambda file: file.stat().st_mtime_ns, reverse=True)
        for file in files[_KEPT:]:
            file.unlink(missing_ok=True)


def _plain(one: Diagnostic) -> list[Any]:
    return [
        one.code,
        one.name,
        one.severity.value,
        one.message,
        one.span.start,
        one.span.end,
        None if one.error_type is None else one.error_type.value,
        [[span.start, span.end, words] for span, words in one.related],
        list(one.tags),
        [
            [fix.title, fix.applicability.value, [[edit.span.start, edit.span.end, edit.text] for edit in fix.edits]]
            for fix in one.fixes
        ],
        [list(fix) for fix in one.missing_fixes],
    ]


def _diagnostic(
    code: str,
    name: str,
    severity: str,
    message: str,
    start: int,
    end: int,
    error_type: str | None,
    related: list[list[Any]],
    tags: list[str],
    fixes: list[list[Any]],
    missing: list[list[str]],
) -> Diagnostic:
    unfixed = tuple(MissingFix(title, reason) for title, reason in missing)
    return Diagnostic(
        code,
        name,
        Severity(severity),
        message,
        Span(start, end),
        None if error_type is None else ErrorType(error_type),
        tuple((Span(low, high), words) for low, high, words in related),
        tuple(tags),
        tuple(
            Fix(title, tuple(Edit(Span(low, high), text) for low, high, text in edits), Applicability(applicability))
            for title, applicability, edits in fixes
        ),
        source=SETTLED,
        missing=lambda: unfixed,
    )
