"""Code lenses: the outcome on each turn of a transcript, and what can be done about a call.

Owns: `textDocument/codeLens`. Must not know: how an outcome is found, commands, positions.

A document beyond the outline's length has none: they are asked for after every edit. The text of a lens is known once
it is placed, so none is resolved later. Feedback is offered for what a model wrote: a transcript, a reply
(`*.toolcall`, or `placeholders = false`); an invalid example in a prompt has diagnostics, but no model to inform.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from callwright.features.base import Edge, Feature, Request, by_kind, no_answer
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot
    from callwright.features.support.outline import CallPart
    from callwright.features.support.turn_outcomes import TurnOutcome


_FEEDBACK: Final = "callwright.feedback"
_CONVERT: Final = "callwright.convert"
#: The editor's settings for the kinds of lenses, by their commands.
SETTINGS: Final = {"": "codeLens.outcomes", _FEEDBACK: "codeLens.feedback", _CONVERT: "codeLens.convert"}


@dataclass(frozen=True, slots=True)
class Lens:
    """A lens above a line: its text, and the command that it runs, none where it only shows text.

    The command is given the document, the place, and `more`.
    """

    span: Span
    title: str
    command: str = ""
    more: tuple[Any, ...] = ()


def _of_text(snapshot: Snapshot, request: Request) -> list[Lens] | None:
    """Return the lenses in the order of the text; None where the document is too long."""
    from callwright.features.support.outline import MAX_LENGTH

    if len(snapshot.document) > MAX_LENGTH:
        return None
    is_transcript = any(block.transcripts for block in snapshot.blocks)
    found = _of_turns(snapshot) if is_transcript else _of_calls(snapshot)
    wanted = [lens for lens in found if SETTINGS[lens.command] not in request.turned_off]
    return sorted(wanted, key=lambda lens: lens.span)


def _of_turns(snapshot: Snapshot) -> Iterator[Lens]:
    from callwright.features.support.turn_outcomes import turn_outcomes

    for outcome in turn_outcomes(snapshot):
        yield Lens(outcome.role, _words(outcome))
        if outcome.failed > outcome.by_result:
            yield Lens(outcome.role, "Copy feedback for the model", _FEEDBACK)


def _words(outcome: TurnOutcome) -> str:
    calls = "no call" if not outcome.calls else "1 call" if outcome.calls == 1 else f"{outcome.calls} calls"
    if not outcome.failed:
        return f"✓ {calls}"
    rejected = outcome.failed - outcome.by_result
    parts = [calls]
    parts += [f"{rejected} invalid"] if rejected else []
    parts += [f"{outcome.by_result} failed"] if outcome.by_result else []
    if outcome.row:
        last = " (a strict runtime stops here)" if outcome.row > outcome.most else ""
        parts.append(f"{outcome.row} of {outcome.most} mistakes in a row{last}")
    return f"✗ {', '.join(parts)}"


def _of_calls(snapshot: Snapshot) -> Iterator[Lens]:
    from callwright.calls.model import NATIVE
    from callwright.lint.linter import diagnostics

    wanted = snapshot.settings.dialect
    is_reply = not snapshot.settings.placeholders or (snapshot.path or snapshot.uri).endswith(".toolcall")
    found = diagnostics(snapshot) if is_reply else []
    errors = sorted(each.span.start for each in found if each.severity == "error")
    for call in _calls_worth_a_look(snapshot, errors):
        if wanted is not None and call.dialect not in (wanted, NATIVE) and not call.sketch:
            yield Lens(call.span, f"Convert to {wanted}", _CONVERT, (wanted,))
        if _any_between(errors, call.frame):
            yield Lens(call.span, "Copy feedback for the model", _FEEDBACK)


def _calls_worth_a_look(snapshot: Snapshot, errors: Sequence[int]) -> Iterator[CallPart]:
    """Yield the calls of the blocks in which an error begins, or a call is not in the dialect that is wanted."""
    from callwright.calls.model import NATIVE
    from callwright.features.support.outline import outline_of
    from callwright.text.span import Span

    wanted = (snapshot.settings.dialect, NATIVE)
    for block, start in zip(snapshot.blocks, snapshot.starts, strict=True):
        if _any_between(errors, Span(start, start + block.length)) or (
            wanted[0] is not None
            and any(found.call.dialect not in wanted for read in block.passages for found in read.calls)
        ):
            for call in outline_of(block, snapshot).calls:
                yield call.shift(start)


def _any_between(places: Sequence[int], span: Span) -> bool:
    from bisect import bisect_left

    at = bisect_left(places, span.start)
    return at < len(places) and places[at] < span.end


def to_lsp(result: Sequence[Lens], edge: Edge) -> list[dict[str, Any]]:
    """Return the lenses with their commands."""
    shown: list[dict[str, Any]] = []
    for lens in result:
        place = edge.to_lsp_range(lens.span)
        command: dict[str, Any] = {"title": lens.title, "command": lens.command}
        if lens.command:
            command["arguments"] = [edge.uri, place["start"], *lens.more]
        shown.append({"range": place, "command": command})
    return shown


handle = by_kind(calls=_of_text, tools=no_answer, configuration=no_answer)

FEATURE: Final = Feature(
    method="textDocument/codeLens",
    capability="codeLensProvider",
    options={"resolveProvider": False},
    handle=handle,
    to_lsp=to_lsp,
    refresh="workspace/codeLens/refresh",
)
