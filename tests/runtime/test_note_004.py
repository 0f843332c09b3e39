"""The scenarios of "AccessLint Strict XML Parsing", in the note's order."""

from __future__ import annotations

import pytest

from callwright.runtime import ErrorType, ParseError, StrictParser, Strikes

TOOLS = [
    {
        "name": "read_file",
        "description": "Reads a file.",
        "input_schema": {
            "type": "object",
            "properties": {"path": {"type": "string"}},
            "required": ["path"],
            "additionalProperties": False,
        },
    },
    {
        "name": "write_file",
        "description": "Writes a file.",
        "input_schema": {
            "type": "object",
            "properties": {"file_path": {"type": "string"}, "content": {"type": "string"}},
            "required": ["file_path", "content"],
            "additionalProperties": False,
        },
    },
]
GOOD = '<write_file>\n{\n  "file_path": "index.html",\n  "content": "<!DOCTYPE html>..."\n}\n</write_file>'


def strict(strikes: Strikes | None = None) -> StrictParser:
    """Return the parser of the note: XML blocks only, JSON or elements in them, and every reply must hold a call."""
    return StrictParser(tools=TOOLS, dialect=["xml-json", "xml-children"], require_call=True, strikes=strikes)


def rejected(parser: StrictParser, reply: str) -> ParseError:
    with pytest.raises(ParseError) as caught:
        parser.parse_or_raise(reply)
    return caught.value


# 1. Lock down the parsing strategy: strict XML with fail-fast


def test_xml_blocks_that_cannot_be_parsed_are_malformed_xml() -> None:
    error = rejected(strict(), "<read_file><path>file.js</read_file>")
    assert error.type is ErrorType.MALFORMED_XML


@pytest.mark.parametrize(
    "reply",
    ['<read_file>{"path": "file.js"}</read_file>', "<read_file>\n  <path>src/main.ts</path>\n</read_file>"],
)
def test_the_supported_formats_are_taken(reply: str) -> None:
    (call,) = strict().parse_or_raise(reply)
    assert call.tool == "read_file"


# 2. The old format is rejected


def test_the_old_directive_is_no_xml_block() -> None:
    error = rejected(strict(), 'TOOL_CALL: read_file\nINPUT: {"path": "file.js"}')
    assert error.type == "NO_XML_BLOCKS"


# 3. Schema validation on top of XML


def test_parameters_are_held_against_the_schema() -> None:
    error = rejected(strict(), '<write_file>{"content":"html"}</write_file>')
    assert error.type is ErrorType.SCHEMA_VALIDATION
    assert "`file_path`" in error.message
    assert error.schema == TOOLS[1]["input_schema"]


def test_a_tool_that_is_not_registered_is_unknown() -> None:
    error = rejected(strict(), '<delete_file>{"path": "file.js"}</delete_file>')
    assert error.type is ErrorType.UNKNOWN_TOOL


# 5. No natural language, no heuristics


@pytest.mark.parametrize(
    "reply",
    [
        "Let me read file src/main.ts",
        "I will use read_file with path src/main.ts.",
        "read_file(src/main.ts)",
        "`read_file` `src/main.ts`",
    ],
)
def test_words_are_no_calls(reply: str) -> None:
    assert rejected(strict(), reply).type is ErrorType.NO_XML_BLOCKS


# 7. Strict error handling


def test_the_error_has_a_type_a_message_and_details_and_shows_the_format() -> None:
    error = rejected(strict(), '<write_file>{"content":"html"}</write_file>')
    assert str(error).startswith("SCHEMA_VALIDATION: ")
    assert error.details.startswith("1:2 TC302 ")
    assert error.example is not None
    assert error.example.startswith("<write_file>")


# The example error flow: four attempts, and the reset after the fix


def test_the_four_attempts() -> None:
    strikes = Strikes()
    parser = strict(strikes)

    # Attempt 1: "TOOL_CALL: read_file..." is rejected.
    assert rejected(parser, "TOOL_CALL: read_file...").type is ErrorType.NO_XML_BLOCKS
    # Attempt 2: "Let me read file..." is rejected.
    assert rejected(parser, "Let me read file...").type is ErrorType.NO_XML_BLOCKS
    # Attempt 3: rejected with the schema.
    third = rejected(parser, '<write_file>{"content":"html"}</write_file>')
    assert third.type is ErrorType.SCHEMA_VALIDATION
    assert third.message == "`write_file` requires `file_path`, which is missing."
    # Attempt 4: the maximum is reached.
    fourth = rejected(parser, '<write_file>{"content":"html"}</write_file>')
    assert fourth.type is ErrorType.MAX_MISTAKES
    assert fourth.message.startswith("Maximum mistakes reached (3)")

    # After the fix: the counter is reset by itself.
    (call,) = parser.parse_or_raise(GOOD)
    assert call.arguments == {"file_path": "index.html", "content": "<!DOCTYPE html>..."}
    assert strikes.count == 0
    assert rejected(parser, "Let me read file...").type is ErrorType.NO_XML_BLOCKS


def test_the_counter_can_be_reset_by_hand_and_watched() -> None:
    strikes = Strikes()
    parser = strict(strikes)
    for _ in range(3):
        rejected(parser, "Let me read file...")
    assert strikes.count == 3
    strikes.reset()
    assert rejected(parser, "Let me read file...").type is ErrorType.NO_XML_BLOCKS
    assert strikes.count == 1


def test_any_success_resets_even_after_the_maximum() -> None:
    strikes = Strikes()
    parser = strict(strikes)
    for _ in range(6):
        rejected(parser, "Let me read file...")
    assert strikes.exceeded
    parser.parse_or_raise(GOOD)
    assert not strikes.exceeded
