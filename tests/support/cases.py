"""Cases: annotated sources, and Markdown files of prose and fences that hold what is expected.

Owns: the form of annotation lines, the comparison of marks with diagnostics, reading and rewriting case files. Must not
know: readers, rules, features (the caller passes the functions that produce its outputs).

An annotation line holds only spaces, carets, a code and, if wanted, a message in double quotes. It is taken out before
the source is read. Its carets mark `[start, end)` on the source line right above it. Several annotation lines may
follow one source line. A place between two characters is marked by one caret on the character after it. A span over
several lines is marked from its start to the end of its first line. `‸` is the cursor and is taken out too.

A case file is Markdown. A case is a fence called `source` and the fences after it, up to the next `source` or heading;
its name is the nearest heading above. Words in a fence's info string say more: ```` ```source dialect=xml-json ````.
These are understood here, all others belong to the caller: `newline=crlf|cr` joins the lines of the source otherwise,
`end=newline` ends it with a line end, `bom` begins it with a byte order mark, and `holes` turns each `{{…}}` into a
hole of the same length.

A fence called `tools` expects nothing: it holds tool definitions for the cases below the same heading, in JSON, or as
the file named by `path=` has them. One below the file's own heading (`#`) is for all its cases that have none of their
own.
"""

import difflib
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple, Protocol

from callwright.text.holes import HOLE
from callwright.text.span import Span

CURSOR = "‸"
SOURCE = "source"
#: Fences that say what a case is read with.
GIVEN = frozenset({"tools"})

_ANNOTATION = re.compile(r'( *+)(\^++) +([A-Za-z][\w-]*+)(?: "(.*)")? *')
_LINE_END = re.compile(r"\r\n|\r|\n")
_FENCE = re.compile(r"(`{3,}+|~{3,}+)(.*)")
_HEADING = re.compile(r"(#{1,6}) +(.*)")
_TEMPLATE = re.compile(r"\{\{[^{}]*+\}\}")
_NEWLINES = {"lf": "\n", "crlf": "\r\n", "cr": "\r"}


class Marker(NamedTuple):
    """One expected diagnostic: where it begins, how many carets mark it, its code, and its message where one is
    quoted."""

    start: int
    width: int
    code: str
    message: str | None


class FoundDiagnostic(NamedTuple):
    """One diagnostic as it is compared with marks; `span` is in code points of the source."""

    code: str
    span: Span
    message: str


class HasDiagnostic(Protocol):
    """What a diagnostic has that is compared."""

    @property
    def code(self) -> str:
        """The rule's code."""

    @property
    def span(self) -> Span:
        """Where it is, in code points."""

    @property
    def message(self) -> str:
        """What is wrong."""


class Annotated(NamedTuple):
    """A source without its annotation lines, and what they expect."""

    source: str
    markers: list[Marker]


def diagnostics_of(diagnostics: Iterable[HasDiagnostic]) -> list[FoundDiagnostic]:
    """Return diagnostics as they are compared with marks."""
    return [FoundDiagnostic(each.code, each.span, each.message) for each in diagnostics]


def annotated(text: str, newline: str = "\n") -> Annotated:
    """Take the annotation lines out of `text`, whose lines end in LF; the source's own end in `newline`.

    Raises ValueError where an annotation has no source line above it.
    """
    lines: list[str] = []
    markers: list[Marker] = []
    start = -1
    for line in text.split("\n"):
        match = _ANNOTATION.fullmatch(line)
        if match is None:
            start = sum(map(len, lines)) + len(newline) * len(lines)
            lines.append(line)
        elif start < 0:
            raise ValueError(f"there is no source line above the annotation {line.strip()!r}")
        else:
            markers.append(Marker(start + len(match[1]), len(match[2]), match[3], match[4]))
    return Annotated(newline.join(lines), markers)


def marker_of(source: str, diagnostic: FoundDiagnostic) -> Marker:
    """Return how a diagnostic is marked."""
    start, end = diagnostic.span
    line_end = _LINE_END.search(source, start)
    last = min(end, line_end.start() if line_end is not None else len(source))
    return Marker(start, max(last - start, 1), diagnostic.code, diagnostic.message)


def annotate(source: str, reported_diagnostics: Iterable[FoundDiagnostic]) -> str:
    """Return the source with an annotation line for each diagnostic; its lines end in LF, whatever they ended in."""
    waiting = sorted(marker_of(source, diagnostic) for diagnostic in reported_diagnostics)
    out: list[str] = []
    at = 0
    for end in [*_LINE_END.finditer(source), None]:
        stop = end.start() if end is not None else len(source)
        after = end.end() if end is not None else len(source) + 1
        out.append(source[at:stop])
        while waiting and waiting[0].start < after:
            marker = waiting.pop(0)
            out.append(f'{" " * (marker.start - at)}{"^" * marker.width} {marker.code} "{marker.message}"')
        at = after
    return "\n".join(out)


def differences(source: str, expected: Iterable[Marker], reported_diagnostics: Iterable[FoundDiagnostic]) -> str:
    """Return in words what is expected and not found, and what is found and not expected; empty where all agree.

    A mark without a message agrees with any message. Each diagnostic agrees with one mark at most.
    """
    found = [marker_of(source, diagnostic) for diagnostic in reported_diagnostics]
    missed: list[Marker] = []
    # Marks that quote a message choose first, so that one without a message does not take their diagnostic.
    for marker in sorted(expected, key=lambda marker: marker.message is None):
        match = next(
            (other for other in found if other[:3] == marker[:3] and marker.message in (None, other.message)), None
        )
        if match is None:
            missed.append(marker)
        else:
            found.remove(match)
    parts = [f"expected, not found: {_shown(source, marker)}" for marker in sorted(missed)]
    parts += [f"found, not expected: {_shown(source, marker)}" for marker in sorted(found)]
    return "\n".join(parts)


def _shown(source: str, marker: Marker) -> str:
    before = source[: marker.start]
    line = len(_LINE_END.findall(before)) + 1
    column = marker.start - max(before.rfind("\n"), before.rfind("\r"))
    covered = source[marker.start : marker.start + marker.width]
    message = "" if marker.message is None else f' "{marker.message}"'
    return f"{line}:{column} {marker.code} on {covered!r}{message}"


@dataclass(frozen=True, slots=True)
class Fence:
    """One fence of a case file: its name, the words of its info string, its body, and its lines in the file.

    `about` is what is after the name, whole; `info` has its words, `a=b` as a pair. `first` and `last` are the indexes
    of the body's first line and of the closing fence's.
    """

    name: str
    about: str
    info: Mapping[str, str]
    body: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Case:
    """One case: the source, the outputs that are expected of it, and what is given to read it with."""

    file: Path
    title: str
    source_fence: Fence
    expected: Sequence[Fence]
    given: Mapping[str, Fence] = field(default_factory=dict)

    @property
    def info(self) -> Mapping[str, str]:
        """The words that the source's fence was opened with."""
        return self.source_fence.info

    @property
    def text(self) -> str:
        """The source with line ends and holes as the fence asks for them; the cursor is still in it."""
        newline = _NEWLINES[self.info.get("newline", "lf")]
        text = self.source_fence.body.replace("\n", newline)
        if self.info.get("end") == "newline":
            text += newline
        if "bom" in self.info:
            text = "\ufeff" + text
        if "holes" in self.info:
            text = _TEMPLATE.sub(lambda match: HOLE * len(match[0]), text)
        return text

    @property
    def source(self) -> str:
        """The text that is read."""
        return self.text.replace(CURSOR, "")

    @property
    def cursor(self) -> int:
        """The offset of the cursor in the source. Raises ValueError where there is none."""
        return self.text.index(CURSOR)

    def __str__(self) -> str:
        return f"{self.file.stem}: {self.title}"


#: What produces an output: given the case and the fence that holds what is expected.
Producer = Callable[[Case, Fence], str]


def load_cases(*places: Path) -> list[Case]:
    """Return the cases of files and of all Markdown files in folders, in order."""
    files = [file for place in places for file in (sorted(place.rglob("*.md")) if place.is_dir() else [place])]
    cases = [case for file in files for case in read_cases(file, file.read_text(encoding="utf-8"))]
    assert cases, f"there are no cases in {', '.join(map(str, places))}"
    return cases


def read_cases(file: Path, text: str) -> list[Case]:
    """Return the cases of one file's text.

    Raises ValueError where a fence is never closed, or expects something and has no source.
    """
    cases: list[Case] = []
    title = file.stem
    lines = text.split("\n")
    level = 1
    open_case = False
    everywhere: dict[str, Fence] = {}
    given: dict[str, Fence] = {}
    at = 0
    while at < len(lines):
        heading, opening = _HEADING.fullmatch(lines[at]), _FENCE.fullmatch(lines[at])
        at += 1
        if heading is not None:
            level, title = len(heading[1]), heading[2].strip()
            open_case, given = False, {}
        if opening is None:
            continue
        fence = _read_fence(file, lines, at, opening)
        at = fence.last + 1
        if fence.name in GIVEN:
            (everywhere if level == 1 else given)[fence.name] = fence
        elif fence.name == SOURCE:
            cases.append(Case(file, title, fence, [], {**everywhere, **given}))
            open_case = True
        elif open_case:
            cases[-1] = replace(cases[-1], expected=[*cases[-1].expected, fence])
        else:
            raise ValueError(f"{file}:{fence.first}: the fence `{fence.name}` has no `source` above it")
    return cases


def _read_fence(file: Path, lines: list[str], first: int, opening: re.Match[str]) -> Fence:
    """Return the fence whose body begins at line `first`."""
    closer = re.compile(rf"{re.escape(opening[1])}{re.escape(opening[1][0])}* *")
    last = first
    while last < len(lines) and closer.fullmatch(lines[last]) is None:
        last += 1
    if last == len(lines):
        raise ValueError(f"{file}:{first}: this fence is never closed")
    name, _, about = opening[2].strip().partition(" ")
    info = dict((*word.split("=", 1), "yes")[:2] for word in about.split())
    return Fence(name, about.strip(), info, "\n".join(lines[first:last]), first, last)


@dataclass(slots=True)
class Outputs:
    """The outputs of a case's run; with `update`, files are rewritten where it differs from what they expect."""

    producers: Mapping[str, Producer]
    update: bool = False
    _moved: dict[Path, list[tuple[int, int]]] = field(default_factory=dict)

    def check(self, case: Case) -> None:
        """Compare each expected output with what is produced; fail with a readable difference."""
        assert case.expected, f"{case} expects nothing"
        for fence in case.expected:
            producer = self.producers.get(fence.name)
            assert producer is not None, f"{case}: nothing here produces `{fence.name}`; there are {[*self.producers]}"
            actual = producer(case, fence)
            failure = _compare(case, fence, actual)
            if failure and self.update:
                self._rewrite(case.file, fence, actual)
            else:
                assert not failure, f"{case.file}:{fence.first}: `{fence.name}` of {case.title!r}\n{failure}"

    def _rewrite(self, file: Path, fence: Fence, actual: str) -> None:
        """Put what was produced into the file; earlier rewritings may have moved the fence."""
        moved = self._moved.setdefault(file, [])
        by = sum(lines for place, lines in moved if place < fence.first)
        lines = file.read_text(encoding="utf-8").split("\n")
        new = actual.split("\n")
        lines[fence.first + by : fence.last + by] = new
        moved.append((fence.first, len(new) - (fence.last - fence.first)))
        file.write_text("\n".join(lines), encoding="utf-8", newline="\n")


def _compare(case: Case, fence: Fence, actual: str) -> str:
    """Return in words how an output differs; annotations are compared one by one, all else line by line."""
    if fence.body == actual:
        return ""
    wanted, got = annotated(fence.body), annotated(actual)
    if wanted.source == got.source and got.markers:
        found = [
            FoundDiagnostic(marker.code, Span(marker.start, marker.start + marker.width), marker.message or "")
            for marker in got.markers
        ]
        return differences(got.source, wanted.markers, found)
    return "\n".join(difflib.unified_diff(fence.body.split("\n"), actual.split("\n"), "expected", "found", lineterm=""))


def may_update(asked: bool) -> bool:
    """Return whether case files may be rewritten; in CI they never are. Raises ValueError where that is asked for."""
    if asked and os.environ.get("CI"):
        raise ValueError("--update-cases rewrites what is expected, so it is refused in CI")
    return asked
