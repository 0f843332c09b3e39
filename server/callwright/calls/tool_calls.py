"""Calls framed by `<tool_call>` with `<tool_name>` and `<arguments>`: one parser for JSON and XML arguments.

Owns: reading one such call and the `<tool_calls>` wrapper around several. Must not know: dialect modules; their names
come in as parameters.

The shape is RagForge's structured output: a call without `tool_name` or without `arguments` is dropped there.
"""

import json
import re
from collections.abc import Mapping
from typing import Final

from callwright.calls.json_body import json_lead, json_section
from callwright.calls.json_places import own_problems
from callwright.calls.marker_problems import half_marker, half_written, mismatched_tag, unclosed_tag
from callwright.calls.markup_body import element_maker, hints_for
from callwright.calls.model import JsonValue, MarkupValue, ToolCall, Value
from callwright.calls.protocol import ReadContext, Reading
from callwright.calls.scanning import has_closer, next_closer, next_literal, next_match, skip_space, tag_reach
from callwright.calls.sketch import is_placeholder_name
from callwright.syntax.json import read_json
from callwright.syntax.problem import Problem
from callwright.syntax.xml import XmlHints, XmlTag, read_element, tag_at
from callwright.syntax.xml_plain import read_plain
from callwright.text.facts import Fact
from callwright.text.records import dataclass, field, replace
from callwright.text.span import Span, delete, insert

CALL = "tool_call"
WRAPPER = "tool_calls"
_DECODER = json.JSONDecoder(strict=False)
_NAME = re.compile(r"<tool_name\s*+>(?:\s|<!\[CDATA\[)*+([^<\s\]]++)")
#: A name as all XML parsers read it.
_PLAIN_NAME = re.compile(r"<tool_name>([A-Za-z0-9_.:\-]++)</tool_name>")
_ARGUMENTS_END = re.compile(r"</\s*+arguments\s*+>")
_PART = re.compile(r"<(?:tool_name|arguments|id|tool_call_id|reason|reasoning)\b")
#: The number of characters after which the child that a tag opens is known.
_MAX_PART_LENGTH = 16
_PARTS = frozenset({"tool_name", "id", "tool_call_id", "reason", "reasoning"})
#: What `<arguments>` is called by mistake.
_MISNOMERS = frozenset({"args", "argument", "argments", "arguements", "parameters", "params", "input"})
_OPENER = re.compile(rf"<{CALL}(?=[\s>])")
_ELEMENT = re.compile(r"<[A-Za-z_]")
#: What shows that `<tool_name>` is not closed.
_NAME_LOST = re.compile(r"<(?:arguments|tool_name|id|tool_call_id|reason|reasoning)\b|</\s*+tool_calls?\b")
#: Where JSON without `</arguments>` ends: at the call's own closer, or at one that was meant for it.
_JSON_END = re.compile(r"</\s*+(?:tool_call|a[rg][a-z_]*+|param[a-z]*+)\s*+>")
_ENCLOSING = frozenset({CALL, WRAPPER})


@dataclass(slots=True)
class _Draft:
    """The parts that were read of the current call."""

    start: int
    open_end: int
    tool: str | None = None
    tool_span: Span | None = None
    arguments: Value | None = None
    arguments_span: Span | None = None
    typed: bool = False
    call_id: str | None = None
    misnamed: tuple[str, Span, Span] | None = None
    beside: bool = False
    cut_off: bool = False
    problems: list[Problem] = field(default_factory=list)
    reach: int = 0


#: The latest element that was read, by its place, and whether its arguments are JSON.
_LATEST: Final[Fact[tuple[int, Reading | None, bool]]] = Fact()


def read_tool_call(text: str, start: int, context: ReadContext, dialects: Mapping[str, str]) -> Reading | None:
    """Read the `<tool_call>` at `start`; None if it contains neither a name nor arguments in this shape.

    `dialects` gives the dialect's name for arguments written as `"json"` and as `"xml"`.
    """
    kept = _LATEST.get(context.scan)
    if kept is None or kept[0] != start:
        kept = _LATEST.keep(context.scan, (start, *_read_tool_call(text, start, context)))
    _, reading, typed = kept
    if reading is not None:
        reading.calls[0].dialect = dialects["json" if typed else "xml"]
    return reading


def _read_tool_call(text: str, start: int, context: ReadContext) -> tuple[Reading | None, bool]:
    """Read a `<tool_call>` without naming its dialect; also return whether its arguments are JSON."""
    opener = tag_at(text, start) if _OPENER.match(text, start) is not None else None
    if opener is None or opener.self_closing:
        context.look(skip_space(text, start + len(CALL) + 1) + 1)
        return None, False
    context.look(tag_reach(text, opener, context))
    visible = skip_space(text, opener.end)
    context.look(visible + _MAX_PART_LENGTH)
    if _PART.match(text, visible) is None and not _holds_part(text, visible, context):
        return None, False
    draft = _Draft(start, opener.end, problems=_faults(opener, start))
    draft.call_id = next((part.value for part in opener.attributes if part.name in ("id", "tool_call_id")), None)
    named = next_match(text, opener.end, _NAME, context, _call_limit(text, opener.end, context))
    hint = named[1] if named else ""
    closed, at = _read_parts(text, opener.end, hint, draft, context)
    end = at
    if not closed:
        if at >= len(text):
            end = max(len(text[:at].rstrip()), draft.arguments_span.end if draft.arguments_span is not None else 0)
        opening, cut = Span(start, opener.end), skip_space(text, at) >= len(text)
        draft.problems.append(unclosed_tag(opening, CALL, end, cut=cut, certain=not draft.problems))
    if draft.misnamed is not None and draft.arguments is not None:
        name, opening, _ = draft.misnamed
        span = Span(opening.start - 1, opening.end + 1)
        draft.problems.append(Problem("text-between-parameters", span, {"name": CALL, "text": f"<{name}>"}))
        draft.misnamed = None
    call = ToolCall(
        dialect="",
        span=Span(start, end),
        tool=draft.tool,
        tool_span=draft.tool_span or Span(draft.open_end, draft.open_end),
        arguments=draft.arguments,
        body=draft.arguments_span or Span(draft.open_end, end),
        name_spans=(draft.tool_span,) if draft.tool_span else (),
        problems=draft.problems,
        call_id=draft.call_id,
        sketch=draft.tool is not None and is_placeholder_name(draft.tool),
        complete=closed and not draft.cut_off,
        details={
            "family": CALL,
            "named": draft.tool_span is not None,
            "misnamed": draft.misnamed,
            "beside": draft.beside or bool(opener.attributes),
        },
    )
    return Reading([call], end, max(draft.reach, end) if closed else len(text)), draft.typed


def _read_parts(text: str, at: int, hint: str, draft: _Draft, context: ReadContext) -> tuple[bool, int]:
    """Read the parts of a call into `draft`; return whether it is closed, and where it ends or the parts do."""
    while True:
        context.budget.check()
        visible = skip_space(text, at)
        if text.startswith("<!--", visible):
            end = text.find("-->", visible)
            if end < 0:
                return False, at
            at = end + 3
            continue
        if not text.startswith("<", visible):
            unmatched_end = text.find("<", visible)
            unmatched_end = len(text) if unmatched_end < 0 else unmatched_end
            if visible >= len(text) or not has_closer(text, visible, CALL, context):
                return False, at
            between = Span(visible, visible + len(text[visible:unmatched_end].rstrip()))
            data = {"name": CALL, "text": between.of(text)}
            draft.problems.append(Problem("text-between-parameters", between, data, (delete(*between),)))
            at = unmatched_end
            continue
        tag = tag_at(text, visible)
        if tag is None:
            context.look(visible + 3)
            return False, at
        context.look(tag_reach(text, tag, context))
        if tag.closing:
            return _close(text, visible, tag, draft)
        if tag.name == CALL:
            return False, at
        following = _part(text, visible, tag.name, hint, draft, context)
        if following is None:
            return False, at
        at = following


def _call_limit(text: str, at: int, context: ReadContext) -> int:
    closer = next_closer(text, at, CALL, context)
    return len(text) if closer < 0 else closer


def _holds_part(text: str, visible: int, context: ReadContext) -> bool:
    """Return whether a call that begins with an element of another name holds a part of this shape further on."""
    if _ELEMENT.match(text, visible) is None or not has_closer(text, visible, CALL, context):
        return False
    limit = _call_limit(text, visible, context)
    return any(next_literal(text, visible, f"<{name}>", context, limit) >= 0 for name in ("tool_name", "arguments"))


def _faults(tag: XmlTag, at: int) -> list[Problem]:
    """Return what is wrong with a call's opening or closing tag at `at`: also that its `>` is missing."""
    if not tag.truncated:
        return [*tag.problems]
    written = f"</{CALL}" if tag.closing else f"<{CALL}"
    return [*tag.problems, half_written(Span(at, tag.end), written, insert(tag.end, ">"), cut=False)]


def _close(text: str, at: int, tag: XmlTag, draft: _Draft) -> tuple[bool, int]:
    half = half_marker(text, at, f"</{CALL}>")
    if half is not None:
        draft.cut_off = True
        draft.problems.append(half)
        return True, half.span.end
    if tag.name == CALL:
        draft.problems += _faults(tag, at)
        return True, tag.end
    if tag.name in (WRAPPER, "response"):
        return False, at
    opening = Span(draft.start, draft.open_end)
    draft.problems.append(mismatched_tag(Span(at, tag.end), CALL, opening, tag.name_span))
    return True, tag.end


def _part(text: str, at: int, name: str, hint: str, draft: _Draft, context: ReadContext) -> int | None:
    """Read one child of the call into `draft` and return where reading continues."""
    if name == "arguments":
        return _arguments(text, at, hint, draft, context)
    if name not in _PARTS and not has_closer(text, at, CALL, context):
        return None
    if name == "tool_name":
        plain = _PLAIN_NAME.match(text, at)
        if plain is not None:
            draft.tool, draft.tool_span = plain[1], Span(*plain.span(1))
            context.look(plain.end(1) + _MAX_PART_LENGTH)
            draft.reach = max(draft.reach, plain.end())
            return plain.end()
        lost = _unclosed_name(text, at, draft, context)
        if lost is not None:
            return lost
    read = read_element(text, at, hints=XmlHints(enclosing=_ENCLOSING, call=False), budget=context.budget)
    if read is None:
        return None
    context.look(read.reach)
    element = read.element
    draft.reach = max(draft.reach, read.reach)
    draft.problems += read.problems
    if name == "tool_name":
        content = element.text().strip()
        begin = (
            element.content.start
            + len(text[element.content.start : element.content.end])
            - len(text[element.content.start : element.content.end].lstrip())
        )
        span = Span(begin, begin + len(content)) if content and text.startswith(content, begin) else element.content
        draft.tool, draft.tool_span = content or None, span
    elif name in ("id", "tool_call_id"):
        draft.call_id = element.text().strip() or None
        draft.beside = True
    elif name in _MISNOMERS and draft.misnamed is None and element.close_name_span is not None:
        draft.misnamed = (name, element.name_span, element.close_name_span)
    elif name in ("reason", "reasoning"):
        draft.beside = True
    else:
        draft.problems.append(
            Problem("text-between-parameters", element.open_span, {"name": CALL, "text": f"<{name}>"})
        )
    return read.end


def _unclosed_name(text: str, at: int, draft: _Draft, context: ReadContext) -> int | None:
    """Read a `<tool_name>` that ends where the next part begins, without its closer; None if it has one."""
    tag = tag_at(text, at)
    if tag is None or tag.self_closing:
        return None
    following = text.find("<", tag.end)
    context.look(len(text) if following < 0 else following + _MAX_PART_LENGTH)
    if following < 0 or _NAME_LOST.match(text, following) is None:
        return None
    begin = min(skip_space(text, tag.end), following)
    content = text[begin:following].rstrip()
    end = begin + len(content)
    draft.tool, draft.tool_span = content or None, Span(begin, end)
    draft.problems.append(unclosed_tag(Span(at, tag.end), "tool_name", end, cut=False))
    return following


def _arguments(text: str, at: int, hint: str, draft: _Draft, context: ReadContext) -> int | None:
    tag = tag_at(text, at)
    if tag is None:
        return None
    visible = skip_space(text, tag.end)
    section = json_section(text, visible, context)
    looks_json = not tag.self_closing and (
        section is not None
        or (visible < len(text) and text[visible] in '{["')
        or json_lead(text, visible, context)
        or _only_text(text, visible, context)
    )
    if not looks_json:
        return _markup_arguments(text, at, tag, hint, draft, context)
    draft.typed = True
    draft.problems += tag.problems
    limit = len(text)
    paired = has_closer(text, tag.end, "arguments", context)
    if not paired:
        limit = _call_limit(text, tag.end, context)
    # A call inside the arguments of another is text only if the JSON is valid. So many broken calls do not each read
    # all the text after them.
    before = next_closer(text, tag.end, "arguments", context) if paired else limit
    following = next_literal(text, tag.end, f"<{CALL}>", context, before)
    if following >= 0 and section is None and not _is_sound(text, visible, following):
        paired, limit = False, following
    if section is not None:
        read_value = read_json(text, section.start, section.end, budget=context.budget)
    else:
        stop = _ARGUMENTS_END if paired else _JSON_END
        read_value = read_json(text, tag.end, limit, stop=stop, budget=context.budget)
    tail = read_value.end if section is None else section.end + len("]]>")
    draft.arguments = JsonValue(read_value)
    draft.problems += own_problems(read_value)
    draft.reach = max(draft.reach, read_value.reach)
    return _close_arguments(text, Span(at, tag.end), tail, draft, context, certain=not read_value.problems)


def _markup_arguments(text: str, at: int, tag: XmlTag, hint: str, draft: _Draft, context: ReadContext) -> int | None:
    """Read arguments that are child elements into `draft` and return where reading continues."""
    plain = None
    if tag.end == at + len("<arguments>") and context.tools.markup(hint) != "raw":
        plain = read_plain(text, tag.name, tag.end, context.scan.searches)
    if plain is not None:
        make = element_maker(text, at, hint, context, _ENCLOSING)
        draft.arguments = MarkupValue(make, texts=plain.texts)
        draft.arguments_span = Span(tag.end, plain.content_end)
        draft.reach = max(draft.reach, plain.end)
        return plain.end
    hints = replace(hints_for(hint, context), enclosing=_ENCLOSING)
    read = read_element(text, at, hints=hints, budget=context.budget)
    if read is None:
        return None
    draft.arguments, draft.arguments_span = MarkupValue(read.element), read.element.content
    draft.problems += read.problems
    draft.reach = max(draft.reach, read.reach)
    return read.end


def _close_arguments(text: str, opening: Span, tail: int, draft: _Draft, context: ReadContext, *, certain: bool) -> int:
    """Return where arguments end whose JSON ends at `tail`; problems of their closing tag are added to `draft`."""
    end = skip_space(text, tail)
    closer = tag_at(text, end)
    context.look(end + 3 if closer is None else tag_reach(text, closer, context))
    if closer is not None and closer.closing and closer.name != CALL:
        draft.arguments_span = Span(opening.end, end)
        draft.problems += closer.problems
        if closer.name != "arguments":
            found = Span(end, closer.end)
            draft.problems.append(mismatched_tag(found, "arguments", opening, closer.name_span))
        return closer.end
    draft.arguments_span = Span(opening.end, tail)
    draft.problems.append(unclosed_tag(opening, "arguments", tail, cut=end >= len(text), certain=certain))
    return tail


def _is_sound(text: str, at: int, after: int) -> bool:
    """Return whether clean JSON begins at `at` and continues beyond `after`."""
    try:
        _, end = _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        return False
    return end > after


def _only_text(text: str, at: int, context: ReadContext) -> bool:
    """Return whether `</arguments>` is the first tag after text that begins at `at`: no child elements, so the
    arguments can only be JSON."""
    following = text.find("<", at)
    context.look(len(text) if following < 0 else following + _MAX_PART_LENGTH)
    return following > at and _ARGUMENTS_END.match(text, following) is not None


def read_wrapper(text: str, start: int, context: ReadContext, dialects: Mapping[str, str]) -> Reading | None:
    """Read the `<tool_calls>` wrapper at `start` with the calls in it; None if it contains no call of this shape."""
    tag = tag_at(text, start)
    if tag is None or tag.closing or tag.self_closing or tag.name != WRAPPER:
        return None
    at = skip_space(text, tag.end)
    calls: list[ToolCall] = []
    problems: list[Problem] = [*tag.problems]
    reach = tag.end
    while True:
        context.budget.check()
        if text.startswith("<!--", at) and (end := text.find("-->", at)) >= 0:
            at = skip_space(text, end + 3)
            continue
        reading = read_tool_call(text, at, context, dialects)
        if reading is None:
            context.look(len(text) if text.startswith("<!--", at) else at + len("<!--"))
            break
        calls += reading.calls
        reach = max(reach, reading.reach)
        at = skip_space(text, reading.end)
    if not calls:
        return None
    closer = tag_at(text, at)
    context.look(at + 3 if closer is None else tag_reach(text, closer, context))
    end = at
    if closer is not None and closer.closing and closer.name == WRAPPER:
        end = closer.end
        problems += closer.problems
    elif not has_closer(text, at, WRAPPER, context):
        end = calls[-1].span.end
        certain = all(call.complete for call in calls)
        problems.append(unclosed_tag(Span(start, tag.end), WRAPPER, end, cut=at >= len(text), certain=certain))
        reach = len(text)
    frame = Span(start, end)
    for call in calls:
        call.frame = frame
    return Reading(calls, end, max(reach, end), problems)
