"""Where a damaged marker is reported: at the damage, not where the text after it stops making sense."""

from __future__ import annotations

import pytest

from callwright.runtime import StrictParser

TOOLS = [
    {
        "name": "read_file",
        "input_schema": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
    },
]
CALL = '```tool\nTOOL_NAME: read_file\nBEGIN_ARG: path\n"a"\nEND_ARG\n```\n'


@pytest.mark.parametrize("backticks", ["`", "``"])
@pytest.mark.parametrize("before", [0, 1, 2])
def test_a_fence_that_opens_wrongly_is_reported_and_not_the_one_that_stays_open(before: int, backticks: str) -> None:
    text = CALL * before + backticks + CALL.removeprefix("```") + CALL
    _, error = StrictParser(tools=TOOLS, dialect="tool-block").parse(text)
    assert error is not None
    first = error.diagnostics[0]
    assert (first.code, first.span.start, first.span.of(text)) == ("TC113", len(CALL) * before, backticks)
