"""What a line says by itself does not depend on the lines below it."""

from __future__ import annotations

import pytest

from callwright.declarations.documented_lines import read_lines

LINES = (
    "- path (the file)",
    "- `path` (the file to read)",
    "- **path** (a remark)",
    "- path (string, required): where it is",
    "Parameters: path (string), mode (string)",
    "## read_file(path: str)",
)


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("below", ["\n", "\r\n", "\n: more\n", "\n- `mode` (how)\n"])
def test_a_line_is_read_alike_whatever_is_below_it(line: str, below: str) -> None:
    (alone,) = read_lines(line)
    first, *_ = read_lines(line + below)
    assert first == alone
    assert first.claim is not None or first.head is not None
