"""JSONTestSuite goes through the JSON reader, through the argument of a call, and through the command line.

What the suite demands (`y_`) is silent, what it refuses (`n_`) is a diagnostic, what it leaves open (`i_`) raises
nothing. Source: `json-test-suite.jsonl`, the 318 parsing cases of the JSON Parsing Test Suite of Nicolas Seriot (MIT),
each with its bytes in base64.
"""

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import callwright
from callwright.cli.support.files import FileError, read_source
from callwright.document.settings import Settings
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.rules.base import Severity
from callwright.syntax.json import read_json
from callwright.tools.registry import ToolRegistry
from support.sampling import sampled

SUITE = Path(__file__).parent / "json-test-suite.jsonl"
#: Accepted by the suite, and a diagnostic here: the last member wins without a word, and no author means that.
DUPLICATE_KEYS = {"y_object_duplicated_key.json", "y_object_duplicated_key_and_value.json"}
TOOLS = {"tools": [{"name": "take_value", "inputSchema": {"type": "object", "properties": {"value": {}}}}]}


class Case(NamedTuple):
    """A case: its name, its bytes, and its text; None where the bytes are no UTF-8."""

    name: str
    data: bytes
    text: str | None


def cases() -> Iterator[Case]:
    for line in SUITE.read_text("utf-8").splitlines():
        entry = json.loads(line)
        data = base64.b64decode(entry["base64"])
        try:
            text = data.decode()
        except UnicodeDecodeError:
            text = None
        yield Case(entry["name"], data, text)


CASES = list(cases())
TEXTS = sampled([case for case in CASES if case.text is not None], keep=25, by=lambda case: case.name[0])


def test_the_suite_is_whole() -> None:
    kinds = [case.name[0] for case in CASES]
    assert {kind: kinds.count(kind) for kind in "yni"} == {"y": 95, "n": 188, "i": 35}


@pytest.mark.parametrize("case", TEXTS, ids=lambda case: case.name)
def test_the_reader_finds_what_the_suite_refuses(case: Case) -> None:
    assert case.text is not None
    read = read_json(case.text)
    if case.name in DUPLICATE_KEYS:
        assert [problem.kind for problem in read.problems] == ["duplicate-key"]
    elif case.name.startswith("y_"):
        assert not read.problems
        assert read.value == json.loads(case.text)
    elif case.name.startswith("n_"):
        assert read.problems
    for problem in read.problems:
        assert 0 <= problem.span.start <= problem.span.end <= len(case.text)


@pytest.mark.parametrize("case", TEXTS, ids=lambda case: case.name)
def test_an_argument_is_judged_as_the_suite_judges_it(case: Case) -> None:
    text = f'<take_value>{{"value": {case.text}}}</take_value>'
    # `[fals]` is a value here, and not words in the place of one.
    snapshot = open_snapshot(text, path="a.txt", registry=ToolRegistry.of(TOOLS), settings=Settings(placeholders=False))
    errors = [found for found in diagnostics(snapshot) if found.severity is Severity.ERROR]
    if case.name.startswith("n_"):
        assert errors
    elif case.name.startswith("y_") and case.name not in DUPLICATE_KEYS:
        assert not errors
        (call,) = callwright.parse(text, tools=TOOLS).calls
        assert call.arguments == {"value": json.loads(case.text or "")}


@pytest.mark.parametrize("case", [case for case in CASES if case.text is None], ids=lambda case: case.name)
def test_bytes_that_are_no_text_are_refused_at_their_place(case: Case, tmp_path: Path) -> None:
    file = tmp_path / "case.json"
    file.write_bytes(case.data)
    with pytest.raises(FileError, match=r"not UTF-8.*: invalid byte 0x[0-9a-f]{2} at offset \d+"):
        read_source(file)
