"""Tags of names that no tool has, where nothing that is written like a call may be missed.

Owns: the decision by a tag's body whether it is a call. Must not know: how arguments are read, dialect modules,
documents.
"""

import re
from dataclasses import dataclass
from typing import Final

from callwright.calls.protocol import ReadContext
from callwright.calls.scan_state import ScanState
from callwright.calls.scanning import has_closer
from callwright.calls.tags import BareTag, is_empty
from callwright.calls.vocabularies import DRAWING_NAMES, HTML_NAMES
from callwright.syntax.prose import comment_end
from callwright.syntax.xml import XmlTag
from callwright.text.facts import derived

#: Whatever may be a call where nothing that is written like one may be missed, and that no tool's name begins.
_STRANGE: Final = frozenset({"near", "placeholder", "shape", "stranger", "drawing", "result"})
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


def is_strange(opening: BareTag, context: ReadContext) -> bool:
    """Return whether a tag is no tool's, and its body alone has to show that it is a call, for none may be missed."""
    return context.strict and context.fence is None and opening.reason in _STRANGE


def is_inside_word(text: str, tag: XmlTag) -> bool:
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


def is_strange_call(text: str, opening: BareTag, context: ReadContext) -> bool:
    """Return whether a tag that is no tool's is a call by its body: only elements, or a tool's parameters; or says so
    by itself, with attributes or with a name that results or tools elsewhere have. It may be cut off at the end."""
    tag, drawing = opening.tag, opening.reason == "drawing"
    if tag.truncated:
        # The tag itself is cut off.
        cut = tag.end >= len(text) and _QUOTED_ATTRIBUTE.search(text, tag.name_span.end) is not None
        return cut and not drawing and not is_inside_word(text, tag) and context.scan.window is None
    if is_empty(text, opening):
        return opening.reason == "result" or (bool(tag.attributes) and not drawing)
    named = opening.reason == "result" or context.offered(opening.name)
    if not text.startswith("<", opening.visible):
        lead = None
        if not is_inside_word(text, tag):
            lead = _ELEMENT_LEAD.match(text, opening.visible)
            context.look((opening.visible + _LITTLE if lead is None else lead.end()) + 1)
        given = lead is not None and lead[1].lower() not in HTML_NAMES and context.tools.has_parameter(lead[1])
        if not (named or (given and lead is not None and (not drawing or text.startswith(">", lead.end())))):
            return False
        return has_closer(text, tag.end, opening.name, context) or (
            named and opening.own_line and context.scan.window is None
        )
    if named and has_closer(text, tag.end, opening.name, context):
        return True
    if (drawing or is_inside_word(text, tag)) and not has_closer(text, tag.end, opening.name, context):
        return False
    body = _body_of(text, opening, context)
    if not body.closed and (context.scan.window is not None or drawing):
        return False
    only_elements = body.elements and not body.text and (body.foreign or not drawing)
    return only_elements or (body.given and (body.closed or has_closer(text, tag.end, opening.name, context)))


@derived
def _bodies(_scan: ScanState) -> dict[int, _Body]:
    """Return what the tags of a text hold, by where their names begin, as far as they were asked for."""
    return {}


def _body_of(text: str, opening: BareTag, context: ReadContext) -> _Body:
    """Return what a tag holds, as far as text stands beside its elements: of all tags in it at once, since each of them
    may be asked for."""
    known = _bodies(context.scan)
    start = opening.tag.name_span.start
    if start in known and known[start].closed:
        context.look(known[start].end + 1)
        return known[start]
    if start in known and known[start].unclosed:
        context.seek(len(text))
        return known[start]
    whole = _Body(opening.name, start)
    if start < context.scan.claims.elements:
        context.look(context.scan.claims.elements + 1)
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
            end = comment_end(text, piece.start("comment"), context.scan.searches)
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
        context.scan.claims.elements = max(context.scan.claims.elements, at)
    return whole
