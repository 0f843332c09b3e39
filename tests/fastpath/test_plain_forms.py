"""The plain forms that dialects and shapes declare: a fast path needs nothing else to know them, and is never wrong."""

import json
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest

from callwright.calls.envelopes import Envelope
from callwright.calls.protocol import RenderStyle
from callwright.dialects.base import Dialect
from callwright.dialects.catalogue import plain_dialects
from callwright.dialects.support.envelope import EnvelopeDialect
from callwright.document.settings import Settings
from callwright.fastpath.quick import LineCheck, Plain
from callwright.transcripts.catalogue import plain_shapes
from dialects.test_added_dialects import ENVELOPES
from fastpath.plain_transcripts import (
    CALLS,
    PROSE,
    REGISTRY,
    blocks,
    chat,
    dumped,
    elements,
    scratched,
    session,
    texts,
    trajectory,
)
from fastpath.test_quick import judged
from invariants.corpus import seeded
from support.added_dialects import added_dialects
from support.sampling import sampled, tries

#: Who makes conversations of each shape that has a plain form.
MAKERS: dict[str, tuple[Callable[[Random], dict[str, Any]], ...]] = {
    "openai-chat": (chat,),
    "anthropic": (blocks,),
    "sharegpt": (texts, elements),
    "atif": (trajectory,),
    "callwright-session": (session,),
}


def dialect_of(given: str, envelope: Envelope) -> Dialect:
    class Added(EnvelopeDialect):
        name = given
        title = given
        summary = given
        used_by = ("nothing",)
        openers = (envelope.opener,)
        envelopes = (envelope,)
        is_plain = True

    return Added()


def rows(dialect: Dialect, random: Random) -> Iterator[tuple[list[str], str]]:
    """Yield conversations in which an assistant calls in a dialect, each with its calls."""
    calls = [CALLS[0], CALLS[2]]
    for stated in ("", "So.\n", "Let me see `x`:\n"):
        for chosen in (calls[:1], calls):
            written = [str(dialect.render(*call, None, RenderStyle(indent=""))) for call in chosen]
            entries = [
                {"from": "human", "value": random.choice(PROSE)},
                {"from": "gpt", "value": stated + "\n".join(written)},
                {"from": "gpt", "value": "Done."},
            ]
            yield written, json.dumps({"conversations": entries}, ensure_ascii=False)


def check_rows(dialect: Dialect) -> None:
    random = seeded(f"plain {dialect.name}")
    outcome = LineCheck(REGISTRY, Settings())
    for written, line in rows(dialect, random):
        assert judged(line, outcome, REGISTRY, Settings()), line
        found = outcome.judge(line.encode())
        assert isinstance(found, Plain)
        assert [(each.dialect, each.length) for each in found.calls] == [(dialect.name, len(each)) for each in written]
        for _ in range(tries(12)):
            judged(scratched(line, random), outcome, REGISTRY, Settings())


@pytest.mark.parametrize("name", [dialect.name for dialect in plain_dialects()])
def test_what_a_dialect_declares_as_plain_is_taken_at_once(name: str) -> None:
    (dialect,) = (each for each in plain_dialects() if each.name == name)
    check_rows(dialect)


@pytest.mark.parametrize("name", sampled([name for name, each in ENVELOPES.items() if not each.array], keep=3))
def test_a_dialect_that_is_added_brings_its_plain_form_with_it(name: str) -> None:
    dialect = dialect_of(f"plain-{name}", ENVELOPES[name])
    with added_dialects(dialect):
        assert dialect in plain_dialects()
        check_rows(dialect)


def test_every_shape_that_declares_a_plain_form_has_conversations_that_are_taken_at_once() -> None:
    random = seeded("plain shapes")
    assert {shape.name for shape in plain_shapes()} == {*MAKERS}
    outcome = LineCheck(REGISTRY, Settings())
    for shape, makers in MAKERS.items():
        for make in makers:
            found = [outcome.judge(dumped(make(random), random).encode()) for _ in range(40)]
            assert any(isinstance(each, Plain) and each.shape == shape for each in found), shape
