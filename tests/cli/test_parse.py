"""`callwright parse`: arguments as a person reads them, and as a program does."""

import io
import json
import sys
from pathlib import Path

import pytest

from callwright.cli.main import main
from callwright.text.shown import unescaped


def parsed(text: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, *words: str, name: str = "a.md") -> str:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    main(["parse", str(file), "--isolated", *words])
    return capsys.readouterr().out


FOREIGN = '<tool_call>{"name": "read_file", "arguments": {"path": "日本/é😀\\u0007\\u202e\\ud800"}}</tool_call>'


def test_letters_of_every_script_are_printed_as_they_are(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = parsed(FOREIGN, capsys, tmp_path)
    assert '"path": "日本/é😀\\u0007\\u202e\\ud800"' in out


def test_where_the_terminal_cannot_show_them_they_are_escaped_as_json_has_them(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="latin-1", write_through=True))
    parsed(FOREIGN, capsys, tmp_path)
    assert '"path": "\\u65e5\\u672c/\\u00e9\\ud83d\\ude00\\u0007\\u202e\\ud800"' in written.getvalue().decode("latin-1")


def test_programs_get_ascii(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = parsed(FOREIGN, capsys, tmp_path, "--json")
    assert out.isascii()
    (call,) = json.loads(out)["calls"]
    assert call["arguments"] == {"path": "日本/é😀\x07\u202e\ud800"}


@pytest.mark.parametrize("output_format", ["text", "json"])
def test_template_expressions_are_their_own_text(
    output_format: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Expressions of one length are not confused with each other, and one in the place of a value is no `null`."""
    text = (
        '<tool_call>{"name": "{{ t }}", "arguments": {"path": "{{ a }}/{{ b }}", "n": {{ n }}, "{{ k }}": '
        '["{{ c }}", {{ dd }}], "none": null}}</tool_call>\n'
    )
    out = parsed(text, capsys, tmp_path, *(["--json"] if output_format == "json" else []), name="a.jinja")
    assert "{{ t }}" in out
    start = out.index('{\n  "path"') if output_format == "text" else 0
    found = json.JSONDecoder().raw_decode(out[start:])[0]
    arguments = found if output_format == "text" else found["calls"][0]["arguments"]
    assert arguments == {
        "path": "{{ a }}/{{ b }}",
        "n": "{{ n }}",
        "{{ k }}": ["{{ c }}", "{{ dd }}"],
        "none": None,
    }


@pytest.mark.parametrize(
    "value", ["", "\\u65e5", "日\\u65e5", "\\\\u65e5", "😀", "\ud83d", "\udc00\ud83d", "\x7f\x00\x1b\u2028", 'a\n\t"\\']
)
def test_what_is_unescaped_is_json_of_the_same_value(value: str) -> None:
    shown = unescaped(json.dumps({value: [value]}))
    assert json.loads(shown) == {value: [value]}
    assert all(one.isprintable() for one in shown)
