"""Suspect turns: the diagnostics of a record that may have errors in some turns only.

Owns: locating these turns in the text of the record, and reading them closely. Must not know: how they became suspect,
files, output.

Only these are read again, so that a fault in a long conversation costs what its turn costs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from callwright.corpus.written import written_in
from callwright.document.blocks import ReadPassage, read_passages
from callwright.document.reader import FoundCall, read_segment
from callwright.hosts.support.transcript import turn_passages
from callwright.lint.passages import check_read
from callwright.lint.placing import diagnostic_order, placed, projected
from callwright.syntax.json import read_json
from callwright.syntax.json_views import JsonView
from callwright.text.projection import Identity
from callwright.transcripts.catalogue import find_shape

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callwright.calls.model import ToolCall
    from callwright.calls.turns import Turn
    from callwright.document.settings import Settings
    from callwright.fastpath.quick import SuspectParts
    from callwright.rules.base import Diagnostic
    from callwright.syntax.json import JsonRead
    from callwright.text.span import Span


@dataclass(slots=True)
class SuspectTurn:
    """A turn of a record, read closely and alone.

    `path` leads to its message, whose `text` begins at `start` in that of the record, and is `read` as JSON. What is
    `found`, and where its `calls` are, a native one with all of its entry, are offsets of `text`.
    """

    path: tuple[str | int, ...]
    start: int
    text: str
    read: JsonRead
    found: list[Diagnostic]
    calls: list[tuple[Span, ToolCall]]


def diagnostics_of_suspect_turns(text: str, suspect: SuspectParts, settings: Settings) -> list[Diagnostic] | None:
    """Return the diagnostics in the turns of a record that are suspect, in the order of the text and offsets of it.

    None where the whole record has to be read: the quick scan cannot locate a turn, or what is found in one may affect
    what is after it.
    """
    turns = suspect_turns(text, suspect, settings)
    if turns is None:
        return None
    return [placed(each, turn.start, "\n") for turn in turns for each in turn.found]


def suspect_turns(text: str, suspect: SuspectParts, settings: Settings) -> list[SuspectTurn] | None:
    """Return the turns of a record in which anything is found; None as `diagnostics_of_suspect_turns` does."""
    reported: list[SuspectTurn] = []
    for number, part in zip(suspect.numbers, suspect.parts, strict=True):
        turn = _turn(text, part, (suspect.key, number), suspect, settings)
        if turn is None or (turn.found and reported):
            # Several calls may have failed in a row.
            return None
        if turn.found:
            reported.append(turn)
    return reported


def _turn(
    text: str, part: Any, path: tuple[str | int, ...], suspect: SuspectParts, settings: Settings
) -> SuspectTurn | None:
    found_at = written_in(text, part)
    if found_at is None or text.find(found_at[1], found_at[0] + 1) >= 0:
        return None
    at, own = found_at
    read = read_json(own)
    shape = find_shape(suspect.shape)
    assert shape is not None, "suspect parts name their shape"
    # Beside a turn that calls there may be one with the results, which are known to be in order.
    turns = [turn for turn in shape.turns(JsonView.of(read)) if turn.calls or not suspect.native]
    if len(turns) != 1:
        return None
    if suspect.native:
        # The text of the turn is known to hold no call.
        turns[0].texts.clear()
    found: list[Diagnostic] = []
    calls: list[tuple[Span, ToolCall]] = []
    for passage in _passages(turns[0], own, read, suspect):
        projection = passage.passage.projection
        for each in passage.calls:
            native = each.call.details.get("native")
            calls.append((projection.raw_span(each.call.span) if native is None else native.place.span, each.call))
        found += [projected(each, projection) for each in check_read(passage, suspect.tools.registry, settings)]
    if found and len(calls) > 1 and not suspect.native:
        return None
    if any(each.needs is not None for each in found):
        # Whether it is shown depends on the whole record.
        return None
    return SuspectTurn(path, at, own, read, sorted(found, key=diagnostic_order), calls)


def _passages(turn: Turn, text: str, read: Any, suspect: SuspectParts) -> Iterator[ReadPassage]:
    for passage in turn_passages(turn, text, read, Identity(0, len(text))):
        if passage.calls is not None:
            yield ReadPassage(passage, [FoundCall(call) for call in passage.calls], [*passage.problems])
        else:
            segment = read_segment(passage.text, suspect.tools.context, markdown=passage.markdown)
            yield from read_passages(passage, segment)
