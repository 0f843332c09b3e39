"""Calls framed by a tag that bears the tool's name: what such a tag is, and how its two kinds of body are read.

Owns: the decision whether a bare tag is a call, a near miss or prose, and the reading of a body as child elements or as
one JSON value. Must not know: dialect modules, the registry's class, documents.
"""

import re
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from callwright.calls.model import Argument, JsonValue, MarkupValue, ToolCall, Value
from callwright.calls.protocol import MORE_FOLLOWS, ReadContext, Reading, ToolNames
from callwright.calls.result_text import RESULT_TAGS
from callwright.calls.sketch import is_placeholder_name
from callwright.calls.vocabularies import DRAWING_NAMES
from callwright.syntax import reasoning
from callwright.syntax.json import JsonRead, read_json
from callwright.syntax.problem import Problem
from callwright.syntax.prose import PLAIN_LANGUAGES, comment_end, fence_closer, line_end, line_start, next_line
from callwright.syntax.xml import XmlElement, XmlHints, XmlRead, XmlTag, read_element, tag_at
from callwright.syntax.xml_plain import read_plain
from callwright.syntax.xml_tags import same_name
from callwright.text.holes import HOLE
from callwright.text.keeping import once_for_each
from callwright.text.span import Edit, Span, delete, insert

#: Elements of HTML (WHATWG's index, obsolete ones included): never calls without a tool of the name.
HTML_NAMES: Final = frozenset(
    [
        "a",
        "abbr",
        "acronym",
        "address",
        "applet",
        "area",
        "article",
        "aside",
        "audio",
        "b",
        "base",
        "basefont",
        "bdi",
        "bdo",
        "big",
        "blink",
        "blockquote",
        "body",
        "br",
        "button",
        "canvas",
        "caption",
        "center",
        "cite",
        "code",
        "col",
        "colgroup",
        "data",
        "datalist",
        "dd",
        "del",
        "details",
        "dfn",
        "dialog",
        "dir",
        "div",
        "dl",
        "dt",
        "em",
        "embed",
        "fieldset",
        "figcaption",
        "figure",
        "font",
        "footer",
        "form",
        "frame",
        "frameset",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "head",
        "header",
        "hgroup",
        "hr",
        "html",
        "i",
        "iframe",
        "image",
        "img",
        "input",
        "ins",
        "kbd",
        "label",
        "legend",
        "li",
        "link",
        "main",
        "map",
        "mark",
        "marquee",
        "math",
        "menu",
        "meta",
        "meter",
        "nav",
        "nobr",
        "noframes",
        "noscript",
        "object",
        "ol",
        "optgroup",
        "option",
        "output",
        "p",
        "param",
        "picture",
        "plaintext",
        "pre",
        "progress",
        "q",
        "rp",
        "rt",
        "ruby",
        "s",
        "samp",
        "script",
        "search",
        "section",
        "select",
        "slot",
        "small",
        "source",
        "span",
        "strike",
        "strong",
        "style",
        "sub",
        "summary",
        "sup",
        "svg",
        "table",
        "tbody",
        "td",
        "template",
        "textarea",
        "tfoot",
        "th",
        "thead",
        "time",
        "title",
        "tr",
        "track",
        "tt",
        "u",
        "ul",
        "var",
        "video",
        "wbr",
        "xmp",
    ]
)

#: Names that other notations use for their frames; a bare tag of such a name is never a tool's by its shape alone.
FRAME_NAMES: Final = frozenset(
    [
        "tool_call",
        "tool_calls",
        "tool_name",
        "tool_use",
        "tool_result",
        "tool_results",
        "tool_response",
        "tool_responses",
        "tool_output",
        "tool_error",
        "function_call",
        "function_calls",
        "function_result",
        "function_results",
        "arg_key",
        "arg_value",
        "tool",
        "tools",
        "function",
        "functions",
    ]
)

#: The dialect whose arguments are in the tag itself.
ATTRIBUTES: Final = "xml-attributes"
#: The dialects that share the bare tag; one of them reads calls without a body.
BARE_TAG_DIALECTS: Final = frozenset({ATTRIBUTES, "xml-children", "xml-json"})

#: Where the last call ends that is a bare tag of a known tool, with the white space after it.
AFTER_CALL: Final = "after call"
#: How long a tag and an element are that a call next to them makes one.
MAX_TAG: Final = 200
MAX_BESIDE: Final = 1_000
#: How much text between the elements of a call is a slip; with more of it, the tag frames prose.
MAX_STRAY: Final = 120

#: What the memo holds where text was met beside elements.
FAILED: Final = "no elements before"
#: What a model thinks aloud is no call, even where nothing closes it.
_THOUGHTS: Final = frozenset(filter(None, map(reasoning.tag_name, reasoning.OPENERS)))
#: Whatever may be a call where nothing that is written like one may be missed, and that no tool's name begins.
_STRANGE: Final = frozenset({"near", "placeholder", "shape", "stranger", "drawing", "result"})
_NAME = re.compile(rf"<([A-Za-z_{HOLE}][\w.:\-{HOLE}]*+)")
_SPACE = re.compile(r"\s*+")
_LEAD = re.compile(r"(?:[ \t>\"']|[-*+][ \t]|\d{1,9}[.)][ \t])*+")
_LINE_OPENER = re.compile(r"(?<=[\r\n])[ \t]*+<([A-Za-z_][\w.:\-]*+)")
#: Words in front of JSON are few; behind so many characters a body is taken for text.
_LONGEST_LEAD: Final = 200
#: What may lead a line inside of a quotation.
QUOTED: Final = re.compile(r"[ \t>]*+")
_JSON_LEAD = re.compile(rf"[^<{{]{{0,{_LONGEST_LEAD}}}+\{{(?=\s*+[\"'}}.…])")
#: JSON that is neither an object nor an array, up to the tag that closes it, and the beginning of JSON in a fence.
_SCALAR_BODY = re.compile(
    r"""(?:"(?:[^"\\\r\n]|\\[^\r\n])*+"|-?[0-9][0-9.eE+\-]*+|true|false|null)\s*+</([A-Za-z_][\w.:\-]*+)\s*+>"""
)
_FENCED_JSON = re.compile(r"```[\w\-]{0,20}+[ \t]*+(?>\r\n|\n|\r)\s*+[{\[]")
#: What JSON begins with that is cut off: more than a brace, or nothing else.
_JSON_CUT = re.compile(r"""[{\[]\s*+(?:["'{}\]]|\Z|[\w\-]++\s*+:)""")
_QUOTED_ATTRIBUTE = re.compile(r"""\s[\w.:\-]++\s*+=\s*+["']""")
#: What elements are made of; the beginning of a tag at the end counts, too.
_PIECE = re.compile(
    r"\s*+(?:(?P<comment><!--)|<(?P<closing>/?+)(?P<name>[A-Za-z_][\w.:\-]*+)(?P<more>[^<>]*+)(?:>|\Z)"
    r"|(?P<text><!\[CDATA\[(?:(?!\]\]>).)*+(?:\]\]>|\Z)|[^<]++|<(?!/?+\Z))|</?+\Z)",
    re.DOTALL,
)
#: Elements of HTML that nothing closes.
_VOID: Final = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"}
)
#: A little text, and the first tag behind it.
_LITTLE: Final = 40
_ELEMENT_LEAD = re.compile(rf"[^<]{{0,{_LITTLE}}}+<([A-Za-z_][\w.:\-]*+)")
_JSON_SECTION = re.compile(r"<!\[CDATA\[\s*+[{\[]")
_ANY_CLOSER = re.compile(rf"</([A-Za-z_{HOLE}][\w.:\-{HOLE}]*+)")
_CLOSER = re.compile(rf"</\s*+([A-Za-z_{HOLE}][\w.:\-{HOLE}]*+)\s*+(>?)")
#: A template's expression has a character for each of its own, and may be spaced otherwise in the closing tag.
_HOLES = re.compile(f"{HOLE}++")


@dataclass(frozen=True, slots=True)
class BareTag:
    """An opening tag that may begin a call: why it may, and where its body's first visible character stands.

    `reason` is `"tool"` (a tool's name), `"word"` (one that is a plain word, of a tool that is merely offered: its
    parameters have to show that it is meant), `"near"` (a near miss of one), `"documented"` (the document documents
    the name), `"beside"` (a call of a known tool is next to it), `"shape"` (the shape alone is evidence enough),
    `"placeholder"` (a name such as `tool_name`), and where nothing that is written like a call may be missed,
    `"stranger"` (no tool's: its body has to show that it is one), `"drawing"` (the same, of a name that SVG or MathML
    has) or `"result"` (a name that results stand in).
    """

    tag: XmlTag
    reason: str
    visible: int
    own_line: bool

    @property
    def name(self) -> str:
        """The name in the tag."""
        return self.tag.name


def skip_space(text: str, at: int) -> int:
    """Return the offset of the first character at or behind `at` that is no white space."""
    match = _SPACE.match(text, at)
    return match.end() if match else at


def line_of(text: str, start: int, context: ReadContext) -> int:
    """Return where the line that holds `start` begins; the driver says so, for lines can be long."""
    if context.memo.get("line of") == start:
        return context.memo["line"]
    return line_start(text, start)


def end_of_line(text: str, at: int, context: ReadContext) -> int:
    """Return what `line_end` does; a line that holds many tags is gone through once."""
    memo = context.memo
    if not memo.get("line end from", 1) <= at <= memo.get("line end", 0):
        memo["line end from"], memo["line end"] = at, line_end(text, at)
    return memo["line end"]


def lead_end(lead: re.Pattern[str], text: str, start: int, context: ReadContext) -> int:
    """Return how far what may lead a line reaches on the line of `start`; each line is asked once."""
    begin, memo, name = line_of(text, start, context), context.memo, lead.pattern
    if memo.get(name + " of") != begin:
        match = lead.match(text, begin)
        memo[name + " of"], memo[name] = begin, begin if match is None else match.end()
    return memo[name]


def is_prose(text: str, start: int, context: ReadContext) -> bool:
    """Tell whether a tag begins at `start` whose name begins no call, whatever follows it, as most tags of a page."""
    match = _NAME.match(text, start)
    if match is None:
        return False
    reason = _verdict(match[1], context)
    return reason is None or (reason == "unknown" and _evidence(text, start, match, context) is None)


def _verdict(name: str, context: ReadContext) -> str | None:
    """Return why a bare tag of this name may begin a call here, None where it cannot."""
    if name not in context.verdicts:
        context.verdicts[name] = _reason(name, context)
    return context.verdicts[name]


@once_for_each
def prose_tags(tools: ToolNames) -> str:
    """Return the pattern of how tags begin that are prose wherever they stand outside quotes: those of HTML."""
    names = sorted(name for name in HTML_NAMES if not tools.has(name))
    return rf"</?+(?:{'|'.join(names)})(?![\w.:\-{HOLE}])"


def bare_tag(text: str, start: int, context: ReadContext) -> BareTag | None:
    """Return the opening tag at `start` where it can begin a call, or None where it is prose for certain."""
    kept: tuple[int, BareTag | None] | None = context.shared.get("bare tag")
    if kept is None or kept[0] != start:
        kept = context.shared["bare tag"] = (start, _bare_tag(text, start, context))
    return kept[1]


def _bare_tag(text: str, start: int, context: ReadContext) -> BareTag | None:
    match = _NAME.match(text, start)
    if match is None:
        return None
    name = match[1]
    reason = _verdict(name, context)
    if reason == "unknown":
        reason = _evidence(text, start, match, context)
    if reason is None:
        return None
    tag = tag_at(text, start)
    if tag is None or tag.closing:
        context.look(match.end() + 1)
        return None
    context.look(tag_reach(text, tag, context))
    own_line = lead_end(_LEAD, text, start, context) >= start
    visible = tag.end
    if not tag.self_closing:
        visible = skip_space(text, tag.end)
        context.look(skip_space(text, visible + 1) + len(name) + 3)
    return BareTag(tag, reason, visible, own_line)


def tag_reach(text: str, tag: XmlTag, context: ReadContext) -> int:
    """Return how far the text had to be looked at to read `tag`: a broken one goes on until something else begins."""
    if not tag.broken:
        return tag.end
    following = text.find("<", tag.end)
    return len(text) if following < 0 else max(following + 1, end_of_line(text, tag.end, context) + 1)


def _reason(name: str, context: ReadContext) -> str | None:
    if context.tools.has(name):
        return "word" if is_word(name, context) else "tool"
    if name.lower() in HTML_NAMES or name in context.answer_tags:
        return None
    strange = context.strict and context.fence is None and HOLE not in name
    if strange and name in RESULT_TAGS:
        return "result"
    if name in FRAME_NAMES - {"tool_name"} and not strange:
        return None
    if context.fence is not None and context.fence.language not in PLAIN_LANGUAGES:
        return None
    if is_placeholder_name(name):
        return "placeholder"
    near = context.tools.near(name)
    if near is not None and not is_word(near, context):
        return "near"
    if context.documented is not None and not context.strict:
        return "unknown"
    if "_" in name and not context.tools.closed:
        return "shape"
    if not strange or name in _THOUGHTS:
        return None
    return "drawing" if name in DRAWING_NAMES else "stranger"


def _evidence(text: str, start: int, name: re.Match[str], context: ReadContext) -> str | None:
    """Return why the element at `start`, whose name no tool has, may be a call: it has the shape of one, and is next to
    a call of a known tool, or the document documents the name. None where there is no such evidence."""
    close = text.find(">", name.end(), name.end() + MAX_TAG) + 1
    visible = skip_space(text, close)
    context.look(max(visible, close or name.end() + MAX_TAG) + 1)
    if not close or visible >= len(text) or text[visible] not in "<{":
        return None
    if not has_closer(text, visible, name[1], context):
        return None
    if context.memo.get(AFTER_CALL) == start or _precedes_call(text, visible, name[1], context):
        return "beside"
    return "documented" if context.documented is not None and name[1] in context.documented else None


def _precedes_call(text: str, visible: int, name: str, context: ReadContext) -> bool:
    """Return whether a call of a known tool follows the short element `name`, whose body begins at `visible`."""
    closer = f"</{name}>"
    end = text.find(closer, visible, visible + MAX_BESIDE)
    if end < 0:
        context.look(visible + MAX_BESIDE)
        return False
    following = skip_space(text, end + len(closer))
    tag = _NAME.match(text, following)
    context.look((following if tag is None else tag.end()) + 1)
    return tag is not None and context.tools.has(tag[1])


def is_word(name: str, context: ReadContext) -> bool:
    """Tell whether a tool's name is a plain word, and nobody said that its tools are in force: `step`, `status`."""
    return not context.tools.closed and not context.strict and name.isalpha() and name.islower()


def is_strange(opening: BareTag, context: ReadContext) -> bool:
    """Return whether a tag is no tool's, and its body alone has to show that it is a call, for none may be missed."""
    return context.strict and context.fence is None and opening.reason in _STRANGE


def begins_json(text: str, opening: BareTag, context: ReadContext) -> bool:
    """Tell whether the body begins as a JSON object, array or (by mistake) an encoded string of one.

    A tool's body may also begin with words in front of the JSON. Of a name that is no tool's, any JSON value counts.
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
    """Tell whether a body that begins at `at` with text is JSON with words or a fence's line in front of it.

    The brace has to stand before any tag; where a tag stands first, the text lies between parameters.
    """
    if text.startswith("<", at):
        return False
    lead = _JSON_LEAD.match(text, at)
    context.look(at + _LONGEST_LEAD + 1)
    return lead is not None


def json_section(text: str, at: int, context: ReadContext) -> Span | None:
    """Return the content of the CDATA section at `at` where it holds JSON: to an XML parser that is the same text."""
    opener = _JSON_SECTION.match(text, at)
    if opener is None:
        return None
    end = next_literal(text, opener.end(), "]]>", context)
    if end < 0:
        return None
    return Span(at + len("<![CDATA["), end)


def own_problems(read: JsonRead) -> list[Problem]:
    """Return the problems of a JSON reading that lie in it; a text that is cut off may end before what was met next."""
    return [problem for problem in read.problems if problem.span.end <= read.end]


def closer_pattern(name: str) -> re.Pattern[str]:
    """Return the pattern of the closing tag of `name`."""
    written = f"{HOLE}++".join(map(re.escape, _HOLES.split(name)))
    return re.compile(rf"</\s*+{written}\s*+>")


def is_empty(text: str, opening: BareTag) -> bool:
    """Tell whether a tag has no body, so that nothing in it says which dialect it is in."""
    return opening.tag.self_closing or text.startswith(f"</{opening.name}", opening.visible)


def read_markup_call(
    text: str, start: int, context: ReadContext, dialect: str, *, only_empty: bool = False
) -> Reading | None:
    """Read a call whose arguments are child elements of the tag at `start`, or None where it is prose or JSON.

    An empty body, or one that is neither JSON nor elements, is in the preferred dialect where that has bare tags too:
    with `only_empty` nothing but empty bodies is read, and without it both are left to that dialect.
    """
    opening = bare_tag(text, start, context)
    if opening is None or begins_json(text, opening, context):
        return None
    asked = context.preferred
    if asked is None and context.tools.dialect(opening.name) == ATTRIBUTES:
        asked = ATTRIBUTES
    elsewhere = asked in BARE_TAG_DIALECTS and asked != dialect
    empty = is_empty(text, opening)
    if only_empty and not empty:
        return None
    strange = is_strange(opening, context)
    text_leads = not empty and not text.startswith("<", opening.visible)
    if elsewhere and not only_empty and (empty or (text_leads and (not strange or opening.reason == "near"))):
        return None
    name = opening.name
    if opening.tag.self_closing:
        named = opening.reason == "tool" or (opening.reason == "near" and opening.own_line)
        called = strange and (opening.tag.attributes or context.offered(name)) and opening.reason != "drawing"
        if not (named or called):
            return None
        read = read_element(text, start, hints=hints_for(name, context), budget=context.budget)
        if read is None:
            return None
        context.look(read.reach)
        call = _call(dialect, read.element, MarkupValue(read.element), read.problems)
        return Reading([call], read.end, read.reach)
    plain = _plain_call(text, start, opening, context, dialect)
    if plain is not None:
        return plain
    if not _worth_reading(text, opening, context):
        return None
    read = read_element(text, start, hints=hints_for(name, context), budget=context.budget)
    if read is None:
        return None
    context.look(read.reach)
    if not _is_markup_call(text, opening, read.element, context):
        return None
    following = _document_part(text, read.element, context)
    if following is not None:
        read = read_element(text, start, end=following, hints=hints_for(name, context), budget=context.budget) or read
    call = _call(dialect, read.element, MarkupValue(read.element), [*read.problems, *_only_text(read)])
    # Of a name that is no tool's, all that follows is part of the call that is cut off.
    end = len(text) if strange and not call.complete else read.end
    return Reading([call], end, max(read.reach, end))


def _plain_call(text: str, start: int, opening: BareTag, context: ReadContext, dialect: str) -> Reading | None:
    """Read a tool's call whose parameters are text and nothing else; None where it has to be read closely."""
    name, tag = opening.name, opening.tag
    if opening.reason != "tool" or tag.end != start + len(name) + 2 or context.tools.markup(name) == "raw":
        return None
    plain = read_plain(text, name, tag.end, context.memo)
    if plain is None:
        return None
    first = plain.texts[0].name
    if first in context.siblings and not opening.own_line and first not in (context.tools.parameters(name) or ()):
        return None
    context.budget.check()
    end, closer = plain.end, plain.content_end + 2
    context.look(end)
    call = ToolCall(
        dialect=dialect,
        span=Span(start, end),
        tool=name,
        tool_span=tag.name_span,
        arguments=MarkupValue(element_maker(text, start, name, context), texts=plain.texts),
        body=Span(tag.end, plain.content_end),
        name_spans=(tag.name_span, Span(closer, closer + len(name))),
        sketch=is_placeholder_name(name),
    )
    return Reading([call], end, end)


def element_maker(
    text: str, start: int, tool: str, context: ReadContext, enclosing: frozenset[str] = frozenset()
) -> Callable[[], XmlElement]:
    """Return what makes the element at `start`, which was found to be plain; it holds on to no more than it needs."""
    tools, siblings = context.tools, context.siblings

    def make() -> XmlElement:
        hints = replace(_hints_for(tool, tools, siblings), enclosing=enclosing)
        read = read_element(text, start, hints=hints)
        assert read is not None, "an element was read there before"
        return read.element

    return make


def _only_text(read: XmlRead) -> list[Problem]:
    """Return the problem of a body that is text and nothing else: it reaches no tool, as text beside parameters."""
    element = read.element
    content = element.content.of(element.source)
    stray = content.strip()
    if element.elements or not stray or not stray.strip(HOLE) or read.problems:
        return []
    start = element.content.start + len(content) - len(content.lstrip())
    span = Span(start, start + len(stray))
    return [Problem("text-between-parameters", span, {"name": element.name, "text": stray}, (delete(*span),))]


def _document_part(text: str, element: XmlElement, context: ReadContext) -> int | None:
    """Return where the document goes on behind a call that is never closed: an element of HTML begins a line."""
    if element.close_start >= 0:
        return None
    parameters = context.tools.parameters(element.name)
    if not parameters:
        return None
    for child in element.elements:
        if child.name not in parameters and child.name.lower() in HTML_NAMES:
            before = text[element.content.start : child.span.start].rstrip(" \t")
            return child.span.start if before.endswith(("\n", "\r")) else None
    return None


def hints_for(name: str, context: ReadContext) -> XmlHints:
    """Return what the fragment reader should know of the tool `name`."""
    hints: XmlHints | None = context.shared.get(("hints", name))
    if hints is None:
        hints = context.shared["hints", name] = _hints_for(name, context.tools, context.siblings)
    return hints


def _hints_for(name: str, tools: ToolNames, siblings: frozenset[str]) -> XmlHints:
    parameters = tools.parameters(name)
    texts = (
        frozenset(key for key, schema in parameters.items() if schema.get("type") == "string") if parameters else None
    )
    return XmlHints(
        parameters=parameters,
        text_parameters=texts or frozenset(),
        raw=tools.markup(name) == "raw",
        siblings=siblings,
    )


def _worth_reading(text: str, opening: BareTag, context: ReadContext) -> bool:
    """Rule out prose that names a tag before the fragment reader looks for a closer through all that follows."""
    if is_strange(opening, context):
        if _is_strange_call(text, opening, context):
            return True
        if opening.reason != "near":
            return False
    if is_empty(text, opening):
        return True
    first = _NAME.match(text, opening.visible)
    parameters = context.tools.parameters(opening.name) or {}
    leads = first is not None and (first[1] in parameters or first[1] not in context.siblings)
    comment = text.startswith("<!", opening.visible)
    closed = has_closer(text, opening.tag.end, opening.name, context)
    if opening.reason == "tool":
        if leads and not closed:
            # Half a tag in the middle of the text is text, and no call begins with text that never ends.
            tag = tag_at(text, opening.visible)
            return tag is None or not tag.truncated or tag.end >= len(text)
        strict = context.strict and context.fence is None
        return leads or (closed and (comment or opening.own_line or strict))
    return closed and (leads or context.strict)


def _is_inside_word(text: str, tag: XmlTag) -> bool:
    """Return whether a word goes on with what looks like a tag, as in `List<String>`."""
    before = text[tag.name_span.start - 2 : tag.name_span.start - 1]
    return before.isalnum() or before in ("_", ")")


@dataclass(slots=True)
class _Body:
    """What stands directly between a tag and its closer: text, elements, and what these say of the tag.

    `foreign` says that one is no element of HTML, SVG or MathML, `given` that one is a parameter of some tool;
    `unclosed` that nothing up to the text's end closes it, and no text of its own ended the reading of it.
    """

    name: str
    start: int
    text: bool = False
    elements: bool = False
    foreign: bool = False
    given: bool = False
    closed: bool = False
    unclosed: bool = False
    end: int = 0


def _is_strange_call(text: str, opening: BareTag, context: ReadContext) -> bool:
    """Return whether a tag that is no tool's is a call by its body: only elements, or a tool's parameters; or says so
    by itself, with attributes or with a name that results or tools elsewhere have. It may be cut off at the end."""
    tag, drawing = opening.tag, opening.reason == "drawing"
    if tag.truncated:
        # The tag itself is cut off.
        cut = tag.end >= len(text) and _QUOTED_ATTRIBUTE.search(text, tag.name_span.end) is not None
        return cut and not drawing and not _is_inside_word(text, tag) and MORE_FOLLOWS not in context.memo
    if is_empty(text, opening):
        return opening.reason == "result" or (bool(tag.attributes) and not drawing)
    named = opening.reason == "result" or context.offered(opening.name)
    if not text.startswith("<", opening.visible):
        lead = None
        if not _is_inside_word(text, tag):
            lead = _ELEMENT_LEAD.match(text, opening.visible)
            context.look((opening.visible + _LITTLE if lead is None else lead.end()) + 1)
        given = lead is not None and lead[1].lower() not in HTML_NAMES and context.tools.has_parameter(lead[1])
        if not (named or (given and lead is not None and (not drawing or text.startswith(">", lead.end())))):
            return False
        return has_closer(text, tag.end, opening.name, context) or (
            named and opening.own_line and MORE_FOLLOWS not in context.memo
        )
    if named and has_closer(text, tag.end, opening.name, context):
        return True
    if (drawing or _is_inside_word(text, tag)) and not has_closer(text, tag.end, opening.name, context):
        return False
    body = _body_of(text, opening, context)
    if not body.closed and (MORE_FOLLOWS in context.memo or drawing):
        return False
    only_elements = body.elements and not body.text and (body.foreign or not drawing)
    return only_elements or (body.given and (body.closed or has_closer(text, tag.end, opening.name, context)))


def _body_of(text: str, opening: BareTag, context: ReadContext) -> _Body:
    """Return what a tag holds, as far as text stands beside its elements: of all tags in it at once, since each of them
    may be asked for."""
    known: dict[int, _Body] = context.shared.setdefault("bodies", {})
    start = opening.tag.name_span.start
    if start in known and known[start].closed:
        context.look(known[start].end + 1)
        return known[start]
    if start in known and known[start].unclosed:
        context.seek(len(text))
        return known[start]
    whole = _Body(opening.name, start)
    if start < context.memo.get(FAILED, -1):
        context.look(context.memo[FAILED] + 1)
        return whole
    opened, names = [whole], {opening.name: 1}
    at = opening.tag.end
    while not whole.closed and not whole.text:
        piece = _PIECE.match(text, at)
        if piece is None:
            context.seek(len(text))
            for body in opened:
                # Nothing in front of the text's end closed it; what has text of its own is read up to that alone.
                body.unclosed = not body.text
            break
        at, name, body = piece.end(), piece["name"], opened[-1]
        if piece["comment"] is not None:
            end = comment_end(text, piece.start("comment"), context.memo)
            if end is None:
                context.seek(len(text))
            at, body.text = (at, True) if end is None else (end, body.text)
        elif piece["text"] is not None and body is whole:
            # Its first character says all.
            at = piece.start("text") + 1
        context.look(at + 1)
        if name is None:
            body.text = body.text or piece["text"] is not None
        elif not piece["closing"]:
            inner = _Body(name, piece.start("name"))
            known[inner.start] = inner
            markup = name.lower() in HTML_NAMES
            body.elements = True
            body.foreign = body.foreign or not (markup or name in DRAWING_NAMES)
            plain = opening.reason != "drawing" or not piece["more"].strip()
            body.given = body.given or (plain and not markup and context.tools.has_parameter(name))
            if not piece["more"].endswith("/") and name.lower() not in _VOID:
                opened.append(inner)
                names[name] = names.get(name, 0) + 1
        elif names.get(name):
            # What is opened in between is closed with it.
            while (ended := opened.pop()).name != name:
                names[ended.name] -= 1
            names[name] -= 1
            ended.closed, ended.end = True, at
    if whole.text:
        # No tag in front of this text that nothing closed so far is looked at again.
        context.memo[FAILED] = max(context.memo.get(FAILED, -1), at)
    return whole


def has_closer(text: str, at: int, name: str, context: ReadContext) -> bool:
    """Tell whether a closing tag of `name` stands behind `at`; what is not there is never sought twice."""
    return next_closer(text, at, name, context) >= 0


def next_closer(text: str, at: int, name: str, context: ReadContext) -> int:
    """Return where the next closing tag of `name` at or behind `at` begins, -1 where none does."""
    closers = context.closers
    if not closers:
        # All of them at once: there may be as many names as tags, and each would search the text to its end.
        closers[""] = []
        for match in _ANY_CLOSER.finditer(text):
            closers.setdefault(_closed(match[1]), []).append(match.start())
    places = closers.get(_closed(name), ())
    index = bisect_left(places, at)
    found = places[index] if index < len(places) else -1
    if found < 0:
        context.seek(len(text))
    else:
        context.look(found + len(name) + 3)
    return found


def _closed(name: str) -> str:
    """Return a name as closing tags are known by it: a template's expression is one character."""
    return _HOLES.sub(HOLE, name) if HOLE in name else name


def next_literal(text: str, at: int, literal: str, context: ReadContext, before: int | None = None) -> int:
    """Return where `literal` stands next at or behind `at`, -1 where nowhere; what was sought is remembered.

    With `before`, nowhere in front of that place: what stands behind it is nothing that the reading depends on.
    """
    # No other literal and nothing else that is remembered has these names.
    from_there, there = f"literal from {literal}", f"literal at {literal}"
    since, found = context.memo.get(from_there, -1), context.memo.get(there, -1)
    if since < 0 or at < since or (0 <= found < at):
        found = text.find(literal, at)
        context.memo[from_there], context.memo[there] = at, found
    limit = len(text) if before is None else min(before + len(literal), len(text))
    if before is not None and found >= before:
        found = -1
    if found < 0 and limit == len(text):
        context.seek(limit)
    else:
        context.look(limit if found < 0 else found + len(literal))
    return found


def inside_quotes(text: str, span: Span, value: str) -> Span:
    """Return where the characters of a JSON string or key stand that was read as `value`: `span` without its quotes.

    Either quote may be missing, or be one that JSON does not know.
    """
    start, end = span
    if text[start:end] == value:
        return span
    if text[start : start + 1] in ('"', "'", "“", "‘", "`"):
        start += 1
    if text[start:end] != value and end > start and text[end - 1] in "\"'”’`":
        end -= 1
    return Span(start, end)


def next_match(
    text: str,
    at: int,
    pattern: re.Pattern[str],
    context: ReadContext,
    before: int | None = None,
    *,
    marker: str = "",
) -> re.Match[str] | None:
    """Return the next match of `pattern` that begins at or behind `at`, and in front of `before` where that is given;
    what was sought is remembered.

    The pattern must not depend on where the search begins. Where it is one of lines that hold a `marker` behind their
    lead, that is sought.
    """
    since = f"since {pattern.pattern}"
    known, found = context.memo.get(since, -1), context.memo.get(pattern.pattern, -1)
    match = None
    if known < 0 or at < known or found < at:
        match = next_line(text, at, len(text), pattern, marker) if marker else pattern.search(text, at)
        found = len(text) if match is None else match.start()
        context.memo[since], context.memo[pattern.pattern] = at, found
    elif found < len(text):
        match = pattern.match(text, found)
    if before is not None and found >= before:
        match = None
    context.look(match.end() + 1 if match is not None else len(text) if before is None else before + 1)
    return match


def _is_markup_call(text: str, opening: BareTag, element: XmlElement, context: ReadContext) -> bool:
    children = element.elements
    closed = element.close_span is not None
    blank = not text[element.content.start : element.content.end].strip()
    first = children[0] if children else None
    leads = first is not None and first.span.start == opening.visible
    comment_leads = text.startswith("<!", opening.visible)
    if opening.reason == "tool":
        if not closed:
            parameters = context.tools.parameters(opening.name)
            known = first is not None and (not parameters or first.name in parameters)
            return leads and first is not None and (known or first.close_span is not None)
        if children:
            return leads or comment_leads or opening.own_line
        if blank:
            return opening.own_line or not _requires_arguments(opening.name, context)
        if context.strict and context.fence is None:
            return True
        context.look(end_of_line(text, element.span.end, context) + 1)
        return opening.own_line and line_ends(text, element.span.end)
    if is_strange(opening, context) and (opening.reason != "near" or _is_strange_call(text, opening, context)):
        return True
    if not closed or (not children and not context.strict):
        return False
    if opening.reason == "near":
        return context.strict or leads
    if opening.reason == "word":
        return leads and first is not None and first.name in (context.tools.parameters(opening.name) or ())
    stray = element.stray_text()
    if opening.reason == "documented":
        return leads and sum(span.end - span.start for span in stray) <= MAX_STRAY
    return leads and not stray


def _requires_arguments(name: str, context: ReadContext) -> bool:
    # Without the schema's `required` at hand, a tool with parameters is taken to need one.
    return bool(context.tools.parameters(name))


def line_ends(text: str, at: int) -> bool:
    """Return whether nothing but space and quotes stands between an offset and the end of its line."""
    while at < len(text) and text[at] in " \t\"'":
        at += 1
    return at >= len(text) or text[at] in "\r\n"


def _call(dialect: str, element: XmlElement, value: Value | None, problems: list[Problem]) -> ToolCall:
    name_span, close_name_span = element.name_span, element.close_name_span
    names = (name_span,) if close_name_span is None else (name_span, close_name_span)
    return ToolCall(
        dialect=dialect,
        span=element.span,
        tool=element.name,
        tool_span=name_span,
        arguments=value,
        body=element.content,
        name_spans=names,
        problems=list(problems),
        sketch=is_placeholder_name(element.name),
        complete=element.self_closing or element.close_span is not None,
    )


def read_json_call(text: str, start: int, context: ReadContext, dialect: str) -> Reading | None:
    """Read a call whose arguments are one JSON value inside the tag at `start`, or None where it is none."""
    opening = bare_tag(text, start, context)
    if opening is None or opening.tag.self_closing:
        return None
    name, tag = opening.name, opening.tag
    if not begins_json(text, opening, context):
        # A body that is neither JSON nor elements is a broken JSON body only where JSON is what is asked for.
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
    if not paired and (not cut or MORE_FOLLOWS in context.memo):
        # Where the text goes on, all is read again with more of it, for the closer was sought to the end.
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
    if opening.reason == "word":
        parameters = context.tools.parameters(name) or {}
        if not isinstance(read.value, dict) or (read.value and not read.value.keys() & parameters.keys()):
            return None
    problems = own_problems(read)
    if tag.attributes or tag.broken:
        problems += tag.problems
    names = [tag.name_span]
    at = skip_space(text, tail)
    closer = _CLOSER.match(text, at)
    context.look((closer.end() if closer is not None else skip_space(text, at + 2)) + 1)
    body_end, call_end, complete = tail, tail, True
    if closer is not None and same_name(closer[1], name) and closer[2]:
        body_end, call_end = at, closer.end()
        names.append(Span(closer.start(1), closer.end(1)))
    elif closer is not None and closer[2]:
        wrong = Span(closer.start(), closer.end())
        problems.append(
            Problem(
                "mismatched-tag",
                wrong,
                {"expected": name, "found": closer[1], "open": Span(start, tag.end), "swallows": ()},
                (Edit(Span(closer.start(1), closer.end(1)), name),),
                certain=True,
            )
        )
        body_end, call_end = at, closer.end()
    elif text.startswith("</", at) and f"</{name}>".startswith(half := text[at : at + len(name) + 4]):
        complete = False
        body_end, call_end = at, len(text)
        data = {"name": name, "names": (name,), "text": half, "closing": True, "by_truncation": True}
        repair = insert(call_end, f"</{name}>"[len(half) :])
        problems.append(Problem("truncated-tag", Span(at, call_end), data, (repair,), certain=not read.problems))
    else:
        complete = False
        problems.append(
            Problem(
                "unclosed-tag",
                Span(start, tag.end),
                {"name": name, "names": (name,), "insert_at": tail, "by_truncation": at >= len(text)},
                (insert(tail, f"</{name}>"),),
                certain=not read.problems,
            )
        )
    call = ToolCall(
        dialect=dialect,
        span=Span(start, call_end),
        tool=name,
        tool_span=tag.name_span,
        arguments=JsonValue(read),
        body=Span(tag.end, body_end),
        name_spans=tuple(names),
        problems=problems,
        sketch=is_placeholder_name(name),
        complete=complete,
    )
    return Reading([call], call_end, max(read.reach, call_end, reach))


def _may_be_cut(text: str, opening: BareTag) -> bool:
    """Return whether JSON behind a tag that is no tool's and that nothing closes may be the body of a call."""
    tag = opening.tag
    return not tag.truncated and not _is_inside_word(text, tag) and _JSON_CUT.match(text, opening.visible) is not None


def _is_json_body(text: str, read: JsonRead, end: int, opening: BareTag) -> bool:
    """Return whether the body of a tag that is no tool's is JSON: up to its closer, or as far as it goes."""
    if not read.clean and _JSON_CUT.match(text, read.span.start) is None:
        return False
    closer = _CLOSER.match(text, skip_space(text, end))
    if closer is not None and same_name(closer[1], opening.name):
        return read.root.kind != "missing"
    cut = any(problem.data.get("truncated") for problem in read.problems)
    return isinstance(read.value, dict | list) and (cut or bool(read.value))


def _json_limit(text: str, at: int, context: ReadContext) -> tuple[int, int]:
    """Return where a JSON body whose closing tag is nowhere must end: at its fence's end or before the next call."""
    memo = context.memo
    if memo.get("limit from", -1) <= at <= memo.get("limit", -1):
        return memo["limit"], len(text)
    end = len(text)
    if context.fence is not None:
        closer = fence_closer(context.fence.char, context.fence.length).search(text, at)
        if closer is not None:
            end = closer.start()
    for match in _LINE_OPENER.finditer(text, at, end):
        if context.tools.has(match[1]):
            end = match.start()
            break
    memo["limit from"], memo["limit"] = at, end
    return end, len(text)


def arguments_of(value: Value | None) -> list[Argument]:
    """Return the named values directly inside an arguments value, in the order of the text."""
    if value is None:
        return []
    if isinstance(value, MarkupValue):
        return list(value.members)
    node = value.node
    if node.kind != "object":
        return []
    return [
        Argument(
            member.key, member.key_span, member.span, JsonValue(value.read, (*value.path, member.key), member.value)
        )
        for member in node.members
    ]
