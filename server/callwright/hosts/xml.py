"""The `xml` host: texts, attributes and elements of an XML file, POML prompts among them.

Owns: recognising such files, their markup, and which of it may hold calls or be one. Must not know: dialects, other
hosts, tools beyond their names.

Text between tags and the values of attributes are passages with what they mean. An element that bears a tool's
name, or a name that calls are framed by, is a passage as it is, with all that lies in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from callwright.calls.markers import call_tags
from callwright.calls.vocabularies import FRAME_NAMES, HTML_NAMES
from callwright.hosts.base import HostContext, Passage, Record, RecordHost
from callwright.hosts.support.mentions import only_mentions
from callwright.hosts.support.templated import templated_passages
from callwright.syntax.comments import HTML
from callwright.text.projection import Identity
from callwright.text.xml_text import XmlText, XmlValue

#: What every opener of a dialect has one of; on one line, a colon has a space after it.
_MARKERS: Final = "<{[:=`~"
_MARKERS_IN_LINE: Final = ("<", "{", "[", "`", "~", ": ", ":\t")
_NAME: Final = r"[A-Za-z_:\u00c0-\uffff][\w:.\-]*+"
_ATTRIBUTE: Final = re.compile(r"([^\s\"'<>/=]++)(?:\s*+=\s*+(?:\"([^\"<]*+)\"|'([^'<]*+)'))?+")
_START: Final = re.compile(rf"<({_NAME})((?:\s++[^\s\"'<>/=]++(?:\s*+=\s*+(?:\"[^\"<]*+\"|'[^'<]*+'))?+)*+)\s*+(/?)>")
_END: Final = re.compile(rf"</({_NAME})\s*+>")
_DOCTYPE: Final = re.compile(r"<!DOCTYPE\b[^<>\[]*+(?:\[(?:[^\]\"']++|\"[^\"]*+\"|'[^']*+')*+\][^<>]*+)?>")
_SECTION: Final = "<![CDATA["
_SPECIAL: Final = (("<!--", "-->"), (_SECTION, "]]>"), ("<?", "?>"))
#: Elements that frame calls, beside those of the dialects.
_FRAMES: Final = frozenset(name for name in FRAME_NAMES if name.endswith(("call", "calls", "use")))
#: The first element of a POML file: its root, or a component where the root is left out.
_POML: Final = frozenset(
    {"poml", "role", "task", "system-msg", "human-msg", "user-msg", "ai-msg", "assistant-msg", "output-format"}
    | {"stepwise-instructions", "hint", "introducer", "examples", "example", "let", "cp", "captioned-paragraph"}
)
_SPEAKERS: Final = {
    "system-msg": "system",
    "human-msg": "user",
    "user-msg": "user",
    "ai-msg": "assistant",
    "assistant-msg": "assistant",
}
_ROLES: Final = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "model": "assistant",
    "tool": "tool",
}


@dataclass(slots=True)
class _Element:
    """An element that is open: its name, who speaks in it, and where it began if it may be a call as it is."""

    name: str
    role: str | None
    start: int | None = None


@dataclass
class _Names:
    """Which names of elements may be those of calls; each is looked up once."""

    tools: frozenset[str]
    known: dict[str, bool] = field(default_factory=dict)

    def may_call(self, name: str) -> bool:
        """Return whether an element of this name may be a call or frame some."""
        if name not in self.known:
            self.known[name] = self._decided(name)
        return self.known[name]

    def _decided(self, name: str) -> bool:
        if name in self.tools or name in _FRAMES or name in call_tags():
            return True
        if "_" not in name or name in HTML_NAMES or name in FRAME_NAMES:
            return False
        # Without tools to know, the elements of a document are its own.
        return bool(self.tools) and self._is_near(name)

    def _is_near(self, name: str) -> bool:
        from rapidfuzz.distance import OSA
        from rapidfuzz.process import extractOne

        return extractOne(name, self._listed, scorer=OSA.distance, score_cutoff=2) is not None

    @cached_property
    def _listed(self) -> list[str]:
        return sorted(self.tools)


class Xml(RecordHost):
    """XML: calls are read in text, CDATA sections and attributes, decoded, and in elements that are calls
    themselves."""

    name = "xml"
    title = "XML"
    suffixes = (".xml", ".poml")
    languages = ("xml", "poml")
    comments = (HTML,)
    passes_over = True
    texts = "plain"

    def read(self, text: str, context: HostContext) -> Record:
        """Take the file apart."""
        passages: list[Passage] = []
        template, declared = context.template, context.declared
        first = True
        names = _Names(context.names)
        for kind, start, end, name, role in _parts(text, names):
            if first and kind == "element":
                first = False
                if declared is None and template != "none" and name in _POML:
                    template = "jinja"
            elif kind == "call":
                whole = Passage(text[start:end], Identity(start, end - start), role, markdown=False)
                passages += templated_passages(whole, template)
            elif kind == "text":
                passages += _stated(XmlText(text[start:end], start), role, template)
            elif kind == "value":
                passages += _stated(XmlValue(text[start:end], start, text[end]), role, template)
        return Record(passages)


def _stated(projection: XmlText | XmlValue, role: str | None, template: str | None) -> list[Passage]:
    """Return the passages of a text; none where it can hold no call."""
    own = projection.text
    if not any(marker in own for marker in (_MARKERS if "\n" in own else _MARKERS_IN_LINE)) or only_mentions(own):
        return []
    return templated_passages(Passage(own, projection, role), template)


def _parts(text: str, names: _Names) -> Iterator[tuple[str, int, int, str, str | None]]:
    """Yield the parts of a file in order: each element's beginning, and texts, values and calls with who speaks there.

    What lies in an element that may be a call is part of it. A closing tag without an opening one is skipped, and an
    element that is never closed ends with the one around it. Takes time linear in the text.
    """
    stack: list[_Element] = []
    opened: dict[str, int] = {}
    #: How many open elements may be calls; only the outermost of them is a part.
    calling = 0
    at = run = 0
    endless: set[str] = set()

    def flush(end: int) -> Iterator[tuple[str, int, int, str, str | None]]:
        if not calling and end > run and not text[run:end].isspace():
            yield "text", run, end, "", stack[-1].role if stack else None

    while True:
        at = text.find("<", at)
        if at < 0:
            break
        special = next((pair for pair in _SPECIAL if text.startswith(pair[0], at)), None)
        if special is not None:
            end, is_text = _beyond_special(text, at, special, endless)
            if not is_text:
                yield from flush(at)
                run = end
            at = end
            continue
        start_tag = _START.match(text, at)
        if start_tag is not None:
            yield from flush(at)
            name = start_tag[1]
            above = stack[-1].role if stack else None
            role = _role(start_tag, above)
            yield "element", at, start_tag.end(), name, role
            may = names.may_call(name)
            if start_tag[3]:
                if may and not calling:
                    yield "call", at, start_tag.end(), name, role
            else:
                stack.append(_Element(name, role, at if may else None))
                opened[name] = opened.get(name, 0) + 1
                calling += may
            if not may and not calling:
                for low, high in _values(start_tag):
                    yield "value", low, high, "", role
            at = run = start_tag.end()
            continue
        end_tag = _END.match(text, at)
        if end_tag is not None:
            # A section inside a section ends both: the rest looks like tags, and a call in it is not to be read.
            if opened.get(end_tag[1]) or text.find(_SECTION, run, at) < 0:
                yield from flush(at)
            run = end_tag.end()
            if opened.get(end_tag[1]):
                while True:
                    element = stack.pop()
                    opened[element.name] -= 1
                    closes = element.name == end_tag[1]
                    if element.start is not None:
                        calling -= 1
                        if not calling:
                            yield "call", element.start, run if closes else at, element.name, element.role
                    if closes:
                        break
            at = run
            continue
        if "doctype" not in endless and text.startswith("<!DOCTYPE", at):
            doctype = _DOCTYPE.match(text, at)
            endless.add("doctype")
            if doctype is not None:
                yield from flush(at)
                run = at = doctype.end()
                continue
        at += 1
    yield from flush(len(text))
    outer = next((element for element in stack if element.start is not None), None)
    if outer is not None and outer.start is not None:
        yield "call", outer.start, len(text), outer.name, outer.role


def _beyond_special(text: str, at: int, special: tuple[str, str], endless: set[str]) -> tuple[int, bool]:
    """Return where a section, a comment or the like ends that begins at `at`, and whether it is part of the text.

    One that is never closed ends with its opener; its closer is noted in `endless`, and never sought again.
    """
    opener, closer = special
    end = -1 if closer in endless else text.find(closer, at + len(opener))
    if end < 0:
        endless.add(closer)
        return at + len(opener), False
    return end + len(closer), closer == "]]>"


def _role(tag: re.Match[str], above: str | None) -> str | None:
    """Return who speaks in an element: as its attributes say, or its name, or what is around it."""
    for match in _ATTRIBUTE.finditer(tag[2]) if "role" in tag[2] or "speaker" in tag[2] else ():
        if match[1] in ("role", "speaker"):
            stated = _ROLES.get((match[2] or match[3] or "").strip().lower())
            if stated is not None:
                return stated
    return _SPEAKERS.get(tag[1], above)


def _values(tag: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Yield where the values of the attributes of a tag are, without their quotes."""
    base = tag.start(2)
    attributes = tag[2]
    if not any(marker in attributes for marker in (*_MARKERS_IN_LINE, "&", "\n")):
        return
    for match in _ATTRIBUTE.finditer(attributes):
        group = 2 if match[2] is not None else 3
        if match[group]:
            yield base + match.start(group), base + match.end(group)


HOST = Xml()
