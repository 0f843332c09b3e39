"""An element whose whole content is one text, whatever markup it holds (`XmlHints.text`)."""

from __future__ import annotations

import pytest

from callwright.syntax.xml import XmlHints, read_element

TEXT = XmlHints(text=True, call=False)


@pytest.mark.parametrize(
    ("content", "value"),
    [
        ("plain", "plain"),
        ("a &lt; b", "a < b"),
        ("<b>x</b> and <i>y</i>", "<b>x</b> and <i>y</i>"),
        ("<b>x", "<b>x"),
        ("</p>", "</p>"),
        ("<![CDATA[<b>&amp;]]>", "<b>&amp;"),
        ("", ""),
    ],
)
def test_the_content_is_one_text(content: str, value: str) -> None:
    text = f"<note>{content}</note> more"
    read = read_element(text, 0, hints=TEXT)
    assert read is not None
    assert not read.element.has_elements
    assert read.element.text() == value
    assert read.element.content.of(text) == content
    assert read.end == len(text) - len(" more")


def test_it_ends_at_the_closing_tag_that_is_its_own() -> None:
    text = "<note>a <note>b</note> c</note></note>"
    read = read_element(text, 0, hints=TEXT)
    assert read is not None
    assert read.element.text() == "a <note>b</note> c"


def test_without_entities_where_nothing_is_escaped() -> None:
    read = read_element("<note>a &lt; <b></note>", 0, hints=XmlHints(text=True, call=False, raw=True))
    assert read is not None
    assert read.element.text() == "a &lt; <b>"
    assert read.clean
