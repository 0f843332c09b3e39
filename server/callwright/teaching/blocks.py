"""Managed blocks: segments of a prompt that are kept equal to the section that teaches its tools.

Owns: the markers, their options, where a block's text is, and what it should be. Must not know: rules, files, command
lines.

A block begins with a line that holds nothing but a comment `callwright:tools` with options, and ends with one that
holds `/callwright:tools`; the comments are those of HTML, Jinja, Handlebars, YAML and Python, or of the C family:

    <!-- callwright:tools dialect=xml-json style=terse only=read_file,write_file -->
    …
    <!-- /callwright:tools -->

Markers that are in a prompt have the block's text between them. Markers that are in the program or the data around
prompts have one string between them, whose whole text is the block's. Blank lines at the beginning and at the end of a
text, and the indentation of the first marker, are its author's and stay.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Final

from callwright.dialects.catalogue import dialect_names, find_dialect
from callwright.hosts.base import FlowHost
from callwright.hosts.support.managed import WORD
from callwright.prompt.mentions import mentions_in
from callwright.syntax.prose import fence_at, fence_closer, line_start, next_line
from callwright.teaching.section import FORMATS, STYLES, SectionOptions, section
from callwright.templates.catalogue import find_template
from callwright.templates.support.versions import layout_of
from callwright.text.facts import derived
from callwright.text.holes import has_hole
from callwright.text.line_ends import LINE_START
from callwright.text.lru import Kept
from callwright.text.span import Edit, Span
from callwright.tools.names import nearest

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot
    from callwright.hosts.base import Host, Passage
    from callwright.tools.model import ToolSchema
    from callwright.tools.registry import ToolRegistry

_MARKER: Final = re.compile(
    rf"{LINE_START}([ \t]*+)(?:<!--+|\{{#-?|\{{\{{!(?:--)?|/\*+|#+|//+)[ \t]*+(/?)"
    r"callwright:tools(?![\w:/-])([^\r\n]*+)",
    re.MULTILINE,
)
_FENCE: Final = re.compile(rf"{LINE_START}[ \t>]*+(?:```|~~~)", re.MULTILINE)
_FENCE_MARKERS: Final = ("```", "~~~")
_OPTION: Final = re.compile(r"""([\w-]++)(?:[ \t]*+=[ \t]*+("[^"]*+"|'[^']*+'|[^\s"']*+))?|\S+""")
_YES: Final = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}
_FLAGS: Final = ("several", "examples", "deprecated")
KEYS: Final = ("dialect", "style", "format", "only", "except", "level", *_FLAGS)

#: How many sections are remembered: a prompt is checked again at each keystroke.
_KEPT: Final = 8


@dataclass(frozen=True, slots=True)
class MarkerProblem:
    """What is wrong with a marker: the place in the document, the reason, the remedy, and an edit that fixes it."""

    span: Span
    reason: str
    remedy: str
    edit: Edit | None = None


@dataclass(frozen=True, slots=True)
class Options:
    """What a marker asks for; `None` and empty mean that it says nothing of the kind."""

    dialect: str | None = None
    style: str = "full"
    value_format: str = "markdown"
    only: tuple[str, ...] = ()
    other_than: tuple[str, ...] = ()
    level: int = 2
    several: bool = True
    examples: bool = True
    deprecated: bool = False


@dataclass(frozen=True, slots=True)
class ManagedBlock:
    """One block: its first marker's comment, its text as a model sees it, and how another text takes its place.

    `markdown` says whether code spans around it mean what Markdown says.
    `text` is None where there is not exactly one text between the markers; `problems` then says so.
    """

    marker: Span
    options: Options
    margin: str
    text: str | None
    markdown: bool
    write: Callable[[str], tuple[Edit, ...] | None]
    problems: Sequence[MarkerProblem] = ()


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a block's text should be, or why that is unknown."""

    text: str | None
    reason: str = ""
    remedy: str = ""


@dataclass(slots=True)
class _Marker:
    span: Span
    line: Span
    margin: str
    closes: bool
    options: str
    at: int


@derived
def managed_blocks(snapshot: Snapshot) -> tuple[list[ManagedBlock], list[MarkerProblem]]:
    """Return the blocks of a document in order, and what is wrong with markers that make none.

    A document without the markers' word costs one search of each new part of it.
    """
    if not mentions_in(snapshot).managed:
        return [], []
    finder = _Finder(snapshot)
    return finder.blocks, finder.problems


def wanted_text(block: ManagedBlock, registry: ToolRegistry, dialect: str | None) -> Wanted:
    """Return what a block's text should be; `dialect` is the one that the project asks for, None for none."""
    tools, missing = _chosen(block.options, registry)
    if missing:
        near = nearest(missing, registry.names)
        return Wanted(None, f"there is no tool `{missing}`", f"write `{near}`" if near else "correct the option `only`")
    if not tools:
        return Wanted(
            None,
            "there are no tools to teach here",
            "add their file to `tools` in callwright.toml, or select shipped tools with `only=…`",
        )
    own = {tool.dialect for tool in tools}
    name = block.options.dialect or dialect or (own.pop() if len(own) == 1 else None)
    if name is None:
        return Wanted(None, "the dialect of these tools is not known", "add `dialect=…` to the marker")
    text = _section(tuple(tools), name, block.options, markdown=block.markdown)
    return Wanted(_laid_out(text, block.text or "", block.margin))


def _chosen(options: Options, registry: ToolRegistry) -> tuple[list[ToolSchema], str]:
    """Return the tools that a marker asks for, the preferred one of each name, or a name that none has.

    Tools that are merely offered are taught only where they are asked for by name.
    """
    if not options.only and not registry.closed:
        return [], ""
    tools = [registry.get(name)[0] for name in registry.names]
    for pattern in options.only:
        if not any(fnmatchcase(tool.name, pattern) for tool in tools):
            return [], pattern
    if options.only:
        tools = [tool for tool in tools if any(fnmatchcase(tool.name, one) for one in options.only)]
    return [tool for tool in tools if not any(fnmatchcase(tool.name, one) for one in options.other_than)], ""


#: The sections that are remembered, with their tools: these keep their ids their own.
_sections: Final[Kept[tuple[Any, ...], tuple[tuple[ToolSchema, ...], str]]] = Kept(_KEPT, _KEPT)


def _section(tools: tuple[ToolSchema, ...], name: str, options: Options, *, markdown: bool) -> str:
    # Tools have no equality that is cheap; the same ones are the same objects while a project stays as it is.
    key = (tuple(map(id, tools)), name, options, markdown)
    known = _sections.get(key)
    if known is None:
        dialect = find_dialect(name)
        assert dialect is not None, "the name was checked"
        text = section(
            dialect,
            tools,
            SectionOptions(
                style=options.style,  # type: ignore[arg-type] # checked when the marker was read
                value_format=options.value_format,  # type: ignore[arg-type]
                several=options.several,
                heading_level=options.level,
                examples=options.examples,
                deprecated=options.deprecated,
                masked=markdown,
            ),
        )
        known = _sections.keep(key, (tools, text))
    return known[1]


def _laid_out(text: str, before: str, margin: str) -> str:
    """Return a section in the place of the text `before`: its blank edges and its indentation stay."""
    lines = [margin + line if line else line for line in text.strip("\n").split("\n")]
    lead = before[: len(before) - len(before.lstrip("\n"))]
    tail = before[len(before.rstrip("\n")) :] if before.strip("\n") else "\n"
    if not before.strip():
        # Nothing is there yet.
        lead = "" if before.count("\n") < 2 else "\n"
        tail = lead + "\n"
    return lead + "\n".join(lines) + tail


class _Finder:
    """Finds the blocks of one document."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.blocks: list[ManagedBlock] = []
        self.problems: list[MarkerProblem] = []
        self._snapshot = snapshot
        self._text = snapshot.document.text()
        host = snapshot.host
        self._flow = isinstance(host, FlowHost)
        self._passages = [] if self._flow else list(self._texts())
        markers = list(_markers(self._text, fences=_is_markdown(host)))
        # What is in a text belongs to that text's own lines, which may be others than those of the document.
        free = [marker for marker in markers if not any(_lies_in(marker.span, _raw(one)) for one in self._passages)]
        for opener, closer in self._pairs(free):
            self.blocks.append(self._in_document(opener, closer))
        seen: list[Span] = []
        for passage in self._passages:
            self._in_passage(passage, [marker for marker in markers if marker not in free], seen)
        self.blocks.sort(key=lambda block: block.marker)

    def _texts(self) -> Iterator[Passage]:
        """Yield the texts of a record, with projections onto the document, outer ones first."""
        from callwright.document.blocks import placed_passage

        for start, block in zip(self._snapshot.starts, self._snapshot.blocks, strict=True):
            for read in block.passages:
                if read.passage.calls is None:
                    yield placed_passage(read.passage, start)

    def _pairs(
        self, markers: Sequence[_Marker], move: Callable[[Span], Span] = lambda span: span
    ) -> Iterator[tuple[_Marker, _Marker]]:
        """Yield markers that belong together; note those that are alone, with their places moved to the document."""
        opener: _Marker | None = None
        for marker in markers:
            if marker.closes and opener is None:
                self.problems.append(
                    MarkerProblem(
                        move(marker.span),
                        f"the block that ends here has no `{WORD}`",
                        "add one above it, or remove it",
                    )
                )
            elif marker.closes and opener is not None:
                yield opener, marker
                opener = None
            else:
                if opener is not None:
                    self._alone(move(opener.span))
                opener = marker
        if opener is not None:
            self._alone(move(opener.span))

    def _alone(self, span: Span) -> None:
        reason = "the block that begins here is never closed"
        self.problems.append(MarkerProblem(span, reason, f"add a line with the comment `/{WORD}` after it"))

    def _in_document(self, opener: _Marker, closer: _Marker) -> ManagedBlock:
        """Return the block between two markers that are in the document as it is."""
        options, problems = _read_options(opener, lambda span: span)
        between = Span(_after(self._text, opener.line.end), closer.line.start)
        text: str | None
        if self._flow:
            text, write = self._flowing(between)
            return ManagedBlock(
                opener.span, options, opener.margin, text, _is_markdown(self._snapshot.host), write, problems
            )
        inside = [one for one in self._passages if one.version is None or one.version.fresh is None]
        inside = [one for one in inside if _lies_in(_raw(one), between)]
        outer = [one for one in inside if not any(other is not one and _holds(other, one) for other in inside)]
        if len(outer) != 1:
            count = "there is no text" if not outer else "there is more than one text"
            remedy = "put the markers around one string, or inside it"
            problems = [*problems, MarkerProblem(opener.span, f"{count} between the markers", remedy)]
            return ManagedBlock(opener.span, options, "", None, True, lambda _: None, problems)
        (passage,) = outer
        margin, write = _indentation(passage.text), _writer(passage, Span(0, len(passage.text)))
        return ManagedBlock(opener.span, options, margin, passage.text, passage.markdown, write, problems)

    def _flowing(self, between: Span) -> tuple[str, Callable[[str], tuple[Edit, ...] | None]]:
        """Return the text of a segment of a document that is text itself, and how another one is written."""
        raw = between.of(self._text)
        template = find_template(self._snapshot.template) if self._snapshot.template is not None else None
        if template is None:
            return raw.replace("\r\n", "\n").replace("\r", "\n"), lambda text: (Edit(between, text),)
        language = template

        def decoded(text: str) -> str:
            return layout_of(text, language).projection(0).text

        before = decoded(raw)

        def write(text: str) -> tuple[Edit, ...] | None:
            escaped = language.escape(text)
            # An author's expression is not thrown away.
            return (Edit(between, escaped),) if decoded(escaped) == text and not has_hole(before) else None

        return before.replace("\r\n", "\n").replace("\r", "\n"), write

    def _in_passage(self, passage: Passage, markers: Sequence[_Marker], seen: list[Span]) -> None:
        """Find the blocks in a text of a record; `seen` are the markers that were found in texts around it."""

        def move(span: Span) -> Span:
            return passage.projection.raw_span(span)

        def unseen(span: Span) -> bool:
            return not any(one.touches(span) for one in seen)

        own = _markers(passage.text, fences=passage.markdown) if WORD in passage.text else ()
        shown = [marker for marker in own if unseen(move(marker.span))]
        for opener, closer in self._pairs(shown, move):
            inner = Span(_after(passage.text, opener.line.end), closer.line.start)
            self._take(passage, inner, opener, move)
        # A template's own comments are not part of the text.
        hidden = [marker for marker in markers if _lies_in(marker.span, _raw(passage)) and unseen(marker.span)]
        taken = [move(marker.span) for marker in shown]
        hidden = [marker for marker in hidden if not any(one.touches(marker.span) for one in taken)]
        for opener, closer in self._pairs(hidden):
            start = passage.projection.to_decoded(opener.span.end)
            end = passage.projection.to_decoded(closer.span.start)
            if start is not None and end is not None and start < end:
                inner = Span(_after(passage.text, start), line_start(passage.text, end))
                self._take(passage, inner, opener, lambda span: span)
        seen += taken + [marker.span for marker in hidden]

    def _take(self, passage: Passage, inner: Span, opener: _Marker, move: Callable[[Span], Span]) -> None:
        options, problems = _read_options(opener, move)
        text, write = inner.of(passage.text), _writer(passage, inner)
        marker = move(opener.span)
        self.blocks.append(ManagedBlock(marker, options, opener.margin, text, passage.markdown, write, problems))


def _without_end(stated: str) -> str:
    """Return what is in a comment, up to where the comment ends, without the white space in front of that."""
    stated = stated.rstrip(" \t")
    if stated.endswith("-->"):
        stated = stated[:-1].rstrip("-")
    elif stated.endswith("*/"):
        stated = stated[:-1].rstrip("*")
    else:
        for end in ("-#}", "#}", "--}}", "}}"):
            if stated.endswith(end):
                stated = stated.removesuffix(end)
                break
    return stated.rstrip(" \t")


def _is_markdown(host: Host) -> bool:
    return isinstance(host, FlowHost) and host.markdown


def _markers(text: str, *, fences: bool) -> Iterator[_Marker]:
    """Yield the markers of a text in order; with `fences`, none begins a block inside of a fenced one."""
    at = 0
    inside = False
    beginning = dict.fromkeys(_FENCE_MARKERS, -1)
    while (match := next_line(text, at, len(text), _MARKER, WORD)) is not None:
        if fences and not inside:
            fence = _next_fence(text, at, match.start(), beginning)
            if fence is not None:
                opened = fence_at(text, fence.start())
                if opened is None:
                    at = fence.end()
                    continue
                closer = fence_closer(opened.char, opened.length)
                closed = next_line(text, opened.content, len(text), closer, opened.char * 3)
                at = closed.end() if closed is not None else len(text)
                continue
        closes = bool(match[2])
        yield _Marker(
            Span(match.start() + len(match[1]), match.end()),
            Span(match.start(), match.end()),
            match[1],
            closes,
            _without_end(match[3]),
            match.start(3),
        )
        inside = not closes
        at = match.end()


def _next_fence(text: str, at: int, end: int, beginning: dict[str, int]) -> re.Match[str] | None:
    """Return the first line between two places that begins as one of a fence; where lines of each kind begin is
    remembered, so that each is sought once."""
    for marker in _FENCE_MARKERS:
        if beginning[marker] < at:
            found = next_line(text, at, len(text), _FENCE, marker)
            beginning[marker] = len(text) if found is None else found.start()
    first = min(beginning.values())
    return _FENCE.match(text, first) if first < end else None


def _read_options(marker: _Marker, move: Callable[[Span], Span]) -> tuple[Options, list[MarkerProblem]]:
    """Return what a marker asks for, and what it asks for that there is not."""
    reader = _OptionReader(marker, move)
    for match in _OPTION.finditer(marker.options):
        reader.take(match)
    return Options(**reader.stated), reader.problems


@dataclass(slots=True)
class _OptionReader:
    marker: _Marker
    move: Callable[[Span], Span]
    stated: dict[str, Any] = field(default_factory=dict)
    problems: list[MarkerProblem] = field(default_factory=list)

    def take(self, match: re.Match[str]) -> None:
        """Take one option."""
        key, value = match[1], (match[2] or "").strip("\"'")
        if key not in KEYS:
            self._note(
                match, 1 if key else 0, key or match[0], KEYS, f"`{key or match[0]}` is not an option of this marker"
            )
        elif key == "dialect":
            self._choice(match, "dialect", value, dialect_names())
        elif key == "style":
            self._choice(match, "style", value, STYLES)
        elif key == "format":
            self._choice(match, "notation", value, FORMATS)
        elif key in ("only", "except"):
            names = tuple(name for name in re.split(r"[,\s]+", value) if name)
            self.stated["only" if key == "only" else "other_than"] = names
            if not names:
                self._note(match, 1, "", (), f"`{key}` names no tools")
        elif key == "level":
            if value.isascii() and value.isdigit() and int(value[:3]) <= 5:
                self.stated["level"] = int(value)
            else:
                self._note(match, 2 if match[2] else 1, "", (), "`level` must be a number from 0 to 5")
        elif value.lower() in _YES:
            self.stated[key] = _YES[value.lower()]
        else:
            self._note(match, 2 if match[2] else 1, "", ("yes", "no"), f"`{key}` must be `yes` or `no`")

    def _choice(self, match: re.Match[str], name: str, value: str, known: Sequence[str]) -> None:
        if value in known:
            self.stated[name] = value
        else:
            self._note(match, 2 if match[2] else 1, value, known, f"`{value}` is not a {match[1]}")

    def _note(self, match: re.Match[str], group: int, stated: str, known: Sequence[str], reason: str) -> None:
        near = nearest(stated, known) if stated else None
        start, end = match.span(group)
        span = self.move(Span(self.marker.at + start, self.marker.at + end))
        listed = ", ".join(f"`{one}`" for one in known[:40])
        remedy = f"write `{near}`" if near else f"write one of {listed}" if known else "correct it"
        self.problems.append(MarkerProblem(span, reason, remedy, Edit(span, near) if near else None))


def _raw(passage: Passage) -> Span:
    return passage.projection.raw_span(Span(0, len(passage.text)))


def _writer(passage: Passage, span: Span) -> Callable[[str], tuple[Edit, ...] | None]:
    def write(text: str) -> tuple[Edit, ...] | None:
        edit = passage.projection.encode(Edit(span, text))
        return None if edit is None else (edit,)

    return write


def _lies_in(inner: Span, outer: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def _holds(outer: Passage, inner: Passage) -> bool:
    """Return whether one text lies in another that is longer."""
    around, within = _raw(outer), _raw(inner)
    return around != within and _lies_in(within, around)


def _after(text: str, end: int) -> int:
    """Return where the line begins that follows a line's end."""
    if text[end : end + 2] == "\r\n":
        return end + 2
    return min(end + 1, len(text))


def _indentation(text: str) -> str:
    """Return what all lines of a text that hold something begin with."""
    margins = [line[: len(line) - len(line.lstrip(" \t"))] for line in text.split("\n") if line.strip()]
    return min(margins, key=len, default="")
