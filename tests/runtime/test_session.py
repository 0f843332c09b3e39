"""Sessions: one file that is read back equal, and in which `callwright check` finds what the runtime rejected."""

from __future__ import annotations

import copy
import json
import pickle
import re
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from callwright.api import Call
from callwright.cli.main import main
from callwright.document.settings import Settings
from callwright.document.snapshot import Snapshot
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.runtime import ErrorType, FeedbackLoop, Limits, ParseError, StrictParser, StrictToolManager, Strikes
from callwright.runtime.log import LogEvent
from callwright.runtime.session import Session, SessionError
from callwright.text.span import Edit, Span
from callwright.tools.registry import EMPTY, ToolRegistry
from callwright.tools.shipped import schemas_folder
from support.sampling import sampled, tries

TOOLS: list[dict[str, Any]] = [
    {
        "name": "read_file",
        "description": "Read a file.",
        "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
        "outputSchema": {"type": "object"},
        "annotations": {"readOnlyHint": True},
        "examples": [{"path": "a.py"}],
        "aliases": ["cat"],
        "markup": "raw",
    },
    {"name": "go", "inputSchema": {"type": "object", "properties": {"to": {"type": "number"}}}, "deprecated": True},
]
GOOD = '<read_file>{"path": "a"}</read_file>'
REPLIES = [
    GOOD,
    "Nothing to call here.",
    "<read_file>{}</read_file>",
    'First\n<read_file>{"path": "ä😀"</read_file>\nthen <go>{"to": "x"}</go>',
    '<raed_file>{"path": "a"}</raed_file>',
    "<read_file><path>a\n</path></read_file>",
    '```json\n{"tool": "go", "arguments": {"to": 1}}}\n```',
    "<read_file>{...}</read_file>",
    '<cat>{"path": "a", "pth": 1}</cat>',
    "<think><read_file>{}</read_file></think>",
    "half \ud83d a pair <go>{\"to\": 'x'}</go>\u2028",
    "",
    "<go>{}</go>",
]
FENCE = re.compile(r"^(`{3,})source([^\n]*)\n(.*?)^\1$", re.DOTALL | re.MULTILINE)
DIALECTS = Path(__file__).parents[1] / "dialects"
CORPUS = [
    match[3].removesuffix("\n")
    for file in sorted(DIALECTS.glob("*/*.md"))
    for match in FENCE.finditer(file.read_text(encoding="utf-8"))
]


def session_of(parser: StrictParser, replies: list[str], history: list[dict[str, Any]] | None = None) -> Session:
    """A session as a loop would have collected it."""
    session = Session.begin(parser, history or [{"role": "user", "content": "Write <go>{...}</go>, say."}])
    for turn, reply in enumerate(replies, 1):
        calls, error = parser.parse(reply)
        session(LogEvent("model_reply", {"turn": turn, "text": reply}))
        if error is not None:
            session(LogEvent.of_error(error, turn=turn, strikes=parser.strikes, feedback=f"{error.type}: {reply}"))
        for number, call in enumerate(calls, 1):
            session(LogEvent.of_call("tool_result", call, turn=turn, number=number, ok=True, value=reply))
            session.messages.append({"role": "user", "content": f"<go>{{}} {reply}"})
    return session


def checked(path: Path, registry: ToolRegistry = EMPTY, given: Settings | None = None) -> Snapshot:
    return open_snapshot(path.read_bytes().decode(), path=path.name, registry=registry, settings=given or Settings())


def stated_by(parser: StrictParser, replies: list[str]) -> list[tuple[int, ParseError]]:
    again = StrictParser(tools=parser.registry, dialect=parser.dialects)
    errors = [(turn, again.parse(reply).error) for turn, reply in enumerate(replies, 1)]
    return [(turn, error) for turn, error in errors if error is not None]


def found_in(snapshot: Snapshot) -> Counter[tuple[str, str, Span]]:
    """What the check says: the code, the message, the place in the file."""
    return Counter(
        (each.code, each.message, each.span)
        for each in diagnostics(snapshot)
        if each.error_type is not None and each.severity in ("error", "warning") and each.code != "TC714"
    )


def expected_in(
    snapshot: Snapshot, replies: list[str], errors: list[tuple[int, ParseError]]
) -> Counter[tuple[str, str, Span]]:
    """What the runtime reported: the code, the message, and the place of each diagnostic's characters in the file."""
    (block,) = snapshot.blocks
    turns = [turn for part in block.transcripts for turn in part.turns if turn.texts]
    assert [turn.texts[0].value for turn in turns] == replies
    numbers = {id(turn): number for number, turn in enumerate(turns, 1)}
    projections = {
        numbers[id(read.passage.turn)]: read.passage.projection
        for read in reversed(block.passages)
        if read.passage.turn is not None
    }
    return Counter(
        (each.code, each.message, projections[turn].raw_span(each.span))
        for turn, error in errors
        for each in error.diagnostics
    )


# -- the file ----------------------------------------------------------------------------------------------------------


def test_a_session_is_read_back_equal(tmp_path: Path) -> None:
    parser = StrictParser(
        tools=TOOLS, dialect=["xml-json", "fenced-json"], markup="xml", require_call=True, strikes=Strikes(2)
    )
    session = session_of(parser, REPLIES)
    session.id = "s\u2028\ud800"
    session(LogEvent.of_call("approval", Call("go", {"to": 1}, "xml-json", Span(0, 3)), approved=False))
    session(LogEvent("stop", {"turn": 5, "reason": "cancelled", "strikes": {"count": 1, "maximum": 2}}))
    path = tmp_path / "session.json"
    session.dump(path)
    again = Session.load(path)
    assert again == session
    assert again.to_dict() == session.to_dict()
    assert (again.dialect, again.accept, again.markup, again.require_call) == (
        *("xml-json", ["fenced-json"], "xml", True),
    )
    assert (again.max_mistakes, again.history, again.strikes) == (2, 1, {"count": 1, "maximum": 2})
    assert again.stop == {"reason": "cancelled", "turn": 5}
    assert [entry["approved"] for entry in again.approvals] == [False]
    assert next(iter(json.loads(path.read_bytes()))) == "callwright_session"
    assert not [file for file in tmp_path.iterdir() if file != path]


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()) | st.binary()
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters()), inner), max_leaves=10
)


@settings(deadline=None, max_examples=tries(50), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=VALUES, value=VALUES, ident=st.text(st.characters()))
def test_whatever_is_stated_survives(content: Any, value: Any, ident: str, tmp_path: Path) -> None:
    parser = StrictParser(tools=TOOLS, dialect="xml-json")
    session = Session.begin(parser, [{"role": "user", "content": content}], id=None)
    session(LogEvent.of_call("tool_result", Call("go", {"to": value}, "xml-json", Span(0, 3)), value=value, ok=True))
    session(LogEvent("model_reply", {"text": ident}))
    path = tmp_path / "session.json"
    session.dump(path)
    assert Session.load(path) == session


def test_huge_messages_and_binary_results_survive(tmp_path: Path) -> None:
    parser = StrictParser(tools=TOOLS, dialect="xml-json")
    session = Session.begin(parser, [{"role": "user", "content": "ä" * 5_000_000}])
    session(LogEvent.of_call("tool_result", Call("go", {}, "xml-json", Span(0, 3)), value=bytes(range(256)) * 1000))
    path = tmp_path / "session.json"
    session.dump(path)
    assert Session.load(path) == session
    assert session.calls[0]["value"].startswith("data:application/octet-stream;base64,AAECAw")


def test_a_dump_replaces_a_file_as_a_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "session.json"
    session = Session(dialect="xml-json")
    session.dump(path)
    before = path.read_bytes()
    session.messages.append({"role": "user", "content": "more"})

    def refuse(self: Path, target: Any) -> None:
        raise PermissionError(13, "no", str(target))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", refuse)
        with pytest.raises(PermissionError):
            session.dump(path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["session.json"]
    session.dump(str(path))
    assert Session.load(str(path)) == session


def test_a_dump_fits_the_schema_that_is_published(tmp_path: Path) -> None:
    schema = json.loads((schemas_folder() / "session.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    parser = StrictParser(tools=TOOLS, dialect=["xml-json", "fenced-json"], strikes=Strikes(1))
    full = session_of(parser, REPLIES)
    full(LogEvent.of_call("approval", Call("go", {"to": 1}, "xml-json", Span(0, 3)), approved=True, turn=1))
    full(LogEvent.of_call("tool_call", Call(None, {}, "xml-json", Span(0, 3)), turn=1, number=1))
    full(LogEvent("stop", {"turn": 0, "reason": "cancelled"}))
    assert {error["final"] for error in full.errors} == {True, False}
    for session in (full, Session(), Session.begin(parser)):
        validator.validate(session.to_dict())
    types = schema["properties"]["errors"]["items"]["properties"]["type"]["enum"]
    assert sorted(types) == sorted(ErrorType)
    assert set(schema["properties"]) == set(full.to_dict())
    assert set(schema["properties"]["callwright_session"]["properties"]) == set(full.to_dict()["callwright_session"])


def test_threads_may_report_one_session() -> None:
    session = Session(dialect="xml-json")

    def report() -> None:
        for number in range(300):
            session(LogEvent.of_call("tool_result", Call("go", {"to": number}, "xml-json", Span(0, 3)), ok=True))

    threads = [threading.Thread(target=report) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Counter(call["arguments"]["to"] for call in session.calls) == dict.fromkeys(range(300), 4)


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        (b"", "it is not JSON: Expecting value: line 1 column 1"),
        (b'{"callwright_session": ', "it is not JSON: Expecting value: line 1 column 24"),
        (b"\xff{}", "it is not UTF-8: byte 0 is invalid"),
        (b"[" * 100_000, "it is nested too deeply"),
        (b"[]", "a session must be an object"),
        (b'{"messages": []}', "this is not a dump of a session: it has no object `callwright_session`"),
        (b'{"callwright_session": {}}', "`callwright_session.version` must be a whole number of 1 or more"),
        (b'{"callwright_session": {"version": true}}', "`callwright_session.version` must be a whole number"),
        (b'{"callwright_session": {"version": 2}}', "this session has the form 2, and this version of Callwright"),
        (b'{"callwright_session": {"version": 1, "dialect": 3}}', "`callwright_session.dialect` must be a string"),
        (b'{"callwright_session": {"version": 1, "accept": [1]}}', "`callwright_session.accept` must be a list of"),
        (b'{"callwright_session": {"version": 1, "history": -1}}', "`callwright_session.history` must be a whole"),
        (b'{"callwright_session": {"version": 1, "limits": {"max_call": 0}}}', "`callwright_session.limits` must each"),
        (b'{"callwright_session": {"version": 1, "limits": 3}}', "`callwright_session.limits` must be an object"),
        (b'{"callwright_session": {"version": 1}, "messages": [3]}', "`messages` must be a list of objects"),
        (b'{"callwright_session": {"version": 1}, "strikes": []}', "`strikes` must be an object or null"),
        (b'{"callwright_session": {"version": 1}, "id": 1}', "`id` must be a string or null"),
    ],
)  # fmt: skip
def test_what_is_no_dump_is_refused_with_the_reason(text: bytes, stated: str, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(text)
    with pytest.raises(SessionError) as caught:
        Session.load(path)
    assert str(caught.value).startswith(f"{path}: {stated}")


def test_a_file_that_is_not_there_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Session.load(tmp_path / "nowhere.json")


def test_the_tools_of_a_dump_are_those_that_were_offered() -> None:
    parser = StrictParser(tools=TOOLS, dialect="xml-json")
    session = Session.begin(parser)
    again = ToolRegistry.of(session.tools)
    assert not again.problems
    for one, two in zip(parser.registry, again, strict=True):
        assert (one.name, one.description, one.input_schema, one.output_schema) == (
            *(two.name, two.description, two.input_schema, two.output_schema),
        )
        assert (one.aliases, one.deprecated, one.markup, one.examples, one.annotations) == (
            *(two.aliases, two.deprecated, two.markup, two.examples, two.annotations),
        )


# -- the session of a run ----------------------------------------------------------------------------------------------


def test_a_session_without_a_log_is_the_one_that_a_log_collects() -> None:
    from callwright.runtime.loop import FeedbackLoop
    from callwright.runtime.tools.base import ToolResult

    class Runner:
        def run(self, call: Call) -> ToolResult:
            return ToolResult(call, ok="to" in call.arguments, value={"came": call.tool})

        async def arun(self, call: Call) -> ToolResult:
            return self.run(call)

    replies = iter(['<go>{"to": "x"}</go>', '<go>{"to": 1}</go><go>{}</go>', "<gon>{}</gon>", "Done."])
    parser = StrictParser(tools=TOOLS, dialect="xml-json")
    history = [{"role": "user", "content": "Go."}, {"role": "assistant", "content": "<go>1</go>"}]
    history.append({"role": "user", "content": "Again."})
    strikes = Strikes()
    session = Session.begin(parser, history, strikes=strikes)
    loop = FeedbackLoop(model=lambda _: next(replies), parser=parser, manager=Runner(), strikes=strikes, log=session)
    result = loop.run(history)
    session.messages = result.messages
    assert result.stop == "answer"
    assert Session.of(parser, result).to_dict() == session.to_dict()
    assert [(error["turn"], error["type"], error["final"]) for error in session.errors] == [
        (1, "SCHEMA_VALIDATION", False),
        (3, "UNKNOWN_TOOL", False),
    ]
    assert [(call["turn"], call["number"], call["ok"]) for call in session.calls] == [(2, 1, True), (2, 2, False)]
    assert session.history == 3


# -- what the check finds ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dialects", [["xml-json"], ["xml-json", "fenced-json"], ["xml-children"], ["fenced-json"]])
@pytest.mark.parametrize("markup", [None, "xml"])
def test_a_check_finds_what_the_runtime_rejected_at_the_same_places(
    dialects: list[str], markup: str | None, tmp_path: Path
) -> None:
    parser = StrictParser(tools=TOOLS, dialect=dialects, markup=markup)
    session = session_of(parser, REPLIES)
    path = tmp_path / "session.json"
    session.dump(path)
    # The project asks for something else altogether.
    other = ToolRegistry.of([{"name": "other", "inputSchema": {"type": "object"}}])
    snapshot = checked(path, other, Settings(dialect="invoke", max_mistakes=1, markup="raw"))
    errors = stated_by(parser, REPLIES)
    expected = expected_in(snapshot, REPLIES, errors)
    assert found_in(snapshot) == expected
    assert expected
    assert [(each["turn"], each["type"]) for each in session.errors] == [(turn, error.type) for turn, error in errors]


def test_a_session_without_a_log_keeps_to_the_limits_of_its_parser() -> None:
    parser = StrictParser(tools=TOOLS, dialect="xml-json", limits=Limits(max_calls=1))
    replies = iter([GOOD + GOOD, GOOD, "Done."])
    tools = StrictToolManager([Reader()])
    result = FeedbackLoop(model=lambda _: next(replies), parser=parser, manager=tools).run(
        [{"role": "user", "content": "Go."}]
    )
    session = Session.of(parser, result)
    assert [(error["turn"], error["type"]) for error in session.errors] == [(1, "MALFORMED_JSON")]
    assert [(call["turn"], call["value"]) for call in session.calls] == [(2, {"text": "a"})]


class Reader:
    """A tool that gives back the path that it is to read."""

    name = "read_file"
    schema = TOOLS[0]["inputSchema"]

    def validate(self, params: Any) -> None:
        assert params["path"]

    def execute(self, params: Any) -> Any:
        return {"text": params["path"]}


@pytest.mark.parametrize("tags", [False, True])
def test_a_check_finds_what_was_rejected_for_its_size(tags: bool, tmp_path: Path) -> None:
    def go(value: str) -> str:
        return f"<go><to>{value}</to></go>" if tags else f'<go>{{"to": {value}}}</go>'

    limits = Limits(max_text=60, max_calls=1, max_depth=3, max_call=40)
    parser = StrictParser(
        tools=TOOLS, dialect="xml-children" if tags else "xml-json", limits=limits, strikes=Strikes(9)
    )
    replies = [go("1"), go("1") + go("2"), go("[[[[1]]]]"), go("1" * 40), f"Well. {'x' * 60}", go("2")]
    session = session_of(parser, replies)
    assert session.limits == {"max_text": 60, "max_call": 40, "max_depth": 3, "max_calls": 1}
    path = tmp_path / "session.json"
    session.dump(path)
    assert Session.load(path) == session
    found = [each for each in diagnostics(checked(path)) if each.code == "TC715"]
    assert [(each.error_type, each.message) for each in found] == [
        (error["type"], error["message"]) for error in session.errors
    ]
    assert [error["turn"] for error in session.errors] == [2, 3, 4, 5]


def codes_of(snapshot: Snapshot) -> list[str]:
    """The codes of what is found in the conversation, not in its tools."""
    return [each.code for each in diagnostics(snapshot) if each.code.startswith("TC7")]


def test_replies_that_were_too_large_are_mistakes_in_a_row(tmp_path: Path) -> None:
    parser = StrictParser(tools=TOOLS, dialect="xml-json", limits=Limits(max_calls=1), strikes=Strikes(1))
    session = session_of(parser, ["<go>{}</go>" * 2, "<go>{}</go>" * 2, "<go>{}</go>"])
    session.dump(tmp_path / "session.json")
    assert codes_of(checked(tmp_path / "session.json")) == ["TC715", "TC714", "TC715"]


def test_bounds_hold_wherever_the_session_is_edited(tmp_path: Path) -> None:
    parser = StrictParser(tools=TOOLS, dialect="xml-json", limits=Limits(max_calls=1))
    session_of(parser, ["<go>{}</go>" * 2]).dump(tmp_path / "session.json")
    snapshot = checked(tmp_path / "session.json")
    assert codes_of(snapshot) == ["TC715"]
    at = snapshot.document.slice(0, len(snapshot.document)).index('"max_calls": 1') + len('"max_calls": ')
    after = snapshot.edit([Edit(Span(at, at + 1), "2")])
    assert codes_of(after) == []


def test_a_session_can_be_copied_and_sent_to_another_process() -> None:
    session = Session(id="one", messages=[{"role": "user", "content": "Go."}])
    for copied in (copy.deepcopy(session), pickle.loads(pickle.dumps(session))):  # noqa: S301  # our own bytes
        assert copied == session
        copied(LogEvent("model_reply", {"text": "Done."}))
        assert copied.messages[-1] == {"role": "assistant", "content": "Done."}
    assert copy.deepcopy(session).messages is not session.messages


def test_in_every_dialect_a_check_finds_what_the_runtime_rejected(tmp_path: Path) -> None:
    from callwright.dialects.catalogue import dialect_names

    tools = json.loads((Path(__file__).parents[1] / "rules" / "tools.json").read_text(encoding="utf-8"))
    replies = [reply for reply in CORPUS if reply.strip()]
    for index, dialect in sampled(enumerate(dialect_names()), keep=12):
        parser = StrictParser(tools=tools, dialect=dialect)
        own = replies[index :: len(dialect_names())]
        session = session_of(parser, own)
        path = tmp_path / f"{dialect}.json"
        session.dump(path)
        snapshot = checked(path)
        assert found_in(snapshot) == expected_in(snapshot, own, stated_by(parser, own)), dialect


@settings(deadline=None, max_examples=tries(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(replies=st.lists(st.sampled_from(REPLIES), min_size=1, max_size=10), maximum=st.integers(1, 4))
def test_a_check_finds_too_many_mistakes_where_the_runtime_did(
    replies: list[str], maximum: int, tmp_path: Path
) -> None:
    session = session_of(StrictParser(tools=TOOLS, dialect="xml-json", strikes=Strikes(maximum)), replies)
    path = tmp_path / "session.json"
    session.dump(path)
    found = [each for each in diagnostics(checked(path)) if each.code == "TC714"]
    assert len(found) == sum(error["final"] for error in session.errors)


def test_a_session_is_checked_from_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    parser = StrictParser(tools=TOOLS, dialect="xml-json", strikes=Strikes())
    session_of(parser, [GOOD, "Done."]).dump("good.json")
    session_of(parser, [GOOD, "<read_file>{}</read_file>"]).dump("bad.json")
    assert main(["check", "good.json"]) == 0
    assert main(["check", "bad.json", "--output-format", "json"]) == 1
    out = capsys.readouterr().out
    assert [code for code in ("TC302", "TC401", "TC714") if code in out] == ["TC302"]


def test_an_edit_of_its_head_makes_a_session_or_none(tmp_path: Path) -> None:
    path = tmp_path / "session.json"
    session_of(StrictParser(tools=TOOLS, dialect="xml-json"), ["<read_file><path>a</path></read_file>"]).dump(path)
    snapshot = checked(path)
    assert [each.code for each in diagnostics(snapshot)] == ["TC401"]
    at = snapshot.document.text().index("callwright_session")
    without = snapshot.edit([Edit(Span(at, at + 1), "k")])
    assert "TC401" not in [each.code for each in diagnostics(without)]
    again = without.edit([Edit(Span(at, at + 1), "c")])
    assert [each.code for each in diagnostics(again)] == ["TC401"]
    assert again.settings == snapshot.settings
    assert without.settings == Settings()


def test_a_session_made_without_a_parser_knows_how_the_loop_read(tmp_path: Path) -> None:
    replies = iter(['<tool_call>{"name": "made_up", "arguments": {}}</tool_call>', "Done."])
    parser = StrictParser(tools=[{"name": "read_file", "inputSchema": {"type": "object"}}], dialect="hermes")
    session, events = Session(), list[Any]()
    loop = FeedbackLoop(model=lambda _: next(replies), parser=parser, session=session, log=events.append)
    loop.run([{"role": "user", "content": "Go."}])
    session.dump(tmp_path / "session.json")
    again = Session.load(tmp_path / "session.json")
    assert (again.dialect, [tool["name"] for tool in again.tools]) == ("hermes", ["read_file"])
    assert [error["type"] for error in again.errors] == ["UNKNOWN_TOOL"]
    # Without a clock of its own the loop uses the system's time.
    assert all(isinstance(event.at, float) for event in events)
