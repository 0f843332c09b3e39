"""`callwright corpus report`: the page of a corpus that was checked, where it is asked for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from callwright.cli.main import main
from corpus.making import done, run_options

CHAT = {"messages": [{"role": "assistant", "content": "<read_file><path>a</read_file>"}]}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a corpus and what a check has found in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "it's.jsonl").write_text(f"{json.dumps(CHAT)}\n" * 2, encoding="utf-8")
    done(["it's.jsonl"], run_options(tmp_path / "out"))
    return tmp_path


def test_a_page_states_what_was_found(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path.name for path in here.iterdir()}
    assert main(["corpus", "report", "out", "-o", "-", "--title", "A & B"]) == 0
    page = capsys.readouterr().out
    assert "<title>A &amp; B</title>" in page
    assert "2 rows in 1 shard." in page
    assert "<strong>100%</strong> of the rows have an error" in page
    assert '<h3 id="rule-1"><code>TC101</code> unclosed-tag</h3>' in page
    assert page.count("</span> <code>&lt;path&gt;</code> is never closed.") == 2
    assert {path.name for path in here.iterdir()} == before


def test_the_command_on_the_page_shows_the_row(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["corpus", "report", "out"]) == 0
    page = (here / "report.html").read_text(encoding="utf-8")
    # Quoted for a shell.
    assert "callwright corpus row 'it'\"'\"'s.jsonl' 1" in page
    assert "Tool calls in out" in page
    assert main(["corpus", "row", "it's.jsonl", "1"]) == 0
    assert json.loads(capsys.readouterr().out) == CHAT
