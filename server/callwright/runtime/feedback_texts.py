"""The words of the message to the model.

Owns: `Words`, `ENGLISH`. Must not know: how errors are found, how a message is laid out.

A rule's own message is in English; `Words.diagnostics` may replace it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """Every heading and sentence of the message; `dataclasses.replace(ENGLISH, …)` gives another language.

    Names in braces are filled in, in those sentences that have them in English; a translation may leave one out. The
    sentences about other formats may name the dialects: `used`, that of the call, and `asked`, the accepted ones. Of
    two fields that differ by a plural, the first is for one. No sentence may contain a call or an unpaired back-tick.
    """

    #: Headings: for errors in JSON, in XML, and for all others.
    heading_json: str = "⚠️ Tool Call JSON Error:"
    heading_xml: str = "⚠️ Tool Call XML Error:"
    heading: str = "⚠️ Tool Call Error:"

    #: The line that names the invalid call: `tool` is in back-ticks, `what` is one of those below with its place.
    call: str = "Tool call {number} ({tool}): {what}"
    call_without_tool: str = "Tool call {number}: {what}"
    no_call: str = "Your reply: {what}"
    invalid_json: str = "Invalid JSON"
    invalid_xml: str = "Invalid XML"
    invalid_arguments: str = "Invalid arguments"
    invalid_format: str = "Invalid syntax"
    unknown_tool: str = "Unknown tool"
    wrong_format: str = "Wrong format"
    unfinished: str = "Incomplete"
    invented: str = "Invented result"
    at_position: str = "{what} at position {position} (line {line}, column {column} of your reply)"
    at_line: str = "{what} at line {line}, column {column} of your reply"
    at_argument_position: str = "{what} at position {position} of its arguments"

    #: What is wrong; `message` is the rule's sentence.
    error: str = "  Error: {message}"
    further_error: str = "  Also at line {line}, column {column}: {message}"
    further_argument_error: str = "  Also at position {position}: {message}"
    another_like_it: str = "{message} (And 1 more like it.)"
    others_like_it: str = "{message} (And {count} more like it.)"
    more_error: str = "  1 more error in this call is not listed."
    more_errors: str = "  {count} more errors in this call are not listed."
    more_call: str = "1 more tool call is invalid."
    more_calls: str = "{count} more tool calls are invalid."
    your_json: str = "  Your JSON: {excerpt}"
    your_arguments: str = "  Your arguments: {excerpt}"
    your_text: str = "  Your text: {excerpt}"

    #: The diagnosis as a count or a plain demand; `text` is in back-ticks.
    extra_brace: str = "  → You have 1 extra closing brace {text}."
    extra_braces: str = "  → You have {count} extra closing braces {text}."
    extra_bracket: str = "  → You have 1 extra closing bracket {text}."
    extra_brackets: str = "  → You have {count} extra closing brackets {text}."
    missing_brace: str = "  → You're missing 1 closing brace {text}."
    missing_braces: str = "  → You're missing {count} closing braces {text}."
    missing_bracket: str = "  → You're missing 1 closing bracket {text}."
    missing_brackets: str = "  → You're missing {count} closing brackets {text}."
    unmatched_quotes: str = "  → Unmatched quotes detected."
    odd_quotes: str = "  → Unmatched quotes detected: your JSON has {count} double quotes, which is an odd number."
    must_be_object: str = "  → {where} must be an object{such_as}, got {got}."
    the_arguments: str = "The arguments"
    such_as: str = " such as {text}"
    a_string: str = "a string"
    a_number: str = "a number"
    a_boolean: str = "a boolean"
    an_array: str = "an array"
    null: str = "null"
    other_format: str = "This call is not in the format that is asked for."
    other_formats: str = "This call is in none of the formats that are accepted."
    no_format: str = "This looks like a call, but not in the format that is asked for."
    no_formats: str = "This looks like a call, but not in a format that is accepted."
    skipped: str = "This is not a valid call: {reason}"
    asked_format: str = "the expected format"
    no_tool_call: str = "There is no tool call in your reply, but one is required."
    unchecked: str = (
        "The arguments are too large or too deeply nested to be checked against the tool's schema. Simplify them."
    )
    own_result: str = "The results of tools are written by the system, not by you. End your reply after the last call."
    ends_inside: str = "Your reply was cut off: it ends here, inside the call."
    cut_off: str = "Your reply was cut off: it was too long. Write a shorter one, with fewer calls or shorter values."

    #: What the tool accepts; `signature` is in back-ticks.
    takes: str = "  The tool takes: {signature}"
    takes_optional: str = "  The tool takes: {signature} (`?` marks optional parameters)"
    requires: str = "  The tool requires: {signature}"
    tools: str = "The tools are: {names}"
    more_tools: str = "{names}, and {count} more"

    #: The call as it should have been.
    corrected: str = "Your call, corrected:"
    corrected_several: str = "Your calls, corrected:"
    corrected_arguments: str = "Your arguments, corrected:"
    example: str = "For example (this shows the format; use your own values):"

    #: The request; `asks` are the dialect's own sentences.
    nothing_done: str = "No call in your reply was executed."
    fix_json: str = "Please fix the JSON and write the call again."
    fix_braces: str = "Please fix the JSON and write the call again. Ensure proper brace matching: `{` and `}`."
    fix_xml: str = "Please fix the XML and write the call again."
    fix_call: str = "Please fix the call and write it again."
    fix_arguments: str = "Please fix the arguments and write the call again."
    fix_tool: str = "Please write the call again with one of the available tools."
    fix_invented: str = "Please write your reply again without any result."
    fix_invented_calls: str = "Please write every call of the reply again, and end the reply after the last one."
    fix_unfinished: str = "Please write the whole call again, with shorter values if it was too long."
    fix_unfinished_calls: str = "Please write every call of the reply again, with shorter values if it was too long."
    fix_calls: str = "Please fix this and write every call of the reply again."
    fix_reply: str = "Please write your reply again with this in mind."
    fix_native: str = "Please fix the arguments and call the tool again."
    write_as: str = "Write the call again as described here: {asks}"
    write_one_plain: str = "Please write a tool call."
    write_one: str = "Write a call as described here: {asks}"
    end: str = (
        "Maximum mistakes reached: too many replies in a row were rejected, and this was the last attempt. "
        "Do not write another tool call."
    )
    last_mistake: str = "The last mistake:"

    #: Sentences in place of a rule's own message, by the rule's code; they have no names to fill in.
    diagnostics: Mapping[str, str] = field(default_factory=dict, hash=False)


ENGLISH = Words()
