"""What is JSON Lines by its first lines."""

import pytest

from callwright.document.settings import Settings
from callwright.document.snapshot import Snapshot
from callwright.hosts.catalogue import HEAD, choose_host, head_of
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.syntax.json_rows import begins_as_rows, is_row
from callwright.text.span import Edit, Span
from callwright.tools.registry import EMPTY

LONG = '{"text": "' + "x" * (2 * HEAD) + '"}'


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ('{"a": 1}\n{"b": 2}\n', True),
        ('\ufeff{"a": 1}\r\n{"b": 2', True),
        ("\n\n[1]\n\n[2]\n", True),
        ('{"a": 1} \n\t{"b": 2}', True),
        ('{"a": 1}\n', False),
        ('{"a": 1}', False),
        ('{\n"a": 1}\n{"b": 2}', False),
        ('[{"a": 1},\n{"b": 2}]', False),
        ('{"a": 1}\n"b"', False),
        ('{"a": }\n{"b": 2}', False),
        ("[" * 10_000 + "]\n[", False),
        ("", False),
    ],
)
def test_what_begins_as_rows(text: str, rows: bool) -> None:
    assert begins_as_rows(text) is rows


@pytest.mark.parametrize("line", ["", " \r\n", "{}", '\ufeff{"a": 1}\n', "5", "null", "[" * 100_000 + "]" * 100_000])
def test_a_json_value_or_nothing_is_a_row(line: str) -> None:
    assert is_row(line)


@pytest.mark.parametrize("line", ["id,text", '{"a": 1', '{"a": 1} {"b": 2}', "# comment", '{"a": 1,}'])
def test_what_is_no_single_json_value_is_no_row(line: str) -> None:
    assert not is_row(line)


@pytest.mark.parametrize("name", ["a.json", "a.jsonc", "a.txt", "a", None])
def test_rows_are_json_lines_whatever_the_ending(name: str | None) -> None:
    for first in ('{"a": 1}', LONG):
        assert choose_host(name, None, head_of(f'{first}\n{{"b": 2}}\n')).name == "jsonl"


def test_one_value_is_json_and_python_stays_python() -> None:
    assert choose_host("a.json", None, head_of(LONG)).name == "json"
    assert choose_host("a.py", None, '{"a": 1}\n{"b": 2}\n').name == "python"


def opened(text: str) -> Snapshot:
    return open_snapshot(text, path="rows.json", registry=EMPTY, settings=Settings())


def test_an_edit_in_a_long_first_line_makes_rows_of_a_document_as_a_full_reading_does() -> None:
    broken = LONG[:-1] + ' "b"}'
    before = opened(f'{broken}\n{{"b": 2}}\n')
    assert before.host.name == "json"
    after = before.edit([Edit(Span(len(broken) - 5, len(broken) - 1), "")])
    full = opened(f'{LONG}\n{{"b": 2}}\n')
    assert after.document.text() == full.document.text()
    assert after.host.name == full.host.name == "jsonl"
    assert diagnostics(after) == diagnostics(full)
    again = after.edit([Edit(Span(len(LONG), len(LONG) + 1), "")])
    assert again.host.name == opened(again.document.text()).host.name
