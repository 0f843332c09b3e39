"""The published schemas and the reader say the same of every configuration."""

import json
import math
import re
import tomllib
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped] # it ships no types
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.config.keys import ADDS_TO, KEYS, OVERRIDE_KEYS
from callwright.config.reading import ConfigSource, Reader
from callwright.config.schema import configuration_schema, pyproject_schema
from callwright.document.settings import Settings
from callwright.rules.catalogue import all_rules, rule_names
from callwright.tools.shipped import schemas_folder
from support.sampling import tries

CODES = [rule.code for rule in all_rules()]
SCHEMA = configuration_schema(CODES)
VALIDATOR = jsonschema.Draft7Validator(SCHEMA)


def is_valid(stated: Any) -> bool:
    return bool(VALIDATOR.is_valid(stated))


def is_taken(stated: Any) -> bool:
    # Settings that are not in a file cannot extend one.
    reader = Reader(ConfigSource(Path("/nowhere/callwright.toml"), ""), Path("/nowhere"), rule_names())
    reader.read(stated)
    return not reader.problems


@pytest.mark.parametrize("schema", [SCHEMA, pyproject_schema(CODES)], ids=["own", "pyproject"])
def test_a_schema_is_sound(schema: dict[str, Any]) -> None:
    jsonschema.Draft7Validator.check_schema(schema)


def test_the_published_schemas_are_those_of_the_code() -> None:
    for name, schema in (("callwright", SCHEMA), ("pyproject-callwright", pyproject_schema(CODES))):
        text = (schemas_folder() / f"{name}.schema.json").read_text(encoding="utf-8")
        assert json.loads(text) == schema


def test_every_setting_has_a_key() -> None:
    # What a document says of itself, no user does.
    settings = set(Settings.__dataclass_fields__) - {"taken", "bounds"}
    assert settings <= set(KEYS)
    assert settings <= set(OVERRIDE_KEYS)
    assert set(ADDS_TO.values()) <= set(KEYS)
    assert all(key.about.endswith(".") and key.examples for key in (*KEYS.values(), *OVERRIDE_KEYS.values()))


@pytest.mark.parametrize("key", [*KEYS.values(), *OVERRIDE_KEYS.values()], ids=lambda key: key.name)
def test_an_example_of_a_key_is_taken(key: Any) -> None:
    for example in (*key.examples, *([key.default] if key.default is not None else [])):
        stated: dict[str, Any] = {key.name: example}
        if KEYS.get(key.name) != key:
            stated = {"overrides": [{"files": ["a"], **stated}]}
        assert is_valid(stated)
        assert is_taken(stated)


def test_every_example_of_the_documentation_is_taken() -> None:
    page = Path(__file__).parents[2] / "server" / "docs" / "configuration.md"
    found = re.findall(r"^```toml\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    ours = [text for text in found if "[[rule]]" not in text]
    assert len(ours) > len(KEYS)
    for text in ours:
        assert is_valid(tomllib.loads(text)), text
        assert is_taken(tomllib.loads(text)), text


@pytest.mark.parametrize(
    "text",
    [
        "",
        'extend = "a.toml"',
        'extend = ["a.toml", "b.toml"]',
        "extend = []",
        'tools = ["t.json"]\nextend_tools = []\nshipped = true\nmax_mistakes = 1',
        'select = ["ALL", "TC3", "tc301", "unknown-tool", "T"]',
        'severity = { all = "off", TC3 = "warning", unknown-tool = "hint" }',
        '[[overrides]]\nfiles = ["a"]\n[overrides.severity]\nTC3 = "off"\n[[overrides]]\nfiles = []\nstrict = false',
        "max_mistakes = 3.0",
    ],
)
def test_what_is_right_is_right_for_both(text: str) -> None:
    stated = tomllib.loads(text)
    assert [error.message for error in VALIDATOR.iter_errors(stated)] == []
    assert is_taken(stated)


@pytest.mark.parametrize(
    "text",
    [
        "x = 1",
        'dialect = "nothing"',
        'dialect = ""',
        'accept = ["xml-json", 3]',
        "extend = 3",
        'extend = [""]',
        "tools = [1]",
        'select = ["TC0"]',
        'select = ["unknown"]',
        'severity = { TC3 = "loud" }',
        'severity = { nothing = "off" }',
        'severity = ["off"]',
        "max_mistakes = 0",
        "max_mistakes = 1.5",
        "max_mistakes = inf",
        "shipped = 1",
        'shipped = ["nothing"]',
        'shipped = "cline"',
        "[overrides]",
        "overrides = [1]",
        "[[overrides]]",
        '[[overrides]]\nfiles = "a"',
        '[[overrides]]\nfiles = ["a"]\nextend = "b.toml"',
        '[[overrides]]\nfiles = ["a"]\nextend_files = ["b"]',
        '[[overrides]]\nfiles = ["a"]\n[[overrides.overrides]]\nfiles = ["b"]',
        '[[overrides]]\nfiles = ["a"]\nmarkup = "html"',
        'files = ["\\u0000"]',
    ],
)
def test_what_is_wrong_is_wrong_for_both(text: str) -> None:
    stated = tomllib.loads(text)
    assert not is_valid(stated)
    assert not is_taken(stated)


def test_the_schema_of_a_pyproject_judges_our_table_alone() -> None:
    validator = jsonschema.Draft7Validator(pyproject_schema(CODES))
    assert validator.is_valid({"project": {"name": 3}, "tool": {"ruff": {"x": 1}, "callwright": {"strict": True}}})
    assert validator.is_valid({})
    (error,) = validator.iter_errors({"tool": {"callwright": {"strict": 3}}})
    assert list(error.absolute_path) == ["tool", "callwright", "strict"]
    assert not validator.is_valid({"tool": {"callwright": {"select": ["TC0"]}}})


words = st.sampled_from(
    [
        "xml-json", "invoke", "xml", "raw", "mentions", "calls", "openai", "none", "jinja", "cline", "off", "error",
        "TC3", "TC301", "tc30", "ALL", "unknown-tool", "a/**", "", "\0", "x\0", "nothing", "TC", "TC999", "all", "ß",
    ]
)  # fmt: skip
scalars = st.one_of(
    words,
    st.booleans(),
    st.integers(-2, 9),
    st.floats(),
    st.text(max_size=3),
)
values = st.one_of(
    scalars,
    st.lists(scalars, max_size=3),
    st.dictionaries(words | st.text(max_size=3), scalars, max_size=3),
)


def table(keys: list[str]) -> st.SearchStrategy[dict[str, Any]]:
    return st.dictionaries(st.sampled_from([*keys, "nothing"]), values, max_size=3)


overrides = st.lists(
    st.one_of(
        table([*OVERRIDE_KEYS, "extend", "overrides"]),
        st.builds(lambda one: {"files": ["a"], **one}, table([*OVERRIDE_KEYS])),
        scalars,
    ),
    max_size=2,
)


@settings(deadline=None, max_examples=tries(300))
@given(table([*KEYS]), st.none() | overrides)
def test_both_report_the_same_of_any_configuration(stated: dict[str, Any], more: list[Any] | None) -> None:
    if more is not None:
        stated["overrides"] = more
    assert is_valid(stated) == is_taken(stated)


@settings(deadline=None, max_examples=tries(300))
@given(st.sampled_from([*KEYS]), values)
def test_both_report_the_same_of_any_value(key: str, value: Any) -> None:
    assert is_valid({key: value}) == is_taken({key: value})


def test_numbers_that_are_no_numbers_are_refused() -> None:
    assert not is_taken({"max_mistakes": math.nan})
    assert not is_taken({"max_mistakes": -math.inf})
