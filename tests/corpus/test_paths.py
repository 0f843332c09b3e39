"""Path expressions: what they lead to, how they are written, and what is none."""

from __future__ import annotations

from typing import Any

import pytest

from callwright.corpus.failure import CorpusError
from callwright.corpus.paths import dotted, steps_of, values_at

ROW: Any = {"a": {"b": [{"c": 1}, {"c": 2}, {"d": 3}]}, "x.y": [5], "list": [[1, 2], [3]]}


@pytest.mark.parametrize(
    ("expression", "found"),
    [
        ("a.b[*].c", {"a.b[0].c": 1, "a.b[1].c": 2}),
        ("a.b[1]", {"a.b[1]": {"c": 2}}),
        ("a.b[7].c", {}),
        ("a.c", {}),
        ('["x.y"][*]', {'["x.y"][0]': 5}),
        ("list[*][*]", {"list[0][0]": 1, "list[0][1]": 2, "list[1][0]": 3}),
    ],
)
def test_values_are_found_in_their_order(expression: str, found: dict[str, Any]) -> None:
    places = list(values_at(ROW, steps_of(expression)))
    assert [(dotted(path), value) for path, value in places] == list(found.items())


@pytest.mark.parametrize("expression", ["", "a..b", ".a", "a[", "a[x]", "a]b", "a.", "[*]b"])
def test_what_is_no_path_is_stated(expression: str) -> None:
    with pytest.raises(CorpusError, match=r"path"):
        steps_of(expression)
