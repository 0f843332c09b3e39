"""`callwright report`: a page for files, folders and standard input."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from callwright.cli.main import main

pytestmark = pytest.mark.usefixtures("named_sets")

CHAT = json.dumps(
    {
        "messages": [
            {"role": "user", "content": "Read it."},
            {"role": "assistant", "content": "<read_file><path>a</read_file>"},
        ]
    }
)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_page_is_written_where_it_is_asked_for(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "run.json").write_text(CHAT, encoding="utf-8")
    assert main(["report", "run.json", "--output-file", "out.html"]) == 0
    page = (here / "out.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "Turn 2 · assistant" in page
    assert "run.json" in page
    reported = capsys.readouterr()
    assert (reported.out, reported.err) == ("", "Wrote out.html.\n")


def test_the_name_of_the_page_has_a_short_option(here: Path) -> None:
    (here / "run.json").write_text(CHAT, encoding="utf-8")
    assert main(["report", "run.json", "-o", "out.html"]) == 0
    assert (here / "out.html").exists()


def test_standard_input_and_standard_output(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(CHAT.encode())))
    assert main(["report", "-", "--stdin-filename", "chat.json", "--output-file", "-", "--title", "A & B"]) == 0
    page = capsys.readouterr().out
    assert "<title>A &amp; B</title>" in page
    assert list(here.iterdir()) == []


def test_what_is_not_shown_is_counted(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in "abc":
        (here / f"{name}.json").write_text(CHAT, encoding="utf-8")
    assert main(["report", "a.json", "b.json", "c.json", "--most-files", "1"]) == 0
    page = (here / "report.html").read_text(encoding="utf-8")
    assert "3 files, 3 conversations, 6 turns, 3 calls" in page
    assert page.count('class="turns"') == 1
    assert "2 of 3 files are only counted" in capsys.readouterr().err


def test_only_faults_leaves_out_what_is_sound(here: Path) -> None:
    (here / "bad.prompt").write_text("<read_file><path>a</read_file>\n", encoding="utf-8")
    (here / "good.prompt").write_text("<read_file><path>a</path></read_file>\n", encoding="utf-8")
    assert main(["report", ".", "--only-faults"]) == 0
    page = (here / "report.html").read_text(encoding="utf-8")
    assert "2 files" in page
    assert "bad.prompt:" in page
    assert "good.prompt:" not in page


@pytest.mark.parametrize(
    ("words", "reported"),
    [
        ([], "name a file, a folder"),
        (["nowhere.json"], "nowhere.json"),
        (["."], "no files to report on"),
        (["a.json", "--most-files", "0"], "expected an integer of 1 or more"),
    ],
)
def test_what_makes_no_sense_is_stated(
    here: Path, words: list[str], reported: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", *words]) == 2
    assert reported in capsys.readouterr().err
    assert list(here.iterdir()) == []


def test_a_page_that_cannot_be_written_is_stated(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "run.json").write_text(CHAT, encoding="utf-8")
    assert main(["report", "run.json", "--output-file", "no/such/folder.html"]) == 2
    assert "no/such/folder.html" in capsys.readouterr().err
