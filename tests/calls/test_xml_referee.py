"""The referee: where lxml agrees with our reader of XML by decision, where it does not, and what it never judges."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from callwright.calls import xml_referee
from callwright.calls.model import MarkupValue, ToolCall
from callwright.calls.protocol import Disagreement, Dispute
from callwright.calls.xml_referee import disagreement
from callwright.conversion import convert_document
from callwright.document.settings import Settings
from callwright.fix.fixer import fix_all
from callwright.lint.opening import open_snapshot
from callwright.rules.base import Diagnostic, ErrorType
from callwright.runtime import StrictParser
from callwright.syntax.xml import XmlAttribute, XmlElement, XmlText
from callwright.text.span import Span
from callwright.tools.registry import ToolRegistry

TOOLS: list[dict[str, Any]] = [
    {
        "name": "take_it",
        "inputSchema": {
            "type": "object",
            "properties": {"path": {"type": "string"}, "note": {"type": "string"}, "a:b:c": {"type": "string"}},
        },
    },
    {
        "name": "run_it",
        "inputSchema": {
            "type": "object",
            "properties": {"queue": {"type": "string"}, "script": {"type": "string", "x-body": True}},
        },
    },
]
REGISTRY = ToolRegistry.of(TOOLS)
#: Two colons are more than a qualified name may hold; to a call they are a part of it.
COLONS = "<take_it><path>a</path><a:b:c>1</a:b:c></take_it>"


def call_in(text: str, dialect: str = "xml-children", registry: ToolRegistry = REGISTRY, path: str = "a.md") -> Any:
    snapshot = open_snapshot(text, path=path, registry=registry, settings=Settings(dialect=dialect))
    (placed,) = snapshot.placed_calls()
    return placed


def judged(text: str, dialect: str = "xml-children", **more: Any) -> Disagreement | None:
    placed = call_in(text, dialect, **more)
    assert placed.call.dialect == dialect
    return disagreement(placed.call, placed.read.passage.text, placed.snapshot.registry)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return what lxml is given."""
    given: list[str] = []
    parse: Callable[..., Any] = xml_referee._parsed

    def parsed(written: str, ours: Any) -> Any:
        given.append(written)
        return parse(written, ours)

    monkeypatch.setattr(xml_referee, "_parsed", parsed)
    return given


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("<path>a</path>\n  <note>b &lt; c &#x1F600;</note>", "references"),
        ("<path><![CDATA[a < b & c]]> &amp; d</path>", "sections"),
        ("<path>a\r\nb\rc</path>", "XML has one line end, and the reader keeps the one that is written"),
        ("<path><![CDATA[a\r\nb]]>&#13;</path>", "line ends in a section, and one that is escaped"),
        ("<!-- a --><path>a<!-- b -->c<?go on?></path>", "comments and instructions are no text"),
        ("<path a='x\ty\r\nz' b=\"1\">a</path>", "white space in attributes"),
        ("<path a='&#10;&lt;'>a</path>", "references in attributes"),
        ("<x:path>a</x:path><note x:y='1'/>", "a colon is a part of the name"),
        ("<path xmlns='urn:a' xmlns:b='urn:b' xml:lang='de'>a</path>", "namespaces are no arguments"),
        ("<note><a>1</a>b<a/>c</note>", "text beside elements"),
        ("<note/>", "an empty element"),
        ("<note></note>", "the same in two tags"),
    ],
)
def test_both_agree(body: str, why: str, asked: list[str]) -> None:
    text = f"<take_it>{body}</take_it>"
    assert judged(text) is None, why
    assert asked == [text]
    whole = f"<tool_call><tool_name>take_it</tool_name><arguments>{body}</arguments></tool_call>"
    assert judged(whole, "tool-call-xml") is None, why
    # What is around the arguments has to be XML as well.
    assert asked[1:] == [f"<arguments>{body}</arguments>", whole]


@pytest.mark.parametrize(
    "text",
    [
        '<run_it queue="a">b</run_it>',
        "<run_it queue='a &quot; &#10; b'/>",
        '<run_it queue="a\nb">x &lt; y <![CDATA[& z]]></run_it>',
        '<run_it script="a"></run_it>',
    ],
)
def test_both_agree_on_attributes_that_are_arguments(text: str, asked: list[str]) -> None:
    assert judged(text, "xml-attributes") is None
    assert asked == [text]


@pytest.mark.parametrize(
    ("text", "judges"),
    [
        ("<take_it><path>{{ a }}</path></take_it>", True),
        ("<take_it><path a='{{ a }}'>b {{ c }}</path></take_it>", True),
        ("<take_it><path>&{{ a }};</path></take_it>", False),
        ("<take_it><path {{ a }}>b</path></take_it>", False),
    ],
)
def test_an_expression_of_a_template_is_text_and_tags_with_one_are_not_judged(
    text: str, judges: bool, asked: list[str]
) -> None:
    assert judged(text, path="a.j2") is None
    assert bool(asked) is judges


def test_what_is_no_clean_xml_is_not_judged(asked: list[str]) -> None:
    raw = REGISTRY.with_markup("raw")
    assert judged("<take_it><note>a < b &nbsp; <c></note></take_it>", registry=raw) is None
    for faulty in (
        "<take_it><note>a < b</note></take_it>",
        "<take_it><note>a</take_it>",
        "<take_it><note>a&nbsp;b</note>",
    ):
        assert judged(faulty) is None
    assert judged('<take_it>{"note": "<b>"}</take_it>', "xml-json") is None
    invoke = '<invoke name="take_it"><parameter name="note">a < b</parameter></invoke>'
    assert judged(invoke, "invoke") is None
    assert asked == []


# -- disagreement ------------------------------------------------------------------------------------------------------


def test_what_lxml_rejects_is_reported_with_its_reason() -> None:
    found = judged(COLONS)
    assert found == Disagreement(Dispute.REJECTED, "take_it", "Failed to parse QName 'a:b:c'")
    assert str(found) == "lxml rejects the XML of `take_it`: Failed to parse QName 'a:b:c'"


def altered(text: str, change: Callable[[XmlElement], None]) -> Disagreement | None:
    """Return what the referee says where our reader had read something else."""
    call: ToolCall = call_in(text).call
    assert isinstance(call.arguments, MarkupValue)
    change(call.arguments.element)
    return disagreement(replace(call, arguments=MarkupValue(call.arguments.element)), text, REGISTRY)


PLAIN = "<take_it><path a='1'>a</path><note>b</note></take_it>"


def test_another_text_is_a_disagreement() -> None:
    def change(element: XmlElement) -> None:
        element.elements[1].children = [XmlText(PLAIN, 0, 3)]

    assert altered(PLAIN, change) == Disagreement(Dispute.TEXT, "note")


def test_a_text_less_is_a_disagreement() -> None:
    assert altered(PLAIN, lambda element: element.elements[1].children.clear()) == Disagreement(Dispute.TEXT, "note")


def test_another_element_is_a_disagreement() -> None:
    def rename(element: XmlElement) -> None:
        element.elements[1].name = "nota"

    assert altered(PLAIN, rename) == Disagreement(Dispute.ELEMENTS, "take_it")
    assert altered(PLAIN, lambda element: element.children.reverse()) == Disagreement(Dispute.ELEMENTS, "take_it")
    assert altered(PLAIN, lambda element: element.children.clear()) == Disagreement(Dispute.ELEMENTS, "take_it")


def test_another_attribute_is_a_disagreement() -> None:
    def change(element: XmlElement) -> None:
        place = Span(0, 1)
        element.elements[0]._attributes = [XmlAttribute("a", place, "2", place, place, "'")]

    assert altered(PLAIN, change) == Disagreement(Dispute.ATTRIBUTES, "path")


def test_members_that_were_read_without_a_tree_are_compared_too() -> None:
    text = "<take_it><path>a</path><note>b</note></take_it>"
    call: ToolCall = call_in(text).call
    value = call.arguments
    assert isinstance(value, MarkupValue)
    assert value.texts is not None
    wrong = [value.texts[0], value.texts[1]._replace(text="c")]
    found = disagreement(replace(call, arguments=MarkupValue(value.element, texts=wrong)), text, REGISTRY)
    assert found == Disagreement(Dispute.TEXT, "note")
    found = disagreement(replace(call, arguments=MarkupValue(value.element, texts=wrong[:1])), text, REGISTRY)
    assert found == Disagreement(Dispute.ELEMENTS, "take_it")


@pytest.mark.parametrize(
    "text",
    [
        '<!DOCTYPE a SYSTEM "file:///etc/hostname"><a/>',
        "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>",
        "<a>&b;</a>",
        "<a/><b/>",
        "<a/>b",
        "</x><x>",
        "<a>\x00</a>",
        "<a>\ud800</a>",
        "<a>\ufffe</a>",
        "<?xml version='1.0'?><a/>",
        "<a>" * 300 + "</a>" * 300,
    ],
)
def test_lxml_is_given_elements_alone_and_neither_expands_nor_repairs(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        xml_referee._parsed(text, [])


# -- refusals ----------------------------------------------------------------------------------------------------------


def test_a_strict_parser_rejects_the_reply_and_states_why() -> None:
    parser = StrictParser(tools=TOOLS, dialect="xml-children")
    good = "<take_it><path>a</path></take_it>"
    calls, error = parser.parse(f"{good}\n{COLONS}")
    assert calls == []
    assert error is not None
    assert error.type is ErrorType.MALFORMED_XML
    assert error.dispute == judged(COLONS)
    assert error.call is not None
    assert (error.call.number, error.call.tool) == (2, "take_it")
    assert "without colons in names" in error.feedback()
    assert error.to_dict()["dispute"] == {
        "kind": "rejected",
        "element": "take_it",
        "reason": "Failed to parse QName 'a:b:c'",
    }
    again = pickle.loads(pickle.dumps(error))  # noqa: S301  our own error
    assert again.dispute == error.dispute
    assert parser.parse(good).error is None


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_a_strict_stream_gives_out_no_such_call(size: int) -> None:
    parser = StrictParser(tools=TOOLS, dialect="xml-children")
    stream = parser.stream()
    text = f"I do.\n{COLONS}\n\nThat was it, and more follows."
    for at in range(0, len(text), size):
        assert not any(type(event).__name__ == "CallClosed" for event in stream.feed(text[at : at + size]))
    assert stream.finish() == ([], stream.error)
    assert stream.error is not None
    assert stream.error.dispute == judged(COLONS)


@pytest.mark.parametrize("dialect", ["xml-children", "tool-call-xml", "xml-attributes"])
def test_a_conversion_is_refused(dialect: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # No call is known that we write and lxml reads otherwise, so lxml is given another text than was written.
    parse: Callable[..., Any] = xml_referee._parsed
    monkeypatch.setattr(xml_referee, "_parsed", lambda written, ours: parse(written.replace("odd", "even"), ours))
    call = '<tool_call>{"name": "take_it", "arguments": {"path": "a", "note": "%s"}}</tool_call>'
    text = f"{call % 'odd'}\n\n{call % 'plain'}\n"
    snapshot = open_snapshot(text, path="a.md", registry=REGISTRY, settings=Settings())
    conversion = convert_document(snapshot, dialect)
    assert conversion.text.startswith(call % "odd")
    assert conversion.converted == 1
    (refused,) = conversion.refused
    kind = "attributes" if dialect == "xml-attributes" else "text"
    assert refused.reason.startswith(f"written in {dialect}, lxml reads different {kind} in `")


@pytest.mark.parametrize("character", ["\x00", "\x0b", "\x1b", "\ufffe", "\ud800"])
@pytest.mark.parametrize("dialect", ["xml-children", "tool-call-xml", "xml-attributes"])
def test_no_writer_leaves_a_character_to_lxml_that_xml_forbids(character: str, dialect: str) -> None:
    escaped = f"\\u{ord(character):04x}"
    text = f'<tool_call>{{"name": "take_it", "arguments": {{"note": "a{escaped}b"}}}}</tool_call>'
    snapshot = open_snapshot(text, path="a.md", registry=REGISTRY, settings=Settings())
    conversion = convert_document(snapshot, dialect)
    assert conversion.text == text
    assert not any("lxml" in each.reason for each in conversion.refused)


def test_a_fix_is_not_applied_and_the_others_are() -> None:
    text = f"{COLONS.replace('>1<', '>1 < 2<')}\n\n<take_it><note>1 < 2</note></take_it>\n"
    snapshot = open_snapshot(text, path="a.md", registry=REGISTRY, settings=Settings(markup="xml"))
    refused: list[tuple[Diagnostic, Disagreement]] = []
    fixed, diagnostics = fix_all(snapshot, unsafe=True, refused=lambda *reported: refused.append(reported))
    assert fixed.splitlines()[0] == text.splitlines()[0]
    assert fixed.splitlines()[2] != text.splitlines()[2]
    assert [each.code for each in diagnostics] == ["TC104"]
    assert [(diagnostic.code, dispute.kind) for diagnostic, dispute in refused] == [("TC104", Dispute.REJECTED)]
