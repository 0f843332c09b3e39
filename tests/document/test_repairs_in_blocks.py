"""What is far after a call, in a block of its own, changes neither its fixes nor how it is laid out."""

from __future__ import annotations

from typing import Any

import pytest

from callwright.features.support.layout import Indent, layout_edits
from callwright.lint.linter import diagnostics
from invariants.texts import BROKEN_CALLS, opened

#: More than a document's first window holds.
AFTER = "\n\n" + "Some more words.\n\n" * 1_000
CUT = '<|python_tag|>{"name": "write_file", "parameters": {\n\n'


def fixes_of(text: str, size: int) -> list[Any]:
    return [
        (each.code, each.span, [(fix.title, fix.edits, fix.applicability) for fix in each.fixes])
        for each in diagnostics(opened(text))
        if each.span.end <= size and each.code != "TC114"
    ]


@pytest.mark.parametrize("call", [*(call for call in BROKEN_CALLS if "{" in call and "```" not in call), CUT])
def test_a_broken_call_has_the_same_fixes_in_a_long_document(call: str) -> None:
    short, long = f"{call}\n\nSome more words.\n\n", f"{call}{AFTER}"
    assert len(opened(long).blocks) > 1
    assert fixes_of(long, len(call)) == fixes_of(short, len(call))


def test_a_call_is_laid_out_in_a_long_document() -> None:
    call = '<tool_call>\n{"name": "read_file",\n"arguments": {"path": "a", "limit": 3}}\n</tool_call>'
    short, long = (layout_edits(opened(call + more), Indent()) for more in ("\n\nMore.\n", AFTER))
    assert short
    assert long == short
