"""The referee: lxml parses the XML of a call independently, and the first difference from our reading is returned.

Owns: how lxml is called, which calls it can verify, and what agreement is. Must not know: dialect modules, documents,
rules, what is done about a disagreement.

Two readings agree where both have the same elements by name and order, the same attributes by name, value and order,
and the same text between them, references and CDATA sections resolved. XML has no types, so types are not compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from callwright.calls.attribute_write import AttributeElement, AttributeFormat, BodyElement
from callwright.calls.model import MarkupValue
from callwright.calls.protocol import Disagreement, Dispute
from callwright.syntax.xml import XmlCData, XmlElement, XmlReference, XmlText
from callwright.text.holes import HOLE

if TYPE_CHECKING:
    from callwright.calls.model import ToolCall
    from callwright.calls.protocol import ToolNames

#: Problems that leave the tree as it is: other parsers may read the value differently, which is reported already.
_HARMLESS: Final = frozenset({"engines-differ"})
#: The character that replaces a hole for lxml: any name may contain it.
_FILLED: Final = "_"
#: A reference that a template fills in later.
_OPEN_REFERENCE: Final = re.compile(f"&[^;<&\\s{HOLE}]*+{HOLE}")
_BREAKS: Final = re.compile("\r\n?|[\t\n]")
_PLACE: Final = re.compile(r" ?\(?<?string>?, line \d+\)?|, line \d+, column \d+")
#: A declared prefix, which lxml requires if a name contains a colon: in a call a colon is a part of the name.
_PREFIX: Final = re.compile(r"[A-Za-z_][\w.\-]*+(?=:)")

#: One piece of a tree, in the order of the text: a tag's name with its attributes, its end, a text.
Piece: TypeAlias = tuple[str, tuple[tuple[str, str], ...]] | str | None


def disagreement(call: ToolCall, text: str, tools: ToolNames) -> Disagreement | None:
    """Return how lxml's reading of a call of `text` differs from ours, None if both agree.

    None as well if lxml cannot verify the call: it is not XML, has problems, or the text in its elements is literal.
    """
    value = call.arguments
    if not isinstance(value, MarkupValue) or not call.complete or tools.markup(call.tool or "") == "raw":
        return None
    format_ = value.style.value_format if value.style is not None else None
    if value.style is not None and (not isinstance(format_, AttributeFormat) or format_.markup == "raw"):
        return None
    if any(problem.kind not in _HARMLESS for problem in call.problems):
        return None
    root = value.element
    written = text[slice(*call.span)]
    if HOLE in written and (_OPEN_REFERENCE.search(written) is not None or any(map(_is_open, root.walk()))):
        return None
    ours = [*_ours(root)]
    try:
        theirs = [*_theirs(_parsed(root.span.of(root.source), ours))]
        if root.span != call.span:
            # The text around the arguments has to be XML, too.
            _parsed(written, ours)
    except ValueError as error:
        return Disagreement(Dispute.REJECTED, root.name, str(error))
    return _difference(ours, theirs) or _other_texts(value, theirs)


def _difference(ours: list[Piece], theirs: list[Piece]) -> Disagreement | None:
    """Return the first difference of two trees, with the innermost element around it."""
    around: list[str] = [""]
    for own, other in zip(ours, theirs, strict=False):
        if own == other:
            if isinstance(own, tuple):
                around.append(own[0])
            elif own is None:
                around.pop()
        elif isinstance(own, tuple) and isinstance(other, tuple) and own[0] == other[0]:
            return Disagreement(Dispute.ATTRIBUTES, own[0])
        elif isinstance(own, str) or isinstance(other, str):
            return Disagreement(Dispute.TEXT, around[-1])
        else:
            return Disagreement(Dispute.ELEMENTS, around[-1] or "the call")
    return None if len(ours) == len(theirs) else Disagreement(Dispute.ELEMENTS, around[-1])


def _other_texts(value: MarkupValue, theirs: list[Piece]) -> Disagreement | None:
    """Return the first difference of text in the members that were read without a tree."""
    if value.texts is None:
        return None
    read = [(each.name, _with_line_feeds(each.text).replace(HOLE, _FILLED)) for each in value.texts]
    members = [
        (piece[0], theirs[at + 1] if isinstance(theirs[at + 1], str) else "")
        for at, piece in enumerate(theirs)
        if at and isinstance(piece, tuple)
    ]
    if read == members:
        return None
    if [name for name, _ in read] != [name for name, _ in members]:
        return Disagreement(Dispute.ELEMENTS, value.element.name)
    odd = next(name for (name, own), (_, other) in zip(read, members, strict=True) if own != other)
    return Disagreement(Dispute.TEXT, odd)


def _is_open(element: XmlElement) -> bool:
    """Return whether a template fills in a part of an opening tag: the tag is unknown until then."""
    at = element.name_span.start
    for attribute in element.attributes if element.source.startswith("<", element.start) else ():
        if HOLE in element.source[at : attribute.value_span.start]:
            return True
        at = attribute.value_span.end
    return HOLE in element.source[at : element.open_end]


# -- our tree ----------------------------------------------------------------------------------------------------------


def _ours(root: XmlElement) -> Iterator[Piece]:
    """Yield our tree, the text between two tags as one piece."""
    waiting: list[XmlElement | Any] = [root]
    stated: list[str] = []
    while waiting:
        node = waiting.pop()
        if node is None or (isinstance(node, XmlElement) and not isinstance(node, BodyElement)):
            if any(stated):
                yield "".join(stated).replace(HOLE, _FILLED)
            stated.clear()
            if node is None:
                yield None
                continue
            attributes, children = _parts(node)
            yield node.name.replace(HOLE, _FILLED), attributes
            waiting.append(None)
            waiting.extend(reversed(children))
        elif isinstance(node, BodyElement):
            waiting.extend(reversed(node.children))
        elif isinstance(node, XmlText | XmlCData):
            stated.append(_with_line_feeds(node.value))
        elif isinstance(node, XmlReference):
            stated.append(node.value)


def _parts(element: XmlElement) -> tuple[tuple[tuple[str, str], ...], list[Any]]:
    """Return the attributes of an element, and the content between its tags."""
    children: list[Any] = [child for child in element.children if type(child) is not AttributeElement]
    given = [child for child in element.children if type(child) is AttributeElement]
    pairs = [(each.name, each.text()) for each in given]
    if not pairs:
        pairs = [(each.name, each.value) for each in element.attributes]
    # Names that a template fills in are attributes as well; lxml does not count those of namespaces.
    attributes = ((name.replace(HOLE, _FILLED), _spaced(value)) for name, value in pairs)
    return tuple(pair for pair in attributes if pair[0].split(":", 1)[0] != "xmlns"), children


def _with_line_feeds(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _spaced(value: str) -> str:
    """Return an attribute's value as XML has it: a space for each line end and tab."""
    return _BREAKS.sub(" ", value).replace(HOLE, _FILLED)


# -- lxml's tree -------------------------------------------------------------------------------------------------------


@cache
def _parser() -> Any:
    """Return a parser that loads nothing, expands nothing, and repairs nothing."""
    from lxml import etree  # type: ignore[import-untyped]  # lxml ships no types

    return etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        attribute_defaults=False,
        huge_tree=False,
        recover=False,
        strip_cdata=False,
    )


def _parsed(written: str, ours: list[Piece]) -> Any:
    """Return the element that lxml reads; raises ValueError with the reason if lxml rejects the text."""
    from lxml import etree

    prefixes = {match[0] for piece in ours if isinstance(piece, tuple) for match in _prefixes(piece)}
    declared = "".join(f' xmlns:{prefix}="urn:{number}"' for number, prefix in enumerate(sorted(prefixes)))
    source = written.replace(HOLE, _FILLED)
    # An element of ours comes first, so no text is read as a document type or a declaration.
    try:
        document = etree.fromstring(f"<x{declared}>{source}</x>".encode(), _parser())
    except UnicodeEncodeError:
        raise ValueError("half of a surrogate pair is not a character") from None
    except etree.XMLSyntaxError as error:
        raise ValueError(_PLACE.sub("", error.msg or "it cannot be read")) from None
    if len(document) != 1 or document.text or document[0].tail:
        raise ValueError("it is not one element")
    return document[0]


def _prefixes(piece: tuple[str, tuple[tuple[str, str], ...]]) -> Iterator[re.Match[str]]:
    for name in (piece[0], *(name for name, _ in piece[1])):
        prefix = _PREFIX.match(name)
        if prefix is not None and prefix[0] not in ("xml", "xmlns"):
            yield prefix


def _theirs(root: Any) -> Iterator[Piece]:
    """Yield lxml's tree, in the same pieces."""
    stated: list[str] = []
    waiting: list[Any] = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            stated.append(node)
            continue
        if node is not None and not isinstance(node.tag, str):
            # A comment or an instruction; an entity is skipped, so its text differs.
            continue
        if any(stated):
            yield "".join(stated)
        stated.clear()
        if node is None:
            yield None
            continue
        yield _name(node), tuple((_attribute_name(node, name), _spaced(value)) for name, value in node.attrib.items())
        waiting.append(None)
        for child in reversed(node):
            waiting.extend((child.tail or "", child))
        waiting.append(node.text or "")


def _name(node: Any) -> str:
    local = node.tag.rpartition("}")[2]
    return f"{node.prefix}:{local}" if node.prefix else local


def _attribute_name(node: Any, name: str) -> str:
    """Return an attribute's name as it was written, without the namespace that lxml adds."""
    if not name.startswith("{"):
        return name
    namespace, _, local = name[1:].rpartition("}")
    if namespace == "http://www.w3.org/XML/1998/namespace":
        return f"xml:{local}"
    prefix = next(prefix for prefix, value in node.nsmap.items() if value == namespace and prefix is not None)
    return f"{prefix}:{local}"
