"""The quick outcome is never wrong where it is certain, and it is certain for plain transcripts."""

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from callwright.document.settings import Settings
from callwright.fastpath import codec
from callwright.fastpath.quick import LineCheck
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.tools.registry import EMPTY, ToolRegistry
from fastpath.plain_transcripts import (
    DECLARING,
    FUNCTIONS,
    REGISTRY,
    RETURNED,
    blocks,
    changed,
    chat,
    dumped,
    elements,
    scratched,
    session,
    texts,
    trajectory,
)
from invariants.corpus import corpus, mutants, seeded
from support.sampling import sampled

TESTS = Path(__file__).parents[1]
#: How many mutations of plain transcripts are judged, for each parser.
MUTATIONS = 8_000


@pytest.fixture(params=["fast", "slow"])
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "slow":
        monkeypatch.setattr(codec, "import_module", _absent)
    else:
        pytest.importorskip("orjson")
    return str(request.param)


def _absent(name: str) -> Any:
    raise ImportError(name)


def judged(line: str, outcome: LineCheck, registry: ToolRegistry, settings: Settings) -> bool:
    """Judge a line; where the outcome is certain, compare it with a full reading."""
    try:
        data = line.encode()
    except UnicodeEncodeError:
        return False
    certain = outcome.is_clean(data)
    if certain:
        snapshot = open_snapshot(line, path="a.jsonl", registry=registry, settings=settings)
        found = diagnostics(snapshot)
        assert not found, (line, found[0].code, found[0].message)
        assert all(part.whole for block in snapshot.blocks for part in block.transcripts), line
    return certain


@pytest.mark.parametrize("make", [chat, blocks, texts, elements, trajectory])
def test_plain_transcripts_are_certain(make: Callable[[Random], dict[str, Any]], parser: str) -> None:
    random = seeded("plain")
    outcome = LineCheck(REGISTRY, Settings())
    for _ in range(150):
        value = make(random)
        if any("` " in each["value"] or "`\n" in each["value"] for each in value.get("conversations", ())):
            continue
        line = dumped(value, random) + random.choice(("", "\n", "\r\n"))
        if any(each in json.dumps(value).replace("\\", "") for each in RETURNED[1:]):
            # A tool that failed is checked elsewhere.
            judged(line, outcome, REGISTRY, Settings())
            continue
        assert judged(line, outcome, REGISTRY, Settings()), line


def test_plain_sessions_are_certain(parser: str) -> None:
    random = seeded("sessions")
    outcome = LineCheck(REGISTRY, Settings())
    lines = [dumped(session(random), random) for _ in range(150)]
    assert sum(judged(line, outcome, REGISTRY, Settings()) for line in lines) > 30
    # Within another document, what a session says of its settings does not hold.
    within = LineCheck(REGISTRY, Settings(), within=True)
    assert not any(within.is_clean(line.encode()) for line in lines)


@pytest.mark.parametrize("batch", sampled(range(8), keep=2))
def test_what_is_certain_has_no_diagnostic_however_it_is_changed(batch: int, parser: str) -> None:
    random = seeded(f"changed{batch}")
    settings = random.choice([Settings(), Settings(provider="mistral"), Settings(strict=True)])
    registry = random.choice([REGISTRY, REGISTRY, EMPTY, DECLARING])
    outcome = LineCheck(registry, settings)
    certain = 0
    for _ in range(MUTATIONS // 12):
        value = random.choice((chat, blocks, texts, elements, session, trajectory))(random)
        for _ in range(random.choice((0, 1, 1, 2))):
            value = changed(value, random)
        line = dumped(value, random)
        for _ in range(random.choice((0, 0, 1, 2))):
            line = scratched(line, random)
        certain += judged(line, outcome, registry, settings)
    assert certain > 10


@pytest.mark.parametrize("batch", sampled(range(4)))
def test_texts_that_hold_calls_are_not_passed(batch: int, parser: str) -> None:
    random = seeded(f"texts{batch}")
    written = [*corpus()[batch::4], *(mutant.text for mutant in mutants(batch, 150, "quick"))]
    outcome = LineCheck(REGISTRY, Settings())
    for text in written:
        value = random.choice((chat, blocks, texts, elements, session, trajectory))(random)
        if "messages" in value:
            value["messages"][-1]["content"] = text
        elif "steps" in value:
            value["steps"][-1]["message"] = text
        else:
            value["conversations"][-1]["value"] = random.choice(("", "So.\n")) + text + random.choice(("", "\nSo."))
        judged(dumped(value, random), outcome, REGISTRY, Settings())


def test_lines_of_corpora_are_judged_rightly(parser: str) -> None:
    lines: list[str] = []
    for folder in (TESTS / "transcripts", TESTS / "hosts"):
        for path in sorted(folder.glob("*/corpus/*.json*")):
            text = path.read_bytes().decode()
            lines += text.splitlines() if path.suffix == ".jsonl" else [text.replace("\n", " ").replace("\r", " ")]
    assert len(lines) > 20
    for registry in (REGISTRY, EMPTY):
        outcome = LineCheck(registry, Settings())
        for line in lines:
            judged(line, outcome, registry, Settings())


def test_lines_with_the_same_end_are_judged_by_themselves(parser: str) -> None:
    outcome = LineCheck(EMPTY, Settings())
    random = seeded("ends")
    whole = {"messages": chat(random)["messages"], "tools": FUNCTIONS}
    line = json.dumps(whole)
    end = line[line.index(', "tools"') :]
    for _ in range(2):
        assert judged(line, outcome, EMPTY, Settings())
    for start in ('{"messages": []', "{", '{"tools": []', '{"messages": [1]}', "", line[:40], line[: -len(end)] + "}"):
        judged(start + end, outcome, EMPTY, Settings())
    assert not outcome.is_clean(('{"tools": 1, ' + line[1:]).encode())


def test_lines_with_the_same_member_are_judged_by_themselves(parser: str) -> None:
    outcome = LineCheck(EMPTY, Settings())
    agent = {"name": "a", "tool_definitions": FUNCTIONS}
    steps = [{"step_id": 1, "source": "user", "message": "a"}, {"step_id": 2, "source": "agent", "message": "b"}]
    for separators in ((", ", ": "), (",", ":")):
        line = json.dumps({"schema_version": "ATIF-v1.4", "agent": agent, "steps": steps}, separators=separators)
        comma, colon = separators
        for _ in range(3):
            assert judged(line, outcome, EMPTY, Settings())
        assert judged(line.replace("{", f'{{"row_id"{colon}"a {{"{comma}', 1), outcome, EMPTY, Settings())
        member = line[line.index('"agent"') : line.index('"steps"')]
        for twice in (
            line.replace(member, member * 2),
            line.replace(member, f'"agent"{colon}1{comma}{member}'),
            line.replace('"steps"', f'"agent"{colon}{{}}{comma}"steps"'),
            f'{line[:-1]}{comma}"agent"{colon}{{}}}}',
        ):
            assert not outcome.is_clean(twice.encode()), twice
        for other in (
            line.replace('"schema_version"', f'"notes"{colon}{{"schema_version"', 1) + "}",
            line.replace('"agent"', 'agent"', 1),
            line.replace(member, f'"notes"{colon}"{member}'),
            line.replace(member, f'"notes"{colon}[{member}', 1),
            line.replace(member, member.rstrip(", ")),
            line.replace(member, f"{comma}{member}"),
            line.replace(member, ""),
            line.replace('"a"', '"<tool_call>"', 1),
            line.replace("read_file", "raed_file", 1),
        ):
            judged(other, outcome, EMPTY, Settings())


@pytest.mark.parametrize("content", [[{"type": "text", "text": "CALL"}], {"text": "CALL"}, ["CALL"], 5, True])
@pytest.mark.parametrize("speaker", ["system", "user", "assistant", "tool"])
def test_what_is_no_text_is_not_taken_for_one(content: Any, speaker: str, parser: str) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "read_file", "arguments": '{"path": "a"}'}}
    stated: dict[str, Any] = {
        "system": "Be careful.",
        "user": "Read it.",
        "assistant": "I read it.",
        "tool": "Nothing.",
    }
    value = {
        "messages": [
            {"role": "system", "content": stated["system"]},
            {"role": "user", "content": stated["user"]},
            {"role": "assistant", "content": stated["assistant"], "tool_calls": [call]},
            {"role": "tool", "content": stated["tool"], "tool_call_id": "c1"},
            {"role": "assistant", "content": "It is empty."},
        ]
    }
    outcome = LineCheck(REGISTRY, Settings())
    assert judged(json.dumps(value), outcome, REGISTRY, Settings())
    broken = '<read_file>{"path": "a",}</read_file>'
    stated[speaker] = json.loads(json.dumps(content).replace("CALL", json.dumps(broken)[1:-1]))
    for message in value["messages"][:4]:
        message["content"] = stated[str(message["role"])]
    # What a tool returned is data, whatever it looks like, and may be in a block.
    plain = speaker == "tool" and content == [{"type": "text", "text": "CALL"}]
    assert judged(json.dumps(value), outcome, REGISTRY, Settings()) == plain


def test_a_label_that_holds_a_transcript_is_more_than_a_label(parser: str) -> None:
    outcome = LineCheck(REGISTRY, Settings())
    value = {"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]}
    call = json.dumps({"function_call": {"name": "nothing_of_ours", "arguments": {}}})
    for label, plain in (("x", True), ('["a", "b"]', True), ("{}", True), (call, False), (f"[{call}]", False)):
        line = json.dumps({**value, "category": label})
        assert judged(line, outcome, REGISTRY, Settings()) == plain
        assert bool(diagnostics(open_snapshot(line, path="a.json", registry=REGISTRY, settings=Settings()))) != plain


def test_a_name_that_is_given_twice_is_no_plain_transcript(parser: str) -> None:
    outcome = LineCheck(REGISTRY, Settings())
    plain = '{"messages": [{"role": "user", "content": "a \\": b"}, {"role": "assistant", "content": "b"}]}'
    assert judged(plain, outcome, REGISTRY, Settings())
    for twice in ('{"role": "user", ', '{"content": "x", ', '{"role": "user", "role": "user", '):
        assert not outcome.is_clean(plain.replace('{"role": "user", ', twice + '"role": "user", ', 1).encode())


@pytest.mark.parametrize("size", sampled(range(60), keep=8))
def test_a_name_that_is_given_twice_is_seen_in_whatever_layout(size: int, parser: str) -> None:
    outcome = LineCheck(REGISTRY, Settings())
    value = {"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": 'say "b"'}]}
    stated = "x" * size
    for indent in (1, 2, "\t"):
        line = json.dumps(value, indent=indent)
        assert outcome.is_clean(line.encode())
        # What the second name takes is taken away from the space, and the quotes that it adds are written as numbers.
        for spared in (line, line.replace("\n", "", size), line.replace('\\"', "\\u0022")):
            assert not outcome.is_clean(spared.replace('"role"', f'"role":"{stated}","role"', 1).encode())
    mixed = '{"messages": [{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}'
    assert outcome.is_clean(mixed.encode())
    assert not outcome.is_clean(mixed.replace('"role"', f'"role":"{stated[3:]}","role"', 1).encode())


@pytest.mark.parametrize("size", sampled(range(40), keep=6))
def test_a_name_that_is_given_twice_is_seen_however_long_it_is(size: int, parser: str) -> None:
    outcome = LineCheck(REGISTRY, Settings())
    stated = "x" * size
    call = {"id": "c", "type": "function", "function": {"name": "read_file", "arguments": '{"path":"a","limit":1}'}}
    asking = {"role": "assistant", "content": None, "tool_calls": [call]}
    answered = {"role": "tool", "tool_call_id": "c", "content": "b"}
    value = {"messages": [{"role": "user", "content": "a"}, asking, answered]}
    for separators in ((",", ":"), (", ", ": ")):
        line = json.dumps(value, separators=separators)
        assert outcome.is_clean(line.encode())
        comma, colon = separators
        assert not outcome.is_clean(line.replace('"role"', f'"role"{colon}"{stated}"{comma}"role"', 1).encode())
        assert not outcome.is_clean(line.replace('\\"path\\"', f'\\"path\\":\\"{stated}\\",\\"path\\"').encode())
