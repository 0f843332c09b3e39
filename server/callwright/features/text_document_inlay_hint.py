"""Inlay hints: the type that untyped text has, the defaults of what a call leaves out, the strikes of a transcript.

Owns: `textDocument/inlayHint`. Must not know: dialects, how a verdict is found, positions.

Only what is asked about is looked at; strikes are counted in documents up to the outline's length.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from callwright.analysis.snapshot import Snapshot
    from callwright.features.base import Edge, Request
    from callwright.features.support.outline import CallPart
    from callwright.text.span import Span

METHOD = "textDocument/inlayHint"
CAPABILITY = "inlayHintProvider"
OPTIONS: dict[str, Any] = {}
REFRESH = "workspace/inlayHint/refresh"

#: The protocol's numbers.
_TYPE, _PARAMETER = 1, 2
#: How many defaults are shown, and how much of one.
_MOST: Final = 5
_SHORT: Final = 24


@dataclass(frozen=True, slots=True)
class Hint:
    """A word beside the text: where it stands, what it says, and what is said of it when it is pointed at."""

    at: int
    label: str
    kind: int | None = None
    tooltip: str = ""


def handle(snapshot: Snapshot, request: Request) -> list[Hint]:
    """Return the hints in the range asked about, in the order of the text."""
    from callwright.features.support.outline import LONGEST, outline_between

    if snapshot.host.holds != "calls":
        return []
    found: list[Hint] = []
    for call in outline_between(snapshot, request.span).calls:
        if call.frame.touches(request.span):
            found += _of_call(call, snapshot)
    if len(snapshot.document) <= LONGEST:
        found += _strikes(snapshot, request.span)
    return sorted((hint for hint in found if _is_in(hint, request.span)), key=lambda hint: hint.at)


def _is_in(hint: Hint, span: Span) -> bool:
    return span.start <= hint.at <= span.end


def _of_call(call: CallPart, snapshot: Snapshot) -> Iterator[Hint]:
    for part in call.walk():
        if (
            part.element
            and not part.children
            and part.kind not in ("string", "other")
            and part.value.start < part.value.end
        ):
            text = snapshot.document.slice(*part.value)
            yield Hint(part.value.start + len(text.rstrip()), f": {part.kind}", _TYPE)
    defaults = _defaults(call)
    if defaults:
        shown = ", ".join(f"{name} = {_short(value)}" for name, value in defaults[:_MOST])
        more = ", …" if len(defaults) > _MOST else ""
        at = call.span.end if any(part.element for part in call.parts) or not call.parts else call.body.end
        yield Hint(at, f"{shown}{more}", _PARAMETER, "What the call leaves out has these defaults.")


def _defaults(call: CallPart) -> list[tuple[str, Any]]:
    """Return the parameters that the call leaves out and that have a default, required ones and aliases aside."""
    binding = call.binding
    if binding.tool is None or call.call.sketch or not call.whole or not isinstance(binding.value, dict):
        return []
    if () in binding.coerced.elided or () in binding.coerced.wild:
        # Dots stand for what is left out.
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


def _short(value: Any) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        text = "…"
    return text if len(text) <= _SHORT else f"{text[:_SHORT]}…"


def _strikes(snapshot: Snapshot, span: Span) -> Iterator[Hint]:
    from callwright.features.support.verdicts import verdicts

    for verdict in verdicts(snapshot):
        if verdict.row and verdict.failed and verdict.span.touches(span):
            said = f"strike {verdict.row} of {verdict.most}" if verdict.row <= verdict.most else f"strike {verdict.row}"
            yield Hint(verdict.role.end, said, None, f"A strict runtime stops behind {verdict.most} mistakes in a row.")


def to_lsp(result: Sequence[Hint], edge: Edge) -> list[dict[str, Any]]:
    """Return the hints."""
    from callwright.text.span import Span

    shown: list[dict[str, Any]] = []
    for hint in result:
        place = edge.to_lsp_range(Span(hint.at, hint.at))["start"]
        one: dict[str, Any] = {"position": place, "label": hint.label, "paddingLeft": hint.kind != _TYPE}
        if hint.kind is not None:
            one["kind"] = hint.kind
        if hint.tooltip:
            one["tooltip"] = hint.tooltip
        shown.append(one)
    return shown
