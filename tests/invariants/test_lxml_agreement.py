"""Invariant 7, agreement with lxml: what it takes as a body reads to the same values, what it rejects is a
diagnostic."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree  # type: ignore[import-untyped]  # lxml ships no types

from callwright.calls import xml_referee
from callwright.document.settings import Settings
from callwright.lint.linter import diagnostics
from callwright.runtime import StrictParser
from callwright.syntax.xml import XmlCData, XmlElement, XmlReference, XmlText, read_element
from dialects.dialect_cases import prepared
from invariants.texts import EMPTY, REGISTRY, opened
from support.cases import load_cases
from support.engine import case_snapshot
from support.sampling import tries

TESTS = Path(__file__).parents[1]

NAMES = st.sampled_from(["path", "content", "a", "b_c", "x.y", "é", "item"])
#: What XML is made of, and what breaks it.
PIECES = st.sampled_from(
    [
        *(
            "text",
            " ",
            "\n",
            "\r\n",
            "\r",
            "\t",
            "é😀",
            "]]",
            "]]>",
            ">",
            "<",
            "&",
            "&amp;",
            "&lt;",
            "&#65;",
            "&#x1F600;",
        ),
        *("&nbsp;", "&#0;", "&#xD800;", "&bad", "&;", "&#;", "&#x;", "&#xFFFE;", "<![CDATA[", "<![CDATA[a < b & c]]>"),
        *(
            "<!-- c -->",
            "<!-- a -- b -->",
            "<!---->",
            "<!--->",
            "<!--",
            "-->",
            "<?pi x?>",
            "<?xml version='1.0'?>",
            "<?",
            "<? x?>",
        ),
        *(
            "<!DOCTYPE a>",
            "<!ELEMENT a>",
            "<a/>",
            "<a />",
            "<a></a>",
            "<a>x</a>",
            "<a x='1'/>",
            '<a x="<"/>',
            "<a x=1/>",
        ),
        *(
            '<a x="1" x="2"/>',
            '<a x="1"y="2"/>',
            "<a x/>",
            "< a/>",
            "<a></b>",
            "</a>",
            "<a",
            "<1/>",
            "<a:b/>",
            "<:a/>",
            "<a:b:c/>",
        ),
        *(
            "\x00",
            "\x01",
            "\x0b",
            "\x7f",
            "\x85",
            "\u2028",
            "\ufffe",
            "\ufffd",
            "\ud800",
            "<é>x</é>",
            "<xml/>",
            "<a xmlns='u'/>",
        ),
        *(
            '<a xml:lang="x"/>',
            "<a x='&lt;&#10;'/>",
            "<a x='&bad;'/>",
            "</ a>",
            "<a ></a >",
            "<a\n/>",
            "<a>]]></a>",
            '<a x="a>b"/>',
        ),
    ]
)


@st.composite
def bodies(draw: st.DrawFn, depth: int = 2) -> str:
    """Return element content: mostly well-formed, sometimes not."""
    parts = []
    for _ in range(draw(st.integers(0, 4))):
        if depth and draw(st.booleans()):
            name = draw(NAMES)
            parts.append(f"<{name}>{draw(bodies(depth - 1))}</{name}>")
        else:
            parts.append(draw(PIECES))
    return "".join(parts)


def by_lxml(text: str) -> Any:
    """Return the tree that lxml makes of an element, None where it rejects it (as we ask it to be read at run time)."""
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=False, strip_cdata=False
    )
    try:
        return etree.fromstring(text.encode("utf-8"), parser)
    except (etree.XMLSyntaxError, ValueError):
        return None


def lxml_shape(element: Any) -> tuple[Any, ...]:
    parts: list[Any] = [element.text or ""]
    for child in element:
        if isinstance(child.tag, str):
            parts.append(lxml_shape(child))
            parts.append(child.tail or "")
        else:
            parts[-1] += child.tail or ""
    return (etree.QName(element).localname if "}" in element.tag else element.tag, dict(element.attrib), *parts)


def our_shape(element: XmlElement) -> tuple[Any, ...]:
    parts: list[Any] = [""]
    for child in element.children:
        if isinstance(child, XmlElement):
            parts += [our_shape(child), ""]
        elif isinstance(child, XmlText | XmlCData):
            parts[-1] += child.value.replace("\r\n", "\n").replace("\r", "\n")
        elif isinstance(child, XmlReference):
            parts[-1] += child.value
    attributes = {each.name: each.value.replace("\r\n", " ") for each in element.attributes}
    return (element.name, attributes, *parts)


def has_namespaces(text: str) -> bool:
    """Return whether namespaces are at work: calls have none, and a colon in a name is part of it."""
    return ":" in text or "xmlns" in text


@settings(max_examples=tries(500), deadline=None)
@given(body=bodies())
def test_the_reader_finds_fault_where_lxml_does(body: str) -> None:
    text = f"<root>{body}</root>"
    read = read_element(text, 0)
    tree = by_lxml(text) if "\ud800" not in text else None
    if tree is None:
        assert read is not None
        assert read.problems or read.end < len(text) or has_namespaces(text), "lxml rejects it and we do not"
        return
    assert read is not None
    if has_namespaces(text):
        return
    assert not read.problems, "lxml takes it and we do not"
    assert read.end == len(text)
    if "&" not in text.replace("&lt;", "").replace("&#10;", "") or "='" not in text:
        assert our_shape(read.element) == lxml_shape(tree)


@settings(max_examples=tries(300), deadline=None)
@given(value=bodies(depth=1), wrapped=st.booleans())
def test_a_call_that_lxml_rejects_has_an_error(value: str, *, wrapped: bool) -> None:
    call = f"<write_file><path>a</path><content>{value}</content></write_file>"
    text = f"<tool_call><tool_name>x_y</tool_name><arguments>{call}</arguments></tool_call>" if wrapped else call
    # `<a x/>` is a value here, and not words in the place of one.
    found = diagnostics(opened(text, registry=EMPTY if wrapped else REGISTRY, settings=Settings(placeholders=False)))
    errors = [each for each in found if each.code < "TC2" and each.severity == "error"]
    tree = by_lxml(text) if "\ud800" not in text else None
    if tree is None and not has_namespaces(text):
        assert errors, "lxml rejects it and nothing is said"
    if tree is not None and not len(tree.find(".//content")) and not has_namespaces(text):
        assert not errors
        (placed,) = opened(text, registry=EMPTY if wrapped else REGISTRY).placed_calls()
        arguments = placed.binding.arguments["write_file"] if wrapped else placed.binding.arguments
        content = lxml_text(tree.find(".//content"))
        if not wrapped:
            assert arguments["content"] in trimmed(content)


@settings(max_examples=tries(300), deadline=None)
@given(value=bodies(), dialect=st.sampled_from(["xml-children", "tool-call-xml", "xml-attributes"]))
def test_what_is_given_out_is_what_lxml_takes_and_nothing_is_disputed(value: str, dialect: str) -> None:
    call = f"<write_file><path>a</path><content>{value}</content></write_file>"
    if dialect == "tool-call-xml":
        arguments = call.removeprefix("<write_file>").removesuffix("</write_file>")
        call = f"<tool_call><tool_name>write_file</tool_name><arguments>{arguments}</arguments></tool_call>"
    if dialect == "xml-attributes":
        call = f'<write_file path="a" content="b">{value}</write_file>'
    calls, error = StrictParser(tools=REGISTRY, dialect=dialect).parse(call)
    if calls and not has_namespaces(call):
        assert by_lxml(call) is not None
    # Names that no namespace could hold are disputed, and nothing else is.
    assert error is None or error.dispute is None or has_namespaces(call)


@pytest.mark.parametrize(
    "folder", ["dialects/xml-children", "dialects/xml-attributes", "dialects/tool-call-xml", "rules"]
)
def test_lxml_disputes_no_call_of_the_cases(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    judged: list[str] = []
    parse = xml_referee._parsed

    def parsed(written: str, ours: Any) -> Any:
        judged.append(written)
        return parse(written, ours)

    monkeypatch.setattr(xml_referee, "_parsed", parsed)
    for case in load_cases(TESTS / folder):
        for placed in case_snapshot(prepared(case) if folder.startswith("dialects/") else case).placed_calls():
            text = placed.read.passage.text
            assert xml_referee.disagreement(placed.call, text, placed.snapshot.registry) is None, case.title
    assert len(judged) > 20


def lxml_text(element: Any) -> str:
    return "".join(part for part in lxml_shape(element)[2:] if isinstance(part, str))


def trimmed(text: str) -> set[str]:
    """Return the text with and without the newline after the opening tag and the one before the closing tag."""
    one = text.removeprefix("\n")
    return {text, one, text.removesuffix("\n"), one.removesuffix("\n")}


def imported(code: str) -> bool:
    """Return whether lxml is loaded once a program has run."""
    program = f"import sys\n{code}\nprint('lxml' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, encoding="utf-8")
    return done.stdout.splitlines()[-1] == "True"


def test_checking_a_file_does_not_import_lxml_and_fixing_a_call_in_xml_does() -> None:
    opened = """
from callwright.document.settings import Settings
from callwright.fix.fixer import fix_all
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.tools.registry import ToolRegistry
tools = ToolRegistry.of([{"name": "read_file", "inputSchema": {"type": "object", "properties": {"path": {}}}}])
snapshot = open_snapshot(%r, path="a.md", registry=tools, settings=Settings())
"""
    faulty = opened % "<raed_file><path>a &amp; b</path></raed_file>"
    assert not imported(faulty + "assert diagnostics(snapshot)[0].fixes")
    assert imported(faulty + "assert fix_all(snapshot)[1]")
    assert not imported(opened % '<raed_file>{"path": "a"}</raed_file>' + "assert fix_all(snapshot)[1]")


def test_a_strict_parser_imports_lxml_for_calls_in_xml_alone() -> None:
    code = """
from callwright.runtime import StrictParser
tools = [{"name": "read_file", "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}}}]
parser = StrictParser(tools=tools, dialect=["xml-children", "xml-json"])
assert len(parser.parse(%r).calls) == 1
"""
    assert not imported(code % '<read_file>{"path": "a"}</read_file>')
    assert imported(code % "<read_file><path>a</path></read_file>")
