"""Tool files in YAML: the value is that which ruamel.yaml reads, everything has a place, and nothing is unbounded."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from callwright.syntax.yaml_scalars import core_value
from callwright.tools.formats.base import Parsed
from callwright.tools.formats.yaml import FORMAT
from support.sampling import tries

LINES = [
    *("a:", "b: 1", "c: |", "d: >-", "f: 'x'", 'g: "y"', "- z", "-", "- - w", "- k: v", "- |", "? q", ": r"),
    *("text <t>", "more: text", "# c", "", "h: {i: j, 'k': [l, m]}", "n: [o,", "p]", "s: {t:", "u}", "v: &w x"),
    *("y: *w", "z: !!str 1", "<<: {a: b}", "A: &B", "C: *B", "- &D {e: 1}", "- *D", "<<: *B", "---", "200: {d: 0x1F}"),
    *("e: [1.5, null, ~, true, no]", "E: [x: y, &F z, *F]", "\"q\": 'r'", "k: a # b", "m: a: b", "i: >", "l: a#b:c"),
]
DOCUMENTS = st.lists(st.tuples(st.sampled_from([0, 0, 0, 1, 2, 2, 4]), st.sampled_from(LINES)), max_size=9)


def parsed(document: str) -> Parsed:
    return FORMAT.parse(document, 0)


def reference(document: str) -> Any:
    """Return what ruamel.yaml reads, in JSON's terms; Ellipsis where it refuses the file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            roots = list(YAML(typ="safe", pure=True).load_all(document))
            return plain(roots[0] if len(roots) == 1 else roots)
        except (YAMLError, ValueError, TypeError, AttributeError, KeyError, RecursionError):
            return ...


def plain(value: Any) -> Any:
    """Return a value with its keys as texts."""
    if isinstance(value, dict):
        return {"null" if key is None else str(key): plain(inner) for key, inner in value.items()}
    return [plain(item) for item in value] if isinstance(value, list) else value


@settings(deadline=None, max_examples=tries(400), suppress_health_check=list(HealthCheck))
@given(DOCUMENTS, st.sampled_from(["\n", "\n", "\r\n"]))
def test_what_ruamel_accepts_is_read_to_the_same_value(lines: list[tuple[int, str]], newline: str) -> None:
    document = newline.join(" " * indent + line for indent, line in lines)
    wanted = reference(document)
    if (
        wanted is ...
        or not wanted
        or (isinstance(wanted, list) and None in wanted)
        or "|" in document
        or (">" in document and "---" in document)
    ):
        return
    own = parsed(document)
    if any(problem.data["reason"] == "a key here is not a string" for problem in own.problems):
        return
    assert own.value == wanted, document
    assert not own.broken, document


@settings(deadline=None, max_examples=tries(300))
@given(
    st.text(alphabet="ab:-?|>'\"[]{},#&*!%<\n\r\t 2+", max_size=60)
    | DOCUMENTS.map(lambda one: "\n".join(" " * a + b for a, b in one))
)
def test_any_text_is_read_and_every_part_has_its_place(document: str) -> None:
    own = parsed(document)
    assert own.value is not None or own.problems or not document.strip() or document
    waiting: list[tuple[tuple[str | int, ...], Any]] = [((), own.value)]
    while waiting:
        path, value = waiting.pop()
        span, key = own.places.value(path), own.places.key(path)
        assert 0 <= span.start <= span.end <= len(document)
        assert 0 <= key.start <= key.end <= len(document)
        members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        waiting += [((*path, step), inner) for step, inner in members]
    for problem in own.problems:
        assert 0 <= problem.span.start <= problem.span.end <= len(document)


PLACES = """\
tools:
  - name: read   # the name
    input_schema: &schema
      type: object
      properties: {path: {type: string}}
  - {name: 'list', input_schema: *schema}
  - name: find
    input_schema:
      <<: *schema
      description: |
        Two
        lines.
"""


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (("tools", 0, "name"), "read"),
        (("tools", 0, "input_schema", "properties", "path"), "{type: string}"),
        (("tools", 1), "{name: 'list', input_schema: *schema}"),
        (("tools", 1, "name"), "'list'"),
        (("tools", 1, "input_schema"), "*schema"),
        (("tools", 1, "input_schema", "type"), "object"),
        (("tools", 2, "input_schema", "properties"), "{path: {type: string}}"),
        (("tools", 2, "input_schema", "description"), "Two\n        lines.\n"),
        (("tools", 2, "input_schema", "no", "such"), None),
    ],
)
def test_values_are_where_they_were_written(path: tuple[str | int, ...], text: str | None) -> None:
    own = parsed(PLACES)
    assert not own.problems
    expected = own.places.value(path[:-2]) if text is None else None
    span = own.places.value(path)
    assert span == expected if text is None else span.of(PLACES) == text


def test_keys_are_where_they_were_written() -> None:
    own = parsed(PLACES)
    assert own.places.key(("tools", 1, "input_schema")).of(PLACES) == "input_schema"
    assert own.places.key(("tools", 2, "input_schema", "type")).of(PLACES) == "type"
    assert own.places.key(("tools", 0)) == own.places.value(("tools", 0))


@pytest.mark.parametrize(
    ("document", "marked", "reason"),
    [
        ("a: 1\n  b: 2\n", "b", "the file is not valid YAML (line 2)"),
        ("a: [1,\n", "[", "the file is not valid YAML (line 1)"),
        ('a: 1\nb: "x\n', '"', "the file is not valid YAML (line 2)"),
        ("\ta: 1\n", "\t", "the file is not valid YAML (line 1)"),
        ("a: *x\n", "*x", "`*x` refers to no anchor above it"),
        ("a: &a [*a]\n", "*a", "`*a` would contain itself"),
        ("a: 1\na: 2\n", "a", "`a` appears twice in this mapping"),
        ("a:\n  <<: 3\n", "3", "`<<` requires a mapping or a list of mappings"),
        ("a: - b\n", "-", "the file is not valid YAML (line 1)"),
        ("a: [b,, c]\n", ",", "the file is not valid YAML (line 1)"),
        ("a: ['b' c]\n", "'", "the file is not valid YAML (line 1)"),
        ("a: {b: 1\n  c: 2}\n", "", "the file is not valid YAML (line 2)"),
        ("a: [b: c: d]\n", "", "the file is not valid YAML (line 1)"),
        ("- a\n&b\n- c\n", "&b", "the file is not valid YAML (line 2)"),
        ("a: |\n   \n  b\n", "|", "the file is not valid YAML (line 1)"),
        ("# nothing\n", "# nothing\n", "the file is empty"),
    ],
)
def test_a_fault_is_shown_at_its_place(document: str, marked: str, reason: str) -> None:
    (problem,) = parsed(document).problems
    assert (problem.span.of(document), problem.data["reason"]) == (marked, reason)


@pytest.mark.parametrize(
    "word", ["007", "1e3", "0x1F", "yes", "Null", "~", ".inf", ".nan", "1_000", "2001-01-01", "9" * 5_000]
)
def test_scalars_are_those_of_the_core_schema_and_fit_into_json(word: str) -> None:
    value = parsed(f"a: {word}").value["a"]
    special = word.startswith(".") or len(word) > 400
    assert value == (word if special else core_value(word)[1])


@pytest.mark.parametrize(
    "document",
    [
        "[" * 50_000,
        "- " * 50_000,
        "{a: " * 50_000,
        "\n".join(" " * depth + "a:" for depth in range(2_000)),
        "a: &a [x, x, x, x, x, x, x, x, x]\n"
        + "".join(
            f"{new}: &{new} [{', '.join(['*' + old] * 9)}]\n" for old, new in zip("abcdefghi", "bcdefghij", strict=True)
        ),
        "a: &a {b: 1, c: 2}\n"
        + "".join(f"x{number}: {{<<: [{', '.join(['*a'] * 1_000)}]}}\n" for number in range(100)),
    ],
    ids=["brackets", "dashes", "braces", "columns", "laughs", "merges"],
)
def test_hostile_texts_are_refused_at_once(document: str) -> None:
    own = parsed(document)
    assert own.broken
    assert len(own.problems) <= 2


@pytest.mark.parametrize(
    ("document", "value"),
    [
        ("a: &b\nc: *b\n", {"a": None, "c": None}),
        ("a: !!str\nb: 1\n", {"a": "", "b": 1}),
        ("a: [b: , c]\n", {"a": [{"b": None}, "c"]}),
        ("a: [b: ]\n", {"a": [{"b": None}]}),
    ],
)
def test_what_is_empty_is_a_value(document: str, value: Any) -> None:
    own = parsed(document)
    assert (own.value, own.broken) == (value, False)


@pytest.mark.parametrize(
    ("document", "value"),
    [
        ("a: b: c\nd: 1\n", {"a": "b: c", "d": 1}),
        ("a: @b\nc: 1\n", {"a": "@b", "c": 1}),
        ("a: 'b' c\nd: 1\n", {"a": "b", "d": 1}),
        ("a: 1\n  b: 2\nc: 3\n", {"a": 1, "b": 2, "c": 3}),
        ("a: {b: 1\nc: [2,\nd: 3\n", {"a": {"b": 1}, "c": [2], "d": 3}),
        ("a: [b, 'c]\nd: 1\n", {"a": None, "d": 1}),
    ],
)
def test_what_can_be_read_of_a_file_with_a_fault_is_read(document: str, value: Any) -> None:
    own = parsed(document)
    assert (own.value, own.broken) == (value, True)


#: Where the reader is not a reader of all YAML, and why.
APART = {
    "a document without content is none: no tool file means null by it": ("a: 1\n---\n# nothing\n", {"a": 1}, False),
    "directives and the prefixes of tags are not looked at": ("%TAG ! x\n--- !y\na: 1\n", {"a": 1}, False),
    "keys are texts": ("a: &b c\n*b : 1\n", {"a": "c"}, True),
    "a list is no key": ("[a]: 1\nb: 2\n", {"b": 2}, True),
    "a tag on a key changes nothing": ("!!int 1: a\n", {"1": "a"}, False),
    "an anchor on a key names nothing": ("&a b: 1\nc: *a\n", {"b": 1, "c": None}, True),
    "in quotes and brackets, columns are not counted": (
        "a: [b,\nc]\nd: 'e\nf'\n",
        {"a": ["b", "c"], "d": "e f"},
        False,
    ),
    "in quotes, a marker of documents ends nothing": ("a: 'b\n--- c'\n", {"a": "b --- c"}, False),
    "brackets may be indented by tabs": ("a: [\n\tb\n ]\n", {"a": ["b"]}, False),
    "a tab may follow a dash": ("-\t- a\n", [["a"]], False),
    "a dash alone in brackets is text": ("[-]\n", ["-"], False),
    "an anchor may precede a list on lines of its own": ("a:\n&b\n- c\n", {"a": ["c"]}, False),
}


@pytest.mark.parametrize(("document", "value", "broken"), APART.values(), ids=APART)
def test_where_yaml_is_read_otherwise_than_it_states(document: str, value: Any, broken: bool) -> None:
    own = parsed(document)
    assert (own.value, own.broken) == (value, broken)
