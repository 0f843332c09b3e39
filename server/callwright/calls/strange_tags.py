"""Tags with unknown names that may be calls in strict reading.

Owns: the decision by a tag's body whether it is a call. Must not know: how arguments are read, dialect modules,
documents.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from callwright.calls.scanning import has_closer
from callwright.calls.tags import BareTag, is_empty
from callwright.calls.vocabularies import DRAWING_NAMES, HTML_NAMES
from callwright.syntax.prose import comment_end
from callwright.text.facts import derived
from callwright.text.records import dataclass

if TYPE_CHECKING:
    from callwright.calls.protocol import ReadContext
    from callwright.calls.scan_state import ScanState
    from callwright.syntax.xml import XmlTag

#: Tags that may be calls in strict reading although their names are unknown.
_STRANGE: Final = frozenset({"near", "placeholder", "shape", "stranger", "drawing", "result"})
_QUOTED_ATTRIBUTE = re.compile(r"""\s[\w.:\-]++\s*+=\s*+["']""")
#: The parts of elements; a truncated tag at the end counts, too.
_PIECE = re.compile(
    r"\s*+(?:(?P<comment><!--)|<(?P<closing>/?+)(?P<name>[A-Za-z_][\w.:\-]*+)(?P<more>[^<>]*+)(?:>|\Z)"
    r"|(?P<text><!\[CDATA\[(?:(?!\]\]>).)*+(?:\]\]>|\Z)|[^<]++|<(?!/?+\Z))|</?+\Z)",
    re.DOTALL,
)
#: Elements of HTML without a closing tag.
_VOID: Final = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"}
)
#: A little text, and the first tag after it.
_LITTLE: Final = 40
_ELEMENT_LEAD = re.compile(rf"[^<]{{0,{_LITTLE}}}+<([A-Za-z_][\w.:\-]*+)")


def is_strange(opening: BareTag, context: ReadContext) -> bool:
    """Return whether a tag has an unknown name, so that in strict reading its body alone decides whether it is a
    call."""
    return context.strict and context.fence is None and opening.reason in _STRANGE


def is_inside_word(text: str, tag: XmlTag) -> bool:
    """Return whether a tag continues a word, as in `List<String>`."""
    before = text[tag.name_span.start - 2 : tag.name_span.start - 1]
    return before.isalnum() or before in ("_", ")")


@dataclass(slots=True)
class _Body:
    """The content directly between a tag and its closer: text, elements, and facts about them.

    `foreign` says that one is not an element of HTML, SVG or MathML, `given` that one is a parameter of some tool;
    `unclosed` that it is not closed up to the text's end, and that no text in it ended the reading.
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
    """Return whether a tag with an unknown name is a call: by its body (only elements, or a tool's parameters), by
    attributes, or by a name of results or of tools elsewhere. It may be truncated at the end."""
    tag, drawing = opening.tag, opening.reason == "drawing"
    if tag.truncated:
        # The tag itself is truncated.
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
    """Return the contents of the tags of a text that were requested, by the offsets of their names."""
    return {}


def _body_of(text: str, opening: BareTag, context: ReadContext) -> _Body:
    """Return the content of a tag, up to text beside its elements. All tags in it are read at once, since each of them
    may be requested."""
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
                # It was not closed before the text's end; a tag with text of its own is read only up to that text.
                body.unclosed = not body.text
            break
        at, name, body = piece.end(), piece["name"], opened[-1]
        if piece["comment"] is not None:
            end = comment_end(text, piece.start("comment"), context.scan.searches)
            if end is None:
                context.seek(len(text))
            at, body.text = (at, True) if end is None else (end, body.text)
        elif piece["text"] is not None and body is whole:
            # Its first character is enough.
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
            # Tags that were opened in between are closed with it.
            while (ended := opened.pop()).name != name:
                names[ended.name] -= 1
            names[name] -= 1
            ended.closed, ended.end = True, at
    if whole.text:
        # Open tags before this text are not scanned again.
        context.scan.claims.elements = max(context.scan.claims.elements, at)
    return whole
