"""The page of each dialect is what its module says now: a word, a closer or a peer that changes is seen in its page."""

import importlib.util
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from callwright.dialects.catalogue import dialect_names, find_dialect

DOCS = Path(__file__).parents[2] / "server" / "docs"


@cache
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", dialect_names())
def test_the_page_of_a_dialect_states_what_its_module_states(name: str) -> None:
    page = (DOCS / "dialects" / f"{name}.md").read_text(encoding="utf-8")
    found = find_dialect(name)
    assert found is not None
    assert generator().dialect_page(found) == page
