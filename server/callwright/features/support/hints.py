"""What is shown beside the text: types of untyped text, defaults of what a call leaves out, strikes of a transcript.

Owns: `Hint`, `hints`, the names of the editor's settings for them. Must not know: dialects, how an outcome is found,
protocols, positions.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from callwright.document.blocks import PlacedCall
    from callwright.document.snapshot import Snapshot
    from callwright.features.support.outline import CallPart
    from callwright.text.span import Edit, Span

TYPES: Final = "inlayHints.types"
DEFAULTS: Final = "inlayHints.defaults"
STRIKES: Final = "inlayHints.strikes"

#: The protocol's numbers.
_TYPE, _PARAMETER = 1, 2
#: How many defaults are shown beside the text, how many in the tooltip, and how many characters of one.
_MAX_COUNT: Final = 5
_REPORTED: Final = 25
_SHORT: Final = 24


@dataclass(frozen=True, slots=True)
class Hint:
    """A word beside the text: its place, its text, and its tooltip.

    `setting` is its name among the editor's settings. `call` is the one whose defaults it shows, `values` are these.
    """

    at: int
    label: str
    setting: str
    kind: int | None = None
    tooltip: str = ""
    call: PlacedCall | None = None
    values: Mapping[str, Any] = field(default_factory=dict)
    newline: str = "\n"

    def edits(self) -> tuple[Edit, ...]:
        """Return the edits that insert the defaults of the hint; none where it shows no default."""
        from callwright.prompt.editing import insert_arguments
        from callwright.text.projection import encode_all
        from callwright.text.span import with_newlines

        if self.call is None or not self.values:
            return ()
        written = insert_arguments(self.call.binding, (), dict(self.values))
        encoded = encode_all(self.call.passage.projection, list(written)) or ()
        return tuple(with_newlines(encoded, self.newline))


def hints(snapshot: Snapshot, span: Span, turned_off: Collection[str] = ()) -> list[Hint]:
    """Return the hints in a span, in the order of the text, without those that the editor's settings turn off."""
    from callwright.features.support.outline import MAX_LENGTH, outline_between

    if snapshot.host.holds != "calls":
        return []
    found: list[Hint] = []
    if TYPES not in turned_off or DEFAULTS not in turned_off:
        for call in outline_between(snapshot, span).calls:
            if call.frame.touches(span):
                found += _of_call(call, snapshot)
    if STRIKES not in turned_off and len(snapshot.document) <= MAX_LENGTH:
        found += _strikes(snapshot, span)
    wanted = [hint for hint in found if hint.setting not in turned_off and span.start <= hint.at <= span.end]
    return sorted(wanted, key=lambda hint: hint.at)


def _of_call(call: CallPart, snapshot: Snapshot) -> Iterator[Hint]:
    for part in call.walk():
        if (
            part.element
            and not part.children
            and part.kind not in ("string", "other")
            and part.value.start < part.value.end
        ):
            text = snapshot.document.slice(*part.value)
            yield Hint(part.value.start + len(text.rstrip()), f": {part.kind}", TYPES, _TYPE)
    from callwright.features.support.outline import placed_call

    if call.tool is None or call.sketch:
        return
    placed = placed_call(call, snapshot)
    defaults = _defaults(placed)
    if defaults:
        shown = ", ".join(f"{name} = {_short(value)}" for name, value in defaults[:_MAX_COUNT])
        more = ", …" if len(defaults) > _MAX_COUNT else ""
        newline = snapshot.document.newline
        at = call.span.end if any(part.element for part in call.parts) or not call.parts else call.body.end
        yield Hint(at, f"{shown}{more}", DEFAULTS, _PARAMETER, _reported(defaults), placed, dict(defaults), newline)


def _defaults(call: PlacedCall) -> list[tuple[str, Any]]:
    """Return the parameters that the call leaves out and that have a default, required ones and aliases aside."""
    binding = call.binding
    if binding.tool is None or not call.call.complete or not isinstance(binding.value, dict):
        return []
    if () in binding.coerced.elided or () in binding.coerced.wild:
        # Dots mean what is left out.
        return []
    return [
        (name, parameter.schema["default"])
        for name, parameter in binding.tool.parameters.items()
        if name not in binding.arguments
        and "default" in parameter.schema
        and parameter.alias_of is None
        and not parameter.required
        and not parameter.deprecated
    ]


def _reported(defaults: Sequence[tuple[str, Any]]) -> str:
    rest = [f"{name} = {_short(value)}" for name, value in defaults[_MAX_COUNT:_REPORTED]]
    more = f" Other values: {', '.join(rest)}." if rest else ""
    return f"The omitted parameters have these defaults.{more}"


def _short(value: Any) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        text = "…"
    return text if len(text) <= _SHORT else f"{text[:_SHORT]}…"


def _strikes(snapshot: Snapshot, span: Span) -> Iterator[Hint]:
    from callwright.features.support.turn_outcomes import turn_outcomes

    for outcome in turn_outcomes(snapshot):
        if outcome.row and outcome.failed and outcome.span.touches(span):
            stated = (
                f"strike {outcome.row} of {outcome.most}" if outcome.row <= outcome.most else f"strike {outcome.row}"
            )
            yield Hint(
                outcome.role.end,
                stated,
                STRIKES,
                None,
                f"A strict runtime stops after {outcome.most} mistakes in a row.",
            )
