"""Names in calls of every dialect and kind of document: what they are, and where they lead."""

from __future__ import annotations

import pytest

from callwright.features import text_document_hover as hover
from callwright.features.base import Request
from callwright.prompt.targets import target_at
from callwright.text.span import Span
from features.test_completion_in_dialects import WAYS, calls_of, named_in, opened
from support.dialects import general_names


@pytest.mark.parametrize("name", general_names())
def test_each_name_of_a_call_leads_to_its_tool_or_parameter_and_is_described(name: str) -> None:
    text = calls_of(name)[0]
    failure: list[str] = []
    for each in named_in(text, name):
        if each.label in ("fast", "careful", ""):
            continue
        for way in WAYS.values():
            snapshot = opened(text, name, way)
            at = way.place(text, each.span.start + 1)
            found = target_at(snapshot, at)
            where = f"{each.label} in {way.path}"
            if found is None or found[0].word != each.label:
                failure.append(f"{where} is {found}")
            described = hover.handle(snapshot, Request(Span(at, at)))
            if described is None or f"`{each.label}`" not in described.markdown:
                failure.append(f"{where} is described as {described}")
    assert not failure, "\n".join(failure)
