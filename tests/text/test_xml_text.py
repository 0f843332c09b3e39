"""XML text: what it means is what lxml reads, and an encoded edit does to it what the edit says."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree  # type: ignore[import-untyped]

from callwright.text.holes import HOLE
from callwright.text.projection import Projection, encode_all
from callwright.text.span import Edit, Span, apply_edits, delete, insert
from callwright.text.xml_text import XmlText, XmlValue
from support.sampling import tries

PLAIN = [
    "a",
    "bc",
    " ",
    "\n",
    "\r\n",
    "\r",
    "\t",
    "é",
    "e\u0301",
    "😀",
    "]",
    "]]",
    ">",
    "&lt;",
    "&gt;",
    "&amp;",
    "&quot;",
]
PLAIN += ["&#10;", "&#x1F600;", "&#13;", "'"]
SECTIONS = [
    "<![CDATA[]]>",
    "<![CDATA[<a>&lt;]]>",
    "<![CDATA[b\r\nc]]>",
    "<![CDATA[]]]]>",
    "<![CDATA[x]]]><![CDATA[>]]>",
]
NEW = st.lists(
    st.sampled_from(["", "x", "<", ">", "&", "]", "]]>", "\n", "\r", "\t", '"', "'", "é", "😀", "\x01", "\ufffe"]),
    max_size=4,
).map("".join)
BROKEN = ["<", "&", "&foo;", "&#0;", "&#xFFFFFFF;", "&#x110000;", "<![CDATA[", "]]>", "\x00"]


def parsed(document: str) -> etree._Element | None:
    """Return the root as lxml reads it, None where it refuses."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, strip_cdata=False)
    try:
        return etree.fromstring(document.encode("utf-8"), parser)
    except (etree.XMLSyntaxError, UnicodeEncodeError):
        return None


def assert_maps(projection: Projection) -> None:
    """Every offset: round trip, order, and each raw character belongs to what it yields."""
    starts = [projection.to_raw(offset) for offset in range(projection.length + 1)]
    assert starts == sorted(set(starts))
    for offset in range(projection.length):
        span = projection.raw_span(Span(offset, offset + 1))
        assert span.start == starts[offset] < span.end <= starts[offset + 1]
        assert all(projection.to_decoded(place) == offset for place in range(span.start, span.end))
    assert projection.to_decoded(starts[-1]) == projection.length


def draw_edit(data: st.DataObject, length: int) -> Edit:
    start = data.draw(st.integers(0, length))
    end = data.draw(st.integers(start, min(length, start + 6)))
    return Edit(Span(start, end), data.draw(NEW))


@settings(deadline=None, max_examples=tries(300))
@given(st.lists(st.sampled_from(PLAIN + SECTIONS), max_size=7).map("".join), st.data())
def test_text_is_for_what_lxml_reads_and_takes_edits(raw: str, data: st.DataObject) -> None:
    root = parsed(f"<r>{raw}</r>")
    if root is None:
        return
    text = XmlText(raw, 3)
    assert text.text == (root.text or "")
    assert_maps(text)
    edit = draw_edit(data, text.length)
    encoded = text.encode(edit)
    if encoded is None:
        return
    again = parsed(apply_edits(f"<r>{raw}</r>", [encoded]))
    assert again is not None
    assert (again.text or "") == apply_edits(text.text, [edit])


@settings(deadline=None, max_examples=tries(300))
@given(st.lists(st.sampled_from(PLAIN), max_size=7).map("".join), st.sampled_from("\"'"), st.data())
def test_a_value_is_for_what_lxml_reads_and_takes_edits(raw: str, quote: str, data: st.DataObject) -> None:
    raw = raw.replace(quote, "")
    root = parsed(f"<r a={quote}{raw}{quote}/>")
    assert root is not None
    value = XmlValue(raw, 6, quote)
    assert value.text == root.get("a")
    assert_maps(value)
    edit = draw_edit(data, value.length)
    encoded = value.encode(edit)
    expected = apply_edits(value.text, [edit])
    if encoded is None:
        assert "\x01" in edit.text or "\ufffe" in edit.text
        return
    again = parsed(apply_edits(f"<r a={quote}{raw}{quote}/>", [encoded]))
    assert again is not None
    assert again.get("a") == expected


@settings(deadline=None, max_examples=tries(300))
@given(st.lists(st.sampled_from(PLAIN + SECTIONS + BROKEN), max_size=8).map("".join))
def test_any_text_is_decoded_and_maps_there_and_back(raw: str) -> None:
    assert_maps(XmlText(raw, 2))
    assert_maps(XmlValue(raw, 2))


def test_new_text_is_written_as_the_text_around_it() -> None:
    assert XmlText("a", 0).encode(insert(1, "<b> & c")) == insert(1, "&lt;b> &amp; c")
    assert XmlText("a&gt;", 0).encode(insert(1, "<b>")) == insert(1, "&lt;b&gt;")
    assert XmlText("<![CDATA[a]]>", 0).encode(insert(1, "<b> & c")) == insert(10, "<b> & c")
    assert XmlText("<![CDATA[a]]>", 0).encode(insert(1, "]]>")) == insert(10, "]]]]><![CDATA[>")
    assert XmlValue("a", 0).encode(insert(1, "<\"'\n\t")) == insert(1, "&lt;&quot;'&#10;&#9;")
    assert XmlValue("a", 0, "'").encode(insert(1, "\"'")) == insert(1, '"&apos;')


def test_an_edit_over_the_edge_of_a_section_keeps_both_sides() -> None:
    raw = "ab<![CDATA[cd]]>ef"
    text = XmlText(raw, 0)
    assert text.text == "abcdef"
    for edit, expected in (
        (Edit(Span(1, 3), "<"), "a&lt;<![CDATA[d]]>ef"),
        (Edit(Span(3, 5), "<"), "ab<![CDATA[c<]]>f"),
        (delete(1, 5), "af"),
    ):
        encoded = text.encode(edit)
        assert encoded is not None
        assert apply_edits(raw, [encoded]) == expected


def test_two_edits_are_encoded_together() -> None:
    text = XmlText("&lt;a&gt;<![CDATA[</b>]]>", 5)
    encoded = encode_all(text, [Edit(Span(1, 2), "x"), Edit(Span(5, 6), "x")])
    assert encoded == (Edit(Span(9, 10), "x"), Edit(Span(25, 26), "x"))


@pytest.mark.parametrize("text", ["\x00", "\x0b", "\ud800", "\uffff", HOLE])
def test_what_xml_cannot_write_is_refused(text: str) -> None:
    assert XmlText("a", 0).encode(insert(0, text)) is None
    assert XmlText("<![CDATA[a]]>", 0).encode(insert(0, text)) is None
    assert XmlValue("a", 0).encode(insert(0, text)) is None


def test_a_carriage_return_is_a_reference_and_has_no_place_in_a_section() -> None:
    assert XmlText("a", 0).encode(insert(0, "\r")) == insert(0, "&#13;")
    assert XmlText("<![CDATA[a]]>", 0).encode(insert(0, "\r")) is None


def test_an_end_of_a_section_never_arises_by_chance() -> None:
    assert XmlText("]]", 0).encode(insert(2, ">")) is None
    assert XmlText("<![CDATA[]]]]>", 0).encode(insert(2, ">")) is None
    assert XmlText("<![CDATA[a>]]>", 0).encode(Edit(Span(0, 1), "]]")) is None
    assert XmlText("<![CDATA[a]]>", 0).encode(insert(1, "]]")) == insert(10, "]]")
