"""Calls whose arguments are one JSON value inside a tag with the tool's name.

Owns: whether a body is JSON, the reading of it, its closer. Must not know: dialect modules, the registry's class,
documents.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from callwright.calls.json_places import own_problems
from callwright.calls.marker_problems import half_marker, mismatched_tag, unclosed_tag
from callwright.calls.model import JsonValue, ToolCall
from callwright.calls.protocol import ReadContext, Reading
from callwright.calls.scanning import closer_pattern, has_closer, next_literal, skip_space
from callwright.calls.sketch import is_placeholder_name
from callwright.calls.strange_tags import is_inside_word, is_strange
from callwright.calls.tags import BareTag, bare_tag, shows_tool
from callwright.syntax.json import JsonRead, read_json
from callwright.syntax.prose import fence_closer
from callwright.syntax.xml_tags import same_name
from callwright.text.holes import HOLE
from callwright.text.span import Span

if TYPE_CHECKING:
    from callwright.syntax.problem import Problem

_LINE_OPENER = re.compile(r"(?<=[\r\n])[ \t]*+<([A-Za-z_][\w.:\-]*+)")
#: The maximum number of characters before JSON in a body; with more, the body is text.
_MAX_LEAD_LENGTH: Final = 200
_JSON_LEAD = re.compile(rf"[^<{{]{{0,{_MAX_LEAD_LENGTH}}}+\{{(?=\s*+[\"'}}.…])")
#: JSON that is neither an object nor an array, up to the tag that closes it, and the beginning of JSON in a fence.
_SCALAR_BODY = re.compile(
    r"""(?:"(?:[^"\\\r\n]|\\[^\r\n])*+"|-?[0-9][0-9.eE+\-]*+|true|false|null)\s*+</([A-Za-z_][\w.:\-]*+)\s*+>"""
)
_FENCED_JSON = re.compile(r"```[\w\-]{0,20}+[ \t]*+(?>\r\n|\n|\r)\s*+[{\[]")
#: The beginning of truncated JSON: more than a brace, or nothing else.
_JSON_CUT = re.compile(r"""[{\[]\s*+(?:["'{}\]]|\Z|[\w\-]++\s*+:)""")
_JSON_SECTION = re.compile(r"<!\[CDATA\[\s*+[{\[]")
_CLOSER = re.compile(rf"</\s*+([A-Za-z_{HOLE}][\w.:\-{HOLE}]*+)\s*+(>?)")


def begins_json(text: str, opening: BareTag, context: ReadContext) -> bool:
    """Return whether the body begins as a JSON object, array or (by mistake) an encoded string of one.

    A tool's body may also begin with words in front of the JSON. With an unknown name, any JSON value counts.
    """
    at = opening.visible
    if opening.tag.self_closing or at >= len(text):
        return False
    char = text[at]
    if char in "{[":
        return True
    if is_strange(opening, context):
        alone = _SCALAR_BODY.match(text, at)
        if alone is not None and alone[1] == opening.name and opening.reason != "drawing":
            context.look(alone.end())
            return True
        if _FENCED_JSON.match(text, at) is not None:
            return True
    if char == "<":
        return json_section(text, at, context) is not None
    if opening.reason == "tool" and opening.own_line and json_lead(text, at, context):
        return has_closer(text, at, opening.name, context)
    return char == '"' and skip_space(text, at + 1) < len(text) and text[skip_space(text, at + 1)] in "{["


def json_lead(text: str, at: int, context: ReadContext) -> bool:
    """Return whether a body that begins at `at` with text is JSON with words or a fence's line in front of it.

    The brace has to be before any tag; if a tag is first, the text is between parameters.
    """
    if text.startswith("<", at):
        return False
    lead = _JSON_LEAD.match(text, at)
    context.look(at + _MAX_LEAD_LENGTH + 1)
    return lead is not None


def json_section(text: str, at: int, context: ReadContext) -> Span | None:
    """Return the content of the CDATA section at `at` if it is JSON: XML parsers read it as the same text."""
    opener = _JSON_SECTION.match(text, at)
    if opener is None:
        return None
    end = next_literal(text, opener.end(), "]]>", context)
    if end < 0:
        return None
    return Span(at + len("<![CDATA["), end)


def read_json_call(text: str, start: int, context: ReadContext, dialect: str) -> Reading | None:
    """Read a call whose arguments are one JSON value inside the tag at `start`, or None if it is not one."""
    opening = bare_tag(text, start, context)
    if opening is None or opening.tag.self_closing:
        return None
    name, tag = opening.name, opening.tag
    if not begins_json(text, opening, context):
        # A body that is neither JSON nor elements is a broken JSON body only if JSON is preferred.
        meant = opening.reason == "tool" and opening.own_line
        if context.preferred != dialect or not (meant or (context.strict and opening.reason in ("tool", "near"))):
            return None
        if opening.visible >= len(text) or text[opening.visible] == "<":
            return None
        if not has_closer(text, tag.end, name, context):
            return None
    paired = has_closer(text, tag.end, name, context)
    strange = is_strange(opening, context)
    cut = opening.reason == "tool" or (strange and _may_be_cut(text, opening))
    if not paired and (not cut or context.scan.window is not None):
        # If the text grows, all is read again, since the closer was searched to the end.
        return None
    section = json_section(text, opening.visible, context)
    if section is not None:
        reach = 0
        read = read_json(text, section.start, section.end, budget=context.budget)
    else:
        end, reach = _json_limit(text, tag.end, context) if not paired else (len(text), 0)
        stop = closer_pattern(name) if paired else None
        read = read_json(text, tag.end, end, stop=stop, open_ended=not paired, budget=context.budget)
    tail = read.end if section is None else section.end + len("]]>")
    context.look(read.reach)
    if strange and opening.reason != "near" and not _is_json_body(text, read, tail, opening):
        return None
    if opening.reason in ("shape", "documented", "beside") and not strange and not isinstance(read.value, dict):
        return None
    if opening.reason == "word" and not (
        isinstance(read.value, dict) and (not read.value or shows_tool(name, [*read.value], context))
    ):
        return None
    problems = own_problems(read)
    if tag.attributes or tag.broken:
        problems += tag.problems
    at = skip_space(text, tail)
    closer = _CLOSER.match(text, at)
    context.look((closer.end() if closer is not None else skip_space(text, at + 2)) + 1)
    body_end, call_end = (tail, tail) if closer is None or not closer[2] else (at, closer.end())
    names: tuple[Span, ...] = (tag.name_span,)
    fault: Problem | None = None
    if closer is not None and same_name(closer[1], name) and closer[2]:
        names = (tag.name_span, Span(*closer.span(1)))
    elif closer is not None and closer[2]:
        fault = mismatched_tag(Span(*closer.span()), name, Span(start, tag.end), Span(*closer.span(1)))
    else:
        fault = half_marker(text, at, f"</{name}>", certain=not read.problems) if text.startswith("</", at) else None
        if fault is not None:
            body_end, call_end = at, len(text)
        else:
            certain = not read.problems
            fault = unclosed_tag(Span(start, tag.end), name, tail, cut=at >= len(text), certain=certain)
    call = ToolCall(
        dialect=dialect,
        span=Span(start, call_end),
        tool=name,
        tool_span=tag.name_span,
        arguments=JsonValue(read),
        body=Span(tag.end, body_end),
        name_spans=names,
        problems=problems if fault is None else [*problems, fault],
        sketch=is_placeholder_name(name),
        complete=closer is not None and bool(closer[2]),
    )
    return Reading([call], call_end, max(read.reach, call_end, reach))


def _may_be_cut(text: str, opening: BareTag) -> bool:
    """Return whether JSON after an unclosed tag with an unknown name may be the body of a call."""
    tag = opening.tag
    return not tag.truncated and not is_inside_word(text, tag) and _JSON_CUT.match(text, opening.visible) is not None


def _is_json_body(text: str, read: JsonRead, end: int, opening: BareTag) -> bool:
    """Return whether the body of a tag with an unknown name is JSON: up to its closer, or as far as it goes."""
    if not read.clean and _JSON_CUT.match(text, read.span.start) is None:
        return False
    closer = _CLOSER.match(text, skip_space(text, end))
    if closer is not None and same_name(closer[1], opening.name):
        return read.root.kind != "missing"
    cut = any(problem.data.get("truncated") for problem in read.problems)
    return isinstance(read.value, dict | list) and (cut or bool(read.value))


def _json_limit(text: str, at: int, context: ReadContext) -> tuple[int, int]:
    """Return where a JSON body without a closing tag must end: at its fence's end or before the next call."""
    searches = context.scan.searches
    known = searches.known(_json_limit, at)
    if known is not None:
        return known, len(text)
    end = len(text)
    if context.fence is not None:
        closer = fence_closer(context.fence.char, context.fence.length).search(text, at)
        if closer is not None:
            end = closer.start()
    for match in _LINE_OPENER.finditer(text, at, end):
        if context.tools.has(match[1]):
            end = match.start()
            break
    return searches.keep(_json_limit, at, end), len(text)
