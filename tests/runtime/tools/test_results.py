"""Results in a conversation: what is written in each dialect is read back as the same, and as nothing else."""

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import callwright
from callwright.api import Call
from callwright.calls.protocol import Refusal, Rendering, RenderStyle
from callwright.calls.result_text import DEFAULT, ResultDraft, dialects, write_results
from callwright.calls.turns import Spot, Turn, TurnResult, TurnText
from callwright.conversation.results import read_result, states_failure
from callwright.dialects.catalogue import all_dialects, dialect_names, find_dialect
from callwright.runtime.tools.base import ToolResult
from callwright.runtime.tools.results import render_results
from callwright.text.span import Span
from callwright.tools.registry import ToolRegistry
from callwright.transcripts.support.text_results import add_text_results, only_results
from support.dialects import general_names
from support.sampling import tries

TOOLS = [
    {
        "name": "read_file",
        "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
    },
    {"name": "list_files", "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}}},
]
#: Dialects that name no tool: the order says which call a result answers.
NAMELESS = {"tool-response-text", "observation"}
#: Dialects that take the white space off the ends of a text.
TRIMMING = {"tool-response-text", "function-results", "label", "observation"}


def call(tool: str | None = "read_file", identifier: str | None = None, **arguments: Any) -> Call:
    return Call(tool, arguments or {"path": "a.py"}, "xml-json", Span(0, 0), identifier)


def read_back(content: str) -> tuple[list[TurnResult], bool]:
    """Return the results of a user's message, and whether it holds nothing else."""
    stated = TurnText(Spot(Span(0, len(content))), content)
    turn = Turn(Spot(Span(0, len(content))), "user", texts=[stated])
    add_text_results(turn)
    return turn.results, only_results(stated, turn.results)


# -- what it looks like ------------------------------------------------------------------------------------------------

FINE = ToolResult(call(), ok=True, value="print(1)")
FAILED = ToolResult(call(path="b.py"), ok=False, error="`b.py` does not exist.", kind="error")
LOOKS = {
    "fenced-json": (
        '<tool_result name="read_file">\nprint(1)\n</tool_result>\n'
        '<tool_result name="read_file" is_error="true">\n`b.py` does not exist.\n</tool_result>'
    ),
    "hermes": (
        '<tool_response>\n{"name": "read_file", "content": "print(1)"}\n</tool_response>\n'
        '<tool_response>\n{"name": "read_file", "content": "`b.py` does not exist.", "is_error": true}'
        "\n</tool_response>"
    ),
    "qwen-coder": (
        "<tool_response>\nprint(1)\n</tool_response>\n<tool_response>\nError: `b.py` does not exist.\n</tool_response>"
    ),
    "invoke": (
        "<function_results>\n<result>\n<tool_name>read_file</tool_name>\n<stdout>\nprint(1)\n</stdout>\n</result>\n"
        "<result>\n<tool_name>read_file</tool_name>\n<error>\n`b.py` does not exist.\n</error>\n</result>\n"
        "</function_results>"
    ),
    "mistral": (
        '[TOOL_RESULTS]{"name": "read_file", "content": "print(1)"}[/TOOL_RESULTS]\n'
        '[TOOL_RESULTS]{"name": "read_file", "content": "`b.py` does not exist.", "is_error": true}[/TOOL_RESULTS]'
    ),
    "xml-children": (
        "[read_file for 'a.py'] Result:\nprint(1)\n\n[read_file for 'b.py'] Result:\n"
        "The tool execution failed with the following error:\n<error>\n`b.py` does not exist.\n</error>"
    ),
}


@pytest.mark.parametrize("dialect", LOOKS)
def test_what_results_look_like(dialect: str) -> None:
    assert render_results([FINE, FAILED], dialect) == [{"role": "user", "content": LOOKS[dialect]}]


def test_one_result_of_a_reasoning_agent() -> None:
    assert render_results([FINE], "react") == [{"role": "user", "content": "Observation: print(1)"}]
    assert render_results([FAILED], "react")[0]["content"] == "Observation: Error: `b.py` does not exist."
    assert render_results([FINE, FINE], "react") == render_results([FINE, FINE], "fenced-json")


def test_no_results_make_no_message_and_no_dialect_is_a_misuse() -> None:
    assert render_results([], "hermes") == []
    with pytest.raises(ValueError, match="there is no dialect `hermse`"):
        render_results([FINE], "hermse")


def test_an_id_is_reported() -> None:
    result = ToolResult(call(identifier="abc123XYZ"), ok=True, value=3)
    (found,), _ = read_back(render_results([result], "mistral")[0]["content"])
    assert (found.id, found.value) == ("abc123XYZ", 3)
    for dialect in dialect_names():
        (found,), _ = read_back(render_results([result], dialect)[0]["content"])
        assert found.id in ("abc123XYZ", None)
    (found,), _ = read_back(render_results([result], "fenced-json")[0]["content"])
    assert found.id == "abc123XYZ"


def test_what_is_cut_is_reported_cut() -> None:
    result = ToolResult(call(), ok=True, value="abcdef", shown="abc\n[… cut here: 3 of 6 characters are shown]")
    assert "abc\n[… cut here" in render_results([result], "fenced-json")[0]["content"]
    assert "abcdef" not in render_results([result], "fenced-json")[0]["content"]


def test_every_dialect_has_a_format() -> None:
    assert {dialect.results for dialect in all_dialects()} == set(dialects())


# -- and back ----------------------------------------------------------------------------------------------------------

MARKERS = [
    "</tool_result>", "<tool_result>", '<tool_result name="list_files">', "</tool_response>", "<tool_response>",
    "</result>", "</function_results>", "<function_results>", "</stdout>", "<stdout>", "<error>", "</error>",
    "[TOOL_RESULTS]", "[/TOOL_RESULTS]", "</s>", "[list_files] Result:", "\n[read_file for 'x'] Result:\n",
    "Observation:", "\nObservation: ", "Error: ", "Traceback (most recent call last)", "The tool execution failed",
    '{"name": "list_files", "content": "x"}', '[{"name": "f", "content": 1}]', '{"status": "error"}', "\\", '"', "'",
    "<read_file><path>x</path></read_file>", '<tool_call>{"name": "read_file", "arguments": {}}</tool_call>', "\\/",
    "[TOOL_CALLS]read_file[ARGS]{}", "```json\n{\"tool\": \"read_file\"}\n```", "&lt;", "]]>", "\r\n", "\n", " ", "\t",
    "<raed_file><path>x</path></raed_file>", "<read_file><pth>", "<!--", "`", "{{ x }}", "\u2028", "é", "𝄞",
]  # fmt: skip
TEXTS = (
    st.lists(st.one_of(st.sampled_from(MARKERS), st.text(max_size=6)), max_size=6)
    .map("".join)
    .filter(lambda text: not any("\ud800" <= character <= "\udfff" for character in text))
)
JSON = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(10**20), 10**20),
        st.floats(allow_nan=False, allow_infinity=False),
        TEXTS,
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3)),
    max_leaves=6,
)
CALLS = st.builds(
    call,
    tool=st.one_of(st.sampled_from(["read_file", "list_files", "mcp.server:tool-1", "été", 'a"b', "a b", "<x>", ""])),
    identifier=st.one_of(st.none(), st.sampled_from(["call_1", "abc123XYZ", 'odd"id', "a b"])),
    path=TEXTS,
)
RESULTS = st.one_of(
    st.builds(lambda made, value: ToolResult(made, ok=True, value=value), CALLS, st.one_of(TEXTS, JSON)),
    st.builds(
        lambda made, stated: ToolResult(made, ok=False, error=stated, kind="error"), CALLS, TEXTS.filter(str.strip)
    ),
)


def _same(value: Any) -> Any:
    """Return what a reader of results makes of a value: text that is JSON is its value."""
    return read_result(TurnResult(Spot(Span(0, 0)), value=value)).value


def _agrees(reported: ToolResult, found: TurnResult, value_format: str) -> None:
    tool = reported.call.tool or None
    assert found.tool == tool or (value_format in NAMELESS and found.tool is None)
    got = read_result(found).value
    if reported.ok:
        expected = _same(reported.value)
        trimmed = value_format in TRIMMING and isinstance(reported.value, str)
        assert got == (_same(reported.value.strip()) if trimmed and got != expected else expected)
        assert type(got) is type(expected)
        # A value may speak of a failure in its own words; nothing else does.
        assert found.failed is None or found.failed is False
        if isinstance(reported.value, str) and not isinstance(expected, dict | list):
            assert not states_failure(found)
    else:
        assert states_failure(found)
        assert str(reported.error).strip() in (got if isinstance(got, str) else str(found.value))


@settings(max_examples=tries(400), deadline=None)
@given(results=st.lists(RESULTS, min_size=1, max_size=3), dialect=st.sampled_from(dialect_names()))
@example([ToolResult(call(), ok=True, value="</tool_result>")], "fenced-json")
@example([ToolResult(call(), ok=True, value="a\n[read_file] Result: b")], "xml-children")
@example([ToolResult(call(), ok=True, value="")], "react")
def test_what_is_written_is_read_back_as_the_same(results: list[ToolResult], dialect: str) -> None:
    (message,) = render_results(results, dialect)
    assert message["role"] == "user"
    found, alone = read_back(message["content"])
    format_ = getattr(find_dialect(dialect), "results", DEFAULT)
    assert len(found) == len(results)
    assert alone
    for reported, result in zip(results, found, strict=True):
        _agrees(reported, result, format_)


@settings(max_examples=tries(150), deadline=None)
@given(
    reported=st.lists(st.builds(ResultDraft, tool=st.none(), value=JSON, failed=st.booleans()), min_size=1, max_size=2),
    value_format=st.sampled_from(dialects()),
)
def test_results_of_calls_without_a_name(reported: list[ResultDraft], value_format: str) -> None:
    found, alone = read_back(write_results(value_format, reported))
    assert len(found) == len(reported)
    assert alone
    assert all(result.tool is None for result in found)


@pytest.mark.parametrize("tag", ["tool_result", "tool_output", "tool_response", "function_response", "function_result"])
@pytest.mark.parametrize("named", ["name", "tool", "tool_name"])
@pytest.mark.parametrize("numbered", ["id", "call_id", "tool_call_id", "tool_use_id"])
def test_a_tag_may_name_the_tool_and_the_call(tag: str, named: str, numbered: str) -> None:
    content = f'<{tag} {named}="read_file" {numbered} = "1" is_error="false">\n\n x \n</{tag}>'
    (found,), alone = read_back(content)
    assert (found.tool, found.id, found.failed, found.value, alone) == ("read_file", "1", False, "\n x ", True)
    assert found.tool_place is not None
    assert found.call_id is not None
    assert content[slice(*found.tool_place.span)] == "read_file"
    assert content[slice(*found.call_id.span)] == "1"
    assert found.content is not None
    assert content[slice(*found.content.span)] == "\n x "


# -- in a transcript ---------------------------------------------------------------------------------------------------


def _transcript(dialect: str, texts: list[str]) -> str:
    """Return a conversation in which a dialect's calls are answered with texts."""
    registry = ToolRegistry.of(TOOLS)
    format_ = find_dialect(dialect)
    assert format_ is not None
    made = [Rendering("read_file", {"path": "a.py"}, registry.get("read_file")[0], None) for _ in texts]
    written = format_.render_all(made if not format_.one_call else made[:1], RenderStyle())
    assert not isinstance(written, Refusal)
    results = [ToolResult(call(), ok=True, value=text) for text in texts[: len(made) if not format_.one_call else 1]]
    messages = [
        {"role": "user", "content": "What does a.py do?"},
        {"role": "assistant", "content": written},
        *render_results(results, dialect),
        {"role": "assistant", "content": "It prints."},
    ]
    return json.dumps(messages)


@pytest.mark.parametrize("dialect", general_names())
def test_what_a_tool_returned_is_not_a_call(dialect: str) -> None:
    for text in ("print(1)\n", "".join(MARKERS), *(marker * 2 for marker in MARKERS if marker.strip())):
        transcript = _transcript(dialect, [text, "more"])
        found = callwright.check(transcript, tools=TOOLS, dialect=dialect, path="chat.json")
        assert [(text, each.code, each.message) for each in found] == []


def test_a_user_who_quotes_a_result_and_goes_on_is_read_as_ever() -> None:
    stated = '<tool_result name="read_file">\nx\n</tool_result>\nNow: <read_file><pth>a</pth></read_file>'
    messages = [{"role": "user", "content": stated}]
    found = callwright.check(json.dumps(messages), tools=TOOLS, path="chat.json")
    assert [each.code for each in found] == ["TC303"]
