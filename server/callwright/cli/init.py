"""`callwright init`: a configuration for a folder, after a look at what is in it.

Owns: the options of the command, what is looked at, the text of the configuration. Must not know: how calls or tools
are read. Nothing is run or fetched, and no file that is there is changed.
"""

import json
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Final

from callwright.calls.model import NATIVE
from callwright.cli.support.engine import open_source
from callwright.cli.support.failure import CLEAN, CommandError
from callwright.cli.support.files import FileError, Source, absolute, named, read_source, shown_path, walk, write_file
from callwright.cli.support.gitignore import Ignored
from callwright.cli.support.report import plural
from callwright.cli.support.terminal import visible
from callwright.path_patterns import PROMPT_ENDINGS
from callwright.tools.file_marks import may_hold_tools

if TYPE_CHECKING:
    from callwright.config import Project

FILE: Final = "callwright.toml"
#: Larger files are data, which nobody would want to look through unasked.
_LARGEST: Final = 1 << 20
#: How many files are looked at before a folder is too large to be told of.
_MOST: Final = 5_000
#: How many files a pattern must stand for before it says more than their names.
_FEW: Final = 2

#: How many dialects are told of.
_TOLD: Final = 6


def run(folder: str = ".", /, *, dry_run: bool = False, no_respect_gitignore: bool = False) -> int:
    """Write a configuration for a folder, after a look at what is in it.

    What is looked for: files with tool calls, the dialects that they are written in, and files that define tools.
    Nothing that is there is changed, and nothing is run.

    Parameters
    ----------
    folder
        The folder to look at; `callwright.toml` is written into it.
    dry_run
        Print the configuration, and write nothing.
    no_respect_gitignore
        Look at files that git ignores, too.
    """
    place = named(folder)
    if not place.is_dir():
        raise CommandError(f"`{folder}`: there is no such folder; check the path")
    target = place / FILE
    if not dry_run:
        _refuse_where_configured(place, target)
    seen = _look(place, gitignore=not no_respect_gitignore)
    text = configuration(seen)
    if dry_run:
        print(text, end="")
    else:
        try:
            write_file(target, text, shown_path(target))
        except FileError as error:
            raise CommandError(str(error)) from None
    for line in _said(seen, None if dry_run else target):
        print(line, file=sys.stderr if dry_run else sys.stdout)
    return CLEAN


def _refuse_where_configured(place: Path, target: Path) -> None:
    import tomllib

    if os.path.lexists(target):
        raise CommandError(
            f"{shown_path(target)}: it is there already, and stays as it is; `callwright init --dry-run` prints what "
            "would be written, and `callwright config` shows what is in force"
        )
    other = place / "pyproject.toml"
    try:
        table = tomllib.loads(other.read_bytes().decode()).get("tool", {})
    except (OSError, ValueError):
        return
    if isinstance(table, dict) and "callwright" in table:
        raise CommandError(
            f"{shown_path(other)}: its table `tool.callwright` is a configuration already, and a `{FILE}` beside it "
            "would go before it; `callwright config` shows what is in force"
        )


@dataclass(slots=True)
class Seen:
    """What there is in a folder; paths are relative to it, with `/` between the steps."""

    files: int = 0
    more: bool = False
    #: The tool files, each with the number of its tools.
    tools: dict[str, int] = field(default_factory=dict)
    #: The files with calls, each with how many there are of each dialect.
    calls: dict[str, Counter[str]] = field(default_factory=dict)

    @property
    def dialects(self) -> Counter[str]:
        """How many calls there are of each dialect, those in a provider's own fields left out."""
        total: Counter[str] = Counter()
        for found in self.calls.values():
            total.update(found)
        del total[NATIVE]
        return total


def _look(place: Path, *, gitignore: bool) -> Seen:
    """Look at every file of a folder that may hold calls or tools: first for tools, then for calls of them."""
    from callwright.config import default_project, override
    from callwright.tools.documents import holds_tools, read_tool_document

    seen = Seen()
    sources: list[tuple[str, Source]] = []
    for name, source in _sources(place, seen, gitignore=gitignore):
        if may_hold_tools(source.text, name) and holds_tools(source.text, name):
            seen.tools[name] = len(read_tool_document(source.text, name).registry.names)
        else:
            sources.append((name, source))
    # Without tools of the author's, the shipped ones say what may be a call.
    project = override(default_project(place), {"tools": list(seen.tools)} if seen.tools else {"shipped": True})
    for name, source in sources:
        found = _calls_in(source, project)
        if found:
            seen.calls[name] = found
    return seen


def _calls_in(source: Source, project: "Project") -> Counter[str]:
    """Count the calls in a text by their dialects; bare data that only looks like a call is none."""
    return Counter(placed.call.dialect for placed in open_source(source, project).placed_calls() if placed.call.tool)


def _sources(place: Path, seen: Seen, *, gitignore: bool) -> Iterator[tuple[str, Source]]:
    endings = _endings()
    git = Ignored(place) if gitignore else None

    def wanted(path: Path) -> bool:
        if not path.name.endswith(endings) or path.is_symlink():
            return False
        try:
            return path.stat().st_size <= _LARGEST
        except OSError:
            return False

    def ignored(path: Path, is_folder: bool) -> bool:
        return git is not None and git.ignores(absolute(path), folder=is_folder)

    def pass_over(_: str) -> None:
        """Say nothing of what cannot be read: it will be told when it is checked."""

    for path in walk(place, wanted, complain=pass_over, note=pass_over, ignored=ignored):
        if seen.files == _MOST:
            seen.more = True
            return
        name = path.relative_to(place).as_posix()
        # Names that no configuration could write are left to whoever chose them.
        if not name.isprintable():
            continue
        try:
            source = read_source(path)
        except FileError:
            continue
        seen.files += 1
        yield name, source


def _endings() -> tuple[str, ...]:
    """Return the endings of files that some host reads, alone or behind the name of a template language's file."""
    from callwright.hosts.catalogue import all_hosts

    return (*dict.fromkeys((*PROMPT_ENDINGS, *(suffix for host in all_hosts() for suffix in host.suffixes))),)


def patterns(files: Sequence[str], *, anywhere: bool = True) -> list[str]:
    """Return patterns that stand for files: their names where they are few, else their folder and ending.

    `anywhere` says that a mere name means files of that name in all folders, as it does in `files` but not in `tools`.
    """
    groups: dict[tuple[str, str], list[str]] = {}
    for name in files:
        path = PurePosixPath(name)
        top = path.parts[0] if len(path.parts) > 1 else ""
        groups.setdefault((top, path.suffix), []).append(name)
    found = []
    for (top, suffix), names in groups.items():
        if len(names) <= _FEW or not top or _is_wild(top) or _is_wild(suffix):
            # A leading `/` says that the name is meant, and not the same one in another folder.
            found += [_literal(name if "/" in name or not anywhere else f"/{name}") for name in names]
        else:
            deep = any(name.count("/") > 1 for name in names)
            found.append(f"{top}/{'**/' if deep else ''}*{suffix}")
    return sorted(found)


def _is_wild(text: str) -> bool:
    return any(one in "*?[]{}\\" for one in text)


def _literal(name: str) -> str:
    """Return a pattern that fits a name; where a character would mean something in a pattern, any one may stand."""
    return "".join("?" if _is_wild(one) else one for one in name)


def configuration(seen: Seen) -> str:
    """Return the text of a configuration that fits what was seen."""
    lines = ["# What Callwright checks here, and against which tools. `callwright config` shows what is in force.", ""]
    if seen.tools:
        number = plural(sum(seen.tools.values()), "tool", "tools")
        lines.append(f"# {number} in {plural(len(seen.tools), 'file', 'files')}. A call of any other is an error.")
        lines += _assigned("tools", patterns(list(seen.tools), anywhere=False))
    else:
        lines.append("# The files that define the tools. Without any, the shipped tool sets are on offer.")
        lines.append('# tools = ["tools/*.json"]')
    lines.append("")
    lines += _about_dialects(seen.dialects)
    lines.append("")
    others = [name for name in seen.calls if not name.endswith(PROMPT_ENDINGS)]
    endings = ", ".join(f"*{ending}" for ending in PROMPT_ENDINGS)
    if others:
        lines.append(f"# Files with calls, which are checked beside {endings}.")
        lines += _assigned("files", patterns(others))
    else:
        lines.append(f"# Files to check beside {endings}.")
        lines.append('# files = ["prompts/**/*.md"]')
    return "".join(f"{line}\n" for line in lines)


def _about_dialects(dialects: Counter[str]) -> list[str]:
    if not dialects:
        return ["# The dialect that every call is to be written in; `callwright dialect` lists them.", '# dialect = ""']
    if len(dialects) == 1:
        [(name, number)] = dialects.items()
        seen = f"# The dialect of every call in a text: {plural(number, 'was', 'were')} found."
        return [seen, *_assigned("dialect", name)]
    most, *rest = [name for name, _ in dialects.most_common()]
    counted = ", ".join(f"{number} in {name}" for name, number in dialects.most_common(_TOLD))
    counted += f" and more in {len(dialects) - _TOLD} others" if len(dialects) > _TOLD else ""
    return [
        f"# Calls are written in several dialects: {counted}.",
        "# With these lines, one is asked for and the others are read while a migration lasts.",
        *(f"# {line}" for line in (*_assigned("dialect", most), *_assigned("accept", rest))),
    ]


def _assigned(key: str, value: Any) -> list[str]:
    """Return a key with its value as lines of TOML; a list of several items has one a line."""
    if isinstance(value, list) and len(value) > 1:
        return [f"{key} = [", *(f"  {json.dumps(one, ensure_ascii=False)}," for one in value), "]"]
    return [f"{key} = {json.dumps(value, ensure_ascii=False)}"]


def _said(seen: Seen, target: Path | None) -> Iterator[str]:
    looked = plural(seen.files, "file", "files")
    if seen.more:
        yield f"Looked at the first {looked} and no further: the folder holds more."
    number = sum(found.total() for found in seen.calls.values())
    verb = "holds" if len(seen.calls) == 1 else "hold"
    calls = plural(number, "call", "calls")
    yield f"Looked at {looked}: {len(seen.calls)} {verb} {calls}, {plural(len(seen.tools), 'tool file', 'tool files')}."
    if target is not None:
        folder = visible(str(target.parent))
        yield f"Wrote {visible(shown_path(target))}. `callwright check {folder}` checks the folder."
