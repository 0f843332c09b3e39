"""Plain rows: the result for a row without opening it is the result for the open row, however it is written."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from benchmarks.corpora.rows import Pool
from benchmarks.corpora.shapes import SHAPES
from callwright.corpus.lines import Row
from callwright.corpus.measuring import RowMeasurer
from callwright.corpus.tasks.convert import RowConverter
from callwright.document.settings import Settings
from callwright.fastpath.quick import Plain
from callwright.tools.registry import EMPTY
from corpus.making import SOUND, TOOLS, chat, run_options
from fastpath import plain_transcripts as plain
from invariants.corpus import seeded
from support.sampling import sampled, tries

HERMES = '<tool_call>{"name": "read_file", "arguments": {"path": "a.py"}}</tool_call>'
OBJECT = '<read_file>{"path": "a.py"}</read_file>'
CHILDREN = "<read_file>\n<path>a.py</path>\n</read_file>"
NATIVE = {"id": "c1", "type": "function", "function": {"name": "read_file", "arguments": '{"path": "ü\\ud83d\\ude00"}'}}
#: What is put into the texts of rows, whatever they are.
PIECES = (
    *(HERMES, OBJECT, CHILDREN, SOUND, f"\n{CHILDREN}\n", f"\n{OBJECT}\n", f"\n{HERMES}\n", f"`{OBJECT}`"),
    *(
        "<tool_call>",
        "</tool_call>",
        "</b>",
        "<b>bold</b>",
        "a < b",
        "\n\n",
        "```\n",
        "ü\U0001f600",
        "\ud800",
        "\u2028",
    ),
    *(
        "[TOOL_CALLS]",
        '{"name": "read_file", "arguments": {}}',
        "<tool_response>",
        "...",
        "\r\n",
        " ",
        "\\",
        '"',
        "~~~",
    ),
    *("[read_file] Result:\n", "Error: no", "tool_name", "Action: read_file\nAction Input: {}", "<think>", "{{ x }}"),
)


class OpeningMeasurer(RowMeasurer):
    """Opens every row."""

    def _plain(self, _: bytes) -> None:
        return None


class OpeningConverter(RowConverter):
    """Opens every row."""

    def _plain(self, _: bytes) -> None:
        return None


class CountingMeasurer(RowMeasurer):
    """Counts the rows that are not opened."""

    passed = 0

    def _plain(self, data: bytes) -> Plain | None:
        found = super()._plain(data)
        self.passed += found is not None
        return found


class Both:
    """Rows measured and converted in both ways."""

    def __init__(self, registry: Any, **given: Any) -> None:
        counted = run_options(Path("out"), registry=registry, task="stats", **given)
        aimed = run_options(Path("out"), registry=registry, task="convert", to="hermes", **given)
        self.measurer, self._opening = CountingMeasurer(counted), OpeningMeasurer(counted)
        self._converter, self._opening_converter = RowConverter(aimed), OpeningConverter(aimed)

    def are_equal(self, data: bytes) -> bool:
        """Return whether both ways say the same of a row."""
        row = Row(0, data)
        return self.measurer.measured(row) == self._opening.measured(row) and self._converter.outcome(
            row
        ) == self._opening_converter.outcome(row)


def written(row: Any) -> Iterator[bytes]:
    """Yield the lines that a row can be."""
    for ascii_only in (False, True):
        for separators in ((", ", ": "), (",", ":")):
            text = json.dumps(row, ensure_ascii=ascii_only, separators=separators)
            yield text.encode("utf-8", "surrogatepass") + b"\n"
    yield json.dumps(row, indent=1).replace("\n", " ").encode()


@pytest.mark.parametrize("shape", sampled(SHAPES))
def test_rows_as_they_are_made_are_not_opened_and_measured_alike(shape: str) -> None:
    pool = Pool.of(SHAPES[shape], 12, 3)
    both = Both(EMPTY)
    rows = [line for each in sampled(pool.sound, keep=3) for line in written(each.row)]
    assert all(both.are_equal(line) for line in rows)
    # All but those with blanks in unusual places, where lengths are those of objects.
    assert both.measurer.passed >= len(rows) * 4 // 5
    assert all(both.are_equal(each.line(0)) for each in pool.faulty)


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield where the texts of a row are."""
    for key, own in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(own, str):
            yield value, key
        elif isinstance(own, dict | list):
            yield from places(own)


def changed(row: Any, random: Random) -> Any:
    """Return a row with other texts."""
    row = json.loads(json.dumps(row))
    for _ in range(random.randint(1, 2)):
        holder, key = random.choice(list(places(row)))
        text = holder[key]
        at = random.randint(0, len(text))
        holder[key] = random.choice((text[:at] + random.choice(PIECES) + text[at:], random.choice(PIECES)))
    return row


@pytest.mark.parametrize("shape", SHAPES)
def test_whatever_is_stated_in_a_row_both_ways_report_the_same(shape: str) -> None:
    random = Random(shape)  # noqa: S311 - chooses texts, keeps no secret
    pool = Pool.of(SHAPES[shape], 8, 4)
    both = Both(EMPTY)
    for number in range(tries(120)):
        row = changed(pool.sound[number % 8].row, random)
        line = random.choice(list(written(row)))
        assert both.are_equal(line), line.decode(errors="replace")


@pytest.mark.parametrize(
    "row",
    [
        {"text": SOUND},
        {},
        [],
        chat("Nothing."),
        chat(SOUND),
        chat(HERMES),
        {**chat("Nothing."), "steps": []},
        {"messages": [{"role": "assistant", "content": None, "tool_calls": [NATIVE]}]},
        {"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": None, "tool_calls": [NATIVE]},
                      {"role": "tool", "tool_call_id": "c1", "content": HERMES}]},
        {"messages": [{"role": "user", "content": [{"type": "text", "text": "a"}]}]},
        {"messages": [{"role": "user", "content": "a"}], "system": [{"type": "text", "text": "b"}]},
        {"conversations": [{"from": "human", "value": HERMES}, {"from": "gpt", "value": "Nothing."}]},
        {"conversations": [{"from": "human", "value": "a"}, {"from": "gpt", "value": f"{HERMES}\n{HERMES}"}]},
        {"conversations": [{"from": "human", "value": "a"}, {"from": "gpt", "value": f"{CHILDREN}\n\n{OBJECT}"}]},
        {"conversations": [{"from": "human", "value": "a"}, {"from": "gpt", "value": "<b>bold</b>"}]},
        {"conversations": [{"from": "human", "value": "a"}, {"from": "gpt", "value": CHILDREN}], "tools": ""},
        {"conversations": [{"from": "human", "value": "a"}, {"from": "gpt", "value": OBJECT}], "tools": "tool_name"},
        {"conversations": [{"from": "human", "value": "a"}, {"from": "gpt", "value": OBJECT}], "tools": "[]"},
        {"schema_version": "ATIF-v1.4", "agent": {"name": "a"}, "steps": [
            {"step_id": 1, "source": "agent", "message": "a", "observation": {"results": []}}]},
        {"schema_version": "ATIF-v1.4", "agent": {"name": "a"}, "steps": [
            {"step_id": 1, "source": "agent", "message": "a", "observation": {"results": [{"content": HERMES}]}}]},
    ],
)  # fmt: skip
def test_rows_of_other_forms_are_measured_alike(row: Any) -> None:
    for registry in (EMPTY, TOOLS):
        for settings in (Settings(), Settings(dialect="hermes"), Settings(provider="none")):
            both = Both(registry, settings=settings)
            assert all(both.are_equal(line) for line in written(row))


@pytest.mark.parametrize("data", [b"{", b'{"a": b}', b'{"a": 1, "a": 2}', b'{"messages": "\xff"}', b"\xff", b"", b"7"])
def test_what_is_no_row_is_measured_alike(data: bytes) -> None:
    assert Both(EMPTY).are_equal(data)


@pytest.mark.parametrize(
    "make", [plain.chat, plain.blocks, plain.texts, plain.elements, plain.trajectory, plain.session]
)
def test_rows_of_every_plain_form_are_not_opened_and_measured_alike(make: Callable[[Random], dict[str, Any]]) -> None:
    random = seeded(f"measured {make.__name__}")
    both = Both(plain.REGISTRY)
    tried = 0
    # Not every row that is drawn is sound; that none of so many is skipped would be a fault.
    while tried < tries(30) or (not both.measurer.passed and tried < 300):
        line = plain.dumped(make(random), random).encode()
        assert both.are_equal(line), line
        tried += 1
    assert both.measurer.passed > 0


def test_a_conversation_at_a_path_is_not_opened() -> None:
    both = Both(TOOLS, messages="log.talk")
    assert both.are_equal(json.dumps({"log": {"talk": chat("Nothing.")["messages"]}}).encode())
    assert both.measurer.passed == 1
