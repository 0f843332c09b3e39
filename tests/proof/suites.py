"""How the test suites that others keep for JSON, JSON Schema, XML and YAML are read.

Owns: the count of what agrees. Must not know: why a case differs (the tests of each suite list the reasons).
"""

from __future__ import annotations

from typing import Final

from callwright.schema.validation import validate
from callwright.syntax.json import read_json
from callwright.tools.schema_check import check_schema
from invariants.test_lxml_agreement import by_lxml
from proof.claim import Claim, share
from suites import test_json_schema_suite as json_schema
from suites import test_json_test_suite as json_texts
from suites import test_xml_suite as xml
from suites import test_yaml_test_suite as yaml

TITLE: Final = "The suites of others are read as they demand"
_ABOUT: Final = """\
The readers of values are held to suites that others keep. *Agrees*: the case is accepted or refused as the suite
demands, with the same values where it states them; for XML, as `lxml` does. What a suite leaves open is left out. The
tests in `tests/suites` list each case that differs, with its reason: for JSON Schema most are schemas that would have
to be fetched, for YAML the reader is laxer than the suite where the values are the same."""

Row = tuple[str, int, int]


def _json() -> Row:
    cases = [case for case in json_texts.CASES if case.text is not None and case.name[0] in "yn"]
    agree = sum((not read_json(case.text or "").problems) == (case.name[0] == "y") for case in cases)
    return "JSON Parsing Test Suite", len(cases), agree


def _json_schema() -> Row:
    count = agree = 0
    for draft in json_schema.DRAFTS:
        for schema, cases in json_schema.groups(draft):
            demanded = [case for case in cases if not case.optional]
            count += len(demanded)
            if not check_schema(schema):
                agree += sum((not validate(schema, case.instance)) == case.valid for case in demanded)
    return "JSON Schema Test Suite, required cases of five drafts", count, agree


def _xml() -> Row:
    agree = 0
    for _, text in xml.TEXTS:
        whole = xml.as_content(text, doctype=False)
        agree += xml.read(whole)[1] == (by_lxml(whole) is not None)
    return "W3C XML Conformance Test Suite, as content of an element", len(xml.TEXTS), agree


def _yaml() -> Row:
    return "YAML Test Suite", len(yaml.CASES), sum(yaml.agrees(case) for case in yaml.CASES)


def claim() -> Claim:
    """Read all suites."""
    rows = [_json(), _json_schema(), _xml(), _yaml()]
    table = tuple((name, f"{count:,}", f"{agree:,}", share(agree, count)) for name, count, agree in rows)
    return Claim(
        _ABOUT, ("suite", "cases", "agree", "share"), table, all(agree > 0.85 * count for _, count, agree in rows)
    )
