"""No schema and no value keeps a validator busy: each gets an outcome or a refusal, with either library.

They run in a process of their own, which is killed where one of them does not end. The limit is generous: a machine may
be slow, and an endless search does not end at all. `tests/benchmarks/schemas.py` gives the times.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from callwright.schema.validation_cost import FAST_STEPS, SLOW_STEPS, CostModel
from callwright.tools.schema_check import bounded, check_schema
from suites.hostile_schemas import CASES

#: What each outcome is: the schema is refused, the value is not validated, it is valid, it has errors.
REFUSED = {
    "allOf bomb", "allOf 14", "allOf 13 items", "cycle", "cycle2", "deep100k", "deep100k allOf", "ref chain 10k",
    "ref chain 19k", "pattern 1e6", "pattern 1e6 alt", "unevaluatedItems", "many refs anchors", "nodes 49k",
    "nodes 200k", "id many",
}  # fmt: skip
UNCHECKED = {
    "backref many", "lookahead many", "patprops many", "enum huge", "enum objs", "dynamicRef wide", "rec twice",
    "rec anyOf", "errors 500k",
}  # fmt: skip

RUN = """
import json, sys
if sys.argv[1] == "slow":
    sys.modules["jsonschema_rs"] = None
from suites.hostile_schemas import CASES
from callwright.schema.validation import validate
from callwright.tools.schema_check import check_schema
for name, make in CASES.items():
    schema, value = make()
    faults = [fault.kind for fault in check_schema(schema)]
    print(json.dumps([name, faults, [error.keyword for error in validate(schema, value)]]), flush=True)
"""


@pytest.mark.whole(reason="validates for ten seconds; the steps that it takes are bounded below")
@pytest.mark.parametrize("library", ["fast", "slow"])
def test_each_ends_with_an_outcome_or_a_refusal(library: str) -> None:
    tests, server = Path(__file__).parents[1], Path(__file__).parents[2] / "server"
    run = subprocess.run(
        [sys.executable, "-c", RUN, library],
        env={"PYTHONPATH": f"{tests}:{server}"},
        capture_output=True,
        text=True,
        timeout=240,
        check=True,
    )
    found = {name: (faults, errors) for name, faults, errors in map(json.loads, run.stdout.splitlines())}
    assert found.keys() == CASES.keys()
    assert {name for name, (faults, _) in found.items() if faults} >= REFUSED
    # What is refused is never put before a validator.
    assert all(found[name][1] == [] for name in REFUSED)
    assert {name for name, (_, errors) in found.items() if errors == ["unchecked"]} >= UNCHECKED


@pytest.mark.parametrize("name", sorted(CASES.keys() - REFUSED))
def test_what_is_validated_takes_a_bounded_number_of_steps(name: str) -> None:
    schema, value = CASES[name]()
    if check_schema(schema) or not bounded(schema):
        return
    for slow, most in ((False, FAST_STEPS), (True, SLOW_STEPS)):
        steps = CostModel(schema, slow=slow).steps(value)
        assert steps is None or 0 < steps <= most
        assert (steps is None) or name not in UNCHECKED
