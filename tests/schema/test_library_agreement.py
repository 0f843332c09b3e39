"""The two libraries agree about validity and about the places of errors, over every keyword of every draft.

What they do not agree on is listed in `EXCEPTIONS`, explained in `server/docs/validation.md`, and kept out of what is
generated; each exception has a test that shows it, so that one which is gone is noticed.
"""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.schema.errors import SchemaError
from callwright.schema.slow_validation import SlowValidator
from callwright.schema.validation import Validator, compile_schema
from callwright.tools.schema_check import check_schema
from support.sampling import tries

DRAFTS = {
    4: "http://json-schema.org/draft-04/schema#",
    6: "http://json-schema.org/draft-06/schema#",
    7: "http://json-schema.org/draft-07/schema#",
    2019: "https://json-schema.org/draft/2019-09/schema",
    2020: "https://json-schema.org/draft/2020-12/schema",
}

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-3, 9)
    | st.sampled_from([0.5, 1.0, 0.3, -2.5, 1e300, "", "a", "ab", "é", "1"])
)
names = st.sampled_from(["a", "b", "ab", "x-1"])


def nested(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4)


values = st.recursive(scalars, nested, max_leaves=8)
types = st.sampled_from(["array", "boolean", "integer", "null", "number", "object", "string"])
patterns = st.sampled_from(["^a", "b$", "^[ab]+$", r"^x-\d$", "[^a]", "^(?!a)", r"^\w+$", ".", "^$"])
counts = st.integers(0, 3)
limits = st.integers(-2, 5) | st.sampled_from([0.5, 1.5])
name_lists = st.lists(names, min_size=1, max_size=3, unique=True)


def keywords(draft: int, inner: st.SearchStrategy[Any]) -> dict[str, st.SearchStrategy[Any]]:
    """Return every keyword that asserts something in a draft, with values for it."""
    some = st.lists(inner, min_size=1, max_size=3)
    found: dict[str, st.SearchStrategy[Any]] = {
        "type": types | st.lists(types, min_size=1, max_size=3, unique=True),
        "enum": st.lists(values, min_size=1, max_size=3, unique_by=repr),
        "multipleOf": st.sampled_from([1, 2, 3, 0.5, 0.1, 1e-300]),
        "minimum": limits, "maximum": limits,
        "minLength": counts, "maxLength": counts, "pattern": patterns,
        "minItems": counts, "maxItems": counts, "uniqueItems": st.booleans(),
        "minProperties": counts, "maxProperties": counts, "required": name_lists,
        "properties": st.dictionaries(names, inner, max_size=3),
        "patternProperties": st.dictionaries(patterns, inner, max_size=2),
        "additionalProperties": inner,
        "allOf": some, "anyOf": some, "oneOf": some, "not": inner,
        "definitions": st.just({}), "format": st.sampled_from(["date", "email"]), "default": values,
    }  # fmt: skip
    if draft == 4:
        found |= {"exclusiveMinimum": st.booleans(), "exclusiveMaximum": st.booleans()}
    else:
        found |= {"exclusiveMinimum": limits, "exclusiveMaximum": limits}
        found |= {"const": values, "contains": inner, "propertyNames": inner}
    if draft >= 7:
        found |= {"if": inner, "then": inner, "else": inner, "contentEncoding": st.just("base64")}
    if draft < 2020:
        found |= {"items": inner | some, "additionalItems": inner}
    else:
        found |= {"items": inner, "prefixItems": some}
    if draft < 2019:
        found["dependencies"] = st.dictionaries(names, name_lists | inner, max_size=2)
    else:
        found |= {"minContains": counts, "maxContains": counts}
        found |= {"dependentRequired": st.dictionaries(names, name_lists, max_size=2)}
        found |= {"dependentSchemas": st.dictionaries(names, inner, max_size=2)}
        found |= {"unevaluatedProperties": inner, "unevaluatedItems": inner}
    return found


def schemas_of(draft: int) -> st.SearchStrategy[Any]:
    leaf: st.SearchStrategy[Any] = st.booleans() if draft > 4 else st.just({})

    def around(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        known = keywords(draft, inner)
        chosen = st.lists(st.sampled_from(sorted(known)), min_size=1, max_size=4, unique=True)
        return chosen.flatmap(lambda words: st.fixed_dictionaries({word: known[word] for word in words}))

    return st.recursive(leaf | around(leaf), around, max_leaves=5).filter(lambda schema: isinstance(schema, dict))


@st.composite
def cases(draw: st.DrawFn) -> tuple[dict[str, Any], Any]:
    draft = draw(st.sampled_from(sorted(DRAFTS)))
    schema = {"$schema": DRAFTS[draft], **draw(schemas_of(draft))}
    if draft == 4:
        for word, other in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
            if word in schema:
                schema.setdefault(other, 1)
    return schema, draw(values)


def both(schema: dict[str, Any]) -> tuple[Validator, Validator]:
    fast, slow = compile_schema(schema), SlowValidator.of(schema)
    assert fast is not None
    assert slow is not None
    return fast, slow


def places(errors: list[SchemaError]) -> set[tuple[Any, ...]]:
    return {error.path for error in errors}


@settings(deadline=None, max_examples=tries(400))
@given(cases())
def test_both_libraries_agree_about_validity_and_places(case: tuple[dict[str, Any], Any]) -> None:
    schema, value = case
    if check_schema(schema):
        return
    fast, slow = (list(each.errors(value)) for each in both(schema))
    assert (fast == []) == (slow == [])
    assert places(fast) == places(slow)


#: What is not the same: a schema, a value, whether each library accepts it, and the words of the page that explains it.
EXCEPTIONS: list[tuple[dict[str, Any], Any, bool, bool, str]] = [
    ({"pattern": "^.$"}, "\r", True, False, "a dot"),
    ({"pattern": r"\bb"}, "éb", False, True, "a word boundary"),
    ({"pattern": r"^(a)\1$"}, "ab", False, True, "a back-reference or look-around"),
    ({"pattern": "(?<=a+)b"}, "b", False, True, "a back-reference or look-around"),
    ({"pattern": r"^\p{Script=Greek}$"}, "a", False, True, "a script"),
    ({"pattern": "^(a+)+$"}, "b", False, True, "a pattern that may take exponential time"),
]


@pytest.mark.parametrize(("schema", "value", "fast_accepts", "slow_accepts", "heading"), EXCEPTIONS)
def test_each_exception_is_one_and_is_explained(
    schema: dict[str, Any], value: Any, fast_accepts: bool, slow_accepts: bool, heading: str
) -> None:
    fast, slow = both(schema)
    assert (list(fast.errors(value)) == []) == fast_accepts
    assert (list(slow.errors(value)) == []) == slow_accepts
    page = Path(__file__).parents[2] / "server" / "docs" / "validation.md"
    assert f"| {heading} " in page.read_text("utf-8")


def test_a_pattern_that_only_one_library_reads_is_no_sound_schema_for_it() -> None:
    schema = {"pattern": "[^]"}
    assert compile_schema(schema) is None
    assert SlowValidator.of(schema) is not None
    assert "`[^]`" in (Path(__file__).parents[2] / "server" / "docs" / "validation.md").read_text("utf-8")
