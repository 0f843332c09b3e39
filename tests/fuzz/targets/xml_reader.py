"""The XML reader: any text is read, its spans tile, it agrees with lxml, and nothing after limit or reach matters."""

from __future__ import annotations

import re

from callwright.syntax.xml import NO_HINTS, read_element
from callwright.text.holes import HOLE
from fuzz.inputs import Input
from syntax.test_xml_properties import CALL, RAW, UNKNOWN, assert_sound, lxml_tree, shape_of, shape_of_lxml

#: lxml knows namespaces and no template expressions, makes one line end of all, and takes no halves of pairs.
_ELSEWHERE = re.compile(f"[\ud800-\udfff:\r{HOLE}]|xmlns")
#: With fewer tags no text is deeper than both sides go.
MAX_DEPTH = 250
HINTS = {"none": NO_HINTS, "call": CALL, "raw": RAW, "unknown": UNKNOWN}


def target(data: bytes) -> None:
    """Read the element that the text begins with."""
    given = Input(data)
    text = given.text
    kind = given.pick("hints", tuple(HINTS))
    hints = HINTS[kind]
    found = read_element(text, 0, hints=hints)
    if found is None:
        return
    assert_sound(found, text)
    spans = [each.span for each in found.element.walk()]
    limited = read_element(text + "</content></write_file>]]>-->", 0, end=len(text), hints=hints)
    assert limited is not None
    assert ([each.span for each in limited.element.walk()], limited.problems) == (spans, found.problems)
    if found.reach < len(text):
        tail = given.random("tail").choice(("", ">", "</path>", "</write_file>", "<", "]]>", "-->", '"', "x", "\n\n"))
        again = read_element(text[: found.reach] + tail, 0, hints=hints)
        assert again is not None
        assert ([each.span for each in again.element.walk()], again.problems) == (spans, found.problems), tail
    if kind == "none":
        assert_agrees(text)


def assert_agrees(text: str) -> None:
    """Hold a reading against lxml's: what it takes is read to the same, what it rejects has a problem."""
    if _ELSEWHERE.search(text):
        return
    found = read_element(text, 0)
    assert found is not None
    own = text[: found.end]
    if own.count("<") > MAX_DEPTH:
        return
    tree = lxml_tree(own)
    assert (tree is not None) == found.clean, f"lxml {'takes' if tree is not None else 'rejects'} it: {found.problems}"
    if tree is not None:
        assert shape_of(found.element) == shape_of_lxml(tree)
