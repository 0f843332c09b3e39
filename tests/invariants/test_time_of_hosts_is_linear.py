"""Time is linear in every kind of document: in what its strings, scalars and markup are made of, and in its turns.

As for dialects, no clock is asked: function calls are counted, Python's own and those into C.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from callwright.document.settings import Settings
from callwright.hosts.base import Host
from callwright.hosts.catalogue import find_host
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.templates.catalogue import template_names
from hosts.host_cases import host_names
from invariants.corpus import registry
from invariants.embeddings import EMBEDDINGS, SHAPES, Embedding
from invariants.host_documents import PIECES, documents
from support.sampling import crossed, sampled

LENGTH = 1_000
#: What a text of a host begins with, so that pieces are inside of something.
HEADS = {
    "json": '{"messages": [{"role": "user", "content": "',
    "jsonl": '{"messages": [{"role": "user", "content": "',
    "notebook": '{"cells": [{"cell_type": "markdown", "source": ["<read_file><path>',
    "python": 'x = "<read_file><path>',
    "javascript": "x = `<read_file><path>",
    "yaml": "x: |\n  <read_file>\n  ",
    "xml": "<a>&lt;read_file&gt;",
}
CALL = "<read_file><path>a</path></read_file>"


def calls_made(text: str, path: str, settings: Settings) -> int:
    """Return how many functions are called to check a document."""
    count = 0

    def counting(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(counting)
    try:
        diagnostics(open_snapshot(text, path=path, registry=registry(), settings=settings))
    finally:
        sys.setprofile(before)
    return count


def assert_linear(write: Callable[[int], str], path: str, settings: Settings | None = None) -> None:
    project = settings or Settings()
    short, long = write(1), write(3)
    calls_made(CALL, path, project)
    few, many = calls_made(short, path, project), calls_made(long, path, project)
    # What is made ready on first use, and what small texts do whole, is allowed for.
    assert many < 4.2 * few + 20_000, (
        f"{few} calls for {len(short)} characters, {many} for {len(long)}: {short[:200]!r}"
    )


def name_of(host: Host) -> str:
    """Return the name of a file that the host reads."""
    return f"a{host.suffixes[0]}" if host.suffixes else host.filenames[0]


def written(path: str) -> list[str]:
    """Return lines of documents of that kind."""
    texts = [document.text for document in documents() if Path(document.path).suffix == Path(path).suffix]
    lines = dict.fromkeys(line[:200] + "\n" for text in texts for line in text.splitlines() if line.strip())
    return [*lines][:: max(1, len(lines) // 15)]


def over_and_over(head: str, piece: str, length: int = LENGTH) -> Callable[[int], str]:
    """Return what writes a text of a piece over and over, so many times as long."""
    return lambda times: head + piece * (times * max(length // len(piece), 2))


@pytest.mark.parametrize("host", host_names())
def test_pieces_that_open_something_take_linear_time(host: str) -> None:
    found = find_host(host)
    assert found is not None
    for head in ("", HEADS.get(host, "<read_file><path>")):
        for piece in sampled(PIECES, keep=4):
            assert_linear(over_and_over(head, piece), name_of(found))


@pytest.mark.parametrize("host", host_names())
def test_lines_of_documents_take_linear_time(host: str) -> None:
    found = find_host(host)
    assert found is not None
    for line in sampled(written(name_of(found)), keep=4):
        assert_linear(over_and_over("", line), name_of(found))


@pytest.mark.parametrize("template", template_names())
def test_template_code_takes_linear_time(template: str) -> None:
    for piece in sampled(PIECES, keep=4):
        for head in ("", f"{CALL}\n\n"):
            assert_linear(over_and_over(head, piece), "a.md", Settings(template=template))


def many_in(embedding: Embedding, piece: str) -> Callable[[int], str]:
    """Return what writes a file whose string has a piece over and over."""
    return lambda times: embedding.write(piece * (8 * times)) or ""


@pytest.mark.parametrize("embedding", sampled(EMBEDDINGS, by=lambda each: each.host), ids=str)
def test_many_calls_in_one_string_take_linear_time(embedding: Embedding) -> None:
    for piece in (CALL, f"{CALL}\n\n", "<raed_file><path>é 😀</path></raed_file>\n", "<read_file>", "\\\"' "):
        assert_linear(many_in(embedding, piece), embedding.path, Settings(**embedding.settings))


def many_turns(value: Any, *, lines: bool) -> Callable[[int], str]:
    """Return what writes a transcript with a value's turns over and over."""
    if lines:
        return lambda times: (json.dumps(value) + "\n") * (20 * times)
    return lambda times: json.dumps(repeated(value, 10 * times))


@pytest.mark.parametrize(("shape", "lines"), crossed(SHAPES, [True, False]))
def test_many_turns_take_linear_time(shape: str, *, lines: bool) -> None:
    build, _ = SHAPES[shape]
    for text in ("Well.", CALL, "<raed_file><path>a</path></raed_file>"):
        assert_linear(many_turns(build(text), lines=lines), "a.jsonl" if lines else "a.json")


def repeated(value: Any, times: int) -> Any:
    """Return a transcript whose longest list has its entries over and over."""
    if isinstance(value, list):
        return [*value] * times
    if isinstance(value, dict):
        longest = max(value, key=lambda key: len(value[key]) if isinstance(value[key], list) else 0)
        if isinstance(value[longest], list):
            return {**value, longest: value[longest] * times}
        return {key: repeated(entry, times) if isinstance(entry, dict) else entry for key, entry in value.items()}
    return value
