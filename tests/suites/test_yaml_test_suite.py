"""The YAML Test Suite goes through the reader of YAML files.

What the suite gives as JSON is read to the same values without an objection, what it says is no YAML is objected to;
`DIFFERENCES` lists all others, each with the reason. Source: `yaml-test-suite.jsonl`, the cases of
https://github.com/yaml/yaml-test-suite (MIT), written by `pack_yaml.py`.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from callwright.syntax.yaml_values import read_yaml_documents

SUITE: Final = Path(__file__).parent / "yaml-test-suite.jsonl"
#: Cases that are read in another way than the suite demands, by the reason.
DIFFERENCES: Final[dict[str, str]] = {
    "a document without a value has nothing to check, and is left out": (
        "6XDY 6ZKB 9DXL DK95-7 MUS6-2 MUS6-3 MUS6-4 MUS6-5 MUS6-6 PUW8 UT92 W4TN ZYU8-0 ZYU8-1 ZYU8-2 ZYU8-3"
    ),
    "an alias as a key is objected to: no key of a definition or a transcript is written so": "26DV 2SXE E76Z HMQ5",
    "white space at the end of a file without a line end is no line of a block": "JEF9-2 L24T-1",
    "a tab in an indentation is objected to also where the line is a value alone": "DK95-0",
    "directives and tags' prefixes are passed over: they change no value that is read": (
        "9MMA B63P H7TQ MUS6-0 SF5V QLJ7"
    ),
    "a line inside brackets or quotes may begin where it likes, with tabs, too": (
        "9C9N DK95-1 QB6E VJP3-0 Y79Y-3 Y79Y-4 Y79Y-5 Y79Y-0"
    ),
    "a line of `---` or `...` in a quoted text belongs to the text": "5TRB 9MQT-1 RXY3",
    "a hyphen alone in brackets is a text": "G5U8 YJV2",
    "anchors and tags may be where the suite forbids them: the values are the same": "4JVG G9HC SR86 U99R",
    "what follows `...` on its line is passed over": "3HFZ",
}


class Case(NamedTuple):
    """A case: its name, its text, the values of its documents where the suite gives them, and whether it is no YAML."""

    name: str
    yaml: str
    values: list[Any] | None
    fails: bool


def cases() -> Iterator[Case]:
    for line in SUITE.read_text("utf-8").splitlines():
        entry = json.loads(line)
        yield Case(entry["name"], entry["yaml"], entry.get("values"), entry["fails"])


CASES: Final = list(cases())
REASONS: Final = {name: reason for reason, names in DIFFERENCES.items() for name in names.split()}


def agrees(case: Case) -> bool:
    """Return whether a case is read as the suite demands; where it states neither values nor a fault, all are."""
    read = read_yaml_documents(case.yaml)
    objected = bool(read.faults or read.problems)
    if case.fails:
        return objected
    return case.values is None or (not objected and [root.value for root in read.roots] == case.values)


def test_the_suite_is_whole() -> None:
    assert len(CASES) == 406
    assert sum(case.fails for case in CASES) == 94
    assert sum(case.values is not None for case in CASES) == 283


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_case_is_read_as_the_suite_demands_or_the_list_gives_the_reason(case: Case) -> None:
    assert agrees(case) == (case.name not in REASONS), REASONS.get(case.name, "it is in no list")


def test_the_list_names_cases_of_the_suite() -> None:
    assert {case.name for case in CASES} >= set(REASONS)
