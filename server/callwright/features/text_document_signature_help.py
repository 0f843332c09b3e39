"""Signature help: the parameters of the tool that is called, while the call is written.

Owns: `textDocument/signatureHelp`. Must not know: how a description is worded, dialects, positions.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from callwright.features.base import Edge, Feature, Request, by_kind, no_answer

if TYPE_CHECKING:
    from callwright.document.snapshot import Snapshot
    from callwright.features.support.outline import OutlinePart
    from callwright.tools.model import ToolSchema
    from callwright.tools.parameters import Parameter


#: Of tools of one name so many are shown.
_MAX_COUNT: Final = 3


@dataclass(frozen=True, slots=True)
class Help:
    """The tools that may be meant, the likeliest first, what of their parameters is given, and which one is written."""

    tools: Sequence[ToolSchema]
    given: Collection[str]
    active: str | None


def _of_text(snapshot: Snapshot, request: Request) -> Help | None:
    """Return the signature of the call around the cursor; None where there is no call, or its tool is not known."""
    return _of_call(snapshot, request) or _of_place(snapshot, request)


def _of_call(snapshot: Snapshot, request: Request) -> Help | None:
    """Return the help for a call that the reader found, whatever it is written in."""
    from callwright.features.support.outline import outline_between, placed_call

    here = request.span
    for call in reversed(outline_between(snapshot, here).calls):
        start = call.names[0].end if call.names else call.span.start
        after = call.span.end if call.whole else call.span.end + 1
        if not start < here.start < after:
            continue
        binding = placed_call(call, snapshot).binding
        if not binding.candidates:
            return None
        likely = [tool for tool in (binding.tool,) if tool is not None]
        tools = [*likely, *(tool for tool in binding.candidates if tool is not binding.tool)]
        active = next((part.name for part in call.parts if _is_in(part, here.start)), None)
        if active is None:
            # After a key whose value is not there yet no argument has been read.
            typed = _of_place(snapshot, request)
            active = typed.active if typed is not None else None
        return Help(tools[:_MAX_COUNT], [part.name for part in call.parts], active)
    return None


def _is_in(part: OutlinePart, offset: int) -> bool:
    """Return whether an argument is written at an offset: after its closer it is not, after an argument without closers
    it is."""
    closed = part.element and part.value.end < part.span.end
    return part.span.start < offset < part.span.end + (not closed)


def _of_place(snapshot: Snapshot, request: Request) -> Help | None:
    """Return the help for a call that is half-typed."""
    from callwright.cursor.cursor import place_at, place_at_spot, spot_at
    from callwright.cursor.cursor_places import Role
    from callwright.cursor.framed import framed_spot

    framed = framed_spot(snapshot, request.span.start)
    if framed is not None and framed.relation != "argument of":
        return None
    spot = framed.spot if framed is not None else spot_at(snapshot, request.span.start)
    if spot is None:
        return None
    registry = framed.registry if framed is not None else snapshot.offered
    place = place_at(spot.text, spot.offset, registry) if framed is not None else place_at_spot(snapshot, spot)
    if place.tool is None or place.role in (Role.PROSE, Role.NOTHING):
        return None
    tools = registry.get(place.tool)
    if not tools:
        return None
    first = str(place.path[0]) if place.path else place.name
    given = place.present if not place.path else frozenset({first})
    known = any(first in tool.parameters for tool in tools)
    return Help(tools[:_MAX_COUNT], given, first if known else None)


def _ordered(tool: ToolSchema) -> list[Parameter]:
    """Return the parameters, required ones first, deprecated ones last; other names of others are left out."""
    own = [one for one in tool.parameters.values() if one.alias_of is None]
    return sorted(own, key=lambda one: (one.deprecated, not one.required))


def to_lsp(result: Help, edge: Edge) -> dict[str, Any]:
    """Return a signature for each tool."""
    return {
        "signatures": [_signature(tool, result, edge) for tool in result.tools],
        "activeSignature": 0,
        "activeParameter": _active(result.tools[0], result),
    }


def _active(tool: ToolSchema, help_: Help) -> int:
    """Return which parameter is written: without one, the next that is not given; after the last, none."""
    ordered = _ordered(tool)
    active = help_.active
    if active is not None and active in tool.parameters:
        active = tool.parameters[active].alias_of or active
    for index, parameter in enumerate(ordered):
        if parameter.name == active or (active is None and parameter.name not in help_.given):
            return index
    return len(ordered)


def _signature(tool: ToolSchema, help_: Help, edge: Edge) -> dict[str, Any]:
    from callwright.features.support.markdown import escape, markup_content, schema_markdown, type_words

    information = "textDocument.signatureHelp.signatureInformation"
    formats = edge.client.words(f"{information}.documentationFormat")
    offsets = edge.client.promises(f"{information}.parameterInformation.labelOffsetSupport")
    label = f"{tool.name}("
    parameters: list[dict[str, Any]] = []
    for parameter in _ordered(tool):
        words = type_words(parameter.schema, tool.input_schema)
        own = f"{parameter.name}{'' if parameter.required else '?'}: {words}"
        label += ", " if parameters else ""
        start = _units(label)
        label += own
        stated = schema_markdown(
            parameter.name, [(parameter.schema, tool.input_schema)], of=tool.name, required=parameter.required
        )
        shown: dict[str, Any] = {"label": [start, _units(label)] if offsets else own}
        shown["documentation"] = markup_content(stated, formats)
        parameters.append(shown)
    signature: dict[str, Any] = {"label": f"{label})", "parameters": parameters}
    deprecated = "" if tool.deprecated is None else f"**Deprecated**{': ' if tool.deprecated else ''}"
    about = [f"{deprecated}{escape(tool.deprecated or '')}", escape(tool.description)]
    documentation = "\n\n".join(part for part in about if part)
    if documentation:
        signature["documentation"] = markup_content(documentation, formats)
    if edge.client.promises(f"{information}.activeParameterSupport"):
        signature["activeParameter"] = _active(tool, help_)
    return signature


def _units(text: str) -> int:
    """Return a length as the protocol counts in labels, whatever encoding positions have."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


handle = by_kind(calls=_of_text, tools=no_answer, configuration=no_answer)

FEATURE: Final = Feature(
    method="textDocument/signatureHelp",
    capability="signatureHelpProvider",
    options={"triggerCharacters": ["<", ">", '"', "{", "(", ","], "retriggerCharacters": [":", "=", "/"]},
    handle=handle,
    to_lsp=to_lsp,
    at_once=True,
)
