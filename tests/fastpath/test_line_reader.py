"""Lines that share a member are read as they are, and the member once."""

import json
from typing import Any

import pytest

from callwright.fastpath.codec import Codec, LineReader, fast_json

_TOOLS = '[{"name": "read_file", "input_schema": {"type": "object"}}]'
_MEMBERS = (("tools", "messages"), ("agent", "steps"))


def _reader(codec: Codec | None = None) -> LineReader:
    """Return a reader that met the tools twice, and so knows them."""
    reader = LineReader(codec or fast_json(), _MEMBERS)
    for _ in range(2):
        reader.read(f'{{"messages": [], "tools": {_TOOLS}}}'.encode())
    return reader


@pytest.mark.parametrize(
    "line",
    [
        f'{{"messages": [1], "tools": {_TOOLS}}}',
        f'{{"messages": [1], "tools":{_TOOLS} }}\r\n',
        f'{{"tools": {_TOOLS}, "messages": [1]}}',
        f'{{"tools":{_TOOLS},"messages":[1]}}\n',
        f'{{"tools": {_TOOLS}, "id": 1, "messages": []}}',
        f'{{"inside": {{"tools": {_TOOLS}}}}}',
        f'{{"inside": {{"tools": {_TOOLS}, "messages": []}}, "tools": -7316295041838}}',
        f'{{"tools": -7316295041838, "inside": {{"tools": {_TOOLS}}}}}',
        f'[{{"tools": {_TOOLS}}}]',
        '{"messages": ["\\"tools\\": ' + _TOOLS.replace('"', '\\"') + '"]}',
        '{"tools": -7316295041838}',
        f'{{"tools": -7316295041838, "more \\"tools": {_TOOLS}}}',
        f'{{"tools": -7316295041838, "more \\\\\\"tools": {_TOOLS}}}',
        f'{{"messages": [-7316295041838], "tools": {_TOOLS}}} \n',
        '{"tools": []}',
        '{"tools": null, "messages": []}',
        '{"agent": {"name": "made"}, "steps": [1]}',
        "[]",
        "1",
    ],
)
def test_a_line_is_read_as_it_is(line: str) -> None:
    reader = _reader()

    for _ in range(3):
        assert reader.read(line.encode()).value == json.loads(line)


@pytest.mark.parametrize(
    "line", [f'{{"messages": [, "tools": {_TOOLS}}}', f'{{"tools": {_TOOLS}', f'{{"x": "\\{_TOOLS}", "tools": 1}}']
)
def test_what_is_no_json_stays_none(line: str) -> None:
    reader = _reader()

    with pytest.raises(ValueError):  # noqa: PT011 - that is all the codec promises
        reader.read(line.encode())


def test_a_member_that_lines_share_is_read_once() -> None:
    read: list[int] = []
    codec = fast_json()

    def loads(data: Any) -> Any:
        read.append(len(data))
        return codec.loads(data)

    reader = _reader(Codec(loads, codec.dumps))
    line = f'{{"messages": [1], "tools": {_TOOLS}}}'.encode()
    first = reader.read(line)
    read.clear()
    second = reader.read(line)

    assert sum(read) < len(line) - len(_TOOLS) + 20
    assert first.value["tools"] is second.value["tools"]


@pytest.mark.parametrize(
    ("line", "whole"),
    [
        (f'{{"messages": [1], "tools": {_TOOLS}}}', True),
        (f'{{"messages": [1], "messages": [1], "tools": {_TOOLS}}}', False),
        (f'{{"tools": [], "tools": {_TOOLS}}}', False),
        (f'{{"messages": ["\\u0022"], "id": 1, "tools": {_TOOLS}}}', False),
    ],
)
def test_a_name_that_is_given_twice_is_noticed_beside_what_lines_share(line: str, whole: bool) -> None:
    reader = _reader()

    assert reader.read(line.encode()).keeps_all(fast_json()) is whole


def test_a_shared_member_in_which_a_name_is_given_twice_is_not_remembered() -> None:
    tools = '[{"name": "a", "name": "b"}]'
    reader = LineReader(fast_json(), _MEMBERS)

    for _ in range(3):
        assert not reader.read(f'{{"messages": [], "tools": {tools}}}'.encode()).keeps_all(fast_json())
