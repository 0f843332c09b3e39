"""Configuration: which settings and which tools govern a file, and what is wrong with what was written.

Owns: `Project`, finding and reading `callwright.toml` and `[tool.callwright]`, overrides with the same keys. Must not
know: rules (it only lists their names), documents, commands, editors. Nothing is kept between calls, and no bad
configuration raises: it becomes problems at the key or value that is wrong.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias

from callwright.analysis.settings import DEFAULT, Settings
from callwright.hosts.base import Host
from callwright.hosts.catalogue import find_host
from callwright.path_patterns import find, is_pattern, matches
from callwright.syntax.problem import Problem
from callwright.syntax.toml_places import Path as KeyPath
from callwright.syntax.toml_places import TomlPlaces
from callwright.templates.catalogue import template_names
from callwright.text.span import Edit, Span
from callwright.tools.names import nearest
from callwright.tools.registry import EMPTY, ToolProblem, ToolRegistry
from callwright.transcripts.support.profiles import PROVIDERS

FILE: Final = "callwright.toml"
PYPROJECT: Final = "pyproject.toml"
#: Files whose findings are those of a configuration, never of calls in them.
CONFIGURATION_NAMES: Final = frozenset({FILE, PYPROJECT})

UNKNOWN_KEY: Final = "config-unknown-key"
INVALID_VALUE: Final = "config-invalid-value"
SYNTAX: Final = "config-syntax"
TOOLS_MISSING: Final = "config-tools-missing"
TOOLS_FAILED: Final = "config-tools-failed"

KEYS: Final = (
    "tools", "dialect", "accept", "strict", "files", "exclude", "select", "ignore", "severity", "markup", "reasoning",
    "provider", "template", "max_mistakes", "shipped",
)  # fmt: skip
SEVERITIES: Final = ("error", "warning", "info", "hint", "off")
MARKUPS: Final = ("xml", "raw")
REASONINGS: Final = ("mentions", "calls")

#: A configuration file beyond this size in bytes is refused: it is not one.
LARGEST: Final = 512 * 1024
#: How many tool files one configuration may name.
MOST_TOOL_FILES: Final = 500

#: What other tools call the severities.
_SYNONYMS: Final = {"warn": "warning", "information": "info", "none": "off", "disabled": "off", "err": "error"}
_START: Final = Span(0, 0)
_SELECTOR = re.compile(r"TC[0-9]{0,3}|ALL", re.IGNORECASE)
_ENDLESS_KEY = re.compile(r"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){100}""")
_PLACE = re.compile(r"\(at (?:line ([0-9]+), column ([0-9]+)|end of document)\)")

Names: TypeAlias = Collection[str] | None
FileProblem: TypeAlias = tuple[str | None, Problem]


@dataclass(frozen=True, slots=True)
class Project:
    """What governs the files of one folder.

    `root` is the folder that patterns are relative to: the configuration file's, else the workspace's or repository's.
    `boundary` is the folder above which nothing is read without the user's word. `file` is the configuration file, None
    where there is none. `files` and `exclude` are patterns, `tool_files` the files that the registry was read from.
    `said` is what was written, as far as it holds. `problems` has for each fault the file it stands in (None for an
    override), those of the tool files included.
    """

    root: Path
    boundary: Path
    file: Path | None = None
    settings: Settings = DEFAULT
    registry: ToolRegistry = EMPTY
    tool_files: tuple[Path, ...] = ()
    files: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    problems: tuple[FileProblem, ...] = ()
    configured: bool = False
    said: Mapping[str, Any] = field(default_factory=dict)

    def covers(self, path: str | os.PathLike[str]) -> bool:
        """Tell whether `files` names a file, and `exclude` does not."""
        relative = self._relative(path)
        return relative is not None and any(matches(one, relative) for one in self.files) and not self.excludes(path)

    def excludes(self, path: str | os.PathLike[str]) -> bool:
        """Tell whether `exclude` names a file or folder, or a folder above it."""
        relative = self._relative(path)
        return relative is not None and any(matches(one, relative) for one in self.exclude)

    def host_of(self, path: str | os.PathLike[str]) -> Host | None:
        """Return what a file of the project itself is read as: its configuration, or one of its tool files."""
        place = _absolute(path)
        if place.name in CONFIGURATION_NAMES:
            return find_host("configuration")
        return find_host("tool-file") if place in self.tool_files else None

    def _relative(self, path: str | os.PathLike[str]) -> str | None:
        """Return a path as patterns see it, or None where it lies outside the root."""
        try:
            relative = os.path.relpath(_absolute(path), self.root)
        except ValueError:
            # Another drive.
            return None
        slashed = relative.replace(os.sep, "/")
        return None if slashed == ".." or slashed.startswith("../") else slashed


def default_project(root: str | os.PathLike[str] | None = None) -> Project:
    """Return the project of somebody who has configured nothing: default settings, and the shipped tools on offer."""
    folder = _absolute(root if root is not None else os.curdir)
    return Project(folder, folder, registry=_shipped(True))


def find_project(
    path: str | os.PathLike[str],
    *,
    root: str | os.PathLike[str] | None = None,
    allow_outside: bool = False,
    known_rules: Names = None,
) -> Project:
    """Return the project that governs a file: the nearest configuration from its folder upwards.

    The search ends at `root` (a workspace folder), else at the repository that the file lies in, else at a folder that
    everybody may write to. Within one folder `callwright.toml` goes before `pyproject.toml`. `allow_outside` is the
    user's word that tool files above that end may be read. `known_rules` are the codes and names of rules, where the
    caller knows them.
    """
    place = _absolute(path)
    start = place if place.is_dir() else place.parent
    if root is None:
        boundary, folders = _upwards(start)
    else:
        boundary = _absolute(root)
        folders = [one for one in (start, *start.parents) if one == boundary or boundary in one.parents] or [start]
    for folder in folders:
        for name in (FILE, PYPROJECT):
            file = folder / name
            if file.is_file() and (root is None or _inside(file, boundary)):
                end = boundary if boundary is not None else folder
                project = _read_file(file, end, allow_outside, known_rules, must=name == FILE)
                if project is not None:
                    return project
    home = boundary if boundary is not None else start
    return Project(home, home, registry=_shipped(True))


def load_project(file: str | os.PathLike[str], *, allow_outside: bool = True, known_rules: Names = None) -> Project:
    """Return the project of a configuration file that the user named; naming it is the word to read what it names."""
    path = _absolute(file)
    boundary, _ = _upwards(path.parent)
    project = _read_file(path, boundary or path.parent, allow_outside, known_rules, must=True)
    assert project is not None, "a file that must be a configuration gives a project"
    return project


def override(
    project: Project, mapping: Mapping[str, Any], *, allow_outside: bool = False, known_rules: Names = None
) -> Project:
    """Return the project with keys said on a command line or in an editor laid over those of its file.

    The keys and values are those of `callwright.toml`. None, an empty text and an empty list or table say nothing. Tool
    files are relative to the project's root; `allow_outside` is the user's word to read others.
    """
    said = {key: value for key, value in mapping.items() if value is not None and value not in ("", [], (), {})}
    if not said:
        return project
    reader = _Reader(None, TomlPlaces(""), (), known_rules)
    checked = reader.read({key: list(value) if isinstance(value, tuple) else value for key, value in said.items()})
    everything = {**project.said, **checked}
    settings = _settings(everything)
    renewed = replace(
        project,
        settings=settings,
        files=tuple(everything.get("files", ())),
        exclude=tuple(everything.get("exclude", ())),
        said=everything,
        problems=(*project.problems, *reader.problems),
    )
    if "tools" not in checked and "shipped" not in checked:
        return renewed
    if "tools" not in checked:
        own = ToolRegistry(
            (tool for tool in project.registry if tool.origin.file in {str(file) for file in project.tool_files}),
            closed=bool(everything.get("tools")) and project.registry.closed,
        )
        return replace(renewed, registry=_with_shipped(own, everything))
    loaded = _Tools(project.root, project.boundary, allow_outside, reader)
    own = loaded.read(checked["tools"], project.root)
    kept = [entry for entry in project.problems if entry[0] not in {str(file) for file in project.tool_files}]
    return replace(
        renewed,
        registry=_with_shipped(own, everything),
        tool_files=tuple(loaded.files),
        problems=(*kept, *reader.problems, *((one.file, one.problem) for one in own.problems)),
    )


def read_config(
    text: str,
    file: str | os.PathLike[str],
    *,
    allow_outside: bool = False,
    boundary: str | os.PathLike[str] | None = None,
    known_rules: Names = None,
) -> Project:
    """Return the project that the text of a configuration file makes, for one that is open in an editor."""
    path = _absolute(file)
    end = _absolute(boundary) if boundary is not None else path.parent
    project = _read_text(text, path, end, allow_outside, known_rules, must=True)
    assert project is not None, "a text that must be a configuration gives a project"
    return project


def known_dialects() -> tuple[str, ...]:
    """Return the names of the dialects, by listing their room."""
    return _names_in("dialects")


def known_rule_names() -> tuple[str, ...]:
    """Return the names of the rules, by listing their room; their codes stand inside the files."""
    return _names_in("rules")


def _names_in(room: str) -> tuple[str, ...]:
    files = (Path(__file__).parent / room).glob("*.py")
    others = ("__init__", "base", "catalogue")
    return tuple(sorted(file.stem.replace("_", "-") for file in files if file.stem not in others))


def _absolute(path: str | os.PathLike[str]) -> Path:
    """Return an absolute path without `..`, its links left as they are: users know their projects by these names."""
    return Path(os.path.abspath(path))  # noqa: PTH100 - `resolve` would follow the links


def _upwards(start: Path) -> tuple[Path | None, list[Path]]:
    """Return the repository that a folder lies in (None outside any), and the folders to search, nearest first."""
    folders: list[Path] = []
    for folder in (start, *start.parents):
        if folder != start and _is_everybodys(folder):
            break
        folders.append(folder)
        if (folder / ".git").exists():
            return folder, folders
    return None, folders


def _is_everybodys(folder: Path) -> bool:
    """Tell whether anybody may put a file into a folder, as into `/tmp`."""
    try:
        return os.name == "posix" and bool(folder.stat().st_mode & 0o002)
    except OSError:
        return True


def _inside(path: Path, folder: Path | None) -> bool:
    """Tell whether a file really lies in a folder, links followed."""
    if folder is None:
        return True
    real, end = os.path.realpath(path), os.path.realpath(folder)
    return real == end or real.startswith(end.rstrip(os.sep) + os.sep)


def _read_file(file: Path, boundary: Path, allow_outside: bool, known_rules: Names, *, must: bool) -> Project | None:
    """Read a configuration file; None where it says nothing of us and need not."""
    try:
        size = file.stat().st_size
        data = file.read_bytes() if size <= LARGEST else b""
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        return _broken(file, boundary, f"byte {error.start} is not UTF-8", "save the file as UTF-8") if must else None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "the path is not usable"
        return (
            _broken(file, boundary, f"the file cannot be read: {reason}", "correct the path or its rights")
            if must
            else None
        )
    if size > LARGEST:
        return (
            _broken(file, boundary, "the file is larger than 512 kB", "keep only configuration in it") if must else None
        )
    return _read_text(text, file, boundary, allow_outside, known_rules, must=must)


def _read_text(
    text: str, file: Path, boundary: Path, allow_outside: bool, known_rules: Names, *, must: bool
) -> Project | None:
    prefix: KeyPath = ("tool", "callwright") if file.name == PYPROJECT else ()
    bom = 1 if text.startswith("\ufeff") else 0
    endless = _ENDLESS_KEY.search(text)
    if endless is not None:
        # `tomllib` takes quadratic time for such a key: minutes, for one of 100 kB.
        if not must and "callwright" not in text:
            return None
        span = Span(endless.start(), endless.start() + 1)
        return _broken(file, boundary, "a key has more than 100 parts", "write a shorter key", span)
    try:
        table: Any = tomllib.loads(text[bom:])
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        if not must and "callwright" not in text:
            return None
        span, reason = _syntax_place(text, bom, error)
        return _broken(file, boundary, reason, "correct it here; nothing in the file counts until then", span)
    for step in prefix:
        if not isinstance(table, dict) or step not in table:
            if not must:
                return None
            table = {}
            break
        table = table[step]
    reader = _Reader(str(file), TomlPlaces(text), prefix, known_rules)
    said = reader.read(table)
    loaded = _Tools(file.parent, boundary, allow_outside, reader)
    own = loaded.read(said.get("tools", ()), file.parent)
    return Project(
        root=file.parent,
        boundary=boundary,
        file=file,
        settings=_settings(said),
        registry=_with_shipped(own, said),
        tool_files=tuple(loaded.files),
        files=tuple(said.get("files", ())),
        exclude=tuple(said.get("exclude", ())),
        problems=(*reader.problems, *((one.file, one.problem) for one in own.problems)),
        configured=True,
        said=said,
    )


def _broken(file: Path, boundary: Path, reason: str, remedy: str, span: Span = _START) -> Project:
    """Return the project of a configuration file that says nothing usable; no tool is missed because of it."""
    problem = Problem(SYNTAX, span, {"reason": reason, "remedy": remedy})
    return Project(
        file.parent, boundary, file, registry=_shipped(True), problems=((str(file), problem),), configured=True
    )


def _syntax_place(text: str, bom: int, error: Exception) -> tuple[Span, str]:
    """Return where and why a TOML text cannot be read, from the words of `tomllib`, whose columns count from 1."""
    words = str(error) if not isinstance(error, RecursionError) else "the values nest too deep"
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


def _settings(said: Mapping[str, Any]) -> Settings:
    return Settings(
        dialect=said.get("dialect"),
        accept=tuple(said.get("accept", ())),
        strict=said.get("strict", False),
        select=tuple(said.get("select", ())),
        ignore=tuple(said.get("ignore", ())),
        severity=dict(said.get("severity", {})),
        markup=said.get("markup"),
        reasoning=said.get("reasoning", "mentions"),
        provider=said.get("provider"),
        template=said.get("template"),
        max_mistakes=said.get("max_mistakes", DEFAULT.max_mistakes),
    )


def _with_shipped(own: ToolRegistry, said: Mapping[str, Any]) -> ToolRegistry:
    """Return the author's tools with the shipped ones behind them that the configuration asks for."""
    wanted = said.get("shipped", not said.get("tools"))
    if not wanted:
        return own
    return own.merge(_shipped(wanted))


def _shipped(wanted: bool | list[str]) -> ToolRegistry:
    from callwright.tools.shipped import shipped_registry

    return shipped_registry(None if isinstance(wanted, bool) else wanted)


class _Reader:
    """Checks the values of one configuration table, key by key, and keeps what can be used."""

    def __init__(self, file: str | None, places: TomlPlaces, prefix: KeyPath, known_rules: Names) -> None:
        self.problems: list[FileProblem] = []
        self._file = file
        self._places = places
        self._prefix = prefix
        self._known_rules = known_rules

    def read(self, table: Any) -> dict[str, Any]:
        """Return the keys that hold what they should; of a list with a wrong item, the right ones."""
        if not isinstance(table, Mapping):
            self.invalid((), "this should be a table", "write keys below `[tool.callwright]`")
            return {}
        checks: dict[str, Callable[[KeyPath, Any], Any]] = {
            "dialect": self._dialect,
            "accept": partial(self._list, check=self._dialect),
            "strict": self._flag,
            "select": partial(self._list, check=self._selector),
            "ignore": partial(self._list, check=self._selector),
            "severity": self._severity,
            "markup": partial(self._word, words=MARKUPS, what="a markup"),
            "reasoning": partial(self._word, words=REASONINGS, what="a way to take reasoning"),
            "provider": partial(self._word, words=PROVIDERS, what="a provider"),
            "template": partial(self._word, words=("none", *template_names()), what="a template language"),
            "max_mistakes": self._count,
            "shipped": self._shipped,
            "tools": partial(self._list, check=self._text, keep_places=True),
            "files": partial(self._list, check=self._text),
            "exclude": partial(self._list, check=self._text),
        }
        said: dict[str, Any] = {}
        for key, value in table.items():
            check = checks.get(key)
            if check is None:
                self._unknown_key(key)
                continue
            checked = check((key,), value)
            if checked is not None:
                said[key] = checked
        return said

    def invalid(
        self, path: KeyPath, reason: str, remedy: str, meant: str | None = None, *, at_key: bool = False
    ) -> None:
        """Note that the value (or the key) at a path is not what it should be, and the one it was meant to be."""
        span = (self._places.key(self._prefix + path) if at_key else None) or self._places.nearest(self._prefix + path)
        data = {"key": _shown(path), "reason": reason, "remedy": remedy, "near": meant}
        repair = (Edit(span, f'"{meant}"'),) if meant is not None and span.start < span.end else ()
        self._add(Problem(INVALID_VALUE, span, data, repair, bool(repair)))

    def note(self, kind: str, path: KeyPath, data: Mapping[str, Any]) -> None:
        """Note a problem at the value of a path."""
        self._add(Problem(kind, self._places.nearest(self._prefix + path), {"key": _shown(path), **data}))

    def _add(self, problem: Problem) -> None:
        # An override stands in no text, so that there is nothing to edit.
        self.problems.append(
            (self._file, problem if self._file is not None else replace(problem, repair=(), certain=False))
        )

    def _unknown_key(self, key: str) -> None:
        meant = nearest(key, KEYS)
        span = self._places.key((*self._prefix, key)) or self._places.nearest((*self._prefix, key))
        remedy = f"write `{meant}`" if meant else f"the keys are {_listed(KEYS)}"
        repair = (Edit(span, meant),) if meant and span.start < span.end else ()
        data = {"key": key, "near": meant, "reason": f"`{key}` is no key of the configuration", "remedy": remedy}
        self._add(Problem(UNKNOWN_KEY, span, data, repair, bool(repair)))

    def _text(self, path: KeyPath, value: Any) -> str | None:
        if isinstance(value, str) and value and "\0" not in value:
            return value
        self.invalid(path, f"`{_shown(path)}` is {_word(value)}; a text is expected", 'write it in quotes: `"…"`')
        return None

    def _flag(self, path: KeyPath, value: Any) -> bool | None:
        if isinstance(value, bool):
            return value
        self.invalid(
            path, f"`{_shown(path)}` is {_word(value)}; `true` or `false` is expected", "write `true` or `false`"
        )
        return None

    def _count(self, path: KeyPath, value: Any) -> int | None:
        if isinstance(value, int) and not isinstance(value, bool) and value >= 1:
            return value
        given = str(value) if isinstance(value, int | float) and not isinstance(value, bool) else _word(value)
        self.invalid(path, f"`{_shown(path)}` is {given}; a whole number of 1 or more is expected", "write `3`")
        return None

    def _word(self, path: KeyPath, value: Any, *, words: Iterable[str], what: str) -> str | None:
        known = tuple(words)
        if isinstance(value, str) and value in known:
            return value
        if not isinstance(value, str):
            self.invalid(
                path, f"`{_shown(path)}` is {_word(value)}; {what} is expected", f"write one of {_listed(known)}"
            )
            return None
        meant = nearest(_SYNONYMS.get(value.lower(), value), known)
        remedy = f"write `{meant}`" if meant else f"write one of {_listed(known)}"
        self.invalid(path, f"`{value}` is not {what}", remedy, meant)
        return None

    def _dialect(self, path: KeyPath, value: Any) -> str | None:
        return self._word(path, value, words=known_dialects(), what="a dialect")

    def _list(
        self, path: KeyPath, value: Any, *, check: Callable[[KeyPath, Any], Any], keep_places: bool = False
    ) -> list[Any] | None:
        if not isinstance(value, list):
            reason = f"`{_shown(path)}` is {_word(value)}; a list is expected"
            self.invalid(path, reason, 'write a list: `["…"]`')
            return None
        checked = [(index, check((*path, index), item)) for index, item in enumerate(value)]
        kept = [(index, item) for index, item in checked if item is not None]
        return kept if keep_places else [item for _, item in kept]

    def _selector(self, path: KeyPath, value: Any, *, at_key: bool = False) -> str | None:
        text = self._text(path, value)
        if text is None or self._is_selector(text):
            return text
        names = self._known_rules if self._known_rules is not None else known_rule_names()
        meant = nearest(text, names)
        remedy = f"write `{meant}`" if meant else "`callwright rule --all` lists the rules"
        self.invalid(path, f"`{text}` is no rule's code or name", remedy, meant, at_key=at_key)
        return None

    def _is_selector(self, text: str) -> bool:
        if self._known_rules is None:
            return _SELECTOR.fullmatch(text) is not None or text in known_rule_names()
        prefix = text.upper()
        return prefix == "ALL" or text in self._known_rules or (
            prefix.startswith("TC"[: len(prefix)]) and any(rule.startswith(prefix) for rule in self._known_rules)
        )  # fmt: skip

    def _severity(self, path: KeyPath, value: Any) -> dict[str, str] | None:
        if not isinstance(value, Mapping):
            remedy = 'write a table: `[severity]`, with lines such as `unknown-tool = "warning"`'
            self.invalid(path, f"`{_shown(path)}` is {_word(value)}; a table is expected", remedy)
            return None
        kept: dict[str, str] = {}
        for rule, severity in value.items():
            checked = self._word((*path, rule), severity, words=SEVERITIES, what="a severity")
            if self._selector((*path, rule), rule, at_key=True) is not None and checked is not None:
                kept[rule] = checked
        return kept

    def _shipped(self, path: KeyPath, value: Any) -> bool | list[str] | None:
        if isinstance(value, bool):
            return value
        if not isinstance(value, list):
            reason = f"`{_shown(path)}` is {_word(value)}; `true`, `false` or a list of tool sets is expected"
            self.invalid(path, reason, "write `true`, or name the sets in a list")
            return None
        from callwright.tools.shipped import shipped_sets

        return self._list(path, value, check=partial(self._word, words=shipped_sets(), what="a shipped tool set"))


class _Tools:
    """Finds and loads the tool files that a configuration names, and says which it may not or cannot."""

    def __init__(self, root: Path, boundary: Path, allow_outside: bool, reader: _Reader) -> None:
        self.files: list[Path] = []
        self._root = root
        self._boundary = boundary
        self._allow_outside = allow_outside
        self._reader = reader

    def read(self, patterns: Iterable[tuple[int, str]], folder: Path) -> ToolRegistry:
        """Return the tools of all files; closed unless one of the files could not be used."""
        from callwright.tools.formats.base import INVALID
        from callwright.tools.load import load_tools

        tools = EMPTY
        whole = True
        for index, pattern in patterns:
            found = self._found(("tools", index), pattern, folder)
            whole = whole and bool(found)
            for file in found:
                if file in self.files:
                    continue
                self.files.append(file)
                loaded = load_tools(file)
                tools = tools.merge(loaded)
                whole = whole and bool(loaded)
                if not loaded or any(found.problem.kind == INVALID for found in loaded.problems):
                    self._failed(("tools", index), file, loaded.problems, some=bool(loaded))
        return tools if whole else tools.opened()

    def _found(self, path: KeyPath, pattern: str, folder: Path) -> list[Path]:
        expanded = str(Path(pattern).expanduser()) if pattern.startswith("~") else pattern
        start = expanded if not is_pattern(expanded) else re.split(r"[*?\[{]", expanded, maxsplit=1)[0]
        if not self._allowed(folder / start):
            self._outside(path, pattern)
            return []
        files: list[Path] = []
        for name in find(expanded, str(folder)):
            if not self._allowed(name):
                self._outside(path, name)
            elif len(self.files) + len(files) < MOST_TOOL_FILES:
                files.append(Path(name))
            else:
                reason = f"`{pattern}` names more than {MOST_TOOL_FILES} files"
                self._reader.note(TOOLS_FAILED, path, {"reason": reason, "remedy": "name fewer"})
                break
        if not files and not any(problem.data.get("key") == _shown(path) for _, problem in self._reader.problems):
            what = "no file matches this pattern" if is_pattern(pattern) else "there is no such file"
            data = {
                "reason": f"`{pattern}`: {what}",
                "remedy": f"patterns are relative to `{folder}`; correct the path",
            }
            self._reader.note(TOOLS_MISSING, path, data)
        return files

    def _allowed(self, path: str | Path) -> bool:
        return self._allow_outside or _inside(_absolute(path), self._boundary)

    def _outside(self, path: KeyPath, pattern: str) -> None:
        reason = f"`{pattern}` lies outside `{self._boundary}`, and nothing there is read without your word"
        remedy = "copy the file into the project, or name it on the command line with `--tools`"
        self._reader.note(TOOLS_FAILED, path, {"reason": reason, "remedy": remedy})

    def _failed(self, path: KeyPath, file: Path, problems: Iterable[ToolProblem], *, some: bool) -> None:
        first = next(iter(problems), None)
        why = first.problem.data["reason"] if first is not None else "it defines no tool"
        remedy = first.problem.data["remedy"] if first is not None else "add a definition"
        shown = os.path.relpath(file, self._root) if _inside(file, self._root) else str(file)
        what = "does not load in other programs" if some else "gives no tools"
        data = {"reason": f"`{shown}` {what}: {why}", "remedy": remedy, "file": str(file), "partly": some}
        self._reader.note(TOOLS_FAILED, path, data)


def _shown(path: KeyPath) -> str:
    """Return a path as a person writes it: `tools[0]`, `severity.unknown-tool`."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "`true`" if value else "`false`"
    if isinstance(value, str):
        return "an empty text" if not value else "a text"
    if isinstance(value, int | float):
        return "a number"
    return "a list" if isinstance(value, list) else "a table" if isinstance(value, Mapping) else "a date"
