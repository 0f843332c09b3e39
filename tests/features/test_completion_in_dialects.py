"""Completion in every dialect: what a call names is offered where it is cut or pointed at, and leads back to it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any, Final, NamedTuple

import pytest

from callwright.calls.protocol import Refusal, RenderStyle
from callwright.dialects.catalogue import find_dialect
from callwright.document.blocks import PlacedCall
from callwright.document.settings import Settings
from callwright.document.snapshot import Snapshot
from callwright.features import text_document_completion as completion
from callwright.features.base import Client, Request
from callwright.features.support.completing.items import Completion
from callwright.lint.opening import open_snapshot
from callwright.text.span import Span, apply_edits
from callwright.tools.registry import ToolRegistry
from invariants.corpus import seeded
from support import sampling
from support.dialects import general_names

REGISTRY: Final = ToolRegistry.of(
    [
        {
            "name": "open_view",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "title": {"type": "string"},
                    "mode": {"enum": ["fast", "careful"]},
                    "depth": {"type": "integer"},
                    "quiet": {"type": "boolean"},
                    "marks": {"type": "array", "items": {"type": "string"}},
                },
                "required": ["title"],
            },
        },
        {"name": "close_all", "inputSchema": {"type": "object", "properties": {"force": {"type": "boolean"}}}},
    ]
)
ARGUMENTS: Final[list[tuple[str, dict[str, Any]]]] = [
    ("open_view", {"title": "Some words", "mode": "fast", "depth": 3}),
    ("open_view", {"mode": "careful", "title": "é <b> & 😀"}),
    ("close_all", {"force": True}),
]
#: At most this many places of each name are tried, and so many of each call.
PLACES: Final = {"plain": 2 if sampling.whole() else 1, "fence": 1, "json": 1, "yaml": 1}
ANY: Final = 6 if sampling.whole() else 2


class Way(NamedTuple):
    """A way in which a document holds a text: its path, the document, and where a place of the text is in it."""

    path: str
    write: Callable[[str], str]
    place: Callable[[str, int], int]


def _in_json(text: str) -> str:
    return '{"messages": [{"role": "assistant", "content": ' + json.dumps(text) + "}]}\n"


def _in_yaml(text: str) -> str:
    return "prompt: |\n" + "".join(f"  {line}\n" for line in text.split("\n")) + "after: 1\n"


WAYS: Final = {
    "plain": Way("a.prompt", lambda text: text, lambda _, at: at),
    "fence": Way("a.md", lambda text: f"Look:\n\n````\n{text}\n````\n", lambda _, at: at + 12),
    "json": Way("a.json", _in_json, lambda text, at: len(_in_json(text[:at])) - len('"}]}\n')),
    "yaml": Way("a.yaml", _in_yaml, lambda text, at: len("prompt: |\n") + at + 2 * (text.count("\n", 0, at) + 1)),
}


@cache
def calls_of(name: str) -> tuple[str, ...]:
    dialect = find_dialect(name)
    assert dialect is not None
    texts = []
    for tool, arguments in ARGUMENTS:
        text = dialect.render(tool, arguments, REGISTRY.get(tool)[0], RenderStyle())
        if not isinstance(text, Refusal):
            texts.append(text)
    assert len(texts) > 1
    return tuple(texts)


def opened(text: str, name: str, way: Way) -> Snapshot:
    return open_snapshot(way.write(text), path=way.path, registry=REGISTRY, settings=Settings(dialect=name))


def call_in(snapshot: Snapshot) -> PlacedCall | None:
    return next(iter(snapshot.placed_calls()), None)


def offered(snapshot: Snapshot, offset: int, client: Client) -> list[Completion]:
    return completion.handle(snapshot, Request(Span(offset, offset), client))


class Named(NamedTuple):
    """Something in a call that completion knows: where it is, what it is, and whether a call still has it."""

    span: Span
    label: str
    holds: Callable[[PlacedCall], bool]


def named_in(text: str, name: str) -> Iterator[Named]:
    """Yield what a call names: its tool, its arguments, and the values that the schema lists."""
    placed = call_in(opened(text, name, WAYS["plain"]))
    assert placed is not None, text
    tool, arguments = placed.call.tool, dict(placed.binding.arguments)
    assert tool is not None
    span = placed.call.name_spans[0] if placed.call.name_spans else placed.call.tool_span
    yield Named(bare(text, span), tool, lambda found: found.call.tool == tool)
    for key, value in arguments.items():
        key_span = placed.binding.key_span_of((key,))
        if key_span is not None:
            yield Named(bare(text, key_span), key, partial(_has, key))
        if key in ("mode", "force"):
            label = value if isinstance(value, str) else ""
            yield Named(bare(text, placed.binding.span_of((key,))), label, partial(_holds, key, value))


def _has(key: str, found: PlacedCall) -> bool:
    return key in found.binding.arguments


def _holds(key: str, value: Any, found: PlacedCall) -> bool:
    return bool(found.binding.arguments.get(key) == value)


def bare(text: str, span: Span) -> Span:
    """Return the span without quotes, escaped or not, and space."""
    inner = span.of(text).strip().removeprefix('<|"|>').removesuffix('<|"|>').strip("\"'\\")
    start = text.index(inner, span.start)
    return Span(start, start + len(inner))


def taken(snapshot: Snapshot, item: Completion) -> str:
    return apply_edits(snapshot.document.text(), [item.edit, *item.further])


def reopened(text: str, snapshot: Snapshot, name: str) -> PlacedCall | None:
    after = open_snapshot(text, path=snapshot.path, registry=REGISTRY, settings=Settings(dialect=name))
    return call_in(after)


@pytest.mark.parametrize(("name", "way"), sampling.crossed(general_names(), WAYS))
def test_what_is_cut_or_pointed_at_is_offered_and_leads_back(name: str, way: str) -> None:
    random = seeded(f"completion {name} {way}")
    failure: list[str] = []
    for text in calls_of(name)[: 3 if sampling.whole() and way == "plain" else 1]:
        whole = call_in(opened(text, name, WAYS["plain"]))
        assert whole is not None
        wanted = dict(whole.binding.arguments)
        for each in named_in(text, name):
            places = range(each.span.start + 1, each.span.end)
            for at in random.sample(places, min(len(places), PLACES[way])):
                for cut in (False, True):
                    if not sampling.whole() and way != "plain" and random.random() < 0.5:
                        continue
                    source = text[:at] if cut else text
                    snapshot = opened(source, name, WAYS[way])
                    offset = WAYS[way].place(source, at)
                    if cut and way == "yaml" and snapshot.passage_at(offset) is None:
                        continue  # a string in which no call can begin yet is not text to anyone
                    label = each.label or each.span.of(text).lower()
                    items = [
                        one for one in offered(snapshot, offset, Client()) if label in (one.label, one.label.lower())
                    ]
                    found = [reopened(taken(snapshot, item), snapshot, name) for item in items]
                    where = f"{'cut' if cut else 'whole'} {text[:at]!r}"
                    if not found:
                        failure.append(f"{each.label or each.span.of(text)} is not offered: {where}")
                    elif cut and way in ("fence", "yaml"):
                        # What the dialect ends there is read as a part of the value, and no call may be left.
                        continue
                    elif not any(one is not None and each.holds(one) for one in found):
                        failure.append(f"{each.label} does not lead back: {where}: {taken(snapshot, items[0])!r}")
                    elif not cut and not any(
                        one is not None and one.call.tool == whole.call.tool and dict(one.binding.arguments) == wanted
                        for one in found
                    ):
                        failure.append(f"{each.label} changes the call: {where}: {taken(snapshot, items[0])!r}")
    assert not failure, "\n".join(failure)


@pytest.mark.parametrize("name", general_names())
def test_at_any_place_of_a_cut_call_there_is_an_answer(name: str) -> None:
    random = seeded(f"any place {name}")
    clients = (Client(), Client(snippets=True, label_details=True))
    for text in calls_of(name)[: 3 if sampling.whole() else 2]:
        for way in WAYS.values():
            for at in random.sample(range(len(text) + 1), min(ANY, len(text))):
                for source in (text[:at], text):
                    snapshot = opened(source, name, way)
                    size = len(snapshot.document)
                    for item in offered(snapshot, way.place(source, at), random.choice(clients)):
                        for edit in (item.edit, *item.further):
                            assert 0 <= edit.span.start <= edit.span.end <= size
