"""The page about teaching: what it shows is what the command prints, and its program runs."""

import re
from pathlib import Path

import pytest

from callwright.cli.main import main
from callwright.teaching.blocks import KEYS
from callwright.teaching.section import STYLES

PAGE = Path(__file__).parents[2] / "server" / "docs" / "teaching.md"
CONSOLE = re.compile(
    r"^(?P<ticks>`{3,})console\n\$ callwright (?P<words>[^\n]+)\n(?P<shown>.*?)^(?P=ticks)$", re.MULTILINE | re.DOTALL
)


def test_what_the_page_shows_is_what_the_command_prints(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    page = PAGE.read_text(encoding="utf-8")

    def printed(shown: re.Match[str]) -> str:
        assert main(shown["words"].split()) == 0
        out, err = capsys.readouterr()
        assert err == ""
        # What is in the fence must not end it.
        assert re.search(rf"^ {{0,3}}{shown['ticks']}", out, re.MULTILINE) is None
        return f"{shown['ticks']}console\n$ callwright {shown['words']}\n{out}{shown['ticks']}"

    fresh = CONSOLE.sub(printed, page)
    assert len(CONSOLE.findall(page)) == 3
    if request.config.getoption("--update-cases"):
        PAGE.write_text(fresh, encoding="utf-8")
    assert fresh == page


def test_the_program_on_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    program = re.search(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert program is not None
    exec(compile(program[1], "teaching.md", "exec"), {})  # noqa: S102 - our own page
    assert '\n{"name": "look_up", "arguments": {}}\n' in capsys.readouterr().out


def test_every_style_and_every_word_of_a_marker_is_reported() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert all(f"| `{style}` | " in page for style in STYLES)
    assert all(f"`{word}=" in page for word in KEYS)
