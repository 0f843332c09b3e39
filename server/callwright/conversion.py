"""Conversion: calls rewritten in another dialect, or the reason why one cannot be.

Owns: the check that a rendered call reads back to the same tool and arguments, and the edits that put it in the old
one's place. Must not know: rules, files, protocols.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from callwright.analysis.binding import Binding, bind
from callwright.analysis.reader import read_stretch
from callwright.analysis.snapshot import read_context
from callwright.calls.protocol import Refusal, RenderStyle
from callwright.dialects.catalogue import dialect_names, find_dialect
from callwright.syntax.prose import fence_at, fence_closer, line_end, line_start
from callwright.text.projection import encode_all
from callwright.text.span import Edit, Span, apply_edits, with_newlines

if TYPE_CHECKING:
    from callwright.analysis.snapshot import PlacedCall, Snapshot
    from callwright.calls.model import Path, ToolCall
    from callwright.dialects.base import Dialect
    from callwright.syntax.xml import XmlElement


@dataclass(frozen=True, slots=True)
class Refused:
    """A call that was left as it is: its span in the document, its tool's name, and why."""

    span: Span
    tool: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class Conversion:
    """A converted text: `text` as it is now, how many calls were `converted`, and which were `refused`."""

    text: str
    converted: int = 0
    refused: Sequence[Refused] = field(default=())

    def __str__(self) -> str:
        return self.text


def convert_document(snapshot: Snapshot, to: str) -> Conversion:
    """Return a document with every call in the dialect `to`; calls that cannot be written in it stay as they are.

    Raises ValueError where there is no such dialect.
    """
    dialect = _dialect(to)
    edits: list[Edit] = []
    converted = 0
    refused: list[Refused] = []
    for group in _groups(snapshot.placed_calls()):
        if all(placed.call.dialect == to for placed in group):
            continue
        outcome = group_edits([placed.binding for placed in group], dialect)
        encoded = None if isinstance(outcome, Refusal) else encode_all(group[0].passage.projection, outcome)
        if encoded is None:
            reason = (
                outcome.reason if isinstance(outcome, Refusal) else "the file's own notation cannot hold the result"
            )
            refused += [Refused(placed.span, placed.call.tool, reason) for placed in group]
            continue
        edits += with_newlines(encoded, snapshot.document.newline)
        converted += len(group)
    return Conversion(apply_edits(snapshot.document.text(), edits), converted, tuple(refused))


def convert_edits(binding: Binding, to: str) -> tuple[Edit, ...] | Refusal:
    """Return the edits that rewrite one call (and those that share its frame) in the dialect `to`, or why not.

    The edits are in offsets of the call's passage. Raises ValueError where there is no such dialect.
    """
    dialect = _dialect(to)
    group = [binding]
    frame = binding.call.frame
    if frame is not None and _leaves_frame(binding.call, dialect):
        group = [
            binding if call is binding.call else _bind_peer(binding, call)
            for call in binding.peers
            if call.frame == frame
        ]
    return group_edits(group, dialect)


def group_edits(group: Sequence[Binding], dialect: Dialect) -> tuple[Edit, ...] | Refusal:
    """Return the edits that rewrite calls which share a frame; all of them, or none."""
    first = group[0]
    text, call = first.text, first.call
    if len(group) > 1 and not _leaves_frame(call, dialect):
        edits: list[Edit] = []
        for binding in group:
            if binding.call.dialect == dialect.name:
                continue
            outcome = group_edits([binding], dialect)
            if isinstance(outcome, Refusal):
                return outcome
            edits += outcome
        return tuple(edits)
    span = call.frame if call.frame is not None and _leaves_frame(call, dialect) else call.span
    if call.details.get("beside") and not _leaves_frame(call, dialect):
        return _arguments_only(first, dialect)
    whole, style, before, after = _place(text, span, dialect, first)
    parts: list[str] = []
    for binding in group:
        rendered = render_checked(binding, dialect, style)
        if isinstance(rendered, Refusal):
            return rendered
        parts.append(rendered)
    joined = ("\n" + style.margin).join(parts)
    return (Edit(whole, before + joined + after),)


def _arguments_only(binding: Binding, dialect: Dialect) -> tuple[Edit, ...] | Refusal:
    """Return the edit that rewrites what `<arguments>` holds, so that an id and whatever else is beside it stay."""
    call, text = binding.call, binding.text
    start = line_start(text, call.body.start)
    style = RenderStyle(margin=_indent(text[start : call.body.start])[:-2], compact="\n" not in call.span.of(text))
    rendered = render_checked(binding, dialect, style)
    if isinstance(rendered, Refusal):
        return rendered
    opener, closer = "<arguments>", "</arguments>"
    first, last = rendered.index(opener), rendered.rindex(closer)
    if text.startswith(closer, call.body.end):
        return (Edit(call.body, rendered[first + len(opener) : last]),)
    begin = text.rfind("<arguments", call.span.start, call.body.start)
    if begin < 0 or not text.startswith("/>", call.body.start - 2):
        return Refusal("the call has no `<arguments>`")
    return (Edit(Span(begin, call.body.start), rendered[first : last + len(closer)]),)


def render_checked(binding: Binding, dialect: Dialect, style: RenderStyle) -> str | Refusal:
    """Return a call rendered in `dialect`, after reading it back to the same tool and arguments; else why not."""
    call = binding.call
    if call.tool is None:
        return Refusal("the call names no tool")
    if call.sketch or binding.coerced.wild or binding.coerced.elided:
        return Refusal("placeholders stand for parts of the call")
    # Unescaped markup leaves no doubt what the value is; it only cannot stay as it is written.
    if any(not problem.certain and problem.kind != "unescaped-markup" for problem in call.problems):
        return Refusal("the call has faults that must be mended first")
    if not isinstance(binding.value, dict):
        return Refusal("the arguments are no object")
    if any(again.content.of(again.source) != first.content.of(first.source) for _, first, again in _lost(binding)):
        return Refusal("an argument is given twice, and one of the values would be lost")
    if call.details.get("misnamed"):
        return Refusal("its arguments stand under a name that no reader asks for")
    rendered = dialect.render(call.tool, binding.arguments, binding.tool, style)
    if isinstance(rendered, Refusal):
        return rendered
    return _difference(rendered, binding, dialect) or rendered


def _lost(binding: Binding) -> Sequence[tuple[Path, XmlElement, XmlElement]]:
    """Return the repeated arguments of which one value counts; without a schema all do, as an array."""
    return binding.coerced.repeated if binding.tool is not None else ()


def _difference(rendered: str, binding: Binding, dialect: Dialect) -> Refusal | None:
    """Return why a rendered call does not read back as it should, or None where it does."""
    settings = replace(binding.settings, dialect=dialect.name, strict=False)
    context = read_context(binding.registry, settings, frozenset(binding.registry.names))
    stretch = read_stretch(rendered, context)
    if len(stretch.calls) != 1 or stretch.calls[0].call.dialect != dialect.name:
        return Refusal(f"written in {dialect.name}, it would not be recognised as a call")
    again = bind(stretch.calls[0].call, rendered, binding.registry, settings)
    if again.call.tool != binding.call.tool:
        return Refusal(f"{dialect.name} cannot hold the tool's name")
    if again.call.problems or again.problems:
        return Refusal(f"{dialect.name} cannot hold a value of the call as it is")
    path = first_difference(binding.arguments, again.arguments)
    if path is None:
        return None
    where = f"`{'.'.join(map(str, path))}`" if path else "the arguments"
    return Refusal(
        f"{where} would not keep its value: {dialect.name} does not write types, and no schema states it", path
    )


def first_difference(one: Any, other: Any, path: Path = ()) -> Path | None:
    """Return the path of the first value that differs, None where both are the same in value and in type."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        if list(one) != list(other) and set(one) != set(other):
            odd = next(iter([key for key in one if key not in other] or [key for key in other if key not in one]))
            return (*path, odd)
        for key, value in one.items():
            found = first_difference(value, other[key], (*path, key))
            if found is not None:
                return found
        return None
    if isinstance(one, list) and isinstance(other, list):
        if len(one) != len(other):
            return path
        for index, (left, right) in enumerate(zip(one, other, strict=True)):
            found = first_difference(left, right, (*path, index))
            if found is not None:
                return found
        return None
    return None if type(one) is type(other) and one == other else path


def _dialect(name: str) -> Dialect:
    dialect = find_dialect(name)
    if dialect is None:
        raise ValueError(
            f"there is no dialect `{name}`; there are {', '.join(f'`{each}`' for each in dialect_names())}"
        )
    return dialect


def _bind_peer(binding: Binding, call: ToolCall) -> Binding:
    return bind(call, binding.text, binding.registry, binding.settings, fence=binding.fence, peers=binding.peers)


def _groups(calls: Iterable[PlacedCall]) -> list[list[PlacedCall]]:
    """Return the calls with those that share a frame together, in the order of the text."""
    groups: dict[tuple[int, object], list[PlacedCall]] = {}
    for placed in calls:
        frame = placed.call.frame
        key = (id(placed.read), frame if frame is not None else placed.call.span)
        groups.setdefault(key, []).append(placed)
    return list(groups.values())


def _leaves_frame(call: ToolCall, dialect: Dialect) -> bool:
    """Tell whether a call in `dialect` cannot stand in the frame that holds `call`."""
    return not (call.details.get("family") == "tool_call" and dialect.name.startswith("tool-call-"))


def _place(text: str, span: Span, dialect: Dialect, binding: Binding) -> tuple[Span, RenderStyle, str, str]:
    """Return what is replaced, how the new call is laid out there, and what must stand before and after it."""
    start = line_start(text, span.start)
    lead = text[start : span.start]
    quoted = not lead.strip(" \t>")
    margin = (
        lead
        if quoted
        else "".join(char if char in " \t" else " " for char in lead)
        if _is_marker(lead)
        else _indent(lead)
    )
    compact = not any(char in span.of(text) for char in "\r\n")
    style = RenderStyle(margin=margin, compact=compact)
    if dialect.name != "fenced-json":
        return span, style, "", ""
    style = replace(style, compact=False)
    if binding.fence is not None:
        outer = _sole_fence(text, span)
        if outer is None:
            before = "" if not lead.strip() else "\n" + margin
            return span, replace(style, fenced=False), before, ""
        fence_margin = text[line_start(text, outer.start) : outer.start]
        return outer, replace(style, margin=_indent(fence_margin)), "", ""
    if binding.call.dialect == "fenced-json":
        return span, style, "", ""
    before = "" if quoted or _is_marker(lead) else "\n" + margin
    rest = text[span.end : line_end(text, span.end)]
    if not rest.strip():
        return span, style, before, ""
    return Span(span.start, span.end + len(rest) - len(rest.lstrip())), style, before, "\n" + margin


def _is_marker(lead: str) -> bool:
    stripped = lead.strip()
    return stripped in ("-", "*", "+") or (stripped[:-1].isdigit() and stripped[-1:] in (".", ")"))


def _indent(lead: str) -> str:
    return lead[: len(lead) - len(lead.lstrip(" \t"))]


def _sole_fence(text: str, span: Span) -> Span | None:
    """Return the span of the fence that holds nothing but the call at `span`, or None."""
    before = text[: span.start].rstrip()
    fence = fence_at(text, line_start(text, len(before))) if before else None
    if fence is None or fence.content > span.start:
        return None
    after = span.end
    while after < len(text) and text[after] in " \t\r\n":
        after += 1
    closer = fence_closer(fence.char, fence.length).match(text, line_start(text, after))
    return Span(fence.marker, closer.end()) if closer is not None else None
