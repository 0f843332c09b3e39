"""Files: find the configuration that governs a file, and read it with those that it builds on.

Owns: where configurations are looked for, TOML, `extend`. Must not know: what a key means, rules, documents, commands,
editors. No bad configuration raises: it becomes problems at the key or value that is wrong.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from callwright.config.project import FILE, PYPROJECT, Project, with_tools
from callwright.config.tables import Table, absolute, expanded
from callwright.config.tool_files import inside, load_lately, offered_tools, reload
from callwright.syntax.problem import Problem
from callwright.text.patterns import compile_later
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.config.reading import ConfigSource, FileProblem, Names, Reader
    from callwright.syntax.toml_places import Path as KeyPath
    from callwright.tools.registry import ToolRegistry

SYNTAX: Final = "config-syntax"
EXTEND: Final = "config-extend"

#: A configuration file beyond this size in bytes is refused: it is not one.
LARGEST: Final = 512 * 1024
#: How many files one configuration may build on.
MAX_EXTENDED: Final = 50

_START: Final = Span(0, 0)
_ENDLESS_KEY = compile_later(r"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){100}""")
_PLACE = compile_later(r"\(at (?:line ([0-9]+), column ([0-9]+)|end of document)\)")


def find_project(
    path: str | os.PathLike[str],
    *,
    root: str | os.PathLike[str] | None = None,
    allow_outside: bool = False,
    known_rules: Names = None,
) -> Project:
    """Return the project that governs a file: the nearest configuration from its folder upwards.

    The search ends at `root` (a workspace folder), else at the repository that the file lies in, else at a folder that
    everyone may write to. Within one folder `callwright.toml` goes before `pyproject.toml`. `allow_outside` is the
    user's word that files above that end may be read, where the configuration names them. `known_rules` are the codes
    and names of rules, where the caller knows them.
    """
    place = absolute(path)
    start = place if place.is_dir() else place.parent
    if root is None:
        boundary, folders = _upwards(start)
    else:
        boundary = absolute(root)
        folders = [one for one in (start, *start.parents) if one == boundary or boundary in one.parents] or [start]
    for folder in folders:
        for name in (FILE, PYPROJECT):
            file = folder / name
            if file.is_file() and (root is None or boundary is None or inside(file, boundary)):
                end = boundary if boundary is not None else folder
                project = _read_file(file, end, allow_outside, known_rules, must=name == FILE)
                if project is not None:
                    return project
    home = boundary if boundary is not None else start
    return Project(home, home, registry=offered_tools())


def load_project(file: str | os.PathLike[str], *, allow_outside: bool = True, known_rules: Names = None) -> Project:
    """Return the project of a configuration file that the user named; naming it is the word to read what it names."""
    path = absolute(file)
    boundary, _ = _upwards(path.parent)
    project = _read_file(path, boundary or path.parent, allow_outside, known_rules, must=True)
    assert project is not None, "a file that must be a configuration gives a project"
    return project


def read_config(
    text: str,
    file: str | os.PathLike[str],
    *,
    allow_outside: bool = False,
    boundary: str | os.PathLike[str] | None = None,
    known_rules: Names = None,
) -> Project:
    """Return the project that the text of a configuration file makes, for one that is open in an editor.

    It is read at each keystroke: tool files that have not changed since the last one are not read again.
    """
    path = absolute(file)
    end = absolute(boundary) if boundary is not None else path.parent
    project = _read_text(text, path, end, allow_outside, known_rules, must=True, load=load_lately)
    assert project is not None, "a text that must be a configuration gives a project"
    return project


def _upwards(start: Path) -> tuple[Path | None, list[Path]]:
    """Return the repository that a folder lies in (None outside any), and the folders to search, nearest first."""
    folders: list[Path] = []
    for folder in (start, *start.parents):
        if folder != start and _is_world_writable(folder):
            break
        folders.append(folder)
        if (folder / ".git").exists():
            return folder, folders
    return None, folders


def _is_world_writable(folder: Path) -> bool:
    """Return whether anyone may put a file into a folder, as into `/tmp`."""
    try:
        return os.name == "posix" and bool(folder.stat().st_mode & 0o002)
    except OSError:
        return True


def _read_file(file: Path, boundary: Path, allow_outside: bool, known_rules: Names, *, must: bool) -> Project | None:
    """Read a configuration file; None where it has no section of ours and needs none."""
    text = _content(file)
    if isinstance(text, Problem):
        return _broken(file, boundary, text) if must else None
    return _read_text(text, file, boundary, allow_outside, known_rules, must=must)


def _content(file: Path) -> str | Problem:
    """Return the text of a configuration file, or why there is none."""
    try:
        size = file.stat().st_size
        data = file.read_bytes() if size <= LARGEST else b""
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        return _fault(f"byte {error.start} is not UTF-8", "save the file as UTF-8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "the path cannot be used"
        return _fault(f"the file cannot be read: {reason}", "correct the path or its permissions")
    return text if size <= LARGEST else _fault("the file is larger than 512 kB", "keep only configuration in it")


def _read_text(
    text: str,
    file: Path,
    boundary: Path,
    allow_outside: bool,
    known_rules: Names,
    *,
    must: bool,
    load: Callable[[Path], ToolRegistry] = reload,
) -> Project | None:
    from callwright.config.reading import ConfigSource

    table = _table(text, file)
    if isinstance(table, Problem):
        return _broken(file, boundary, table) if must or "callwright" in text else None
    if table is None:
        if not must:
            return None
        table = {}
    gathered = _Gathered(boundary, allow_outside, known_rules)
    tables = gathered.read(ConfigSource(file, text, _prefix(file)), table, (file,))
    project = Project(
        root=file.parent,
        boundary=boundary,
        file=file,
        problems=tuple(gathered.problems),
        configured=True,
        tables=(*(one for one in tables if one.only is None), *(one for one in tables if one.only is not None)),
        extended=tuple(gathered.extended),
        whole=gathered.whole,
    )
    return with_tools(project, allow_outside=allow_outside, load=load)


def stated_in(text: str, file: str | os.PathLike[str]) -> tuple[KeyPath, dict[str, Any]] | None:
    """Return the keys that lead to our table in a configuration's text, and the table; None where there is none."""
    path = Path(file)
    table = _table(text, path)
    return (_prefix(path), table) if isinstance(table, dict) else None


def _prefix(file: Path) -> KeyPath:
    """Return the keys that lead to our table in a file."""
    return ("tool", "callwright") if file.name == PYPROJECT else ()


def _table(text: str, file: Path) -> Any | Problem:
    """Return our table of a file's text, None where it has none, or why it cannot be read."""
    bom = 1 if text.startswith("\ufeff") else 0
    endless = _ENDLESS_KEY.search(text)
    if endless is not None:
        # `tomllib` takes quadratic time for such a key: minutes, for one of 100 kB.
        span = Span(endless.start(), endless.start() + 1)
        return _fault("a key has more than 100 parts", "write a shorter key", span)
    # Most folders have no configuration at all.
    import tomllib

    try:
        table: Any = tomllib.loads(text[bom:])
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        span, reason = _syntax_place(text, bom, error)
        return _fault(reason, "correct it here; the whole file is ignored until then", span)
    for step in _prefix(file):
        if not isinstance(table, dict) or step not in table:
            return None
        table = table[step]
    return table


def _fault(reason: str, remedy: str, span: Span = _START) -> Problem:
    return Problem(SYNTAX, span, {"reason": reason, "remedy": remedy})


def _broken(file: Path, boundary: Path, problem: Problem) -> Project:
    """Return the project of a configuration file without a usable setting; no tool is reported missing because of
    it."""
    return Project(
        file.parent, boundary, file, registry=offered_tools(), problems=((str(file), problem),), configured=True
    )


class _Gathered:
    """The tables of a configuration and of the files that it builds on: the latter's first.

    `extended` are the files that were asked for, `whole` is false where one of them could not be used.
    """

    def __init__(self, boundary: Path, allow_outside: bool, known_rules: Names) -> None:
        self.problems: list[FileProblem] = []
        self.extended: list[Path] = []
        self.whole = True
        self._boundary = boundary
        self._allow_outside = allow_outside
        self._known_rules = known_rules

    def read(self, source: ConfigSource, stated: Any, chain: tuple[Path, ...]) -> list[Table]:
        """Return the tables of a file, after those of the files that it extends; `chain` ends with the file itself."""
        from callwright.config.reading import Reader

        reader = Reader(source, source.file.parent, self._known_rules)
        own = reader.read(stated)
        tables = [table for index, name in _extends(own) for table in self._base(reader, index, name, chain)]
        self.problems += reader.problems
        return tables + own

    def _base(self, reader: Reader, index: int | None, name: str, chain: tuple[Path, ...]) -> Iterator[Table]:
        """Yield the tables of one file that another extends."""
        from callwright.config.reading import ConfigSource

        if len(self.extended) >= MAX_EXTENDED and not self.whole:
            return
        place: KeyPath = ("extend",) if index is None else ("extend", index)
        file = absolute(chain[-1].parent / expanded(name))
        reason, remedy = self._refusal(file, name, chain)
        if reason is None and file in self.extended:
            # It counts where it was named first.
            return
        if len(self.extended) >= MAX_EXTENDED:
            if self.whole:
                reason = f"this configuration extends more than {MAX_EXTENDED} files"
                reader.note(EXTEND, place, {"reason": reason, "remedy": "write fewer"})
            self.whole = False
            return
        self.extended.append(file)
        stated: Any = None
        text = ""
        if reason is None:
            content = _content(file)
            if isinstance(content, Problem):
                reason, remedy = f"`{name}` cannot be used: {content.data['reason']}", content.data["remedy"]
            else:
                text, stated = content, _table(content, file)
                if isinstance(stated, Problem):
                    self.problems.append((str(file), stated))
                    reason, remedy = f"`{name}` cannot be used: {stated.data['reason']}", "correct it in that file"
                elif stated is None:
                    reason, remedy = f"`{name}` has no table `[tool.callwright]`", "add one, or name another file"
        if reason is not None:
            self.whole = False
            reader.note(EXTEND, place, {"reason": reason, "remedy": remedy})
            return
        yield from self.read(ConfigSource(file, text, _prefix(file)), stated, (*chain, file))

    def _refusal(self, file: Path, name: str, chain: tuple[Path, ...]) -> tuple[str | None, str]:
        """Return why a file cannot be built on before it is looked into, and what to do; None where it can."""
        real = [os.path.realpath(one) for one in chain]
        if os.path.realpath(file) in real:
            start = real.index(os.path.realpath(file))
            links = " extends ".join(f"`{self._shown(one)}`" for one in (*chain[start:], file))
            return f"this is circular: {links}", "remove one of the links"
        if not self._allow_outside and not inside(file, self._boundary):
            reason = f"`{name}` is outside `{self._boundary}`, and files there are not read without your permission"
            return (
                reason,
                "copy the file into the project, or name the configuration on the command line with `--config`",
            )
        if not os.path.isfile(file):  # noqa: PTH113 - `is_file` raises for a name that is too long
            what = "this is a folder" if os.path.isdir(file) else "there is no such file"  # noqa: PTH112
            return f"`{name}`: {what}", f"paths are relative to `{chain[-1].parent}`; correct the path"
        return None, ""

    def _shown(self, file: Path) -> str:
        return os.path.relpath(file, self._boundary) if inside(file, self._boundary) else str(file)


def _extends(tables: list[Table]) -> list[tuple[int | None, str]]:
    """Return the entries of `extend` among the tables of a file: its place in a list, None for a single one."""
    return [entry for table in tables for entry in table.values.get("extend", ())]


def _syntax_place(text: str, bom: int, error: Exception) -> tuple[Span, str]:
    """Return where and why a TOML text cannot be read, from the words of `tomllib`, whose columns count from 1."""
    words = str(error) if not isinstance(error, RecursionError) else "the values are nested too deep"
    found = _PLACE.search(words)
    reason = f"the file is not valid TOML: {_PLACE.sub('', words).strip() or 'it cannot be read'}"
    if found is None:
        return Span(bom, bom), reason
    if found[1] is None:
        return Span(len(text), len(text)), reason
    start = bom
    for _ in range(int(found[1]) - 1):
        start = text.find("\n", start) + 1
    at = min(start + int(found[2]) - 1, len(text))
    return Span(at, min(at + 1, len(text)) if text[at : at + 1] not in ("\n", "\r") else at), reason
