"""Where the keys and values of a TOML text are."""

import json
import tomllib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.syntax.toml_places import TomlPlaces
from support.sampling import tries

TEXT = '''\
\ufeff# A comment = "no key"
tools = ["a.json",  # first
  'b.json', ]
dialect="xml-json"
dotted.'in ner'.x = 1
inline = { a = 1, "b c" = [true, { d = 2 }] }
long = """
[not.a.table]
key = "no"
"""
raw = \'\'\'it''s\'\'\'
when = 1979-05-27 07:32:00
[severity]
TC301 = "off"
"unknown-tool" = "error"
[[list]]
x = 1
[[list]]
x = 2
[list.sub]
y = 3
'''


@pytest.mark.parametrize(
    ("path", "key", "value"),
    [
        (("tools",), "tools", "[\"a.json\",  # first\n  'b.json', ]"),
        (("tools", 0), None, '"a.json"'),
        (("tools", 1), None, "'b.json'"),
        (("tools", 2), None, None),
        (("dialect",), "dialect", '"xml-json"'),
        (("dotted", "in ner", "x"), "x", "1"),
        (("dotted", "in ner"), "'in ner'", None),
        (("inline", "b c", 1, "d"), "d", "2"),
        (("long",), "long", '"""\n[not.a.table]\nkey = "no"\n"""'),
        (("raw",), "raw", "'''it''s'''"),
        (("when",), "when", "1979-05-27 07:32:00"),
        (("severity",), "severity", "[severity]"),
        (("severity", "unknown-tool"), '"unknown-tool"', '"error"'),
        (("list", 1, "x"), "x", "2"),
        (("list", 1, "sub", "y"), "y", "3"),
        (("key",), None, None),
    ],
)
def test_keys_and_values_have_places(path: tuple[str | int, ...], key: str | None, value: str | None) -> None:
    places = TomlPlaces(TEXT)
    spans = (places.key(path), places.value(path))
    assert tuple(span and span.of(TEXT) for span in spans) == (key, value)


def test_the_nearest_place_around_is_in_for_one_that_is_not_there() -> None:
    places = TomlPlaces(TEXT)
    assert places.nearest(("tools", 1, "deeper")).of(TEXT) == "'b.json'"
    assert places.nearest(("dotted", "in ner", "no")).of(TEXT) == "'in ner'"
    assert places.nearest(("nothing", 0)) == (0, 0)


keys = st.text(alphabet='ab-_ ."\\é\n', min_size=1, max_size=4)
scalars = st.booleans() | st.integers() | st.text(alphabet="a[]{}=#,'\"\\\n\t\r", max_size=6)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3), max_leaves=8
)


def written(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {written(child)}" for key, child in value.items()) + " }"
    if isinstance(value, list):
        return "[\n " + ", # ]\n ".join(map(written, value)) + "\n]"
    return json.dumps(value, ensure_ascii=True)


@settings(deadline=None, max_examples=tries(150))
@given(st.dictionaries(keys, values, max_size=4))
def test_every_place_holds_the_value_that_tomllib_reads(table: dict[str, Any]) -> None:
    text = "".join(f"{json.dumps(key)} = {written(value)} # =\n" for key, value in table.items())
    parsed = tomllib.loads(text)
    places = TomlPlaces(text)

    def check(value: Any, path: tuple[str | int, ...]) -> None:
        span = places.value(path)
        assert span is not None
        assert tomllib.loads(f"x = {span.of(text)}") == {"x": value}
        inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for step, child in inner:
            check(child, (*path, step))

    for key, value in parsed.items():
        check(value, (key,))
        key_span = places.key((key,))
        assert key_span is not None
        assert json.loads(key_span.of(text)) == key


@settings(deadline=None, max_examples=tries(300))
@given(st.text(alphabet="ab=[]{}.,#\"'\\ \n\r\t1", max_size=60))
def test_any_text_has_places_inside_it(text: str) -> None:
    places = TomlPlaces(text)
    for path in (("a",), ("a", "b"), ("a", 0), ("b",)):
        span = places.nearest(path)
        assert 0 <= span.start <= span.end <= len(text)


def test_long_texts_with_open_strings_are_read_in_one_pass() -> None:
    strings = ['a = "' + "\\" * 200_000, 'a = """' + '"' * 200_000]
    keys = ["a." * 100_000 + "a = 1", "[" + "a." * 100_000 + "a]"]
    for text in (*strings, *keys, "a = [" * 50_000, "[" * 200_000):
        TomlPlaces(text)
