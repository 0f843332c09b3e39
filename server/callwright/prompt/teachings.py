"""What a prompt teaches: the tools that it documents, with what it says of their parameters.

Owns: `teaching_of`. Must not know: rules, what is wrong with any of it.

A tool is documented by a heading, an entry of a list, a signature, a definition in JSON and some more; below it are its
parameters. What is found does not depend on how a document is cut into blocks: each line is judged by itself and kept
with its block, and the lines of a text are put together again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from callwright.declarations.documented_lines import Line, read_lines
from callwright.hosts.base import FlowHost
from callwright.hosts.support.managed import WORD
from callwright.prompt.listed_tools import listed_tools
from callwright.prompt.mentions import Mentions, mentions_in
from callwright.prompt.taught import PassagePlace, Section, TaughtTool, Teaching
from callwright.prompt.teaching_lines import Fold, without_claims
from callwright.text.budget import yield_point
from callwright.text.facts import derived
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.document.blocks import Block, ReadPassage
    from callwright.document.snapshot import Snapshot
    from callwright.hosts.base import Passage

#: What opens and closes a segment that is kept equal to the tools, whatever comments are like there.
_MANAGED: Final = re.compile(rf"(/?+){WORD}\b")
NOTHING: Final = Teaching()
#: The lines of one block, run by run with the passage that they are in.
_Runs = Sequence[tuple["Passage", Sequence[Line]]]


def teaching_of(snapshot: Snapshot, *, strangers: bool = False) -> Teaching:
    """Return what a document teaches about the tools of its registry; made once for a snapshot.

    Where no tool of the registry is documented, what looks like documentation of others is left out, unless these
    `strangers` are asked for.
    """
    registry = snapshot.registry
    if not registry.closed or not snapshot.blocks or _is_tool_file(snapshot):
        # A document that the tools come from is what others are compared with.
        return NOTHING
    mentions = mentions_in(snapshot)
    if not mentions.names:
        return NOTHING
    lines = mentions.outside and (strangers or mentions.documented)
    return _read(snapshot, mentions) if lines else _named(snapshot, mentions)


def _is_tool_file(snapshot: Snapshot) -> bool:
    return snapshot.is_own or (
        snapshot.path is not None and any(tool.origin.file == snapshot.path for tool in snapshot.registry)
    )


def _managed(snapshot: Snapshot) -> tuple[Span, ...]:
    """Return the segments between the markers of managed blocks; one that nothing closes continues to the end."""
    spans: list[Span] = []
    opened: int | None = None
    for start, block in zip(snapshot.starts, snapshot.blocks, strict=True):
        for at, opens in _markers_in(block, snapshot, start):
            if opens and opened is None:
                opened = start + at
            elif not opens and opened is not None:
                spans.append(Span(opened, start + at))
                opened = None
    if opened is not None:
        spans.append(Span(opened, len(snapshot.document)))
    return tuple(spans)


@derived
def _markers_in(block: Block, snapshot: Snapshot, start: int) -> list[tuple[int, bool]]:
    """Return where markers of managed blocks are in the block that begins at `start`, and whether each opens one."""
    text = snapshot.document.slice(start, start + block.length)
    return [(match.start(), not match[1]) for match in _MANAGED.finditer(text)] if WORD in text else []


@derived
def _named(snapshot: Snapshot, mentions: Mentions) -> Teaching:
    """Return what is taught where tools are called and not described: they are not documented."""
    managed = _managed(snapshot) if mentions.managed else ()
    return Teaching(named=mentions.names, generated=bool(managed), managed=managed)


@derived
def _read(snapshot: Snapshot, mentions: Mentions) -> Teaching:
    managed = _managed(snapshot) if mentions.managed else ()
    outside = Teaching(managed=managed)
    newline = snapshot.document.newline
    tools: list[TaughtTool] = []
    sections: dict[tuple[object, ...], Section] = {}
    generated = bool(managed)
    document = snapshot.document
    # What front matter lists is not documentation.
    listed = {document.line_at(each.span.start) for each in listed_tools(snapshot)}
    for number, text in enumerate(_texts(snapshot)):
        fold = Fold(snapshot.registry, number)
        for base, block_lines in text:
            for passage, own in block_lines:
                place = PassagePlace(passage, base, newline)
                near = bool(managed) and outside.is_near(place.raw(Span(0, len(passage.text))))
                for line in own:
                    yield_point()
                    if near and outside.is_managed(place.raw(Span(line.start, line.end)).start):
                        continue
                    if listed and document.line_at(place.raw(Span(line.start, line.end)).start) in listed:
                        continue
                    fold.take(line, place)
        fold.finish()
        tools += fold.tools
        sections |= fold.sections
        generated = generated or fold.generated
    return Teaching(tuple(tools), sections, mentions.names, generated, managed)


def _texts(snapshot: Snapshot) -> Iterator[list[tuple[int, _Runs]]]:
    """Yield the texts of a document: all blocks of a flow document are one, each passage of a record is its own."""
    flow = isinstance(snapshot.host, FlowHost)
    whole: list[tuple[int, _Runs]] = []
    for start, block in zip(snapshot.starts, snapshot.blocks, strict=True):
        runs = _lines_of(block)
        if not runs:
            continue
        if flow:
            whole.append((start, runs[0]))
            runs = runs[1:]
        for each in runs:
            yield [(start, each)]
    if whole:
        yield whole


@derived
def _lines_of(block: Block) -> list[_Runs]:
    """Return the lines of each text of a block; the versions of a template are one text."""
    texts: list[list[ReadPassage]] = []
    for read in block.passages:
        passage = read.passage
        if passage.calls is not None or passage.turn is not None:
            continue
        if passage.version is not None and passage.version.fresh is not None and texts:
            texts[-1].append(read)
        else:
            texts.append([read])
    return [_runs(versions) for versions in texts]


def _prose_lines(read: ReadPassage) -> Iterator[Line]:
    """Yield the lines of a passage; one that lies in a call says nothing but its text."""
    spans = sorted(found.call.span for found in read.calls)
    number = end = 0
    for line in read_lines(read.passage.text):
        yield_point()
        while number < len(spans) and spans[number].start <= line.at:
            end = max(end, spans[number].end)
            number += 1
        if line.at < end and line.kind not in ("blank", "fence"):
            line = Line(line.start, line.end, "text", line.indent, line.at)  # noqa: PLW2901 # the same line, bare
        yield line


def _runs(versions: Sequence[ReadPassage]) -> _Runs:
    """Return the lines of a text, each once, in the order of the document.

    Lines of two versions that begin at the same place are one that depends on a choice: it claims nothing.
    """
    first = versions[0]
    if len(versions) == 1:
        return [(first.passage, list(_prose_lines(first)))]
    found: dict[int, tuple[Passage, Line, Span]] = {}
    for read in versions:
        passage = read.passage
        for line in _prose_lines(read):
            if line.kind == "blank":
                continue
            raw = passage.projection.raw_span(Span(line.start, line.end))
            known = found.get(raw.start)
            if known is None:
                found[raw.start] = (passage, line, raw)
            elif known[2] != raw:
                found[raw.start] = (known[0], without_claims(known[1]), known[2])
    return [(passage, [line]) for _, (passage, line, _) in sorted(found.items())]
