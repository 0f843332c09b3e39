"""The tolerant XML fragment reader: one element out of any text, with exact spans, values and problems.

Owns: the way in (`read_element`) and the checks after reading: characters XML forbids, depth, and text and attributes
that a call does not allow. Must not know: dialects, rules, registries.

A well-formed element is read in one strict pass. Only if that fails, the recovery is imported and repairs the broken
element. Names are case-sensitive; a hole counts as part of a name, as text, as an attribute value. Line ends are kept
as written, whereas XML turns CR LF and CR into LF.

The kinds of problems, and the facts in `data`:

- `unclosed-tag` name, names (all that is open, innermost first), insert_at, by_truncation
- `mismatched-tag` expected, found, open (span of the opening tag), swallows (names of the parameters after it)
- `unmatched-closing-tag` name
- `unescaped-markup` parameter, value (span), text (the value as read), chars, spans, beside (text next to parameters)
- `cdata-end` cdata, value (spans), parameter
- `unterminated-cdata` by_truncation, and what it takes to close: names; `unterminated-comment` by_truncation
- `comment-dashes` comment (span)
- `broken-attribute` reason, tag, and name or found
- `truncated-tag` name, names, text, closing
- `unknown-entity` name; `bad-character` character, count, reference
- `doctype` what; `markup-too-deep` depth
- `text-between-parameters` name, text; `attribute-argument` name, attributes, values
- `ambiguous-closer` name, first, used (spans)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from callwright.syntax.problem import Problem
from callwright.syntax.xml_hints import MAX_DEPTH, NO_HINTS, XmlHints
from callwright.syntax.xml_nodes import (
    XmlCData,
    XmlComment,
    XmlElement,
    XmlFault,
    XmlInstruction,
    XmlLeaf,
    XmlNode,
    XmlReference,
    XmlText,
)
from callwright.syntax.xml_tags import (
    BAD_CHARACTERS,
    XmlAttribute,
    XmlTag,
    cdata,
    decode_references,
    escape_text,
    tag_at,
)
from callwright.text.budget import UNLIMITED, Budget
from callwright.text.span import Edit, Span, delete, insert

if TYPE_CHECKING:
    from callwright.syntax.xml_memory import TextMemory

__all__ = [
    "MAX_DEPTH",
    "NO_HINTS",
    "XmlAttribute",
    "XmlCData",
    "XmlComment",
    "XmlElement",
    "XmlFault",
    "XmlHints",
    "XmlInstruction",
    "XmlLeaf",
    "XmlNode",
    "XmlRead",
    "XmlReference",
    "XmlTag",
    "XmlText",
    "cdata",
    "decode_references",
    "escape_text",
    "read_element",
    "tag_at",
]

#: How many runs of forbidden characters one reading reports.
_MAX_BAD = 100


class XmlRead:
    """What was read: the element, where reading continues, how far the text was scanned, and the problems.

    Invariant: `end` is after `start`, `reach` is not below `end`; `problems` are ordered by their spans.
    """

    __slots__ = ("element", "end", "problems", "reach")

    def __init__(self, element: XmlElement, end: int, reach: int, problems: list[Problem]) -> None:
        self.element = element
        self.end = end
        self.reach = reach
        self.problems = problems

    @property
    def clean(self) -> bool:
        """Whether there are no problems."""
        return not self.problems


# Readings of one text follow each other, and those that fail must not each search the text to its end.
_memory: TextMemory | None = None


def _memory_of(text: str, end: int) -> TextMemory:
    global _memory  # noqa: PLW0603  one text at a time is remembered, anyone who reads it
    memory = _memory
    if memory is None or memory.source is not text or memory.end != end:
        from callwright.syntax.xml_memory import TextMemory

        memory = _memory = TextMemory(text, end)
    return memory


def read_element(
    text: str, start: int, *, end: int | None = None, hints: XmlHints = NO_HINTS, budget: Budget = UNLIMITED
) -> XmlRead | None:
    """Read the element that opens at `start`; None if no element does.

    Any text gives a reading. Nothing at or after `end` is scanned. Raises only when the budget is used up.
    """
    limit = len(text) if end is None else min(end, len(text))
    if start < 0 or not text.startswith("<", start) or start >= limit:
        return None
    tag = tag_at(text, start, limit)
    if tag is None or tag.closing:
        return None
    budget.check()
    memory = _memory_of(text, limit)
    text, strict = memory.text, memory.strict
    strict.budget, strict.reach, memory.finder.reach = budget, 0, 0
    element = None
    broken_at = -1
    if not hints.raw and not tag.broken:
        element = strict.read(start)
        broken_at = -1 if element is not None else strict.failed_at(start)
        if element is not None and hints.text and element.has_elements:
            element = None
    opaque: list[Span] = []
    if element is not None:
        problems: list[Problem] = []
        reach = element.end
    else:
        from callwright.syntax.xml_recover import Recovery

        recovery = Recovery(memory, hints, budget)
        element = recovery.read(tag, start)
        problems, opaque = _joined(recovery.problems), recovery.opaque
        reach = max(recovery.reach, strict.reach, memory.finder.reach)
    if not hints.raw:
        problems.extend(_outside(strict.soft_in(start, element.end), opaque, problems))
    problems.extend(_bad_characters(text, start, element.end))
    problems.extend(_depth(element))
    if hints.call:
        foreign = _foreign(element, hints)
        between = [problem.span for problem in foreign]
        problems = [p for p in problems if not (p.data.get("beside") and any(s.covers(p.span) for s in between))]
        problems.extend(foreign)
    if not problems and broken_at >= 0:
        # The recovery reports nothing, but this is not XML: a parser stops here.
        at = broken_at if broken_at < element.end else start
        data = {"parameter": element.name, "value": element.content, "text": element.text(), "chars": "<"}
        span = Span(at, at + 1)
        problems.append(Problem("unescaped-markup", span, {**data, "spans": (span,), "beside": True}))
    problems.sort(key=lambda problem: problem.span)
    return XmlRead(element, element.end, min(max(reach, element.end), limit), problems)


def _joined(problems: list[Problem]) -> list[Problem]:
    """Return the problems with elements that are to be closed at one place as one: the order of closers matters."""
    places: dict[int, list[Problem]] = {}
    for problem in problems:
        if problem.kind == "unclosed-tag":
            places.setdefault(problem.data["insert_at"], []).append(problem)
    groups = {at: together for at, together in places.items() if len(together) > 1}
    if not groups:
        return problems
    joined = [p for p in problems if p.kind != "unclosed-tag" or p.data["insert_at"] not in groups]
    for at, together in groups.items():
        together.sort(key=lambda problem: -problem.span.start)
        names = tuple(name for problem in together for name in problem.data["names"])
        repair = insert(at, "".join(edit.text for problem in together for edit in problem.repair))
        outer, certain = together[-1], all(problem.certain for problem in together)
        joined.append(Problem(outer.kind, outer.span, {**outer.data, "names": names}, (repair,), certain))
    return joined


def _outside(soft: list[Problem], opaque: list[Span], known: list[Problem]) -> list[Problem]:
    """Return the problems outside values that are text, and without those that are reported already."""
    if not soft:
        return soft
    reported = {(problem.kind, problem.span) for problem in known}
    opaque = sorted(opaque)
    index = 0
    kept = []
    for problem in soft:
        while index < len(opaque) and opaque[index].end <= problem.span.start:
            index += 1
        if index < len(opaque) and opaque[index].covers(problem.span):
            continue
        if (problem.kind, problem.span) not in reported:
            kept.append(problem)
    return kept


def _bad_characters(text: str, start: int, end: int) -> list[Problem]:
    found: list[Problem] = []
    # None of them is printable, and the check for printable text is many times faster.
    if text[start:end].replace("\n", "").replace("\t", "").isprintable():
        return found
    for run in BAD_CHARACTERS.finditer(text, start, end):
        span = Span(*run.span())
        data = {"character": f"U+{ord(run[0][0]):04X}", "count": len(run[0]), "reference": False}
        found.append(Problem("bad-character", span, data, (delete(span.start, span.end),), False))
        if len(found) == _MAX_BAD:
            break
    return found


def _depth(root: XmlElement) -> list[Problem]:
    """Remove elements that are nested deeper than XML parsers allow; report the first place."""
    level = [root]
    depth = 1
    while level and depth < MAX_DEPTH:
        level = [child for element in level for child in element.children if isinstance(child, XmlElement)]
        depth += 1
    deep = [element for element in level if element.has_elements]
    if not deep:
        return []
    first = min(deep, key=lambda element: element.start).elements[0].open_span
    for element in deep:
        element.make_opaque()
    return [Problem("markup-too-deep", first, {"depth": MAX_DEPTH})]


def _foreign(element: XmlElement, hints: XmlHints) -> list[Problem]:
    """Return what a call does not allow: attributes on its element, text beside its parameters."""
    problems = []
    text = element.source
    attributes = [
        attribute for attribute in element.attributes if attribute.value_span.end > attribute.value_span.start
    ]
    if attributes:
        names = tuple(attribute.name for attribute in attributes)
        span = Span(attributes[0].span.start, attributes[-1].span.end)
        children = "".join(f"<{a.name}>{escape_text(a.value)}</{a.name}>" for a in attributes)
        known = {child.name for child in element.elements}
        repair: tuple[Edit, ...] = ()
        if not known & set(names) and all(hints.parameters is None or name in hints.parameters for name in names):
            closer = f"</{element.name}>" if element.self_closing else ""
            repair = (Edit(Span(element.name_span.end, element.open_end), f">{children}{closer}"),)
        values = tuple(attribute.value for attribute in attributes)
        data = {"name": element.name, "attributes": names, "values": values}
        problems.append(Problem("attribute-argument", span, data, repair, False))
    for span in element.loose_text():
        data = {"name": element.name, "text": span.of(text)}
        problems.append(Problem("text-between-parameters", span, data, (delete(*span),), False))
    return problems
