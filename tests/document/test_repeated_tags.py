"""A tag that begins nothing is checked once: where it is repeated, nothing else comes of it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import callwright
from callwright.document import reader
from callwright.document.reader import ReadResult, read_context, read_segment
from callwright.document.settings import Settings
from support.sampling import tries

REGISTRY = callwright.ToolRegistry.of(
    [{"name": "read_file", "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}}}]
)
PARTS = [
    *("<tool_call>", "</tool_call>", "<think>", "</think>", "<|end|>", "<tool_calls>", "<read_file>", "</read_file>"),
    *("<path>", "</path>", "a", " ", "\n", "\n\n", "```\n", "`", '"', "<b>", "<invoke", '<invoke name="read_file">'),
    *('{"name": "read_file", "arguments": {"path": "a"}}', "<tool_name>read_file</tool_name>", "<arguments>", "<!--"),
]


def read(text: str) -> ReadResult:
    return read_segment(text, read_context(REGISTRY, Settings()))


def seen(segment: ReadResult) -> object:
    calls = [(found.call.dialect, found.call.tool, found.call.span, found.call.problems) for found in segment.calls]
    return calls, segment.problems, segment.end, segment.state, segment.fenced


@settings(max_examples=tries(300), deadline=None)
@given(st.lists(st.tuples(st.sampled_from(PARTS), st.integers(1, 6)), max_size=8))
def test_repeated_tags_are_read_as_each_alone_is(parts: list[tuple[str, int]]) -> None:
    text = "x" + "".join(part * times for part, times in parts)
    quick = read(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "_SOON_SEEN", -1)
        plain = read(text)
    assert seen(quick) == seen(plain)
    assert quick.reach >= plain.reach


@pytest.mark.parametrize("opener", ["<tool_call>", "<tool_call><x>", "<invoke><tool_call> "])
def test_few_of_many_equal_tags_are_asked_about(opener: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    original = reader.Scanner._dialects

    def counted(walk: reader.Scanner, at: int, line: int) -> int | None:
        asked.append(at)
        return original(walk, at, line)

    monkeypatch.setattr(reader.Scanner, "_dialects", counted)
    assert not read(opener * 500).calls
    assert len(asked) < 40
