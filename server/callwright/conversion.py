"""Conversion: calls rewritten in another dialect, or the reason why one cannot be.

Owns: the check that a rendered call reads back to the same tool and arguments, and the edits that replace the old one.
Must not know: rules, files, protocols.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from callwright.calls.model import NATIVE, MarkupValue
from callwright.calls.protocol import Disagreement, Refusal, Rendering, RenderStyle
from callwright.dialects.catalogue import find_dialect
from callwright.document.documented_names import DocumentedNames
from callwright.document.reader import read_context, read_segment
from callwright.document.snapshot import Snapshot
from callwright.schema.binding import Binding, bind
from callwright.syntax.prose import FenceState, fence_at, fence_closer, line_end, line_start
from callwright.text.document import TextDocument
from callwright.text.projection import encode_all
from callwright.text.span import Edit, Span, apply_edits, with_newlines

if TYPE_CHECKING:
    from callwright.calls.model import Path, ToolCall
    from callwright.dialects.base import Dialect
    from callwright.document.blocks import PlacedCall
    from callwright.syntax.xml import XmlElement


#: Problems after which a value is still certain: it only cannot stay as it is written, or other parsers read it
#: otherwise.
_HARMLESS: Final = frozenset({"unescaped-markup", "engines-differ"})


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


def convert_document(snapshot: Snapshot, to: str, *, at: int | None = None) -> Conversion:
    """Return a document with every call in the dialect `to`; calls that cannot be written in it are kept.

    With `at`, only the call at that offset is converted, and those that share its frame with it. The result is read
    again as a whole: a call that would change in its new surroundings is kept, too. Raises ValueError if the dialect is
    unknown.
    """
    dialect = _dialect(to)
    groups = _groups(placed for placed in snapshot.placed_calls() if placed.call.dialect != NATIVE)
    steps = [step for group in groups for step in _steps(group, dialect, meant=at is None or _covers(group, at))]
    if dialect.gathers:
        steps = list(_gathered(steps, dialect))
    for _ in range(_MAX_ROUNDS):
        text = apply_edits(snapshot.document.text(), [edit for step in steps for edit in step.edits])
        odd = _first_changed(snapshot, steps, text)
        if odd is None:
            break
        steps[odd] = _left(steps[odd], _ELSEWHERE)
    else:
        steps = [_left(step, _ELSEWHERE) if step.edits else step for step in steps]
        text = snapshot.document.text()
    converted = sum(len(step.calls) for step in steps if step.edits)
    refused = [
        Refused(placed.span, placed.written_tool, step.reason) for step in steps if step.reason for placed in step.calls
    ]
    # A call that is in several versions of a template counts once.
    return Conversion(text, converted, tuple(dict.fromkeys(refused)))


_LAST_NUMBER: Final = re.compile(r"\d{1,9}$")
#: How often a conversion is tried again without a call that its surroundings change, before all calls are kept.
_MAX_ROUNDS: Final = 50
_ELSEWHERE: Final = "at this place, it would not be read as the same call"


@dataclass(frozen=True, slots=True)
class _Step:
    """Calls that are rewritten together: the edits in the document, or the reason why they stay; neither where the
    calls are in the dialect already."""

    calls: Sequence[PlacedCall]
    edits: tuple[Edit, ...] = ()
    reason: str = ""


def _left(step: _Step, reason: str) -> _Step:
    return _Step(step.calls, (), reason)


def _covers(group: Sequence[PlacedCall], offset: int) -> bool:
    return any(placed.span.start <= offset <= placed.span.end for placed in group)


def _steps(group: list[PlacedCall], dialect: Dialect, *, meant: bool) -> Iterator[_Step]:
    """Yield the steps for calls that share a frame; those outside `meant` are skipped."""
    if not meant or all(placed.call.dialect == dialect.name for placed in group):
        yield _Step(group)
    else:
        yield _rewritten(group, dialect)


def _rewritten(group: Sequence[PlacedCall], dialect: Dialect) -> _Step:
    outcome = group_edits([placed.binding for placed in group], dialect)
    if isinstance(outcome, Refusal):
        return _Step(group, (), outcome.reason)
    encoded = encode_all(group[0].passage.projection, outcome)
    if encoded is None:
        return _Step(group, (), "the file's format cannot represent the result")
    return _Step(group, with_newlines(encoded, group[0].snapshot.document.newline))


def _gathered(steps: Sequence[_Step], dialect: Dialect) -> Iterator[_Step]:
    """Yield the steps; those whose calls have only space between them are joined."""
    run: list[_Step] = []
    for step in steps:
        if run and not (step.edits and _adjacent(run[-1].calls[-1], step.calls[0])):
            yield from _merged(run, dialect)
            run = []
        if step.edits:
            run.append(step)
        else:
            yield step
    yield from _merged(run, dialect)


def _adjacent(one: PlacedCall, other: PlacedCall) -> bool:
    if one.read is not other.read:
        return False
    end, start = (one.call.frame or one.call.span).end, (other.call.frame or other.call.span).start
    return end <= start and not one.passage.text[end:start].strip()


def _merged(run: Sequence[_Step], dialect: Dialect) -> Iterator[_Step]:
    if len(run) < 2:
        yield from run
        return
    together = _rewritten([placed for step in run for placed in step.calls], dialect)
    if together.edits:
        yield together
    else:
        yield from run


def _first_changed(snapshot: Snapshot, steps: Sequence[_Step], text: str) -> int | None:
    """Return the first step whose calls differ once the whole text is read again, None if none does."""
    if not any(step.edits for step in steps):
        return None
    document = TextDocument.from_text(text)
    documented = snapshot.documented
    if documented.evidence is not None:
        # What was a call in the old text is one in the new text, whatever documents its name there.
        names = {placed.call.tool for step in steps for placed in step.calls if placed.call.tool is not None}
        documented = DocumentedNames(document, names)
    whole = Snapshot.open(
        document,
        replace(snapshot.origin, host=snapshot.host),
        registry=snapshot.project_tools if snapshot.is_own else snapshot.registry,
        settings=snapshot.settings,
        documented=documented,
    )
    again = sorted(
        (placed for placed in whole.placed_calls() if placed.call.dialect != NATIVE), key=lambda placed: placed.span
    )
    before = sorted(
        ((index, placed) for index, step in enumerate(steps) for placed in step.calls),
        key=lambda entry: entry[1].span,
    )
    edited = [index for index, step in enumerate(steps) if step.edits]
    for position, (index, old) in enumerate(before):
        new = again[position] if position < len(again) else None
        if (
            new is None
            or old.call.tool != new.call.tool
            or first_difference(old.binding.value, new.binding.value) is not None
        ):
            # The last edit before the place where the readings diverge is the one that changed them.
            return max((each for each in edited if each <= index), default=edited[0])
    return edited[-1] if len(again) > len(before) else None


def convert_edits(binding: Binding, to: str) -> tuple[Edit, ...] | Refusal:
    """Return the edits that rewrite one call (and those that share its frame) in the dialect `to`, or why not.

    The edits are in offsets of the call's passage. Raises ValueError if the dialect is unknown.
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
    """Return the edits that rewrite calls which share a frame, or follow each other; all of them, or none."""
    first, last = group[0], group[-1]
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
    if call.details.get("beside") and not _leaves_frame(call, dialect):
        return _arguments_only(first, dialect)
    span = _replaced(call, dialect)
    span = Span(span.start, max(span.end, _replaced(last.call, dialect).end))
    whole, style, before, after = _place(text, span, dialect, first)
    rendered = render_checked(group, dialect, style)
    if isinstance(rendered, Refusal):
        return rendered
    return (Edit(whole, before + rendered + after),)


def _replaced(call: ToolCall, dialect: Dialect) -> Span:
    return call.frame if call.frame is not None and _leaves_frame(call, dialect) else call.span


def _arguments_only(binding: Binding, dialect: Dialect) -> tuple[Edit, ...] | Refusal:
    """Return the edit that rewrites the content of `<arguments>`, so that an id and anything else beside it stay."""
    call, text = binding.call, binding.text
    start = line_start(text, call.body.start)
    style = RenderStyle(margin=_indent(text[start : call.body.start])[:-2], compact="\n" not in call.span.of(text))
    rendered = render_checked([binding], dialect, style, with_ids=False)
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


def render_checked(
    group: Sequence[Binding], dialect: Dialect, style: RenderStyle, *, with_ids: bool = True
) -> str | Refusal:
    """Return calls rendered in `dialect`, after reading them back to the same tools and arguments; else why not.

    Without `with_ids`, the ids of the calls are left to the caller.
    """
    for binding in group:
        refusal = _unfit(binding)
        if refusal is not None:
            return refusal
    ids = [_kept_id(binding.call, index) if with_ids else None for index, binding in enumerate(group)]
    outcome = _render_checked(group, ids, dialect, style)
    if isinstance(outcome, Refusal) and any(binding.call.details.get("counted") for binding in group):
        bare = [None if binding.call.details.get("counted") else one for one, binding in zip(ids, group, strict=True)]
        return _render_checked(group, bare, dialect, style)
    return outcome


def _kept_id(call: ToolCall, index: int) -> str | None:
    """Return a call's id, unless it only numbers the call."""
    if call.call_id is None or not call.details.get("counted"):
        return call.call_id
    number = _LAST_NUMBER.search(call.call_id)
    first = call.details.get("counts_from", 0)
    return None if number is not None and int(number[0]) == index + first else call.call_id


def _render_checked(
    group: Sequence[Binding], ids: Sequence[str | None], dialect: Dialect, style: RenderStyle
) -> str | Refusal:
    calls = [
        Rendering(binding.call.tool or "", binding.arguments, binding.tool, identifier)
        for binding, identifier in zip(group, ids, strict=True)
    ]
    rendered = dialect.render_all(calls, style)
    if isinstance(rendered, Refusal):
        return rendered
    return _difference(rendered, group, calls, dialect) or rendered


def _unfit(binding: Binding) -> Refusal | None:
    """Return why a call cannot be converted to any dialect, or None."""
    call = binding.call
    if call.tool is None:
        return Refusal("the call names no tool")
    if "stays" in call.details:
        return Refusal(str(call.details["stays"]))
    if call.sketch or binding.coerced.wild or binding.coerced.elided:
        return Refusal("parts of the call are placeholders")
    if any(not problem.certain and problem.kind not in _HARMLESS for problem in call.problems):
        return Refusal("the call has errors; fix its errors first")
    if not isinstance(binding.value, dict):
        return Refusal("the arguments are not an object")
    if any(again.content.of(again.source) != first.content.of(first.source) for _, first, again in _lost(binding)):
        return Refusal("an argument is given twice, and one of the values would be lost")
    if call.details.get("misnamed"):
        return Refusal("its arguments are under a key that no parser looks for")
    return None


def _lost(binding: Binding) -> Sequence[tuple[Path, XmlElement, XmlElement]]:
    """Return the repeated arguments of which only one value counts; without a schema all of them count, as an array."""
    return binding.coerced.repeated if binding.tool is not None else ()


def _difference(
    rendered: str, group: Sequence[Binding], calls: Sequence[Rendering], dialect: Dialect
) -> Refusal | None:
    """Return why rendered calls do not read back as they should, or None where they do."""
    first = group[0]
    settings = replace(first.settings, dialect=dialect.name, strict=False)
    context = read_context(first.registry, settings)
    found = [each.call for each in read_segment(rendered, context).calls]
    if len(found) != len(group) or any(call.dialect != dialect.name for call in found):
        return Refusal(f"written in {dialect.name}, it would not be recognised as a call")
    for call, binding, wanted in zip(found, group, calls, strict=True):
        refusal = _changed(bind(call, rendered, first.registry, settings), binding, wanted.call_id, dialect)
        if refusal is not None:
            return refusal
    return None


def _changed(again: Binding, binding: Binding, identifier: str | None, dialect: Dialect) -> Refusal | None:
    """Return what is lost between a call and its rendering, or None where nothing is."""
    if again.call.tool != binding.call.tool:
        return Refusal(f"{dialect.name} cannot represent the tool's name")
    if any(problem.kind not in _HARMLESS for problem in (*again.call.problems, *again.problems)):
        return Refusal(f"{dialect.name} cannot represent a value of the call unchanged")
    dispute = _disputed(again)
    if dispute is not None:
        return Refusal(f"written in {dialect.name}, {dispute}", dispute=dispute)
    if identifier is not None and again.call.call_id != identifier:
        return Refusal(f"{dialect.name} has no place for the call's id `{identifier}`: remove the id first")
    path = first_difference(binding.arguments, again.arguments)
    if path is None:
        return None
    where = f"`{'.'.join(map(str, path))}`" if path else "the arguments"
    return Refusal(
        f"{where} would not keep its value: {dialect.name} does not write types, and no schema states it", path
    )


def _disputed(again: Binding) -> Disagreement | None:
    """Return the value that lxml reads otherwise in a rendered call, None if none; loaded for calls in XML only."""
    if not isinstance(again.call.arguments, MarkupValue):
        return None
    from callwright.calls.xml_referee import disagreement

    return disagreement(again.call, again.text, again.registry)


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
        from callwright.document.settings import unknown_dialect

        raise ValueError(unknown_dialect(name))
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
    """Return whether a call in `dialect` cannot be in the frame of `call`."""
    return not dialect.family or call.details.get("family") != dialect.family


def _place(text: str, span: Span, dialect: Dialect, binding: Binding) -> tuple[Span, RenderStyle, str, str]:
    """Return what is replaced, how the new call is laid out there, and what must be before and after it."""
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
    if dialect.placement == "inline":
        return span, style, "", ""
    style = replace(style, compact=False)
    if binding.fence is not None and dialect.placement == "fence":
        outer = _sole_fence(text, span, binding.fence)
        if outer is None:
            before = "" if not lead.strip() else "\n" + margin
            return span, replace(style, fenced=False), before, ""
        fence_margin = text[line_start(text, outer.start) : outer.start]
        return outer, replace(style, margin=_indent(fence_margin)), "", ""
    if binding.call.frame is not None and span.of(text).startswith(("```", "~~~")):
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


def _sole_fence(text: str, span: Span, open_fence: FenceState) -> Span | None:
    """Return the span of the fence that contains only the call at `span`, or None.

    `open_fence` is the one that is open there: the line before the call may also close another fence inside it.
    """
    before = text[: span.start].rstrip()
    fence = fence_at(text, line_start(text, len(before))) if before else None
    if fence is None or fence.content > span.start:
        return None
    if (fence.char, fence.length, fence.language) != open_fence:
        return None
    after = span.end
    while after < len(text) and text[after] in " \t\r\n":
        after += 1
    closer = fence_closer(fence.char, fence.length).match(text, line_start(text, after))
    return Span(fence.marker, closer.end()) if closer is not None else None
