"""One tag at a time: names, attributes, and what is wrong with them; and how text is written as XML."""

import pytest

from callwright.syntax.xml import cdata, decode_references, escape_text, tag_at
from callwright.text.holes import HOLE
from callwright.text.span import Span, apply_edits


def test_an_opening_tag() -> None:
    text = "say <read_file kind='a &lt; b' n=\"1\" > now"
    tag = tag_at(text, 4)
    assert tag is not None
    assert (tag.name, tag.closing, tag.self_closing, tag.broken, tag.truncated) == (
        "read_file",
        False,
        False,
        False,
        False,
    )
    assert tag.span.of(text) == "<read_file kind='a &lt; b' n=\"1\" >"
    assert [(each.name, each.value, each.quote) for each in tag.attributes] == [("kind", "a < b", "'"), ("n", "1", '"')]
    assert tag.attributes[0].value_span.of(text) == "a &lt; b"
    assert tag.attributes[0].span.of(text) == "kind='a &lt; b'"


def test_a_closing_tag_and_an_empty_one() -> None:
    closing, empty = tag_at("</a-b.c >", 0), tag_at("<a/>", 0)
    assert closing is not None
    assert empty is not None
    assert (closing.name, closing.closing, closing.end) == ("a-b.c", True, 9)
    assert (empty.name, empty.self_closing, empty.end) == ("a", True, 4)


@pytest.mark.parametrize("text", ["", "<", "</", "< a>", "<1>", "a", "<!-- -->", "<?x?>", "</ a>"])
def test_no_tag(text: str) -> None:
    assert tag_at(text, 0) is None


@pytest.mark.parametrize("text", ["<path", "<path ", "<path a", "<path a=", '<path a="x', "</path", "<path <b>"])
def test_a_tag_that_is_cut_off(text: str) -> None:
    tag = tag_at(text, 0)
    assert tag is not None
    assert tag.truncated
    assert tag.end <= len(text)


@pytest.mark.parametrize(
    ("text", "reason", "marked", "fixed"),
    [
        ("<a b=c>", "missing-quotes", "b=c", '<a b="c">'),
        ("<a b=c/>", "missing-quotes", "b=c", '<a b="c"/>'),
        ('<a b="c>', "unclosed-quote", 'b="c', '<a b="c">'),
        ("<a b>", "missing-equals", "b", "<a b>"),
        ("<a b=>", "missing-value", "b=", "<a b=>"),
        ('<a b="1" b="2">', "duplicate", 'b="2"', '<a b="1">'),
        ('<a b="1"c="2">', "missing-space", 'c="2"', '<a b="1" c="2">'),
        ('<a b="x<y">', "less-than", "x<y", '<a b="x&lt;y">'),
        ('<a b="x&y">', "ampersand", "&", '<a b="x&amp;y">'),
        ("<a ,>", "unexpected", ",", "<a ,>"),
        ("</a b='1'>", "closing-tag", "b", "</a b='1'>"),
    ],
)
def test_a_broken_attribute(text: str, reason: str, marked: str, fixed: str) -> None:
    tag = tag_at(text, 0)
    assert tag is not None
    assert tag.broken
    assert tag.end == len(text)
    (problem,) = tag.problems
    assert (problem.kind, problem.data["reason"], problem.span.of(text)) == ("broken-attribute", reason, marked)
    assert apply_edits(text, problem.repair) == fixed


def test_a_greater_than_sign_in_quotes_does_not_end_the_tag() -> None:
    tag = tag_at("<a b='x > y'>", 0)
    assert tag is not None
    assert (tag.end, tag.broken) == (13, False)


def test_a_template_expression_is_a_name_or_an_attribute() -> None:
    tag = tag_at(f"<{HOLE * 4} {HOLE * 6} a={HOLE * 2}>", 0)
    assert tag is not None
    assert not tag.broken
    assert tag.name == HOLE * 4
    assert tag.name_span == Span(1, 5)


def test_the_limit_cuts_a_tag_off() -> None:
    tag = tag_at("<path>", 0, 5)
    assert tag is not None
    assert tag.truncated


@pytest.mark.parametrize(
    ("text", "decoded"),
    [
        ("&lt;&gt;&amp;&quot;&apos;", "<>&\"'"),
        ("&#65;&#x1f600;", "A😀"),
        ("&nbsp; & &; &#; &#x;", "&nbsp; & &; &#; &#x;"),
        ("&#0;&#xD800;&#1114112;", "&#0;&#xD800;&#1114112;"),
        ("&amp;lt;", "&lt;"),
        ("&#" + "9" * 5000 + ";", "&#" + "9" * 5000 + ";"),
    ],
)
def test_references_are_decoded_once(text: str, decoded: str) -> None:
    assert decode_references(text) == decoded


def test_text_is_escaped_as_far_as_needed() -> None:
    assert escape_text("a < b && c > d ]]>") == "a &lt; b &amp;&amp; c > d ]]&gt;"


def test_cdata_is_split_where_it_would_end() -> None:
    assert cdata("a]]>b") == "<![CDATA[a]]]]><![CDATA[>b]]>"
