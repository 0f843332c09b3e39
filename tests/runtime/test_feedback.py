"""Feedback: what a model gets for a rejected reply, how long it is, and that nothing in it is read as a call."""

import dataclasses
import json
import pickle
import re
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import callwright
from callwright.dialects.catalogue import dialect_names, find_dialect
from callwright.document.settings import Settings
from callwright.lint.linter import diagnostics
from callwright.lint.opening import open_snapshot
from callwright.runtime import ErrorType, FailedCall, Feedback, Limits, ParseError, StrictParser, Strikes, Words
from callwright.runtime.correction import correction_of
from callwright.runtime.examples import example_call
from callwright.runtime.feedback import DEFAULT
from callwright.runtime.feedback_texts import ENGLISH
from callwright.runtime.rejection import Rejection
from callwright.text.span import Span
from callwright.tools.registry import ToolRegistry
from support.cases import Case, Fence, Producer, load_cases
from support.dialects import general_names
from support.engine import registry_named, registry_of
from support.sampling import tries

CASES: Final = load_cases(Path(__file__).parent / "feedback")
TOOLS: Final = registry_named("examples")
EXTRA: Final = '```json\n{"tool": "run_code", "arguments": {"code": "print(1)"}}}}\n```'
#: Pieces of which replies are made: what opens, closes and breaks calls of many dialects.
PIECES: Final = (
    *("{", "}", "[", "]", '"', "'", ",", ":", "`", "```", "```json\n", "~~~", "\n", "\r\n", "\t", "<", ">", "&", "\\"),
    *(
        "<tool_call>",
        "</tool_call>",
        "<read_file>",
        "</read_file>",
        "<path>",
        "</path>",
        "<raed_file>",
        "<function=",
        "…",
    ),
    *(
        '{"name": "read_file", "arguments": {"path": "a"}}',
        '{"tool": "run_code", "arguments": {"code": ',
        "<![CDATA[",
        "]]>",
    ),
    *(
        '<invoke name="run_code">',
        '<parameter name="code">',
        "</parameter>",
        "</invoke>",
        "Action: read_file\n",
        "INPUT: ",
    ),
    *(
        "[TOOL_CALLS]",
        "<|tool_call|>",
        "TOOL_CALL: run_code\n",
        "Action Input: {}",
        "[read_file(path='a')]",
        "<!--",
        "-->",
    ),
    *(
        "\x00",
        "\x1b",
        "\u202e",
        "\ud800",
        "\ufdd0",
        "日本",
        "é",
        "🙂",
        "\u2028",
        "<think>",
        "</think>",
        "1",
        "null",
        "path",
    ),
)


def error_of(text: str, dialect: str = "fenced-json", **options: Any) -> ParseError:
    tools = options.pop("tools", TOOLS)
    error = StrictParser(tools=tools, dialect=dialect, **options).parse(text).error
    assert error is not None
    return error


# -- cases -------------------------------------------------------------------------------------------------------------


def message_of(case: Case, fence: Fence) -> str:
    del fence
    words = case.info
    parser = StrictParser(tools=registry_of(case), dialect=words["dialect"], require_call="require" in words)
    error = parser.parse(case.source).error
    if error is None:
        return "(nothing)"
    feedback = Feedback(limit=int(words.get("limit", "2000")))
    return feedback(error, cut_off="cut" in words)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_cases(case: Case, check_case: Callable[[Case, dict[str, Producer]], None]) -> None:
    check_case(case, {"message": message_of})


def in_turns(message: str, tools: ToolRegistry) -> list[str]:
    """Return the codes of what is found in a conversation in which the user says `message`."""
    turns = [{"role": "user", "content": message}, {"role": "assistant", "content": "Very well."}]
    snapshot = open_snapshot(json.dumps(turns), path="chat.json", registry=tools, settings=Settings())
    return [each.code for each in diagnostics(snapshot)]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_what_is_reported_in_a_case_is_no_call_but_for_what_it_shows(case: Case) -> None:
    message, tools = message_of(case, case.expected[0]), registry_of(case)
    assert in_turns(message, tools) == []
    shown = re.search(
        r"^(?:Your calls?, corrected|For example .*):\n\n(.*?)(?:\n\n[A-Z].*)?\Z", message, re.DOTALL | re.MULTILINE
    )
    wanted = callwright.parse(shown[1], tools=tools).calls if shown is not None else []
    assert [(call.tool, call.arguments) for call in callwright.parse(message, tools=tools).calls] == [
        (call.tool, call.arguments) for call in wanted
    ]


# -- any reply, any room -----------------------------------------------------------------------------------------------


@st.composite
def replies(draw: st.DrawFn) -> tuple[str, str]:
    """Return a reply and the dialect that is asked for: pieces, or a sound call with pieces put into it."""
    name = draw(st.sampled_from(dialect_names()))
    pieces = draw(st.lists(st.sampled_from(PIECES), max_size=12))
    if draw(st.booleans()):
        return "".join(pieces), name
    from callwright.runtime.examples import example_call

    call = example_call(name, TOOLS, draw(st.sampled_from(TOOLS.tools))) or ""
    for piece in pieces[:3]:
        at = draw(st.integers(0, len(call)))
        call = call[:at] + piece + call[at + draw(st.integers(0, 4)) :]
    return call, name


@settings(deadline=None, max_examples=tries(150))
@given(replies(), st.sampled_from((200, 201, 260, 400, 700, 2000, 10_000)), st.booleans())
def test_any_message_is_within_its_limit_reported_again_the_same_and_no_call(
    reply: tuple[str, str], limit: int, cut_off: bool
) -> None:
    text, dialect = reply
    error = StrictParser(tools=TOOLS, dialect=dialect, require_call=True).parse(text).error
    assume(error is not None)
    assert error is not None
    message = Feedback(limit=limit)(error, cut_off=cut_off)
    assert 40 < len(message) <= limit
    assert message == Feedback(limit=limit)(error, cut_off=cut_off)
    assert message == Feedback(limit=limit)(pickle.loads(pickle.dumps(error)), cut_off=cut_off)  # noqa: S301 - our own
    assert message.startswith("⚠️ Tool Call ")
    assert not message.endswith("\n")
    message.encode()
    without_sample = Feedback(limit=limit, example=False)(error)
    assert callwright.parse(without_sample, tools=TOOLS) == callwright.parse("", tools=TOOLS)
    found = callwright.parse(message, tools=TOOLS)
    assert [each for each in found.diagnostics if each.error_type is not None] == []
    assert in_turns(message, TOOLS) == [each.code for each in found.diagnostics]


WORDS: Final = st.lists(st.sampled_from((*PIECES, "a", "b_c", "name")), min_size=1, max_size=4).map("".join)
SCHEMAS: Final = st.one_of(
    st.sampled_from(({"type": "string"}, {"type": "integer"}, {"type": "array", "items": {"type": "string"}})),
    st.lists(WORDS, min_size=1, max_size=2, unique=True).map(lambda values: {"enum": values}),
)


@settings(deadline=None, max_examples=tries(100))
@given(
    st.lists(st.tuples(WORDS, st.dictionaries(WORDS, SCHEMAS, max_size=3)), min_size=1, max_size=3),
    st.sampled_from(dialect_names()),
    WORDS,
    st.sampled_from((200, 500, 2000)),
)
def test_no_word_of_a_tool_is_read_as_a_call(
    tools: list[tuple[str, dict[str, Any]]], dialect: str, reply: str, limit: int
) -> None:
    registry = ToolRegistry.of(
        [
            {
                "name": name,
                "description": name,
                "input_schema": {"type": "object", "properties": members, "additionalProperties": False},
            }
            for name, members in tools
        ]
    ).without_problems()
    written = example_call(dialect, registry) or ""
    for text in (reply, written.replace("a", reply, 1), written + reply):
        error = StrictParser(tools=registry, dialect=dialect, require_call=True).parse(text).error
        if error is None:
            continue
        message = Feedback(limit=limit)(error)
        assert 30 < len(message) <= limit
        message.encode()
        assert [each for each in callwright.parse(message, tools=registry).diagnostics if each.error_type] == []
        alone = Feedback(limit=limit, example=False)(error)
        assert callwright.parse(alone, tools=registry) == callwright.parse("", tools=registry)


@pytest.mark.parametrize("dialect", general_names())
def test_a_correction_is_what_the_strict_parser_takes(dialect: str) -> None:
    parser = StrictParser(tools=TOOLS, dialect=dialect)
    sound = example_call(dialect, TOOLS, TOOLS.get("read_file")[0])
    assert sound is not None
    (meant,), _ = parser.parse(sound)
    corrected = 0
    for at in range(0, len(sound), 8):
        for syntax_error in (sound[:at] + sound[at + 1 :], sound[:at] + sound[at] + sound[at:]):
            error = parser.parse(syntax_error).error
            correction = correction_of(error) if error is not None else None
            if error is None or correction is None:
                continue
            assert parser.parse(correction.text).error is None
            shown = correction.shown(range(1, len(correction.calls) + 1))
            if shown is None:
                # What the dialect cannot write is not shown.
                assert "corrected" not in DEFAULT(error)
                continue
            (call,), fault = parser.parse(shown)
            assert fault is None
            assert call.tool == meant.tool
            assert shown in DEFAULT(error)
            corrected += 1
    assert corrected


@pytest.mark.parametrize("dialect", general_names())
def test_every_dialect_is_asked_for_in_its_own_words(dialect: str) -> None:
    message = DEFAULT(error_of("I will see to it.", dialect, require_call=True))
    format_ = find_dialect(dialect)
    assert format_ is not None
    assert format_.asks[0] in message
    example = re.search(r"your own values\):\n\n(.*)\n\nWrite a call", message, re.DOTALL)
    assert example is not None
    parsed = StrictParser(tools=TOOLS, dialect=dialect).parse(example[1])
    assert parsed.error is None
    assert len(parsed.calls) == 1


# -- room --------------------------------------------------------------------------------------------------------------


def facts_in(message: str) -> list[str]:
    """Return which kinds of facts a message states."""
    markers = {
        "other call": r"^Tool call 2",
        "signature": r"^  The tool (?:takes|requires)",
        "excerpt": r"^  Your JSON",
        "carets": r"^ +\^+$",
        "call": r"^<tool_call>$",
        "heading": r"^⚠️ Tool Call Error:$",
        "what": r"`path` must be a string, not an integer\.",
        "request": r"write every call of the reply again",
    }
    return [fact for fact, marker in markers.items() if re.search(marker, message, re.MULTILINE)]


def test_what_is_reported_grows_less_in_a_fixed_order() -> None:
    error = error_of(
        '<tool_call>\n{"name": "read_file", "arguments": {"path": 1}}\n</tool_call>\n'
        '<tool_call>\n{"name": "run_code", "arguments": {"cod": "1"}}\n</tool_call>',
        "hermes",
    )
    seen: list[list[str]] = []
    for limit in range(2000, 199, -20):
        message = Feedback(limit=limit)(error)
        assert len(message) <= limit
        facts = facts_in(message)
        if not seen or seen[-1] != facts:
            seen.append(facts)
    always = ["heading", "what", "request"]
    assert seen == [
        ["other call", "signature", "excerpt", "carets", "call", *always],
        ["signature", "excerpt", "carets", "call", *always],
        ["excerpt", "carets", "call", *always],
        ["call", *always],
        always,
    ]


@pytest.mark.parametrize("limit", [199, 0, -1])
def test_a_limit_that_leaves_no_room_is_refused(limit: int) -> None:
    with pytest.raises(ValueError, match=f"the limit is {limit} characters, but a message needs at least 200"):
        Feedback(limit=limit)


HUGE: Final[Sequence[tuple[str, str, str]]] = [
    ("hermes", '<tool_call>{"name": "read_file", "arguments": {"path": "', '"}}}</tool_call>'),
    ("hermes", '<tool_call>{"name": "', '", "arguments": {"path": "a"}}</tool_call>'),
    ("xml-children", "<read_file><path>", " & </path></read_file>"),
    ("xml-json", "<read_file>", '{"path": "a"}</read_file>'),
]


@pytest.mark.parametrize(("dialect", "before", "after"), HUGE)
@pytest.mark.parametrize("filler", ["x", "` ", "日", "&", "[", "\\"])
def test_a_reply_of_one_endless_line_gets_a_short_message(dialect: str, before: str, after: str, filler: str) -> None:
    text = before + filler * (200_000 // len(filler)) + after
    limits = Limits(max_text=None, max_call=None, max_depth=None, max_calls=None)
    error = StrictParser(tools=TOOLS, dialect=dialect, require_call=True, limits=limits).parse(text).error
    assert error is not None
    message = Feedback(limit=1000)(error)
    assert 100 < len(message) <= 1000
    assert max(map(len, message.splitlines())) <= 600


def test_of_very_many_faults_some_are_reported_and_the_others_counted() -> None:
    call = (
        '<tool_call>\n{"name": "read_file", "arguments": {"path": 1, "a": 1, "b": 2, "c": 3, "d": 4}}\n</tool_call>\n'
    )
    message = Feedback(limit=10_000)(error_of(call * 300, "hermes"))
    assert re.findall(r"^Tool call (\d+)", message, re.MULTILINE) == ["1", "2", "3", "4", "5"]
    assert "\n295 more tool calls are invalid.\n" in message
    assert message.count("\n  2 more errors in this call are not listed.\n") == 5


# -- the content -------------------------------------------------------------------------------------------------------


def test_the_end_invites_no_further_attempt() -> None:
    strikes = Strikes(maximum=1)
    parser = StrictParser(tools=TOOLS, dialect="fenced-json", strikes=strikes)
    assert "write the call again" in str(parser.parse(EXTRA).error and DEFAULT(error_of(EXTRA)))
    error = parser.parse(EXTRA).error
    assert error is not None
    assert error.is_of(ErrorType.MAX_MISTAKES)
    for limit in (200, 300, 2000):
        message = Feedback(limit=limit)(error)
        assert "Do not write another tool call." in message
        assert "again" not in message
        assert "corrected" not in message
        assert "The tool takes" not in message
        assert callwright.parse(message, tools=TOOLS).calls == []
    assert "2 extra closing braces `}}`" in DEFAULT(error)


def test_an_error_gives_its_message_by_itself() -> None:
    error = error_of(EXTRA)
    assert error.feedback() == DEFAULT(error) == Feedback()(error)
    assert "Your call, corrected:" in error.feedback()


def test_no_example_is_shown_where_none_is_wanted() -> None:
    message = Feedback(example=False)(error_of(EXTRA))
    assert "corrected" not in message
    assert "For example" not in message
    assert "2 extra closing braces" in message


def test_what_was_cut_off_is_not_shown_as_corrected() -> None:
    error = error_of('```json\n{"tool": "run_code", "arguments": {"code": "print(')
    message = DEFAULT(error, cut_off=True)
    assert "Your reply was cut off: it was too long." in message
    assert "corrected" not in message


def test_a_guess_is_never_shown_as_corrected() -> None:
    error = error_of('```json\n{"tool": "run_code", "arguments": {"code": "1", "timeout": "soon"}}\n```')
    message = DEFAULT(error)
    assert "For example (this shows the format; use your own values):" in message
    assert "corrected" not in message


def test_a_limit_that_is_exceeded_is_reported_with_what_to_do() -> None:
    error = StrictParser(tools=TOOLS, dialect="fenced-json", limits=Limits(max_call=50)).parse(EXTRA).error
    assert error is not None
    message = DEFAULT(error)
    assert "Tool call 1 (`run_code`): The call is longer than 50 characters" in message
    assert message.endswith("Please write your reply again with this in mind.")


def test_a_count_is_reported_wherever_the_rule_points() -> None:
    text = '{"code": "1", "timeout": 2'
    error = error_of(f"<run_code>{text}</run_code>", "xml-json")
    diagnostic = next(each for each in error.diagnostics if each.code == "TC202")
    moved = ParseError(
        dataclasses.replace(error.rejection, diagnostics=[dataclasses.replace(diagnostic, span=Span(10, 11))])
    )
    for each in (error, moved):
        assert "\n  → You're missing 1 closing brace `}`.\n" in DEFAULT(each)


def test_an_odd_number_of_quotes_is_counted() -> None:
    error = error_of('<read_file>{"path": "src/main.ts, "limit": 1, "encoding": "\\""}</read_file>', "xml-json")
    assert "\n  → Unmatched quotes detected: your JSON has 9 double quotes, which is an odd number.\n" in DEFAULT(error)


def test_what_only_the_author_of_a_schema_can_fix_is_reported_as_what_a_model_can_do() -> None:
    error = error_of("<run_code>{}</run_code>", "xml-json")
    diagnostic = dataclasses.replace(error.diagnostics[0], code="TC529", message="Simplify the schema.")
    unchecked = ParseError(
        dataclasses.replace(
            error.rejection, type=ErrorType.SCHEMA_VALIDATION, message=diagnostic.message, diagnostics=[diagnostic]
        )
    )
    assert "Simplify the schema" not in DEFAULT(unchecked)
    assert "Simplify them." in DEFAULT(unchecked)


def test_raw_markup_is_asked_for_where_the_tool_takes_it() -> None:
    error = error_of("<read_file><pth>a</path></read_file>", "xml-children", markup="raw")
    assert "CDATA section" not in DEFAULT(error)


def test_a_native_call_is_named_by_its_arguments() -> None:
    text = '{"code": "1"'
    parsed = error_of(f"<run_code>{text}</run_code>", "xml-json")
    (diagnostic,) = parsed.diagnostics
    error = ParseError(
        Rejection(
            type=ErrorType.MALFORMED_JSON,
            message=diagnostic.message,
            text=text,
            dialects=("native",),
            registry=TOOLS,
            diagnostics=[dataclasses.replace(diagnostic, span=Span(len(text), len(text)))],
            call=FailedCall(1, "run_code", "native", Span(0, len(text)), Span(0, len(text))),
            tool=TOOLS.get("run_code")[0],
        )
    )
    message = DEFAULT(error)
    assert message.startswith(
        "⚠️ Tool Call JSON Error:\nTool call 1 (`run_code`): Invalid JSON at position 12 of its arguments\n"
    )
    assert '\n\nYour arguments, corrected:\n\n`{"code": "1"}`\n\n' in message
    assert message.endswith("Please fix the arguments and call the tool again.")
    assert "line 1" not in message


def test_no_code_of_a_rule_is_reported() -> None:
    for case in CASES:
        assert not re.search(r"\bTC\d{3}\b", message_of(case, case.expected[0]))


# -- words -------------------------------------------------------------------------------------------------------------


def test_the_words_can_be_replaced() -> None:
    words = dataclasses.replace(
        ENGLISH,
        heading_json="⚠️ JSON-Fehler im Werkzeugaufruf:",
        call="Aufruf {number} ({tool}): {what}",
        invalid_json="ungültiges JSON",
        at_position="{what} an Stelle {position}",
        error="  Fehler: {message}",
        extra_braces="  → {count} schließende Klammern zu viel: {text}.",
        diagnostics={"TC201": "Zu viele schließende Klammern."},
    )
    message = Feedback(words=words)(error_of(EXTRA))
    assert message.startswith(
        "⚠️ JSON-Fehler im Werkzeugaufruf:\n"
        "Aufruf 1 (`run_code`): ungültiges JSON an Stelle 55\n"
        "  Fehler: Zu viele schließende Klammern.\n"
    )
    assert "\n  → 2 schließende Klammern zu viel: `}}`.\n" in message


def test_every_sentence_is_part_of_the_words() -> None:
    letters = re.compile(r"[^\W\d_]")
    blank = {
        each.name: "".join(re.findall(r"\{\w+\}", getattr(ENGLISH, each.name)))
        for each in dataclasses.fields(Words)
        if each.name != "diagnostics"
    }
    silent = dataclasses.replace(ENGLISH, **blank, diagnostics=dict.fromkeys(("TC201", "TC301", "TC304", "TC308"), ""))
    for text, dialect in [(EXTRA, "fenced-json"), ("Hm.", "fenced-json")]:
        error = error_of(text, dialect, require_call=True)
        message = Feedback(words=silent, example=False)(error)
        asks = " ".join(getattr(find_dialect(dialect), "asks", ()))
        rest = re.sub(r"(`++).+?\1", "", message.replace(asks, ""))
        assert not letters.search(rest), rest


# -- templates ---------------------------------------------------------------------------------------------------------

TEMPLATE: Final = """\
{{ heading }}
{% for call in calls %}
{{ call.number }} {{ call.tool }}: {{ call.what }}
{% for finding in call.diagnostics %}
{{ finding.line }}:{{ finding.column }}:{{ finding.position }} {{ finding.code }} {{ finding.message }}
{{ finding.excerpt }}
{{ finding.carets }}
{{ finding.diagnosis | join(" ") }}
{% endfor %}
{{ call.schema }}
{% endfor %}
{{ corrected or example }}
{{ request }} {{ final }} {{ cut_off }} {{ limit }} {{ error.type }} {{ asks | length }} {{ tools | length }}
{{ diagnostics | length }}
"""
REQUEST: Final = (
    "No call in your reply was executed. Please fix the JSON and write the call again. "
    "Ensure proper brace matching: `{` and `}`."
)


def test_a_template_is_given_everything() -> None:
    error = error_of(EXTRA)
    assert Feedback(template=TEMPLATE, limit=5000)(error).splitlines() == [
        "⚠️ Tool Call JSON Error:",
        "1 `run_code`: Invalid JSON at position 55 (line 2, column 56 of your reply)",
        f"2:56:55 TC201 {error.message}",
        '`{"tool": "run_code", "arguments": {"code": "print(1)"}}}}`',
        " " * 56 + "^^",
        "You have 2 extra closing braces `}}`.",
        "`run_code(code: string, language?: string)`",
        "```json",
        '{"tool": "run_code", "arguments": {"code": "print(1)"}}',
        "```",
        f"{REQUEST} False False 5000 MALFORMED_JSON 2 0",
        "1",
    ]


def test_a_template_is_given_less_until_it_fits_and_cut_at_last() -> None:
    error = error_of(EXTRA)
    assert len(Feedback(template=TEMPLATE, limit=400)(error)) <= 400
    assert "None\n" in Feedback(template=TEMPLATE, limit=400)(error)
    assert Feedback(template="x" * 300, limit=200)(error) == "x" * 199 + "…"


@pytest.mark.parametrize(
    ("template", "stated"),
    [
        ("a\n{% if %}", "is invalid: line 2: "),
        ("{{ heading", "is invalid: line 1: "),
    ],
)
def test_a_template_that_is_none_is_refused_with_the_line(template: str, stated: str) -> None:
    with pytest.raises(ValueError, match=stated):
        Feedback(template=template)


@pytest.mark.parametrize(
    ("template", "stated"),
    [
        ("a\n{{ headline }}", "fails on line 2: 'headline' is undefined"),
        ("{{ error.nothing }}", "fails on line 1: 'dict object' has no attribute 'nothing'"),
        ("{{ ''.__class__.__mro__ }}", "fails on line 1: access to attribute '__class__' of 'str' object is unsafe"),
        ("{{ asks.append('x') }}", "fails on line 1: "),
        ("{{ 1 // 0 }}", "fails on line 1: "),
    ],
)
def test_a_template_that_fails_or_is_unsafe_is_reported_with_the_line(template: str, stated: str) -> None:
    feedback = Feedback(template=template)
    with pytest.raises(ValueError, match=re.escape(stated)):
        feedback(error_of(EXTRA))


def test_without_jinja_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match=re.escape("`pip install callwright[templates]`")):
        Feedback(template="{{ heading }} without Jinja")
    assert "2 extra closing braces" in Feedback()(error_of(EXTRA))


def test_feedback_is_immutable_and_can_be_sent_elsewhere() -> None:
    feedback = Feedback(limit=500, template="{{ heading }}")
    with pytest.raises(dataclasses.FrozenInstanceError):
        feedback.limit = 1  # type: ignore[misc]
    assert pickle.loads(pickle.dumps(feedback)) == feedback  # noqa: S301 - our own
    assert Counter([Feedback(), DEFAULT])[Feedback()] == 2
