"""The strings of Python sources: those that `tokenize` and `ast` find; in broken sources what an author would see."""

from __future__ import annotations

import ast
import io
import sys
import sysconfig
import tokenize
import warnings
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.syntax.python_source import python_strings
from callwright.syntax.source_strings import SourceString
from callwright.text.python_literals import PythonString
from support.sampling import tries

PIECES = ["'", '"', "'''", '"""', "f'", 'f"', 'rf"""', "b'", "{", "}", "{{", "}}", ":", "!r", "(", ")", "[", "]", "#"]
PIECES += ["\\", "\\\n", "\n", "\r\n", " ", "a", "x = ", "\\N{BULLET}", "\\'", "=", ",", "é😀"]


def shown(source: str) -> list[str]:
    """Return each literal as it is written, one that is unknown in brackets, and its expressions after a bar."""
    return [
        (f"{text}" if each.held else f"[{text}]") + "".join(f" | {field.of(source)}" for field in each.fields)
        for each in python_strings(source)
        for text in [source[each.begin : each.stop]]
    ]


@pytest.mark.parametrize(
    ("source", "strings"),
    [
        ("x = 'a' # 'b'\ny = \"c\"", ["'a'", '"c"']),
        ("'''a\n'b' \"\"\" ''' 'c'", ["'''a\n'b' \"\"\" '''", "'c'"]),
        ('"a\\"b" r"\\" rb"\\""', ['"a\\"b"', 'r"\\" rb"', '""']),
        ("rB'x' Rb'y' u'z' bu'q'", ["[rB'x']", "[Rb'y']", "u'z'", "'q'"]),
        ('f"a{b}c{{d}}"', ['f"a{b}c{{d}}" | {b}']),
        ('f"{a:{b}}{c!r:>10}"', ['f"{a:{b}}{c!r:>10}" | {a:{b}} | {c!r:>10}']),
        ('f"{x:%H:%M}" f"{d[1:2]}"', ['f"{x:%H:%M}" | {x:%H:%M}', 'f"{d[1:2]}" | {d[1:2]}']),
        ("f'{a['b']}'", ["f'{a['b']}' | {a['b']}", "'b'"]),
        ('f"{f"{1}"}"', ['f"{f"{1}"}" | {f"{1}"}', 'f"{1}" | {1}']),
        ("f'''{\na # }\n}'''", ["f'''{\na # }\n}''' | {\na # }\n}"]),
        ('f"\\N{BULLET}{x}\\{y}"', ['f"\\N{BULLET}{x}\\{y}" | {x} | {y}']),
        ('rf"\\N{x}"', ['rf"\\N{x}" | {x}']),
        ('t"{x}"', ['t"{x}" | {x}']),
        ('f"{lambda x: 1}"', ['f"{lambda x: 1}" | {lambda x: 1}']),
        # What is broken ends with its line, or at the end of the text.
        ("'a\nx = 'b'", ["'a", "'b'"]),
        ("'''a\nx = 'b'", ["'''a\nx = 'b'"]),
        ('f"{a\nx = "b"', ['[f"{a]', '"b"']),
        ('f"{a)}" "b"', ['[f"{a)}"]', '"b"']),
        ("f'{a", ["[f'{a]"]),
        ("'a\\", ["'a"]),
        ("'a\\\nb'", ["'a\\\nb'"]),
    ],
)
def test_strings_are_delimited(source: str, strings: list[str]) -> None:
    assert shown(source) == strings


@pytest.mark.parametrize(
    ("source", "groups"),
    [
        ("'a' 'b'", ["ab"]),
        ("'a'\n'b'", ["a", "b"]),
        ("('a'\n  # c\n'b')", ["ab"]),
        ("'a' \\\n f'b'", ["ab"]),
        ("'a', 'b' + 'c'", ["a", "b", "c"]),
        ("f'{'x'}' 'y'", ["{'x'}y", "x"]),
    ],
)
def test_literals_that_follow_each_other_are_one_string(source: str, groups: list[str]) -> None:
    found: dict[int, str] = {}
    for each in python_strings(source):
        found[each.group] = found.get(each.group, "") + source[each.start : each.end]
    assert list(found.values()) == groups


def library(count: int) -> list[Path]:
    """Return files of the standard library, the same ones each time."""
    files = sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py"))
    return files[:: max(1, len(files) // count)]


def outermost(strings: list[SourceString]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for each in strings:
        if not found or each.begin >= found[-1][1]:
            found.append((each.begin, each.stop))
    return found


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="`tokenize` takes formatted strings apart from Python 3.12 on")
def test_the_standard_library_has_the_strings_that_tokenize_finds() -> None:
    checked = 0
    for file in library(40):
        source = file.read_bytes().decode("utf-8", "replace")
        starts = [0]
        for line in io.StringIO(source, newline=""):
            starts.append(starts[-1] + len(line))
        tokens = tokenize.generate_tokens(io.StringIO(source, newline="").readline)
        wanted = [
            (starts[token.start[0] - 1] + token.start[1], starts[token.end[0] - 1] + token.end[1])
            for token in tokens
            if token.type == tokenize.STRING
        ]
        assert outermost(python_strings(source)) == wanted, file.name
        checked += len(wanted)
    assert checked > 1_000


def test_the_standard_library_has_the_values_that_ast_finds() -> None:
    checked = 0
    for file in library(30):
        source = file.read_bytes().decode("utf-8", "replace")
        tree = ast.parse(source)
        for each in python_strings(source):
            if not each.held or each.formatted:
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                value = ast.literal_eval(source[each.begin : each.stop])
            literal = PythonString(source[each.start : each.end], each.start, each.quote, is_raw=each.is_raw)
            assert literal.text == value
            checked += 1
        fields = [node for node in ast.walk(tree) if isinstance(node, ast.FormattedValue)]
        formats = [part for node in fields if node.format_spec is not None for part in ast.walk(node.format_spec)]
        inner = sum(isinstance(part, ast.FormattedValue) for part in formats)
        assert sum(len(each.fields) for each in python_strings(source)) == len(fields) - inner, file.name
    assert checked > 1_000


@settings(deadline=None, max_examples=tries(500))
@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_any_text_is_taken(source: str) -> None:
    strings = python_strings(source)
    assert [each.begin for each in strings] == sorted(each.begin for each in strings)
    for each in strings:
        assert 0 <= each.begin < each.start <= each.end <= each.stop <= len(source)
        assert source[each.start - len(each.quote) : each.start] == each.quote
        assert source[each.end : each.stop] in ("", each.quote)
        edges = [place for field in each.fields for place in field]
        assert edges == sorted(edges)
        assert all(each.start <= place <= each.end for place in edges)
        assert all(source[field.start] == "{" and source[field.end - 1] == "}" for field in each.fields)
