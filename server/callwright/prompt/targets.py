"""What is named at a place: by a call, a definition, front matter or prose.

Owns: `target_at`, `declared_at`, `listed_at`. Must not know: where else it is named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from callwright.calls.model import NATIVE
from callwright.document.blocks import PlacedCall, shifted
from callwright.prompt.definition_names import Definitions, definitions_in, definitions_of_transcript, named_in
from callwright.prompt.listed_tools import listed_tools
from callwright.prompt.named import Kind, Occurrence, Target, Uncertainty, member_paths
from callwright.prompt.occurrences import argument_occurrence, call_occurrence, listed_occurrence, occurrences
from callwright.tools.property_places import names_of

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot
    from callwright.tools.model import ToolSchema


def listed_at(snapshot: Snapshot, offset: int) -> tuple[Target, Occurrence] | None:
    """Return the tool that front matter lists at an offset; None where no registry has it."""
    for listed in listed_tools(snapshot):
        for each in (listed, listed.as_whole()):
            tool = _own(snapshot, each.name, None) if each.span.start <= offset <= each.span.end else None
            if tool is not None:
                return Target(each.name, (), tool), listed_occurrence(each)
    return None


def target_at(snapshot: Snapshot, offset: int) -> tuple[Target, Occurrence] | None:
    """Return what is named at an offset of the document, with the very place; None where no tool or parameter is."""
    if snapshot.host.holds == "configuration" or not snapshot.blocks:
        return None
    is_file = snapshot.host.holds == "tools"
    for placed in () if is_file else _calls_near(snapshot, offset):
        found = _called_at(placed, offset)
        if found is not None:
            return found
    return _named_at(snapshot, offset) or (
        None if is_file else listed_at(snapshot, offset) or _stated_at(snapshot, offset)
    )


def declared_at(snapshot: Snapshot, offset: int) -> tuple[Target, Occurrence] | None:
    """Return what a declaration of a document with calls defines at an offset; None where it is no such name."""
    found = _named_at(snapshot, offset) if snapshot.host.holds == "calls" and snapshot.blocks else None
    return found if found is not None and found[1].kind is Kind.DEFINITION else None


def _named_at(snapshot: Snapshot, offset: int) -> tuple[Target, Occurrence] | None:
    return next(filter(None, (_defined_at(source, offset) for source in definitions_in(snapshot))), None)


def _calls_near(snapshot: Snapshot, offset: int) -> Iterator[PlacedCall]:
    """Yield the calls of the block around an offset whose name or arguments may be there."""
    place = snapshot.block_at(offset)
    if place is None:
        return
    block, start = place
    for read in block.passages:
        for found in read.calls:
            placed = PlacedCall(found, read, start, snapshot)
            call = found.call
            native = call.dialect == NATIVE
            parts = (*call.name_spans, call.body) if native else (call.span,)
            spans = (placed.raw_span(span) for span in parts)
            if any(span.start <= offset <= span.end for span in spans):
                yield placed


def _called_at(placed: PlacedCall, offset: int) -> tuple[Target, Occurrence] | None:
    call = placed.call
    if call.tool is None or call.details.get("hosted"):
        return None
    binding = placed.binding
    tool = _own(placed.snapshot, call.tool, binding.tool)
    named = call_occurrence(placed, Uncertainty.NONE)
    if _is_at(named, offset) and not named.reason:
        return Target(call.tool, (), tool), named
    for path in member_paths(binding.value):
        argument = argument_occurrence(placed, binding, path, Uncertainty.NONE)
        if not argument.reason and _is_at(argument, offset):
            return Target(call.tool, names_of(path), tool), argument
    return None


def _is_at(occurrence: Occurrence, offset: int) -> bool:
    return any(span.start <= offset <= span.end for span in occurrence.spans)


def _defined_at(source: Definitions, offset: int) -> tuple[Target, Occurrence] | None:
    """Return what definitions name at an offset: a tool, or a property of one."""
    for definition in source.definitions:
        around = source.around(definition)
        if around.start <= offset <= around.end:
            for target, each in named_in(source, definition):
                if _is_at(each, offset) and not each.reason:
                    return target, each
    return None


def _stated_at(snapshot: Snapshot, offset: int) -> tuple[Target, Occurrence] | None:
    """Return the tool that a result, a definition in a transcript, or prose names at an offset."""
    place = snapshot.block_at(offset)
    if place is None:
        return None
    block, start = place
    for part in block.transcripts:
        if part.tools is not None:
            found = _defined_at(definitions_of_transcript(part.tools, shifted(part.projection, start)), offset)
            if found is not None:
                return _known(snapshot, *found)
    word = _word_at(snapshot, offset)
    if word is None:
        return None
    tool = _own(snapshot, word, None)
    if tool is None:
        results = [
            result.tool for part in block.transcripts for turn in part.turns for result in turn.results if result.tool
        ]
        if word not in results:
            return None
    target = Target(word, (), tool)
    at = next((each for each in occurrences(snapshot, target) if _is_at(each, offset)), None)
    return (target, at) if at is not None else None


def _known(snapshot: Snapshot, target: Target, occurrence: Occurrence) -> tuple[Target, Occurrence]:
    """Return a target that a transcript defines as the project's own, where it has one of that name."""
    return Target(target.name, target.path, _own(snapshot, target.name, None)), occurrence


def _own(snapshot: Snapshot, name: str, tool: ToolSchema | None) -> ToolSchema | None:
    """Return a tool that a file defines: of one that a transcript carries, the project's tool of that name."""
    if tool is not None and tool.origin.file is not None:
        return tool
    return next(iter(snapshot.registry.get(name)), None)


def _word_at(snapshot: Snapshot, offset: int) -> str | None:
    """Return the word around an offset, as it is in the document."""
    low = max(0, offset - 200)
    text = snapshot.document.slice(low, min(len(snapshot.document), offset + 200))
    for match in re.finditer(r"[\w.:/-]++", text):
        if match.start() <= offset - low <= match.end():
            return match[0].strip(".:/-")
    return None
