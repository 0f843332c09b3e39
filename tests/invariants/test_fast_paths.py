"""Fast paths step aside for a rule that does not say that they answer for it.

Rules are added while the tests run, of every scope that has a check and of every severity. What is found with them by
whatever way a document is read must be what is found where no fast path runs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from callwright.cli.main import main
from callwright.cli.support import large
from callwright.corpus.judging import RowJudge
from callwright.corpus.lines import Row
from callwright.corpus.rows import Rows
from callwright.corpus.units import RunOptions
from callwright.document.settings import Settings
from callwright.fastpath.fast_paths import IN_TEXTS, IN_TOOL_FILES, FastPath, may_answer
from callwright.fastpath.quick import LineCheck
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.rules.base import Diagnostic, ErrorType, Rule, Scope, Severity
from callwright.rules.catalogue import all_rules
from callwright.runtime.strict import StrictParser
from callwright.text.span import Span
from fastpath.plain_transcripts import (
    FUNCTIONS,
    REGISTRY,
    TOOLS,
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
from invariants.corpus import seeded
from lsp.conversation import conversation
from support.added_rules import added_rules, without_fast_paths
from support.sampling import tries

MAKERS: Final = (chat, blocks, texts, elements, trajectory, session)
#: What a conversation holds that holds a call.
CALLS: Final = ('"tool_calls"', '"tool_use"', "<tool_call>", "<read_file>", "<set_unit>", "<plan>")
#: Sizes of a document: below and above 16 and 64 KB, where other paths begin.
SIZES: Final = (1, 20_000, 70_000)


class _Reporting(Rule):
    """A rule that reports each subject."""

    code = "TC399"
    name = "added-rule"
    error_type = ErrorType.SCHEMA_VALIDATION

    def check(self, subject: Any) -> Iterator[Diagnostic]:
        yield self.diagnostic(_place_of(subject, self.scope), f"A rule of scope {self.scope.value} was asked.")


def _place_of(subject: Any, scope: Scope) -> Span:
    if scope is Scope.CALL:
        return Span(*subject.call.tool_span)
    if scope is Scope.SYNTAX:
        return Span(*subject.problem.span)
    if scope is Scope.TOOLS:
        return Span(*subject.at(subject.definition.path))
    return Span(0, 1)


def rule(scope: Scope, severity: Severity = Severity.WARNING, fast_path: FastPath | None = None) -> type[Rule]:
    """Return a rule of that scope and severity; without `fast_path` it says nothing about fast paths."""
    stated: dict[str, Any] = {"scope": scope, "severity": severity}
    if scope is Scope.SYNTAX:
        stated["problems"] = ("missing-comma", "trailing-comma", "unclosed-tag", "missing-closers")
    if fast_path is not None:
        stated["fast_path"] = fast_path
    return type("Added", (_Reporting,), stated)


SCOPES: Final = (Scope.SYNTAX, Scope.CALL, Scope.CONVERSATION, Scope.DOCUMENT, Scope.TOOLS)


def document(kind: str, size: int, random: Random, *, faulty: bool = True) -> tuple[str, str]:
    """Return the text of a document of a kind, about as long as `size`, with its path.

    Most of it is so plain that a fast path answers; a `faulty` one may have faults.
    """
    if kind == "tools":
        shape: list[Any] = random.choice((TOOLS, FUNCTIONS))
        return json.dumps([_renamed(random.choice(shape), number) for number in range(1 + size // 300)]), "tools.json"
    if kind == "one":
        return json.dumps(long_chat(size, random)), "chat.json"
    make = random.choice(MAKERS[:2] if kind == "list" else MAKERS)
    outcome = LineCheck(REGISTRY, Settings(), within=kind == "list")
    rows = [_plain_row(make, random, outcome)]
    while sum(map(len, rows)) < size:
        row = _plain_row(make, random, outcome)
        if row[:12] == rows[0][:12]:
            rows.append(row)
    if faulty and random.random() < 0.3:
        at = random.randrange(len(rows))
        rows[at] = (
            scratched(rows[at], random) if random.random() < 0.5 else dumped(changed(make(random), random), random)
        )
    if kind == "list":
        return f"[{', '.join(rows)}]", "chats.json"
    return "\n".join(rows) + "\n", "chats.jsonl"


def _plain_row(make: Callable[[Random], dict[str, Any]], random: Random, outcome: LineCheck) -> str:
    """Return a row that a fast path calls clean and that holds a call, if one comes soon."""
    row = ""
    for _ in range(200):
        row = json.dumps(make(random))
        if any(marker in row for marker in CALLS) and outcome.is_clean(row.encode()):
            break
    return row


def long_chat(size: int, random: Random) -> dict[str, Any]:
    """Return a clean conversation in one object."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Read them all."}]
    for number in range(1 + size // 250):
        function = {"name": "read_file", "arguments": json.dumps({"path": f"src/{random.randrange(99)}.py"})}
        call = {"id": f"call_{number}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"call_{number}", "content": "import os"})
    return {"messages": [*messages, {"role": "assistant", "content": "Done."}]}


def _renamed(definition: dict[str, Any], number: int) -> dict[str, Any]:
    own: dict[str, Any] = json.loads(json.dumps(definition))
    inner = own.get("function", own)
    inner |= {"name": f"{inner['name']}_{number}", "description": "It does what it says."}
    for parameter in inner.get("input_schema", inner.get("parameters", {})).get("properties", {}).values():
        parameter["description"] = "What it is."
    return own


def found_in(text: str, path: str, wanted: Settings) -> list[tuple[Any, ...]]:
    """Return what is found in a document, in an order that does not depend on how it is read."""
    snapshot = open_snapshot(text, path=path, registry=REGISTRY, settings=wanted)
    return sorted((each.code, *each.span, each.severity, each.message) for each in diagnostics(snapshot))


@pytest.mark.parametrize("kind", ["one", "list", "lines"])
@pytest.mark.parametrize("size", SIZES)
def test_each_call_of_a_document_is_reported(kind: str, size: int) -> None:
    text, path = document(kind, size, seeded(f"{kind} {size}"), faulty=False)
    if size == SIZES[-1] and kind != "lines":
        plain = open_snapshot(text, path=path, registry=REGISTRY, settings=Settings())
        assert plain.blocks[0].is_clean, "a fast path answers for it where no rule is added"
    with added_rules(rule(Scope.CALL)):
        snapshot = open_snapshot(text, path=path, registry=REGISTRY, settings=Settings())
        stated = [each for each in diagnostics(snapshot) if each.code == "TC399"]
        calls = [found for block in snapshot.blocks for read in block.passages for found in read.calls]
    assert len(stated) == len(calls) > 0


@pytest.mark.parametrize("kind", ["one", "list", "lines", "tools"])
@settings(deadline=None, max_examples=tries(30), suppress_health_check=[HealthCheck.too_slow])
@given(
    seed=st.integers(0, 2**32),
    size=st.sampled_from(SIZES),
    scope=st.sampled_from(SCOPES),
    severity=st.sampled_from([*Severity]),
    select=st.sampled_from([(), ("TC3",), ("TC1", "TC2")]),
)
def test_documents_are_read_with_a_rule_that_was_added(
    kind: str, seed: int, size: int, scope: Scope, severity: Severity, select: tuple[str, ...]
) -> None:
    text, path = document(kind, size, seeded(f"document {seed}"))
    wanted = Settings(select=select)
    with added_rules(rule(scope, severity)):
        found = found_in(text, path, wanted)
        with without_fast_paths():
            assert found == found_in(text, path, wanted)


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("scope", [Scope.CALL, Scope.CONVERSATION])
def test_rows_are_judged_with_a_rule_that_was_added(make: Callable[[Random], dict[str, Any]], scope: Scope) -> None:
    random = seeded("rows")
    rows = [dumped(make(random), random).encode() for _ in range(40)]
    with added_rules(rule(scope)):
        fast, judge = Rows(REGISTRY, Settings()), RowJudge(RunOptions(REGISTRY, Settings(), out=""))
        found = [[(each.code, *each.span) for each in fast.diagnostics(row)] for row in rows]
        of_corpus = [[each.rule for each in judge.diagnostics(Row(number, row))] for number, row in enumerate(rows)]
        with without_fast_paths():
            slow = Rows(REGISTRY, Settings())
            assert found == [[(each.code, *each.span) for each in slow.diagnostics(row)] for row in rows]
    assert any(code == "TC399" for row in found for code, *_ in row)
    assert any("TC399" in row for row in of_corpus)


@pytest.mark.parametrize("streamed", [True, False], ids=["line by line", "whole"])
def test_files_are_checked_with_a_rule_that_was_added(
    streamed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if streamed:
        monkeypatch.setattr(large, "LARGE", 1_000)
    monkeypatch.chdir(tmp_path)
    random = seeded("files")
    calls = {}
    for name in ("a", "b", "c"):
        rows = [dumped({"messages": chat(random)["messages"]}, random) for _ in range(60)]
        Path(f"{name}.jsonl").write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
        calls[f"{name}.jsonl"] = "".join(rows).count("tool_call_id")
    Path("tools.json").write_text(json.dumps(TOOLS), encoding="utf-8")
    with added_rules(rule(Scope.CALL)):
        main(["check", "--tools", "tools.json", "--select", "TC399", "--output-format", "json", *calls])
    stated = json.loads(capsys.readouterr().out)["diagnostics"]
    assert {name: sum(each["path"] == name for each in stated) for name in calls} == calls


def test_the_server_asks_a_rule_that_was_added(tmp_path: Path) -> None:
    (tmp_path / "tools.json").write_text(json.dumps(TOOLS), encoding="utf-8")
    (tmp_path / "callwright.toml").write_text(
        'tools = ["tools.json"]\nfiles = ["*.json"]\nselect = ["TC399"]\n', encoding="utf-8"
    )
    rows = [json.dumps(long_chat(2_000, seeded(f"row {number}"))) for number in range(60)]
    text = f"[{', '.join(rows)}]"
    uri = (tmp_path / "chats.json").as_uri()
    with added_rules(rule(Scope.CALL)), conversation() as talk:
        talk.initialize(root=tmp_path)
        talk.open(uri, text, "json")
        assert len(talk.diagnostics(uri, 1)) == text.count('"tool_call_id"')
        at = {"line": 0, "character": text.index("Read them all.")}
        talk.change(uri, 2, {"range": {"start": at, "end": at}, "text": "x"})
        assert len(talk.diagnostics(uri, 2)) == text.count('"tool_call_id"')


@pytest.mark.parametrize("chunk", [1, 7, 1_000])
def test_the_strict_parser_asks_a_rule_that_was_added(chunk: int) -> None:
    reply = 'I read it.\n<tool_call>\n{"name": "read_file", "arguments": {"path": "a"}}\n</tool_call>'
    with added_rules(rule(Scope.CALL, Severity.ERROR)):
        parser = StrictParser(tools=TOOLS, dialect="hermes")
        stream = parser.stream()
        for at in range(0, len(reply), chunk):
            stream.feed(reply[at : at + chunk])
        for calls, error in (parser.parse(reply), stream.finish()):
            assert not calls
            assert error is not None
            assert [each.code for each in error.diagnostics] == ["TC399"]
    assert StrictParser(tools=TOOLS, dialect="hermes").parse(reply).calls


@pytest.mark.parametrize("level", [FastPath.NEEDS_FAULT, FastPath.PLAIN])
def test_fast_paths_answer_for_a_rule_that_states_so(level: FastPath) -> None:
    with added_rules(rule(Scope.CALL, fast_path=level), rule(Scope.TOOLS, fast_path=level)):
        assert may_answer(Settings(), IN_TEXTS | IN_TOOL_FILES)


@pytest.mark.parametrize(
    "off",
    [
        Settings(ignore=("TC399",)),
        Settings(ignore=("added-rule",)),
        Settings(select=("TC1",)),
        Settings(severity={"TC3": "off"}),
    ],
)
def test_a_rule_that_is_off_switches_nothing_off(off: Settings) -> None:
    with added_rules(rule(Scope.CALL)):
        assert not may_answer(Settings(), IN_TEXTS)
        assert may_answer(Settings(), IN_TOOL_FILES)
        assert may_answer(off, IN_TEXTS)


def test_fast_paths_answer_for_every_rule_of_the_package() -> None:
    in_reach = [each for each in all_rules() if each.scope.value in IN_TEXTS | IN_TOOL_FILES]
    assert {each.fast_path for each in in_reach} == {FastPath.NEEDS_FAULT, FastPath.PLAIN}
    assert may_answer(Settings(), IN_TEXTS | IN_TOOL_FILES)
