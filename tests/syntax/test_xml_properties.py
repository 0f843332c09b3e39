"""What holds of the XML reader on any text: it never fails, its spans tile, it agrees with lxml, it is linear."""

import re
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from lxml import etree  # type: ignore[import-untyped]  # lxml carries no types

from callwright.syntax.xml import NO_HINTS, XmlElement, XmlHints, XmlRead, escape_text, read_element
from callwright.syntax.xml_nodes import XmlReference
from callwright.text.budget import Budget, BudgetExceededError
from callwright.text.holes import HOLE
from callwright.text.span import apply_edits
from support.sampling import sampled, tries

TEXT = {"type": "string"}
ITEMS = {"type": "array", "items": {"type": "object", "properties": {"A": TEXT, "B": TEXT}}}
CALL = XmlHints(
    parameters={"path": TEXT, "content": TEXT, "args": ITEMS, "env": {"type": "object", "properties": {"A": TEXT}}},
    text_parameters=frozenset({"path", "content"}),
    siblings=frozenset({"read_file", "write_file"}),
    enclosing=frozenset({"calls"}),
)
RAW = XmlHints(parameters=CALL.parameters, raw=True, siblings=CALL.siblings)
UNKNOWN = XmlHints(siblings=CALL.siblings)
ALL_HINTS = (NO_HINTS, CALL, RAW, UNKNOWN)

GOOD = """<write_file>
  <path>src/main.py</path>
  <!-- a note -->
  <content><![CDATA[if a < b && c:
    print("]]" + ">")]]></content>
  <args kind="x"><item><A>1 &lt; 2</A><B/></item><item><A>&#65;</A></item></args>
</write_file>"""

#: What calls and their faults are made of.
PIECES = [
    *("<write_file>", "</write_file>", "<content>", "</content>", "<path>", "</path>", "<args>", "</args>", "<item>"),
    *("</item>", "<A>", "</A>", "<b x='1'>", "<b x=1", "<b x>", "</b>", "<B/>", "</conten>", "\n<read_file>\n"),
    *("</read_file>", "</calls>", "<", ">", "</", "/>", "&", "&amp;", "&nbsp;", "&#0;", "<![CDATA[", "]]>", "<!--"),
    *("-->", "--", "<?x", "?>", "<!DOCTYPE a>", "<cont", "</cont", '"', "'", "=", " ", "\n", "\r\n", "x", "text "),
    *(HOLE * 3, "\x00", "\ud800", "\ufffe", "😀"),
]
mangled = st.builds(
    lambda head, parts: head + "".join(parts),
    st.sampled_from(["<write_file>", "<write_file>\n", "<A>", "<"]),
    st.lists(st.sampled_from(PIECES), max_size=25),
)


def read(text: str, hints: XmlHints = NO_HINTS) -> XmlRead:
    found = read_element(text, 0, hints=hints)
    assert found is not None
    return found


def assert_sound(found: XmlRead, text: str) -> None:
    """Spans nest, children tile contents, problems and repairs lie in the text."""
    element = found.element
    assert element.start < element.end <= found.end <= found.reach <= len(text)
    for each in element.walk():
        assert each.start < each.open_end <= each.content_end <= each.end
        assert each.close_span is None or each.close_span.start == each.content_end
        at = each.open_end
        for child in each.children:
            assert child.start == at < child.end
            at = child.end
        assert at == each.content_end
    for problem in found.problems:
        assert 0 <= problem.span.start <= problem.span.end <= len(text)
        apply_edits(text, problem.repair)


@given(text=mangled, hints=st.sampled_from(ALL_HINTS))
@settings(deadline=None, max_examples=tries(400))
@example(text="<write_file><content><![CDATA[a]]>]]></content>", hints=CALL)
def test_any_mixture_of_markup_is_read(text: str, hints: XmlHints) -> None:
    found = read_element(text, 0, hints=hints)
    if found is not None:
        assert_sound(found, text)


@given(text=st.text(max_size=40), hints=st.sampled_from(ALL_HINTS))
@settings(deadline=None, max_examples=tries(150))
def test_any_text_is_read(text: str, hints: XmlHints) -> None:
    assert_sound(read("<a>" + text, hints), "<a>" + text)


@given(data=st.data(), hints=st.sampled_from(ALL_HINTS))
@settings(deadline=None, max_examples=tries(200))
def test_a_good_call_with_a_few_edits_is_read(data: st.DataObject, hints: XmlHints) -> None:
    text = GOOD
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(1, len(text)))
        end = data.draw(st.integers(start, min(start + 12, len(text))))
        text = text[:start] + data.draw(st.sampled_from(["", *PIECES])) + text[end:]
    found = read_element(text, 0, hints=hints)
    if found is not None:
        assert_sound(found, text)


@pytest.mark.parametrize("hints", ALL_HINTS, ids=["none", "call", "raw", "unknown"])
def test_every_prefix_is_read_and_keeps_what_was_complete(hints: XmlHints) -> None:
    path_end = GOOD.index("</path>") + len("</path>")
    for stop in range(2, len(GOOD)):
        text = GOOD[:stop]
        found = read(text, hints)
        assert_sound(found, text)
        assert not found.clean
        if stop >= path_end:
            first = found.element.elements[0]
            assert (first.name, first.text()) == ("path", "src/main.py")


@given(text=mangled, hints=st.sampled_from((NO_HINTS, CALL, UNKNOWN)))
@settings(deadline=None, max_examples=tries(300))
def test_what_is_after_the_limit_is_not_scanned(text: str, hints: XmlHints) -> None:
    short = read_element(text, 0, hints=hints)
    long = read_element(text + "</content></write_file>]]>-->", 0, end=len(text), hints=hints)
    assert (short is None) == (long is None)
    if short is not None and long is not None:
        assert short.problems == long.problems
        assert [e.span for e in short.element.walk()] == [e.span for e in long.element.walk()]


@given(text=mangled, tail=st.lists(st.sampled_from(PIECES), max_size=5), hints=st.sampled_from((CALL, RAW, UNKNOWN)))
@settings(deadline=None, max_examples=tries(400))
def test_an_edit_beyond_the_reach_changes_nothing(text: str, tail: list[str], hints: XmlHints) -> None:
    before = read_element(text, 0, hints=hints)
    if before is None or before.reach >= len(text):
        return
    edited = text[: before.reach] + "".join(tail)
    after = read_element(edited, 0, hints=hints)
    assert after is not None
    assert after.problems == before.problems
    assert [e.span for e in after.element.walk()] == [e.span for e in before.element.walk()]


# lxml

PARSER_OPTIONS: dict[str, Any] = {
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "dtd_validation": False,
    "attribute_defaults": False,
    "huge_tree": False,
    "recover": False,
    "strip_cdata": False,
}
XML_PIECES = [
    *(
        "<a>",
        "</a>",
        "<b>",
        "</b>",
        "<c/>",
        "</c >",
        "<a\n>",
        "</a\n>",
        "x",
        " ",
        "\n",
        "é",
        "😀",
        "<é>",
        "</é>",
        "<1>",
    ),
    *("&amp;", "&lt;", "&#65;", "&#x42;", "&#0;", "&#xD800;", "&#x110000;", "&nbsp;", "&", "<", ">", '"', "]]>"),
    *("<![CDATA[", "<![CDATA[x]]>", "<!--", "-->", "--", "-", "<!-- y -->", "<!---->", "<?x", "<?xml", "?>", "<?x?>"),
    *("<?XML ?>", '<a b="1">', '<a b="1" c="2">', "<a b='&lt;' b='2'>", '<a b="1"c="2">', '<a b="a<b">', "<a b=1>"),
    *("<a b>", '<a b = "1" >', '<a b="&nbsp;">', "</ a>", "< a>", "<!DOCTYPE a>", "<!", "\x01", "\ufffe", "<a-b.c>"),
]


def lxml_tree(text: str) -> Any:
    try:
        return etree.fromstring(text.encode(), etree.XMLParser(**PARSER_OPTIONS))
    except etree.XMLSyntaxError:
        return None


def spaced(value: str) -> str:
    """Return an attribute's value with its white space as XML normalises it."""
    return re.sub("[\t\n]", " ", value)


def shape_of_lxml(element: Any) -> Any:
    own = [element.text or ""]
    children = []
    for child in element:
        if isinstance(child.tag, str):
            children.append(shape_of_lxml(child))
        own.append(child.tail or "")
    return element.tag, "".join(own), children, {name: spaced(value) for name, value in element.attrib.items()}


def shape_of(element: XmlElement) -> Any:
    attributes = {each.name: spaced(each.value) for each in element.attributes}
    return element.name, element.text(), [shape_of(child) for child in element.elements], attributes


@st.composite
def documents(draw: st.DrawFn) -> str:
    inner = "".join(draw(st.lists(st.sampled_from(XML_PIECES), max_size=8)))
    if draw(st.booleans()):
        inner += "".join(f"</{name}>" for name in reversed(re.findall("<([ab])>", inner)))
    return f"<r>{inner}</r>"


@given(text=documents())
@settings(deadline=None, max_examples=tries(1000))
@example(text="<r><?XML ?></r>")
@example(text="<r><!-- a --- b ---></r>")
@example(text="<r><![CDATA[]]></r>")
@example(text='<r><a b="&#10;">]]&gt;</a></r>')
def test_what_lxml_accepts_is_read_the_same_and_what_it_rejects_gets_a_problem(text: str) -> None:
    tree = lxml_tree(text)
    found = read(text)
    assert (tree is not None) == (found.clean and found.end == len(text))
    if tree is not None:
        assert shape_of(found.element) == shape_of_lxml(tree)


@given(value=st.text(st.characters(codec="utf-8", exclude_characters="\r\x00\ufffe\uffff", exclude_categories=["Cc"])))
@settings(deadline=None, max_examples=tries(100))
def test_an_escaped_value_is_read_back(value: str) -> None:
    found = read(f"<a>{escape_text(value)}</a>")
    assert found.clean
    assert found.element.text() == value


def test_line_ends_are_kept_as_written() -> None:
    assert read("<a>1\r\n2\r3</a>").element.text() == "1\r\n2\r3"


def test_references_keep_what_they_mean() -> None:
    (reference,) = [child for child in read("<a>&#x1F600;</a>").element.children if isinstance(child, XmlReference)]
    assert reference.value == "😀"


# Holes


@pytest.mark.parametrize(
    "text",
    [
        f"<write_file><path>{HOLE * 5}</path></write_file>",
        f"<write_file><{HOLE * 5}>x</{HOLE * 7}></write_file>",
        f"<{HOLE * 3}_file>{HOLE}</{HOLE * 3}_file>",
        f"<write_file {HOLE * 4}><path a={HOLE * 4} b='{HOLE}'>x</path></write_file>",
        f"<write_file><path>&{HOLE * 4};</path></write_file>",
    ],
)
def test_a_template_expression_is_no_fault(text: str) -> None:
    assert read(text).problems == []


# Depth, budget, time


def test_depth_is_limited() -> None:
    depth = 100_000
    found = read("<a>" * depth + "x" + "</a>" * depth)
    assert [problem.kind for problem in found.problems] == ["markup-too-deep"]
    assert found.end == 7 * depth + 1
    deepest = found.element
    levels = 1
    while deepest.elements:
        deepest = deepest.elements[0]
        levels += 1
    assert levels == 256
    assert deepest.opaque


def test_as_deep_as_lxml_goes_is_clean() -> None:
    text = "<a>" * 256 + "</a>" * 256
    assert lxml_tree(text) is not None
    assert read(text).clean


def test_a_budget_ends_the_reading() -> None:
    with pytest.raises(BudgetExceededError):
        read_element("<a>" + "<b>x</b>" * 20_000 + "</a>", 0, budget=Budget(cancelled=lambda: True))


def calls_made(work: Callable[[], Any]) -> int:
    """Return how many functions are called, of Python and of C: a measure of work that no clock disturbs."""
    count = 0

    def note(_frame: FrameType, event: str, _arg: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def read_all(text: str, hints: XmlHints) -> None:
    at = text.find("<")
    while at >= 0:
        found = read_element(text, at, hints=hints)
        at = text.find("<", at + 1 if found is None else found.end)


HOSTILE = [
    *(
        "<A>",
        "</A>",
        "<A>x",
        "<A><B>",
        "<A>x</B>",
        "<A>&</A>",
        "<A><A> x</A> ",
        "< ",
        "& ",
        "&nbsp;",
        "<A",
        "</A",
        "<A <",
    ),
    *("<A b='", '<A b="', "<A b='x\" ", "<![CDATA[", "<A><![CDATA[</A>", "<A><![CDATA[a]]> b</A>", "<![CDATA[x]]>"),
    *("<write_file><!--</write_file>", "<write_file></write_fil>", "<write_file><A></write_file>", "<!-- x", "<?x "),
    *("\n<write_file>\n<path>x</path>", "<write_file><path></write_file></path>", "</A> x <B>", "<A/>", "\x00 "),
]


@pytest.mark.parametrize("piece", sampled(HOSTILE, keep=10))
def test_work_grows_with_the_length_of_hostile_text(piece: str) -> None:
    for hints in (NO_HINTS, CALL, RAW):
        for head, tail in (("", ""), ("<write_file>", "</A></write_file>]]>-->")):
            short = head + piece * 60 + tail
            long = head + piece * 240 + tail
            before = calls_made(lambda text=short, known=hints: read_all(text, known))  # type: ignore[misc]
            after = calls_made(lambda text=long, known=hints: read_all(text, known))  # type: ignore[misc]
            # Four times the text: twice that leaves room for a changed reading, and quadratic work would be sixteen.
            assert after < 8 * before, (hints, head)
