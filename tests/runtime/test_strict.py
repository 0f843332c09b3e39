"""The strict parser: what it gives out, what it rejects and as what."""

from __future__ import annotations

import json
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import callwright
from callwright.api import results
from callwright.dialects.catalogue import dialect_names, find_dialect
from callwright.document.reader import read_context, read_segment
from callwright.document.settings import Settings
from callwright.rules.base import ErrorType, Severity
from callwright.runtime import ParseError, StrictParser, Strikes
from callwright.tools.registry import ToolRegistry
from invariants.corpus import mutants
from invariants.texts import BROKEN_CALLS, FRAGILE_CALLS, GOOD_CALLS, PROSE, REGISTRY, documents
from support.dialects import general_names
from support.sampling import tries

READ = {
    "name": "read_file",
    "input_schema": {
        "type": "object",
        "properties": {"path": {"type": "string"}, "limit": {"type": "integer"}},
        "required": ["path"],
        "additionalProperties": False,
    },
}
LIST = {"name": "list_files", "input_schema": {"type": "object", "properties": {}}}
SOUND = '<read_file>{"path": "a.py"}</read_file>'


def parser(dialect: str | list[str] = "xml-json", *, require_call: bool = False) -> StrictParser:
    return StrictParser(tools=[READ, LIST], dialect=dialect, require_call=require_call)


def error_of(text: str, dialect: str | list[str] = "xml-json", *, require_call: bool = False) -> ParseError:
    calls, error = parser(dialect, require_call=require_call).parse(text)
    assert calls == []
    assert error is not None
    return error


# What is given out


def test_calls_come_with_typed_arguments_and_their_places() -> None:
    calls, error = parser().parse(f"I read it.\n{SOUND}\n")
    assert error is None
    assert [(call.tool, call.arguments, call.dialect, call.span) for call in calls] == [
        ("read_file", {"path": "a.py"}, "xml-json", (11, 11 + len(SOUND)))
    ]


def test_a_model_that_only_talks_has_neither_calls_nor_an_error() -> None:
    assert parser().parse("I am done: the file holds nothing of note.") == ([], None)


def test_calls_are_in_the_order_of_the_text() -> None:
    calls = parser().parse_or_raise(f"{SOUND}\n<list_files>{{}}</list_files>\n{SOUND}")
    assert [call.tool for call in calls] == ["read_file", "list_files", "read_file"]


@pytest.mark.parametrize(
    "prose",
    [
        "<thinking>Which file is it?</thinking>",
        "<b>bold</b> and `<read_file>{}</read_file>` in a code span",
        "<!-- <read_file>{}</read_file> -->",
        '<think>I might call <read_file>{"path": 1}</read_file></think>',
        "I could use read_file, or {} of Python.",
        "<answer>{x}</answer>",
        "<note>It holds **3** entries.</note>",
        '<thinking>{"path": "a.py"}</thinking>',
    ],
)
def test_prose_does_not_trip_it(prose: str) -> None:
    assert parser().parse(prose) == ([], None)
    calls, error = parser().parse(f"{prose}\n{SOUND}")
    assert ([call.tool for call in calls], error) == (["read_file"], None)


def test_one_of_several_dialects_is_as_good_as_the_other() -> None:
    both = parser(["xml-json", "xml-children"])
    assert both.dialect == "xml-json"
    (first,) = both.parse_or_raise(SOUND)
    (second,) = both.parse_or_raise("<read_file><path>a.py</path></read_file>")
    assert (first.arguments, second.arguments) == ({"path": "a.py"}, {"path": "a.py"})
    assert (first.dialect, second.dialect) == ("xml-json", "xml-children")


def test_without_tools_arguments_are_inferred() -> None:
    (call,) = StrictParser(tools=None, dialect="fenced-json").parse_or_raise(
        '```json\n{"tool": "anything", "arguments": {"a": 1}}\n```'
    )
    assert (call.tool, call.arguments) == ("anything", {"a": 1})


# What is rejected


@pytest.mark.parametrize(
    ("reply", "type_", "codes"),
    [
        ('<read_file>{"path": "a.py"}}</read_file>', "MALFORMED_JSON", ("TC201",)),
        ('<read_file>{"path": "a.py"</read_file>', "MALFORMED_JSON", ("TC202",)),
        ('<read_file>{"path": "a.py}</read_file>', "MALFORMED_JSON", ("TC204",)),
        ('<read_file>{"path": "a.py"}', "MALFORMED_XML", ("TC101",)),
        ('<read_file>{"path": "a.py"}</read_files>', "MALFORMED_XML", ("TC102",)),
        ('<raed_file>{"path": "a.py"}</raed_file>', "UNKNOWN_TOOL", ("TC301",)),
        ('<delete_file>{"path": "a.py"}</delete_file>', "UNKNOWN_TOOL", ("TC301",)),
        ("<read_file>{}</read_file>", "SCHEMA_VALIDATION", ("TC302",)),
        ('<read_file>{"path": "a.py", "mode": "r"}</read_file>', "SCHEMA_VALIDATION", ("TC303",)),
        ('<read_file>{"path": 7}</read_file>', "SCHEMA_VALIDATION", ("TC304",)),
        ('<read_file>["a.py"]</read_file>', "SCHEMA_VALIDATION", ("TC308",)),
        ('<read_file>{"path": "a", "path": "b"}</read_file>', "MALFORMED_JSON", ("TC215",)),
        ('<read_file>{"path": "a.py", ...}</read_file>', "SCHEMA_VALIDATION", ("TC312",)),
        ("<read_file>...</read_file>", "SCHEMA_VALIDATION", ("TC312",)),
        ('<tool_call>{"name": "read_file", "arguments": {"path": "a"}}</tool_call>', "NO_CALLS", ("TC401",)),
        ("<read_file><path>a.py</path></read_file>", "NO_CALLS", ("TC401",)),
        ('[read_file(path="a.py")]', "NO_XML_BLOCKS", ("TC401",)),
    ],
)
def test_each_fault_has_its_type_and_codes(reply: str, type_: str, codes: tuple[str, ...]) -> None:
    error = error_of(reply)
    assert (error.type, error.codes) == (type_, codes)
    assert all(0 <= span.start <= span.end <= len(reply) for span in error.spans)


def test_one_call_at_fault_rejects_the_whole_reply() -> None:
    error = error_of(f'{SOUND}\n<read_file>{{"path": 7}}</read_file>')
    assert error.call is not None
    assert (error.call.number, error.call.tool) == (2, "read_file")


def test_no_call_is_an_error_only_where_one_is_required() -> None:
    talk = "Let me read the file."
    assert parser().parse(talk) == ([], None)
    error = error_of(talk, require_call=True)
    assert error.type is ErrorType.NO_XML_BLOCKS
    assert error.is_of("NO_CALLS")
    assert error.is_of("NO_XML_BLOCKS")
    assert not error.is_of(ErrorType.MALFORMED_XML)


def test_a_dialect_without_tags_calls_it_by_the_general_name() -> None:
    error = error_of("Let me read the file.", "fenced-json", require_call=True)
    assert error.type is ErrorType.NO_CALLS
    assert error.is_of("NO_XML_BLOCKS")


def test_placeholders_are_values_like_any_other() -> None:
    (call,) = parser().parse_or_raise('<read_file>{"path": "File path here"}</read_file>')
    assert call.arguments == {"path": "File path here"}
    assert error_of('<read_file>{"path": "a", "limit": "..."}</read_file>').type is ErrorType.SCHEMA_VALIDATION


def test_a_call_in_quotes_is_prose() -> None:
    assert parser().parse('He wrote "<read_file>{\\"path\\": \\"a\\"}</read_file>".') == ([], None)


# What an error tells


def test_the_error_reports_what_a_caller_needs() -> None:
    error = error_of('Here:\n<read_file>{"path": 7}</read_file>')
    assert str(error) == "SCHEMA_VALIDATION: `path` must be a string, not an integer."
    assert error.details == "2:21 TC304 `path` must be a string, not an integer."
    assert error.spans == ((26, 27),)
    assert error.schema == READ["input_schema"]
    assert error.example == '<read_file>{"path": "src/main.py"}</read_file>'
    reported = json.loads(json.dumps(error.to_dict()))
    assert reported["type"] == "SCHEMA_VALIDATION"
    assert reported["diagnostics"][0]["line"] == 2


@pytest.mark.parametrize("dialect", general_names())
def test_the_example_is_taken_by_the_parser_that_rejects(dialect: str) -> None:
    error = error_of("Let me read the file.", dialect, require_call=True)
    assert error.example is not None
    (call,) = parser(dialect).parse_or_raise(error.example)
    assert call.tool == "read_file"
    format_ = find_dialect(dialect)
    assert format_ is not None
    assert error.type is (ErrorType.NO_XML_BLOCKS if format_.is_xml else ErrorType.NO_CALLS)


@pytest.mark.parametrize("written", [r"\ud800read", r"re\u202ead", r"re\u001b[31mad", "re\u202ead"])
def test_the_texts_of_an_error_can_be_written_anywhere(written: str) -> None:
    texts = (
        SOUND.replace("read_file", written),
        f'<tool_call>{{"name": "{written}", "arguments": {{}}}}</tool_call>',
        f'<read_file>{{"path": "a", "{written}": 1}}</read_file>',
    )
    errors = [error for text in texts if (error := parser("hermes").parse(text).error) is not None]
    assert errors
    for error in errors:
        data = error.to_dict()
        shown = (str(error), error.message, error.details, *(each["message"] for each in data["diagnostics"]))
        assert all(line.isprintable() for text in shown for line in text.split("\n")), shown


def test_an_error_can_be_raised_and_sent_to_another_process() -> None:
    with pytest.raises(ParseError) as caught:
        parser().parse_or_raise('<read_file>{"path": 7}</read_file>')
    again = pickle.loads(pickle.dumps(caught.value))  # noqa: S301  # what we have just written
    assert again.to_dict() == caught.value.to_dict()


@pytest.mark.parametrize("dialect", ["yml", "", []])
def test_a_dialect_that_is_not_there_is_refused(dialect: str | list[str]) -> None:
    with pytest.raises(ValueError, match="dialect"):
        StrictParser(tools=[READ], dialect=dialect)


# Strikes inside the parser


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ('{"text": ...}', "The value of `text` is a placeholder. Write the actual value."),
        ('{"count": …}', "The value of `count` is a placeholder. Write the actual value."),
        ('{"either": {"a": ...}}', "The value of `either.a` is a placeholder. Write the actual value."),
        ('{"fixed": {"x": ...}}', "The value of `fixed.x` is a placeholder. Write the actual value."),
        ('{"few": [..., 3]}', "`...` means omitted parts of `few`. Write it in full."),
    ],
)
def test_where_a_placeholder_is_only_the_placeholder_is_reported(arguments: str, message: str) -> None:
    variants = [{"type": "object", "properties": {"a": {"type": "string"}}}, {"type": "integer"}]
    properties = {
        "text": {"type": "string"},
        "count": {"type": "integer", "minimum": 1},
        "either": {"anyOf": variants},
        "fixed": {"const": {"x": 1}},
        "few": {"enum": [[1], [2]]},
    }
    tool = {"name": "set", "input_schema": {"type": "object", "properties": properties}}
    error = StrictParser(tools=[tool], dialect="xml-json").parse(f"<set>{arguments}</set>").error
    assert error is not None
    assert [each.message for each in error.diagnostics] == [message]


@pytest.mark.parametrize("reply", [None, b"text", 7])
def test_a_reply_that_is_no_text_is_refused(reply: Any) -> None:
    parser = StrictParser(tools=REGISTRY, dialect="xml-json")
    with pytest.raises(TypeError, match="the reply is a `"):
        parser.parse(reply)


@pytest.mark.parametrize("dialect", [None, 5, b"hermes", ["hermes", None]])
def test_a_dialect_that_is_no_name_is_refused(dialect: Any) -> None:
    with pytest.raises(TypeError, match="`dialect` must be the name of a dialect, or a list of names"):
        StrictParser(tools=REGISTRY, dialect=dialect)


@pytest.mark.parametrize(("option", "value"), [("limits", None), ("limits", 5), ("strikes", 3)])
def test_an_option_of_another_kind_is_refused_at_once(option: str, value: Any) -> None:
    options: dict[str, Any] = {option: value}
    with pytest.raises(TypeError, match=f"`{option}` is a `{type(value).__name__}`: pass "):
        StrictParser(tools=REGISTRY, dialect="xml-json", **options)


@pytest.mark.parametrize("option", ["markup", "reasoning"])
def test_an_option_that_is_not_there_is_refused(option: str) -> None:
    with pytest.raises(ValueError, match=f"`{option}` is 'html'"):
        StrictParser(tools=REGISTRY, dialect="xml-json", **{option: "html"})  # type: ignore[arg-type]


def test_the_parser_counts_strikes_where_it_is_given_some() -> None:
    strikes = Strikes()
    strict = StrictParser(tools=[READ], dialect="xml-json", strikes=strikes)
    bad = "<read_file>{}</read_file>"
    types = [strict.parse(bad).error for _ in range(4)]
    assert [error.type.value for error in types if error] == [*["SCHEMA_VALIDATION"] * 3, "MAX_MISTAKES"]
    last = types[-1]
    assert last is not None
    assert last.cause is not None
    assert last.cause.type is ErrorType.SCHEMA_VALIDATION
    assert strict.parse(SOUND).error is None
    assert strikes.count == 0


def test_talk_neither_counts_nor_resets() -> None:
    strikes = Strikes()
    strict = StrictParser(tools=[READ], dialect="xml-json", strikes=strikes)
    strict.parse("<read_file>{}</read_file>")
    strict.parse("Just talk.")
    assert strikes.count == 1


def test_many_threads_may_share_a_parser() -> None:
    strict = parser()
    replies = [SOUND, "<read_file>{}</read_file>", "talk"] * 50
    alone = [strict.parse(reply) for reply in replies]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(strict.parse, replies))
    assert [result.calls for result in together] == [result.calls for result in alone]
    assert [str(result.error) for result in together] == [str(result.error) for result in alone]


# The invariants


def judged(text: str, tools: ToolRegistry, dialect: str) -> tuple[list[callwright.Call], bool]:
    """Return the calls of a text, and whether any rule with an error type speaks of it: the long way."""
    closed = ToolRegistry(tools.tools)
    strict = Settings(dialect=dialect, strict=True, placeholders=False)
    segment = read_segment(text, read_context(closed, strict))
    first = next(results(text, segment, closed, strict))
    rejected = any(
        each.error_type is not None and each.severity in (Severity.ERROR, Severity.WARNING)
        for each in first.diagnostics
    )
    return sorted((call for _, call in first.calls), key=lambda call: call.span), rejected


def assert_strict(text: str, tools: ToolRegistry, dialect: str) -> None:
    calls, error = StrictParser(tools=tools, dialect=dialect).parse(text)
    wanted, rejected = judged(text, tools, dialect)
    assert (error is not None) == rejected, (text, error)
    assert calls == ([] if rejected else wanted), text
    if error is not None:
        assert error.type in ErrorType
        assert error.diagnostics


@pytest.mark.parametrize("dialect", dialect_names())
def test_what_is_given_out_is_what_no_rule_objects_to(dialect: str) -> None:
    for text in [*GOOD_CALLS, *BROKEN_CALLS, *FRAGILE_CALLS, *PROSE]:
        assert_strict(text, REGISTRY, dialect)


@settings(max_examples=tries(300), deadline=None)
@given(text=documents(most=4), dialect=st.sampled_from(dialect_names()))
def test_of_any_text(text: str, dialect: str) -> None:
    assert_strict(text, REGISTRY, dialect)


@pytest.mark.parametrize("batch", range(4))
def test_of_mutations_of_every_format(batch: int) -> None:
    for mutant in mutants(batch, 100, "strict"):
        assert_strict(mutant.text, mutant.tools, mutant.dialect or "xml-json")
