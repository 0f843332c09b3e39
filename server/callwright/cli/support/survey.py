"""The survey of a folder: which of its files contain calls or document tools, in which dialects, of which tools.

Owns: which files are read, and what a configuration would contain for them. Must not know: how a configuration is
written, how calls or tools are read. Nothing is run or fetched.
"""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from callwright.calls.model import NATIVE
from callwright.cli.support.discovery import Discovery, Ground, ground_of
from callwright.cli.support.engine import open_source
from callwright.cli.support.files import FileError, InputFile, absolute, read_source, walk
from callwright.cli.support.gitignore import Ignored
from callwright.hosts.support.managed import WORD
from callwright.text.records import NamedTuple

if TYPE_CHECKING:
    from callwright.config import Project
    from callwright.document.blocks import PlacedCall
    from callwright.tools.model import ToolSchema
    from callwright.tools.registry import ToolRegistry

#: Larger files are data, which are not looked through unasked.
_LARGEST: Final = 1 << 20
#: The problems of an XML parser with a `<` or `&` that is literal.
_LITERAL: Final = "unescaped-markup"
#: How many files are scanned before a folder is too large for a survey.
_MAX_COUNT: Final = 5_000


@dataclass(slots=True)
class Seen:
    """What there is in a folder; paths are relative to it, with `/` between the steps."""

    #: All files that were scanned, whatever is in them.
    scanned: list[str] = field(default_factory=list)
    #: Whether there are files that were not scanned, because of their number or their size.
    more: bool = False
    has_large: bool = False
    #: The files that are checked and are no tool files, in the order of their names.
    files: list[str] = field(default_factory=list)
    #: Whether a check that names no files finds just these and the tool files.
    found_again: bool = False
    #: The files that define the tools, each with their names: tool files, and prompts whose tools other files call.
    tools: dict[str, frozenset[str]] = field(default_factory=dict)
    #: The files with calls, each with how many there are of each dialect.
    calls: dict[str, Counter[str]] = field(default_factory=dict)
    #: The names of the tools that prompts document.
    documented: set[str] = field(default_factory=set)
    #: Names that are called, and belong to no tool of `tools`, nor to one that comes with their calls.
    strangers: Counter[str] = field(default_factory=Counter)
    #: Whether most calls, and most of what other prompts document, differ from `tools` in the names of parameters.
    foreign: bool = False
    #: The prompts that document tools of their own, none of them in `tools`, and call no other.
    apart: list[str] = field(default_factory=list)
    #: The files with a managed block that leaves the dialect to the configuration.
    taught: list[str] = field(default_factory=list)
    #: How many texts write values in elements as XML, and how many literally.
    markups: Counter[Literal["xml", "raw"]] = field(default_factory=Counter)

    @property
    def markup(self) -> Literal["xml", "raw"] | None:
        """How values in elements are written, where the texts agree on it."""
        return next(iter(self.markups)) if len(self.markups) == 1 else None

    @property
    def tools_fit(self) -> bool:
        """Whether the tools that were found are those of the calls here."""
        return bool(self.tools) and not self.strangers and not self.foreign

    @property
    def named(self) -> list[str]:
        """The files that a configuration would name: tool files that are in force are checked without it."""
        return [*self.files] if self.tools_fit else [*dict.fromkeys([*self.files, *self.tools])]

    @property
    def dialects(self) -> Counter[str]:
        """How many calls there are of each dialect, those in a provider's own fields left out."""
        total: Counter[str] = Counter()
        for found in self.calls.values():
            total.update(found)
        del total[NATIVE]
        return total


class _Call(NamedTuple):
    """A call of a tool that its own text does not define: the tool's name, and the names of the arguments."""

    tool: str
    arguments: frozenset[str]


@dataclass(slots=True)
class _Text:
    """A text with the tools that it documents, and its calls of others."""

    documented: dict[str, "ToolSchema"]
    calls: list[_Call]


def survey(place: Path, *, gitignore: bool) -> Seen:
    """Return what there is in a folder."""
    from callwright.config import default_project

    seen = Seen()
    project = default_project(place)
    # What one file documents is a call in the others, and so is a tag with the name of a tool of a product.
    names = {name for name in project.registry.names if not name.isalpha()}
    project = replace(project, registry=project.registry.beside(names))
    candidates = [*_candidates(place, seen, gitignore=gitignore)]
    seen.scanned = [file.relative_to(place).as_posix() for file, _ in candidates]
    found = [*Discovery(lambda source: open_source(source, project), names).found(candidates)]
    texts: dict[str, _Text] = {}
    for file, ground in found:
        text = _text(place, file, ground, project, seen)
        if text is not None:
            texts[file.relative_to(place).as_posix()] = text
    seen.files = [*texts]
    _choose_tools(place, texts, seen)
    every = {*seen.files, *seen.tools}
    seen.found_again = not (seen.more or seen.has_large) and _found(place, candidates, seen) == every
    return seen


def _found(place: Path, candidates: Sequence[tuple[Path, Ground]], seen: Seen) -> set[str]:
    """Return which files a check finds that names none, with the tools in force that a configuration would state."""
    from callwright.config import default_project

    project = _with_tools(place, seen) if seen.tools_fit else default_project(place)
    stated = {place / name for name in seen.tools} if seen.tools_fit else set[Path]()
    asked = [(file, Ground.STATED if file in stated else ground) for file, ground in candidates]
    names = {*project.registry.names} if project.registry.closed else set[str]()
    found = Discovery(lambda source: open_source(source, project), names).found(asked)
    return {file.relative_to(place).as_posix() for file, _ in found}


def _with_tools(place: Path, seen: Seen) -> "Project":
    """Return the project of a folder whose configuration states the tool files that were found."""
    from callwright.config import default_project, override

    return override(default_project(place), {"tools": [str(absolute(place / file)) for file in seen.tools]})


def _candidates(place: Path, seen: Seen, *, gitignore: bool) -> Iterator[tuple[Path, Ground]]:
    git = Ignored(place) if gitignore else None
    root = absolute(place)
    grounds: dict[Path, Ground] = {}

    def wanted(file: Path) -> bool:
        name = os.path.relpath(absolute(file), root).replace(os.sep, "/")
        ground = ground_of(name)
        # Names that no configuration could write are left to their author.
        if ground is None or file.is_symlink() or not name.isprintable():
            return False
        grounds[file] = ground
        try:
            large = file.stat().st_size > _LARGEST
        except OSError:
            return False
        seen.has_large = seen.has_large or large
        return not large

    def ignored(path: Path, is_folder: bool) -> bool:
        return git is not None and git.ignores(absolute(path), folder=is_folder)

    def pass_over(_: str) -> None:
        """Ignore what cannot be read: the check reports it."""

    for number, file in enumerate(walk(place, wanted, report_error=pass_over, note=pass_over, ignored=ignored)):
        if number == _MAX_COUNT:
            seen.more = True
            return
        yield file, grounds[file]


def _text(place: Path, file: Path, ground: Ground, project: "Project", seen: Seen) -> _Text | None:
    """Take note of what a file holds; None where it is no text to check, or a tool file."""
    from callwright.evidence import has_markers_of_prompts
    from callwright.prompt.declared import declared_in
    from callwright.teaching.blocks import managed_blocks
    from callwright.templates.catalogue import inner_path

    try:
        source = read_source(file)
    except FileError:
        return None
    name = file.relative_to(place).as_posix()
    snapshot = open_source(source, project)
    if snapshot.host.holds == "tools":
        seen.tools[name] = _defined(source, name)
        return None
    declared = [each.tool for found in declared_in(snapshot).declarations for each in found.read.definitions]
    documented = {tool.name: tool for tool in declared}
    calls = [placed for placed in snapshot.placed_calls() if placed.call.tool]
    if calls:
        seen.calls[name] = Counter(placed.call.dialect for placed in calls)
        seen.markups.update(_markups(source.text, calls))
    # A template writes calls of which little may be seen in it.
    elif not (
        ground is not Ground.CONTENT
        or documented
        or inner_path(name) is not None
        or has_markers_of_prompts(source.text, name)
    ):
        return None
    seen.documented.update(documented)
    if WORD in source.text and any(block.options.dialect is None for block in managed_blocks(snapshot)[0]):
        seen.taught.append(name)
    others = [
        _Call(str(placed.call.tool), frozenset(placed.binding.arguments))
        for placed in calls
        # A sketch is a call of any tool, and a transcript may contain its own tools.
        if placed.call.tool not in documented and not placed.call.sketch and placed.read.registry is None
    ]
    return _Text(documented, others)


def _defined(source: InputFile, name: str) -> frozenset[str]:
    from callwright.tools.documents import read_tool_document

    return frozenset(read_tool_document(source.text, name).registry.names)


def _markups(text: str, calls: "Sequence[PlacedCall]") -> Iterator[Literal["xml", "raw"]]:
    """Yield how values are written in the elements of a text: as XML where it states that, else literally where they
    must be."""
    from callwright.calls.model import MarkupValue
    from callwright.document.evidence import evidence_in

    elements = [placed for placed in calls if isinstance(placed.call.arguments, MarkupValue)]
    if not elements:
        return
    if evidence_in(text).xml:
        yield "xml"
    elif any(
        problem.kind == _LITERAL for placed in elements for problem in (*placed.call.problems, *placed.binding.problems)
    ):
        yield "raw"


def _choose_tools(place: Path, texts: dict[str, _Text], seen: Seen) -> None:
    """Add the prompts whose tools other files call to the tool files, and find what does not go with these tools."""
    defined = {name for names in seen.tools.values() for name in names}
    owners = Counter(name for text in texts.values() for name in text.documented)
    called = {call.tool for text in texts.values() for call in text.calls} - defined
    for file, text in texts.items():
        # Which of two prompts that document a tool is meant is left to the author.
        if any(name in called and owners[name] == 1 for name in text.documented):
            seen.tools[file] = frozenset(text.documented)
    if not seen.tools:
        return
    from callwright.declarations.documents import differ

    registry = _with_tools(place, seen).registry
    fits: Counter[bool] = Counter()
    for file, text in texts.items():
        if file not in seen.tools and _is_apart(text, registry):
            seen.apart.append(file)
            continue
        for call in text.calls:
            if registry.has(call.tool):
                fits[any(call.arguments <= tool.parameters.keys() for tool in registry.get(call.tool))] += 1
            elif registry.near(call.tool) is None:
                seen.strangers[call.tool] += 1
        for name, tool in text.documented.items() if file not in seen.tools else ():
            if registry.has(name):
                fits[not any(differ(tool, other) for other in registry.get(name))] += 1
    # Tools of the same names that take other parameters are those of another product.
    seen.foreign = fits[False] > fits[True]


def _is_apart(text: _Text, registry: "ToolRegistry") -> bool:
    """Return whether a text documents tools of its own alone: those of the project are none of its matter."""
    names = {*text.documented, *(call.tool for call in text.calls)}
    return bool(text.documented) and not any(registry.has(name) or registry.near(name) for name in names)
