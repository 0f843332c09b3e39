"""The strict stream: when the tool, the first call and an error are known, what is kept, and what the end is."""

from __future__ import annotations

from typing import Any

import pytest

from callwright.calls.protocol import Refusal, RenderStyle
from callwright.dialects.catalogue import dialect_names, find_dialect
from callwright.rules.base import ErrorType
from callwright.runtime import Limits, StrictParser, StrictStream, Strikes
from callwright.runtime.events import CallClosed, CallDropped, CallOpened, Event, ProblemFound, Text
from invariants.corpus import registry, seeded
from invariants.streams import chunks

CALL = '<tool_call>\n{"name": "read_file", "arguments": {"path": "a.py", "limit": 40}}\n</tool_call>'
UNKNOWN = CALL.replace("read_file", "raed_file")


def parser(dialect: str = "hermes", **options: object) -> StrictParser:
    return StrictParser(tools=registry(), dialect=dialect, **options)  # type: ignore[arg-type] # the parser's own


def fed(stream: StrictStream, text: str, size: int = 1) -> list[Event]:
    return [event for piece in chunks(text, [size]) for event in stream.feed(piece)]


@pytest.mark.parametrize("piece", [b"x", b"", None, 5, ["a"]])
def test_a_piece_that_is_no_text_is_refused_and_leaves_the_stream_as_it_was(piece: Any) -> None:
    stream = parser().stream()
    stream.feed(CALL[:30])
    with pytest.raises(TypeError, match=f"a chunk of the text is a `{type(piece).__name__}`: "):
        stream.feed(piece)
    stream.feed(CALL[30:])
    assert stream.finish() == parser().parse(CALL)


# -- what is known when ------------------------------------------------------------------------------------------------

#: For each dialect: how many characters after the name `tool` is known and `CallOpened` comes, and how many after the
#: call it is complete, where prose follows on the same line, and where it follows after an empty one; None where only
#: the end of the text shows it. Where the first number is large, only the marker after the name makes it one; where the
#: last ones are, the dialect has no closing marker, or more calls may be in its list. `SOON` is demanded of every other
#: dialect.
SOON = (2, 2, 4, 4)
KNOWN: dict[str, tuple[int, int, int | None, int | None]] = {
    "anthropic-json": (2, 13, 3, 4),
    "apertus": (4, 4, 1, 1),
    "cohere": (2, 2, 1, 1),
    "deepseek": (12, 12, 1, 1),
    "directive": (1, 2, None, 3),
    "fenced-json": (2, 2, None, 2),
    "function-tag": (2, 2, 1, 1),
    "functionary": (2, 2, 2, 2),
    "gemini-json": (2, 12, 3, 4),
    "gemma": (1, 2, 2, 2),
    "glm": (7, 7, 3, 4),
    "granite": (2, 2, None, 4),
    "harmony": (29, 29, 1, 1),
    "hermes": (2, 2, 1, 1),
    "hunyuan": (2, 2, 1, 1),
    "hunyuan-v3": (7, 7, 4, 4),
    "inkling": (49, 49, 1, 1),
    "internlm": (2, 2, 1, 1),
    "invoke": (2, 3, 4, 4),
    "jamba": (2, 2, 1, 1),
    "json": (2, 17, None, 4),
    "k2-horizon": (7, 7, 4, 4),
    "kimi": (30, 30, 1, 1),
    "kimi-k3": (18, 18, 4, 4),
    "minicpm": (2, 3, 6, 4),
    "minimax-m3": (2, 3, 1, 1),
    "mistral": (6, 6, 8, 10),
    "nemotron": (2, 2, 1, 1),
    "openai-json": (2, 18, 3, 4),
    "plamo": (65, 65, 1, 1),
    "python-action": (1, 2, None, 2),
    "pythonic": (1, 2, 4, 2),
    "qwen-coder": (1, 2, 4, 4),
    "react": (1, 2, None, 3),
    "tool-block": (1, 2, None, 12),
    "tool-call-json": (7, 23, 1, 1),
    "tool-call-xml": (7, 23, 1, 1),
    "xlam": (17, 17, 2, 2),
    "xml-attributes": (8, 17, 1, 1),
    "xml-children": (7, 7, 1, 1),
    "xml-json": (2, 2, 2, 2),
    "yaml": (1, 9, None, 10),
}


def written(dialect: str) -> str | None:
    format_ = find_dialect(dialect)
    assert format_ is not None
    tool = registry().get("read_file")[0]
    text = format_.render("read_file", {"path": "src/a.py", "limit": 40}, tool, RenderStyle(compact=True))
    return None if isinstance(text, Refusal) else text


def measured(dialect: str) -> tuple[int | None, ...]:
    call = written(dialect)
    assert call is not None
    named = call.index("read_file") + len("read_file")
    found: list[int | None] = []
    for tail in (" and then more is said.", "\n\nAnd then more is said.\n\nAnd more.\n"):
        stream = parser(dialect).stream()
        tool = opened = closed = None
        for at, char in enumerate(call + tail, 1):
            events = stream.feed(char)
            tool = at - named if tool is None and stream.tool == "read_file" else tool
            if opened is None and any(isinstance(event, CallOpened) for event in events):
                opened = at - named
            closed = at - len(call) if closed is None and stream.has_complete_call else closed
        found += [closed] if found else [tool, opened, closed]
        end, format_ = stream.end, find_dialect(dialect)
        assert format_ is not None
        if format_.to_line_end and not tail.startswith("\n"):
            # Engines take all of the line for arguments, so the reply is rejected; cut at the call's end it is sound.
            assert stream.finish().error
            assert end is not None
            assert len(parser(dialect).parse(call[:end]).calls) == 1
        else:
            assert not stream.finish().error or not found[-1]
    return tuple(found)


@pytest.mark.parametrize(
    ("dialect", "arguments"),
    [
        *((name, {"path": "src/a.py"}) for name in ("directive", "granite", "mistral", "plamo", "react", "yaml")),
        *((name, {"path": "src/a.py", "limit": 40}) for name in ("directive", "granite", "mistral", "plamo", "react")),
    ],
)
def test_a_call_is_complete_a_few_characters_after_it_where_prose_follows_below(
    dialect: str, arguments: dict[str, Any]
) -> None:
    format_ = find_dialect(dialect)
    assert format_ is not None
    call = format_.render("read_file", arguments, registry().get("read_file")[0], RenderStyle(compact=True))
    assert isinstance(call, str)
    for tail in ("\n\nand then I go on.\n", "\r\n\r\nand then I go on.\r\n"):
        stream = parser(dialect).stream()
        fed(stream, call + tail[:10])
        assert stream.has_complete_call, tail
        assert stream.finish().calls[0].arguments == arguments


@pytest.mark.parametrize("dialect", [name for name in dialect_names() if written(name) is not None])
def test_the_tool_and_the_end_of_the_call_are_known_soon(dialect: str) -> None:
    for got, most in zip(measured(dialect), KNOWN.get(dialect, SOON), strict=True):
        assert most is None or (got is not None and got <= most), "say in `KNOWN` when it is known, and why not sooner"


def test_a_tool_that_is_none_after_all_is_taken_back() -> None:
    stream = parser("mistral").stream()
    text = "Write the [TOOL_CALLS]read_file[ARGS] token."
    names = {(stream.feed(char), stream.tool)[1] for char in text}
    assert stream.finish().calls == []
    assert stream.tool is None
    assert names <= {None, "read_file"}


def test_the_first_complete_call_is_reported_with_its_end() -> None:
    text = f"So:\n{CALL}\n\nAnd:\n{CALL}\n"
    stream = parser().stream()
    whole = parser().parse(text).calls
    while not stream.has_complete_call:
        stream.feed(text[len(stream.text)])
    assert stream.tool == "read_file"
    assert stream.calls == whole[:1]
    assert stream.end == len(f"So:\n{CALL}")
    assert parser().parse(text[: stream.end]).calls == whole[:1]


def test_arguments_come_in_pieces() -> None:
    stream = parser().stream()
    events = fed(stream, CALL + "\n")
    assert [type(event).__name__ for event in events][:4] == [
        *("CallOpened", "ArgumentOpened", "ArgumentText", "ArgumentText"),
    ]
    assert isinstance(events[-1], Text | CallClosed)


# -- errors ------------------------------------------------------------------------------------------------------------


def test_an_error_is_reported_when_the_call_closes_and_nothing_after_it_is_read() -> None:
    stream = parser().stream()
    events = fed(stream, f"So: {UNKNOWN} ")
    assert stream.error is not None
    assert stream.error.type is ErrorType.UNKNOWN_TOOL
    assert isinstance(events[-1], ProblemFound)
    assert stream.feed("More and " + CALL) == []
    assert not stream.has_complete_call
    whole = parser().parse(f"So: {UNKNOWN} More and {CALL}")
    result = stream.finish()
    assert result.error is not None
    assert whole.error is not None
    assert (result.error.message, result.error.spans) == (whole.error.message, whole.error.spans)


#: A faulty call, its dialect, and text after or beside it that belongs to no call.
UNMATCHED: tuple[tuple[str, str, str], ...] = (
    ("llama-json", '{"name":"","arguments":{"":""}}', "<tool_call>"),
    ("gigachat", '<|function_call|>{"":""}', "</invoke>"),
    ("mistral", '[TOOL_CALLS]a[ARGS]{"":""}', "<｜tool▁call▁end｜>"),
    ("react", 'Action:ping\nAction Input:{"":null}', "</parameter>\nu"),
    ("functionary", '{"name":"","parameters":{"":3}}', "</tool_call>"),
    ("qwen-coder", "}<tool_call>><function=read_file><parameter=h></parameter></function>", "ool"),
    ("plamo", "}<|plamo:end_tool_arguments:plamo|><<tool_call>g</tool_call>", "/t"),
    ("xml-json", '{"path":<read_file>{""}}}</read_file>', "｜t"),
    ("apertus", "</read_file>", '<invoke name="a">'),
    ("directive", 'TOOL_CALL:edit_fileINPUT:{"":[]}', "<function_calls>\n<invoke>"),
)


@pytest.mark.parametrize(("dialect", "faulty", "unmatched"), UNMATCHED, ids=[name for name, _, _ in UNMATCHED])
def test_a_stream_that_is_stopped_at_an_error_states_what_the_whole_reply_is_rejected_for(
    dialect: str, faulty: str, unmatched: str
) -> None:
    asked = parser(dialect, reasoning="calls")
    stream = asked.stream()
    early = None
    for piece in faulty + unmatched:
        stream.feed(piece)
        early = early or stream.error
    whole = asked.parse(faulty + unmatched).error
    assert early is not None
    assert whole is not None
    assert (early.type, early.message) == (whole.type, whole.message)


def test_what_is_announced_of_a_rejected_call_is_taken_back() -> None:
    stream = parser().stream()
    events = fed(stream, UNKNOWN + "\n")
    assert sum(isinstance(event, CallOpened) for event in events) == 1
    assert sum(isinstance(event, CallDropped) for event in events) == 1


def test_a_quoted_call_is_text_to_a_strict_stream() -> None:
    text = 'Say "<read_file>{\\"path\\": \\"a\\"}</read_file>" so.'
    stream = parser("xml-json").stream()
    events = [*fed(stream, text, 3)]
    assert stream.finish() == ([], None)
    assert "".join(event.text for event in [*events, *stream.last] if isinstance(event, Text)) == text


def test_strikes_are_counted_once_at_the_end() -> None:
    strikes = Strikes()
    stream = parser(strikes=strikes).stream()
    fed(stream, UNKNOWN + " ")
    assert (strikes.count, stream.error is not None) == (0, True)
    assert stream.finish() is stream.finish()
    assert strikes.count == 1
    stream.reset()
    fed(stream, CALL)
    assert stream.finish().error is None
    assert strikes.count == 0


def test_a_reply_without_a_call_where_one_is_required() -> None:
    strict = parser(require_call=True)
    stream = strict.stream()
    stream.feed("No.")
    assert stream.error is None
    error = stream.finish().error
    assert error is not None
    assert error.is_of(ErrorType.NO_CALLS)


# -- reuse and memory --------------------------------------------------------------------------------------------------


def test_a_stream_is_reset_for_another_reply() -> None:
    stream = parser().stream()
    fed(stream, UNKNOWN + " and")
    stream.reset()
    assert (stream.error, stream.tool, stream.end, stream.text, stream.calls) == (None, None, None, "", [])
    fed(stream, CALL)
    assert [call.tool for call in stream.finish().calls] == ["read_file"]


def test_a_finished_stream_takes_no_more() -> None:
    stream = parser().stream()
    stream.finish()
    with pytest.raises(RuntimeError, match="call `reset` to read another reply"):
        stream.feed("a")


def test_only_the_reply_and_the_open_call_are_kept() -> None:
    stream = parser().stream()
    text = f"{CALL}\n\nSome more is said here, and some more.\n\n" * 300
    fed(stream, text, 50)
    assert len(stream.calls) >= 299
    assert stream.text == text
    assert stream._reader.kept < 5_000
    assert len(stream._blocks) + len(stream._pieces) < 600
    assert len(stream.finish().calls) == 300
    assert stream.text == ""


@pytest.mark.parametrize("size", [1, 7, 300])
def test_the_kept_text_is_what_was_fed(size: int) -> None:
    text = "".join(seeded(size).choices("ab,. é😀", k=70_000))
    stream = parser().stream()
    fed(stream, text, size)
    assert stream.text == text


# -- limits ------------------------------------------------------------------------------------------------------------


def first_error(strict: StrictParser, text: str, size: int) -> tuple[StrictStream, int]:
    """Return a stream that was fed until an error was certain, and how much that took."""
    stream = strict.stream()
    at = 0
    while at < len(text) and stream.error is None:
        stream.feed(text[at : at + size])
        at += size
    return stream, min(at, len(text))


def test_a_reply_that_is_too_long() -> None:
    strict = parser(limits=Limits(max_text=1_000))
    assert strict.parse("a" * 1_000) == ([], None)
    text = "a" * 5_000
    stream, at = first_error(strict, text, 1)
    assert at == 1_001
    error, whole = stream.finish().error, strict.parse(text).error
    assert error is not None
    assert whole is not None
    assert (error.type, error.message, error.text) == (whole.type, whole.message, whole.text)
    assert error.message == (
        "The reply is longer than 1000 characters (`max_text`); the rest was ignored. Write a shorter reply."
    )
    assert error.text == "a" * 1_000


def test_what_is_fed_after_the_longest_text_is_not_kept() -> None:
    stream = parser(limits=Limits(max_text=1_000)).stream()
    for _ in range(100):
        stream.feed(CALL)
    assert len(stream.text) == 1_001


@pytest.mark.parametrize("size", [1, 10, 100_000])
def test_a_call_that_is_too_long(size: int) -> None:
    strict = parser(limits=Limits(max_call=500))
    text = CALL.replace("a.py", "a" * 20_000)
    stream, at = first_error(strict, text, size)
    assert at <= max(600, size)
    assert stream.error is not None
    assert stream.error.message == ("The call is longer than 500 characters (`max_call`). Split it into several calls.")
    assert stream.error.type is ErrorType.MALFORMED_JSON
    whole = strict.parse(text).error
    assert whole is not None
    assert whole.message == stream.error.message
    assert parser(limits=Limits(max_call=len(CALL))).parse(CALL).error is None


@pytest.mark.parametrize("size", [1, 10, 100_000])
def test_calls_that_are_too_many(size: int) -> None:
    strict = parser(limits=Limits(max_calls=3))
    text = f"{CALL}\n" * 9
    stream, at = first_error(strict, text, size)
    assert at <= max(4 * len(CALL) + 20, size)
    assert stream.error is not None
    assert stream.error.message == "There are more than 3 calls in one reply (`max_calls`). Make fewer at once."
    assert stream.error.call is not None
    assert stream.error.call.number == 4
    assert len(strict.parse(f"{CALL}\n" * 3).calls) == 3


def test_calls_of_one_list_that_are_too_many() -> None:
    strict = parser("nemotron", limits=Limits(max_calls=3))
    one = '{"name": "git_status", "arguments": {}}'
    stream, at = first_error(strict, "<TOOLCALL>[" + ", ".join([one] * 500) + "]</TOOLCALL>", 10)
    assert at < 10 * len(one)
    assert stream.error is not None
    assert "`max_calls`" in stream.error.message


DEEP = 100_000
NESTED = {
    "json": ("hermes", '<tool_call>{"name": "set_values", "arguments": {"grid": ', "[", "]", "}}</tool_call>"),
    "objects": ("hermes", '<tool_call>{"name": "set_values", "arguments": {"grid": ', '{"a":', "}", "}}</tool_call>"),
    "tag": ("xml-json", '<set_values>{"grid": ', "[", "]", "}</set_values>"),
    "text": ("xml-children", "<set_values><grid>", "[", "]", "</grid></set_values>"),
    "elements": ("xml-children", "<set_values><settings>", "<a>", "</a>", "</settings></set_values>"),
    "in a frame": (
        "tool-call-xml",
        "<tool_call><tool_name>set_values</tool_name><arguments><settings>",
        *("<a>", "</a>", "</settings></arguments></tool_call>"),
    ),
    "python": ("pythonic", "[set_values(grid=", "[", "]", ")]"),
    "gemma": ("gemma", "<|tool_call>call:set_values{grid:", "[", "]", "}<tool_call|>"),
}


@pytest.mark.parametrize("name", NESTED)
def test_hostile_nesting_is_refused_and_raises_nothing(name: str) -> None:
    dialect, head, opener, closer, tail = NESTED[name]
    text = head + opener * DEEP + closer * DEEP + tail
    error = parser(dialect).parse(text).error
    assert error is not None
    assert error.message == "The arguments are nested more than 100 levels deep (`max_depth`). Flatten them."
    assert error.type in (ErrorType.MALFORMED_JSON, ErrorType.MALFORMED_XML)


@pytest.mark.parametrize("name", ["json", "objects", "tag", "python", "gemma"])
def test_hostile_nesting_is_refused_while_it_arrives(name: str) -> None:
    dialect, head, opener, _, _ = NESTED[name]
    stream, at = first_error(parser(dialect), head + opener * DEEP, 10)
    assert stream.error is not None
    assert "`max_depth`" in stream.error.message
    # A call that cannot be followed from character to character is read again when it has grown by half.
    assert at <= 2 * (len(head) + 110 * len(opener))
    result = stream.finish().error
    assert result is not None
    assert "`max_depth`" in result.message


@pytest.mark.parametrize("name", NESTED)
def test_a_hostile_stream_is_read_a_fixed_number_of_times(name: str) -> None:
    dialect, head, opener, _, _ = NESTED[name]
    text = head + opener * 2_000
    stream = parser(dialect, limits=Limits(max_depth=None)).stream()
    reader = stream._reader
    fed(stream, text, 10)
    assert reader.work <= 9 * len(text) + (1 << 14)


@pytest.mark.parametrize("name", NESTED)
def test_depth_counts_from_the_arguments_object(name: str) -> None:
    dialect, head, opener, closer, tail = NESTED[name]
    inner = "" if opener == "<a>" else "1"
    for depth in (6, 7):
        text = head + opener * depth + inner + closer * depth + tail
        error = parser(dialect, limits=Limits(max_depth=7)).parse(text).error
        # The arguments are the first level; an element is one where it holds elements.
        assert (error is not None and "`max_depth`" in error.message) == (depth == 7)


def test_deep_brackets_in_a_text_are_no_nesting() -> None:
    text = '<tool_call>{"name": "write_file", "arguments": {"path": "a", "content": "' + "[" * 500 + '"}}</tool_call>'
    assert [call.tool for call in parser().parse(text).calls] == ["write_file"]
    stream, at = first_error(parser(), text, 1)
    assert (stream.error, at) == (None, len(text))
    assert len(stream.finish().calls) == 1


def test_limits_are_whole_numbers() -> None:
    with pytest.raises(ValueError, match="`max_calls` is 0: it must be a whole number of 1 or more, or None"):
        Limits(max_calls=0)
    with pytest.raises(ValueError, match="`max_text` is True"):
        Limits(max_text=True)
    assert Limits(max_text=None).max_text is None
