"""A sample tag with attributes, then what it does and its parameters: how Devin's prompts document commands.

Owns: where such a sample begins, which labels and bullets belong to it. Must not know: how the lines of bullets are
written (`support.parameter_lists` knows), headings.

`<shell id="shellId" exec_dir="/path">Command(s)</shell>`, `Description: …`, `Parameters:`, and a bullet for each. An
attribute is described in its bullet; one without a bullet is a parameter without a description. What is between the
tags of a sample is one more argument: text, by the name of the bullet that is not an attribute and has one of
`_BODIES`, else by the first of them; or child elements by their own names.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from callwright.calls.tag_bodies import BODY_KEY, body_name
from callwright.calls.tags import ATTRIBUTES
from callwright.declarations.styles.base import Body, Style, View
from callwright.declarations.styles.support.built_tools import Parameter, body_of, schema_part, text_part, tool_part
from callwright.declarations.styles.support.parameter_lists import read_inline, read_list
from callwright.declarations.styles.support.prose_page import Page
from callwright.declarations.styles.support.stated_words import DESCRIPTIONS, PARAMETERS, is_sketch, states_nothing
from callwright.text.span import Span
from callwright.tools.parts import LocatedValue

#: A sample has no more lines than that, nor has a description.
_SAMPLE_LINES: Final = 60
_MAX_SAMPLE_LENGTH: Final = 4_000
_LINES: Final = 150
#: At most this many lines of a description without a label may be between a sample and its parameters.
_UNLABELLED: Final = 4
#: A list of parameters is no longer, and ends before such a line.
_MAX_LIST_LENGTH: Final = 32_768
_AFTER_LIST: Final = re.compile(r"^[ \t>]*+(?:[<#]|`{3}|~{3})", re.MULTILINE)
#: One that begins so ends as well before a paragraph that is not indented.
_BULLET: Final = re.compile(r"\n?[ >]?(?:[-*+•]|\d{1,3}[.)])[ \t]")
_AFTER_BULLETS: Final = re.compile(rf"{_AFTER_LIST.pattern}|^[ \t]*+\n(?=[A-Za-z])", re.MULTILINE)
#: A label is indented by less than that.
_INDENT: Final = 80
_NAME: Final = r"[A-Za-z_][\w.:-]{0,99}+"
_ATTRIBUTE: Final = re.compile(rf"(?<!\s)\s++({_NAME})=(?:\"[^\"\n]{{0,500}}+\"|'[^'\n]{{0,500}}+')")
_LEAD: Final = r"[ \t>]*+`{0,3}+"
_OPENING: Final = re.compile(
    rf"({_LEAD})<({_NAME})((?:\s++{_NAME}=(?:\"[^\"\n]{{0,500}}+\"|'[^'\n]{{0,500}}+')){{0,40}}+)\s*+(/?)>"
)
_TAG_LINE: Final = re.compile(rf"{_LEAD}<{_NAME}(?:[\s/>]|\Z)")
#: A formatter of Markdown that takes an address in an attribute for a link leaves a second `>`.
_CLOSED: Final = re.compile(rf"(?:/|</({_NAME}))>{{1,2}}+`{{0,3}}+[ \t]*+\Z")
_FENCE: Final = re.compile(r"[ \t>]*+(?:`{3,}+|~{3,}+)[\w-]*+[ \t]*+\Z")
_DESCRIPTION_WORDS: Final = "|".join(DESCRIPTIONS)
_PARAMETER_WORDS: Final = "|".join(PARAMETERS)
_LABEL: Final = re.compile(
    rf"[ \t>]*+(?:[-*+][ \t]++)?[*_#]{{0,4}}+[ \t]*+(?:(?P<description>{_DESCRIPTION_WORDS})|(?P<parameters>"
    rf"{_PARAMETER_WORDS}))[*_]{{0,3}}+[ \t]*+[:：][*_]{{0,3}}+[ \t]*+",
    re.IGNORECASE,
)
#: What an argument between two tags is called.
_BODIES: Final = ("content", "body", "text", "code", "command", "message")
#: Elements that a sample shows between its tags, or speaks of: `within <old> and <new> tags`.
_CHILD: Final = re.compile(rf"<({_NAME})>(?=(?:[^<]|<(?!/))*+</\1>)")
_CHILDREN: Final = re.compile(
    rf"((?:<{_NAME}>(?:[ \t]*+,)?+[ \t]*+(?:(?:and|or)[ \t]++)?+){{1,10}}+)(?:tags?|elements?)\b"
)
_ANY_TAG: Final = re.compile(rf"</?({_NAME})")
_HEADING: Final = re.compile(r"[ \t>]*+#{1,6}[ \t]")
#: Elements of HTML: what a page or a README shows, and no model calls.
_HTML: Final = frozenset(
    [
        *("a", "abbr", "article", "aside", "audio", "b", "blockquote", "body", "br", "button", "canvas", "caption"),
        *("center", "cite", "code", "col", "dd", "details", "div", "dl", "dt", "em", "embed", "fieldset", "figure"),
        *("figcaption", "font", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hr", "html"),
        *("i", "iframe", "img", "kbd", "label", "legend", "li", "link", "main", "meta", "nav", "object", "ol"),
        *("option", "p", "param", "picture", "pre", "q", "s", "samp", "script", "section", "small", "source", "span"),
        *("strong", "style", "sub", "summary", "sup", "svg", "table", "tbody", "td", "template", "textarea", "tfoot"),
        *("th", "thead", "title", "tr", "track", "u", "ul", "var", "video"),
    ]
)
#: Sections of prompts, and what is around calls: their end is followed by other things than what they do.
_SECTIONS: Final = frozenset(
    [
        *("example", "examples", "usage", "context", "instructions", "instruction", "rules", "output", "input"),
        *("response", "request", "system", "user", "assistant", "task", "note", "notes", "format", "schema", "tool"),
        *("tools", "function", "functions", "tool_call", "tool_calls", "function_call", "function_calls", "invoke"),
        *("parameter", "parameters", "arguments", "args", "result", "results", "tool_result", "tool_response", "xml"),
        *("description", "name", "type", "required", "tool_name", "tool_description", "role", "prompt", "guidelines"),
        *("constraints", "data", "document", "documents", "file", "text", "content", "message", "query", "property"),
    ]
)


@dataclass(frozen=True, slots=True)
class _Sample:
    """A tag that shows a call: `[start, end)`, its name, and its attributes; `flat` is true if it is on one line.

    `content` is what is between its tags, None where it closes itself.
    """

    start: int
    end: int
    name: Span
    attributes: dict[str, Span]
    flat: bool
    content: Span | None


class AttributeTag:
    """A sample tag with attributes, its description and its parameters."""

    name = "attribute-tag"
    title = "a sample tag with its description"
    markers = tuple(
        sorted({word.capitalize() for word in DESCRIPTIONS} | {"Parameters", "Arguments", "Attributes", "参数"})
    )
    rank = 30

    def locate(self, view: View, at: int) -> Span | None:
        """Return the span from the sample before the label at `at` to the end of its parameters."""
        if not _begins_line(view, at):
            return None
        line = view.line(at)
        label = _LABEL.match(view.text, line.start, line.end)
        if label is None or at >= label.end():
            return None
        sample = _sample_before(view, line, unlabelled=label["parameters"] is not None)
        if sample is None:
            return None
        end = _end(view, sample, line, label)
        return None if end is None else Span(sample.start, end)

    def read(self, text: str) -> Body | None:
        """Return the tool that the sample shows."""
        sample = _sample_at(text, 0, len(text))
        if sample is None:
            return None
        described, listed = _labels(text, sample.end)
        parameters: list[Parameter] = []
        whole = False
        if listed is not None:
            stop = text.find("\n", listed.end)
            stop = len(text) if stop < 0 else stop
            rest = text[listed.end : stop]
            whole = states_nothing(rest) and not sample.attributes
            if rest.strip():
                parameters = read_inline(Page(text[:stop], listed.start), Span(listed.end, stop)) or []
            else:
                parameters = read_list(Page(text, stop + 1), 0).parameters
        named = {each.name for each in parameters}
        parameters.extend(Parameter(name, span) for name, span in sample.attributes.items() if name not in named)
        _add_content(text, sample, parameters)
        around = Span(0, len(text))
        description = _description(text, sample.end, described, listed)
        schema = schema_part(parameters, around)
        body = body_of(
            [tool_part(LocatedValue(sample.name.of(text), sample.name), description, schema, around)],
            around,
            whole=whole,
        )
        # Its calls are written as the sample is: where it shows child elements alone, these are the arguments.
        elements = not sample.attributes and any(each.name not in named for each in parameters)
        return body if elements and body_name(schema.value["properties"]) is None else replace(body, dialect=ATTRIBUTES)


def _add_content(text: str, sample: _Sample, parameters: list[Parameter]) -> None:
    """Add to a sample's parameters what is between its tags."""
    content = sample.content
    if content is None or not content.of(text).strip():
        return
    own = sample.name.of(text)
    known = {each.name for each in parameters}
    shown = [Span(*each.span(1)) for each in _CHILD.finditer(text, *content)]
    for stated_names in _CHILDREN.finditer(text, *content):
        shown += [Span(*each.span(1)) for each in _ANY_TAG.finditer(text, *stated_names.span(1))]
    elements = {each.of(text): each for each in reversed(shown)}
    own_elements = [each for name, each in elements.items() if name != own and name.lower() not in _HTML]
    if own_elements:
        fresh = [span for span in sorted(own_elements) if span.of(text) not in known]
        parameters.extend(Parameter(span.of(text), span) for span in fresh)
        return
    flag = {BODY_KEY: LocatedValue(True, content)}
    named = next((each for each in parameters if each.name in _BODIES and each.name not in sample.attributes), None)
    if named is not None:
        named.schema |= flag
        return
    free = next((name for name in _BODIES if name not in known), None)
    if free is not None:
        stated = text_part(text, content)
        # Its name is not written, so it has a place and no extent.
        place = Span(stated.span.start, stated.span.start)
        parameters.append(Parameter(free, place, {"description": stated, **flag}))


def _begins_line(view: View, at: int) -> bool:
    """Return whether nothing is before an offset on its line that a label could not follow."""
    text = view.text
    start = at
    while start > view.floor and at - start < _INDENT and text[start - 1] in " \t>*_#-+":
        start -= 1
    view.saw(max(start - 1, view.floor), at)
    return start == view.floor or text[start - 1] == "\n"


def _sample_before(view: View, line: Span, *, unlabelled: bool) -> _Sample | None:
    """Return the sample that ends right before a line, with one blank line between them at most."""
    text = view.text
    blank = 0
    skipped = 0
    fenced = False
    for before in view.lines_before(line.start):
        raw = before.of(text)
        if not raw.strip():
            blank += 1
            if blank > 1:
                return None
            continue
        if not fenced and _FENCE.match(raw) is not None:
            fenced = True
            continue
        closed = _CLOSED.search(raw)
        if closed is not None:
            return _sample_of(view, before, closed[1])
        if fenced or not unlabelled or skipped == _UNLABELLED or _LABEL.match(raw) or _HEADING.match(raw):
            return None
        skipped += 1
    return None


def _sample_of(view: View, last: Span, name: str | None) -> _Sample | None:
    """Return the sample whose last line is `last`: it ends with the end tag of `name`, or with `/>`."""
    text = view.text
    opening = re.compile(rf"{_LEAD}<{re.escape(name) if name else _NAME}(?:[\s/>]|\Z)")
    if opening.match(text, last.start, last.end) is not None:
        return _sample_at(text, last.start, last.end)
    for number, before in enumerate(view.lines_before(last.start)):
        if number == _SAMPLE_LINES or _LABEL.match(text, before.start, before.end) is not None:
            return None
        if opening.match(text, before.start, before.end) is not None:
            return _sample_at(text, before.start, last.end)
        if name is None and not text[before.start : before.end].strip():
            return None
    return None


def _sample_at(text: str, start: int, end: int) -> _Sample | None:
    """Return the sample that begins on the line at `start`."""
    found = _OPENING.match(text, start, end)
    if found is None:
        return None
    name = found[2]
    attributes = {each[1]: Span(*each.span(1)) for each in _ATTRIBUTE.finditer(text, *found.span(3))}
    stop = found.end()
    if not found[4]:
        closing = text.find(f"</{name}>", stop, end)
        if closing < 0:
            return None
        stop = closing + len(name) + 3
    content = None if found[4] else Span(found.end(), stop - len(name) - 3)
    flat = text.find("\n", found.start(2), stop) < 0
    lower = name.lower()
    if lower in _HTML or is_sketch(name) or (lower in _SECTIONS and not attributes):
        return None
    return _Sample(start, stop, Span(*found.span(2)), attributes, flat, content)


def _end(view: View, sample: _Sample, line: Span, label: re.Match[str]) -> int | None:
    """Return where the declaration ends whose first label is on `line`; None where it is none after all."""
    text = view.text
    listed: re.Match[str] | None = label if label["parameters"] is not None else None
    paragraph = _trimmed_end(text, line)
    if listed is None:
        listed, paragraph = _listing_after(view, line)
    if listed is not None:
        stop = text.find("\n", listed.end())
        stop = len(text) if stop < 0 else stop
        rest = text[listed.end() : stop].strip()
        if rest:
            view.saw(listed.start(), stop)
            return stop if label["description"] is not None or states_nothing(rest) else None
        most = min(len(text), stop + _MAX_LIST_LENGTH)
        bullets = _BULLET.match(text, stop + 1, most) is not None
        after = (_AFTER_BULLETS if bullets else _AFTER_LIST).search(text, stop + 1, most)
        # What ends a paragraph is seen with the first character after it.
        view.saw(listed.start(), most if after is None else min(after.end() + 1, most))
        page = Page(text[stop + 1 : most if after is None else after.start()])
        found = read_list(page, 0, outline=True)
        known = any(each.name in sample.attributes for each in found.parameters)
        if known or (found.parameters and label["description"] is not None):
            return stop + 1 + page.lines[found.after - 1].end
        if label["description"] is None:
            return None
    return paragraph if _is_plainly_a_tool(text, sample, line) else None


def _is_plainly_a_tool(text: str, sample: _Sample, line: Span) -> bool:
    """Return whether a sample with a description alone shows a tool, and not what some page is made of."""
    name = sample.name.of(text)
    near = not text[sample.end : line.start].strip(" \t`~\n") and text.count("\n", sample.end, line.start) <= 2
    if not near or name != name.lower() or "-" in name or "." in name:
        return False
    return sample.flat and (bool(sample.attributes) or name not in _SECTIONS)


def _listing_after(view: View, line: Span) -> tuple[re.Match[str] | None, int]:
    """Return the label of the parameters below a description, None where another sample comes first, and the end of
    the description's first paragraph."""
    text = view.text
    paragraph = _trimmed_end(text, line)
    in_first = True
    skip = 0
    for number, after in enumerate(view.lines_after(line.start)):
        if number == _LINES:
            break
        if after.end <= skip:
            continue
        raw = text[after.start : after.end]
        if not raw.strip():
            in_first = False
            continue
        label = _LABEL.match(text, after.start, after.end)
        if label is not None:
            return (label if label["parameters"] is not None else None), paragraph
        if _HEADING.match(raw) is not None:
            break
        if _TAG_LINE.match(raw) is not None:
            most = min(len(text), after.start + _MAX_SAMPLE_LENGTH)
            view.saw(after.start, most)
            sample = _sample_at(text, after.start, most)
            if sample is None or _is_followed_by_label(view, sample.end):
                break
            skip = sample.end
        if in_first:
            paragraph = _trimmed_end(text, after)
    return None, paragraph


def _is_followed_by_label(view: View, at: int) -> bool:
    for number, after in enumerate(view.lines_after(at)):
        raw = after.of(view.text)
        if raw.strip() and _FENCE.match(raw) is None:
            return _LABEL.match(raw) is not None
        if number == 2:
            break
    return False


def _labels(text: str, at: int) -> tuple[Span | None, Span | None]:
    """Return the spans of the labels after a sample: of its description, and of its parameters."""
    described: Span | None = None
    while at < len(text):
        stop = text.find("\n", at)
        stop = len(text) if stop < 0 else stop
        label = _LABEL.match(text, at, stop)
        if label is not None and label["parameters"] is not None:
            return described, Span(*label.span())
        if label is not None and described is None:
            described = Span(*label.span())
        at = stop + 1
    return described, None


def _description(text: str, sample_end: int, described: Span | None, listed: Span | None) -> LocatedValue | None:
    """Return what a tool does: what follows its label, or is between the sample and the parameters."""
    start = described.end if described is not None else sample_end
    end = listed.start if listed is not None else len(text)
    raw = text[start:end]
    if described is None:
        start += len(raw) - len(raw.lstrip(" \t\n`~"))
    return text_part(text, Span(start, end)) if start < end and text[start:end].strip() else None


def _trimmed_end(text: str, line: Span) -> int:
    return line.start + len(text[line.start : line.end].rstrip())


STYLE: Style = AttributeTag()
