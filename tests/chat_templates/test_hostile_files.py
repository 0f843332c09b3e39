"""Whatever a file of a model contains, its templates are checked within limits, and a message says what is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from callwright.chat_templates.files import templates_in, tokens_in
from callwright.cli.main import main
from callwright.text.span import Span

NAME = "tokenizer_config.json"
TEMPLATE = "{% for m in messages %}{{ m.role }}{{ m.content or '' }}{% endfor %}"
STRING = json.dumps(TEMPLATE)
NONE = "no chat template; expected a Jinja template"
INVALID = "TC830"

#: A file, the exit code of the check of its templates, and a part of what is printed.
FILES = {
    "long": (
        json.dumps(
            {
                "chat_template": TEMPLATE,
                "added_tokens_decoder": {str(number): {"content": f"<token {number}>"} for number in range(130_000)},
            }
        ),
        0,
        "no diagnostics",
    ),
    "long template": (json.dumps({"chat_template": TEMPLATE + "a" * 10_000_001}), 1, "TC834"),
    "deep": (f'{{"chat_template": {STRING}, "a": {"[" * 200_000}{"]" * 200_000}}}', 0, "no diagnostics"),
    "deep and cut off": (f'{{"chat_template": {STRING}, "a": {"[" * 200_000}', 0, "no diagnostics"),
    "deep template": (f'{{"chat_template": {"[" * 100_000}{STRING}{"]" * 100_000}}}', 2, NONE),
    "deep objects": ('{"chat_template":' * 50_000 + "1" + "}" * 50_000, 2, NONE),
    "repeated, a template last": (f'{{"chat_template": 1, "chat_template": {STRING}}}', 0, "no diagnostics"),
    "repeated, a number last": (f'{{"chat_template": {STRING}, "chat_template": 1}}', 2, NONE),
    "halves of characters": (f'{{"chat_template": "\\udc00{TEMPLATE}\\ud800", "eos_token": "\\ud83d"}}', 0, "probes"),
    "half a character in a tag": ('{"chat_template": "{% for m in messages %}{{ \\ud800 }}{% endfor %}"}', 1, INVALID),
    "number": ('{"chat_template": 1}', 2, NONE),
    "null": ('{"chat_template": null}', 2, NONE),
    "no object": (f'["chat_template", {STRING}]', 2, NONE),
    "nothing": ("", 2, NONE),
    "list of anything": (
        f'{{"chat_template": [1, null, {{"name": 1}}, {{"template": 1}}, {{"name": [], "template": {STRING}}}]}}',
        0,
        "no diagnostics",
    ),
    "one name for many": (
        json.dumps({"chat_template": [{"name": "a", "template": each} for each in (TEMPLATE, "{% if")] * 20}),
        1,
        INVALID,
    ),
    "names of variables": (
        f'{{"chat_template": {STRING}, "messages": 1, "messages_token": "a", "_token": "b", "__class___token": "c"}}',
        0,
        "no diagnostics",
    ),
    "long token": (f'{{"chat_template": {STRING}, "eos_token": "{"a" * 1_000_000}"}}', 0, "no diagnostics"),
    "cut off": (f'{{"chat_template": "{TEMPLATE[:-5]}', 1, INVALID),
    "not JSON": (f'{{"chat_template": "\\x{TEMPLATE}\\u12"}}', 0, "probes"),
    "numbers": (f'{{"chat_template": {STRING}, "a": {"9" * 100_000}, "b": 1e99999, "c": NaN}}', 0, "no diagnostics"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_a_model_is_checked_whatever_it_contains(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("jinja2")
    text, code, said = FILES[name]
    monkeypatch.chdir(tmp_path)
    (tmp_path / NAME).write_text(text, encoding="utf-8")
    for words in (["chat-template", "check"], ["chat-template", "check", "--fix"]):
        assert main([*words, NAME]) == code
        out, err = capsys.readouterr()
        assert said in out + err
        assert "Traceback" not in out + err
    assert (tmp_path / NAME).read_text(encoding="utf-8") == text
    assert main(["chat-template", "show", NAME]) in (0, 1, 2)
    assert main(["check", NAME]) == 0
    assert "Traceback" not in "".join(capsys.readouterr())


@pytest.mark.parametrize("name", FILES)
def test_where_a_template_is_in_its_file_is_known(name: str) -> None:
    text = FILES[name][0]
    for template in templates_in(NAME, text):
        span = template.projection.raw_span(Span(0, len(template.source)))
        written = span.of(text)
        assert len(written) >= len(template.source)
        assert written.startswith((template.source[:1], "\\"))
        assert text[span.start - 1] == '"'
        assert text[span.end : span.end + 1] in ('"', "")


def test_what_is_too_long_for_a_token_is_none() -> None:
    tokens = tokens_in(json.dumps({"eos_token": "a" * 1001, "bos_token": "b" * 1000, "pad_token": {"content": ["c"]}}))
    assert tokens == {"eos_token": "</s>", "bos_token": "b" * 1000}
