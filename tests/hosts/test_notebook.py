"""Notebooks: which files they are, which host has a cell, and edits of one cell."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from callwright.document.snapshot import Snapshot
from callwright.hosts.catalogue import choose_host
from callwright.hosts.notebook import cell_host
from callwright.lint.linter import diagnostics
from callwright.path_patterns import find
from callwright.text.span import Edit, Span
from invariants.texts import opened

WRONG = "<raed_file><path>a</path></raed_file>"


def notebook(*cells: tuple[str, str]) -> str:
    held = [{"cell_type": kind, "source": text.splitlines(keepends=True)} for kind, text in cells]
    return json.dumps({"cells": held, "metadata": {}, "nbformat": 4}, indent=1)


def seen(snapshot: Snapshot) -> list[tuple[str, Span, str]]:
    return [(each.code, each.span, each.message) for each in diagnostics(snapshot)]


@pytest.mark.parametrize(
    ("path", "language", "host"),
    [
        ("a.ipynb", None, "notebook"),
        ("A.IPYNB", None, "notebook"),
        # What editors take such a file for where they have no other word.
        ("a.ipynb", "json", "notebook"),
        ("a.ipynb", "plaintext", "notebook"),
        ("a.json", "json", "json"),
        ("a.ipynb", "markdown", "markdown"),
    ],
)
def test_a_notebook_is_reported_by_its_name(path: str, language: str | None, host: str) -> None:
    assert choose_host(path, language).name == host


@pytest.mark.parametrize(
    ("language", "title"),
    [
        ("python", "Python source"),
        ("Python", "Python source"),
        ("markdown", "Markdown"),
        ("raw", "Plain text"),
        ("typescript", "JavaScript or TypeScript source"),
        ("callwright-prompt", "Prompt"),
        ("rust", None),
        ("", None),
    ],
)
def test_a_cell_has_the_host_of_its_language(language: str, title: str | None) -> None:
    host = cell_host(language)
    assert (None if host is None else host.title) == title
    assert cell_host(language) is host


def test_an_edit_in_one_cell_is_one_of_the_whole() -> None:
    text = notebook(("markdown", f"# One\n{WRONG}\n"), ("code", f"x = '''\n{WRONG}\n'''"), ("raw", WRONG))
    snapshot = opened(text, "a.ipynb")
    assert [each.code for each in diagnostics(snapshot)] == ["TC301"] * 3
    at = text.index("raed_file", text.index("x = "))
    for place, new in ((at, "read_file"), (text.index("x = "), "%%bash\\n"), (text.index('"raw"') + 1, "code")):
        before = snapshot.document.text()
        gone = 9 if new == "read_file" else 3 if new == "code" else 0
        snapshot = snapshot.edit([Edit(Span(place, place + gone), new)])
        assert seen(snapshot) == seen(opened(snapshot.document.text(), "a.ipynb"))
        assert snapshot.document.text() != before


def test_a_notebook_in_a_notebook_in_a_notebook_is_read() -> None:
    text = notebook(("markdown", WRONG))
    for _ in range(3):
        text = notebook(("code", f"%%writefile a.ipynb\n{text}"))
    snapshot = opened(text, "a.ipynb")
    (diagnostic,) = diagnostics(snapshot)
    assert diagnostic.span.of(text) == "raed_file"
    (edit, *_) = diagnostic.fixes[0].edits
    assert edit.text == "read_file"


def test_copies_that_jupyter_keeps_are_passed_over(tmp_path: Path) -> None:
    for name in ("a.ipynb", ".ipynb_checkpoints/a-checkpoint.ipynb"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(notebook(), encoding="utf-8")
    assert [*find("**/*.ipynb", str(tmp_path))] == [str(tmp_path / "a.ipynb")]
