"""What is found in rows of which only some turns are read is what is found in the whole rows."""

import json
import re
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from benchmarks.corpora.rows import Pool
from benchmarks.corpora.shapes import SHAPES
from callwright.corpus.judging import RowJudge
from callwright.corpus.lines import Row
from callwright.document.settings import Settings
from callwright.fastpath.quick import LineCheck, SuspectParts
from callwright.tools.registry import EMPTY, ToolRegistry
from fastpath.plain_transcripts import REGISTRY, blocks, changed, chat, dumped, elements, scratched, texts, trajectory
from invariants.corpus import corpus, seeded

#: Where the messages are in a row, and the text of each of them.
KEPT = {"messages": "content", "conversations": "value", "steps": "message"}


def judges(registry: ToolRegistry, monkeypatch: pytest.MonkeyPatch) -> tuple[RowJudge, RowJudge]:
    """Return a judge, and one that reads every row as a whole."""
    run_options: Any = SimpleNamespace(registry=registry, settings=Settings(), seconds=600.0, messages=None, text=None)
    quick, slow = RowJudge(run_options), RowJudge(run_options)
    monkeypatch.setattr(slow._rows, "judge", lambda row: None)  # noqa: ARG005
    return quick, slow


@pytest.mark.parametrize("shape", sorted(SHAPES))
def test_planted_faults_are_placed_alike(shape: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pool = Pool.of(SHAPES[shape], 5, 7)
    quick, slow = judges(EMPTY, monkeypatch)
    rows = [each.line(number) for number, each in enumerate((*pool.sound, *pool.faulty))]
    for number, data in enumerate(rows):
        found = quick.diagnostics(Row(number, data))
        assert found == slow.diagnostics(Row(number, data)), data
        assert bool(found) == (number >= len(pool.sound)), data


#: What may be broken in a call of these rows, however it is written, and how.
BREAKS = (
    ("read_file", "raed_file"),
    ("set_unit", "set_units"),
    ("limit", "limits"),
    (r"\bc\b", "k"),
    (r"true", "1"),
    (r'(?<=\\": )3(?=\})', "3,"),
    (r'(?<=\\":)3(?=\})', "03"),
    (r'(?<=\\": )(?:true|3)', "True"),
    (r'3\}(?=["<\\])', "3"),
    ("</limit>", "</limt>"),
)


def row(random: Random) -> str:
    """Return a row that was plain before something in it was broken or changed."""
    value = random.choice((chat, blocks, texts, elements, trajectory))(random)
    if random.random() < 0.2:
        messages, text = next((key, KEPT[key]) for key in KEPT if key in value)
        random.choice(value[messages])[text] = random.choice(corpus())
    for _ in range(random.choice((0, 0, 0, 1))):
        value = changed(value, random)
    line = dumped(value, random)
    if random.random() < 0.8:
        pattern, by = random.choice(BREAKS)
        places = [*re.finditer(pattern, line)]
        if places:
            place = random.choice(places)
            line = f"{line[: place.start()]}{by}{line[place.end() :]}"
    return scratched(line, random) if random.random() < 0.1 else line


def test_what_the_whole_row_bears_out_is_found_in_a_turn_that_are_suspect(monkeypatch: pytest.MonkeyPatch) -> None:
    quick, slow = judges(REGISTRY, monkeypatch)
    calls = [f"<read_file>\n<path>a &{entity}; b</path>\n</read_file>" for entity in ("lt", "ltt")]
    entries = [{"from": "human", "value": "Read it."}, *({"from": "gpt", "value": call} for call in calls)]
    for talk, found in ((entries, ["TC110"]), (entries[::2], [])):
        data = json.dumps({"conversations": talk}).encode()
        assert [each.rule for each in quick.diagnostics(Row(0, data))] == found
        assert [each.rule for each in slow.diagnostics(Row(0, data))] == found


@pytest.mark.parametrize("batch", range(4))
def test_changed_rows_are_reported_alike(batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = seeded(f"turns in doubt {batch}")
    quick, slow = judges(REGISTRY, monkeypatch)
    outcome = LineCheck(REGISTRY, Settings())
    suspect_diagnostics = 0
    for number in range(120):
        try:
            data = row(random).encode()
        except UnicodeEncodeError:
            continue
        found = quick.diagnostics(Row(number, data))
        assert found == slow.diagnostics(Row(number, data)), data
        suspect_diagnostics += bool(found) and isinstance(outcome.judge(data), SuspectParts)
    assert suspect_diagnostics > 10
