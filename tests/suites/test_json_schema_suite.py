"""The official test suite of JSON Schema goes through the validation of calls.

Each case is judged three times: by the fast library, by the slow one, and as an argument of a real call of a tool whose
parameter has the case's schema. What is required and not right is listed in `NOT_RIGHT`, with the reason.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from callwright.document.settings import Settings
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.schema import validation
from callwright.schema.validation import validate
from callwright.text.lru import Kept
from callwright.tools.references import with_children
from callwright.tools.registry import ToolRegistry
from callwright.tools.schema_check import REMOTE, check_schema
from support.sampling import sampled

SUITE = Path(__file__).parent / "json-schema"
DRAFTS = {
    "draft4": "http://json-schema.org/draft-04/schema#",
    "draft6": "http://json-schema.org/draft-06/schema#",
    "draft7": "http://json-schema.org/draft-07/schema#",
    "draft2019-09": "https://json-schema.org/draft/2019-09/schema",
    "draft2020-12": "https://json-schema.org/draft/2020-12/schema",
}
#: How many cases each draft has: required, optional.
CASES = {
    "draft4": (610, 100),
    "draft6": (829, 106),
    "draft7": (913, 118),
    "draft2019-09": (1227, 154),
    "draft2020-12": (1257, 158),
}
#: Whole groups that are refused, for one reason: their schema refers to a document that the test's own server would
#: serve, and nothing is ever fetched. How many required and optional cases of each draft these are.
REMOTE_CASES = {
    "draft4": (17, 0),
    "draft6": (23, 0),
    "draft7": (23, 2),
    "draft2019-09": (31, 3),
    "draft2020-12": (44, 1),
}
#: Files with required cases that are refused so.
REMOTE_FILES = {"refRemote", "dynamicRef"}
_NOT_FETCHED = "a meta-schema of one's own, which would have to be fetched, is taken for the newest published one"
_NO_CONTENT = "what a string contains is not looked into (only draft 7 lets a validator do so)"
NOT_RIGHT = {
    ("vocabulary", "no validation: invalid number, but it still validates"): _NOT_FETCHED,
    ("format-assertion", "format-assertion: false: invalid string"): "formats are not asserted",
    ("format-assertion", "format-assertion: true: invalid string"): "formats are not asserted",
    ("content", "an invalid JSON document"): _NO_CONTENT,
    ("content", "an invalid base64 string (% is not a valid character)"): _NO_CONTENT,
    ("content", "an invalid base64 string that is valid JSON"): _NO_CONTENT,
    ("content", "a validly-encoded invalid JSON document"): _NO_CONTENT,
}


class Case(NamedTuple):
    """One instance of the suite, and whether it is valid."""

    file: str
    optional: bool
    description: str
    instance: Any
    valid: bool

    @property
    def is_demanded(self) -> bool:
        return (self.file, self.description) not in NOT_RIGHT


class Group(NamedTuple):
    """A schema and its instances."""

    schema: dict[str, Any]
    cases: list[Case]


def groups(draft: str) -> Iterator[Group]:
    for line in (SUITE / f"{draft}.jsonl").read_text("utf-8").splitlines():
        entry = json.loads(line)
        schema = entry["schema"]
        if isinstance(schema, bool):
            schema = {"allOf": [schema]}
        if "$schema" not in schema:
            schema = {"$schema": DRAFTS[draft], **schema}
        cases = [
            Case(entry["file"], entry["optional"], test["description"], test["data"], test["valid"])
            for test in entry["tests"]
        ]
        yield Group(schema, cases)


def as_parameter(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of an arguments object with a parameter of `schema`; references lead where they led.

    A schema that names itself is a resource of its own wherever it is; in any other the references start at `#`.
    """
    draft = schema["$schema"]
    if "$recursiveRef" in json.dumps(schema):
        # It leads to the beginning of its resource, and can say nothing else.
        schema = {"$id": "https://example.com/case", **schema}
    if "$id" not in schema and "id" not in schema:
        schema = _moved(schema)
    inner = {key: value for key, value in schema.items() if key != "$schema"}
    return {"$schema": draft, "type": "object", "properties": {"value": inner}, "required": ["value"]}


def _moved(schema: Mapping[str, Any]) -> dict[str, Any]:
    copy = dict(schema)
    for keyword in ("$ref", "$dynamicRef"):
        reference = copy.get(keyword)
        if isinstance(reference, str) and (reference == "#" or reference.startswith("#/")):
            copy[keyword] = "#/properties/value" + reference[1:]
    return with_children(
        copy, lambda _, child: _moved(child) if isinstance(child, dict) and not {"$id", "id"} & child.keys() else child
    )


@pytest.fixture(params=["fast", "slow"])
def library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(validation, "_cache", Kept(512, 200_000))
    if request.param == "slow":
        monkeypatch.setitem(sys.modules, "jsonschema_rs", None)
    return str(request.param)


@pytest.mark.parametrize("draft", sampled(DRAFTS, keep=2))
def test_every_case_gets_the_outcome_that_the_suite_demands(draft: str, library: str) -> None:
    count, refused = [0, 0], [0, 0]
    for schema, cases in groups(draft):
        faults = check_schema(schema)
        optional = cases[0].optional
        count[optional] += len(cases)
        if faults:
            refused[optional] += len(cases)
            assert [fault.kind for fault in faults] == [REMOTE] * len(faults)
            assert optional or cases[0].file in REMOTE_FILES
            continue
        wrong = [case for case in cases if (not validate(schema, case.instance)) != case.valid]
        assert [case for case in wrong if case.is_demanded] == []
    assert (tuple(count), tuple(refused)) == (CASES[draft], REMOTE_CASES[draft])


def test_what_is_listed_as_wrong_is_wrong() -> None:
    found = {
        (case.file, case.description)
        for draft in DRAFTS
        for schema, cases in groups(draft)
        for case in cases
        if not check_schema(schema) and (not validate(schema, case.instance)) != case.valid
    }
    assert found == set(NOT_RIGHT)


@pytest.mark.parametrize("draft", sampled(DRAFTS, keep=2))
def test_a_call_with_an_instance_that_fails_has_a_diagnostic_at_it(draft: str) -> None:
    for schema, cases in groups(draft):
        if check_schema(schema):
            continue
        registry = ToolRegistry.of([{"name": "run_case", "inputSchema": as_parameter(schema)}])
        assert list(registry.problems) == [], schema
        for case in cases:
            if case.optional or not case.is_demanded:
                continue
            written = json.dumps(case.instance)
            call = '{"name": "run_case", "arguments": {"value": ' + written + "}}"
            text = "<tool_call>" + call + "</tool_call>"
            # The suite's instances are values, also where they look like one.
            settings = Settings(dialect="hermes", placeholders=False)
            found = diagnostics(open_snapshot(text, path="a.txt", registry=registry, settings=settings))
            assert (found == []) == case.valid, (schema, case, found)
            start = text.index('"arguments"')
            for diagnostic in found:
                assert start <= diagnostic.span.start <= diagnostic.span.end <= len(text), (schema, case, diagnostic)
                assert diagnostic.span.end > diagnostic.span.start
