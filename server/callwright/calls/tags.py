"""Calls framed by a tag with the tool's name: why such a tag may begin one.

Owns: `BareTag`, the decision whether one may begin a call, is a near miss or prose. Must not know: bodies, dialect
modules, the registry's class, documents.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice, product
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

from callwright.calls.scanning import has_closer, lead_end, skip_space, tag_reach
from callwright.calls.sketch import is_placeholder_name
from callwright.calls.vocabularies import DRAWING_NAMES, FRAME_NAMES, HTML_NAMES, RESULT_TAGS
from callwright.syntax import reasoning
from callwright.syntax.prose import PLAIN_LANGUAGES
from callwright.text.facts import Fact
from callwright.text.holes import HOLE
from callwright.text.records import dataclass

if TYPE_CHECKING:
    from callwright.calls.protocol import ReadContext, ToolNames
    from callwright.syntax.xml import XmlTag

#: The dialect whose arguments are in the tag itself.
ATTRIBUTES: Final = "xml-attributes"
#: The dialects that share the bare tag; one of them reads calls without a body.
BARE_TAG_DIALECTS: Final = frozenset({ATTRIBUTES, "xml-children", "xml-json"})

#: The maximum length of a tag and of an element that are calls because a call is next to them.
MAX_TAG: Final = 200
MAX_BESIDE: Final = 1_000
#: How much text between the elements of a call is an error; with more, the tag is around prose.
MAX_UNMATCHED: Final = 120
#: How many pairs of an argument and a parameter are compared.
_MAX_PAIRS: Final = 100
#: Tags of a model's reasoning are not calls, even if not closed.
_THOUGHTS: Final = frozenset(filter(None, map(reasoning.tag_name, reasoning.OPENERS)))
NAME = re.compile(rf"<([A-Za-z_{HOLE}][\w.:\-{HOLE}]*+)")
#: A tag such as `<Tab title="…">`: no argument's element has a capital and an attribute.
_COMPONENT: Final = re.compile(r"<[A-Z][A-Za-z]*+\s++[A-Za-z]++\s*+=")
_LEAD = re.compile(r"(?:[ \t>\"']|[-*+][ \t]|\d{1,9}[.)][ \t])*+")


@dataclass(frozen=True, slots=True)
class BareTag:
    """An opening tag that may begin a call: why it may, and where its body's first visible character is.

    `reason` is `"tool"` (a tool's name), `"word"` (one that is a plain word, of a tool that is merely offered: its
    parameters have to show that it is meant), `"near"` (a near miss of one), `"documented"` (the document documents the
    name), `"beside"` (a call of a known tool is next to it), `"shape"` (the shape alone is evidence enough),
    `"placeholder"` (a name such as `tool_name`), and in strict reading `"stranger"` (an unknown name: the body
    decides), `"drawing"` (the same, with a name of SVG or MathML) or `"result"` (a name of a tag of results).
    """

    tag: XmlTag
    reason: str
    visible: int
    own_line: bool

    @property
    def name(self) -> str:
        """The name in the tag."""
        return self.tag.name


def is_prose(text: str, start: int, context: ReadContext) -> bool:
    """Return whether the tag at `start` cannot begin a call by its name alone, like most tags of a page."""
    match = NAME.match(text, start)
    if match is None:
        return False
    reason = _outcome(match[1], context)
    return reason is None or (reason == "unknown" and _evidence(text, start, match, context) is None)


def _outcome(name: str, context: ReadContext) -> str | None:
    """Return why a bare tag of this name may begin a call here, None if it cannot."""
    outcomes = context.scan.outcomes
    if name not in outcomes:
        outcomes[name] = _reason(name, context)
    return outcomes[name]


def prose_tags(tools: ToolNames) -> str:
    """Return the pattern of the beginnings of tags that are prose outside quotes: those of HTML."""
    known = _prose_tags.get(tools)
    if known is None:
        names = sorted(name for name in HTML_NAMES if not tools.has(name))
        known = _prose_tags[tools] = rf"</?+(?:{'|'.join(names)})(?![\w.:\-{HOLE}])"
    return known


#: Those patterns, each for the lifetime of its tools.
_prose_tags: Final[WeakKeyDictionary[ToolNames, str]] = WeakKeyDictionary()


#: The latest tag that was requested, by its place.
_LATEST: Final[Fact[tuple[int, BareTag | None]]] = Fact()


def bare_tag(text: str, start: int, context: ReadContext) -> BareTag | None:
    """Return the opening tag at `start` if it can begin a call, or None if it is certainly prose."""
    kept = _LATEST.get(context.scan)
    if kept is None or kept[0] != start:
        kept = _LATEST.keep(context.scan, (start, _bare_tag(text, start, context)))
    return kept[1]


def _bare_tag(text: str, start: int, context: ReadContext) -> BareTag | None:
    match = NAME.match(text, start)
    if match is None:
        return None
    name = match[1]
    reason = _outcome(name, context)
    if reason == "unknown":
        reason = _evidence(text, start, match, context)
    if reason is None:
        return None
    from callwright.syntax.xml import tag_at

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
    """Return why the element at `start`, whose name is unknown, may be a call: it has the shape of one, and is next to
    a call of a known tool, or the document documents the name. None if there is no such evidence."""
    close = text.find(">", name.end(), name.end() + MAX_TAG) + 1
    visible = skip_space(text, close)
    context.look(max(visible, close or name.end() + MAX_TAG) + 1)
    if not close or visible >= len(text) or text[visible] not in "<{":
        return None
    if not has_closer(text, visible, name[1], context):
        return None
    if text.find("={", name.end(), close) >= 0 or any(_COMPONENT.match(text, at) for at in (start, visible)):
        return None  # a component of JSX, or one around others
    if context.scan.after_call == start or _precedes_call(text, visible, name[1], context):
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
    tag = NAME.match(text, following)
    context.look((following if tag is None else tag.end()) + 1)
    return tag is not None and context.tools.has(tag[1])


def is_word(name: str, context: ReadContext) -> bool:
    """Return whether a tool's name is a plain word (`step`, `status`) of tools that are not stated to be in force."""
    return not context.tools.closed and not context.strict and name.isalpha() and name.islower()


def shows_tool(name: str, given: Sequence[str], context: ReadContext) -> bool:
    """Return whether the arguments of a tag that is a plain word show that its tool is meant: one has the name of a
    parameter, or nearly."""
    parameters = context.tools.parameters(name) or {}
    if any(each in parameters for each in given):
        return True
    from callwright.syntax.xml_closers import is_misspelt

    pairs = islice(product(given, parameters), _MAX_PAIRS)
    return any(is_misspelt(each, parameter) for each, parameter in pairs)


def is_empty(text: str, opening: BareTag) -> bool:
    """Return whether a tag has no body, so its dialect is unknown."""
    return opening.tag.self_closing or text.startswith(f"</{opening.name}", opening.visible)
