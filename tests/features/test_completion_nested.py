"""Completion inside of values that hold others, in every dialect; and that what is taken spoils nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

import pytest

from callwright.calls.protocol import Refusal, RenderStyle
from callwright.dialects.catalogue import dialect_names, find_dialect
from callwright.document.settings import Settings
from callwright.document.snapshot import Snapshot
from callwright.features import text_document_completion as completion
from callwright.features.base import Client, Request
from callwright.features.support.completing.items import Completion
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.text.span import Span, apply_edits
from callwright.tools.registry import ToolRegistry
from invariants.corpus import seeded
from support.sampling import whole

_RETRY: Final = {"type": "object", "properties": {"amount": {"type": "integer"}, "pause": {"type": "number"}}}
_OPTIONS: Final = {
    "type": "object",
    "properties": {"manner": {"enum": ["quick", "careful"]}, "depth": {"type": "integer"}, "retry": _RETRY},
}
_STEP: Final = {
    "type": "object",
    "properties": {"deed": {"enum": ["begin", "finish"]}, "target": {"type": "string"}},
}
REGISTRY: Final = ToolRegistry.of(
    [
        {
            "name": "plan_work",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "title": {"type": "string"},
                    "options": _OPTIONS,
                    "phases": {"type": "array", "items": _STEP},
                    "level": {"enum": ["low", "high"]},
                },
                "required": ["title"],
            },
        },
        {"name": "close_all", "inputSchema": {"type": "object", "properties": {"force": {"type": "boolean"}}}},
    ]
)
ARGUMENTS: Final[dict[str, Any]] = {
    "title": "Some words",
    "level": "high",
    "options": {"manner": "careful", "depth": 3, "retry": {"amount": 2}},
    "phases": [{"deed": "begin", "target": "aa"}, {"deed": "finish", "target": "bb"}],
}
WORDS: Final = ("level", "high", "options", "manner", "careful", "depth", "retry", "amount", "phases", "deed", "finish")
#: What a text that breaks off lacks is counted part by part, and differs with how much of it is written.
BROKEN_OFF: Final = frozenset({"TC101", "TC202", "TC401"})
CUTS: Final = 12 if whole() else 3
OFFERS: Final = 8


@cache
def written(name: str) -> str | None:
    dialect = find_dialect(name)
    assert dialect is not None
    text = dialect.render("plan_work", ARGUMENTS, REGISTRY.get("plan_work")[0], RenderStyle())
    return None if isinstance(text, Refusal) else text


def opened(text: str, dialect: str | None) -> Snapshot:
    return open_snapshot(text, path="a.prompt", registry=REGISTRY, settings=Settings(dialect=dialect))


def offered(text: str, at: int, dialect: str | None) -> list[Completion]:
    return completion.handle(opened(text, dialect), Request(Span(at, at), Client()))


def places(text: str, dialect: str) -> Iterator[tuple[str, str, int]]:
    """Yield each word with a text and a place in it: whole, and cut off there."""
    random = seeded(f"nested {dialect}")
    for word in WORDS:
        start = text.find(word)
        if start < 0:
            continue
        at = start + random.choice((0, 1, 2, len(word)))
        yield word, text, at
        yield word, text[:at], at


@pytest.mark.parametrize("name", dialect_names())
def test_names_and_values_inside_of_values_are_offered(name: str) -> None:
    text = written(name)
    if text is None:
        pytest.skip("its calls hold no such values")
    asked = 0
    for word, document, at in places(text, name):
        labels = [item.label for item in offered(document, at, name)]
        assert any(word in label for label in labels), (word, document[max(0, at - 80) : at], labels)
        asked += 1
    assert asked >= len(WORDS)


@pytest.mark.parametrize("name", dialect_names())
def test_what_is_taken_at_the_end_of_a_cut_call_spoils_nothing(name: str) -> None:
    """An end is not offered, either, where it would leave a call that lacks what the tool requires."""
    text = written(name)
    if text is None:
        pytest.skip("its calls hold no such values")
    random = seeded(f"taken {name}")
    for _ in range(CUTS):
        at = random.randint(1, len(text))
        before = faults(text[:at], name)
        for item in offered(text[:at], at, name)[:OFFERS]:
            typed = text[item.edit.span.start : item.edit.span.end]
            if not item.filter.startswith(typed):
                # A client does not show it.
                continue
            after = faults(apply_edits(text[:at], [item.edit, *item.further]), name)
            assert after.total() <= before.total(), (text[max(0, at - 60) : at], item.edit.text, after)


def faults(text: str, dialect: str) -> Counter[str]:
    found = diagnostics(opened(text, dialect))
    return Counter(each.code for each in found if each.severity == "error" and each.code not in BROKEN_OFF)
