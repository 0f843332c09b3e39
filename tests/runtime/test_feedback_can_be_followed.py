"""A model that does what feedback says gets its call through: for every dialect and every fault.

Each message is true, names the place, says what is to be written, and shows a call that the same parser takes.
"""

import re
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import pytest

import callwright
from callwright.calls.protocol import Refusal, RenderStyle
from callwright.dialects.catalogue import dialect_names, find_dialect
from callwright.rules.base import Severity
from callwright.runtime import ErrorType, ParseError, StrictParser
from callwright.runtime.feedback import DEFAULT
from callwright.tools.registry import ToolRegistry
from support.dialects import general_names
from support.sampling import crossed

TOOLS: Final = ToolRegistry.of(
    [
        {
            "name": "write_file",
            "description": "Write a file.",
            "inputSchema": {
                "type": "object",
                "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
                "required": ["path", "content"],
                "additionalProperties": False,
            },
        },
        {
            "name": "read_file",
            "description": "Read a file.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "path": {"type": "string"},
                    "limit": {"type": "integer", "minimum": 1},
                    "encoding": {"enum": ["utf-8", "latin-1"]},
                    "tags": {"type": "array", "items": {"type": "string"}},
                },
                "required": ["path"],
                "additionalProperties": False,
            },
        },
        {
            "name": "search",
            "description": "Search.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "query": {"type": "string"},
                    "options": {
                        "type": "object",
                        "properties": {"case": {"type": "boolean"}, "deep": {"type": "boolean"}},
                    },
                },
                "required": ["query"],
            },
        },
    ]
)


class Fault(NamedTuple):
    """What a model writes, given the dialect's name; None where the dialect has no such fault.

    `shown` is the argument that the example must have, by its path.
    """

    reply: Callable[[str], str | None]
    shown: tuple[str, ...] = ()


def _call(tool: str, arguments: dict[str, Any], change: Callable[[str], str] = str) -> Callable[[str], str | None]:
    """Return a call as each dialect writes it, with a change that must change something."""

    def written(name: str) -> str | None:
        dialect = find_dialect(name)
        assert dialect is not None
        text = dialect.render(tool, arguments, next(iter(TOOLS.get(tool)), None), RenderStyle())
        if isinstance(text, Refusal):
            return None
        changed = change(text)
        return changed if change is str or changed != text else None

    return written


def _always(text: str) -> Callable[[str], str | None]:
    return lambda _: text


PLAIN: Final = {"path": "a.py"}
LONGER: Final = {"path": "a.py", "limit": 3}
FAULTS: Final[dict[str, Fault]] = {
    "no call": Fault(_always("I will see to it.")),
    "a misspelt tool": Fault(_call("raed_file", PLAIN)),
    "an invented tool": Fault(_call("frobnicate", PLAIN)),
    "a missing argument": Fault(_call("read_file", {"limit": 3}), ("path",)),
    "a misspelt argument": Fault(_call("read_file", {"pth": "a.py"}), ("path",)),
    "an invented argument": Fault(_call("read_file", {"path": "a.py", "frob": "x"}), ("path",)),
    "an optional argument of a wrong type": Fault(_call("read_file", {"path": "a.py", "limit": "many"}), ("limit",)),
    "an optional argument that is none of its choices": Fault(
        _call("read_file", {"path": "a.py", "encoding": "ebcdic"}), ("encoding",)
    ),
    "an optional argument beyond its limit": Fault(_call("read_file", {"path": "a.py", "limit": 0}), ("limit",)),
    "a text for a list": Fault(_call("read_file", {"path": "a.py", "tags": "x"}), ("tags",)),
    "a member of a wrong type": Fault(
        _call("search", {"query": "a", "options": {"deep": "very"}}), ("options", "deep")
    ),
    "half of a call": Fault(_call("read_file", LONGER, lambda text: text[: len(text) * 2 // 3])),
    "no end": Fault(_call("read_file", LONGER, lambda text: text[:-2])),
    "a brace too many": Fault(_call("read_file", PLAIN, lambda text: text.replace('"a.py"}', '"a.py"}}', 1))),
    "a brace too few": Fault(_call("read_file", PLAIN, lambda text: text.replace('"a.py"}', '"a.py"', 1))),
    "a quote that is not escaped": Fault(_call("read_file", PLAIN, lambda text: text.replace('"a.py"', '"a"b.py"', 1))),
    "a trailing comma": Fault(_call("read_file", PLAIN, lambda text: text.replace('"a.py"', '"a.py",', 1))),
    "single quotes": Fault(_call("read_file", PLAIN, lambda text: text.replace('"a.py"', "'a.py'", 1))),
    "other keys": Fault(_always('{"tool": "read_file", "args": {"path": "a.py"}}')),
    "other keys in a fence": Fault(_always('```json\n{"tool": "read_file", "args": {"path": "a.py"}}\n```')),
    "other keys in a tag": Fault(_always('<tool_call>{"tool": "read_file", "args": {"path": "a.py"}}</tool_call>')),
    "an action": Fault(_always('{"action": "read_file", "action_input": {"path": "a.py"}}')),
    "a call of Python": Fault(_always('search(query="a")')),
    "a list of calls of Python": Fault(_always('[search(query="a")]')),
    "a program": Fault(_always('```python\nread_file("a.py")\n```')),
    "attributes": Fault(_always('<read_file path="a.py"/>')),
    "attributes and an end": Fault(_always('<read_file path="a.py"></read_file>')),
    "attributes and JSON": Fault(_always('<read_file mode="x">{"path": "a.py"}</read_file>')),
    "elements": Fault(_always("<read_file><path>a.py</path></read_file>")),
    "JSON in a tag": Fault(_always('<read_file>{"path": "a.py"}</read_file>')),
    "elements and JSON": Fault(_always('<read_file><path>a.py</path>{"limit": 3}</read_file>')),
    "a tag that is not closed": Fault(_always('<read_file>{"path": "a.py"}')),
    "an invented tag": Fault(_always('<bash>{"command": "ls"}</bash>')),
    "a tool's name in a tag": Fault(
        _always('<tool_call><tool_name>read_file</tool_name><arguments>{"path": "a.py"}</arguments></tool_call>')
    ),
    "no arguments at all": Fault(_always('<tool_call>\n{"name": "read_file"}\n</tool_call>')),
    "arguments beside the name": Fault(_always('<tool_call>\n{"name": "read_file", "path": "a.py"}\n</tool_call>')),
    "arguments without a name": Fault(_always('<tool_call>\n{"arguments": {"path": "a.py"}}\n</tool_call>')),
    "arguments in a string": Fault(
        _always('<tool_call>\n{"name": "read_file", "arguments": "{\\"path\\": \\"a.py\\"}"}\n</tool_call>')
    ),
    "an invocation": Fault(_always('<invoke name="read_file"><parameter name="path">a.py</parameter></invoke>')),
    "labelled lines": Fault(_always('Action: read_file\nAction Input: {"path": "a.py"}')),
    "what an API returns": Fault(
        _always(
            '{"tool_calls": [{"id": "c1", "type": "function", '
            '"function": {"name": "read_file", "arguments": "{\\"path\\": \\"a.py\\"}"}}]}'
        )
    ),
    "a name and no more": Fault(_always('read_file: {"path": "a.py"}')),
}
#: The label above the calls that a message shows, and what follows them.
SHOWN: Final = re.compile(
    r"^(?:Your calls?, corrected|For example .*):\n\n(.*?)\n\n(?:No call in your reply|Write a|Please) ",
    re.DOTALL | re.MULTILINE,
)
QUOTED: Final = re.compile(r"^  Your (?:text|JSON): .*\n +\^+$", re.MULTILINE)


def rejected(name: str, fault: Fault) -> tuple[StrictParser, ParseError]:
    reply = fault.reply(name)
    if reply is None:
        pytest.skip("the dialect has no such fault")
    parser = StrictParser(tools=TOOLS, dialect=name, require_call=True)
    error = parser.parse(reply).error
    if error is None:
        pytest.skip("the dialect writes calls so")
    return parser, error


def has(value: Any, path: tuple[str, ...]) -> bool:
    for step in path:
        if not isinstance(value, dict) or step not in value:
            return False
        value = value[step]
    return True


@pytest.mark.parametrize(("dialect", "fault"), crossed(general_names(), FAULTS, keep=2))
def test_what_is_shown_is_accepted_and_shows_what_was_at_fault(dialect: str, fault: str) -> None:
    parser, error = rejected(dialect, FAULTS[fault])
    message = DEFAULT(error)
    shown = SHOWN.search(message)
    assert shown is not None, message
    calls = parser.parse_or_raise(shown[1])
    assert calls, message
    # That engines end some dialects' lists elsewhere is an info.
    stated = callwright.parse(shown[1], tools=TOOLS, dialect=dialect).diagnostics
    assert [each for each in stated if each.severity is not Severity.INFO] == []
    path = FAULTS[fault].shown
    assert not path or has(calls[0].arguments, path), message


@pytest.mark.parametrize(("dialect", "fault"), crossed(general_names(), FAULTS, keep=2))
def test_what_is_stated_is_true_and_for_a_model(dialect: str, fault: str) -> None:
    _, error = rejected(dialect, FAULTS[fault])
    message = DEFAULT(error)
    format_ = find_dialect(dialect)
    assert format_ is not None
    shown = SHOWN.search(message)
    assert shown is not None
    stated = QUOTED.sub("", message.replace(shown[1], "").replace(" ".join(format_.asks), ""))
    # No prompt teaches a model the names and titles of dialects.
    assert not [name for name in dialect_names() if f"`{name}`" in stated]
    assert "format (" not in stated
    assert "Readers skip" not in stated
    is_block = error.call is not None and re.match("<[a-z]", error.call.span.of(error.text)) is not None
    if not format_.is_xml and not is_block:
        assert "XML" not in stated.replace(format_.title, "")
    if "Tool Call JSON Error" in message:
        assert error.calls[0].json is not None
    # The place is given wherever there is a call, and the way to write one wherever its form is invalid.
    if error.calls:
        assert re.search(r"line \d+, column \d+", message)
    if error.is_of(ErrorType.NO_CALLS):
        assert format_.asks[0] in message
    if error.type is ErrorType.NO_XML_BLOCKS:
        assert format_.is_xml
        assert not is_block


@pytest.mark.parametrize("dialect", general_names())
def test_where_no_tool_is_meant_one_that_changes_nothing_is_shown(dialect: str) -> None:
    for fault in ("no call", "an invented tool"):
        parser, error = rejected(dialect, FAULTS[fault])
        shown = SHOWN.search(DEFAULT(error))
        assert shown is not None
        assert [call.tool for call in parser.parse_or_raise(shown[1])] == ["read_file"]


@pytest.mark.parametrize(
    ("tool", "is_shown"),
    [
        ({"name": "write_note", "annotations": {"readOnlyHint": True}}, True),
        ({"name": "read_and_delete", "annotations": {"readOnlyHint": False}}, False),
        ({"name": "getWeather"}, True),
        ({"name": "fs.list_files"}, True),
        ({"name": "git_status"}, True),
        ({"name": "getaway"}, False),
        ({"name": "listen"}, False),
        ({"name": "run"}, False),
    ],
)
def test_an_author_s_word_for_a_tool_goes_before_its_name(tool: dict[str, Any], is_shown: bool) -> None:
    schema = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
    registry = ToolRegistry.of([{"name": "apply", "inputSchema": schema}, {**tool, "inputSchema": schema}])
    parser = StrictParser(tools=registry, dialect="xml-json", require_call=True)
    error = parser.parse("Hm.").error
    assert error is not None
    assert (f"<{tool['name']}>" in DEFAULT(error)) == is_shown


def test_a_parser_that_takes_several_dialects_says_so_without_their_names() -> None:
    parser = StrictParser(tools=TOOLS, dialect=["xml-json", "fenced-json"])
    for reply in ('[search(query="a")]', '{"action": "read_file", "action_input": {"path": "a.py"}}'):
        error = parser.parse(reply).error
        assert error is not None
        assert re.search("in none of the formats that are accepted|not in a format that is accepted", DEFAULT(error))


@pytest.mark.parametrize(
    ("dialect", "reply", "sentence"),
    [
        (
            "xml-json",
            '<read_file path="a.py"/>',
            "Attributes on `<read_file>` are not arguments. Write them as one JSON object between the tags.",
        ),
        (
            "xml-children",
            '<read_file path="a.py"/>',
            "Attributes on `<read_file>` are not arguments. Write each as a child element.",
        ),
        (
            "hermes",
            '<tool_call>{"tool": "read_file", "args": {"path": "a.py"}}</tool_call>',
            (
                "The tool's name is under `tool` and its arguments under `args`;"
                " parsers look for `name` and `arguments`."
            ),
        ),
        (
            "hermes",
            '<tool_call>{"tool": "read_file", "arguments": {"path": "a.py"}}</tool_call>',
            "The tool's name is under `tool`; parsers look for `name`.",
        ),
        (
            "pythonic",
            'search(query="a")',
            "This looks like a call, but not in the format that is asked for.",
        ),
    ],
)
def test_the_remedy_is_that_of_the_dialect_that_is_asked_for(dialect: str, reply: str, sentence: str) -> None:
    error = StrictParser(tools=TOOLS, dialect=dialect).parse(reply).error
    assert error is not None
    assert f"  Error: {sentence}\n" in DEFAULT(error)


def test_arguments_of_yaml_are_not_called_a_number() -> None:
    error = (
        StrictParser(tools=TOOLS, dialect="yaml").parse("tool_calls:\n  - tool_name: read_file\n    arguments:\n").error
    )
    assert error is not None
    assert "must be an object, not null" in DEFAULT(error)
    assert "got a number" not in DEFAULT(error)
