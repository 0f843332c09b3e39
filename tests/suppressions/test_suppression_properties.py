"""What holds of suppressions in any document, wherever they are in it."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callwright.document import block_reading
from callwright.document.snapshot import Snapshot
from callwright.fix.ignoring import ignore
from callwright.lint.linter import diagnostics
from callwright.rules.base import Diagnostic
from callwright.text.span import Edit, Span, apply_edits
from invariants.texts import BROKEN_CALLS, FRAGILE_CALLS, GOOD_CALLS, PROSE, opened
from support.sampling import crossed, tries

VERBS = ["ignore", "ignore", "expect", "disable", "enable", "ignore-file", "ingore"]
CODES = ["TC301", "TC302", "TC304", "TC101", "TC2", "ALL", "missing-argument", "unknown-tol", "TC999", "TC103"]


@st.composite
def directives(draw: st.DrawFn) -> str:
    """Return what a suppression says."""
    verb = draw(st.sampled_from(VERBS))
    if draw(st.integers(0, 9)) == 0:
        return f"callwright: {verb}"
    codes = ", ".join(draw(st.lists(st.sampled_from(CODES), min_size=1, max_size=3)))
    return f"callwright: {verb}[{codes}]" + draw(st.sampled_from(["", "", " -- why", ": why"]))


def _pieces(forms: Sequence[str], calls: Sequence[str]) -> st.SearchStrategy[str]:
    comments = st.tuples(st.sampled_from(forms), directives()).map(lambda each: each[0].replace("…", each[1]))
    return st.one_of(comments, comments, st.sampled_from(calls), st.sampled_from(PROSE))


def flowing(*forms: str) -> st.SearchStrategy[str]:
    """Return texts that are read from top to bottom."""
    calls = [*BROKEN_CALLS, *FRAGILE_CALLS, *GOOD_CALLS]
    lines = st.lists(st.tuples(_pieces(forms, calls), st.sampled_from(["\n", "\n\n", " ", "\n> "])), max_size=14)
    return lines.map(lambda parts: "".join(piece + end for piece, end in parts))


def in_strings(head: str, tail: str, around: str, *forms: str) -> st.SearchStrategy[str]:
    """Return data or programs with texts in their strings, and comments around and in them."""
    one_line = [call for call in [*BROKEN_CALLS, *GOOD_CALLS] if "\n" not in call and "\\" not in call]
    text = st.lists(_pieces(forms, one_line), min_size=1, max_size=5)

    def written(lines: list[str]) -> str:
        kept = [line for line in lines if not any(marker in line for marker in ("\n", "\\", '"', "\ufeff", "\x0b"))]
        return head + "".join(f"    {line}\n" for line in kept) + tail

    comments = directives().map(lambda stated: around.replace("…", stated) + "\n")
    return st.lists(st.one_of(comments, text.map(written)), max_size=8).map("".join)


def notebooks() -> st.SearchStrategy[str]:
    """Return notebooks with prose and programs in their cells."""

    def written(cells: list[tuple[str, str, bool]], indent: int | None) -> str:
        held: list[dict[str, Any]] = [
            {"cell_type": kind, "metadata": {}, "source": re.findall(r"[^\n]*\n|[^\n]+", text) if lines else text}
            for kind, text, lines in cells
        ]
        return json.dumps({"cells": held, "nbformat": 4}, indent=indent) + "\n"

    prose = st.tuples(st.sampled_from(["markdown", "raw"]), flowing("<!-- … -->"), st.booleans())
    code = in_strings('X = """\n', '    """\n', "# …", "<!-- … -->")
    program = st.tuples(st.just("code"), code, st.booleans())
    return st.builds(written, st.lists(st.one_of(prose, program), max_size=4), st.sampled_from([1, None]))


DOCUMENTS = {
    "a.md": flowing("<!-- … -->"),
    "a.txt": flowing("<!-- … -->"),
    "a.md.j2": flowing("{# … -#}", "{# … #}", "<!-- … -->"),
    "a.hbs": flowing("{{!-- … --}}", "{{! … }}"),
    "a.xml": flowing("<!-- … -->").map(lambda text: f"<prompt>\n{text}</prompt>\n"),
    "a.py": in_strings('X = """\n', '    """\n', "# …", "<!-- … -->", "{# … #}"),
    "a.ts": in_strings("x = f(`\n", "`)\n", "// …", "<!-- … -->"),
    "a.yaml": in_strings("- |\n", "", "# …", "<!-- … -->"),
    "a.ipynb": notebooks(),
}
by_kind = pytest.mark.parametrize("path", DOCUMENTS)


def known(found: Sequence[Diagnostic]) -> list[tuple[str, str]]:
    """Return diagnostics without those about suppressions."""
    return [(each.code, each.message) for each in found if not each.code.startswith("TC9")]


def seen(snapshot: Snapshot) -> list[Any]:
    """Return what is left of a document's diagnostics, and all diagnostics of its suppressions."""
    return [
        (each.code, each.span, each.message, [(fix.title, fix.edits) for fix in each.fixes])
        if each.code.startswith("TC9")
        else (each.code, each.span.start)
        for each in diagnostics(snapshot)
    ]


@by_kind
@settings(max_examples=tries(15), deadline=None)
@given(data=st.data())
def test_without_the_unused_ones_the_diagnostics_are_the_same(path: str, data: st.DataObject) -> None:
    snapshot = opened(data.draw(DOCUMENTS[path]), path)
    found = diagnostics(snapshot)
    for each in found:
        if each.code == "TC901" and each.fix is not None and each.fix.is_safe:
            after = snapshot.edit(sorted(each.fix.edits, key=lambda edit: edit.span, reverse=True))
            assert known(diagnostics(after)) == known(found), each.message


@pytest.mark.parametrize(
    ("call", "marker", "between"),
    crossed(BROKEN_CALLS, ["</tool_calls>", "</tool_call>", "[/TOOL_CALLS]"], ["\n", "\n\n", "\n> "]),
)
def test_one_that_keeps_a_closing_marker_apart_from_a_call_is_not_removed_unseen(
    call: str, marker: str, between: str
) -> None:
    snapshot = opened(f"{call}\n<!-- callwright: ignore[TC304] -->{between}{marker}\n", "a.md")
    found = diagnostics(snapshot)
    for each in found:
        if each.code == "TC901" and each.fix is not None and each.fix.is_safe:
            after = snapshot.edit(sorted(each.fix.edits, key=lambda edit: edit.span, reverse=True))
            assert known(diagnostics(after)) == known(found)


@by_kind
@settings(max_examples=tries(15), deadline=None)
@given(data=st.data())
def test_what_is_ignored_is_gone_and_nothing_else_comes(path: str, data: st.DataObject) -> None:
    snapshot = opened(data.draw(DOCUMENTS[path]), path)
    written = ignore(snapshot, reason="a --> b #} */ --}}")
    after = opened(apply_edits(snapshot.document.text(), written.edits), path)
    left = Counter(known(diagnostics(after)))
    assert left == Counter(known(written.left))
    assert left + Counter(known(written.diagnostics)) == Counter(known(diagnostics(snapshot)))
    again = ignore(after)
    assert not again.diagnostics


@by_kind
@settings(max_examples=tries(15), deadline=None)
@given(data=st.data())
def test_after_edits_as_for_the_whole(path: str, data: st.DataObject) -> None:
    text = data.draw(DOCUMENTS[path])
    pieces = st.one_of(
        directives(), st.sampled_from(["<!-- ", " -->", "\n", "# ", "```\n", "x", "]", ""]), st.just(text)
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(block_reading, "BLOCK", 40)
        patch.setattr(block_reading, "WINDOW", 64)
        snapshot = opened(text, path)
        for _ in range(3):
            size = len(snapshot.document)
            start = data.draw(st.integers(0, size))
            end = min(size, start + data.draw(st.sampled_from([0, 0, 1, 5, 40])))
            seen(snapshot)
            snapshot = snapshot.edit([Edit(Span(start, end), data.draw(pieces)[:200])])
            small = seen(snapshot)
            assert small == seen(opened(snapshot.document.text(), path))
    assert small == seen(opened(snapshot.document.text(), path))


def calls_made(text: str, path: str = "a.md") -> int:
    """Return how many functions are called to check a text."""
    count = 0

    def counting(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    snapshot = opened(text, path)
    before = sys.getprofile()
    sys.setprofile(counting)
    try:
        diagnostics(snapshot)
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize(
    "write",
    [
        lambda n: "<!-- callwright: ignore[TC301] -->\n" * n,
        lambda n: "<!-- callwright: ignore[TC301] -->\n" * n + "<raed_file><path>a</path></raed_file>\n" * n,
        lambda n: "<!-- callwright: disable[TC301] -->\n<!-- callwright: enable -->\n" * n,
        lambda n: "<!-- callwright: disable[TC301] --> </read_file>\n" * n,
        lambda n: "<!-- callwright: expect[TC103] -->\n</read_file>\n\n" * n,
        lambda n: "```\n" + "<!-- callwright: ignore[TC301] -->\n" * n + "```\n",
        lambda n: "```\n" + "<!-- callwright: ignore[TC301] -->\n\n" * n + "<raed_file><path>a</path></raed_file>",
        lambda n: "<!-- callwright: ignore[TC301, " * n,
        lambda n: "<!-- callwright: ignore[" + "TC301, " * n + "] -->\n<read_file></read_file>",
        lambda n: "callwright: callwright: " * n,
    ],
    ids=lambda write: write(1),
)
def test_the_time_is_that_of_suppressions_and_diagnostics(write: Callable[[int], str]) -> None:
    calls_made(write(10))
    few, many = calls_made(write(200)), calls_made(write(600))
    assert many < 4.2 * few + 5_000


@pytest.mark.parametrize(
    "line",
    [
        "# callwright: ignore[TC301]\n",
        "# callwright: ignore[TC301]\nx = '<raed_file><path>a</path></raed_file>'\n",
        "# callwright: disable[TC301]\nx = '# callwright: enable'\n",
    ],
)
@pytest.mark.parametrize("cells", [False, True])
def test_the_time_in_notebooks_is_that_of_suppressions_and_diagnostics(line: str, *, cells: bool) -> None:
    def written(times: int) -> str:
        lines = line.splitlines(keepends=True)
        sources = [lines] * times if cells else [lines * times]
        return json.dumps({"cells": [{"cell_type": "code", "source": source} for source in sources]}, indent=1)

    calls_made(written(10), "a.ipynb")
    few, many = calls_made(written(100), "a.ipynb"), calls_made(written(300), "a.ipynb")
    assert many < 4.2 * few + 5_000
