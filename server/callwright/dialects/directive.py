"""The `directive` dialect: `TOOL_CALL:` with the tool's name and `INPUT:` with its arguments as JSON.

Owns: this dialect. Must not know: other dialects, the registry's class.
"""

from collections.abc import Sequence

from callwright.calls.line_calls import DIRECTIVE
from callwright.dialects.base import JSON_RULE
from callwright.dialects.support.lines import LineDialect


class Directive(LineDialect):
    """A line `TOOL_CALL:` contains the tool's name, and a line `INPUT:` below it the arguments as one JSON object."""

    name = "directive"
    title = "Directives"
    summary = "`TOOL_CALL: f` on one line, `INPUT: {…}` on the next."
    used_by: Sequence[str] = ("AccessLint (its older format)",)
    openers: Sequence[str] = ("TOOL_CALL",)
    grammar = DIRECTIVE
    arguments_line = "INPUT: {"
    result_label = "TOOL_RESULT:"
    placement = "line"
    typed = True
    typing = "The arguments are JSON and have its types."
    escaping = "JSON escapes in strings; nothing else is escaped."
    ambiguity = """
        `TOOL_CALL:` must be at the start of a line, after indentation, quote and list markers. It is ignored in fences
        of program code. A name without an `INPUT:` below it is a call that lacks its arguments. The JSON may span
        several lines; broken JSON ends with its paragraph or at the next label.
    """
    peers = """
        AccessLint, which introduced the dialect, dropped it: its strict parser rejects every call in it. Its older
        parsers guessed the input if it was not JSON; Callwright does not guess.
    """
    asks = (
        (
            "Write each call on two lines: `TOOL_CALL:` with the tool's name, then `INPUT:` with one JSON object that"
            " holds the arguments."
        ),
        JSON_RULE,
    )


DIALECT = Directive()
