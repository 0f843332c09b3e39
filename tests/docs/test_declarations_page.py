"""The page on declarations: each example of a style is one of that style alone, and what it calls none is none."""

from pathlib import Path

import pytest

from callwright.declarations.reading import declarations_in
from callwright.declarations.styles.catalogue import STYLES
from support.pages import Fence, fences

PAGE = (Path(__file__).parents[2] / "server" / "docs" / "declarations.md").read_text(encoding="utf-8")
EXAMPLES = [fence for fence in fences(PAGE) if "style" in fence.words]


def test_every_style_has_an_example_and_a_row() -> None:
    names = {entry["name"] for entry in STYLES.entries}
    assert names == {fence.words["style"] for fence in EXAMPLES} - {"none"}
    assert [name for name in names if f"| [`{name}`](#" not in PAGE] == []


@pytest.mark.parametrize("fence", EXAMPLES, ids=lambda fence: f"{fence.words['style']}-{fence.at}")
def test_an_example_is_of_the_style_that_it_shows(fence: Fence) -> None:
    found = [*declarations_in(fence.body)]
    assert {each.style for each in found} == {fence.words["style"]} - {"none"}
    assert not any(each.read.broken for each in found)
