"""Conversion: calls keep tool and arguments on the way to another dialect and back, or stay, and the reason is
given."""

from __future__ import annotations

from typing import Any

from callwright.calls.model import NATIVE
from callwright.conversion import convert_document, first_difference
from callwright.dialects.catalogue import dialect_names
from callwright.document.snapshot import Snapshot
from fuzz.inputs import Input
from fuzz.support import PATHS
from invariants.corpus import registry
from invariants.texts import EMPTY, opened

MAX_LENGTH = 1_500


def calls_of(snapshot: Snapshot) -> list[tuple[str | None, Any]]:
    """Return the calls that dialects read, in the order of the text."""
    placed = sorted((each for each in snapshot.placed_calls() if each.call.dialect != NATIVE), key=lambda one: one.span)
    return [(each.call.tool, each.binding.value) for each in placed]


def target(data: bytes) -> None:
    """Convert the text's calls into a dialect, then into another one."""
    given = Input(data, MAX_LENGTH)
    tools = EMPTY if given.pick("tools", ("all", "none")) == "none" else registry()
    path = given.pick("path", PATHS)
    text = given.text
    for to in (given.pick("to", dialect_names()), given.pick("back", dialect_names())):
        before = opened(text, path, tools)
        result = convert_document(before, to)
        assert all(each.reason for each in result.refused), to
        if not result.converted:
            assert result.text == text, to
            continue
        after = opened(result.text, path, tools)
        old, new = calls_of(before), calls_of(after)
        assert len(old) == len(new), (to, old, new, result.text)
        for (tool, value), (other, again) in zip(old, new, strict=True):
            assert tool == other, (to, result.text)
            assert first_difference(value, again) is None, (to, value, again, result.text)
        text = result.text
