"""XML files: what the host reads as text and values is what lxml reads there, in the same order."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree  # type: ignore[import-untyped]

from callwright.hosts.base import HostContext
from callwright.hosts.support.mentions import only_mentions
from callwright.hosts.xml import HOST
from callwright.text.projection import Projection
from support.sampling import tries

PARTS = [
    "<a>",
    "</a>",
    "<b x='1'>",
    "</b>",
    "<c/>",
    "<d k=\"{v}\" l='{{w&lt;}}'/>",
    "<!-- <e> {c} -->",
    "<?p {q} <?>",
    "{t}",
]
PARTS += ["{u&amp;\r\n}", "<![CDATA[<a>{z}]]>", " ", "\n", "é😀", "~~~ {x}", "]", ">"]


def texts(document: str) -> list[tuple[int, str]]:
    """Return the passages of a file that are not elements, each with its place."""
    record = HOST.read(document, HostContext(template=None, names=frozenset({"no_such_tool"})))
    return [(place(passage.projection), passage.text) for passage in record.passages]


def place(projection: Projection) -> int:
    return projection.to_raw(0)


def expected(element: etree._Element) -> Iterator[str]:
    """Yield the values and texts of an element in the order of the file."""
    if isinstance(element.tag, str):
        yield from element.attrib.values()
        yield element.text or ""
        for child in element:
            yield from expected(child)
            yield child.tail or ""


@settings(deadline=None, max_examples=tries(300))
@given(st.lists(st.sampled_from(PARTS), max_size=9).map("".join))
def test_texts_and_values_are_those_that_lxml_reads(inner: str) -> None:
    document = (
        f'<?xml version="1.0"?>\n<!DOCTYPE r [<!-- {{x}} --> <!ENTITY y "{{y}}">]>\n<r>{inner}</r>\n<!-- {{end}} -->'
    )
    found = texts(document)
    assert [start for start, _ in found] == sorted(start for start, _ in found)
    try:
        root = etree.fromstring(document.encode("utf-8"), etree.XMLParser(resolve_entities=False, load_dtd=False))
    except etree.XMLSyntaxError:
        return
    wanted = [text for text in expected(root) if any(marker in text for marker in "<{[`~" + ":=" * ("\n" in text))]
    assert [text for _, text in found] == [text for text in wanted if text.strip() and not only_mentions(text)]


@settings(deadline=None, max_examples=tries(300))
@given(st.text(alphabet="<>/!-[]CDAT?ab_ ='\"{}&;\n", max_size=60))
def test_any_text_is_read(document: str) -> None:
    record = HOST.read(document, HostContext())
    assert all(0 <= place(passage.projection) <= len(document) for passage in record.passages)


def test_what_is_never_closed_is_sought_once() -> None:
    pieces = [
        "<!--",
        "<![CDATA[",
        "<?x",
        "<!DOCTYPE a [",
        "<a_b ",
        "<a_b x='",
        "<a_b>{",
        "</a_b",
        "&lt;",
        "<a_b>{</a_b>",
    ]
    for piece in pieces:
        record = HOST.read(piece * 4_000, HostContext(names=frozenset({"a_c"})))
        assert len(record.passages) <= 4_000
