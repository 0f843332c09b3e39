"""The cache: what was found in files that have not changed since.

Owns: the folder, what an entry depends on, how diagnostics are stored and loaded. Must not know: options, how anything
is found, output.

A diagnostic depends on the text and its path, the settings and tools that govern it, and the code of Callwright and of
the packages that it uses; all of them are in the key, so that no entry has to be invalidated. One file of the folder
holds the entries of one project under one set of settings and tools.

The cache is trusted, so it is in the cache folder of the user and never in the checked folder: entries that come with a
folder are not read. Each field is checked all the same when it is read. A file that cannot be read or a malformed entry
counts as missing, and a failure to write is ignored: the cache may make a run faster, never wrong, and never fail.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from callwright import __version__
from callwright.cli.support.files import FileError, InputFile, absolute, written
from callwright.path_patterns import UNFINISHED
from callwright.rules.base import SETTLED, Applicability, Diagnostic, ErrorType, Fix, MissingFix, Severity
from callwright.rules.catalogue import rule_codes, rule_names
from callwright.text.records import NamedTuple
from callwright.text.span import Edit, Span

if TYPE_CHECKING:
    from callwright.config import Project

#: How many files of entries are kept, the newest ones: one for each project under each set of settings and tools.
_KEPT: Final = 100
_PACKAGE: Final = Path(__file__).parents[2]
_TAG: Final = "Signature: 8a477f597d28d172789f06886806bc55\n# See https://bford.info/cachedir/\n"
#: What a diagnostic may be tagged with.
_TAGS: Final = frozenset({"deprecated", "unnecessary"})


def users_folder() -> Path | None:
    """Return the folder of the user's that keeps entries; None where the system names no cache folder of the user's."""
    stated = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(stated):  # noqa: PTH117 - the empty path is the folder `.` to pathlib
        return Path(stated) / "callwright" / "diagnostics"
    with suppress(RuntimeError):
        if sys.platform == "win32":
            local = os.environ.get("LOCALAPPDATA", "")
            above = Path(local) if os.path.isabs(local) else Path.home() / "AppData" / "Local"  # noqa: PTH117 - as above
            return above / "callwright" / "Cache" / "diagnostics"
        above = Path.home() / ("Library/Caches" if sys.platform == "darwin" else ".cache")
        return above / "callwright" / "diagnostics" if above.is_absolute() else None
    return None


class Fresh(NamedTuple):
    """What was found in one text, for the file of entries that it belongs in."""

    file: str
    home: str
    path: str
    digest: str
    diagnostics: list[Any]


class _Place(NamedTuple):
    """The file with the entries of a project, and the folder that the paths in it begin at."""

    file: Path
    home: Path


class Cache:
    """The entries of one run, read where they are first asked for."""

    def __init__(self, folder: str | None = None, *, lasting: bool = True) -> None:
        """Keep entries in `folder`, or in the user's cache folder; unless `lasting`, in memory alone."""
        self._lasting = lasting
        self._folder = absolute(Path(folder)) if folder else None
        self._places: dict[int, tuple[Project, _Place | None]] = {}
        self._homes: dict[str, Path] = {}
        self._known: dict[str, dict[str, Any]] = {}
        self._fresh: dict[str, dict[str, Any]] = {}

    def get(self, source: InputFile, project: Project) -> list[Diagnostic] | None:
        """Return what was found in a text when it was checked last; None where that is not known."""
        place = self._place_of(source, project)
        if place is None:
            return None
        entries = self._known.get(str(place.file))
        if entries is None:
            entries = self._known[str(place.file)] = _load(place.file) if self._lasting else {}
        entry = entries.get(_name(source, place.home))
        try:
            if entry is None or entry[0] != _digest(source.data):
                return None
            return [_diagnostic(one, len(source.text)) for one in entry[1]]
        except (TypeError, ValueError, KeyError, IndexError):
            return None

    def fresh(self, source: InputFile, project: Project, found: Sequence[Diagnostic]) -> Fresh | None:
        """Return what is to be kept of a text that was checked; None where it may change though the text does not."""
        place = self._place_of(source, project)
        if place is None:
            return None
        kept = [_plain(one) for one in found]
        return Fresh(str(place.file), str(place.home), _name(source, place.home), _digest(source.data), kept)

    def keep(self, fresh: Fresh) -> None:
        """Keep an entry until it is saved."""
        self._homes[fresh.file] = Path(fresh.home)
        self._fresh.setdefault(fresh.file, {})[fresh.path] = [fresh.digest, fresh.diagnostics]

    def save(self) -> None:
        """Write what is new."""
        # A watched project is another one after each change.
        self._places.clear()
        if not self._lasting:
            for name, entries in self._fresh.items():
                self._known.setdefault(name, {}).update(entries)
            self._fresh.clear()
            return
        for name, entries in self._fresh.items():
            file, home = Path(name), self._homes[name]
            if file.exists() and not file.is_file():
                # A pipe, perhaps.
                continue
            with suppress(OSError, FileError):
                # Another run may have written meanwhile.
                known = _load(file)
                held = {path: entry for path, entry in known.items() if (home / path).exists()}
                _prepare(file.parent)
                _write(file, json.dumps({**held, **entries}, separators=(",", ":")))
                _forget(file.parent)
        self._fresh.clear()
        self._known.clear()

    def _place_of(self, source: InputFile, project: Project) -> _Place | None:
        """Return where the entry of a text is kept; None where it must not be.

        That is so where a diagnostic depends on more than what is in the key (a configuration names other files), and
        where the user's cache folder lies inside the project, so that the entry might have come with the project.
        """
        if source.path is None or source.stdin or project.host_of(source.path) is not None:
            return None
        known = self._places.get(id(project))
        if known is None:
            # The project is kept beside it, so that no other one gets its identity.
            known = self._places[id(project)] = (project, self._place(project))
        return known[1]

    def _place(self, project: Project) -> _Place | None:
        home = absolute(_home(project))
        folder = self._folder
        if folder is None:
            folder = users_folder()
            if folder is None or Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(home)):
                return None
        return _Place(folder / f"{_stamp(project, home)}.json", home)


def _home(project: Project) -> Path:
    """Return the folder that a project's entries are about: its own where it has one."""
    if project.file is not None or (project.root / ".git").exists():
        return project.root
    return Path.cwd()


def _stamp(project: Project, home: Path) -> str:
    """Return what is different wherever the same text might be judged differently, and for each project."""
    registry = project.registry
    seen = blake2b(digest_size=16)
    parts: list[object] = [__version__, sys.version, _engine(), sorted(rule_names()), repr(project.settings)]
    parts += [str(home), registry.closed, registry.tool_sets]
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


@cache
def _engine() -> str:
    """Return what changes with the code: that of Callwright, however it is installed, and the packages beside it."""
    seen = blake2b(digest_size=16)
    for place, folders, files in os.walk(_PACKAGE):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(files):
            path = os.path.join(place, name)  # noqa: PTH118 - some hundred files
            with suppress(OSError), open(path, "rb") as file:  # noqa: PTH123 - as above
                data = file.read()
                seen.update(f"\0{os.path.relpath(path, _PACKAGE)}\0{len(data)}\0".encode("utf-8", "surrogateescape"))
                seen.update(data)
    seen.update(repr(sorted(_packages())).encode("utf-8", "surrogatepass"))
    return seen.hexdigest()


def _packages() -> set[str]:
    """Return the packages that are installed, as the names of their folders spell them, with their versions."""
    found: set[str] = set()
    for folder in sys.path:
        with suppress(OSError):
            found.update(name for name in os.listdir(folder or ".") if name.endswith((".dist-info", ".egg-info")))  # noqa: PTH208 - names alone are wanted
    return found


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()


def _name(source: InputFile, home: Path) -> str:
    """Return the path of a text as the entries of a project have it."""
    assert source.path is not None
    try:
        return os.path.relpath(source.path, home)
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
    """Make the folder, the user's alone, with a word to git and to those who make backups that it is no data."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for name, text in ((".gitignore", "# Made by callwright.\n*\n"), ("CACHEDIR.TAG", _TAG)):
        if not (folder / name).exists():
            _write(folder / name, text)


def _write(file: Path, text: str) -> None:
    with written(file, str(file), ours=True) as out:
        out.write(text.encode("utf-8", "surrogatepass"))


def _forget(folder: Path) -> None:
    # Files that a killed run left are removed with time, as entries are.
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


def _diagnostic(plain: list[Any], length: int) -> Diagnostic:
    """Return what `_plain` was made of, in a text of some length. Raises ValueError or TypeError where it is nothing
    of the kind."""
    code, name, severity, message, start, end, error_type, related, tags, fixes, missing = plain
    if rule_codes().get(name) != code or not _TAGS.issuperset(tags):
        raise ValueError
    unfixed = tuple(MissingFix(_text(title), _text(reason)) for title, reason in missing)
    return Diagnostic(
        code,
        name,
        Severity(severity),
        _text(message),
        _span(start, end, length),
        None if error_type is None else ErrorType(error_type),
        tuple((_span(low, high, length), _text(words)) for low, high, words in related),
        tuple(tags),
        tuple(
            Fix(_text(title), _edits(edits, length), Applicability(applicability))
            for title, applicability, edits in fixes
        ),
        source=SETTLED,
        missing=lambda: unfixed,
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _span(start: object, end: object, length: int) -> Span:
    if type(start) is not int or type(end) is not int:
        raise TypeError
    if not 0 <= start <= end <= length:
        raise ValueError
    return Span(start, end)


def _edits(edits: list[Any], length: int) -> tuple[Edit, ...]:
    made = tuple(Edit(_span(low, high, length), _text(text)) for low, high, text in edits)
    spans = sorted(edit.span for edit in made)
    if any(one.end > other.start for one, other in pairwise(spans)):
        raise ValueError
    return made
